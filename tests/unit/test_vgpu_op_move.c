/* Moves, selections, predicates, signs and approximations of the virtual GPU, form by form. */
#include <math.h>

#include "vgpu_quad.h"
#include "vgpu_run.h"

TestSuite(vgpu_op_move, .timeout = 120);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const uint64_t patterns[] = {
    0,
    1,
    0x80000000,
    0x7fffffff,
    0xffffffff,
    0x7f800000,
    0xff800000,
    0x7fc00000,
    0x7f800001,
    0x00800000,
    0x007fffff,
    0x80000001,
    0x3f800000,
    0xbf800000,
    0x7f7fffff,
    0x12345678,
    0x8000000000000000,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x0010000000000000,
    0x800fffffffffffff,
    0x3ff0000000000000,
    0xffffffffffffffff,
    0x0000000180000000,
    0x7c007e0003ff8001,
};
static const uint64_t truths[] = { 0, 1 };

static unsigned width;

static uint64_t cut(uint64_t x)
{
    return width == 64 ? x : x & ((UINT64_C(1) << width) - 1);
}

static char letter(const char *type)
{
    return strcmp(type, "pred") == 0 ? 'p'
           : atoi(type + 1) == 64    ? 'q'
           : atoi(type + 1) == 32    ? 'w'
                                     : 'h';
}

static void check(const char *op, const char *type, const char *form, vgpu_reference *reference,
                  vgpu_same *same)
{
    char instr[64];
    const uint64_t *lists[4];
    unsigned counts[4];
    for (unsigned i = 0; form[i + 1]; i++) {
        bool pred = form[i + 1] == 'p';
        lists[i] = pred ? truths : patterns;
        counts[i] = pred ? 2 : COUNT(patterns);
    }
    snprintf(instr, sizeof instr, "%s.%s", op, type);
    width = letter(type) == 'p' ? 1 : letter(type) == 'q' ? 64 : letter(type) == 'w' ? 32 : 16;
    vgpu_check(instr, form, "", lists, counts, reference, same);
}

/* ---- exact --------------------------------------------------------------------------------------
 */

static uint64_t ref_mov(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    return cut(a);
}

static uint64_t ref_selp(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return cut(c ? a : b);
}

Test(vgpu_op_move, moves_and_selections_keep_every_bit)
{
    static const char *const types[] = { "b16", "u16", "s16", "b32", "u32", "s32",
                                         "f32", "b64", "u64", "s64", "f64" };
    for (unsigned i = 0; i < COUNT(types); i++) {
        char w = letter(types[i]);
        check("mov", types[i], (const char[]){ w, w, 0 }, ref_mov, vgpu_equal);
        check("selp", types[i], (const char[]){ w, w, w, 'p', 0 }, ref_selp, vgpu_equal);
    }
}

static uint64_t ref_and(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return a & b;
}

static uint64_t ref_or(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return a | b;
}

static uint64_t ref_xor(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return a ^ b;
}

static uint64_t ref_not(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    return !a;
}

static uint64_t ref_same(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return cut(a) == cut(b);
}

static uint64_t ref_other(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return !ref_same(a, b, c, e);
}

Test(vgpu_op_move, predicates_and_comparisons_of_bits)
{
    check("mov", "pred", "pp", ref_mov, vgpu_equal);
    check("and", "pred", "ppp", ref_and, vgpu_equal);
    check("or", "pred", "ppp", ref_or, vgpu_equal);
    check("xor", "pred", "ppp", ref_xor, vgpu_equal);
    check("not", "pred", "pp", ref_not, vgpu_equal);
    static const char *const types[] = { "b16", "b32", "b64" };
    for (unsigned i = 0; i < 3; i++) {
        char form[] = { 'p', letter(types[i]), letter(types[i]), 0 };
        check("setp.eq", types[i], form, ref_same, vgpu_equal);
        check("setp.ne", types[i], form, ref_other, vgpu_equal);
    }
}

/* ---- signs: NaN stays some NaN
 * -------------------------------------------------------------------- */

static const struct quad_format *format;
static bool flushing;

static uint64_t sign_bit(void)
{
    return UINT64_C(1) << (format->bits - 1);
}

static uint64_t flush(uint64_t x)
{
    uint64_t exponent = (sign_bit() - 1) & ~((UINT64_C(1) << (format->precision - 1)) - 1);
    return flushing && !(x & exponent) ? x & sign_bit() : x;
}

static uint64_t ref_neg(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    return flush(a & (sign_bit() | (sign_bit() - 1))) ^ sign_bit();
}

static uint64_t ref_abs(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    return flush(a & (sign_bit() | (sign_bit() - 1))) & ~sign_bit();
}

static bool is_nan(uint64_t x)
{
    quad q = quad_of(format, x);
    return q != q;
}

static bool same_number(uint64_t got, uint64_t wanted)
{
    return got == wanted || (is_nan(got) && is_nan(wanted));
}

static vgpu_reference *of_halves;

static uint64_t ref_pair(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return of_halves(a & 0xffff, b, c, e) | of_halves(a >> 16 & 0xffff, b, c, e) << 16;
}

