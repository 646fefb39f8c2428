/* Half precision for a host compiler: exact numbers in long double, rounded by hand. */
#ifndef DIFFERENTIAL_SHIM_HOST_HALF_H
#define DIFFERENTIAL_SHIM_HOST_HALF_H

struct __half {
    unsigned short x;
};
struct __half2 {
    __half x, y;
};
struct __nv_bfloat16 {
    unsigned short x;
};

/* `precision` counts the hidden bit; the exponent of the least normal number is 2 - bias. */
static inline long double small_value(unsigned x, int precision, int bias)
{
    int fields = 16 - precision, field = (int)(x >> (precision - 1)) & ((1 << fields) - 1);
    unsigned fraction = x & ((1u << (precision - 1)) - 1);
    long double v;
    if (field == (1 << fields) - 1)
        v = fraction ? (long double)NAN : (long double)INFINITY;
    else if (field == 0)
        v = ldexpl((long double)fraction, 2 - bias - precision);
    else
        v = ldexpl((long double)(fraction | 1u << (precision - 1)), field + 1 - bias - precision);
    return x >> 15 ? -v : v;
}

enum { NEAREST, TO_ZERO, DOWN, UP };

static inline unsigned short small_of(long double v, int precision, int bias, int direction)
{
    unsigned sign = signbit(v) ? 0x8000u : 0u, infinity = (0x7fffu >> (precision - 1))
                                                          << (precision - 1);
    if (v != v)
        return 0x7fff;
    if (isinf(v) || v == 0)
        return (unsigned short)(sign | (v == 0 ? 0 : infinity));
    int exponent = ilogbl(v), lowest = 1 - bias;
    int place = (exponent > lowest ? exponent : lowest) - precision + 1;
    long double units = ldexpl(fabsl(v), -place), whole_units = floorl(units),
                rest = units - whole_units;
    bool up = direction == NEAREST   ? rest > 0.5L || (rest == 0.5L && fmodl(whole_units, 2) == 1)
              : direction == TO_ZERO ? false
                                     : rest > 0 && (direction == UP) == !sign;
    unsigned n = (unsigned)whole_units + up;
    /* a field one higher is 2^(precision - 1) more, also where rounding carried or the number is
     * not normal */
    unsigned result = n + ((unsigned)(place + precision - 1 - lowest) << (precision - 1));
    if (result >= infinity)
        result = direction == TO_ZERO || (direction == UP && sign) || (direction == DOWN && !sign)
                     ? infinity - 1
                     : infinity;
    return (unsigned short)(sign | result);
}

static inline long double half_value(__half a)
{
    return small_value(a.x, 11, 15);
}
static inline __half half_of(long double v, int direction = NEAREST)
{
    __half r = { small_of(v, 11, 15, direction) };
    return r;
}
static inline long double bf16_value(__nv_bfloat16 a)
{
    return small_value(a.x, 8, 127);
}
static inline __nv_bfloat16 bf16_of(long double v, int direction = NEAREST)
{
    __nv_bfloat16 r = { small_of(v, 8, 127, direction) };
    return r;
}

static inline unsigned short __half_as_ushort(__half a)
{
    return a.x;
}
static inline __half __ushort_as_half(unsigned short x)
{
    __half r = { x };
    return r;
}
static inline __half __low2half(__half2 a)
{
    return a.x;
}
static inline __half __high2half(__half2 a)
{
    return a.y;
}
static inline __half2 __halves2half2(__half x, __half y)
{
    __half2 r = { x, y };
    return r;
}
static inline __half2 __lowhigh2highlow(__half2 a)
{
    return __halves2half2(a.y, a.x);
}
static inline __half2 __lows2half2(__half2 a, __half2 b)
{
    return __halves2half2(a.x, b.x);
}

static inline long double clamped(long double v)
{
    return v != v || !(v > 0) ? 0 : v > 1 ? 1 : v;
}

/* Sums and products of halves are exact in 64 bits, so they are rounded once. */
#define HALF_2(name, expr)                                                                         \
    static inline __half name(__half a, __half b)                                                  \
    {                                                                                              \
        long double x = half_value(a), y = half_value(b);                                          \
        return half_of(expr);                                                                      \
    }                                                                                              \
    static inline __half2 name##2(__half2 a, __half2 b)                                            \
    {                                                                                              \
        return __halves2half2(name(a.x, b.x), name(a.y, b.y));                                     \
    }
