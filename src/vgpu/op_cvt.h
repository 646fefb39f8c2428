/* The conversions that compilers emit most. All others go through op_convert(). */

LANE_OP1(cvt_u32_u64, u32, u64, x)
LANE_OP1(cvt_u64_u32, u64, u32, x)
LANE_OP1(cvt_s64_s32, u64, s32, (int64_t)x)
LANE_OP1(cvt_u32_u16, u32, u16, x)
LANE_OP1(cvt_s32_s16, u32, s16, (int32_t)x)
LANE_OP1(cvt_u16_u32, u16, u32, x)
LANE_OP1(cvt_u64_u16, u64, u16, x)
LANE_OP1(cvt_f32_s32, f32, s32, (float)x)
LANE_OP1(cvt_f32_u32, f32, u32, (float)x)
LANE_OP1(cvt_f64_s32, f64, s32, (double)x)
LANE_OP1(cvt_f64_f32, f64, f32, (double)x)
LANE_OP1(cvt_f32_f16, f32, u16, canon_f32(float_of_half(x)))
LANE_OP1(cvt_f16_f32, u16, f32, half_of_float(x))
LANE_OP1(cvt_f32_bf16, f32, u16, canon_f32(float_of_bf16(x)))
LANE_OP1(cvt_bf16_f32, u16, f32, bf16_of_float(x))
LANE_OP1(cvt_f32_f64, f32, f64, canon_f32((float)x))
/* d = {a, b}: a is the upper half */
LANE_OP2(cvt_f16x2_f32, u32, f32, f32, halves(half_of_float(y), half_of_float(x)))
LANE_OP2(cvt_bf16x2_f32, u32, f32, f32, halves(bf16_of_float(y), bf16_of_float(x)))

/* Toward zero, clamped, NaN to 0. */
static inline int32_t int_of_f32(float x)
{
    bool inside = x >= -0x1p31f && x < 0x1p31f;
    int32_t v = (int32_t)(inside ? x : 0.0f);
    v = x >= 0x1p31f ? INT32_MAX : v;
    return x < -0x1p31f ? INT32_MIN : v;
}

LANE_OP1(cvt_rzi_s32_f32, s32, f32, int_of_f32(x))
