/* Integer arithmetic and logic. Results that PTX leaves open (division by zero) are what the
 * hardware's division routine gives: an all-ones quotient and the dividend as remainder. */

#define ALL_INT(F) F(u16) F(s16) F(u32) F(s32) F(u64) F(s64)

LANE_OP2(add_u16, u16, u16, u16, x + y)
LANE_OP2(add_u32, u32, u32, u32, x + y)
LANE_OP2(add_u64, u64, u64, u64, x + y)
LANE_OP2(sub_u16, u16, u16, u16, x - y)
LANE_OP2(sub_u32, u32, u32, u32, x - y)
LANE_OP2(sub_u64, u64, u64, u64, x - y)

static inline int32_t clamp_s32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

LANE_OP2(add_sat_s32, s32, s32, s32, clamp_s32((int64_t)x + y))
LANE_OP2(sub_sat_s32, s32, s32, s32, clamp_s32((int64_t)x - y))

/* Two 16-bit halves. */
static inline uint32_t halves(uint32_t lo, uint32_t hi)
{
    return (lo & 0xffff) | hi << 16;
}

#define LO16(x) ((x)&0xffff)
#define HI16(x) ((x) >> 16)

LANE_OP2(add_u16x2, u32, u32, u32, halves(x + y, HI16(x) + HI16(y)))

LANE_OP2(mul_lo_u16, u16, u16, u16, (uint32_t)x *y)
LANE_OP2(mul_lo_u32, u32, u32, u32, x *y)
LANE_OP2(mul_lo_u64, u64, u64, u64, x *y)
LANE_OP2(mul_hi_u16, u16, u16, u16, (uint32_t)x *y >> 16)
LANE_OP2(mul_hi_s16, s16, s16, s16, ((int32_t)x * y) >> 16)
LANE_OP2(mul_hi_u32, u32, u32, u32, (uint64_t)x *y >> 32)
LANE_OP2(mul_hi_s32, s32, s32, s32, ((int64_t)x * y) >> 32)
LANE_OP2(mul_hi_u64, u64, u64, u64, (wide_u)x *y >> 64)
LANE_OP2(mul_hi_s64, s64, s64, s64, ((wide_s)x * y) >> 64)
LANE_OP2(mul_wide_u16, u32, u16, u16, (uint32_t)x *y)
LANE_OP2(mul_wide_s16, s32, s16, s16, (int32_t)x *y)
LANE_OP2(mul_wide_u32, u64, u32, u32, (uint64_t)x *y)
LANE_OP2(mul_wide_s32, s64, s32, s32, (int64_t)x *y)

LANE_OP3(mad_lo_u16, u16, u16, u16, u16, (uint32_t)x *y + z)
LANE_OP3(mad_lo_u32, u32, u32, u32, u32, x *y + z)
LANE_OP3(mad_lo_u64, u64, u64, u64, u64, x *y + z)
LANE_OP3(mad_hi_u16, u16, u16, u16, u16, ((uint32_t)x * y >> 16) + z)
LANE_OP3(mad_hi_s16, s16, s16, s16, s16, (((int32_t)x * y) >> 16) + z)
LANE_OP3(mad_hi_u32, u32, u32, u32, u32, ((uint64_t)x * y >> 32) + z)
LANE_OP3(mad_hi_s32, s32, s32, s32, s32, (uint32_t)(((int64_t)x * y) >> 32) + (uint32_t)z)
LANE_OP3(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32((((int64_t)x * y) >> 32) + z))
LANE_OP3(mad_hi_u64, u64, u64, u64, u64, (uint64_t)((wide_u)x *y >> 64) + z)
LANE_OP3(mad_hi_s64, s64, s64, s64, s64, (uint64_t)(((wide_s)x * y) >> 64) + (uint64_t)z)
LANE_OP3(mad_wide_u16, u32, u16, u16, u32, (uint32_t)x *y + z)
LANE_OP3(mad_wide_s16, s32, s16, s16, s32, (uint32_t)((int32_t)x *y) + (uint32_t)z)
LANE_OP3(mad_wide_u32, u64, u32, u32, u64, (uint64_t)x *y + z)
LANE_OP3(mad_wide_s32, s64, s32, s32, s64, (uint64_t)((int64_t)x *y) + (uint64_t)z)

