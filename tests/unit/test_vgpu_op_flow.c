/* Branches, ends and carries of the virtual GPU, and lanes that wait for each other. */
#include "vgpu_run.h"

TestSuite(vgpu_op_flow, .timeout = 120);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

__extension__ typedef unsigned __int128 u128;

/* ---- carries: 128 bits from parts of 32 or 64
 * ----------------------------------------------------- */

static const uint64_t words[] = {
    0,
    1,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0xdeadbeefcafebabe,
};
enum { W = COUNT(words), CASES = W * W * W * W };

static const char carry_head[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry "
                                 "k(.param .u64 pin, .param .u64 pout)\n{\n"
                                 ".reg .b64 %rd<24>;\n.reg .b32 %r<8>;\n.reg .b32 a<4>;\n.reg .b32 "
                                 "b<4>;\n.reg .b32 c<4>;\n.reg .b64 d<2>;\n"
                                 "ld.param.u64 %rd1, [pin];\nld.param.u64 %rd2, [pout];\nmov.u32 "
                                 "%r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
                                 "mad.lo.u32 %r0, %r1, 256, %r0;\nmul.wide.u32 %rd3, %r0, "
                                 "32;\nadd.s64 %rd1, %rd1, %rd3;\nmul.wide.u32 %rd3, %r0, 16;\n"
                                 "add.s64 %rd2, %rd2, %rd3;\nld.global.v2.u64 {%rd10, %rd11}, "
                                 "[%rd1];\nld.global.v2.u64 {%rd12, %rd13}, [%rd1+16];\n"
                                 "mov.b64 {a0, a1}, %rd10;\nmov.b64 {a2, a3}, %rd11;\nmov.b64 {b0, "
                                 "b1}, %rd12;\nmov.b64 {b2, b3}, %rd13;\n";
static const char carry_32_end[] =
    "mov.b64 d0, {c0, c1};\nmov.b64 d1, {c2, c3};\nst.global.v2.u64 [%rd2], {d0, d1};\nret;\n}\n";
static const char carry_64_end[] = "st.global.v2.u64 [%rd2], {d0, d1};\nret;\n}\n";

static u128 sum(u128 a, u128 b)
{
    return a + b;
}

static u128 difference(u128 a, u128 b)
{
    return a - b;
}

/* The low halves' product and the high half of the first on top. */
static u128 product(u128 a, u128 b)
{
    return (u128)(uint64_t)a * (uint64_t)b + ((u128)(uint64_t)(a >> 64) << 64);
}

static void check_carry(const char *body, const char *end, const char *forms,
                        u128 (*reference)(u128, u128))
{
    struct vgpu_run r;
    struct str s = STR_INIT;
    uint64_t *in = malloc(CASES * 32), params[2];
    str_addf(&s, "%s%s%s", carry_head, body, end);
    for (unsigned i = 0; i < CASES; i++)
        for (unsigned k = 0, step = 1; k < 4; k++, step *= W)
            in[i * 4 + k] = words[i / step % W];
    for (unsigned isa = 0; isa < VGPU_ISAS; isa++) {
        cr_assert_eq(vgpu_load(&r, s.p, 90, vgpu_isas[isa], false), 0, "%s: %s", body, r.err.msg);
        params[0] = vgpu_buffer(&r, in, CASES * 32);
        params[1] = vgpu_buffer(&r, NULL, CASES * 16);
        cr_assert_eq(vgpu_launch(&r, NULL, CASES / 256, 256, params, sizeof params), EXEC_OK, "%s",
                     r.result.fault.text);
        const uint64_t *out = vgpu_host(&r, params[1], CASES * 16);
        for (unsigned i = 0; i < CASES; i++) {
            const uint64_t *v = &in[i * 4];
            u128 wanted = reference((u128)v[1] << 64 | v[0], (u128)v[3] << 64 | v[2]);
            u128 got = (u128)out[i * 2 + 1] << 64 | out[i * 2];
            cr_assert(got == wanted, "%s of %llx %llx, %llx %llx: %llx %llx", body,
                      (unsigned long long)v[1], (unsigned long long)v[0], (unsigned long long)v[3],
                      (unsigned long long)v[2], (unsigned long long)(got >> 64),
                      (unsigned long long)got);
        }
        vgpu_free(&r);
    }
    vgpu_tested_in(s.p, forms);
    str_free(&s);
    free(in);
}

Test(vgpu_op_flow, sums_and_differences_carry_through_parts)
{
    static const char *const narrow[] = { "u32", "s32" }, *const wide[] = { "u64", "s64" };
    for (unsigned k = 0; k < 4; k++) {
        const char *t = narrow[k % 2], *w = wide[k % 2], *op = k < 2 ? "add" : "sub";
        u128 (*reference)(u128, u128) = k < 2 ? sum : difference;
        char body[200], forms[80];
        snprintf(body, sizeof body,
                 "%s.cc.%s c0, a0, b0;\n%sc.cc.%s c1, a1, b1;\n%sc.cc.%s c2, a2, b2;\n%sc.%s c3, "
                 "a3, b3;\n",
                 op, t, op, t, op, t, op, t);
        snprintf(forms, sizeof forms, "%s.cc.%s %sc.cc.%s %sc.%s", op, t, op, t, op, t);
        check_carry(body, carry_32_end, forms, reference);
        snprintf(body, sizeof body, "%s.cc.%s d0, %%rd10, %%rd12;\n%sc.%s d1, %%rd11, %%rd13;\n",
                 op, w, op, w);
        snprintf(forms, sizeof forms, "%s.cc.%s %sc.%s", op, w, op, w);
        check_carry(body, carry_64_end, forms, reference);
    }
}

Test(vgpu_op_flow, products_carry_through_parts)
{
    check_carry("mul.lo.u32 c0, a0, b0;\nmul.hi.u32 c1, a0, b0;\n"
                "mad.lo.cc.u32 c1, a1, b0, c1;\nmadc.hi.u32 c2, a1, b0, 0;\n"
                "mad.lo.cc.u32 c1, a0, b1, c1;\nmadc.hi.cc.u32 c2, a0, b1, c2;\nmadc.hi.u32 c3, "
                "a1, b1, 0;\n"
                "mad.lo.cc.u32 c2, a1, b1, c2;\naddc.u32 c3, c3, 0;\n"
                "add.cc.u32 c2, c2, a2;\naddc.u32 c3, c3, a3;\n",
                carry_32_end, "mad.lo.cc.u32 madc.hi.u32 madc.hi.cc.u32", product);
    check_carry(
        "mul.lo.u32 c0, a0, b0;\nmul.hi.u32 c1, a0, b0;\nmov.u32 c2, a2;\nmov.u32 c3, a3;\n"
        "mad.lo.cc.u32 c1, a1, b0, c1;\nmadc.hi.cc.u32 c2, a1, b0, c2;\nmadc.lo.u32 c3, 0, 0, c3;\n"
        "mad.lo.cc.u32 c1, a0, b1, c1;\nmadc.hi.cc.u32 c2, a0, b1, c2;\nmadc.lo.u32 c3, 0, 0, c3;\n"
        "mad.lo.cc.u32 c2, a1, b1, c2;\nmadc.hi.u32 c3, a1, b1, c3;\n",
        carry_32_end, "madc.lo.u32", product);
    check_carry("mad.lo.cc.u64 d0, %rd10, %rd12, 0;\nmadc.hi.u64 d1, %rd10, %rd12, %rd11;\n",
                carry_64_end, "mad.lo.cc.u64 madc.hi.u64", product);
    /* a carry out of the low half of a product that a carry came into */
    check_carry(
        "mul.lo.u32 c0, a0, b0;\nmov.u32 c1, 0;\nmov.u32 c2, a2;\nmov.u32 c3, a3;\n"
        "mad.hi.cc.u32 c1, a0, b0, c1;\nmadc.lo.cc.u32 c2, 0, 0, c2;\nmadc.lo.u32 c3, 0, 0, c3;\n"
        "mad.lo.cc.u32 c1, a1, b0, c1;\nmadc.hi.cc.u32 c2, a1, b0, c2;\nmadc.lo.cc.u32 c3, 0, 0, "
        "c3;\n"
        "mad.lo.cc.u32 c1, a0, b1, c1;\nmadc.hi.cc.u32 c2, a0, b1, c2;\nmadc.lo.cc.u32 c3, 0, 0, "
        "c3;\n"
        "mad.lo.cc.u32 c2, a1, b1, c2;\nmadc.hi.cc.u32 c3, a1, b1, c3;\n",
        carry_32_end, "mad.hi.cc.u32 madc.lo.cc.u32", product);
}

/* ---- branches
 * ------------------------------------------------------------------------------------- */

static const char flow_head[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 "
    "pout)\n{\n.shared .align 4 .b8 s[1024];\n"
    ".reg .b64 %rd<8>;\n.reg .b32 %r<8>;\n.reg .pred %p<4>;\nld.param.u64 %rd1, [pout];\nmov.u32 "
    "%r1, %tid.x;\n"
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\nmov.u32 %r2, 0;\n";

static void run_flow(const char *body, unsigned capability, uint32_t wanted[64], const char *forms)
{
    struct vgpu_run r;
    struct str s = STR_INIT;
    uint64_t params[1];
    str_addf(&s, "%s%s", flow_head, body);
    cr_assert_eq(vgpu_load(&r, s.p, capability, NULL, false), 0, "%s: %s", body, r.err.msg);
    params[0] = vgpu_buffer(&r, NULL, 256);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, 64, params, sizeof params), EXEC_OK, "%s",
                 r.result.fault.text);
    const uint32_t *out = vgpu_host(&r, params[0], 256);
    for (unsigned i = 0; i < 64; i++)
        cr_assert_eq(out[i], wanted[i], "thread %u on %u: %u, not %u", i, capability, out[i],
                     wanted[i]);
    vgpu_tested_in(s.p, forms);
    vgpu_free(&r);
    str_free(&s);
}

