/* What families with fp32 arithmetic on the ordinary cores have in common (see gemm_simt.h). */
#ifndef KERNELS_GEMM_FLOAT_H
#define KERNELS_GEMM_FLOAT_H

#include "gemm_simt.h"

struct gemm_float : gemm_scaled {
    typedef float word, reg, sum;
    enum { WIDTH = 4, GROUP = 4, PACK = 1, K = 1, WARPS = 16, SETS = 2 };

    template <int LENGTH> GEMM_INLINE void load_group(reg *regs, const word *p)
    {
        const float4 v = *(const float4 *)p;
        regs[0] = v.x, regs[1] = v.y, regs[2] = v.z, regs[3] = v.w;
    }
    GEMM_INLINE void store_run(word *p, const word *w)
    {
        *(float4 *)p = make_float4(w[0], w[1], w[2], w[3]);
    }
    template <int REGS> GEMM_INLINE reg column(const reg (&b)[REGS], int j)
    {
        return b[j];
    }
    GEMM_INLINE sum multiply_add(reg a, reg b, sum c)
    {
        return __fmaf_rn(a, b, c);
    }
    GEMM_INLINE void unpack_four(value (&v)[4], const sum *sums)
    {
        v[0] = sums[0], v[1] = sums[1], v[2] = sums[2], v[3] = sums[3];
    }
};

#endif
