/* gemm_half2: C = alpha * op(A) * op(B) + beta * C in packed half arithmetic: sums are halves, too;
 * only alpha, beta and the sum of splits are single precision. See gemm.h for the arguments and
 * gemm_simt.h for the work per thread; a register has two neighbours along m.
 *
 * - 128x128_nn, _nt, _tn: 128 threads of 16 x 8 each; operands whose contiguous extents, leading
 *   dimensions and addresses are multiples of 8 elements
 * - 64x64, 32x32: any layout and alignment; 64 threads of 8 x 8, 32 of 4 x 8
 * - reduce: adds the splits */
#include "gemm_float.h"
#include "gemm_half.h"

struct family : gemm_scaled, gemm_half_result {
    typedef half_bits element, word;
    typedef unsigned reg, sum;
    typedef uint4 run;
    enum { WIDTH = 8, GROUP = 8, PACK = 2, K = 1, WARPS = 12, SETS = 2 };
    template <int SIZE, int LAYOUT, bool WIDE>
    using operand = gemm_operand<family, SIZE, LAYOUT, WIDE>;

    GEMM_INLINE run zero_run()
    {
        return make_uint4(0, 0, 0, 0);
    }
    GEMM_INLINE run load_run(const element *p)
    {
        return __ldg((const uint4 *)p);
    }
    GEMM_INLINE void load_one(run &r, int j, const element *p)
    {
        put_half(j < 2 ? r.x : j < 4 ? r.y : j < 6 ? r.z : r.w, j % 2, __ldg(p));
    }
    GEMM_INLINE void convert(word (&w)[8], const run &r)
    {
        split(w[0], w[1], r.x), split(w[2], w[3], r.y);
        split(w[4], w[5], r.z), split(w[6], w[7], r.w);
    }
    GEMM_INLINE void store_run(word *p, const word *w)
    {
        *(uint4 *)p = make_uint4(pair_of(w[0], w[1]), pair_of(w[2], w[3]), pair_of(w[4], w[5]),
                                 pair_of(w[6], w[7]));
    }
    template <int LENGTH> GEMM_INLINE void load_group(reg *regs, const word *p)
    {
        if (LENGTH == 8) {
            const uint4 v = *(const uint4 *)p;
            regs[0] = v.x, regs[1] = v.y, regs[2] = v.z, regs[3] = v.w;
        } else {
            const uint2 v = *(const uint2 *)p;
            regs[0] = v.x, regs[1] = v.y;
        }
    }
    template <int REGS> GEMM_INLINE reg column(const reg (&b)[REGS], int j)
    {
        word low, high;
        split(low, high, b[j / 2]);
        return j % 2 ? pair_of(high, high) : pair_of(low, low);
    }
    GEMM_INLINE sum multiply_add(reg a, reg b, sum c)
    {
        sum d;
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
        return d;
    }
    GEMM_INLINE void unpack_four(value (&v)[4], const sum *sums)
    {
        word w[4];
        split(w[0], w[1], sums[0]), split(w[2], w[3], sums[1]);
#pragma unroll
        for (int i = 0; i < 4; i++)
            v[i] = float_of(w[i]);
    }
};

GEMM_SIMT(gemm_half2_128x128_nn, 128, 128, 16, 8, ALONG_M, ALONG_K, true)
GEMM_SIMT(gemm_half2_128x128_nt, 128, 128, 16, 8, ALONG_M, ALONG_M, true)
GEMM_SIMT(gemm_half2_128x128_tn, 128, 128, 16, 8, ALONG_K, ALONG_K, true)
GEMM_SIMT(gemm_half2_64x64, 64, 64, 8, 8, ANY, ANY, false)
GEMM_SIMT(gemm_half2_32x32, 32, 32, 4, 8, ANY, ANY, false)
GEMM_REDUCE(gemm_half2_reduce)
