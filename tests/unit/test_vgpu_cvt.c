/* Conversions between all types in all directions of rounding, comparisons and tests of floats. */
#include <math.h>

#include "vgpu_quad.h"
#include "vgpu_run.h"

TestSuite(vgpu_cvt, .timeout = 120);

struct type {
    char name[8];
    unsigned bits;
    bool is_signed;
    const struct quad_format *format; /* NULL: an integer */
    char width;                       /* of its register */
};

static const struct type types[] = {
    { "u8", 8, false, NULL, 'w' },       { "s8", 8, true, NULL, 'w' },
    { "u16", 16, false, NULL, 'h' },     { "s16", 16, true, NULL, 'h' },
    { "u32", 32, false, NULL, 'w' },     { "s32", 32, true, NULL, 'w' },
    { "u64", 64, false, NULL, 'q' },     { "s64", 64, true, NULL, 'q' },
    { "f16", 16, true, &quad_f16, 'h' }, { "bf16", 16, true, &quad_bf16, 'h' },
    { "f32", 32, true, &quad_f32, 'w' }, { "f64", 64, true, &quad_f64, 'q' },
};
enum { TYPES = sizeof types / sizeof types[0], FIRST_FLOAT = 8 };

static const struct type *to, *from;
static enum quad_round direction;
static bool integral, saturating, flushing, relu;

