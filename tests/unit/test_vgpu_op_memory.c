/* Loads and stores of the virtual GPU in every space, type and vector: which bytes, and how a
 * narrow one fills a wide register. Parameters of kernels and of functions likewise. */
#include "vgpu_run.h"

TestSuite(vgpu_op_memory, .timeout = 120);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { THREADS = 64, SLOT = 64, AT = 16 };

struct type {
    char name[4];
    unsigned bytes;
    char kind; /* u, s, b, f */
};

static const struct type types[] = {
    { "u8", 1, 'u' },  { "s8", 1, 's' },  { "b8", 1, 'b' },  { "u16", 2, 'u' }, { "s16", 2, 's' },
    { "b16", 2, 'b' }, { "u32", 4, 'u' }, { "s32", 4, 's' }, { "b32", 4, 'b' }, { "f32", 4, 'f' },
    { "u64", 8, 'u' }, { "s64", 8, 's' }, { "b64", 8, 'b' }, { "f64", 8, 'f' },
};

/* One slot of bytes a thread; the interesting ones are those at AT. */
static uint8_t slots[THREADS][SLOT];
static uint64_t values[THREADS][4];

static void fill(void)
{
    static const uint8_t edges[] = { 0x00, 0x7f, 0x80, 0xff, 0x01, 0xfe };
    uint32_t x = 12345;
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned i = 0; i < SLOT; i++) {
            x = x * 1664525 + 1013904223;
            slots[t][i] = x >> 28 < 6 ? edges[x >> 28] : (uint8_t)(x >> 20);
        }
        memcpy(values[t], slots[t], sizeof values[t]);
    }
}

/* The value of `bytes` bytes in a register of `width` bytes, as a 64-bit number. */
static uint64_t extended(const uint8_t *p, const struct type *type, unsigned width)
{
    uint64_t v = 0;
    memcpy(&v, p, type->bytes);
    unsigned bits = type->bytes * 8;
    if (type->kind == 's' && bits < 64 && v >> (bits - 1) & 1)
        v |= UINT64_MAX << bits;
    return width == 8 ? v : v & ((UINT64_C(1) << width * 8) - 1);
}

