/* Matrix products by tensor instructions.
 *
 * A block of 4 warps computes TM x TN of C, each warp a quarter of it in tiles of 16 x 16. What 32
 * bytes along k hold of A and B (TILE_K elements) is staged through registers into one of two
 * buffers in shared memory while the other is worked on: one barrier a tile. Buffers keep the order
 * of memory where that costs no transposition: [k][m], or [m][k] when neighbours in memory are
 * along k. Padding makes reads of 8 rows hit different banks. Edges are treated as in gemm_simt.h;
 * sums leave through shared memory.
 *
 * F, the family, says what numbers are: an `element` lies in memory, a `word` (of the same size) in
 * shared memory as `factor`, sums are `value`. One instruction takes STEP elements along k. */
#ifndef KERNELS_GEMM_TENSOR_H
#define KERNELS_GEMM_TENSOR_H

#include <mma.h>

#include "gemm_finish.h"

enum { TENSOR_THREADS = 128, TENSOR_TILE_BYTES = 32, TENSOR_SIDE = 16 };

struct tensor_loads {
    template <class T, class W> GEMM_INLINE void load_a(T &fragment, const W *from, unsigned pitch)
    {
        nvcuda::wmma::load_matrix_sync(fragment, from, pitch);
    }
    template <class T, class W> GEMM_INLINE void load_b(T &fragment, const W *from, unsigned pitch)
    {
        nvcuda::wmma::load_matrix_sync(fragment, from, pitch);
    }
};

/* The same in four registers from shared memory, which nvcc reads by generic addresses where the
 * type is bf16 or tf32. */
#define TENSOR_LOAD(matrix, layout, type)                                                          \
    template <class T, class W>                                                                    \
    GEMM_INLINE void load_##matrix##_##layout(T &fragment, const W *from, unsigned pitch)          \
    {                                                                                              \
        unsigned *const x = (unsigned *)fragment.x;                                                \
        asm volatile("wmma.load." #matrix ".sync.aligned." #layout "." type                        \
                     " {%0, %1, %2, %3}, [%4], %5;"                                                \
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])                              \
                     : "r"((unsigned)__cvta_generic_to_shared(from)), "r"(pitch)                   \
                     : "memory");                                                                  \
    }
#define TENSOR_LOADS(name, factor, step, type)                                                     \
    struct name {                                                                                  \
        template <class LAYOUT>                                                                    \
        using a = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, step, factor, LAYOUT>;    \
        template <class LAYOUT>                                                                    \
        using b = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, step, factor, LAYOUT>;    \
        typedef nvcuda::wmma::row_major rows;                                                      \
        typedef nvcuda::wmma::col_major columns;                                                   \
        TENSOR_LOAD(a, row, type)                                                                  \
        TENSOR_LOAD(a, col, type)                                                                  \
        TENSOR_LOAD(b, row, type)                                                                  \
        TENSOR_LOAD(b, col, type)                                                                  \
        template <class W> GEMM_INLINE void load_a(a<rows> &f, const W *from, unsigned pitch)      \
        {                                                                                          \
            load_a_row(f, from, pitch);                                                            \
        }                                                                                          \
        template <class W> GEMM_INLINE void load_a(a<columns> &f, const W *from, unsigned pitch)   \
        {                                                                                          \
            load_a_col(f, from, pitch);                                                            \
        }                                                                                          \
        template <class W> GEMM_INLINE void load_b(b<rows> &f, const W *from, unsigned pitch)      \
        {                                                                                          \
            load_b_row(f, from, pitch);                                                            \
        }                                                                                          \
        template <class W> GEMM_INLINE void load_b(b<columns> &f, const W *from, unsigned pitch)   \
        {                                                                                          \
            load_b_col(f, from, pitch);                                                            \
        }                                                                                          \
    };

