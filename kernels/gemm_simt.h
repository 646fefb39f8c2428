/* Matrix products on the ordinary cores, for families whose inner step is one multiply-add of two
 * 4-byte words.
 *
 *   A block computes TM x TN of C with TM * TN / (RM * RN) threads; a thread RM x RN, as (up to)
 * two by two rectangles of 4 x 4 that lie half a tile apart, so that every read of shared memory is
 * 16 bytes wide and free of bank conflicts. Tiles of TK = 8 along k are staged through registers
 * into one of two buffers in shared memory, [k][m] and [k][n], while the other is worked on: one
 * barrier a tile. Each thread stages one quad (4 elements that are neighbours in memory) of A and
 * of B a tile.
 *
 *   Edges cost the loop nothing: the part of k that is no whole tile comes first, before the loop;
 * quads beyond m or n are moved back into the matrix, and what they give is never stored. */
#ifndef KERNELS_GEMM_SIMT_H
#define KERNELS_GEMM_SIMT_H

#include "gemm.h"

enum { GEMM_TK = 8 };

/* How an operand lies: along m (or n) first, along k first, or as args.trans says. */
enum gemm_layout { ALONG_M, ALONG_K, ANY };

/* One operand: the thread's quad, where it comes from and where it goes. F is the family, SIZE the
 * tile's extent along m (or n), LAYOUT an enum gemm_layout. WIDE: the contiguous extent, the
 * leading dimension and the address are multiples of 4 elements. */
template <class F, int SIZE, int LAYOUT, bool WIDE> struct gemm_operand {
    enum { PITCH = LAYOUT == ALONG_M ? SIZE : SIZE + 4, WORDS = PITCH * GEMM_TK };
    typedef typename F::element element;

    const element *from;
    long long advance; /* elements from one tile along k to the next */
    int at, step; /* of the quad in a buffer: its first word, and from one element to the next */
    int k;        /* of the quad's first element, within the tile */
    int valid;    /* elements of the quad that lie in the matrix along m */
    bool along_k;
    typename F::quad quad;

    /* `first` is the tile's place along m, `extent` the matrix's, `k0` where the sum begins. */
    __device__ __forceinline__ void init(const element *p, int ld, bool trans, int first,
                                         int extent, int k0)
    {
        const int t = threadIdx.x;
        along_k = LAYOUT == ANY ? trans : LAYOUT == ALONG_K;
        int m = along_k ? t / 2 : t % (SIZE / 4) * 4;
        k = along_k ? t % 2 * 4 : t / (SIZE / 4);
        at = k * PITCH + m;
        step = along_k ? PITCH : 1;
        m += first;
        valid = along_k ? (m < extent ? 4 : 0) : extent - m;
        if (along_k)
            m = min(m, extent - 1);
        else if (WIDE)
            m = min(m, extent - 4);
        from = along_k ? p + (long long)m * ld + k0 + k : p + (long long)(k0 + k) * ld + m;
        advance = along_k ? GEMM_TK : (long long)GEMM_TK * ld;
    }

    /* The first tile, of which `count` <= TK along k are there. */
    __device__ __forceinline__ void load_first(int count)
    {
        quad = F::zero_quad();
        if (WIDE) {
            if (k < count)
                quad = F::load_wide(from);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (k + (along_k ? j : 0) < count && j < valid)
                    F::load_one(quad, j, from + j);
        }
        from += along_k ? count : count * (advance / GEMM_TK);
    }

    __device__ __forceinline__ void load()
    {
        if (WIDE) {
            quad = F::load_wide(from);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (j < valid)
                    F::load_one(quad, j, from + j);
        }
        from += advance;
    }

    __device__ __forceinline__ void store(typename F::word *buffer) const
    {
        typename F::word w[4];
        F::convert(w, quad);
        if (LAYOUT == ALONG_M || (LAYOUT == ANY && !along_k)) {
            F::store_four(buffer + at, w);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++)
                buffer[at + j * PITCH] = w[j];
        }
    }
};

