/* gemm_f32: C = alpha * op(A) * op(B) + beta * C in single precision; see gemm.h for the arguments
 * and gemm_simt.h for the work per thread.
 *
 * - 128x128_nn, _nt, _tn: 256 threads of 8 x 8 each; operands whose contiguous extents, leading
 *   dimensions and addresses are multiples of 4 elements
 * - 64x64, 32x32: any layout and alignment; 128 threads of 8 x 4, 64 of 4 x 4
 * - reduce: adds the splits */
#include "gemm_simt.h"

struct family {
    typedef float element, word, sum, result;
    typedef float4 quad;

    static __device__ __forceinline__ quad zero_quad()
    {
        return make_float4(0, 0, 0, 0);
    }
    static __device__ __forceinline__ quad load_wide(const float *p)
    {
        return __ldg((const float4 *)p);
    }
    static __device__ __forceinline__ void load_one(quad &q, int j, const float *p)
    {
        (j == 0 ? q.x : j == 1 ? q.y : j == 2 ? q.z : q.w) = __ldg(p);
    }
    static __device__ __forceinline__ void convert(word (&w)[4], const quad &q)
    {
        w[0] = q.x, w[1] = q.y, w[2] = q.z, w[3] = q.w;
    }
    static __device__ __forceinline__ void load_four(word *w, const word *p)
    {
        const float4 v = *(const float4 *)p;
        w[0] = v.x, w[1] = v.y, w[2] = v.z, w[3] = v.w;
    }
    static __device__ __forceinline__ void store_four(word *p, const word *w)
    {
        *(float4 *)p = make_float4(w[0], w[1], w[2], w[3]);
    }
    static __device__ __forceinline__ sum multiply_add(word a, word b, sum c)
    {
        return __fmaf_rn(a, b, c);
    }

    static __device__ __forceinline__ bool reads_c(const gemm_args &g)
    {
        return g.beta != 0;
    }
    static __device__ __forceinline__ sum scale(const gemm_args &g, sum s)
    {
        return g.alpha * s;
    }
    static __device__ __forceinline__ sum blend(const gemm_args &g, sum s, sum old)
    {
        return __fmaf_rn(g.alpha, s, g.beta * old);
    }
    static __device__ __forceinline__ sum get(const result *c)
    {
        return *c;
    }
    static __device__ __forceinline__ void put(result *c, sum s)
    {
        *c = s;
    }
    static __device__ __forceinline__ void get_four(sum *s, const result *c)
    {
        load_four(s, c);
    }
    static __device__ __forceinline__ void put_four(result *c, const sum *s)
    {
        store_four(c, s);
    }
};

GEMM_SIMT(gemm_f32_128x128_nn, 128, 128, 8, 8, ALONG_M, ALONG_K, true)
GEMM_SIMT(gemm_f32_128x128_nt, 128, 128, 8, 8, ALONG_M, ALONG_M, true)
GEMM_SIMT(gemm_f32_128x128_tn, 128, 128, 8, 8, ALONG_K, ALONG_K, true)
GEMM_SIMT(gemm_f32_64x64, 64, 64, 8, 4, ANY, ANY, false)
GEMM_SIMT(gemm_f32_32x32, 32, 32, 4, 4, ANY, ANY, false)
GEMM_REDUCE(gemm_f32_reduce)
