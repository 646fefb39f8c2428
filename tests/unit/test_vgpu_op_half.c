/* Half-precision instructions of the virtual GPU that test_vgpu_float.c leaves out, and comparisons
 * that make numbers, against exact sums rounded by hand. */
#include "vgpu_quad.h"
#include "vgpu_run.h"

TestSuite(vgpu_op_half, .timeout = 120);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const uint64_t halves[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800,
    0xb801, 0x4200, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x1400, 0x6800, 0x2e66,
};
static const uint64_t bfloats[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8081, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x3f00,
    0x4040, 0x3eab, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffff, 0x3380, 0x0d80, 0x7234, 0x8c01,
};
static const uint64_t singles[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
    0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x12345678,
};

static const struct quad_format *format;
static bool flushing, saturating, relu;
static const char *comparison;

static uint64_t flush(uint64_t bits)
{
    uint64_t exponent = ((UINT64_C(1) << (format->bits - format->precision)) - 1)
                        << (format->precision - 1);
    return flushing && !(bits & exponent) ? bits & UINT64_C(1) << (format->bits - 1) : bits;
}

static quad in(uint64_t bits)
{
    return quad_of(format, flush(bits));
}

static uint64_t out(quad x)
{
    if (saturating)
        x = !(x > 0) ? 0 : x > 1 ? 1 : x;
    if (relu && x == x)
        x = x > 0 ? x : 0;
    return flush(quad_round(format, x, QUAD_RN));
}

/* x + y; zeros of opposite signs are +0. */
static quad sum(quad x, quad y)
{
    quad s = quad_add(x, y);
    return s == 0 && quad_to_bits(x) >> 127 != quad_to_bits(y) >> 127 ? (quad)0 : s;
}

static uint64_t ref_add(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(sum(in(a), in(b)));
}

static uint64_t ref_sub(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(sum(in(a), -in(b)));
}

static uint64_t ref_mul(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(in(a)*in(b));
}

static uint64_t ref_fma(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return out(sum(in(a)*in(b), in(c)));
}

/* min and max: the number where one is NaN (with .NaN the NaN), and -0 is below +0. */
static quad pick(uint64_t a, uint64_t b, bool most)
{
    quad x = in(a), y = in(b);
    if (x != x || y != y)
        return strstr(comparison, "NaN") ? (quad)__builtin_nan("") : x != x ? y : x;
    if (x == y)
        return (quad_to_bits(x) >> 127 != 0) == most ? y : x;
    return (x > y) == most ? x : y;
}

static uint64_t ref_min(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(pick(a, b, false));
}

static uint64_t ref_max(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(pick(a, b, true));
}

static vgpu_reference *of_half;

static uint64_t ref_pair(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return of_half(a & 0xffff, b & 0xffff, c & 0xffff, 0) | of_half(a >> 16, b >> 16, c >> 16, 0)
                                                                << 16;
}

static void check(const char *op, const char *type, unsigned operands, vgpu_reference *reference)
{
    bool bf16 = type[0] == 'b', pair = strstr(type, "x2") != NULL;
    const uint64_t *source = bf16 ? bfloats : halves;
    uint64_t pairs[COUNT(halves)];
    char instr[48], w = pair ? 'w' : 'h', form[6] = { w, w, w, w };
    form[operands + 1] = 0;
    for (unsigned i = 0; i < COUNT(halves); i++)
        pairs[i] = source[i] | source[(i * 7 + 3) % COUNT(halves)] << 16;
    const uint64_t *values = pair ? pairs : source, *const lists[] = { values, values, values };
    const unsigned counts[] = { COUNT(halves), COUNT(halves), COUNT(halves) };
    format = bf16 ? &quad_bf16 : &quad_f16;
    flushing = strstr(op, ".ftz") != NULL;
    saturating = strstr(op, ".sat") != NULL;
    relu = strstr(op, ".relu") != NULL;
    comparison = op;
    of_half = reference;
    snprintf(instr, sizeof instr, "%s.%s", op, type);
    vgpu_check(instr, form, "", lists, counts, pair ? ref_pair : reference, vgpu_equal);
}

