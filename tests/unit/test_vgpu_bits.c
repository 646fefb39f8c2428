/* Bit instructions of the virtual GPU against the manual's definitions: counting, fields, permutations, shifts, dot
 * products. */
#include "vgpu_int_values.h"

TestSuite(vgpu_bits, .timeout = 120);

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

Test(vgpu_bits, counting_and_finding_bits)
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

Test(vgpu_bits, bit_fields_are_extracted_and_inserted)
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

Test(vgpu_bits, every_three_operand_logic_table)
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

Test(vgpu_bits, bytes_are_permuted_with_sign_replication)
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

Test(vgpu_bits, named_permutations)
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

Test(vgpu_bits, funnel_shifts_clamp_or_wrap)
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

Test(vgpu_bits, dot_products_of_four_and_two)
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

Test(vgpu_bits, masks_and_extensions)
{
    wraps = false;
    check("bmsk.clamp", "b32", "www", ref_bmsk);
    check("szext.clamp", "u32", "www", ref_szext);
    check("szext.clamp", "s32", "www", ref_szext);
    wraps = true;
    check("bmsk.wrap", "b32", "www", ref_bmsk);
    check("szext.wrap", "s32", "www", ref_szext);
}