static inline uint64_t mul24_u(uint32_t x, uint32_t y)
{
    return (uint64_t)(x & 0xffffff) * (y & 0xffffff);
}

static inline int64_t mul24_s(uint32_t x, uint32_t y)
{
    return (int64_t)((int32_t)(x << 8) >> 8) * ((int32_t)(y << 8) >> 8);
}

LANE_OP2(mul24_lo_u32, u32, u32, u32, mul24_u(x, y))
LANE_OP2(mul24_lo_s32, u32, u32, u32, (uint64_t)mul24_s(x, y))
LANE_OP2(mul24_hi_u32, u32, u32, u32, mul24_u(x, y) >> 16)
LANE_OP2(mul24_hi_s32, u32, u32, u32, (uint64_t)(mul24_s(x, y) >> 16))
LANE_OP3(mad24_lo_u32, u32, u32, u32, u32, (uint32_t)mul24_u(x, y) + z)
LANE_OP3(mad24_lo_s32, u32, u32, u32, u32, (uint32_t)mul24_s(x, y) + z)
LANE_OP3(mad24_hi_u32, u32, u32, u32, u32, (uint32_t)(mul24_u(x, y) >> 16) + z)
LANE_OP3(mad24_hi_s32, u32, u32, u32, u32, (uint32_t)(mul24_s(x, y) >> 16) + z)
LANE_OP3(mad24_hi_sat_s32, s32, u32, u32, s32, clamp_s32((mul24_s(x, y) >> 16) + z))

LANE_OP3(sad_u16, u16, u16, u16, u16, z + (x < y ? y - x : x - y))
LANE_OP3(sad_s16, s16, s16, s16, s16, z + (x < y ? y - x : x - y))
LANE_OP3(sad_u32, u32, u32, u32, u32, z + (x < y ? y - x : x - y))
LANE_OP3(sad_s32, s32, s32, s32, u32,
         z + (x < y ? (uint32_t)y - (uint32_t)x : (uint32_t)x - (uint32_t)y))
LANE_OP3(sad_u64, u64, u64, u64, u64, z + (x < y ? y - x : x - y))
LANE_OP3(sad_s64, s64, s64, s64, u64,
         z + (x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y))