/* RM (or RN) words for one k: groups of 4, SIZE / (R / 4) apart. */
template <class F, int SIZE, int R>
__device__ __forceinline__ void gemm_fragment(typename F::word (&w)[R], const typename F::word *row)
{
#pragma unroll
    for (int g = 0; g < R / 4; g++)
        F::load_four(&w[g * 4], row + g * (SIZE / (R / 4)));
}

template <class F>
__device__ __forceinline__ void gemm_finish_one(const gemm_args &g, typename F::result *c,
                                                typename F::sum sum)
{
    F::put(c, F::reads_c(g) ? F::blend(g, sum, F::get(c)) : F::scale(g, sum));
}

/* Four rows of a column of C, of which `rows` are there. */
template <class F>
__device__ __forceinline__ void gemm_finish(const gemm_args &g, typename F::result *c, int rows,
                                            const typename F::sum *sums)
{
    typename F::sum all[4];
    if (g.wide_c) {
        if (F::reads_c(g))
            F::get_four(all, c);
#pragma unroll
        for (int i = 0; i < 4; i++)
            all[i] = F::reads_c(g) ? F::blend(g, sums[i], all[i]) : F::scale(g, sums[i]);
        F::put_four(c, all);
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < rows)
            gemm_finish_one<F>(g, c + i, sums[i]);
}

/* The RM x RN sums whose first is at (row, column) of C; groups of 4 lie as gemm_fragment has them.
 */
template <class F, int TM, int TN, int RM, int RN>
__device__ __forceinline__ void gemm_store(const gemm_args &g, int batch, int row, int column,
                                           typename F::sum (&sums)[RN][RM])
{
    typename F::result *c = (typename F::result *)g.c + batch * g.stride_c;
    typename F::sum *partial = (typename F::sum *)g.partial + (long long)blockIdx.z * g.m * g.n;
#pragma unroll
    for (int j = 0; j < RN; j++) {
        const int n = column + j % 4 + j / 4 * (TN / (RN / 4));
        if (n >= g.n)
            continue;
#pragma unroll
        for (int i = 0; i < RM; i += 4) {
            const int m = row + i / 4 * (TM / (RM / 4)), rows = g.m - m;
            if (rows <= 0)
                continue;
            if (g.splits == 1) {
                gemm_finish<F>(g, c + (long long)n * g.ldc + m, rows, &sums[j][i]);
                continue;
            }
#pragma unroll
            for (int r = 0; r < 4; r++)
                if (r < rows)
                    partial[(long long)n * g.m + m + r] = sums[j][i + r];
        }
    }
}

/* Adds the splits of a product in order, so that the same call gives the same bits; blockIdx.z is
 * the batch. */
template <class F> __device__ __forceinline__ void gemm_reduce(const gemm_args &g)
{
    const long long size = (long long)g.m * g.n, step = (long long)gridDim.x * blockDim.x;
    const typename F::sum *partial =
        (const typename F::sum *)g.partial + blockIdx.z * size * g.splits;
    typename F::result *c = (typename F::result *)g.c + blockIdx.z * g.stride_c;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < size; at += step) {
        typename F::result *to = c + at / g.m * g.ldc + at % g.m;
        typename F::sum sum = partial[at];
        for (int s = 1; s < g.splits; s++)
            sum += partial[at + s * size];
        gemm_finish_one<F>(g, to, sum);
    }
}

template <class F, int TM, int TN, int RM, int RN, int LAYOUT_A, int LAYOUT_B, bool WIDE>
struct gemm_simt {
    typedef typename F::word word;
    typedef typename F::sum sum;
    typedef gemm_operand<F, TM, LAYOUT_A, WIDE> operand_a;
    typedef gemm_operand<F, TN, LAYOUT_B, WIDE> operand_b;
    enum { THREADS = (TM / RM) * (TN / RN), STAGE = operand_a::WORDS + operand_b::WORDS };

    /* The thread's first row and column: a warp is 8 wide and 4 deep. */
    static __device__ __forceinline__ void place(int &row, int &column)
    {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wide = TM / RM / 8;
        row = (warp % wide * 8 + lane % 8) * 4;
        column = (warp / wide * 4 + lane / 8) * 4;
    }

