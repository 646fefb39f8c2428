/* Single precision. The common case (round to nearest, no .ftz, no .sat) is a loop of its own. */

#define F32_OP1(name, expr)                                                                        \
    static void name(LANE_ARGS)                                                                    \
    {                                                                                              \
        lane_f32 *d = ALIGNED(pd);                                                                 \
        const lane_f32 *a = ALIGNED(pa);                                                           \
        bool ftz = in->mods & MOD_FTZ, sat = in->mods & MOD_SAT;                                   \
        LANE_UNUSED;                                                                               \
        round_begin(in->round);                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            float x = ftz ? flush_f32(a[i]) : a[i];                                                \
            float r = expr;                                                                        \
            r = ftz ? flush_f32(r) : r;                                                            \
            d[i] = sat ? sat_f32(r) : canon_f32(r);                                                \
        }                                                                                          \
        round_end(in->round);                                                                      \
    }

#define F32_OP2(name, expr)                                                                        \
    __attribute__((noinline)) static void name##_any(LANE_ARGS)                                    \
    {                                                                                              \
        lane_f32 *d = ALIGNED(pd);                                                                 \
        const lane_f32 *a = ALIGNED(pa), *b = ALIGNED(pb);                                         \
        bool ftz = in->mods & MOD_FTZ, sat = in->mods & MOD_SAT;                                   \
        LANE_UNUSED;                                                                               \
        round_begin(in->round);                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            float x = ftz ? flush_f32(a[i]) : a[i];                                                \
            float y = ftz ? flush_f32(b[i]) : b[i];                                                \
            float r = expr;                                                                        \
            r = ftz ? flush_f32(r) : r;                                                            \
            d[i] = sat ? sat_f32(r) : canon_f32(r);                                                \
        }                                                                                          \
        round_end(in->round);                                                                      \
    }                                                                                              \
    static void name(LANE_ARGS)                                                                    \
    {                                                                                              \
        lane_f32 *d = ALIGNED(pd);                                                                 \
        const lane_f32 *a = ALIGNED(pa), *b = ALIGNED(pb);                                         \
        if ((in->mods & (MOD_FTZ | MOD_SAT)) || in->round) {                                       \
            name##_any(pd, pa, pb, pc, pe, in);                                                    \
            return;                                                                                \
        }                                                                                          \
        LANES                                                                                      \
        {                                                                                          \
            float x = a[i], y = b[i];                                                              \
            d[i] = canon_f32(expr);                                                                \
        }                                                                                          \
    }

F32_OP2(add_f32, x + y)
F32_OP2(sub_f32, x - y)
F32_OP2(mul_f32, x *y)
F32_OP2(div_f32, x / y)

__attribute__((noinline)) static void fma_f32_any(LANE_ARGS)
{
    lane_f32 *d = ALIGNED(pd);
    const lane_f32 *a = ALIGNED(pa), *b = ALIGNED(pb), *c = ALIGNED(pc);
    bool ftz = in->mods & MOD_FTZ, sat = in->mods & MOD_SAT;
    (void)pe;
    round_begin(in->round);
    LANES
    {
        float x = ftz ? flush_f32(a[i]) : a[i];
        float y = ftz ? flush_f32(b[i]) : b[i];
        float z = ftz ? flush_f32(c[i]) : c[i];
        float r = __builtin_fmaf(x, y, z);
        r = ftz ? flush_f32(r) : r;
        d[i] = sat ? sat_f32(r) : canon_f32(r);
    }
    round_end(in->round);
}

static void fma_f32(LANE_ARGS)
{
    lane_f32 *d = ALIGNED(pd);
    const lane_f32 *a = ALIGNED(pa), *b = ALIGNED(pb), *c = ALIGNED(pc);
    if ((in->mods & (MOD_FTZ | MOD_SAT)) || in->round) {
        fma_f32_any(pd, pa, pb, pc, pe, in);
        return;
    }
    LANES d[i] = canon_f32(__builtin_fmaf(a[i], b[i], c[i]));
}

/* |b| above 2^126: the reciprocal underflows and so the quotient is 0 (NaN for an infinite a). */
static inline float div_approx(float x, float y)
{
    float q = x / y;
    bool huge = fabsf(y) > 0x1p126f && fabsf(y) < INFINITY;
    float zero = (bits_of_f32(x) ^ bits_of_f32(y)) >> 31 ? -0.0f : 0.0f;
    return huge ? (fabsf(x) < INFINITY ? zero : NAN) : q;
}

F32_OP2(div_approx_f32, div_approx(x, y))
F32_OP1(rcp_f32, 1.0f / x)
F32_OP1(sqrt_f32, __builtin_sqrtf(x))
F32_OP1(rsqrt_f32, (float)(1.0 / __builtin_sqrt((double)x)))

static inline float clear_sign(float x)
{
    return f32_of_bits(bits_of_f32(x) & 0x7fffffff);
}

static inline float flip_sign(float x)
{
    return f32_of_bits(bits_of_f32(x) ^ 0x80000000);
}

LANE_OP1(abs_f32, f32, f32, clear_sign(in->mods &MOD_FTZ ? flush_f32(x) : x))
LANE_OP1(neg_f32, f32, f32, flip_sign(in->mods &MOD_FTZ ? flush_f32(x) : x))
/* copysign d, a, b: the sign of a on the magnitude of b */
LANE_OP2(copysign_b32, u32, u32, u32, (x & 0x80000000) | (y & 0x7fffffff))
LANE_OP2(copysign_b64, u64, u64, u64, (x & 0x8000000000000000) | (y & 0x7fffffffffffffff))

/* -0 is less than +0, and a NaN gives way to a number unless .NaN asks for it. */
static inline float pick_f32(float x, float y, bool max)
{
    uint32_t bx = bits_of_f32(x), by = bits_of_f32(y);
    float ordered = max ? (x > y ? x : y) : (x < y ? x : y);
    float equal = f32_of_bits(max ? bx & by : bx | by);
    float r = x == y ? equal : ordered;
    r = x != x ? y : r;
    return y != y ? x : r;
}

static inline float minmax_f32(float x, float y, bool max, unsigned mods)
{
    uint32_t sign = (bits_of_f32(x) ^ bits_of_f32(y)) & 0x80000000;
    if (mods & MOD_XORSIGN) {
        x = clear_sign(x);
        y = clear_sign(y);
    }
    float r = pick_f32(x, y, max);
    if (mods & MOD_NAN)
        r = x != x || y != y ? NAN : r;
    if (mods & MOD_XORSIGN)
        r = f32_of_bits(bits_of_f32(r) | sign);
    return r;
}

F32_OP2(min_f32, minmax_f32(x, y, false, in->mods))
F32_OP2(max_f32, minmax_f32(x, y, true, in->mods))