static const char head[] =
    ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 p[64])\n{\n"
    ".shared .align 16 .b8 s[4096];\n.local .align 16 .b8 l[64];\n.reg .b64 %rd<16>;\n.reg .b32 "
    "%r<16>;\n"
    ".reg .b16 h<4>;\n.reg .b32 w<4>;\n.reg .b64 q<4>;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, "
    "%r0, 64;\n"
    "ld.param.u64 %rd1, [pin];\nadd.s64 %rd1, %rd1, %rd0;\nld.param.u64 %rd2, [pout];\nadd.s64 "
    "%rd2, %rd2, %rd0;\n"
    "mov.u32 %r1, s;\ncvt.u32.u64 %r2, %rd0;\nadd.u32 %r1, %r1, %r2;\nmov.u64 %rd3, l;\nmov.u64 "
    "%rd4, c;\n";

/* The module with the constants of thread 0. */
static struct str text_begin(void)
{
    struct str s = STR_INIT;
    str_add(&s, ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 16 .b8 c[64] = {");
    for (unsigned i = 0; i < SLOT; i++)
        str_addf(&s, "%s%u", i ? ", " : "", slots[0][i]);
    str_add(&s, "};\n");
    return s;
}

/* The address of a thread's slot in the space that is named in `space`. */
static const char *address(const char *space)
{
    return strstr(space, "shared")  ? "%r1"
           : strstr(space, "local") ? "%rd3"
           : strstr(space, "const") ? "%rd4"
           : strstr(space, "param") ? "p"
                                    : "%rd1";
}

static void copy_slot(struct str *s, const char *from, const char *from_at, const char *to,
                      const char *to_at)
{
    for (unsigned i = 0; i < SLOT; i += 16)
        str_addf(s,
                 "ld%s.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%s+%u];\nst%s.v4.u32 [%s+%u], {%%r4, "
                 "%%r5, %%r6, %%r7};\n",
                 from, from_at, i, to, to_at, i);
}

static void operands(struct str *s, char reg, unsigned count)
{
    str_add(s, count > 1 ? "{" : "");
    for (unsigned i = 0; i < count; i++)
        str_addf(s, "%s%c%u", i ? ", " : "", reg, i);
    str_add(s, count > 1 ? "}" : "");
}

struct params {
    uint64_t in, out;
    uint8_t block[SLOT];
};

static void run(struct vgpu_run *r, const struct str *text, const char *instr, struct params *p,
                const void *in)
{
    static const uint8_t empty[THREADS][SLOT];
    cr_assert_eq(vgpu_load(r, text->p, 90, NULL, false), 0, "%s: %s", instr, r->err.msg);
    p->in = vgpu_buffer(r, in, sizeof slots);
    p->out = vgpu_buffer(r, empty, sizeof slots);
    memcpy(p->block, slots[0], SLOT);
    cr_assert_eq(vgpu_launch(r, NULL, 1, THREADS, p, sizeof *p), EXEC_OK, "%s: %s", instr,
                 r->result.fault.text);
}

/* ---- loads
 * ------------------------------------------------------------------------------------------ */

static void widen(struct str *s, char reg, unsigned i)
{
    if (reg == 'q')
        str_addf(s, "mov.b64 %%rd8, q%u;\n", i);
    else
        str_addf(s, "cvt.u64.u%u %%rd8, %c%u;\n", reg == 'h' ? 16 : 32, reg, i);
    str_addf(s, "st.global.u64 [%%rd2+%u], %%rd8;\n", i * 8);
}

static void check_load(const char *space, unsigned count, const struct type *type, char reg)
{
    static const char *const vectors[] = { "", "", ".v2", "", ".v4" };
    struct vgpu_run r;
    struct params p;
    struct str s = text_begin();
    char instr[64];
    bool fixed = strstr(space, "const") || strstr(space, "param");
    unsigned width = reg == 'h' ? 2 : reg == 'w' ? 4 : 8;
    snprintf(instr, sizeof instr, "ld%s%s.%s", space, vectors[count], type->name);
    str_add(&s, head);
    if (strstr(space, "shared") || strstr(space, "local"))
        copy_slot(&s, ".global", "%rd1", strstr(space, "shared") ? ".shared" : ".local",
                  address(space));
    str_addf(&s, "%s ", instr);
    operands(&s, reg, count);
    str_addf(&s, ", [%s+%d];\n", address(space), AT);
    for (unsigned i = 0; i < count; i++)
        widen(&s, reg, i);
    str_add(&s, "ret;\n}\n");
    run(&r, &s, instr, &p, slots);
    const uint8_t *out = vgpu_host(&r, p.out, sizeof slots);
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned i = 0; i < count; i++) {
            uint64_t got,
                wanted = extended(&slots[fixed ? 0 : t][AT + i * type->bytes], type, width);
            memcpy(&got, out + t * SLOT + i * 8, 8);
            cr_assert_eq(got, wanted, "%s, thread %u, element %u: %llx, not %llx", instr, t, i,
                         (unsigned long long)got, (unsigned long long)wanted);
        }
    }
    vgpu_tested(instr);
    vgpu_free(&r);
    str_free(&s);
}

/* Registers that a type goes into: its own width, and for whole numbers wider ones. */
static bool takes(const struct type *type, char reg)
{
    unsigned width = reg == 'h' ? 2 : reg == 'w' ? 4 : 8;
    return type->kind == 'f' ? width == type->bytes : width >= type->bytes;
}

static void check_loads(const char *space)
{
    fill();
    for (size_t t = 0; t < COUNT(types); t++)
        for (unsigned count = 1; count <= 4; count *= 2)
            for (const char *reg = "hwq"; *reg && count * types[t].bytes <= 16; reg++)
                if (takes(&types[t], *reg))
                    check_load(space, count, &types[t], *reg);
}

Test(vgpu_op_memory, loads_of_global_memory)
{
    check_loads(".global");
    check_loads(".global.nc");
    check_loads(".volatile.global");
    check_loads("");
}

Test(vgpu_op_memory, loads_of_shared_and_local_memory)
{
    check_loads(".shared");
    check_loads(".volatile.shared");
    check_loads(".local");
}

Test(vgpu_op_memory, loads_of_constants_and_parameters)
{
    check_loads(".const");
    check_loads(".param");
}

/* ---- stores
 * ----------------------------------------------------------------------------------------- */

static void narrow(struct str *s, char reg, unsigned i)
{
    str_addf(s, "ld.global.u64 %%rd8, [%%rd1+%u];\n", i * 8);
    if (reg == 'q')
        str_addf(s, "mov.b64 q%u, %%rd8;\n", i);
    else
        str_addf(s, "cvt.u%u.u64 %c%u, %%rd8;\n", reg == 'h' ? 16 : 32, reg, i);
}

static void check_store(const char *space, unsigned count, const struct type *type, char reg)
{
    static const char *const vectors[] = { "", "", ".v2", "", ".v4" };
    struct vgpu_run r;
    struct params p;
    struct str s = text_begin();
    char instr[64];
    bool global = !strstr(space, "shared") && !strstr(space, "local");
    const char *plain = strstr(space, "shared") ? ".shared" : ".local",
               *at = global ? "%rd2" : address(space);
    snprintf(instr, sizeof instr, "st%s%s.%s", space, vectors[count], type->name);
    str_add(&s, head);
    if (!global)
        copy_slot(&s, ".global", "%rd2", plain, at);
    for (unsigned i = 0; i < count; i++)
        narrow(&s, reg, i);
    str_addf(&s, "%s [%s+%d], ", instr, at, AT);
    operands(&s, reg, count);
    str_add(&s, ";\n");
    if (!global)
        copy_slot(&s, plain, at, ".global", "%rd2");
    str_add(&s, "ret;\n}\n");
    run(&r, &s, instr, &p, slots);
    const uint8_t *out = vgpu_host(&r, p.out, sizeof slots);
    for (unsigned t = 0; t < THREADS; t++) {
        uint8_t wanted[SLOT] = { 0 };
        for (unsigned i = 0; i < count; i++)
            memcpy(wanted + AT + i * type->bytes, &values[t][i], type->bytes);
        cr_assert_arr_eq(out + t * SLOT, wanted, SLOT, "%s of a register '%c', thread %u", instr,
                         reg, t);
    }
    vgpu_tested(instr);
    vgpu_free(&r);
    str_free(&s);
}

static void check_stores(const char *space)
{
    fill();
    for (size_t t = 0; t < COUNT(types); t++)
        for (unsigned count = 1; count <= 4; count *= 2)
            for (const char *reg = "hwq"; *reg && count * types[t].bytes <= 16; reg++)
                if (takes(&types[t], *reg))
                    check_store(space, count, &types[t], *reg);
}

Test(vgpu_op_memory, stores_to_global_memory)
{
    check_stores(".global");
    check_stores(".volatile.global");
    check_stores("");
}

Test(vgpu_op_memory, stores_to_shared_and_local_memory)
{
    check_stores(".shared");
    check_stores(".volatile.shared");
    check_stores(".local");
}

/* ---- parameters of functions
 * -------------------------------------------------------------------------- */

/* A value goes into a function and comes back, in a parameter of its type or in the midst of a
 * block. */
static void check_call(const struct type *type, bool block)
{
    struct vgpu_run r;
    struct params p;
    struct str s = text_begin();
    char store[32], load[32];
    char reg = type->bytes == 8 ? 'q' : type->bytes == 4 ? 'w' : 'h';
    const char *array = block ? "[32]" : "", *align = block ? ".align 16 .b8" : "";
    snprintf(store, sizeof store, "st.param.%s", type->name);
    snprintf(load, sizeof load, "ld.param.%s", type->name);
    char kind[8];
    snprintf(kind, sizeof kind, ".b%u", type->bytes * 8);
    align = block ? align : kind;
    unsigned at = block ? 16 : 0;
    str_addf(&s,
             ".func (.param %s r%s) f(.param %s a%s)\n{\n.reg .b%u x;\n%s x, [a+%u];\n%s [r+%u], "
             "x;\nret;\n}\n",
             align, array, align, array, reg == 'h' ? 16 : type->bytes * 8, load, at, store, at);
    str_add(&s, head);
    narrow(&s, reg, 0);
    str_addf(&s,
             "{\n.param %s x%s;\n.param %s y%s;\n%s [x+%u], %c0;\ncall.uni (y), f, (x);\n%s %c1, "
             "[y+%u];\n}\n",
             align, array, align, array, store, at, reg, load, reg, at);
    widen(&s, reg, 1);
    str_add(&s, "ret;\n}\n");
    run(&r, &s, store, &p, slots);
    const uint8_t *out = vgpu_host(&r, p.out, sizeof slots);
    for (unsigned t = 0; t < THREADS; t++) {
        uint64_t got,
            wanted = extended((const uint8_t *)&values[t][0], type, reg == 'h' ? 2 : type->bytes);
        memcpy(&got, out + t * SLOT + 8, 8);
        cr_assert_eq(got, wanted, "%s, thread %u: %llx, not %llx", store, t,
                     (unsigned long long)got, (unsigned long long)wanted);
    }
    vgpu_tested(store);
    vgpu_tested(load);
    vgpu_tested_in(s.p, "call.uni");
    vgpu_tested("ret");
    vgpu_free(&r);
    str_free(&s);
}

Test(vgpu_op_memory, functions_take_and_return_every_type)
{
    fill();
    for (size_t t = 0; t < COUNT(types); t++) {
        check_call(&types[t], false);
        check_call(&types[t], true);
    }
}

/* ---- addresses
 * ---------------------------------------------------------------------------------------- */

Test(vgpu_op_memory, addresses_become_generic_and_back)
{
    static const char *const spaces[] = { "global", "shared", "local", "const" };
    static const char *const variables[] = { "%rd1", "s", "l", "c" };
    fill();
    for (unsigned i = 0; i < COUNT(spaces); i++) {
        struct vgpu_run r;
        struct params p;
        char instr[32];
        struct str s = text_begin();
        str_add(&s, head);
        if (i == 1 || i == 2)
            copy_slot(&s, ".global", "%rd1", i == 1 ? ".shared" : ".local",
                      i == 1 ? "%r1" : "%rd3");
        str_addf(&s, "mov.u64 %%rd5, %s;\n%s", variables[i],
                 i == 1 ? "add.s64 %rd5, %rd5, %rd0;\n" : "");
        str_addf(
            &s, "cvta.%s.u64 %%rd6, %%rd5;\ncvta.to.%s.u64 %%rd7, %%rd6;\nld.u64 q0, [%%rd6+16];\n",
            spaces[i], spaces[i]);
        str_addf(&s, "ld.%s.u64 q1, [%%rd7+16];\nxor.b64 q2, %%rd5, %%rd7;\n", spaces[i]);
        for (unsigned k = 0; k < 3; k++)
            widen(&s, 'q', k);
        str_add(&s, "ret;\n}\n");
        run(&r, &s, spaces[i], &p, slots);
        const uint8_t *out = vgpu_host(&r, p.out, sizeof slots);
        for (unsigned t = 0; t < THREADS; t++) {
            const uint8_t *wanted = &slots[i == 3 ? 0 : t][AT];
            cr_assert_arr_eq(out + t * SLOT, wanted, 8, "%s, thread %u, generic", spaces[i], t);
            cr_assert_arr_eq(out + t * SLOT + 8, wanted, 8, "%s, thread %u, back", spaces[i], t);
            cr_assert_arr_eq(out + t * SLOT + 16, "\0\0\0\0\0\0\0", 8, "%s, thread %u", spaces[i],
                             t);
        }
        snprintf(instr, sizeof instr, "cvta.%s.u64", spaces[i]);
        vgpu_tested(instr);
        snprintf(instr, sizeof instr, "cvta.to.%s.u64", spaces[i]);
        vgpu_tested(instr);
        vgpu_free(&r);
        str_free(&s);
    }
}