/* The smallest value divided by -1 wraps to itself. */
#define DIV_U(T)                                                                                   \
    LANE_OP2(div_##T, T, T, T, y ? x / y : (V_##T) - 1)                                            \
    LANE_OP2(rem_##T, T, T, T, y ? x % y : x)
#define DIV_S(T, U)                                                                                \
    LANE_OP2(div_##T, T, T, T, y == 0 ? (V_##T) - 1 : y == -1 ? (V_##T)(0 - (V_##U)x) : x / y)     \
    LANE_OP2(rem_##T, T, T, T, y == 0 ? x : y == -1 ? 0 : x % y)
DIV_U(u16)
DIV_U(u32)
DIV_U(u64)
DIV_S(s16, u16)
DIV_S(s32, u32)
DIV_S(s64, u64)

#define MINMAX(T)                                                                                  \
    LANE_OP2(min_##T, T, T, T, x < y ? x : y)                                                      \
    LANE_OP2(max_##T, T, T, T, x > y ? x : y)
ALL_INT(MINMAX)

LANE_OP2(min_relu_s32, s32, s32, s32, x < 0 || y < 0 ? 0 : x < y ? x : y)
LANE_OP2(max_relu_s32, s32, s32, s32, x < 0 && y < 0 ? 0 : x > y ? x : y)
LANE_OP2(min_u16x2, u32, u32, u32,
         halves(LO16(x) < LO16(y) ? x : y, HI16(x) < HI16(y) ? HI16(x) : HI16(y)))
LANE_OP2(max_u16x2, u32, u32, u32,
         halves(LO16(x) > LO16(y) ? x : y, HI16(x) > HI16(y) ? HI16(x) : HI16(y)))

static inline int32_t min_of(int32_t x, int32_t y)
{
    return x < y ? x : y;
}

static inline int32_t max_of(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

/* .relu: negative results become 0 */
static inline uint32_t minmax_s16x2(uint32_t x, uint32_t y, bool max, bool relu)
{
    int32_t xl = (int16_t)x, yl = (int16_t)y, xh = (int16_t)(x >> 16), yh = (int16_t)(y >> 16);
    int32_t lo = max ? max_of(xl, yl) : min_of(xl, yl);
    int32_t hi = max ? max_of(xh, yh) : min_of(xh, yh);
    lo = relu ? max_of(lo, 0) : lo;
    hi = relu ? max_of(hi, 0) : hi;
    return halves((uint32_t)lo, (uint32_t)hi);
}

LANE_OP2(min_s16x2, u32, u32, u32, minmax_s16x2(x, y, false, in->mods &MOD_RELU))
LANE_OP2(max_s16x2, u32, u32, u32, minmax_s16x2(x, y, true, in->mods &MOD_RELU))

LANE_OP1(abs_s16, s16, s16, x < 0 ? 0 - x : x)
LANE_OP1(abs_s32, u32, s32, x < 0 ? 0 - (uint32_t)x : (uint32_t)x)
LANE_OP1(abs_s64, u64, s64, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
LANE_OP1(neg_s16, u16, u16, 0 - (uint32_t)x)
LANE_OP1(neg_s32, u32, u32, 0 - x)
LANE_OP1(neg_s64, u64, u64, 0 - x)

LANE_OP2(and_b32, u32, u32, u32, x &y)
LANE_OP2(and_b64, u64, u64, u64, x &y)
LANE_OP2(or_b32, u32, u32, u32, x | y)
LANE_OP2(or_b64, u64, u64, u64, x | y)
LANE_OP2(xor_b32, u32, u32, u32, x ^ y)
LANE_OP2(xor_b64, u64, u64, u64, x ^ y)
LANE_OP1(not_b16, u16, u16, ~(uint32_t)x)
LANE_OP1(not_b32, u32, u32, ~x)
LANE_OP1(not_b64, u64, u64, ~x)
LANE_OP1(cnot_b16, u16, u16, x == 0)
LANE_OP1(cnot_b32, u32, u32, x == 0)
LANE_OP1(cnot_b64, u64, u64, x == 0)

/* Amounts above the width act like the width. */
LANE_OP2(shl_b16, u16, u16, u32, y > 15 ? 0 : (uint32_t)x << (y & 15))
LANE_OP2(shl_b32, u32, u32, u32, y > 31 ? 0 : x << (y & 31))
LANE_OP2(shl_b64, u64, u64, u32, y > 63 ? 0 : x << (y & 63))
LANE_OP2(shr_u16, u16, u16, u32, y > 15 ? 0 : (uint32_t)x >> (y & 15))
LANE_OP2(shr_u32, u32, u32, u32, y > 31 ? 0 : x >> (y & 31))
LANE_OP2(shr_u64, u64, u64, u32, y > 63 ? 0 : x >> (y & 63))
LANE_OP2(shr_s16, s16, s16, u32, x >> (y > 15 ? 15 : y))
LANE_OP2(shr_s32, s32, s32, u32, x >> (y > 31 ? 31 : y))
LANE_OP2(shr_s64, s64, s64, u32, x >> (y > 63 ? 63 : y))

/* The high or low word of b:a shifted by c. */
static inline uint32_t funnel(uint32_t lo, uint32_t hi, uint32_t n, bool left)
{
    uint64_t both = (uint64_t)hi << 32 | lo;
    return left ? (uint32_t)(both << n >> 32) : (uint32_t)(both >> n);
}

LANE_OP3(shf_l_clamp, u32, u32, u32, u32, z > 31 ? x : funnel(x, y, z & 31, true))
LANE_OP3(shf_r_clamp, u32, u32, u32, u32, z > 31 ? y : funnel(x, y, z & 31, false))
LANE_OP3(shf_l_wrap, u32, u32, u32, u32, funnel(x, y, z & 31, true))
LANE_OP3(shf_r_wrap, u32, u32, u32, u32, funnel(x, y, z & 31, false))
