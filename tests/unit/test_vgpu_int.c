/* Integer, logic and bit instructions of the virtual GPU against the manual's definitions. */
#include "vgpu_run.h"

TestSuite(vgpu_int, .timeout = 120);

static const uint64_t numbers[] = {
    0,
    1,
    2,
    3,
    7,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    100,
    127,
    128,
    255,
    256,
    0x1234,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x10000,
    0x12345678,
    0x55555555,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xdeadbeef,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x123456789abcdef0,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xaaaaaaaaaaaaaaaa,
    0xfffffffffffffff0,
    0xffffffffffffffff,
};
static const uint64_t few[] = {
    0,
    1,
    2,
    5,
    8,
    16,
    31,
    32,
    33,
    40,
    64,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0xcafebabe,
    0xffffffff,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xfedcba9876543210,
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0], FEW = sizeof few / sizeof few[0] };

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static unsigned width; /* of the references, in bits */
static bool is_signed;

static uint64_t cut(u128 x)
{
    return (uint64_t)x & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

/* An operand as the number that the type says, in 128 bits. */
static s128 number(uint64_t x)
{
    x = cut(x);
    if (is_signed && x >> (width - 1) & 1)
        return (s128)x - ((s128)1 << width);
    return (s128)x;
}

static s128 least(void)
{
    return is_signed ? -((s128)1 << (width - 1)) : 0;
}

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

static void check(const char *op, const char *type, const char *form, vgpu_reference *reference)
{
    char instr[48];
    bool many = strlen(form) <= 3;
    const uint64_t *v = many ? numbers : few;
    const uint64_t *const lists[] = { v, v, v, v };
    unsigned n = many ? NUMBERS : FEW;
    unsigned counts[] = { n, n, n, n };
    snprintf(instr, sizeof instr, "%s.%s", op, type);
    is_signed = type[0] == 's';
    width = (unsigned)atoi(type + 1);
    vgpu_check(instr, form, "", lists, counts, reference, vgpu_equal);
}

/* All six integer types with one width letter for each operand. */
static void check_all(const char *op, unsigned operands, vgpu_reference *reference)
{
    static const char *const types[] = { "u16", "s16", "u32", "s32", "u64", "s64" };
    for (unsigned i = 0; i < 6; i++) {
        char form[6] = { 0 };
        memset(form, "hhwwqq"[i], operands + 1);
        check(op, types[i], form, reference);
    }
}

static void check_bits(const char *op, unsigned operands, vgpu_reference *reference)
{
    static const char *const types[] = { "b16", "b32", "b64" };
    for (unsigned i = 0; i < 3; i++) {
        char form[6] = { 0 };
        memset(form, "hwq"[i], operands + 1);
        check(op, types[i], form, reference);
    }
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

/* ---- bits -------------------------------------------------------------------------------------
 */

static uint64_t ref_popc(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t n = 0;
    (void)b, (void)c, (void)e;
    for (unsigned i = 0; i < width; i++)
        n += a >> i & 1;
    return n;
}

static uint64_t ref_clz(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t n = 0;
    (void)b, (void)c, (void)e;
    while (n < width && !(a >> (width - 1 - n) & 1))
        n++;
    return n;
}

static uint64_t ref_brev(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t r = 0;
    (void)b, (void)c, (void)e;
    for (unsigned i = 0; i < width; i++)
        r |= (a >> i & 1) << (width - 1 - i);
    return r;
}

static uint64_t ref_bfind(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t x = cut(a);
    (void)b, (void)c, (void)e;
    if (is_signed && x >> (width - 1))
        x = cut(~x);
    for (unsigned i = width; i-- > 0;)
        if (x >> i & 1)
            return i;
    return UINT32_MAX;
}

static uint64_t ref_bfind_shift(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t at = ref_bfind(a, b, c, e);
    return at == UINT32_MAX ? at : width - 1 - at;
}

/* As the manual's pseudocode: bit by bit. */
static uint64_t ref_bfe(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t pos = b & 0xff, len = c & 0xff, r = 0, msb = width - 1, sign;
    (void)e;
    if (!is_signed || len == 0)
        sign = 0;
    else
        sign = a >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
    for (unsigned i = 0; i <= msb; i++)
        r |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign) << i;
    return r;
}

static uint64_t ref_bfi(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t pos = c & 0xff, len = e & 0xff, r = cut(b);
    for (unsigned i = 0; i < len && pos + i < width; i++) {
        uint64_t bit = i < 64 ? a >> i & 1 : 0;
        r = (r & ~(UINT64_C(1) << (pos + i))) | bit << (pos + i);
    }
    return r;
}

Test(vgpu_int, counting_and_finding_bits)
{
    check("popc", "b32", "ww", ref_popc);
    check("popc", "b64", "wq", ref_popc);
    check("clz", "b32", "ww", ref_clz);
    check("clz", "b64", "wq", ref_clz);
    check("brev", "b32", "ww", ref_brev);
    check("brev", "b64", "qq", ref_brev);
    check("bfind", "u32", "ww", ref_bfind);
    check("bfind", "s32", "ww", ref_bfind);
    check("bfind", "u64", "wq", ref_bfind);
    check("bfind", "s64", "wq", ref_bfind);
    check("bfind.shiftamt", "u32", "ww", ref_bfind_shift);
    check("bfind.shiftamt", "s64", "wq", ref_bfind_shift);
}

Test(vgpu_int, bit_fields_are_extracted_and_inserted)
{
    check("bfe", "u32", "wwww", ref_bfe);
    check("bfe", "s32", "wwww", ref_bfe);
    check("bfe", "u64", "qqww", ref_bfe);
    check("bfe", "s64", "qqww", ref_bfe);
    check("bfi", "b32", "wwwww", ref_bfi);
    check("bfi", "b64", "qqqww", ref_bfi);
}

static unsigned table;

static uint64_t ref_lop3(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t r = 0;
    (void)e;
    for (unsigned i = 0; i < 32; i++)
        r |= (uint64_t)(table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return r;
}

Test(vgpu_int, every_three_operand_logic_table)
{
    const uint64_t x[] = { 0xf0f0f0f0, 0x12345678 }, y[] = { 0xcccccccc, 0x9abcdef0 };
    const uint64_t z[] = { 0xaaaaaaaa, 0x0fedcba9 };
    const uint64_t *const lists[] = { x, y, z };
    const unsigned counts[] = { 2, 2, 2 };
    for (table = 0; table < 256; table += 5) {
        char tail[16];
        snprintf(tail, sizeof tail, ", %u", table);
        vgpu_check("lop3.b32", "wwww", tail, lists, counts, ref_lop3, vgpu_equal);
    }
}

static uint64_t ref_prmt(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t bytes = (a & 0xffffffff) | b << 32, r = 0;
    (void)e;
    for (unsigned i = 0; i < 4; i++) {
        unsigned s = c >> 4 * i & 15;
        uint64_t byte = bytes >> 8 * (s & 7) & 0xff;
        r |= (s & 8 ? (byte >> 7 ? 0xffu : 0u) : byte) << 8 * i;
    }
    return r;
}

Test(vgpu_int, bytes_are_permuted_with_sign_replication)
{
    const uint64_t a[] = { 0x83420180, 0x7f80ff01 }, b[] = { 0xfe10c055, 0x00017f80 };
    uint64_t selectors[512];
    const uint64_t *const lists[] = { a, b, selectors };
    const unsigned counts[] = { 2, 2, 512 };
    for (unsigned i = 0; i < 512; i++)
        selectors[i] = i * 2654435761u & 0xffff;
    vgpu_check("prmt.b32", "wwww", "", lists, counts, ref_prmt, vgpu_equal);
}

static const char *mode;

static uint64_t ref_prmt_mode(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t bytes = (a & 0xffffffff) | b << 32, r = 0;
    unsigned s = c & 3;
    (void)e;
    for (unsigned i = 0; i < 4; i++) {
        unsigned pick = strcmp(mode, "f4e") == 0   ? s + i
                        : strcmp(mode, "b4e") == 0 ? (s + 8 - i) % 8
                        : strcmp(mode, "rc8") == 0 ? s
                        : strcmp(mode, "ecl") == 0 ? (i > s ? i : s)
                        : strcmp(mode, "ecr") == 0 ? (i < s ? i : s)
                                                   : (s & 1) * 2 + i % 2;
        r |= (bytes >> 8 * pick & 0xff) << 8 * i;
    }
    return r;
}

Test(vgpu_int, named_permutations)
{
    static const char *const modes[] = { "f4e", "b4e", "rc8", "ecl", "ecr", "rc16" };
    const uint64_t a[] = { 0x03020100 }, b[] = { 0x07060504 }, s[] = { 0, 1, 2, 3, 7 };
    const uint64_t *const lists[] = { a, b, s };
    const unsigned counts[] = { 1, 1, 5 };
    for (unsigned i = 0; i < 6; i++) {
        char instr[24];
        mode = modes[i];
        snprintf(instr, sizeof instr, "prmt.b32.%s", mode);
        vgpu_check(instr, "wwww", "", lists, counts, ref_prmt_mode, vgpu_equal);
    }
}

static bool left, wraps;

static uint64_t ref_shf(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t n = (uint32_t)c, both = (uint32_t)a | (uint64_t)(uint32_t)b << 32;
    (void)e;
    n = wraps ? n & 31 : n > 32 ? 32 : n;
    if (n == 32)
        return left ? (uint32_t)a : (uint32_t)b;
    return left ? (uint32_t)(both >> (32 - n)) : (uint32_t)(both >> n);
}

Test(vgpu_int, funnel_shifts_clamp_or_wrap)
{
    for (unsigned i = 0; i < 4; i++) {
        char op[24];
        left = i & 1;
        wraps = i & 2;
        snprintf(op, sizeof op, "shf.%s.%s", left ? "l" : "r", wraps ? "wrap" : "clamp");
        check(op, "b32", "wwww", ref_shf);
    }
}

static bool a_signed, b_signed;
static unsigned dot_bytes, dot_from;

static int64_t piece(uint64_t x, unsigned bits, unsigned at, bool sign)
{
    int64_t v = (int64_t)(x >> bits * at & ((1u << bits) - 1));
    return sign && v >> (bits - 1) ? v - (INT64_C(1) << bits) : v;
}

static uint64_t ref_dot(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    int64_t r = (int32_t)c;
    (void)e;
    for (unsigned i = 0; i < dot_bytes; i++)
        r += piece(a, 32 / dot_bytes, i, a_signed) * piece(b, 8, dot_from + i, b_signed);
    return (uint32_t)r;
}

Test(vgpu_int, dot_products_of_four_and_two)
{
    for (unsigned i = 0; i < 12; i++) {
        char instr[32];
        a_signed = i & 1;
        b_signed = i & 2;
        dot_bytes = i < 4 ? 4 : 2;
        dot_from = i >= 8 ? 2 : 0;
        snprintf(instr, sizeof instr, "%s.%s",
                 i < 4   ? "dp4a"
                 : i < 8 ? "dp2a.lo"
                         : "dp2a.hi",
                 a_signed ? "s32" : "u32");
        check(instr, b_signed ? "s32" : "u32", "wwww", ref_dot);
    }
}

static uint64_t ref_bmsk(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t pos = (uint32_t)a, len = (uint32_t)b, r = 0;
    (void)c, (void)e;
    if (wraps)
        pos &= 31, len &= 31;
    for (unsigned i = 0; i < 32; i++)
        r |= (uint64_t)(i >= pos && i - pos < len) << i;
    return r;
}

static uint64_t ref_szext(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t n = (uint32_t)b, x = (uint32_t)a;
    (void)c, (void)e;
    n = wraps ? n & 31 : n > 32 ? 32 : n;
    for (unsigned i = (unsigned)n; i < 32; i++) {
        uint64_t bit = is_signed && n ? x >> (n - 1) & 1 : 0;
        x = (x & ~(UINT64_C(1) << i)) | bit << i;
    }
    return x;
}

Test(vgpu_int, masks_and_extensions)
{
    wraps = false;
    check("bmsk.clamp", "b32", "www", ref_bmsk);
    check("szext.clamp", "u32", "www", ref_szext);
    check("szext.clamp", "s32", "www", ref_szext);
    wraps = true;
    check("bmsk.wrap", "b32", "www", ref_bmsk);
    check("szext.wrap", "s32", "www", ref_szext);
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