static uint64_t cut(uint64_t x, unsigned bits)
{
    return bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

static unsigned register_bits(const struct type *t)
{
    return t->width == 'q' ? 64 : t->width == 'w' ? 32 : 16;
}

static bool is_tiny(uint64_t bits, const struct type *t)
{
    return t->format == &quad_f32 && !(bits & 0x7f800000);
}

/* The source as a number; integers below 2^64 are exact. */
static quad value(uint64_t bits)
{
    bits = cut(bits, from->bits);
    if (from->format)
        return quad_of(from->format, flushing && is_tiny(bits, from) ? bits & 0x80000000 : bits);
    if (from->is_signed && bits >> (from->bits - 1))
        return -(quad)(cut(0 - bits, from->bits));
    return (quad)bits;
}

/* To an integer in the current direction; the sign of a zero is kept. */
static quad whole(quad x)
{
    quad size = x < 0 ? -x : x;
    if (x != x || size >= quad_power(100))
        return x;
    quad_bits n = (quad_bits)size;
    quad rest = size - (quad)n;
    int half = rest > (quad)0.5 ? 1 : rest < (quad)0.5 ? -1 : 0;
    n += quad_away(direction, x < 0, n & 1, half, rest == 0);
    return quad_to_bits(x) >> 127 ? -(quad)n : (quad)n;
}

static uint64_t integer(quad x)
{
    quad least = to->is_signed ? -quad_power((int)to->bits - 1) : 0;
    quad most = quad_power((int)to->bits - to->is_signed) - 1;
    if (x != x) /* the manual: zero, but the sign bit alone for .f64 sources and 64-bit results */
        x = from->bits == 64 || to->bits == 64
                ? (to->is_signed ? least : quad_power((int)to->bits - 1))
                : 0;
    x = whole(x);
    x = x < least ? least : x > most ? most : x;
    uint64_t v = x < 0 ? 0 - (uint64_t)-x : (uint64_t)x;
    return cut(v, register_bits(to));
}

/* Integers to integers are cut, or clamped with .sat; a signed result fills its register. */
static uint64_t reduced(uint64_t bits)
{
    quad x = value(bits);
    if (saturating)
        return integer(x);
    uint64_t v = x < 0 ? 0 - (uint64_t)-x : (uint64_t)x;
    v = cut(v, to->bits);
    if (to->is_signed && v >> (to->bits - 1))
        v |= ~cut(UINT64_MAX, to->bits);
    return cut(v, register_bits(to));
}

static uint64_t reference(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    if (!to->format)
        return from->format ? integer(value(a)) : reduced(a);
    quad x = value(a);
    if (integral)
        x = whole(x);
    if (saturating)
        x = !(x > 0) ? 0 : x > 1 ? 1 : x;
    if (relu && x == x)
        x = x > 0 ? x : 0;
    uint64_t r = quad_round(to->format, x, direction);
    return flushing && is_tiny(r, to) ? r & 0x80000000 : r;
}

static bool same(uint64_t got, uint64_t wanted)
{
    if (got == wanted || to->format != &quad_f64)
        return got == wanted;
    quad g = quad_of(&quad_f64, got), w = quad_of(&quad_f64, wanted);
    return g != g && w != w;
}

static const uint64_t integers[] = {
    0,
    1,
    2,
    127,
    128,
    129,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x1000001,
    0x1ffffff,
    0x3ffffff,
    2047,
    2049,
    4097,
    0x7fffffffffffffff,
    65519,
    65520,
    0x8000000000000000,
    0xffffffffffffffff,
    0x20000000000001,
    0x3fffffffffffff,
    0xfffffe8000000000,
    0xfffffffffffffbff,
    0x8000000000000400,
    0xffffff7fffffffff,
    257,
    0x101,
    0xff81,
    0xffffff80,
};

static const double reals[] = {
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -1.5,
    -2.5,
    0.49999997,
    0.75,
    -0.75,
    1.0,
    -1.0,
    127.5,
    128.0,
    -128.5,
    -129.0,
    254.5,
    255.5,
    256.0,
    32767.5,
    -32768.5,
    65504.0,
    65519.0,
    65520.0,
    65535.5,
    -65536.0,
    2147483647.0,
    2147483648.0,
    -2147483648.0,
    -2147483649.0,
    4294967295.0,
    4294967296.0,
    1e18,
    9223372036854775807.0,
    -9223372036854775808.0,
    18446744073709549568.0,
    1.8446744073709552e19,
    1e30,
    -1e30,
    1e300,
    5e-324,
    1e-40,
    -1e-40,
    6e-8,
    3e-8,
    2.98e-8,
    1e-5,
    6.1e-5,
    0x1.ffcp-15,
    0x1.ffep-15,
    0x1.fffffffffffffp-127,
    0x1.fffffep-127,
    0x1.00000080000p0,
    0x1.0000018p0,
    0x1.fffffefffffffp127,
    0x1.ffffffp127,
    3.4e38,
    0x1.004p0,
    0x1.006p0,
    0x1.00c0001p0,
    0x1.01p0,
    0x1.03p0,
    0x1.008p0,
};
enum { INTEGERS = sizeof integers / sizeof integers[0], REALS = sizeof reals / sizeof reals[0] };

/* Values of the source type that lie where rounding and clamping happen. */
static unsigned values_for(const struct type *t, uint64_t *values)
{
    unsigned n = 0;
    if (!t->format) {
        memcpy(values, integers, sizeof integers);
        return INTEGERS;
    }
    for (unsigned i = 0; i < REALS; i++) {
        uint64_t bits;
        memcpy(&bits, &reals[i], sizeof bits);
        values[n++] = quad_round(t->format, quad_of(&quad_f64, bits), QUAD_RN);
    }
    values[n++] = quad_round(t->format, (quad)__builtin_inf(), QUAD_RN);
    values[n++] = quad_round(t->format, -(quad)__builtin_inf(), QUAD_RN);
    values[n++] = t->format->nan;
    values[n++] = t->format->nan | UINT64_C(1) << (t->format->bits - 1);
    return n;
}

static void check(const char *mods)
{
    uint64_t values[REALS + 8];
    unsigned count = values_for(from, values);
    const uint64_t *const lists[] = { values };
    char instr[48], form[3] = { to->width, from->width, 0 };
    integral = strstr(mods, "i") != NULL;
    saturating = strstr(mods, ".sat") != NULL;
    flushing = strstr(mods, ".ftz") != NULL;
    relu = strstr(mods, ".relu") != NULL;
    direction = strstr(mods, ".rz")   ? QUAD_RZ
                : strstr(mods, ".rm") ? QUAD_RM
                : strstr(mods, ".rp") ? QUAD_RP
                                      : QUAD_RN;
    snprintf(instr, sizeof instr, "cvt%s.%s.%s", mods, to->name, from->name);
    vgpu_check(instr, form, "", lists, &count, reference, same);
}

static void each_pair(bool from_float, bool to_float, const char *const *mods, unsigned count)
{
    for (to = types; to < types + TYPES; to++)
        for (from = types; from < types + TYPES; from++)
            for (unsigned i = 0; i < count; i++)
                if ((from->format != NULL) == from_float && (to->format != NULL) == to_float)
                    check(mods[i]);
}

Test(vgpu_cvt, integers_are_cut_or_clamped)
{
    static const char *const mods[] = { "", ".sat" };
    each_pair(false, false, mods, 2);
}

Test(vgpu_cvt, floats_become_integers_in_every_direction_and_clamp)
{
    static const char *const mods[] = { ".rni", ".rzi", ".rmi", ".rpi" };
    each_pair(true, false, mods, 4);
}

Test(vgpu_cvt, integers_become_floats_in_every_direction)
{
    static const char *const mods[] = { ".rn", ".rz", ".rm", ".rp" };
    each_pair(false, true, mods, 4);
}

static void narrow(const char *to_name, const char *from_name, const char *mods)
{
    for (to = types; strcmp(to->name, to_name); to++)
        ;
    for (from = types; strcmp(from->name, from_name); from++)
        ;
    check(mods);
}

Test(vgpu_cvt, floats_become_narrower_floats_in_every_direction)
{
    static const char *const rounds[] = { ".rn", ".rz", ".rm", ".rp" };
    for (unsigned i = 0; i < 4; i++) {
        narrow("f16", "f32", rounds[i]);
        narrow("f32", "f64", rounds[i]);
        narrow("f16", "f64", rounds[i]);
        narrow("bf16", "f32", rounds[i]);
    }
    narrow("f32", "f64", ".rn.ftz");
    narrow("f32", "f64", ".rn.sat");
    narrow("f16", "f32", ".rn.relu");
    narrow("bf16", "f32", ".rn.relu");
}

Test(vgpu_cvt, floats_widen_exactly)
{
    narrow("f32", "f16", "");
    narrow("f64", "f16", "");
    narrow("f64", "f32", "");
    narrow("f32", "bf16", "");
    narrow("f64", "f32", ".ftz");
    narrow("f32", "f32", ".sat");
    narrow("f32", "f32", ".ftz.sat");
    narrow("f32", "f16", ".sat");
}

Test(vgpu_cvt, floats_round_to_whole_numbers)
{
    static const char *const rounds[] = { ".rni", ".rzi", ".rmi", ".rpi" };
    for (unsigned i = 0; i < 4; i++) {
        narrow("f32", "f32", rounds[i]);
        narrow("f64", "f64", rounds[i]);
        narrow("f16", "f16", rounds[i]);
    }
    narrow("f32", "f32", ".rmi.ftz");
}

static const struct quad_format *pair_format;

static uint64_t ref_pair(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return quad_round(pair_format, quad_of(&quad_f32, a), QUAD_RN) << 16 |
           quad_round(pair_format, quad_of(&quad_f32, b), QUAD_RN);
}

/* tf32: ten bits of fraction, ties away from zero, as the upper bits of a float. */
static uint64_t ref_tf32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    if ((a & 0x7fffffff) > 0x7f800000)
        return 0x7fffffff;
    if ((a & 0x7f800000) == 0x7f800000)
        return a;
    return (a + 0x1000) & 0xffffe000;
}

