/* Atomic instructions of the virtual GPU: what memory holds after and what the thread gets. */
#include <math.h>

#include "vgpu_run.h"

TestSuite(vgpu_op_atom, .timeout = 120);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const uint64_t numbers[] = {
    0,
    1,
    2,
    77,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x3f800000,
    0xbf800000,
    0x7f800000,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0x3ff0000000000000,
    0xc0590000deadbeef,
};
enum { N = COUNT(numbers), CASES = N * N * N };

static unsigned width;
static bool flushing; /* single precision in global memory: subnormal operands and sums are zero */

static int64_t sign_extended(uint64_t x)
{
    return width == 32 ? (int32_t)x : (int64_t)x;
}

static float flushed(float x)
{
    return flushing && fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static uint64_t sum_of_floats(uint64_t a, uint64_t b)
{
    float x, y;
    double v, w;
    uint32_t low;
    if (width == 32) {
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        x = flushed(x) + flushed(y);
        x = flushed(x);
        memcpy(&low, &x, 4);
        return x != x ? 0x7fffffff : low;
    }
    memcpy(&v, &a, 8);
    memcpy(&w, &b, 8);
    v += w;
    memcpy(&a, &v, 8);
    return a;
}

/* The manual's operations: b is the operand, for cas c is what is stored. */
static uint64_t after(const char *op, char type, uint64_t old, uint64_t b, uint64_t c)
{
    if (strcmp(op, "add") == 0)
        return type == 'f' ? sum_of_floats(old, b) : old + b;
    if (strcmp(op, "min") == 0)
        return type == 's' ? (sign_extended(b) < sign_extended(old) ? b : old) : b < old ? b : old;
    if (strcmp(op, "max") == 0)
        return type == 's' ? (sign_extended(b) > sign_extended(old) ? b : old) : b > old ? b : old;
    if (strcmp(op, "and") == 0)
        return old & b;
    if (strcmp(op, "or") == 0)
        return old | b;
    if (strcmp(op, "xor") == 0)
        return old ^ b;
    if (strcmp(op, "exch") == 0)
        return b;
    if (strcmp(op, "cas") == 0)
        return old == b ? c : old;
    if (strcmp(op, "inc") == 0)
        return old >= b ? 0 : old + 1;
    return old == 0 || old > b ? b : old - 1; /* dec */
}

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pd, .param .u64 "
    "pm, .param .u64 pb, "
    ".param .u64 pc)\n{\n.shared .align 8 .b8 s[2048];\n.reg .b64 %rd<16>;\n.reg .b32 %r<8>;\n.reg "
    ".pred %p<2>;\n"
    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.s32 %r1, %r1, "
    "%r2, %r0;\n"
    "mul.wide.u32 %rd0, %r1, 8;\nld.param.u64 %rd1, [pd];\nadd.s64 %rd1, %rd1, %rd0;\nld.param.u64 "
    "%rd2, [pm];\n"
    "add.s64 %rd2, %rd2, %rd0;\nld.param.u64 %rd3, [pb];\nadd.s64 %rd3, %rd3, %rd0;\nld.param.u64 "
    "%rd4, [pc];\n"
    "add.s64 %rd4, %rd4, %rd0;\nshl.b32 %r3, %r0, 3;\nmov.u32 %r4, s;\nadd.u32 %r3, %r3, %r4;\n"
    "cvt.u64.u32 %rd11, %r3;\ncvta.shared.u64 %rd11, %rd11;\n"
    "ld.global.u64 %rd5, [%rd2];\nld.global.u64 %rd6, [%rd3];\nld.global.u64 %rd7, "
    "[%rd4];\ncvt.u32.u64 %r5, %rd6;\n"
    "cvt.u32.u64 %r6, %rd7;\nst.shared.u64 [%r3], %rd5;\nmov.u64 %rd8, 0;\nmov.u32 %r7, 0;\n";

static uint64_t cut(uint64_t x)
{
    return width == 32 ? x & UINT32_MAX : x;
}

static bool same(char type, uint64_t got, uint64_t wanted)
{
    double g, w;
    memcpy(&g, &got, 8);
    memcpy(&w, &wanted, 8);
    return got == wanted || (type == 'f' && width == 64 && isnan(g) && isnan(w));
}

static void check_results(const char *instr, const char *op, char type, bool reduction,
                          const uint64_t *memory, const uint64_t *got)
{
    for (uint32_t i = 0; i < CASES; i++) {
        uint64_t old = cut(numbers[i % N]), b = cut(numbers[i / N % N]),
                 c = cut(numbers[i / N / N]);
        uint64_t wanted = cut(after(op, type, old, b, c));
        bool good = same(type, cut(memory[i]), wanted) && (reduction || got[i] == old);
        /* bytes beside the operand stay */
        good = good && (width == 64 || memory[i] >> 32 == numbers[i % N] >> 32);
        cr_expect(good, "%s of %llx, %llx, %llx: memory %llx (wanted %llx), result %llx", instr,
                  (unsigned long long)old, (unsigned long long)b, (unsigned long long)c,
                  (unsigned long long)memory[i], (unsigned long long)wanted,
                  (unsigned long long)got[i]);
        if (!good)
            return;
    }
}

static void check(const char *opcode, const char *space, const char *op, const char *type)
{
    struct vgpu_run r;
    struct str text = STR_INIT;
    char instr[64];
    uint64_t params[4], *values = malloc(CASES * sizeof *values);
    bool reduction = strcmp(opcode, "red") == 0, shared = strcmp(space, ".shared") == 0;
    bool cas = strcmp(op, "cas") == 0, generic_shared = strcmp(space, "*") == 0;
    width = (unsigned)atoi(type + 1);
    flushing = !shared && !generic_shared;
    const char *reg = width == 64 ? "%rd" : "%r";
    snprintf(instr, sizeof instr, "%s%s.%s.%s", opcode, generic_shared ? "" : space, op, type);
    str_addf(&text, "%s%s ", head, instr);
    if (!reduction)
        str_addf(&text, "%s%d, ", reg, width == 64 ? 8 : 7);
    str_addf(&text, "[%s], %s%d",
             generic_shared ? "%rd11"
             : shared       ? "%r3"
                            : "%rd2",
             reg, width == 64 ? 6 : 5);
    if (cas)
        str_addf(&text, ", %s%d", reg, width == 64 ? 7 : 6);
    str_add(&text, ";\n");
    if (shared || generic_shared)
        str_add(&text, "ld.shared.u64 %rd5, [%r3];\nst.global.u64 [%rd2], %rd5;\n");
    str_addf(&text, "%sst.global.u64 [%%rd1], %%rd8;\nret;\n}\n",
             width == 32 ? "cvt.u64.u32 %rd8, %r7;\n" : "");
    cr_assert_eq(vgpu_load(&r, text.p, 90, NULL, false), 0, "%s: %s", instr, r.err.msg);
    params[0] = vgpu_buffer(&r, NULL, CASES * sizeof *values);
    for (unsigned k = 0, step = 1; k < 3; k++, step *= N) {
        for (uint32_t i = 0; i < CASES; i++)
            values[i] = numbers[i / step % N];
        params[k + 1] = vgpu_buffer(&r, values, CASES * sizeof *values);
    }
    cr_assert_eq(vgpu_launch(&r, NULL, CASES / 256, 256, params, sizeof params), EXEC_OK, "%s: %s",
                 instr, r.result.fault.text);
    check_results(instr, op, type[0], reduction, vgpu_host(&r, params[1], CASES * 8),
                  vgpu_host(&r, params[0], CASES * 8));
    vgpu_tested(instr);
    vgpu_free(&r);
    str_free(&text);
    free(values);
}

static const struct {
    char op[5], types[5][4];
} table[] = {
    { "add", { "u32", "s32", "u64", "f32", "f64" } },
    { "min", { "u32", "s32", "u64", "s64", "" } },
    { "max", { "u32", "s32", "u64", "s64", "" } },
    { "and", { "b32", "b64", "", "", "" } },
    { "or", { "b32", "b64", "", "", "" } },
    { "xor", { "b32", "b64", "", "", "" } },
    { "exch", { "b32", "b64", "", "", "" } },
    { "cas", { "b32", "b64", "", "", "" } },
    { "inc", { "u32", "", "", "", "" } },
    { "dec", { "u32", "", "", "", "" } },
};

static void check_space(const char *space)
{
    for (unsigned i = 0; i < COUNT(table); i++) {
        for (unsigned t = 0; t < 5 && table[i].types[t][0]; t++) {
            check("atom", space, table[i].op, table[i].types[t]);
            if (strcmp(table[i].op, "exch") != 0 && strcmp(table[i].op, "cas") != 0)
                check("red", space, table[i].op, table[i].types[t]);
        }
    }
}

Test(vgpu_op_atom, atomics_of_global_memory)
{
    check_space(".global");
}

Test(vgpu_op_atom, atomics_of_shared_memory)
{
    check_space(".shared");
}

Test(vgpu_op_atom, atomics_of_generic_addresses)
{
    check_space("");
    check_space("*");
}
