/* Matrix products on the ordinary cores.
 *
 * A block computes TM x TN of C with TM / RM * TN / RN threads, a thread RM x RN. What it needs for
 * one k it reads from shared memory 16 bytes at a time (a group); where RM or RN is two groups they
 * lie half a tile apart, and a warp is 8 threads along m by 4 along n: reads are free of bank
 * conflicts. Tiles of 8 words along k are staged through registers into one of two buffers, [k][m]
 * and [k][n], while the other is worked on: one barrier a tile. Each thread stages one run of
 * neighbours in memory of A and of B.
 *
 * Edges cost the loop nothing: the part of k that is no whole tile comes first, before the loop;
 * runs beyond m or n are moved back into the matrix, and what they give is never stored.
 *
 * F, the family, says what numbers are: an `element` lies in memory, a `word` in shared memory, a
 * `reg` holds PACK words, a `sum` is what one reg of A adds to, a `value` is a finished sum. Each
 * thread stages WIDTH elements, a group is GROUP words. K elements along k make one word. WARPS are
 * on a multiprocessor at once: 16 leave each thread 128 registers, 12 leave it 168. With two SETS
 * of fragments one is read while the other is worked on; with one, registers are short: the
 * compiler looks at one k at a time, and the next tile is loaded late. */
#ifndef KERNELS_GEMM_SIMT_H
#define KERNELS_GEMM_SIMT_H

#include "gemm_finish.h"

enum { GEMM_TK = 8 };

/* One operand: the thread's run, where it comes from and where it goes. SIZE is the tile's extent
 * along m (or n), LAYOUT an enum gemm_layout. WIDE: the contiguous extent, the leading dimension
 * and the address are multiples of WIDTH elements. */
template <class F, int SIZE, int LAYOUT, bool WIDE> struct gemm_operand {
    enum {
        WIDTH = F::WIDTH,
        PITCH = LAYOUT == ALONG_M ? SIZE : SIZE + F::GROUP,
        WORDS = PITCH * GEMM_TK,
        RUNS_K = GEMM_TK / WIDTH, /* across a tile */
        RUNS_M = SIZE / WIDTH,
    };
    typedef typename F::element element;

    const element *from;
    long long advance; /* elements from one tile along k to the next */
    int at;            /* of the run in a buffer: its first word */
    int k;             /* of the run's first element, within the tile */
    int valid;         /* elements of the run that lie in the matrix along m */
    bool along_k;
    typename F::run run;

    /* `first` is the tile's place along m, `extent` the matrix's, `k0` where the sum begins. */
    __device__ __forceinline__ void init(const element *p, int ld, bool trans, int first,
                                         int extent, int k0)
    {
        const int t = threadIdx.x;
        along_k = LAYOUT == ANY ? trans : LAYOUT == ALONG_K;
        int m = along_k ? t / RUNS_K : t % RUNS_M * WIDTH;
        k = along_k ? t % RUNS_K * WIDTH : t / RUNS_M;
        at = k * PITCH + m;
        m += first;
        valid = along_k ? (m < extent ? (int)WIDTH : 0) : extent - m;
        if (along_k)
            m = min(m, extent - 1);
        else if (WIDE)
            m = min(m, extent - WIDTH);
        from = along_k ? p + (long long)m * ld + k0 + k : p + (long long)(k0 + k) * ld + m;
        advance = along_k ? GEMM_TK : (long long)GEMM_TK * ld;
    }

    /* The first tile, of which `count` <= TK along k are there. */
    __device__ __forceinline__ void load_first(int count)
    {
        run = F::zero_run();
        if (WIDE) {
            if (k < count)
                run = F::load_run(from);
        } else {
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                if (k + (along_k ? j : 0) < count && j < valid)
                    F::load_one(run, j, from + j);
        }
        from += along_k ? count : count * (advance / GEMM_TK);
    }

    __device__ __forceinline__ void load()
    {
        if (WIDE) {
            run = F::load_run(from);
        } else {
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                if (j < valid)
                    F::load_one(run, j, from + j);
        }
        from += advance;
    }

    __device__ __forceinline__ void store(typename F::word *buffer) const
    {
        typename F::word w[WIDTH];
        F::convert(w, run);
        if (LAYOUT == ALONG_M || (LAYOUT == ANY && !along_k)) {
            F::store_run(buffer + at, w);
        } else {
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                buffer[at + j * PITCH] = w[j];
        }
    }
};

