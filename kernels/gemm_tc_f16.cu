/* gemm_tc_f16: C = alpha * op(A) * op(B) + beta * C by tensor instructions: halves in memory,
 * single precision sums; see gemm.h for the arguments and gemm_tensor.h for the work per warp.
 *
 * - 128x128_nn, _nt, _tn, 64x64_nn, _nt, _tn: 4 warps of 64 x 64, of 32 x 32; operands whose
 * contiguous extents, leading dimensions and addresses are multiples of 8 elements
 * - 64x64, 32x32: any layout and alignment; 4 warps of 32 x 32, of 16 x 16
 * - reduce: adds the splits */
#include "gemm_half.h"
#include "gemm_tensor.h"

struct family : tensor_loads, gemm_scaled, gemm_half_result {
    typedef half element, word, factor;
    enum { STEP = 16, PAD_M = 8 };
    template <int SIZE, int LAYOUT, bool WIDE>
    using operand = tensor_operand<family, SIZE, LAYOUT, WIDE>;

    GEMM_INLINE element zero()
    {
        return __ushort_as_half(0);
    }
    GEMM_INLINE uint4 convert(uint4 run)
    {
        return run;
    }
    GEMM_INLINE word convert_one(element e)
    {
        return e;
    }
};

GEMM_TENSOR(gemm_tc_f16_128x128_nn, 128, 128, ALONG_M, ALONG_K, true)
GEMM_TENSOR(gemm_tc_f16_128x128_nt, 128, 128, ALONG_M, ALONG_M, true)
GEMM_TENSOR(gemm_tc_f16_128x128_tn, 128, 128, ALONG_K, ALONG_K, true)
GEMM_TENSOR(gemm_tc_f16_64x64_nn, 64, 64, ALONG_M, ALONG_K, true)
GEMM_TENSOR(gemm_tc_f16_64x64_nt, 64, 64, ALONG_M, ALONG_M, true)
GEMM_TENSOR(gemm_tc_f16_64x64_tn, 64, 64, ALONG_K, ALONG_K, true)
GEMM_TENSOR(gemm_tc_f16_64x64, 64, 64, ANY, ANY, false)
GEMM_TENSOR(gemm_tc_f16_32x32, 32, 32, ANY, ANY, false)
GEMM_REDUCE(gemm_tc_f16_reduce)