Test(vgpu_cvt, pairs_take_the_first_operand_into_the_upper_half_and_tf32_rounds_away)
{
    static const uint64_t v[] = { 0x3f800000, 0xbf801000, 0x3f802000, 0x47800000, 0x7fc00000,
                                  0x33000000, 0x33800001, 0x477fefff, 0x477ff000, 0x80000000,
                                  0x7f800000, 0x3f808000, 0x3f818000, 0x7f7fffff, 0x00012345 };
    const uint64_t *const lists[] = { v, v };
    const unsigned counts[] = { 15, 15 };
    pair_format = &quad_f16;
    vgpu_check("cvt.rn.f16x2.f32", "www", "", lists, counts, ref_pair, vgpu_equal);
    pair_format = &quad_bf16;
    vgpu_check("cvt.rn.bf16x2.f32", "www", "", lists, counts, ref_pair, vgpu_equal);
    vgpu_check("cvt.rna.tf32.f32", "ww", "", lists, counts, ref_tf32, vgpu_equal);
}

/* ---- comparisons ------------------------------------------------------------------------------
 */

static const struct quad_format *compared;
static const char *comparison;

static uint64_t ref_setp(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    quad x = quad_of(compared, a), y = quad_of(compared, b);
    bool unordered = x != x || y != y;
    size_t n = strlen(comparison);
    bool also = n == 3 && comparison[2] == 'u';
    (void)c, (void)e;
    if (strcmp(comparison, "num") == 0)
        return !unordered;
    if (strcmp(comparison, "nan") == 0)
        return unordered;
    if (unordered)
        return also;
    switch (comparison[0] * 256 + comparison[1]) {
    case 'e' * 256 + 'q':
        return x == y;
    case 'n' * 256 + 'e':
        return x != y;
    case 'l' * 256 + 't':
        return x < y;
    case 'l' * 256 + 'e':
        return x <= y;
    case 'g' * 256 + 't':
        return x > y;
    default:
        return x >= y;
    }
}

