/* gemm_dp4a: C = alpha * op(A) * op(B) + beta * C, signed bytes in memory, 32-bit integers as sums,
 * C, alpha and beta; see gemm.h for the arguments and gemm_simt.h for the work per thread. A word
 * in shared memory is four bytes along k.
 *
 * - 128x128_nn, _nt, _tn: 256 threads of 8 x 8 each; operands whose contiguous extents, leading
 *   dimensions and addresses are multiples of 16 elements
 * - 64x64, 32x32: any layout and alignment; 128 threads of 8 x 4, 64 of 4 x 4
 * - reduce: adds the splits */
#include "gemm_int.h"
#include "gemm_simt.h"

/* One operand, as gemm_operand has it: each thread stages 4 words. Where bytes are neighbours along
 * k these are 16 of them; else 4 along m in each of 4 columns, whose bytes change places. */
template <int SIZE, int LAYOUT, bool WIDE> struct byte_operand {
    enum { PITCH = LAYOUT == ALONG_M ? SIZE : SIZE + 4, WORDS = PITCH * GEMM_TK };

    const signed char *from;
    int column; /* bytes from one k to the next */
    int at, k;
    unsigned run[4];

    __device__ __forceinline__ void init(const signed char *p, int ld, bool, int first, int extent,
                                         int k0)
    {
        const int t = threadIdx.x;
        const bool along_k = LAYOUT == ALONG_K;
        const int m = along_k ? t / 2 : t % (SIZE / 4) * 4;
        const int word = along_k ? t % 2 * 4 : t / (SIZE / 4);
        const int inside = min(first + m, extent - (along_k ? 1 : 4));
        at = word * PITCH + m;
        k = word * 4;
        column = along_k ? 1 : ld;
        from = p + (long long)(k0 + k) * column + (long long)inside * (along_k ? ld : 1);
    }

    __device__ __forceinline__ void load_first(int count)
    {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int step = LAYOUT == ALONG_K ? 4 * j : j;
            run[j] =
                k + step < count ? __ldg((const unsigned *)(from + (long long)step * column)) : 0;
        }
        from += (long long)count * column;
    }

    __device__ __forceinline__ void load()
    {
        if (LAYOUT == ALONG_K) {
            const uint4 v = __ldg((const uint4 *)from);
            run[0] = v.x, run[1] = v.y, run[2] = v.z, run[3] = v.w;
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++)
                run[j] = __ldg((const unsigned *)(from + (long long)j * column));
        }
        from += 4LL * GEMM_TK * column;
    }

    __device__ __forceinline__ void store(int *buffer) const
    {
        if (LAYOUT == ALONG_M) {
            const unsigned low0 = __byte_perm(run[0], run[1], 0x5140);
            const unsigned low1 = __byte_perm(run[2], run[3], 0x5140);
            const unsigned high0 = __byte_perm(run[0], run[1], 0x7362);
            const unsigned high1 = __byte_perm(run[2], run[3], 0x7362);
            *(int4 *)(buffer + at) =
                make_int4(__byte_perm(low0, low1, 0x5410), __byte_perm(low0, low1, 0x7632),
                          __byte_perm(high0, high1, 0x5410), __byte_perm(high0, high1, 0x7632));
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++)
                buffer[at + j * PITCH] = run[j];
        }
    }
};

/* The same for any layout and alignment, byte by byte: 4 words for 4 neighbours along m. */
template <int SIZE> struct byte_operand<SIZE, ANY, false> {
    enum { PITCH = SIZE + 4, WORDS = PITCH * GEMM_TK };

    const signed char *from;
    long long column, row; /* bytes from one k to the next, and from one m */
    int at, k, valid;
    unsigned run[4];

    __device__ __forceinline__ void init(const signed char *p, int ld, bool along_k, int first,
                                         int extent, int k0)
    {
        const int m = threadIdx.x % (SIZE / 4) * 4, word = threadIdx.x / (SIZE / 4);
        at = word * PITCH + m;
        k = word * 4;
        valid = extent - first - m;
        column = along_k ? 1 : ld;
        row = along_k ? ld : 1;
        from = p + (k0 + k) * column + (first + m) * row;
    }

    __device__ __forceinline__ void load_first(int count)
    {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            run[j] = 0;
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (j < valid && k + i < count)
                    run[j] |= (unsigned)(unsigned char)__ldg(from + j * row + i * column) << 8 * i;
        }
        from += count * column;
    }

    __device__ __forceinline__ void load()
    {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (j >= valid)
                continue;
            const signed char *p = from + j * row;
            run[j] = (unsigned)(unsigned char)__ldg(p);
#pragma unroll
            for (int i = 1; i < 4; i++)
                run[j] |= (unsigned)(unsigned char)__ldg(p + i * column) << 8 * i;
        }
        from += 4 * GEMM_TK * column;
    }

    __device__ __forceinline__ void store(int *buffer) const
    {
        *(int4 *)(buffer + at) = make_int4(run[0], run[1], run[2], run[3]);
    }
};

/* 6.2 has no such instruction: four multiply-adds and the bytes taken apart need the registers. */
#if __CUDA_ARCH__ == 620
enum { FRAGMENT_SETS = 1 };
#else
enum { FRAGMENT_SETS = 2 };
#endif

struct family : gemm_int {
    typedef signed char element;
    typedef int word, reg, sum;
    enum { GROUP = 4, PACK = 1, K = 4, WARPS = 16, SETS = FRAGMENT_SETS };
    template <int SIZE, int LAYOUT, bool WIDE> using operand = byte_operand<SIZE, LAYOUT, WIDE>;

    template <int LENGTH> GEMM_INLINE void load_group(reg *regs, const word *p)
    {
        const int4 v = *(const int4 *)p;
        regs[0] = v.x, regs[1] = v.y, regs[2] = v.z, regs[3] = v.w;
    }
    template <int REGS> GEMM_INLINE reg column(const reg (&b)[REGS], int j)
    {
        return b[j];
    }
    GEMM_INLINE sum multiply_add(reg a, reg b, sum c)
    {
        return __dp4a(a, b, c);
    }
    GEMM_INLINE void unpack_four(value (&v)[4], const sum *sums)
    {
        v[0] = sums[0], v[1] = sums[1], v[2] = sums[2], v[3] = sums[3];
    }
};

GEMM_SIMT(gemm_dp4a_128x128_nn, 128, 128, 8, 8, ALONG_M, ALONG_K, true)
GEMM_SIMT(gemm_dp4a_128x128_nt, 128, 128, 8, 8, ALONG_M, ALONG_M, true)
GEMM_SIMT(gemm_dp4a_128x128_tn, 128, 128, 8, 8, ALONG_K, ALONG_K, true)
GEMM_SIMT(gemm_dp4a_64x64, 64, 64, 8, 4, ANY, ANY, false)
GEMM_SIMT(gemm_dp4a_32x32, 32, 32, 4, 4, ANY, ANY, false)
GEMM_REDUCE(gemm_dp4a_reduce)