#define HALF_3(name, half2_name, expr)                                                             \
    static inline __half name(__half a, __half b, __half c)                                        \
    {                                                                                              \
        long double x = half_value(a), y = half_value(b), z = half_value(c);                       \
        return half_of(expr);                                                                      \
    }                                                                                              \
    static inline __half2 half2_name(__half2 a, __half2 b, __half2 c)                              \
    {                                                                                              \
        return __halves2half2(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                           \
    }
HALF_2(__hadd, x + y)
HALF_2(__hsub, x - y)
HALF_2(__hmul, x *y)
HALF_3(__hfma, __hfma2, x *y + z)
HALF_3(__hfma_sat, __hfma2_sat, clamped(x *y + z))
static inline __half __hadd_sat(__half a, __half b)
{
    return half_of(clamped(half_value(a) + half_value(b)));
}
static inline __half __hsub_sat(__half a, __half b)
{
    return half_of(clamped(half_value(a) - half_value(b)));
}
static inline __half __hmul_sat(__half a, __half b)
{
    return half_of(clamped(half_value(a) * half_value(b)));
}
static inline __half2 __hadd2_sat(__half2 a, __half2 b)
{
    return __halves2half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
static inline __half __hneg(__half a)
{
    return half_of(-half_value(a));
}
static inline __half __habs(__half a)
{
    return half_of(fabsl(half_value(a)));
}
static inline __half2 __hneg2(__half2 a)
{
    return __halves2half2(__hneg(a.x), __hneg(a.y));
}
static inline __half2 __habs2(__half2 a)
{
    return __halves2half2(__habs(a.x), __habs(a.y));
}
static inline __half __hmin(__half a, __half b)
{
    return half_of(least((double)half_value(a), (double)half_value(b)));
}
static inline __half __hmax(__half a, __half b)
{
    return half_of(greatest((double)half_value(a), (double)half_value(b)));
}
static inline __half __hmax_nan(__half a, __half b)
{
    return half_value(a) != half_value(a) || half_value(b) != half_value(b) ? half_of(NAN)
                                                                            : __hmax(a, b);
}
#define HALF_ROUND(name, f)                                                                        \
    static inline __half name(__half a)                                                            \
    {                                                                                              \
        return half_of(f(half_value(a)));                                                          \
    }
HALF_ROUND(hfloor, floorl)
HALF_ROUND(hceil, ceill)
HALF_ROUND(htrunc, truncl)
HALF_ROUND(hrint, rintl)

/* Ordered comparisons, and with u those that are true of NaN. */
#define HALF_COMPARE(op, c)                                                                        \
    static inline bool __h##op(__half a, __half b)                                                 \
    {                                                                                              \
        return half_value(a) c half_value(b) && half_value(a) == half_value(a) &&                  \
               half_value(b) == half_value(b);                                                     \
    }                                                                                              \
    static inline bool __h##op##u(__half a, __half b)                                              \
    {                                                                                              \
        return half_value(a) c half_value(b) || half_value(a) != half_value(a) ||                  \
               half_value(b) != half_value(b);                                                     \
    }                                                                                              \
    static inline __half2 __h##op##2(__half2 a, __half2 b)                                         \
    {                                                                                              \
        return __halves2half2(half_of(__h##op(a.x, b.x)), half_of(__h##op(a.y, b.y)));             \
    }                                                                                              \
    static inline bool __hb##op##2(__half2 a, __half2 b)                                           \
    {                                                                                              \
        return __h##op(a.x, b.x) && __h##op(a.y, b.y);                                             \
    }
HALF_COMPARE(eq, ==)
HALF_COMPARE(ne, !=)
HALF_COMPARE(lt, <)
HALF_COMPARE(le, <=)
HALF_COMPARE(gt, >)
HALF_COMPARE(ge, >=)
static inline bool __hisnan(__half a)
{
    return half_value(a) != half_value(a);
}

/* ---- conversions
 * ---------------------------------------------------------------------------------
 */

static inline float __half2float(__half a)
{
    return (float)half_value(a);
}
static inline __half __float2half_rn(float a)
{
    return half_of(a);
}
static inline __half __float2half_rz(float a)
{
    return half_of(a, TO_ZERO);
}
static inline __half __float2half_rd(float a)
{
    return half_of(a, DOWN);
}
static inline __half __float2half_ru(float a)
{
    return half_of(a, UP);
}
static inline __half2 __floats2half2_rn(float a, float b)
{
    return __halves2half2(half_of(a), half_of(b));
}
static inline __half __double2half(double a)
{
    return half_of(a);
}
#define HALF_OF_WHOLE(type, name)                                                                  \
    static inline __half __##name##2half_rn(type a)                                                \
    {                                                                                              \
        return half_of(a);                                                                         \
    }                                                                                              \
    static inline __half __##name##2half_rz(type a)                                                \
    {                                                                                              \
        return half_of(a, TO_ZERO);                                                                \
    }                                                                                              \
    static inline __half __##name##2half_rd(type a)                                                \
    {                                                                                              \
        return half_of(a, DOWN);                                                                   \
    }                                                                                              \
    static inline __half __##name##2half_ru(type a)                                                \
    {                                                                                              \
        return half_of(a, UP);                                                                     \
    }                                                                                              \
    static inline type __half2##name##_rn(__half a)                                                \
    {                                                                                              \
        return whole<type>(rint((double)half_value(a)), false);                                    \
    }                                                                                              \
    static inline type __half2##name##_rz(__half a)                                                \
    {                                                                                              \
        return whole<type>(trunc((double)half_value(a)), false);                                   \
    }                                                                                              \
    static inline type __half2##name##_rd(__half a)                                                \
    {                                                                                              \
        return whole<type>(floor((double)half_value(a)), false);                                   \
    }                                                                                              \
    static inline type __half2##name##_ru(__half a)                                                \
    {                                                                                              \
        return whole<type>(ceil((double)half_value(a)), false);                                    \
    }
HALF_OF_WHOLE(int, int)
HALF_OF_WHOLE(unsigned, uint)
HALF_OF_WHOLE(short, short)
HALF_OF_WHOLE(unsigned short, ushort)
HALF_OF_WHOLE(long long, ll)
HALF_OF_WHOLE(unsigned long long, ull)

/* ---- bfloat16
 * ------------------------------------------------------------------------------------ Products and
 * sums may need more than 64 bits: made odd where the double was not exact. */

static inline float __bfloat162float(__nv_bfloat16 a)
{
    return (float)bf16_value(a);
}
static inline __nv_bfloat16 __float2bfloat16_rn(float a)
{
    return bf16_of(a);
}
static inline __nv_bfloat16 __float2bfloat16_rz(float a)
{
    return bf16_of(a, TO_ZERO);
}
static inline double odd_sum(double a, double b)
{
    double s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
    unsigned long long u = same_bits<unsigned long long>(s);
    if (e == 0 || s - s != 0 || (u & 1))
        return s;
    return same_bits<double>((e > 0) == (s > 0) ? u + 1 : u - 1);
}
static inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return bf16_of(odd_sum((double)(bf16_value(a) * bf16_value(b)), (double)bf16_value(c)));
}
static inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return bf16_of(odd_sum((double)bf16_value(a), (double)bf16_value(b)));
}
static inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return bf16_of(odd_sum((double)bf16_value(a), -(double)bf16_value(b)));
}
static inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return bf16_of(bf16_value(a) * bf16_value(b));
}
static inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return bf16_of(least((double)bf16_value(a), (double)bf16_value(b)));
}
static inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return bf16_of(greatest((double)bf16_value(a), (double)bf16_value(b)));
}
static inline __nv_bfloat16 __hneg(__nv_bfloat16 a)
{
    return bf16_of(-bf16_value(a));
}
static inline __nv_bfloat16 __habs(__nv_bfloat16 a)
{
    return bf16_of(fabsl(bf16_value(a)));
}
static inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return bf16_value(a) < bf16_value(b);
}
static inline bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return !(bf16_value(a) < bf16_value(b));
}

#endif
