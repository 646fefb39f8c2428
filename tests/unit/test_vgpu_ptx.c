/* The PTX front end: what it reads, what it refuses and how it says so. */
#include "vgpu_run.h"

TestSuite(vgpu_ptx, .timeout = 60);

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#define BODY(text)                                                                                 \
    HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"              \
         ".reg .pred %p<4>;\n.reg .f32 %f<9>;\n.reg .b16 %rs<9>;\n" text "\nret;\n}\n"

static struct err load_error(const char *text, size_t size)
{
    struct err err;
    struct exec_module *module = NULL;
    struct mem_arena *arena = mem_new(1 << 28, NULL);
    err_clear(&err);
    int status =
        exec_load(&module, text, size, arena, &(struct exec_target){ .capability = 80 }, &err);
    cr_expect_eq(status, err.code == ERR_NONE ? 0 : -1);
    cr_expect_eq(module != NULL, err.code == ERR_NONE);
    exec_unload(module);
    cr_expect_eq(mem_used(arena), 0, "a module's variables outlive it");
    mem_delete(arena);
    return err;
}

struct refusal {
    const char *text;
    const char *message;
};

static const struct refusal refusals[] = {
    { "", "line 1: expected '.version' first" },
    { "hello", "line 1: expected '.version' first" },
    { ".version 7.0\n", "line 2: no '.target' is given" },
    { ".version seven\n", "line 1: expected a version like 7.8" },
    { ".version 7.0\n.target sm_80\n.address_size 32\n",
      "line 4: only 64-bit addresses are supported" },
    { HEAD ".bogus x;\n", "line 4: unsupported directive '.bogus'" },
    { HEAD ".texref t;\n", "line 4: unsupported directive '.texref'" },
    { BODY("frobnicate.u32 %r1, %r2;"), "line 11: unknown instruction 'frobnicate'" },
    { BODY("add.q32 %r1, %r2, %r3;"), "line 11: unknown modifier '.q32' of 'add'" },
    { BODY("add.u32.ftz %r1, %r2, %r3;"),
      "line 11: 'add': the modifier '.ftz' is not supported here" },
    { BODY("add.u32 %r1, %r2;"), "line 11: 'add': 2 operands where 3 are expected" },
    { BODY("add.u32 %r1, %r2, %rd3;"),
      "line 11: 'add': a register does not have the width of the type" },
    { BODY("add.u32 %r1, %r2, %r99;"), "line 11: unknown register '%r99'" },
    { BODY("add.u32 %r1, %r2, foo;"), "line 11: unknown symbol 'foo'" },
    { BODY("add.f32 %f1, %f2, 3;"), "line 11: 'add': a constant of the wrong kind" },
    { BODY("add.u32 %r1, %r2, %p1;"),
      "line 11: 'add': a register does not have the width of the type" },
    { BODY("bra NOWHERE;"), "line 11: unknown symbol 'NOWHERE'" },
    { BODY("@%r1 bra X;\nX:"), "line 11: expected a predicate behind '@'" },
    { BODY("X:\nX:"), "line 12: 'X' is declared twice" },
    { BODY(".reg .b32 %r<3>;"), "line 11: '%r' is declared twice" },
    { BODY("mov.u32 %r1, 5"), "line 12: expected ';' before 'ret'" },
    { BODY("mov.u32 %r1, 0x;"), "line 11: a malformed number" },
    { BODY("mov.f32 %f1, 0f12;"), "line 11: a floating-point constant with too few digits" },
    { BODY("mov.u32 %r1, 99999999999999999999;"), "line 11: an integer above 64 bits" },
    { BODY("mov.u32 %r1, (1/0);"), "line 11: a constant division overflows" },
    { BODY("ld.global.u32 %r1, %rd1;"), "line 11: 'ld': an address in brackets is expected" },
    { BODY("ld.global.u32 %r1, [%r2];"),
      "line 11: 'ld': this address needs a register of 64 bits" },
    { BODY("ld.global.v2.u32 %r1, [%rd2];"),
      "line 11: 'ld': the vector has the wrong number of elements" },
    { BODY("ld.param.u64 %rd1, [p+8];"), "line 11: 'ld': an address behind the last parameter" },
    { BODY("st.const.u32 [%rd1], %r1;"), "line 11: 'st': this space cannot be written" },
    { BODY("call vprintf;"), "line 11: 'call': an unknown function is called" },
    { BODY("cvt.f16.f32 %rs1, %f1;"), "line 11: 'cvt': a rounding is missing" },
    { BODY("cvt.u32.f32 %r1, %f1;"), "line 11: 'cvt': an integer rounding is missing" },
    { BODY("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}];"),
      "line 11: unknown instruction 'tex'" },
    { BODY("mov.u32 %r1, %nonsense;"), "line 11: unknown register '%nonsense'" },
    { BODY("mov.u32 %r1, %clock.y.z;"), "line 11: expected ';' before 'z'" },
    { BODY("wmma.mma.sync.aligned.row.col.m7n7k7.f32.f32 {%f1}, {%r1}, {%r2}, {%f2};"),
      "line 11: unknown modifier '.m7n7k7' of 'wmma'" },
    { HEAD ".visible .entry k()\n{\nret;\n", "line 7: 'k' has no '}'" },
    { HEAD ".global .b32 x[2] = {1, 2, 3};\n",
      "line 4: 'x' has more initial values than elements" },
    { HEAD ".global .b8 x[9999999999];\n", "line 4: a number is out of range" },
    { HEAD ".global .align 3 .b32 x;\n", "line 4: an alignment is not a power of two" },
    { HEAD ".extern .global .b32 x;\n.visible .entry k()\n{\n.reg .b32 %r<2>;\nld.global.u32 %r1, "
           "[x];\n}\n",
      "line 8: 'ld': 'x' is not defined" },
};

