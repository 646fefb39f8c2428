/* The approximate functions. PTX bounds their error and leaves the rest open; these are computed in
 * double and rounded once, which lies inside every bound. */

/* Round to integer by adding a number whose last place is one; also gives it in the low bits. */
#define ROUND_MAGIC 0x1.8p52

static inline double scale_by(double p, double shifted)
{
    return p * f64_of_bits((bits_of_f64(shifted) + 1023) << 52);
}

static inline double exp2_wide(double x)
{
    double t = x > 1000.0 ? 1000.0 : x;
    t = t < -1000.0 ? -1000.0 : t;
    double shifted = t + ROUND_MAGIC;
    double f = (t - (shifted - ROUND_MAGIC)) * 0.69314718055994530942;
    double p = 1.0 + f * (1.0 / 9.0);
    p = 1.0 + f * (1.0 / 8.0) * p;
    p = 1.0 + f * (1.0 / 7.0) * p;
    p = 1.0 + f * (1.0 / 6.0) * p;
    p = 1.0 + f * (1.0 / 5.0) * p;
    p = 1.0 + f * (1.0 / 4.0) * p;
    p = 1.0 + f * (1.0 / 3.0) * p;
    p = 1.0 + f * (1.0 / 2.0) * p;
    p = 1.0 + f * p;
    return scale_by(p, shifted);
}

static inline float log2_of(float x)
{
    uint64_t u = bits_of_f64(x);
    /* m in [sqrt(1/2), sqrt(2)) */
    uint64_t top = u - 0x3fe6a09e667f3bcd;
    int64_t e = (int64_t)top >> 52;
    double m = f64_of_bits(u - ((uint64_t)e << 52));
    double s = (m - 1.0) / (m + 1.0), q = s * s;
    double p = 1.0 / 13.0;
    p = 1.0 / 11.0 + q * p;
    p = 1.0 / 9.0 + q * p;
    p = 1.0 / 7.0 + q * p;
    p = 1.0 / 5.0 + q * p;
    p = 1.0 / 3.0 + q * p;
    p = 1.0 + q * p;
    float r = (float)((double)(int32_t)e + 2.88539008177792681472 * s * p);
    r = x < INFINITY ? r : x;
    r = x == 0.0f ? -INFINITY : r;
    return x < 0.0f || x != x ? NAN : r;
}

/* Sine of x + quarter * pi/2, for |x| below 2^30. */
static inline double sine(double x, uint64_t quarter)
{
    double shifted = x * 0.63661977236758134308 + ROUND_MAGIC;
    double k = shifted - ROUND_MAGIC;
    double r = x - k * 1.57079632673412561417e+00; /* 33 bits of pi/2: an exact product */
    r = r - k * 6.07710050650619224932e-11;
    double q = r * r;
    double s =
        r * (1.0 -
             q / 6.0 *
                 (1.0 -
                  q / 20.0 *
                      (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0 * (1.0 - q / 156.0))))));
    double c =
        1.0 -
        q / 2.0 *
            (1.0 -
             q / 12.0 *
                 (1.0 -
                  q / 30.0 *
                      (1.0 - q / 56.0 * (1.0 - q / 90.0 * (1.0 - q / 132.0 * (1.0 - q / 182.0))))));
    uint64_t n = bits_of_f64(shifted) + quarter;
    double v = n & 1 ? c : s;
    return n & 2 ? -v : v;
}

static inline float tanh_of(float x)
{
    double y = x, q = y * y;
    double series = y * (1.0 - q / 3.0 + q * q * (2.0 / 15.0) - q * q * q * (17.0 / 315.0));
    double t = exp2_wide(y * 2.88539008177792681472);
    double ratio = 1.0 - 2.0 / (t + 1.0);
    return (float)(fabs(y) < 0.1 ? series : ratio);
}

F32_OP1(ex2_f32, (float)exp2_wide(x))
F32_OP1(lg2_f32, log2_of(x))
F32_OP1(tanh_f32, tanh_of(x))

static void sine_lanes(LANE_ARGS, uint64_t quarter)
{
    lane_f32 *d = ALIGNED(pd);
    const lane_f32 *a = ALIGNED(pa);
    float source[OP_LANES];
    bool ftz = in->mods & MOD_FTZ, huge = false;
    LANE_UNUSED;
    LANES source[i] = ftz ? flush_f32(a[i]) : a[i];
    LANES d[i] = canon_f32((float)sine(source[i], quarter));
    for (int i = 0; i < OP_LANES; i++)
        huge |= !(fabsf(source[i]) < 0x1p30f);
    for (int i = 0; huge && i < OP_LANES; i++)
        if (!(fabsf(source[i]) < 0x1p30f))
            d[i] = canon_f32((float)(quarter ? cos((double)source[i]) : sin((double)source[i])));
    LANES d[i] = ftz ? flush_f32(d[i]) : d[i];
}

static void sin_f32(LANE_ARGS)
{
    sine_lanes(pd, pa, pb, pc, pe, in, 0);
}

static void cos_f32(LANE_ARGS)
{
    sine_lanes(pd, pa, pb, pc, pe, in, 1);
}

static inline uint32_t half_ex2(uint32_t h, unsigned m)
{
    return half_of_float((float)exp2_wide(flush_half(float_of_half(h), m & MOD_FTZ)));
}

static inline uint32_t half_tanh(uint32_t h, unsigned m)
{
    (void)m;
    return half_of_float(tanh_of(float_of_half(h)));
}

static inline uint32_t bf16_ex2(uint32_t h, unsigned m)
{
    (void)m; /* .ftz is always on */
    return bf16_of_float(flush_f32((float)exp2_wide(flush_f32(float_of_bf16(h)))));
}

static inline uint32_t bf16_tanh(uint32_t h, unsigned m)
{
    (void)m;
    return bf16_of_float(tanh_of(float_of_bf16(h)));
}

#define HALF_OP1(op)                                                                               \
    LANE_OP1(op##_f16, u16, u16, half_##op(x, in->mods))                                           \
    LANE_OP1(op##_f16x2, u32, u32,                                                                 \
             halves(half_##op(LO16(x), in->mods), half_##op(HI16(x), in->mods)))                   \
    LANE_OP1(op##_bf16, u16, u16, bf16_##op(x, in->mods))                                          \
    LANE_OP1(op##_bf16x2, u32, u32,                                                                \
             halves(bf16_##op(LO16(x), in->mods), bf16_##op(HI16(x), in->mods)))
HALF_OP1(ex2)
HALF_OP1(tanh)
