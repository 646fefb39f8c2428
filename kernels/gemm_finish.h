/* How sums become C, for all gemm families: alpha, beta, the edges of C, and splits.
 *
 * F, the family, has the types `result`, as C lies in memory, and `value`, what a sum is; reads_c,
 * scale and blend, which apply alpha and beta; get, put, get_four, put_four, which read and write
 * C. */
#ifndef KERNELS_GEMM_FINISH_H
#define KERNELS_GEMM_FINISH_H

#include "gemm.h"

#define GEMM_INLINE static __device__ __forceinline__

/* How an operand lies: along m (or n) first, along k first, or as args.trans says. */
enum gemm_layout { ALONG_M, ALONG_K, ANY };

template <class F>
GEMM_INLINE void gemm_finish_one(const gemm_args &g, typename F::result *c, typename F::value value)
{
    F::put(c, F::reads_c(g) ? F::blend(g, value, F::get(c)) : F::scale(g, value));
}

/* Four rows of a column of C, of which `rows` are there. */
template <class F>
GEMM_INLINE void gemm_finish(const gemm_args &g, typename F::result *c, int rows,
                             const typename F::value (&values)[4])
{
    typename F::value all[4];
    if (g.wide_c) {
        if (F::reads_c(g))
            F::get_four(all, c);
#pragma unroll
        for (int i = 0; i < 4; i++)
            all[i] = F::reads_c(g) ? F::blend(g, values[i], all[i]) : F::scale(g, values[i]);
        F::put_four(c, all);
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < rows)
            gemm_finish_one<F>(g, c + i, values[i]);
}

/* Four rows of a column of one split. */
template <class V> GEMM_INLINE void gemm_part(V *partial, int rows, const V (&values)[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < rows)
            partial[i] = values[i];
}

/* Adds the splits of a product in order, so that the same call gives the same bits; blockIdx.z is
 * the matrix of the batch. */
template <class F> GEMM_INLINE void gemm_reduce(const gemm_args &g)
{
    const long long size = (long long)g.m * g.n, step = (long long)gridDim.x * blockDim.x;
    const typename F::value *partial =
        (const typename F::value *)g.partial + blockIdx.z * size * g.splits;
    typename F::result *c = (typename F::result *)g.c + blockIdx.z * g.stride_c;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < size; at += step) {
        typename F::value sum = partial[at];
        for (int s = 1; s < g.splits; s++)
            sum += partial[at + s * size];
        gemm_finish_one<F>(g, c + at / g.m * g.ldc + at % g.m, sum);
    }
}

/* alpha and beta in fp32. */
struct gemm_scaled {
    typedef float value;

    GEMM_INLINE bool reads_c(const gemm_args &g)
    {
        return g.beta != 0;
    }
    GEMM_INLINE value scale(const gemm_args &g, value v)
    {
        return g.alpha * v;
    }
    GEMM_INLINE value blend(const gemm_args &g, value v, value old)
    {
        return __fmaf_rn(g.alpha, v, g.beta * old);
    }
};

/* C in fp32. */
struct gemm_float_result {
    typedef float result;

    GEMM_INLINE float get(const result *c)
    {
        return *c;
    }
    GEMM_INLINE void put(result *c, float v)
    {
        *c = v;
    }
    GEMM_INLINE void get_four(float (&v)[4], const result *c)
    {
        const float4 old = *(const float4 *)c;
        v[0] = old.x, v[1] = old.y, v[2] = old.z, v[3] = old.w;
    }
    GEMM_INLINE void put_four(result *c, const float (&v)[4])
    {
        *(float4 *)c = make_float4(v[0], v[1], v[2], v[3]);
    }
};

#define GEMM_REDUCE(name)                                                                          \
    extern "C" __global__ void name(const gemm_args g)                                             \
    {                                                                                              \
        gemm_reduce<family>(g);                                                                    \
    }

#endif
