/* f16 and bf16, alone and in pairs. Each operation rounds once:
 * - sums and products of two halves are formed in float, which has at least 2p + 2 bits, so that
 *   rounding again to p bits gives the correctly rounded result; bf16 products may fall below
 *   float's normal range and are formed in double;
 * - a fused multiply-add is formed in double and goes to half by way of a float rounded to odd. The
 *   product is exact there; for f16 so is the sum wherever it may be near a tie (such a sum spans
 *   at most 41 bits), for bf16 the sum is rounded to odd as well. */

static inline float flush_half(float x, bool ftz)
{
    return ftz && fabsf(x) < 0x1p-14f ? f32_of_bits(bits_of_f32(x) & 0x80000000) : x;
}

static inline uint32_t finish_half(float r, unsigned mods)
{
    if (mods & MOD_SAT)
        r = sat_f32(r);
    if (mods & MOD_RELU)
        r = r != r ? r : r > 0.0f ? r : 0.0f;
    uint32_t h = half_of_float(r);
    bool tiny = (h & 0x7c00) == 0;
    return mods & MOD_FTZ && tiny ? h & 0x8000 : h;
}

static inline uint32_t finish_bf16(float r, unsigned mods)
{
    if (mods & MOD_SAT)
        r = sat_f32(r);
    if (mods & MOD_RELU)
        r = r != r ? r : r > 0.0f ? r : 0.0f;
    return bf16_of_float(r);
}

static inline uint32_t half_add(uint32_t x, uint32_t y, unsigned m)
{
    bool z = m & MOD_FTZ;
    return finish_half(flush_half(float_of_half(x), z) + flush_half(float_of_half(y), z), m);
}

static inline uint32_t half_sub(uint32_t x, uint32_t y, unsigned m)
{
    return half_add(x, y ^ 0x8000, m);
}

static inline uint32_t half_mul(uint32_t x, uint32_t y, unsigned m)
{
    bool z = m & MOD_FTZ;
    return finish_half(flush_half(float_of_half(x), z) * flush_half(float_of_half(y), z), m);
}

static inline uint32_t half_fma(uint32_t x, uint32_t y, uint32_t c, unsigned m)
{
    bool z = m & MOD_FTZ;
    double p = (double)flush_half(float_of_half(x), z) * flush_half(float_of_half(y), z);
    return finish_half(odd_float(p + flush_half(float_of_half(c), z)), m);
}

static inline uint32_t bf16_add(uint32_t x, uint32_t y, unsigned m)
{
    return finish_bf16(float_of_bf16(x) + float_of_bf16(y), m);
}

static inline uint32_t bf16_sub(uint32_t x, uint32_t y, unsigned m)
{
    return finish_bf16(float_of_bf16(x) - float_of_bf16(y), m);
}

static inline uint32_t bf16_mul(uint32_t x, uint32_t y, unsigned m)
{
    return finish_bf16(odd_float((double)float_of_bf16(x) * float_of_bf16(y)), m);
}

/* The sum x + y with its last bit set if it is inexact: a product of two bf16 may be a tie, and a
 * third operand far below it decides. */
static inline double odd_sum(double x, double y)
{
    double s = x + y, t = s - x;
    double lost = (x - (s - t)) + (y - t);
    uint64_t u = bits_of_f64(s);
    bool nudge = s - s == 0.0 && lost != 0.0 && !(u & 1);
    uint64_t step = (lost > 0.0) == (s > 0.0) ? 1 : UINT64_MAX;
    return f64_of_bits(nudge ? u + step : u);
}

static inline uint32_t bf16_fma(uint32_t x, uint32_t y, uint32_t c, unsigned m)
{
    double product = (double)float_of_bf16(x) * float_of_bf16(y);
    return finish_bf16(odd_float(odd_sum(product, float_of_bf16(c))), m);
}

static inline uint32_t half_min(uint32_t x, uint32_t y, unsigned m)
{
    bool z = m & MOD_FTZ;
    float r =
        minmax_f32(flush_half(float_of_half(x), z), flush_half(float_of_half(y), z), false, m);
    return half_of_float(r);
}

static inline uint32_t half_max(uint32_t x, uint32_t y, unsigned m)
{
    bool z = m & MOD_FTZ;
    float r = minmax_f32(flush_half(float_of_half(x), z), flush_half(float_of_half(y), z), true, m);
    return half_of_float(r);
}

static inline uint32_t bf16_min(uint32_t x, uint32_t y, unsigned m)
{
    return bf16_of_float(minmax_f32(float_of_bf16(x), float_of_bf16(y), false, m));
}

static inline uint32_t bf16_max(uint32_t x, uint32_t y, unsigned m)
{
    return bf16_of_float(minmax_f32(float_of_bf16(x), float_of_bf16(y), true, m));
}

#define HALF_OP2(op)                                                                               \
    LANE_OP2(op##_f16, u16, u16, u16, half_##op(x, y, in->mods))                                   \
    LANE_OP2(op##_f16x2, u32, u32, u32,                                                            \
             halves(half_##op(LO16(x), LO16(y), in->mods), half_##op(HI16(x), HI16(y), in->mods))) \
    LANE_OP2(op##_bf16, u16, u16, u16, bf16_##op(x, y, in->mods))                                  \
    LANE_OP2(op##_bf16x2, u32, u32, u32,                                                           \
             halves(bf16_##op(LO16(x), LO16(y), in->mods), bf16_##op(HI16(x), HI16(y), in->mods)))
HALF_OP2(add)
HALF_OP2(sub)
HALF_OP2(mul)
HALF_OP2(min)
HALF_OP2(max)

LANE_OP3(fma_f16, u16, u16, u16, u16, half_fma(x, y, z, in->mods))
LANE_OP3(fma_f16x2, u32, u32, u32, u32,
         halves(half_fma(LO16(x), LO16(y), LO16(z), in->mods),
                half_fma(HI16(x), HI16(y), HI16(z), in->mods)))
LANE_OP3(fma_bf16, u16, u16, u16, u16, bf16_fma(x, y, z, in->mods))
LANE_OP3(fma_bf16x2, u32, u32, u32, u32,
         halves(bf16_fma(LO16(x), LO16(y), LO16(z), in->mods),
                bf16_fma(HI16(x), HI16(y), HI16(z), in->mods)))

static inline uint32_t flush_half_bits(uint32_t h, unsigned m)
{
    return m & MOD_FTZ && (h & 0x7c00) == 0 ? h & 0x8000 : h;
}

LANE_OP1(abs_f16, u16, u16, flush_half_bits(x, in->mods) & 0x7fff)
LANE_OP1(abs_f16x2, u32, u32,
         halves(flush_half_bits(LO16(x), in->mods), flush_half_bits(HI16(x), in->mods)) &
             0x7fff7fff)
LANE_OP1(neg_f16, u16, u16, flush_half_bits(x, in->mods) ^ 0x8000)
LANE_OP1(neg_f16x2, u32, u32,
         halves(flush_half_bits(LO16(x), in->mods), flush_half_bits(HI16(x), in->mods)) ^
             0x80008000)
LANE_OP1(abs_bf16, u16, u16, x & 0x7fff)
LANE_OP1(abs_bf16x2, u32, u32, x & 0x7fff7fff)
LANE_OP1(neg_bf16, u16, u16, x ^ 0x8000)
LANE_OP1(neg_bf16x2, u32, u32, x ^ 0x80008000)