Test(vgpu_ptx, what_is_wrong_is_said_with_line_and_opcode)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct err err = load_error(refusals[i].text, strlen(refusals[i].text));
        cr_expect_str_eq(err.msg, refusals[i].message, "got '%s', wanted '%s'", err.msg,
                         refusals[i].message);
        cr_expect_eq(err.native, EXEC_INVALID_PTX, "'%s'", err.msg);
    }
}

static const char *const accepted[] = {
    HEAD "// nothing but a comment\n/* and\nanother */\n",
    HEAD ".file 1 \"a \\\"b\\\".cu\"\n.section .debug_str\n{\n.b8 1,2\nL: .b8 0\n}\n",
    HEAD "@@DWARF .section .debug_line\n",
    BODY("{ .reg .b32 %r1; .reg .b32 x; mov.u32 x, %r1; { mov.u32 %r2, x; } }"),
    BODY(".loc 1 2 3, function_name $L__1, inlined_at 1 2 3\n.pragma \"nounroll\";\nmov.u32 %r1, "
         "%tid.x;"),
    BODY("mov.u32 %r1, (1 << 4) | 3;\nmov.u64 %rd1, -1;\nmov.u32 %r2, 0b101;\nmov.u32 %r3, "
         "017;\nmov.u32 %r4, 5U;"),
    BODY("mov.f32 %f1, 1.5;\nmov.f32 %f2, 0F3F800000;\nmul.f32 %f3, %f1, 2.0e-3;"),
    BODY("$L__BB0_2:\nmad.lo.s32 %r1, %ctaid.x, %ntid.x, %tid.x;\nsetp.lt.s32 %p1, %r1, 0;\n@!%p1 "
         "bra $L__BB0_2;"),
    BODY("mov.u32 %r1, WARP_SZ;\nmov.b64 {%r1, _}, %rd1;\nmov.b64 %rd1, {%r1, %r2};\nmov.b32 "
         "{%rs1, %rs2}, %r1;"),
    BODY("ld.global.nc.L1::evict_last.L2::128B.u32 %r1, [%rd1];\nld.volatile.global.u32 %r1, "
         "[%rd1+-8];"),
    BODY("ld.global.L1::no_allocate.v4.f32 {%f1,%f2,%f3,%f4}, "
         "[%rd1];\nfence.acq_rel.gpu;\nmembar.gl;"),
    BODY("prefetch.global.L2 [%rd1];\nnanosleep.u32 100;\nred.relaxed.gpu.global.add.u32 [%rd1], "
         "%r1;"),
    HEAD ".weak .func (.param .b32 r) f(.param .b64 .ptr .global .align 8 a, .param .align 4 .b8 "
         "s[12])\n;\n",
    HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n",
    HEAD ".visible .entry k(.param .align 8 .b8 s[24], .param .f64 d)\n.maxntid 256, 2, "
         "1\n.minnctapersm 2\n{\nret;\n}\n",
    HEAD ".visible .entry k()\n.reqntid 32\n{\n.reg .b32 %huge<4000000000>;\nmov.u32 "
         "%huge3999999999, 1;\nret;\n}\n",
    HEAD ".global .align 4 .f32 f[3] = {0f3F800000, 1.5, -2.0};\n.const .v2 .u32 v = {1, "
         "2};\n.global .u64 z[0];\n",
};

