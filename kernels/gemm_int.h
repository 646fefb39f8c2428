/* Families of bytes with 32-bit integer sums (see gemm_simt.h): C, alpha and beta are integers. */
#ifndef KERNELS_GEMM_INT_H
#define KERNELS_GEMM_INT_H

#include "gemm_finish.h"

struct gemm_int {
    typedef int value, result;

    GEMM_INLINE bool reads_c(const gemm_args &g)
    {
        return g.beta_int != 0;
    }
    GEMM_INLINE value scale(const gemm_args &g, value v)
    {
        return g.alpha_int * v;
    }
    GEMM_INLINE value blend(const gemm_args &g, value v, value old)
    {
        return g.alpha_int * v + g.beta_int * old;
    }
    GEMM_INLINE value get(const result *c)
    {
        return *c;
    }
    GEMM_INLINE void put(result *c, value v)
    {
        *c = v;
    }
    GEMM_INLINE void get_four(value (&v)[4], const result *c)
    {
        const int4 old = *(const int4 *)c;
        v[0] = old.x, v[1] = old.y, v[2] = old.z, v[3] = old.w;
    }
    GEMM_INLINE void put_four(result *c, const value (&v)[4])
    {
        *(int4 *)c = make_int4(v[0], v[1], v[2], v[3]);
    }
};

#endif