/* One operand whose runs of 16 bytes are whole; see gemm_operand for the names. */
template <class F, int SIZE, int LAYOUT, bool WIDE> struct tensor_operand {
    typedef typename F::element element;
    typedef typename F::word word;
    enum {
        RUN = 16 / sizeof(element),
        TILE_K = TENSOR_TILE_BYTES / sizeof(element),
        SIDEWAYS = LAYOUT == ALONG_M, /* [k][m] */
        PITCH = SIDEWAYS ? SIZE + F::PAD_M : TILE_K + RUN,
        WORDS = SIDEWAYS ? PITCH * TILE_K : PITCH * SIZE,
        RUNS = SIZE * TENSOR_TILE_BYTES / 16 / TENSOR_THREADS, /* of each thread */
        ACROSS = SIDEWAYS ? SIZE / RUN : TILE_K / RUN,         /* runs in a row of the buffer */
    };

    const element *from[RUNS];
    long long advance;
    int at, k;
    uint4 runs[RUNS];

    __device__ __forceinline__ void init(const element *p, int ld, bool, int first, int extent,
                                         int k0)
    {
        const int row = threadIdx.x / ACROSS, column = threadIdx.x % ACROSS * RUN;
        at = row * PITCH + column;
        k = SIDEWAYS ? row : column;
        advance = SIDEWAYS ? (long long)TILE_K * ld : TILE_K;
#pragma unroll
        for (int i = 0; i < RUNS; i++) {
            const int r = row + i * (TENSOR_THREADS / ACROSS);
            from[i] = SIDEWAYS ? p + (long long)(k0 + r) * ld + min(first + column, extent - RUN)
                               : p + (long long)min(first + r, extent - 1) * ld + k0 + column;
        }
    }

    __device__ __forceinline__ void load_first(int count)
    {
#pragma unroll
        for (int i = 0; i < RUNS; i++) {
            const int here = k + (SIDEWAYS ? i * (TENSOR_THREADS / ACROSS) : 0);
            runs[i] = here < count ? __ldg((const uint4 *)from[i]) : make_uint4(0, 0, 0, 0);
            from[i] += count * (advance / TILE_K);
        }
    }

    __device__ __forceinline__ void load()
    {
#pragma unroll
        for (int i = 0; i < RUNS; i++) {
            runs[i] = __ldg((const uint4 *)from[i]);
            from[i] += advance;
        }
    }

    __device__ __forceinline__ void store(word *buffer) const
    {
#pragma unroll
        for (int i = 0; i < RUNS; i++)
            *(uint4 *)(buffer + at + i * (TENSOR_THREADS / ACROSS) * PITCH) = F::convert(runs[i]);
    }

    /* Where the 16 x STEP (or STEP x 16) at (m, k) begins. */
    GEMM_INLINE const word *place(const word *buffer, int m, int step)
    {
        return buffer + (SIDEWAYS ? step * F::STEP * PITCH + m : m * PITCH + step * F::STEP);
    }
};