static bool same_pair(uint64_t got, uint64_t wanted)
{
    return same_number(got & 0xffff, wanted & 0xffff) && same_number(got >> 16, wanted >> 16);
}

Test(vgpu_op_move, signs_are_changed_and_taken_away)
{
    static const struct {
        char type[8];
        const struct quad_format *format;
        bool pair;
    } types[] = { { "f32", &quad_f32, false },  { "f64", &quad_f64, false },
                  { "f16", &quad_f16, false },  { "bf16", &quad_bf16, false },
                  { "f16x2", &quad_f16, true }, { "bf16x2", &quad_bf16, true } };
    for (unsigned i = 0; i < COUNT(types); i++) {
        char w = types[i].pair                 ? 'w'
                 : types[i].format->bits == 64 ? 'q'
                 : types[i].format->bits == 32 ? 'w'
                                               : 'h';
        char form[] = { w, w, 0 };
        vgpu_same *same = types[i].pair ? same_pair : same_number;
        format = types[i].format;
        flushing = false;
        of_halves = ref_neg;
        check("neg", types[i].type, form, types[i].pair ? ref_pair : ref_neg, same);
        of_halves = ref_abs;
        check("abs", types[i].type, form, types[i].pair ? ref_pair : ref_abs, same);
    }
    format = &quad_f32;
    flushing = true;
    check("neg.ftz", "f32", "ww", ref_neg, same_number);
    check("abs.ftz", "f32", "ww", ref_abs, same_number);
}

/* ---- approximations
 * ------------------------------------------------------------------------------- */

static double (*function)(double);
static double bound; /* relative */

static double of(uint64_t bits)
{
    return (double)quad_of(format, bits);
}

static uint64_t to(double x)
{
    return quad_round(format, (quad)x, QUAD_RN);
}

static uint64_t ref_function(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    return flush(to(function(of(flush(cut(a))))));
}

static bool near(uint64_t got, uint64_t wanted)
{
    double g = of(got), w = of(wanted);
    if (same_number(got, wanted))
        return true;
    return isfinite(g) && isfinite(w) && signbit(g) == signbit(w) && fabs(g - w) <= bound * fabs(w);
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

static void approximate(const char *op, double (*f)(double), double relative)
{
    function = f;
    bound = relative;
    flushing = strstr(op, ".ftz") != NULL;
    check(op, format == &quad_f32 ? "f32" : "f64", format == &quad_f32 ? "ww" : "qq", ref_function,
          near);
}

Test(vgpu_op_move, approximations_of_single_precision_and_their_flushing)
{
    format = &quad_f32;
    approximate("rcp.approx", reciprocal, 0x1p-23);
    approximate("rcp.approx.ftz", reciprocal, 0x1p-23);
    approximate("sqrt.approx", sqrt, 0x1p-23);
    approximate("sqrt.approx.ftz", sqrt, 0x1p-23);
    approximate("rsqrt.approx", reciprocal_root, 0x1p-22);
    approximate("rsqrt.approx.ftz", reciprocal_root, 0x1p-22);
    approximate("ex2.approx", exp2, 0x1p-22);
    approximate("ex2.approx.ftz", exp2, 0x1p-22);
    approximate("lg2.approx", log2, 0x1p-22);
    approximate("lg2.approx.ftz", log2, 0x1p-22);
}

static bool near_high_word(uint64_t got, uint64_t wanted)
{
    return near(got, wanted) && (got & UINT32_MAX) == 0;
}

/* The one on the upper half has 20 bits; what is below normal counts as zero. */
Test(vgpu_op_move, approximations_of_double_precision)
{
    format = &quad_f64;
    flushing = true;
    function = reciprocal;
    bound = 0x1p-18;
    check("rcp.approx.ftz", "f64", "qq", ref_function, near_high_word);
    approximate("rsqrt.approx", reciprocal_root, 0x1p-18);
}

/* Quotients: two units where the divisor is neither tiny nor above 2^126; above, the reciprocal is
 * flushed and what is left is zero, or NaN for an infinite dividend. */
static uint64_t ref_quotient(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    double x = of(cut(a)), y = of(cut(b));
    (void)c, (void)e;
    if (fabs(y) > 0x1p126 && isfinite(y))
        return isfinite(x) ? to(copysign(0, x) * copysign(1, y)) : to(NAN);
    return to(x / y);
}

static bool near_quotient(uint64_t got, uint64_t wanted)
{
    double g = of(got), w = of(wanted);
    return near(got, wanted) || fabs(g - w) <= 2 * 0x1p-149;
}

Test(vgpu_op_move, approximate_quotients)
{
    static const uint64_t divisors[] = { 0x00800000, 0x3f800000, 0xbf800000, 0x40400000,
                                         0x7e800000, 0x7f000001, 0x7f7fffff, 0xff7fffff,
                                         0x7f800000, 0x7fc00000, 0,          0x80000000 };
    const uint64_t *const lists[] = { patterns, divisors };
    const unsigned counts[] = { 16, COUNT(divisors) };
    format = &quad_f32;
    flushing = false;
    width = 32;
    bound = 0x1p-22;
    vgpu_check("div.approx.f32", "www", "", lists, counts, ref_quotient, near_quotient);
}
