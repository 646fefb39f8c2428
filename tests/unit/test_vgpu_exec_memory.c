/* Memory of the virtual GPU's engine, on hand-written PTX: state spaces, initial values, bounds. */
#include "vgpu_exec_run.h"

TestSuite(vgpu_exec_memory, .timeout = 60);

Test(vgpu_exec_memory, shared_memory_is_seen_by_the_whole_block_behind_a_barrier)
{
    static const char text[] = BEGIN
        ".shared .align 4 .b8 s[1024];\nmov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r3, "
        "%r4;\n"
        "st.shared.u32 [%r5], %r1;\nbar.sync 0;\nxor.b32 %r6, %r4, 1020;\nadd.u32 %r6, %r3, %r6;\n"
        "ld.shared.u32 %r2, [%r6];\n" END;
    cr_expect_eq(run(text, 256, 35), EXEC_OK);
    for (uint32_t i = 0; i < 256; i++)
        cr_expect_eq(output[i], 255 - i);
}

Test(vgpu_exec_memory, generic_addresses_reach_shared_local_and_global_memory)
{
    static const char text[] =
        BEGIN ".shared .align 4 .b8 s[1024];\n.local .align 8 .b8 l[16];\n"
              "mov.u64 %rd6, s;\ncvta.shared.u64 %rd7, %rd6;\nadd.s64 %rd7, %rd7, %rd3;\n"
              "mov.u64 %rd8, l;\ncvta.local.u64 %rd9, %rd8;\n"
              "ld.u32 %r3, [%rd5];\nst.u32 [%rd7], %r3;\nst.u32 [%rd9+8], %r1;\nbar.sync 0;\n"
              "ld.shared.u32 %r4, [%rd6+8];\nld.local.u32 %r5, [l+8];\nld.u32 %r6, [%rd9+8];\n"
              "add.u32 %r2, %r4, %r5;\nadd.u32 %r2, %r2, %r6;\nisspacep.shared %p1, %rd7;\n"
              "isspacep.local %p2, %rd9;\nisspacep.global %p3, %rd5;\nand.pred %p1, %p1, %p2;\n"
              "and.pred %p1, %p1, %p3;\n@!%p1 mov.u32 %r2, 0;\n" END;
    for (uint32_t i = 0; i < THREADS; i++)
        input[i] = 1000 + i;
    cr_expect_eq(run(text, 256, 60), EXEC_OK);
    for (uint32_t i = 0; i < 256; i++)
        cr_expect_eq(output[i], 1002 + 2 * i, "thread %u: %u", i, output[i]);
}

Test(vgpu_exec_memory, vectors_narrow_types_and_sign_extension)
{
    static const char text[] = BEGIN
        "and.b32 %r3, %r1, 15;\nmul.wide.u32 %rd6, %r3, 16;\nadd.s64 %rd6, %rd2, %rd6;\n"
        "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd6];\nld.global.v2.u64 {%rd7, %rd8}, [%rd6];\n"
        "cvt.u32.u64 %r8, %rd8;\nld.global.s8 %r9, [%rd6];\nld.global.s16 %r10, [%rd6+2];\n"
        "ld.global.u8 %r11, [%rd6+1];\nadd.u32 %r2, %r4, %r7;\nadd.u32 %r2, %r2, %r8;\n"
        "add.u32 %r2, %r2, %r9;\nadd.u32 %r2, %r2, %r10;\nadd.u32 %r2, %r2, %r11;\n" END;
    for (uint32_t i = 0; i < THREADS; i++)
        input[i] = 0x81f3a5b7u * (i + 1);
    cr_expect_eq(run(text, 64, 35), EXEC_OK);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t *v = &input[i % 16 * 4];
        int32_t byte = (int8_t)v[0], half = (int16_t)(v[0] >> 16);
        uint32_t wanted = v[0] + v[3] + v[2] + (v[0] >> 8 & 0xff);
        wanted += (uint32_t)byte + (uint32_t)half;
        cr_expect_eq(output[i], wanted, "thread %u: %x, not %x", i, output[i], wanted);
    }
}