/* How R words of a thread lie in a tile's extent of SIZE. */
template <class F, int SIZE, int R> struct gemm_groups {
    enum {
        LENGTH = R < F::GROUP ? R : F::GROUP,
        COUNT = R / LENGTH,
        APART = SIZE / COUNT,
        REGS = R / F::PACK,
    };

    GEMM_INLINE void load(typename F::reg (&regs)[REGS], const typename F::word *row)
    {
#pragma unroll
        for (int g = 0; g < COUNT; g++)
            F::template load_group<LENGTH>(&regs[g * (LENGTH / F::PACK)], row + g * APART);
    }
};

/* The thread's sums, whose first is at (row, column) of C. */
template <class F, class GROUPS_M, class GROUPS_N, int RN>
GEMM_INLINE void gemm_store(const gemm_args &g, int batch, int row, int column,
                            typename F::sum (&sums)[RN][GROUPS_M::REGS])
{
    typename F::result *c = (typename F::result *)g.c + batch * g.stride_c;
    typename F::value *partial = (typename F::value *)g.partial + (long long)blockIdx.z * g.m * g.n;
#pragma unroll
    for (int j = 0; j < RN; j++) {
        const int n = column + j % GROUPS_N::LENGTH + j / GROUPS_N::LENGTH * GROUPS_N::APART;
        if (n >= g.n)
            continue;
#pragma unroll
        for (int i = 0; i < GROUPS_M::COUNT * GROUPS_M::LENGTH; i += 4) {
            const int m = row + i % GROUPS_M::LENGTH + i / GROUPS_M::LENGTH * GROUPS_M::APART;
            const int rows = g.m - m;
            if (rows <= 0)
                continue;
            typename F::value values[4];
            F::unpack_four(values, &sums[j][i / F::PACK]);
            if (g.splits == 1)
                gemm_finish<F>(g, c + (long long)n * g.ldc + m, rows, values);
            else
                gemm_part(partial + (long long)n * g.m + m, rows, values);
        }
    }
}

template <class F, int TM, int TN, int RM, int RN, int LAYOUT_A, int LAYOUT_B, bool WIDE>
struct gemm_simt {
    typedef typename F::word word;
    typedef typename F::template operand<TM, LAYOUT_A, WIDE> operand_a;
    typedef typename F::template operand<TN, LAYOUT_B, WIDE> operand_b;
    typedef gemm_groups<F, TM, RM> groups_a;
    typedef gemm_groups<F, TN, RN> groups_b;
    enum { STAGE = operand_a::WORDS + operand_b::WORDS, TILE_K = GEMM_TK * F::K };

    /* What a thread works on: its place in the buffers, sets of fragments, its sums. */
    struct work {
        int row, column; /* the first, in words within the tile */
        typename F::reg a[F::SETS][groups_a::REGS], b[F::SETS][groups_b::REGS];
        typename F::sum sums[RN][groups_a::REGS];
    };

    GEMM_INLINE void run(const gemm_args &g)
    {
        __shared__ __align__(16) word shared[2 * STAGE];
        int tile = blockIdx.x;
        const int tile_m = tile % g.tiles_m * TM, tile_n = tile / g.tiles_m * TN;
        const int batch = blockIdx.z / g.splits, split = blockIdx.z % g.splits;
        const int k0 = split * g.k_split, k = min(g.k - k0, g.k_split);
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wide = TM / RM / 8;

        operand_a a;
        operand_b b;
        a.init((const typename F::element *)g.a + batch * g.stride_a, g.lda, g.trans & GEMM_TRANS_A,
               tile_m, g.m, k0);
        b.init((const typename F::element *)g.b + batch * g.stride_b, g.ldb,
               !(g.trans & GEMM_TRANS_B), tile_n, g.n, k0);

        work w;
        w.row = (warp % wide * 8 + lane % 8) * groups_a::LENGTH;
        w.column = (warp / wide * 4 + lane / 8) * groups_b::LENGTH;
#pragma unroll
        for (int j = 0; j < RN; j++)
#pragma unroll
            for (int i = 0; i < groups_a::REGS; i++)
                w.sums[j][i] = 0;
        multiply(a, b, shared, k, w);
        if (F::SETS == 1)
            tile = again();
        gemm_store<F, groups_a, groups_b, RN>(g, blockIdx.z / g.splits,
                                              tile % g.tiles_m * TM + w.row,
                                              tile / g.tiles_m * TN + w.column, w.sums);
    }

