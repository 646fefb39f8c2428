/* gemm_f32: C = alpha * op(A) * op(B) + beta * C in single precision; see gemm.h for the arguments
 * and gemm_simt.h for the work per thread.
 *
 * - 128x128_nn, _nt, _tn: 256 threads of 8 x 8 each; operands whose contiguous extents, leading
 *   dimensions and addresses are multiples of 4 elements
 * - 64x64_aligned: the same in any layout, 128 threads of 8 x 4
 * - 64x64, 32x32: any layout and alignment; 128 threads of 8 x 4, 64 of 4 x 4
 * - reduce: adds the splits */
#include "gemm_float.h"

struct family : gemm_float, gemm_float_result {
    typedef float element;
    typedef float4 run;
    template <int SIZE, int LAYOUT, bool WIDE>
    using operand = gemm_operand<family, SIZE, LAYOUT, WIDE>;

    GEMM_INLINE run zero_run()
    {
        return make_float4(0, 0, 0, 0);
    }
    GEMM_INLINE run load_run(const element *p)
    {
        return __ldg((const float4 *)p);
    }
    GEMM_INLINE void load_one(run &r, int j, const element *p)
    {
        (j == 0 ? r.x : j == 1 ? r.y : j == 2 ? r.z : r.w) = __ldg(p);
    }
    GEMM_INLINE void convert(word (&w)[4], const run &r)
    {
        w[0] = r.x, w[1] = r.y, w[2] = r.z, w[3] = r.w;
    }
};

GEMM_SIMT(gemm_f32_128x128_nn, 128, 128, 8, 8, ALONG_M, ALONG_K, true)
GEMM_SIMT(gemm_f32_128x128_nt, 128, 128, 8, 8, ALONG_M, ALONG_M, true)
GEMM_SIMT(gemm_f32_128x128_tn, 128, 128, 8, 8, ALONG_K, ALONG_K, true)
GEMM_SIMT(gemm_f32_64x64_aligned, 64, 64, 8, 4, ANY, ANY, true)
GEMM_SIMT(gemm_f32_64x64, 64, 64, 8, 4, ANY, ANY, false)
GEMM_SIMT(gemm_f32_32x32, 32, 32, 4, 4, ANY, ANY, false)
GEMM_REDUCE(gemm_f32_reduce)