Test(vgpu_exec_memory, variables_have_initial_values_and_addresses_in_each_other)
{
    static const char text[] = HEAD
        ".const .align 4 .b32 c[4] = {10, 20, 30, -40};\n.global .align 4 .f32 g = 0f3F800000;\n"
        ".global .align 8 .u64 p[2] = {g, generic(c)+8};\n.global .align 1 .b8 b[5] = {1, 2, 3};\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<16>;\n.reg .b64 "
        "%rd<8>;\n"
        "ld.param.u64 %rd1, [out];\nld.const.u32 %r1, [c+12];\nmov.u64 %rd2, c;\nld.const.u32 %r2, "
        "[%rd2+4];\n"
        "ld.global.u64 %rd3, [p];\nld.u32 %r3, [%rd3];\nld.global.u64 %rd4, [p+8];\nld.u32 %r4, "
        "[%rd4];\n"
        "ld.global.u8 %r5, [b+2];\nld.global.u8 %r6, [b+4];\nst.global.v4.u32 [%rd1], {%r1, %r2, "
        "%r3, %r4};\n"
        "st.global.v2.u32 [%rd1+16], {%r5, %r6};\nret;\n}\n";
    cr_expect_eq(run(text, 1, 35), EXEC_OK);
    cr_expect_eq(output[0], (uint32_t)-40);
    cr_expect_eq(output[1], 20);
    cr_expect_eq(output[2], 0x3f800000);
    cr_expect_eq(output[3], 30);
    cr_expect_eq(output[4], 3);
    cr_expect_eq(output[5], 0);
}

Test(vgpu_exec_memory, fresh_memory_is_poisoned)
{
    static const char text[] = BEGIN ".shared .align 4 .b8 s[16];\nld.shared.u32 %r2, [s];\n" END;
    cr_expect_eq(run(text, 2, 35), EXEC_OK);
    cr_expect_eq(output[0], MEM_POISON | (uint32_t)MEM_POISON << 16);
    cr_expect_eq(output[5], MEM_POISON | (uint32_t)MEM_POISON << 16, "memory that nobody wrote");
}

Test(vgpu_exec_memory, reads_and_writes_out_of_bounds_name_address_and_thread)
{
    static const char write[] = BEGIN "mov.u32 %r2, 1;\nst.global.u32 [%rd4+512], %r2;\n" END;
    static const char read[] = BEGIN "ld.global.u32 %r2, [%rd5+-4];\n" END;
    static const char null[] = BEGIN "mov.u64 %rd6, 0;\nld.global.u32 %r2, [%rd6+16];\n" END;
    static const char shared[] =
        BEGIN ".shared .align 4 .b8 s[64];\nshl.b32 %r3, %r1, 2;\nld.shared.u32 %r2, [%r3];\n" END;
    struct exec_fault f = fault_of(write, 200, 35);
    cr_expect_eq(f.code, EXEC_ILLEGAL_ADDRESS);
    cr_expect_eq(f.thread[0], 128, "thread %u", f.thread[0]);
    cr_expect(f.is_write);
    cr_expect_eq(f.access_bytes, 4);
    cr_expect_str_eq(f.space, "global");
    cr_expect_str_eq(f.opcode, "st");
    cr_expect_eq(f.line, 19, "line %u", f.line);
    f = fault_of(read, 64, 35);
    cr_expect_eq(f.code, EXEC_ILLEGAL_ADDRESS);
    cr_expect_eq(f.thread[0], 0);
    cr_expect(!f.is_write);
    cr_expect_eq(fault_of(null, 1, 35).address, 16);
    f = fault_of(shared, 300, 35);
    cr_expect_str_eq(f.space, "shared");
    cr_expect_eq(f.code, EXEC_ILLEGAL_ADDRESS);
}

Test(vgpu_exec_memory, misaligned_forbidden_and_trapping_code_has_codes_of_its_own)
{
    static const char misaligned[] = BEGIN "ld.global.u32 %r2, [%rd5+2];\n" END;
    static const char vector[] = BEGIN "ld.global.v2.u32 {%r2, %r3}, [%rd5];\n" END;
    static const char constant[] =
        HEAD ".const .align 4 .b32 c = 1;\n.visible .entry k(.param .u64 out, .param .u64 "
             "in)\n{\n.reg .b64 %rd<4>;\n"
             ".reg .b32 %r<4>;\nmov.u64 %rd1, c;\nmov.u32 %r1, 2;\nst.u32 [%rd1], %r1;\nret;\n}\n";
    static const char trap[] = BEGIN "setp.eq.u32 %p1, %r1, 5;\n@%p1 trap;\nmov.u32 %r2, 0;\n" END;
    cr_expect_eq(fault_of(misaligned, 32, 35).code, EXEC_MISALIGNED);
    struct exec_fault f = fault_of(vector, 32, 35);
    cr_expect_eq(f.code, EXEC_MISALIGNED);
    cr_expect_eq(f.thread[0], 1);
    cr_expect_eq(fault_of(constant, 1, 35).code, EXEC_INVALID_SPACE);
    f = fault_of(trap, 32, 35);
    cr_expect_eq(f.code, EXEC_LAUNCH_FAILED);
    cr_expect_eq(f.thread[0], 5);
}