    /* blockIdx.x, not kept in a register since it was last read. */
    GEMM_INLINE int again()
    {
        int block;
        asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
        return block;
    }

    GEMM_INLINE void multiply(operand_a &a, operand_b &b, word *shared, int k, work &w)
    {
        const int rest = (k - 1) % TILE_K + 1;
        a.load_first(rest);
        b.load_first(rest);
        a.store(shared);
        b.store(shared + operand_a::WORDS);
        __syncthreads();

        groups_a::load(w.a[0], shared + w.row);
        groups_b::load(w.b[0], shared + operand_a::WORDS + w.column);
        int left = (k - rest) / TILE_K;
#pragma unroll 1
        for (;;) {
            tile<0>(a, b, shared, left, w);
            if (--left < 0)
                break;
            tile<1>(a, b, shared, left, w);
            if (--left < 0)
                break;
        }
    }

    /* Fragments of the next k; behind the last of a tile that is the first of the next, which is
     * put down now. */
    GEMM_INLINE void fetch(operand_a &a, operand_b &b, const word *here, word *there, int left,
                           int k, work &w)
    {
        const bool last = k == GEMM_TK;
        if (last) {
            if (F::SETS == 1 && left > 0)
                a.load();
            a.store(there);
            if (F::SETS == 1 && left > 0)
                b.load();
            b.store(there + operand_a::WORDS);
            __syncthreads();
        }
        const word *next = last ? there : here;
        const int next_k = last ? 0 : k;
        groups_a::load(w.a[k % F::SETS], next + next_k * operand_a::PITCH + w.row);
        groups_b::load(w.b[k % F::SETS],
                       next + operand_a::WORDS + next_k * operand_b::PITCH + w.column);
    }

    /* One tile, which lies in buffer NUMBER, and its first k in fragments 0; fills the other
     * buffer. */
    template <int NUMBER>
    GEMM_INLINE void tile(operand_a &a, operand_b &b, word *shared, int left, work &w)
    {
        word *const here = shared + NUMBER * STAGE, *const there = shared + !NUMBER * STAGE;
        if (F::SETS == 2 && left > 0) {
            a.load();
            b.load();
        }
#pragma unroll(F::SETS == 1 ? 1 : GEMM_TK)
        for (int k = 0; k < GEMM_TK; k++) {
            if (F::SETS == 2)
                fetch(a, b, here, there, left, k + 1, w);
#pragma unroll
            for (int j = 0; j < RN; j++) {
                const typename F::reg b = F::column(w.b[k % F::SETS], j);
#pragma unroll
                for (int i = 0; i < groups_a::REGS; i++)
                    w.sums[j][i] = F::multiply_add(w.a[k % F::SETS][i], b, w.sums[j][i]);
            }
            if (F::SETS == 1)
                fetch(a, b, here, there, left, k + 1, w);
        }
    }
};

/* A kernel of a family; `family` is the struct of its file. */
#define GEMM_SIMT(name, tm, tn, rm, rn, a, b, wide)                                                \
    extern "C" __global__ void __launch_bounds__((tm / rm) * (tn / rn),                            \
                                                 family::WARPS * 32 / ((tm / rm) * (tn / rn)))     \
        name(const gemm_args g)                                                                    \
    {                                                                                              \
        gemm_simt<family, tm, tn, rm, rn, a, b, wide>::run(g);                                     \
    }

#endif