Test(vgpu_cvt, comparisons_of_floats_know_what_is_unordered)
{
    static const char *const names[] = { "eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                         "neu", "ltu", "leu", "gtu", "geu", "num", "nan" };
    for (unsigned t = FIRST_FLOAT; t < TYPES; t++) {
        uint64_t values[REALS + 8];
        unsigned n = values_for(&types[t], values);
        const uint64_t *const lists[] = { values, values };
        const unsigned counts[] = { n, n };
        const char form[4] = { 'p', types[t].width, types[t].width, 0 };
        compared = types[t].format;
        for (unsigned i = 0; i < 14; i++) {
            char instr[24];
            comparison = names[i];
            snprintf(instr, sizeof instr, "setp.%s.%s", comparison, types[t].name);
            vgpu_check(instr, form, "", lists, counts, ref_setp, vgpu_equal);
        }
    }
}

static uint64_t ref_testp(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    float x;
    uint32_t bits = (uint32_t)a;
    memcpy(&x, &bits, 4);
    int class = fpclassify(x);
    (void)b, (void)c, (void)e;
    switch (comparison[0] * 256 + comparison[2]) {
    case 'f' * 256 + 'n':
        return class != FP_NAN && class != FP_INFINITE;
    case 'i' * 256 + 'f':
        return class == FP_INFINITE;
    case 'n' * 256 + 'm':
        return class != FP_NAN;
    case 'n' * 256 + 't':
        return class == FP_NAN;
    case 'n' * 256 + 'r':
        return class == FP_NORMAL;
    default: /* zeros count as subnormal */
        return class == FP_SUBNORMAL || class == FP_ZERO;
    }
}

Test(vgpu_cvt, tests_of_floats)
{
    static const char *const names[] = { "finite",     "infinite", "number",
                                         "notanumber", "normal",   "subnormal" };
    uint64_t values[REALS + 8];
    unsigned n = values_for(&types[10], values);
    const uint64_t *const lists[] = { values };
    for (unsigned i = 0; i < 6; i++) {
        char instr[32];
        comparison = names[i];
        snprintf(instr, sizeof instr, "testp.%s.f32", comparison);
        vgpu_check(instr, "pw", "", lists, &n, ref_testp, vgpu_equal);
    }
}
