/* Integer and logic instructions of the virtual GPU against the manual's definitions. */
#include "vgpu_int_values.h"

TestSuite(vgpu_int, .timeout = 120);

#define REF(name, expr)                                                                            \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t e)                           \
    {                                                                                              \
        s128 x = number(a), y = number(b), z = number(c);                                          \
        (void)x, (void)y, (void)z, (void)e;                                                        \
        return cut((u128)(expr));                                                                  \
    }

/* x * y may need 127 bits and a sign: unsigned 64-bit products are formed without one */
static u128 product(s128 x, s128 y)
{
    return (u128)x * (u128)y;
}

static u128 high(s128 x, s128 y)
{
    return is_signed ? (u128)((s128)product(x, y) >> width) : product(x, y) >> width;
}

REF(ref_add, x + y)
REF(ref_sub, x - y)
REF(ref_mul_lo, product(x, y))
REF(ref_mul_hi, high(x, y))
REF(ref_mad_lo, product(x, y) + (u128)z)
REF(ref_mad_hi, high(x, y) + (u128)z)
REF(ref_sad, z + (x < y ? y - x : x - y))
REF(ref_div, y == 0 ? -1 : x == least() && y == -1 && is_signed ? x : x / y)
REF(ref_rem, y == 0 ? x : x % y)
REF(ref_abs, x < 0 ? -x : x)
REF(ref_neg, -x)
REF(ref_min, x < y ? x : y)
REF(ref_max, x > y ? x : y)
REF(ref_and, x &y)
REF(ref_or, x | y)
REF(ref_xor, x ^ y)
REF(ref_not, ~x)
REF(ref_cnot, x == 0)

static uint64_t ref_shl(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint32_t n = (uint32_t)b;
    (void)c, (void)e;
    return n >= width ? 0 : cut((u128)a << n);
}

static uint64_t ref_shr(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint32_t n = (uint32_t)b < width ? (uint32_t)b : width;
    (void)c, (void)e;
    return cut((u128)(number(a) >> n));
}

Test(vgpu_int, sums_differences_and_products_wrap)
{
    check_all("add", 2, ref_add);
    check_all("sub", 2, ref_sub);
    check_all("mul.lo", 2, ref_mul_lo);
    check_all("mul.hi", 2, ref_mul_hi);
    check_all("mad.lo", 3, ref_mad_lo);
    check_all("mad.hi", 3, ref_mad_hi);
    check_all("sad", 3, ref_sad);
}

Test(vgpu_int, division_truncates_and_by_zero_is_what_hardware_gives)
{
    check_all("div", 2, ref_div);
    check_all("rem", 2, ref_rem);
}

Test(vgpu_int, minimum_maximum_absolute_value_and_negation)
{
    check_all("min", 2, ref_min);
    check_all("max", 2, ref_max);
    check("abs", "s16", "hh", ref_abs);
    check("abs", "s32", "ww", ref_abs);
    check("abs", "s64", "qq", ref_abs);
    check("neg", "s16", "hh", ref_neg);
    check("neg", "s32", "ww", ref_neg);
    check("neg", "s64", "qq", ref_neg);
}

Test(vgpu_int, logic)
{
    check_bits("and", 2, ref_and);
    check_bits("or", 2, ref_or);
    check_bits("xor", 2, ref_xor);
    check_bits("not", 1, ref_not);
    check_bits("cnot", 1, ref_cnot);
}

Test(vgpu_int, shifts_stop_at_the_width)
{
    static const char *const types[] = { "b16", "b32", "b64", "u16", "u32",
                                         "u64", "s16", "s32", "s64" };
    static const char *const forms[] = { "hhw", "www", "qqw" };
    for (unsigned i = 0; i < 9; i++) {
        if (i < 3)
            check("shl", types[i], forms[i], ref_shl);
        check("shr", types[i], forms[i % 3], ref_shr);
    }
}

/* ---- wide products ----------------------------------------------------------------------------
 */

static unsigned narrow;

static s128 part(uint64_t x)
{
    x &= (UINT64_C(1) << narrow) - 1;
    return is_signed && x >> (narrow - 1) ? (s128)x - ((s128)1 << narrow) : (s128)x;
}

static uint64_t ref_wide(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return cut(product(part(a), part(b)) + c);
}

static void check_wide(const char *op, const char *type, const char *form)
{
    char instr[48];
    const uint64_t *const lists[] = { few, few, few };
    unsigned counts[] = { FEW, FEW, FEW };
    snprintf(instr, sizeof instr, "%s.wide.%s", op, type);
    is_signed = type[0] == 's';
    narrow = (unsigned)atoi(type + 1);
    width = 2 * narrow;
    vgpu_check(instr, form, "", lists, counts, ref_wide, vgpu_equal);
}