/* The same for any layout and alignment, element by element, always [m][k]. */
template <class F, int SIZE> struct tensor_operand<F, SIZE, ANY, false> {
    typedef typename F::element element;
    typedef typename F::word word;
    enum {
        TILE_K = TENSOR_TILE_BYTES / sizeof(element),
        SIDEWAYS = 0,
        PITCH = TILE_K + 16 / sizeof(element),
        WORDS = PITCH * SIZE,
        RUNS = SIZE * TILE_K / TENSOR_THREADS,
    };

    const element *from;
    long long column, delta; /* elements from one k to the next, and from one run to the next */
    int first_m, first_k, step_m, step_k;
    int inside; /* runs that lie in the matrix along m */
    element runs[RUNS];

    /* Of RUNS places from `first` on, `step` apart, how many are below `end`. */
    GEMM_INLINE int below(int first, int step, int end)
    {
        return step ? (end - first + step - 1) / step : first < end ? (int)RUNS : 0;
    }

    __device__ __forceinline__ void init(const element *p, int ld, bool along_k, int first,
                                         int extent, int k0)
    {
        const int t = threadIdx.x;
        first_m = along_k ? t / TILE_K : t % SIZE;
        first_k = along_k ? t % TILE_K : t / SIZE;
        step_m = along_k ? TENSOR_THREADS / TILE_K : 0;
        step_k = along_k ? 0 : TENSOR_THREADS / SIZE;
        inside = below(first_m, step_m, extent - first);
        column = along_k ? 1 : ld;
        const long long row = along_k ? ld : 1;
        delta = step_m * row + step_k * column;
        from = p + (k0 + first_k) * column + (first + first_m) * row;
    }

    __device__ __forceinline__ void load_some(int count)
    {
        const element *p = from;
#pragma unroll
        for (int i = 0; i < RUNS; i++, p += delta)
            runs[i] = i < count ? *p : F::zero();
    }

    __device__ __forceinline__ void load_first(int count)
    {
        load_some(min(inside, below(first_k, step_k, count)));
        from += count * column;
    }

    __device__ __forceinline__ void load()
    {
        load_some(inside);
        from += TILE_K * column;
    }

    __device__ __forceinline__ void store(word *buffer) const
    {
#pragma unroll
        for (int i = 0; i < RUNS; i++)
            buffer[(first_m + i * step_m) * PITCH + first_k + i * step_k] = F::convert_one(runs[i]);
    }

    GEMM_INLINE const word *place(const word *buffer, int m, int step)
    {
        return buffer + m * PITCH + step * F::STEP;
    }
};

