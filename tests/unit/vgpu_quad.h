/* An oracle for floating point: sums, products and quotients in 113 bits, made odd where they are
 * inexact, then rounded by hand to any format in any direction. */
#ifndef TEST_VGPU_QUAD_H
#define TEST_VGPU_QUAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __float128 quad;
__extension__ typedef unsigned __int128 quad_bits;

struct quad_format {
    int precision, least, most; /* bits with the hidden one; exponents of normal numbers */
    int bits;
    uint64_t nan;
};

static const struct quad_format quad_f16 = { 11, -14, 15, 16, 0x7fff };
static const struct quad_format quad_bf16 = { 8, -126, 127, 16, 0x7fff };
static const struct quad_format quad_f32 = { 24, -126, 127, 32, 0x7fffffff };
static const struct quad_format quad_f64 = { 53, -1022, 1023, 64, 0xfff8000000000000 };

enum quad_round { QUAD_RN, QUAD_RZ, QUAD_RM, QUAD_RP };

static inline quad_bits quad_to_bits(quad x)
{
    quad_bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline quad quad_from_bits(quad_bits b)
{
    quad x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* Two to the n, exactly. */
static inline quad quad_power(int n)
{
    return quad_from_bits((quad_bits)(unsigned)(n + 16383) << 112);
}

static inline quad quad_of(const struct quad_format *f, uint64_t bits)
{
    int p = f->precision;
    uint64_t fraction = bits & ((UINT64_C(1) << (p - 1)) - 1);
    int field = (int)(bits >> (p - 1) & ((UINT64_C(1) << (f->bits - p)) - 1));
    bool negative = bits >> (f->bits - 1) & 1;
    quad x;
    if (field == (1 << (f->bits - p)) - 1)
        x = fraction ? (quad)__builtin_nan("") : (quad)__builtin_inf();
    else if (field == 0)
        x = (quad)fraction * quad_power(f->least - p + 1);
    else
        x = (quad)(fraction | UINT64_C(1) << (p - 1)) * quad_power(f->least + field - 1 - p + 1);
    return negative ? -x : x;
}

/* x with error e (the exact value is x + e, e far below x's last place): the last bit says whether
 * something is missing, so that a later rounding cannot be fooled. */
static inline quad quad_odd(quad x, quad e)
{
    quad_bits b = quad_to_bits(x);
    if (e == 0 || x - x != 0 || (b & 1))
        return x;
    return quad_from_bits((e > 0) == (x > 0) ? b + 1 : b - 1);
}

static inline quad quad_add(quad a, quad b)
{
    quad s = a + b, t = s - a;
    quad e = (a - (s - t)) + (b - t);
    return s - s == 0 ? quad_odd(s, e) : s;
}

/* a * b is exact for factors of up to 56 bits. */
static inline quad quad_fma(quad a, quad b, quad c)
{
    return quad_add(a * b, c);
}

static inline quad quad_sqrt(quad x)
{
    if (!(x > 0) || x - x != 0)
        return x == 0 || x > 0 ? x : (quad)__builtin_nan("");
    quad s = (quad)__builtin_sqrt((double)x);
    if ((double)x == 0 || (double)x > 1e300 || (double)x < 1e-290) {
        quad scaled = x > 1 ? x * quad_power(-600) : x * quad_power(600);
        s = (quad)__builtin_sqrt((double)scaled) * (x > 1 ? quad_power(300) : quad_power(-300));
    }
    for (int i = 0; i < 3; i++)
        s = (s + x / s) / 2;
    return s;
}

static inline bool quad_away(enum quad_round round, bool negative, bool odd, int against_half,
                             bool exact)
{
    switch (round) {
    case QUAD_RN:
        return against_half > 0 || (against_half == 0 && odd);
    case QUAD_RM:
        return negative && !exact;
    case QUAD_RP:
        return !negative && !exact;
    default:
        return false;
    }
}

static inline uint64_t quad_round(const struct quad_format *f, quad x, enum quad_round round)
{
    bool negative = quad_to_bits(x) >> 127;
    uint64_t sign = (uint64_t)negative << (f->bits - 1);
    uint64_t infinity = ((UINT64_C(1) << (f->bits - f->precision)) - 1) << (f->precision - 1);
    if (x != x)
        return f->nan;
    if (negative)
        x = -x;
    if (x - x != 0)
        return sign | infinity;
    if (x == 0)
        return sign;
    int exponent = (int)(quad_to_bits(x) >> 112) - 16383;
    int place = (exponent > f->least ? exponent : f->least) - f->precision + 1;
    quad units = x * quad_power(-place); /* below 2^53 and exact */
    uint64_t whole = (uint64_t)units;
    quad rest = units - (quad)whole;
    int half = rest > (quad)0.5 ? 1 : rest < (quad)0.5 ? -1 : 0;
    whole += quad_away(round, negative, whole & 1, half, rest == 0);
    if (whole >> f->precision) {
        whole >>= 1;
        place++;
    }
    if (place + f->precision - 1 > f->most) {
        bool stay =
            round == QUAD_RZ || (round == QUAD_RM && !negative) || (round == QUAD_RP && negative);
        return sign | (stay ? infinity - 1 : infinity);
    }
    if (!(whole >> (f->precision - 1)))
        return sign | whole;
    uint64_t field = (uint64_t)(place + f->precision - 1 - f->least + 1);
    return sign | field << (f->precision - 1) | (whole & ((UINT64_C(1) << (f->precision - 1)) - 1));
}

#endif
