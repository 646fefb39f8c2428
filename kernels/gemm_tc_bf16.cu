/* gemm_tc_bf16: C = alpha * op(A) * op(B) + beta * C by tensor instructions: bf16 in memory, single
 * precision sums; see gemm.h for the arguments and gemm_tensor.h for the work per warp.
 *
 * - 128x128_nn, _nt, _tn, 64x64_nn, _nt, _tn: 4 warps of 64 x 64, of 32 x 32; operands whose
 * contiguous extents, leading dimensions and addresses are multiples of 8 elements
 * - 64x64, 32x32: any layout and alignment; 4 warps of 32 x 32, of 16 x 16
 * - reduce: adds the splits */
#include "gemm_tensor.h"

TENSOR_LOADS(bf16_loads, __nv_bfloat16, 16, "m16n16k16.shared.bf16")

struct family : bf16_loads, gemm_scaled {
    typedef __nv_bfloat16 element, word, factor, result;
    enum { STEP = 16, PAD_M = 8 };
    template <int SIZE, int LAYOUT, bool WIDE>
    using operand = tensor_operand<family, SIZE, LAYOUT, WIDE>;

    GEMM_INLINE element zero()
    {
        return __ushort_as_bfloat16(0);
    }
    GEMM_INLINE uint4 convert(uint4 run)
    {
        return run;
    }
    GEMM_INLINE word convert_one(element e)
    {
        return e;
    }
    GEMM_INLINE float get(const result *c)
    {
        return __bfloat162float(*c);
    }
    GEMM_INLINE void put(result *c, float v)
    {
        *c = __float2bfloat16_rn(v);
    }
    GEMM_INLINE void get_four(float (&v)[4], const result *c)
    {
        const uint2 h = *(const uint2 *)c;
        v[0] = __uint_as_float(h.x << 16), v[1] = __uint_as_float(h.x & 0xffff0000);
        v[2] = __uint_as_float(h.y << 16), v[3] = __uint_as_float(h.y & 0xffff0000);
    }
    GEMM_INLINE unsigned bits(float v)
    {
        return __bfloat16_as_ushort(__float2bfloat16_rn(v));
    }
    GEMM_INLINE void put_four(result *c, const float (&v)[4])
    {
        *(uint2 *)c = make_uint2(bits(v[0]) | bits(v[1]) << 16, bits(v[2]) | bits(v[3]) << 16);
    }
};

GEMM_TENSOR(gemm_tc_bf16_128x128_nn, 128, 128, ALONG_M, ALONG_K, true)
GEMM_TENSOR(gemm_tc_bf16_128x128_nt, 128, 128, ALONG_M, ALONG_M, true)
GEMM_TENSOR(gemm_tc_bf16_128x128_tn, 128, 128, ALONG_K, ALONG_K, true)
GEMM_TENSOR(gemm_tc_bf16_64x64_nn, 64, 64, ALONG_M, ALONG_K, true)
GEMM_TENSOR(gemm_tc_bf16_64x64_nt, 64, 64, ALONG_M, ALONG_M, true)
GEMM_TENSOR(gemm_tc_bf16_64x64_tn, 64, 64, ALONG_K, ALONG_K, true)
GEMM_TENSOR(gemm_tc_bf16_64x64, 64, 64, ANY, ANY, false)
GEMM_TENSOR(gemm_tc_bf16_32x32, 32, 32, ANY, ANY, false)
GEMM_REDUCE(gemm_tc_bf16_reduce)