/* Threads count to their number, odd ones by two ways, and some leave early. */
Test(vgpu_op_flow, branches_are_taken_by_those_who_should)
{
    static const char body[] =
        "mov.u32 %r3, 0;\nLOOP:\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra DONE;\nand.b32 %r4, %r3, 1;\n"
        "setp.eq.u32 %p2, %r4, 0;\n@!%p2 bra ODD;\nadd.u32 %r2, %r2, 3;\nbra.uni NEXT;\n"
        "ODD:\nadd.u32 %r2, %r2, 100;\nbra NEXT;\nNEXT:\nadd.u32 %r3, %r3, 1;\nbra.uni LOOP;\n"
        "DONE:\nst.global.u32 [%rd1], %r2;\nsetp.lt.u32 %p3, %r1, 20;\n@%p3 ret ;\n"
        "setp.gt.u32 %p3, %r1, 50;\n@%p3 exit ;\nadd.u32 %r2, %r2, 7;\nst.global.u32 [%rd1], "
        "%r2;\nret ;\n}\n";
    uint32_t wanted[64];
    for (uint32_t i = 0; i < 64; i++)
        wanted[i] = (i + 1) / 2 * 3 + i / 2 * 100 + (i < 20 || i > 50 ? 0 : 7);
    for (unsigned k = 0; k < 2; k++)
        run_flow(body, k ? 70 : 35, wanted, "bra bra.uni ret exit");
}