Test(vgpu_ptx, what_compilers_write_is_read)
{
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        struct err err = load_error(accepted[i], strlen(accepted[i]));
        cr_expect_eq(err.code, ERR_NONE, "case %zu: %s", i, err.msg);
    }
}

Test(vgpu_ptx, text_ends_at_its_size_or_its_first_nul)
{
    static const char text[] = HEAD "garbage";
    cr_expect_eq(load_error(text, sizeof HEAD - 1).code, ERR_NONE);
    cr_expect_eq(load_error(text, sizeof text - 1).code, ERR_FORMAT);
    static const char with_nul[] = HEAD "\0garbage";
    cr_expect_eq(load_error(with_nul, sizeof with_nul - 1).code, ERR_NONE);
}

/* Every prefix, and every text with one byte changed, is either read or refused in order. */
Test(vgpu_ptx, damaged_text_neither_crashes_nor_leaks)
{
    static const char text[] = HEAD ".const .align 4 .b32 c[4] = {1, 2};\n.func (.param .b32 r) "
                                    "f(.param .b32 a)\n{\n.reg .b32 %r<3>;\n"
                                    "ld.param.b32 %r1, [a];\nst.param.b32 [r+0], %r1;\nret;\n}\n"
                                    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg "
                                    ".pred %p<2>;\n.reg .f32 %f<3>;\n"
                                    "mov.u32 %r1, %tid.x;\nL: setp.lt.s32 %p1|_, %r1, 5;\n@!%p1 "
                                    "bra.uni L;\n{\n.param .b32 a;\n.param .b32 b;\n"
                                    "st.param.b32 [a], %r1;\ncall (b), f, (a);\nld.param.b32 %r2, "
                                    "[b];\n}\nfma.rn.f32 %f1, %f2, 0f3F800000, %f1;\n"
                                    "ld.const.u32 %r3, [c+4];\nbar.sync 0;\nret;\n}\n";
    char copy[sizeof text];
    static const char replacements[] = "{}();,.%<[0\"-@\n";
    for (size_t n = 0; n < sizeof text; n++)
        load_error(text, n);
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        for (const char *with = replacements; *with; with++) {
            memcpy(copy, text, sizeof text);
            copy[i] = *with;
            load_error(copy, sizeof copy - 1);
        }
    }
}