Test(vgpu_op_half, arithmetic_of_halves_and_pairs)
{
    static const char *const types[] = { "f16", "f16x2" };
    for (unsigned i = 0; i < 2; i++) {
        check("add", types[i], 2, ref_add);
        check("add.rn", types[i], 2, ref_add);
        check("add.sat", types[i], 2, ref_add);
        check("add.ftz.sat", types[i], 2, ref_add);
        check("sub", types[i], 2, ref_sub);
        check("sub.rn", types[i], 2, ref_sub);
        check("sub.sat", types[i], 2, ref_sub);
        check("mul", types[i], 2, ref_mul);
        check("mul.rn", types[i], 2, ref_mul);
        check("mul.sat", types[i], 2, ref_mul);
        check("mul.ftz", types[i], 2, ref_mul);
        check("fma.rn.sat", types[i], 3, ref_fma);
        check("fma.rn.relu", types[i], 3, ref_fma);
    }
}

Test(vgpu_op_half, least_and_greatest)
{
    static const char *const types[] = { "f16", "f16x2", "bf16", "bf16x2" };
    for (unsigned i = 0; i < 4; i++) {
        check("min", types[i], 2, ref_min);
        check("max", types[i], 2, ref_max);
        check("min.NaN", types[i], 2, ref_min);
        check("max.NaN", types[i], 2, ref_max);
    }
}

/* ---- comparisons
 * ---------------------------------------------------------------------------------- */

static bool holds(quad x, quad y)
{
    bool unordered = x != x || y != y;
    char second = comparison[1];
    if (strcmp(comparison, "num") == 0)
        return !unordered;
    if (strcmp(comparison, "nan") == 0)
        return unordered;
    if (unordered)
        return strlen(comparison) == 3;
    switch (comparison[0]) {
    case 'e':
        return x == y;
    case 'n':
        return x != y;
    case 'l':
        return second == 't' ? x < y : x <= y;
    default:
        return second == 't' ? x > y : x >= y;
    }
}

static uint64_t ref_one_or_zero(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return holds(in(a), in(b)) ? quad_round(format, 1, QUAD_RN) : 0;
}

static uint64_t ref_holds(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return holds(in(a), in(b));
}

Test(vgpu_op_half, comparisons_that_make_numbers_or_predicates)
{
    static const char *const comparisons[] = { "eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                               "neu", "ltu", "leu", "gtu", "geu", "num", "nan" };
    uint64_t pairs[COUNT(halves)];
    const uint64_t *const of_halves[] = { halves, halves }, *const of_pairs[] = { pairs, pairs },
                          *const of_singles[] = { singles, singles };
    const unsigned counts[] = { COUNT(halves), COUNT(halves) },
                   few[] = { COUNT(singles), COUNT(singles) };
    for (unsigned i = 0; i < COUNT(halves); i++)
        pairs[i] = halves[i] | halves[(i * 11 + 5) % COUNT(halves)] << 16;
    flushing = false;
    for (unsigned i = 0; i < COUNT(comparisons); i++) {
        char instr[48];
        comparison = comparisons[i];
        format = &quad_f16;
        of_half = ref_one_or_zero;
        snprintf(instr, sizeof instr, "set.%s.f16.f16", comparison);
        vgpu_check(instr, "hhh", "", of_halves, counts, ref_one_or_zero, vgpu_equal);
        snprintf(instr, sizeof instr, "set.%s.f16x2.f16x2", comparison);
        vgpu_check(instr, "www", "", of_pairs, counts, ref_pair, vgpu_equal);
        snprintf(instr, sizeof instr, "setp.%s.f16", comparison);
        vgpu_check(instr, "phh", "", of_halves, counts, ref_holds, vgpu_equal);
        format = &quad_f32;
        snprintf(instr, sizeof instr, "set.%s.f32.f32", comparison);
        vgpu_check(instr, "www", "", of_singles, few, ref_one_or_zero, vgpu_equal);
    }
}