    static __device__ __forceinline__ void run(const gemm_args &g)
    {
        __shared__ __align__(16) word shared[2 * STAGE];
        const int tile_m = blockIdx.x % g.tiles_m * TM, tile_n = blockIdx.x / g.tiles_m * TN;
        const int batch = blockIdx.z / g.splits, split = blockIdx.z % g.splits;
        const int k0 = split * g.k_split, k = min(g.k - k0, g.k_split);

        operand_a a;
        operand_b b;
        a.init((const typename F::element *)g.a + batch * g.stride_a, g.lda, g.trans & GEMM_TRANS_A,
               tile_m, g.m, k0);
        b.init((const typename F::element *)g.b + batch * g.stride_b, g.ldb,
               !(g.trans & GEMM_TRANS_B), tile_n, g.n, k0);

        int row, column;
        place(row, column);
        sum sums[RN][RM] = {};
        multiply(a, b, shared, row, column, k, sums);
        gemm_store<F, TM, TN, RM, RN>(g, batch, tile_m + row, tile_n + column, sums);
    }

    static __device__ __forceinline__ void multiply(operand_a &a, operand_b &b, word *shared,
                                                    int row, int column, int k, sum (&sums)[RN][RM])
    {
        const int rest = (k - 1) % GEMM_TK + 1;
        a.load_first(rest);
        b.load_first(rest);
        a.store(shared);
        b.store(shared + operand_a::WORDS);
        __syncthreads();

        word fa[2][RM], fb[2][RN];
        gemm_fragment<F, TM, RM>(fa[0], shared + row);
        gemm_fragment<F, TN, RN>(fb[0], shared + operand_a::WORDS + column);
        int left = (k - rest) / GEMM_TK;
#pragma unroll 1
        for (;;) {
            tile<0>(a, b, shared, row, column, left, fa, fb, sums);
            if (--left < 0)
                break;
            tile<1>(a, b, shared, row, column, left, fa, fb, sums);
            if (--left < 0)
                break;
        }
    }

    /* One tile, of which BUFFER holds the words and fa[0], fb[0] the first k; fills the other
     * buffer. */
    template <int BUFFER>
    static __device__ __forceinline__ void tile(operand_a &a, operand_b &b, word *shared, int row,
                                                int column, int left, word (&fa)[2][RM],
                                                word (&fb)[2][RN], sum (&sums)[RN][RM])
    {
        word *const here = shared + BUFFER * STAGE, *const there = shared + !BUFFER * STAGE;
        if (left > 0) {
            a.load();
            b.load();
        }
#pragma unroll
        for (int k = 0; k < GEMM_TK; k++) {
            const bool last = k == GEMM_TK - 1;
            if (last) {
                a.store(there);
                b.store(there + operand_a::WORDS);
                __syncthreads();
            }
            const word *next = last ? there : here;
            const int next_k = last ? 0 : k + 1;
            gemm_fragment<F, TM, RM>(fa[(k + 1) % 2], next + next_k * operand_a::PITCH + row);
            gemm_fragment<F, TN, RN>(fb[(k + 1) % 2],
                                     next + operand_a::WORDS + next_k * operand_b::PITCH + column);
#pragma unroll
            for (int j = 0; j < RN; j++)
#pragma unroll
                for (int i = 0; i < RM; i++)
                    sums[j][i] = F::multiply_add(fa[k % 2][i], fb[k % 2][j], sums[j][i]);
        }
    }
};

/* A kernel of a family; `family` is the struct of its file. */
#define GEMM_SIMT(name, tm, tn, rm, rn, a, b, wide)                                                \
    extern "C" __global__ void __launch_bounds__(                                                  \
        (tm / rm) * (tn / rn), 512 / ((tm / rm) * (tn / rn))) name(const gemm_args g)              \
    {                                                                                              \
        gemm_simt<family, tm, tn, rm, rn, a, b, wide>::run(g);                                     \
    }
#define GEMM_REDUCE(name)                                                                          \
    extern "C" __global__ void name(const gemm_args g)                                             \
    {                                                                                              \
        gemm_reduce<family>(g);                                                                    \
    }

#endif
