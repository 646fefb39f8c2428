/* gemm_tc_tf32: C = alpha * op(A) * op(B) + beta * C by tensor instructions: single precision in
 * memory, rounded to tf32 on its way to shared memory, single precision sums; see gemm.h for the
 * arguments and gemm_tensor.h for the work per warp.
 *
 * - 128x128_nn, _nt, _tn, 64x64_nn, _nt, _tn: 4 warps of 64 x 64, of 32 x 32; operands whose
 * contiguous extents, leading dimensions and addresses are multiples of 4 elements
 * - 64x64, 32x32: any layout and alignment; 4 warps of 32 x 32, of 16 x 16
 * - reduce: adds the splits */
#include "gemm_tensor.h"

typedef nvcuda::wmma::precision::tf32 tf32;
TENSOR_LOADS(tf32_loads, tf32, 8, "m16n16k8.shared.tf32")

struct family : tf32_loads, gemm_scaled, gemm_float_result {
    typedef float element, word;
    typedef tf32 factor;
    enum { STEP = 8, PAD_M = 8 };
    template <int SIZE, int LAYOUT, bool WIDE>
    using operand = tensor_operand<family, SIZE, LAYOUT, WIDE>;

    GEMM_INLINE element zero()
    {
        return 0;
    }
    GEMM_INLINE word convert_one(element e)
    {
        return nvcuda::wmma::__float_to_tf32(e);
    }
    GEMM_INLINE unsigned convert_bits(unsigned bits)
    {
        return __float_as_uint(convert_one(__uint_as_float(bits)));
    }
    GEMM_INLINE uint4 convert(uint4 run)
    {
        return make_uint4(convert_bits(run.x), convert_bits(run.y), convert_bits(run.z),
                          convert_bits(run.w));
    }
};

GEMM_TENSOR(gemm_tc_tf32_128x128_nn, 128, 128, ALONG_M, ALONG_K, true)
GEMM_TENSOR(gemm_tc_tf32_128x128_nt, 128, 128, ALONG_M, ALONG_M, true)
GEMM_TENSOR(gemm_tc_tf32_128x128_tn, 128, 128, ALONG_K, ALONG_K, true)
GEMM_TENSOR(gemm_tc_tf32_64x64_nn, 64, 64, ALONG_M, ALONG_K, true)
GEMM_TENSOR(gemm_tc_tf32_64x64_nt, 64, 64, ALONG_M, ALONG_M, true)
GEMM_TENSOR(gemm_tc_tf32_64x64_tn, 64, 64, ALONG_K, ALONG_K, true)
GEMM_TENSOR(gemm_tc_tf32_64x64, 64, 64, ANY, ANY, false)
GEMM_TENSOR(gemm_tc_tf32_32x32, 32, 32, ANY, ANY, false)
GEMM_REDUCE(gemm_tc_tf32_reduce)
