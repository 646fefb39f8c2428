/* Double precision. NaN operands are passed on, as IEEE 754 recommends. */

#define F64_ROUNDED(name, expr, SOURCES, READ)                                                     \
    static void name(LANE_ARGS)                                                                    \
    {                                                                                              \
        lane_f64 *d = ALIGNED(pd);                                                                 \
        SOURCES;                                                                                   \
        LANE_UNUSED;                                                                               \
        round_begin(in->round);                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            READ;                                                                                  \
            d[i] = expr;                                                                           \
        }                                                                                          \
        round_end(in->round);                                                                      \
    }
#define F64_OP1(name, expr)                                                                        \
    F64_ROUNDED(name, expr, const lane_f64 *a = ALIGNED(pa), double x = a[i])
#define F64_OP2(name, expr)                                                                        \
    F64_ROUNDED(name, expr, const lane_f64 *a = ALIGNED(pa);                                       \
                const lane_f64 *b = ALIGNED(pb), double x = a[i]; double y = b[i])

F64_OP2(add_f64, x + y)
F64_OP2(sub_f64, x - y)
F64_OP2(mul_f64, x *y)
F64_OP2(div_f64, x / y)
F64_OP1(rcp_f64, 1.0 / x)
F64_OP1(sqrt_f64, __builtin_sqrt(x))
F64_OP1(abs_f64, f64_of_bits(bits_of_f64(x) & 0x7fffffffffffffff))
F64_OP1(neg_f64, f64_of_bits(bits_of_f64(x) ^ 0x8000000000000000))

static void fma_f64(LANE_ARGS)
{
    lane_f64 *d = ALIGNED(pd);
    const lane_f64 *a = ALIGNED(pa), *b = ALIGNED(pb), *c = ALIGNED(pc);
    (void)pe;
    round_begin(in->round);
    LANES d[i] = __builtin_fma(a[i], b[i], c[i]);
    round_end(in->round);
}

static inline double flush_f64(double x)
{
    uint64_t u = bits_of_f64(x);
    return f64_of_bits((u & 0x7ff0000000000000) ? u : u & 0x8000000000000000);
}

/* rcp.approx.ftz.f64 and rsqrt.approx.f64 work on the high word: the low word of the result is 0.
 */
static inline double high_word(double x)
{
    return x != x ? f64_of_bits(0x7fffffff00000000)
                  : f64_of_bits(bits_of_f64(x) & 0xffffffff00000000);
}

static inline double rcp_approx(double x)
{
    return high_word(flush_f64(1.0 / flush_f64(f64_of_bits(bits_of_f64(x) & 0xffffffff00000000))));
}

static inline double rsqrt_approx(double x, bool ftz)
{
    double r = 1.0 / __builtin_sqrt(ftz ? flush_f64(x) : x);
    return r;
}

F64_OP1(rcp_approx_f64, rcp_approx(x))
F64_OP1(rsqrt_f64, rsqrt_approx(x, in->mods &MOD_FTZ))

static inline double pick_f64(double x, double y, bool max)
{
    uint64_t bx = bits_of_f64(x), by = bits_of_f64(y);
    double ordered = max ? (x > y ? x : y) : (x < y ? x : y);
    double equal = f64_of_bits(max ? bx & by : bx | by);
    double r = x == y ? equal : ordered;
    r = x != x ? y : r;
    return y != y ? x : r;
}

F64_OP2(min_f64, pick_f64(x, y, false))
F64_OP2(max_f64, pick_f64(x, y, true))