/* Lanes above 40 jump to code that the others reach behind a barrier: from 7.0 on they need not
 * wait for them there, and leave. */
Test(vgpu_op_flow, lanes_that_could_leave_do_not_hold_others_at_a_barrier)
{
    static const char body[] =
        "mov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r3, %r3, %r4;\nst.shared.u32 [%r3], %r1;\n"
        "mov.u32 %r2, %r1;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 bra OUT;\nbar.sync 0;\nld.shared.u32 "
        "%r5, [%r3];\n"
        "mul.lo.u32 %r2, %r5, 3;\nbar.sync 0;\nOUT:\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
    uint32_t wanted[64];
    for (uint32_t i = 0; i < 64; i++)
        wanted[i] = i > 40 ? i : i * 3;
    run_flow(body, 70, wanted, "bar.sync");
    run_flow(body, 90, wanted, "bar.sync");
}

/* ---- memory that nobody wrote
 * --------------------------------------------------------------------- */

static uint64_t unwritten(const char *body, bool look, struct exec_fault *first)
{
    struct vgpu_run r;
    struct str s = STR_INIT;
    uint64_t params[1];
    struct exec_launch launch = { .grid = { 1, 1, 1 },
                                  .block = { 64, 1, 1 },
                                  .find_unwritten = look };
    str_addf(&s, "%s%s", flow_head, body);
    cr_assert_eq(vgpu_load(&r, s.p, 35, NULL, false), 0, "%s: %s", body, r.err.msg);
    params[0] = vgpu_buffer(&r, NULL, 1024);
    launch.params = params;
    launch.params_bytes = sizeof params;
    cr_assert_eq(exec_launch(r.module, exec_kernel_at(r.module, 0), &launch, &r.result, &r.err), 0);
    cr_expect_eq(r.result.code, EXEC_OK, "%s", r.result.fault.text);
    uint64_t n = r.result.unwritten_reads;
    *first = r.result.unwritten;
    vgpu_free(&r);
    str_free(&s);
    return n;
}

Test(vgpu_op_flow, reads_of_what_nobody_wrote_are_counted_when_asked_for)
{
    static const char global[] = "ld.global.u32 %r3, [%rd1+256];\nst.global.u32 [%rd1], %r3;\n"
                                 "ld.global.u32 %r4, [%rd1];\nret;\n}\n";
    static const char written[] =
        "st.global.u32 [%rd1], %r1;\nld.global.u32 %r4, [%rd1];\nret;\n}\n";
    static const char shared[] =
        "setp.gt.u32 %p1, %r1, 0;\nmov.u32 %r3, s;\n@%p1 st.shared.v2.u32 [s+8], {%r1, %r1};\n"
        "ld.shared.v2.u64 {%rd3, %rd4}, [s];\nret;\n}\n";
    struct exec_fault first;
    cr_expect_eq(unwritten(global, false, &first), 0);
    /* each thread twice: what it copied is as unknown as its source */
    cr_expect_eq(unwritten(global, true, &first), 128);
    cr_expect_str_eq(first.space, "global");
    cr_expect_eq(first.access_bytes, 4);
    cr_expect_not_null(strstr(first.text, "read of 4 bytes that nobody wrote at global address 0x"),
                       "%s", first.text);
    cr_expect_eq(unwritten(written, true, &first), 0);
    cr_expect_eq(unwritten(shared, true, &first), 64);
    cr_expect_eq(first.address, 0);
}