template <class F, int TM, int TN, int LAYOUT_A, int LAYOUT_B, bool WIDE> struct gemm_tensor {
    typedef typename F::word word;
    typedef typename F::value value;
    typedef typename F::template operand<TM, LAYOUT_A, WIDE> operand_a;
    typedef typename F::template operand<TN, LAYOUT_B, WIDE> operand_b;
    enum {
        M = TM / 2 / TENSOR_SIDE, /* tiles of a warp */
        N = TN / 2 / TENSOR_SIDE,
        TILE_K = operand_a::TILE_K,
        STAGE = operand_a::WORDS + operand_b::WORDS,
        STEPS = TILE_K / F::STEP,
        STRIP = M * TENSOR_SIDE * TENSOR_SIDE, /* sums that a warp puts down at a time */
        BYTES_STAGES = 2 * STAGE * sizeof(word),
        BYTES_STRIPS = 4 * STRIP * sizeof(value),
        BYTES = BYTES_STAGES > BYTES_STRIPS ? BYTES_STAGES : BYTES_STRIPS,
    };
    typedef nvcuda::wmma::row_major rows;
    typedef nvcuda::wmma::col_major columns;
    template <class T, bool IS> struct choose {
        typedef T type;
    };
    template <class T> struct choose<T, false> {
        typedef rows type;
    };
    typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, F::STEP, typename F::factor,
                                   typename choose<columns, operand_a::SIDEWAYS>::type>
        fragment_a;
    typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, F::STEP, typename F::factor,
                                   typename choose<columns, !operand_b::SIDEWAYS>::type>
        fragment_b;
    typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, F::STEP, value> fragment_c;

    GEMM_INLINE void run(const gemm_args &g)
    {
        __shared__ __align__(128) char memory[BYTES];
        word *const shared = (word *)memory;
        const int tile_m = blockIdx.x % g.tiles_m * TM, tile_n = blockIdx.x / g.tiles_m * TN;
        const int batch = blockIdx.z / g.splits, split = blockIdx.z % g.splits;
        const int k0 = split * g.k_split, k = min(g.k - k0, g.k_split);
        const int warp = threadIdx.x / 32;
        const int warp_m = warp % 2 * (TM / 2), warp_n = warp / 2 * (TN / 2);

        operand_a a;
        operand_b b;
        a.init((const typename F::element *)g.a + batch * g.stride_a, g.lda, g.trans & GEMM_TRANS_A,
               tile_m, g.m, k0);
        b.init((const typename F::element *)g.b + batch * g.stride_b, g.ldb,
               !(g.trans & GEMM_TRANS_B), tile_n, g.n, k0);

        fragment_c sums[M][N];
#pragma unroll
        for (int i = 0; i < M; i++)
#pragma unroll
            for (int j = 0; j < N; j++)
                nvcuda::wmma::fill_fragment(sums[i][j], 0);
        multiply(a, b, shared, k, warp_m, warp_n, sums);
        __syncthreads();

        value *const strip = (value *)memory + warp * STRIP;
#pragma unroll
        for (int j = 0; j < N; j++) {
#pragma unroll
            for (int i = 0; i < M; i++)
                nvcuda::wmma::store_matrix_sync(strip + i * TENSOR_SIDE, sums[i][j],
                                                M * TENSOR_SIDE, nvcuda::wmma::mem_col_major);
            __syncwarp();
            finish(g, batch, tile_m + warp_m, tile_n + warp_n + j * TENSOR_SIDE, strip);
            __syncwarp();
        }
    }

    GEMM_INLINE void multiply(operand_a &a, operand_b &b, word *shared, int k, int warp_m,
                              int warp_n, fragment_c (&sums)[M][N])
    {
        const int rest = (k - 1) % TILE_K + 1;
        a.load_first(rest);
        b.load_first(rest);
        int left = (k - rest) / TILE_K;
#pragma unroll 1
        for (;;) {
            tile(a, b, shared, left, warp_m, warp_n, sums);
            if (--left < 0)
                break;
            tile(a, b, shared + STAGE, left, warp_m, warp_n, sums);
            if (--left < 0)
                break;
        }
    }

    /* Puts down the tile that was loaded, loads the next, and adds the products of this one. */
    GEMM_INLINE void tile(operand_a &a, operand_b &b, word *here, int left, int warp_m, int warp_n,
                          fragment_c (&sums)[M][N])
    {
        a.store(here);
        b.store(here + operand_a::WORDS);
        __syncthreads();
        if (left > 0) {
            a.load();
            b.load();
        }
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            fragment_a fa[M];
#pragma unroll
            for (int i = 0; i < M; i++)
                F::load_a(fa[i], operand_a::place(here, warp_m + i * TENSOR_SIDE, s),
                          operand_a::PITCH);
#pragma unroll
            for (int j = 0; j < N; j++) {
                fragment_b fb;
                F::load_b(fb,
                          operand_b::place(here + operand_a::WORDS, warp_n + j * TENSOR_SIDE, s),
                          operand_b::PITCH);
#pragma unroll
                for (int i = 0; i < M; i++)
                    nvcuda::wmma::mma_sync(sums[i][j], fa[i], fb, sums[i][j]);
            }
        }
    }

    /* 16 columns of a warp's rows, which lie in `strip` one column after the other, four rows a
     * lane. */
    GEMM_INLINE void finish(const gemm_args &g, int batch, int row, int column, const value *strip)
    {
        typename F::result *c = (typename F::result *)g.c + batch * g.stride_c;
        value *partial = (value *)g.partial + (long long)blockIdx.z * g.m * g.n;
        const int across = M * TENSOR_SIDE / 4;
#pragma unroll 1
        for (int at = threadIdx.x % 32; at < across * TENSOR_SIDE; at += 32) {
            const int m = row + at % across * 4, n = column + at / across, rows = g.m - m;
            if (n >= g.n || rows <= 0)
                continue;
            const value values[4] = { strip[at * 4], strip[at * 4 + 1], strip[at * 4 + 2],
                                      strip[at * 4 + 3] };
            if (g.splits == 1)
                gemm_finish<F>(g, c + (long long)n * g.ldc + m, rows, values);
            else
                gemm_part(partial + (long long)n * g.m + m, rows, values);
        }
    }
};

#define GEMM_TENSOR(name, tm, tn, a, b, wide)                                                      \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, tm >= 64 ? 2 : 4)                 \
        name(const gemm_args g)                                                                    \
    {                                                                                              \
        gemm_tensor<family, tm, tn, a, b, wide>::run(g);                                           \
    }

#endif