Test(vgpu_int, wide_products_have_twice_the_bits)
{
    check_wide("mul", "u16", "whh");
    check_wide("mul", "s16", "whh");
    check_wide("mul", "u32", "qww");
    check_wide("mul", "s32", "qww");
    check_wide("mad", "u16", "whhw");
    check_wide("mad", "s16", "whhw");
    check_wide("mad", "u32", "qwwq");
    check_wide("mad", "s32", "qwwq");
}

static int64_t low24(uint64_t x, bool sign)
{
    int64_t v = (int64_t)(x & 0xffffff);
    return sign && v & 0x800000 ? v - 0x1000000 : v;
}

static uint64_t ref_mul24_lo(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint32_t)(low24(a, is_signed) * low24(b, is_signed));
}

static uint64_t ref_mul24_hi(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint32_t)((low24(a, is_signed) * low24(b, is_signed)) >> 16);
}

static uint64_t ref_mad24_lo(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return (uint32_t)(ref_mul24_lo(a, b, c, e) + c);
}

Test(vgpu_int, products_of_24_bits)
{
    check("mul24.lo", "u32", "www", ref_mul24_lo);
    check("mul24.lo", "s32", "www", ref_mul24_lo);
    check("mul24.hi", "u32", "www", ref_mul24_hi);
    check("mul24.hi", "s32", "www", ref_mul24_hi);
    check("mad24.lo", "s32", "wwww", ref_mad24_lo);
}

static uint64_t saturated(int64_t v)
{
    return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static uint64_t ref_add_sat(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return saturated((int64_t)(int32_t)a + (int32_t)b);
}

static uint64_t ref_sub_sat(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return saturated((int64_t)(int32_t)a - (int32_t)b);
}

static uint64_t ref_mad_sat(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return saturated(((int64_t)(int32_t)a * (int32_t)b >> 32) + (int32_t)c);
}

Test(vgpu_int, saturating_forms_clamp)
{
    check("add.sat", "s32", "www", ref_add_sat);
    check("sub.sat", "s32", "www", ref_sub_sat);
    check("mad.hi.sat", "s32", "wwww", ref_mad_sat);
}

/* ---- selection and comparison -----------------------------------------------------------------
 */

static uint64_t ref_selp(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return cut(c ? a : b);
}

static uint64_t ref_slct(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return cut((int32_t)c >= 0 ? a : b);
}

static const char *comparison;

static uint64_t ref_setp(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    s128 x = number(a), y = number(b);
    (void)c, (void)e;
    switch (comparison[0] * 256 + comparison[1]) {
    case 'e' * 256 + 'q':
        return x == y;
    case 'n' * 256 + 'e':
        return x != y;
    case 'l' * 256 + 't':
    case 'l' * 256 + 'o':
        return x < y;
    case 'l' * 256 + 'e':
    case 'l' * 256 + 's':
        return x <= y;
    case 'g' * 256 + 't':
    case 'h' * 256 + 'i':
        return x > y;
    default:
        return x >= y;
    }
}

Test(vgpu_int, selections)
{
    check("selp", "b16", "hhhp", ref_selp);
    check("selp", "b32", "wwwp", ref_selp);
    check("selp", "b64", "qqqp", ref_selp);
    check("slct.b32", "s32", "wwww", ref_slct);
}

Test(vgpu_int, comparisons)
{
    static const char *const signed_ones[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    static const char *const unsigned_ones[] = { "lo", "ls", "hi", "hs" };
    static const char *const types[] = { "u16", "s16", "u32", "s32", "u64", "s64" };
    static const char *const forms[] = { "phh", "phh", "pww", "pww", "pqq", "pqq" };
    char op[24];
    for (unsigned t = 0; t < 6; t++) {
        for (unsigned i = 0; i < 6; i++) {
            comparison = signed_ones[i];
            snprintf(op, sizeof op, "setp.%s", comparison);
            check(op, types[t], forms[t], ref_setp);
        }
        for (unsigned i = 0; i < 4 && t % 2 == 0; i++) {
            comparison = unsigned_ones[i];
            snprintf(op, sizeof op, "setp.%s", comparison);
            check(op, types[t], forms[t], ref_setp);
        }
    }
}

static uint64_t ref_set(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return ref_setp(a, b, c, e) ? 0xffffffff : 0;
}

static uint64_t ref_set_float(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return ref_setp(a, b, c, e) ? 0x3f800000 : 0;
}

/* with a predicate: c for the reference */
static uint64_t ref_setp_and(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return ref_setp(a, b, 0, e) && c;
}

static uint64_t ref_setp_xor(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return ref_setp(a, b, 0, e) != (c != 0);
}

Test(vgpu_int, comparisons_combine_with_a_predicate_and_make_numbers)
{
    comparison = "lt";
    check("setp.lt.and", "s32", "pwwp", ref_setp_and);
    check("setp.lt.and", "u32", "pwwp", ref_setp_and);
    check("setp.lt.xor", "u32", "pwwp", ref_setp_xor);
    check("set.lt.u32", "s32", "www", ref_set);
    check("set.lt.f32", "u32", "www", ref_set_float);
}