Test(vgpu_ptx, hostile_nesting_and_sizes_are_bounded)
{
    struct str s = STR_INIT;
    str_add(&s, HEAD ".visible .entry k()\n{\n");
    for (unsigned i = 0; i < 100000; i++)
        str_add(&s, "{");
    cr_expect_eq(load_error(s.p, s.len).native, EXEC_INVALID_PTX);
    str_clear(&s);
    str_add(&s, HEAD ".global .b32 x = ");
    for (unsigned i = 0; i < 100000; i++)
        str_add(&s, "(");
    cr_expect_eq(load_error(s.p, s.len).native, EXEC_INVALID_PTX);
    str_clear(&s);
    str_add(&s, HEAD ".global .b32 x[] = ");
    for (unsigned i = 0; i < 100000; i++)
        str_add(&s, "{");
    cr_expect_eq(load_error(s.p, s.len).native, EXEC_INVALID_PTX);
    str_clear(&s);
    str_add(&s, HEAD ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.local .b8 l[1000000];\nret;\n}\n");
    cr_expect_eq(load_error(s.p, s.len).native, EXEC_INVALID_PTX);
    str_free(&s);
}

Test(vgpu_ptx, headers_are_read_without_compiling)
{
    static const char text[] = ".version 8.5\n.target sm_90a\nanything at all";
    struct exec_header h;
    struct err err;
    err_clear(&err);
    cr_assert_eq(exec_read_header(text, sizeof text - 1, &h, &err), 0, "%s", err.msg);
    cr_expect_eq(h.version_major, 8);
    cr_expect_eq(h.version_minor, 5);
    cr_expect_eq(h.target, 90);
    cr_expect_eq(h.suffix, 'a');
    cr_expect_eq(exec_read_header("\x7f"
                                  "ELF",
                                  4, &h, &err),
                 -1);
}

Test(vgpu_ptx, kernels_parameters_and_variables_are_listed)
{
    static const char text[] =
        HEAD ".const .align 4 .b8 table[12];\n.global .align 8 .u64 counter;\n"
             ".visible .entry first(.param .u32 a, .param .u64 b, .param .align 16 .b8 c[20], "
             ".param .u8 d)\n"
             "{\n.shared .align 8 .b8 s[100];\n.local .align 4 .b8 l[36];\nret;\n}\n"
             ".visible .entry second()\n.maxntid 64, 2, 1\n{\nret;\n}\n";
    struct vgpu_run r;
    struct exec_module_info module;
    struct exec_kernel_info info;
    struct exec_param param;
    struct exec_var var;
    cr_assert_eq(vgpu_load(&r, text, 80, NULL, false), 0, "%s", r.err.msg);
    exec_module_info(r.module, &module);
    cr_expect_eq(module.kernel_count, 2);
    cr_expect_eq(module.header.version_major, 7);
    cr_expect_eq(module.header.target, 80);
    exec_kernel_info(exec_kernel_at(r.module, 0), &info);
    cr_expect_str_eq(info.name, "first");
    cr_expect_eq(info.param_count, 4);
    cr_expect_eq(info.param_bytes, 37);
    cr_expect_eq(info.shared_bytes, 100);
    cr_expect_eq(info.local_bytes, 36);
    cr_expect_eq(info.const_bytes, 12);
    cr_expect_eq(info.max_threads, 1024);
    cr_expect(exec_kernel_param(exec_kernel_at(r.module, 0), 2, &param));
    cr_expect_eq(param.offset, 16);
    cr_expect_eq(param.size, 20);
    cr_expect_not(exec_kernel_param(exec_kernel_at(r.module, 0), 4, &param));
    exec_kernel_info(exec_find(r.module, "second"), &info);
    cr_expect_eq(info.max_threads, 128);
    cr_expect_null(exec_find(r.module, "third"));
    cr_expect(exec_var_find(r.module, "table", &var));
    cr_expect_eq(var.size, 12);
    cr_expect(var.is_const);
    cr_expect(exec_var_find(r.module, "counter", &var));
    cr_expect_not(var.is_const);
    cr_expect_not(exec_var_find(r.module, "none", &var));
    vgpu_free(&r);
}
