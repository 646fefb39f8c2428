/* Control flow and cooperation of the virtual GPU's engine, on hand-written PTX. */
#include <malloc.h>

#include "vgpu_exec_run.h"

TestSuite(vgpu_exec, .timeout = 60);

/* ---- control flow -----------------------------------------------------------------------------
 */

static uint32_t collatz(uint32_t n)
{
    uint32_t steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

Test(vgpu_exec, loops_with_different_counts_and_branches_inside)
{
    static const char text[] = BEGIN
        "add.u32 %r3, %r1, 1;\nmov.u32 %r2, 0;\n"
        "LOOP: setp.eq.u32 %p1, %r3, 1;\n@%p1 bra DONE;\nand.b32 %r4, %r3, 1;\n"
        "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra EVEN;\nmad.lo.u32 %r3, %r3, 3, 1;\nbra.uni NEXT;\n"
        "EVEN: shr.u32 %r3, %r3, 1;\nNEXT: add.u32 %r2, %r2, 1;\nbra.uni LOOP;\nDONE:\n" END;
    for (unsigned keep = 0; keep < 2; keep++) {
        struct vgpu_run r;
        cr_expect_eq(run_on(text, 100, keep ? 35 : 70, keep, &r), EXEC_OK);
        for (uint32_t i = 0; i < 100; i++)
            cr_expect_eq(output[i], collatz(i + 1), "thread %u", i);
        cr_expect_gt(r.result.counters.divergent_branches, 10);
        vgpu_free(&r);
    }
}

Test(vgpu_exec, threads_that_leave_early_do_not_hold_the_others_at_a_barrier)
{
    static const char whole[] = BEGIN "setp.gt.u32 %p1, %r1, 40;\nmov.u32 %r2, 7;\n@%p1 bra OUT;\n"
                                      "setp.eq.u32 %p2, %r1, 3;\n@%p2 ret;\nbar.sync 0;\n"
                                      "st.global.u32 [%rd4], %r2;\nOUT: ret;\n}\n";
    cr_expect_eq(run(whole, 96, 35), EXEC_OK);
    cr_expect_eq(output[0], 7);
    cr_expect_eq(output[40], 7);
    cr_expect_neq(output[3], 7);
    cr_expect_neq(output[41], 7);
}

Test(vgpu_exec, a_table_of_targets_sends_lanes_apart_and_together)
{
    static const char text[] = BEGIN
        "and.b32 %r3, %r1, 3;\nmov.u32 %r2, 1000;\nT: .branchtargets A, B, C, A;\nbrx.idx %r3, T;\n"
        "A: add.u32 %r2, %r2, 1;\nbra.uni E;\nB: add.u32 %r2, %r2, 20;\nbra.uni E;\n"
        "C: add.u32 %r2, %r2, 300;\nE: vote.sync.ballot.b32 %r5, 1, -1;\n"
        "setp.ne.s32 %p1, %r5, -1;\n@%p1 mov.u32 %r2, 0;\n" END;
    static const uint32_t wanted[] = { 1001, 1020, 1300, 1001 };
    cr_expect_eq(run(text, 64, 35), EXEC_OK);
    for (unsigned i = 0; i < 64; i++)
        cr_expect_eq(output[i], wanted[i % 4]);
}

Test(vgpu_exec, calls_pass_values_in_memory_and_registers_and_may_recurse)
{
    static const char text[] =
        HEAD ".func (.param .b32 r) fact(.param .b32 n)\n{\n.reg .b32 %r<8>;\n.reg .pred %p<2>;\n"
             "ld.param.u32 %r1, [n];\nmov.u32 %r4, 1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra D;\n"
             "sub.u32 %r2, %r1, 1;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\n"
             "call.uni (b), fact, (a);\nld.param.b32 %r3, [b];\n}\nmul.lo.u32 %r4, %r1, %r3;\n"
             "D: st.param.b32 [r], %r4;\nret;\n}\n"
             ".func (.reg .u32 y) twice(.reg .u32 x)\n{\nadd.u32 y, x, x;\nret;\n}\n"
             ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<8>;\n.reg .b64 "
             "%rd<8>;\n"
             "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nrem.u32 %r2, %r1, 10;\n"
             "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\ncall (b), fact, (a);\n"
             "ld.param.b32 %r3, [b];\n}\ncall (%r4), twice, (%r3);\nmul.wide.u32 %rd2, %r1, 4;\n"
             "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r4;\nret;\n}\n";
    cr_expect_eq(run(text, 64, 70), EXEC_OK);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t f = 2;
        for (uint32_t k = 2; k <= i % 10; k++)
            f *= k;
        cr_expect_eq(output[i], f, "thread %u: %u", i, output[i]);
    }
}

Test(vgpu_exec, endless_recursion_and_endless_loops_end)
{
    static const char recursion[] = HEAD ".func f()\n{\ncall f;\nret;\n}\n.visible .entry k(.param "
                                         ".u64 out, .param .u64 in)\n{\ncall f;\nret;\n}\n";
    static const char loop[] = BEGIN "L: bra L;\n" END;
    cr_expect_eq(run(recursion, 32, 70), EXEC_LAUNCH_FAILED);
    cr_expect_eq(run(loop, 32, 70), EXEC_TIMEOUT);
}

/* ---- barriers ---------------------------------------------------------------------------------
 */

Test(vgpu_exec, a_barrier_in_divergent_code_is_a_fault_below_7_0_and_legal_from_then_on)
{
    static const char text[] =
        BEGIN "mov.u32 %r2, 1;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra "
              "A;\nbar.sync 0;\n"
              "mov.u32 %r2, 2;\nbra.uni B;\nA: bar.sync 0;\nmov.u32 %r2, 3;\nB:\n" END;
    cr_expect_eq(fault_of(text, 64, 61).code, EXEC_LAUNCH_FAILED);
    cr_expect_eq(run(text, 64, 70), EXEC_OK);
    cr_expect_eq(output[0], 3);
    cr_expect_eq(output[1], 2);
}

Test(vgpu_exec, a_barrier_that_cannot_be_reached_by_all_is_found)
{
    static const char text[] =
        BEGIN "mov.u32 %r2, 0;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;\n" END;
    cr_expect_eq(fault_of(text, 64, 70).code, EXEC_TIMEOUT);
}

Test(vgpu_exec, barriers_reduce_predicates)
{
    static const char text[] = BEGIN
        "rem.u32 %r3, %r1, 3;\nsetp.eq.u32 %p1, %r3, 0;\nbar.red.popc.u32 %r2, 0, %p1;\n"
        "setp.lt.u32 %p2, %r1, 300;\nbar.red.and.pred %p3, 0, %p2;\nbar.red.or.pred %p4, 0, !%p2;\n"
        "@!%p3 add.u32 %r2, %r2, 1000;\n@%p4 add.u32 %r2, %r2, 2000;\n" END;
    cr_expect_eq(run(text, 96, 35), EXEC_OK);
    cr_expect_eq(output[0], 32);
    cr_expect_eq(output[95], 32);
}

Test(vgpu_exec, producers_arrive_and_consumers_wait)
{
    static const char text[] = BEGIN
        ".shared .align 4 .b8 s[128];\nmov.u32 %r2, 9;\nand.b32 %r3, %r1, 31;\nshl.b32 %r3, %r3, "
        "2;\n"
        "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra USE;\nadd.u32 %r4, %r1, 500;\nst.shared.u32 [%r3], "
        "%r4;\n"
        "bar.arrive 2, 64;\nbra.uni E;\nUSE: bar.sync 2, 64;\nld.shared.u32 %r2, [%r3];\nE:\n" END;
    cr_expect_eq(run(text, 64, 35), EXEC_OK);
    cr_expect_eq(output[0], 532);
    cr_expect_eq(output[31], 563);
}

Test(vgpu_exec, from_7_0_on_a_spinning_lane_lets_its_neighbour_go_on)
{
    static const char text[] = BEGIN
        ".shared .align 4 .b8 s[16];\nmov.u32 %r2, 0;\nst.shared.u32 [s], %r2;\nbar.sync 0;\n"
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra SET;\n"
        "W: ld.volatile.shared.u32 %r2, [s];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra W;\nbra.uni E;\n"
        "SET: mov.u32 %r2, 5;\nst.volatile.shared.u32 [s], %r2;\nE:\n" END;
    cr_expect_eq(run(text, 32, 70), EXEC_OK);
    cr_expect_eq(output[0], 5);
}

/* ---- lanes see each other ---------------------------------------------------------------------
 */

Test(vgpu_exec, shuffles_move_values_and_say_whether_the_source_was_in_range)
{
    static const char text[] = BEGIN
        "mul.lo.u32 %r3, %r1, 10;\nshfl.sync.up.b32 %r4|%p1, %r3, 1, 0, -1;\n"
        "shfl.sync.down.b32 %r5|%p2, %r3, 2, 31, -1;\nshfl.sync.bfly.b32 %r6, %r3, 3, 31, -1;\n"
        "shfl.sync.idx.b32 %r7|%p3, %r3, 5, 0x181f, -1;\nselp.u32 %r8, 1000, 0, %p1;\n"
        "selp.u32 %r9, 2000, 0, %p2;\nadd.u32 %r2, %r4, %r5;\nadd.u32 %r2, %r2, %r6;\nadd.u32 %r2, "
        "%r2, %r7;\n"
        "add.u32 %r2, %r2, %r8;\nadd.u32 %r2, %r2, %r9;\n" END;
    cr_expect_eq(run(text, 32, 35), EXEC_OK);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t up = i >= 1 ? i - 1 : i, down = i + 2 < 32 ? i + 2 : i;
        uint32_t idx = (i & 24) | 5; /* segments of eight lanes */
        uint32_t wanted =
            10 * (up + down + (i ^ 3) + idx) + (i >= 1 ? 1000 : 0) + (i < 30 ? 2000 : 0);
        cr_expect_eq(output[i], wanted, "lane %u: %u, not %u", i, output[i], wanted);
    }
}

Test(vgpu_exec, votes_matches_and_reductions)
{
    static const char text[] =
        BEGIN "setp.lt.u32 %p1, %r1, 5;\nvote.sync.ballot.b32 %r3, %p1, -1;\nvote.sync.any.pred "
              "%p2, %p1, -1;\n"
              "vote.sync.all.pred %p3, %p1, -1;\nvote.sync.uni.pred %p4, !%p1, -1;\nand.b32 %r4, "
              "%r1, 3;\n"
              "match.any.sync.b32 %r5, %r4, -1;\nmatch.all.sync.b32 %r6|%p5, %r4, "
              "-1;\nactivemask.b32 %r7;\n"
              "selp.u32 %r8, 1, 0, %p2;\nselp.u32 %r9, 2, 0, %p3;\nselp.u32 %r10, 4, 0, "
              "%p4;\nselp.u32 %r11, 8, 0, %p5;\n"
              "add.u32 %r2, %r3, %r8;\nadd.u32 %r2, %r2, %r9;\nadd.u32 %r2, %r2, %r10;\nadd.u32 "
              "%r2, %r2, %r11;\n"
              "xor.b32 %r2, %r2, %r5;\nadd.u32 %r2, %r2, %r6;\nadd.u32 %r2, %r2, %r7;\n" END;
    cr_expect_eq(run(text, 32, 70), EXEC_OK);
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(output[i], ((31 + 1) ^ (0x11111111u << i % 4)) + 0xffffffff);
}

Test(vgpu_exec, a_sync_instruction_waits_for_its_members_from_7_0_on)
{
    /* both sides of a branch that never rejoins run the same shuffle */
    static const char text[] = BEGIN
        "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u32 %r4, %r1;\n@%p1 bra A;\n"
        "add.u32 %r4, %r4, 100;\nbra.uni S;\nA: add.u32 %r4, %r4, 200;\nsetp.eq.u32 %p2, %r1, 30;\n"
        "@%p2 ret;\nS: bar.warp.sync -1;\nshfl.sync.bfly.b32 %r2, %r4, 1, 31, -1;\n" END;
    cr_expect_eq(run(text, 32, 70), EXEC_OK);
    cr_expect_eq(output[0], 101);
    cr_expect_eq(output[1], 200);
    cr_expect_eq(output[29], 228);
}

/* ---- atomics ----------------------------------------------------------------------------------
 */

Test(vgpu_exec, atomics_of_many_blocks_add_up)
{
    static const char text[] = HEAD
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<8>;\n.reg .b64 "
        "%rd<8>;\n.reg .f32 %f<4>;\n"
        "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\natom.global.add.u32 %r2, [%rd1], 1;\n"
        "red.global.max.u32 [%rd1+4], %r1;\natom.global.inc.u32 %r3, [%rd1+8], 9;\nmov.f32 %f1, "
        "0f3F000000;\n"
        "red.global.add.f32 [%rd1+12], %f1;\natom.global.or.b32 %r4, [%rd1+16], %r1;\n"
        "atom.global.min.s32 %r5, [%rd1+20], -7;\natom.global.cas.b32 %r6, [%rd1+24], 0, 42;\n"
        "atom.global.exch.b32 %r7, [%rd1+28], 5;\nred.global.add.u64 [%rd1+32], "
        "3000000000;\nret;\n}\n";
    struct vgpu_run r;
    uint64_t params[2] = { 0 };
    uint32_t v[THREADS];
    cr_assert_eq(vgpu_load(&r, text, 60, NULL, false), 0, "%s", r.err.msg);
    params[0] = vgpu_buffer(&r, NULL, sizeof v);
    memset(mem_host(r.arena, params[0], sizeof v), 0, sizeof v);
    cr_expect_eq(vgpu_launch(&r, NULL, 50, 100, params, sizeof params), EXEC_OK);
    memcpy(v, vgpu_host(&r, params[0], sizeof v), sizeof v);
    float sum;
    uint64_t wide;
    memcpy(&sum, &v[3], 4);
    memcpy(&wide, &v[8], 8);
    cr_expect_eq(v[0], 5000);
    cr_expect_eq(v[1], 99);
    cr_expect_eq(v[2], 0);
    cr_expect_eq(sum, 2500.0f);
    cr_expect_eq(v[4], 127);
    cr_expect_eq((int32_t)v[5], -7);
    cr_expect_eq(v[6], 42);
    cr_expect_eq(v[7], 5);
    cr_expect_eq(wide, UINT64_C(3000000000) * 5000);
    cr_expect_eq(r.result.counters.atomic_operations, 5000 * 9);
    vgpu_free(&r);
}

Test(vgpu_exec, carries_run_through_wide_sums)
{
    static const char text[] = BEGIN "ld.global.u32 %r3, [%rd5];\nmov.u32 %r4, -1;\nadd.cc.u32 "
                                     "%r5, %r3, %r4;\naddc.cc.u32 %r6, %r4, 0;\n"
                                     "addc.u32 %r7, 0, 0;\nsub.cc.u32 %r8, %r3, 1;\nsubc.u32 %r9, "
                                     "0, 0;\nmad.lo.cc.u32 %r10, %r3, %r3, %r3;\n"
                                     "madc.hi.u32 %r11, %r3, %r3, 0;\nadd.u32 %r2, %r5, "
                                     "%r6;\nadd.u32 %r2, %r2, %r7;\nadd.u32 %r2, %r2, %r9;\n"
                                     "xor.b32 %r2, %r2, %r11;\n" END;
    for (uint32_t i = 0; i < THREADS; i++)
        input[i] = i == 0 ? 0 : 0x10000000u * i + i;
    cr_expect_eq(run(text, 64, 35), EXEC_OK);
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t low = (uint64_t)input[i] + UINT32_MAX, middle = UINT32_MAX + (low >> 32);
        uint32_t borrow = input[i] < 1 ? UINT32_MAX : 0;
        uint64_t square = (uint64_t)input[i] * input[i] + input[i];
        uint32_t wanted = (uint32_t)low + (uint32_t)middle + (uint32_t)(middle >> 32) + borrow;
        cr_expect_eq(output[i], wanted ^ (uint32_t)(square >> 32), "thread %u", i);
    }
}

/* ---- counters ---------------------------------------------------------------------------------
 */

Test(vgpu_exec, instructions_and_transactions_are_counted)
{
    static const char text[] = BEGIN
        "ld.global.u32 %r2, [%rd5];\nmul.wide.u32 %rd6, %r1, 128;\nadd.s64 %rd6, %rd2, %rd6;\n"
        "setp.lt.u32 %p1, %r1, 8;\n@%p1 ld.global.u32 %r3, [%rd6];\nst.global.u32 [%rd4], %r2;\n"
        ".shared .align 4 .b8 s[4096];\nshl.b32 %r4, %r1, 7;\nst.shared.u32 [%r4], "
        "%r1;\nld.shared.u32 %r5, [s];\n"
        "ret;\n}\n";
    struct vgpu_run r;
    cr_expect_eq(run_on(text, 32, 35, false, &r), EXEC_OK, "%s", r.result.fault.text);
    const struct exec_counters *c = &r.result.counters;
    cr_expect_eq(c->issued, 6 + 10, "%llu", (unsigned long long)c->issued);
    cr_expect_eq(c->lanes, 15 * 32 + 8, "%llu", (unsigned long long)c->lanes);
    cr_expect_eq(c->global_load_requests, 2);
    cr_expect_eq(c->global_load_sectors, 4 + 8);
    cr_expect_eq(c->global_load_lines, 1 + 8);
    cr_expect_eq(c->global_load_bytes, 128 + 32);
    cr_expect_eq(c->global_store_sectors, 4);
    cr_expect_eq(c->shared_requests, 2);
    cr_expect_eq(c->shared_cycles, 32 + 1, "all lanes in one bank, then a broadcast");
    vgpu_free(&r);
}

Test(vgpu_exec, wider_banks_take_what_lies_two_words_apart_at_once)
{
    static const char text[] = BEGIN ".shared .align 8 .b8 s[4096];\nshl.b32 %r4, %r1, "
                                     "3;\nst.shared.u32 [%r4], %r1;\nst.shared.u64 [%r4], %rd3;\n"
                                     "mov.u32 %r2, 0;\n" END;
    for (unsigned bank = 4; bank <= 8; bank += 4) {
        struct vgpu_run r;
        cr_assert_eq(vgpu_load(&r, text, 35, NULL, false), 0, "%s", r.err.msg);
        uint64_t params[] = { vgpu_buffer(&r, NULL, sizeof output), 0 };
        struct exec_launch launch = { .grid = { 1, 1, 1 },
                                      .block = { 32, 1, 1 },
                                      .params = params,
                                      .params_bytes = sizeof params,
                                      .bank_bytes = bank };
        cr_assert_eq(exec_launch(r.module, exec_kernel_at(r.module, 0), &launch, &r.result, &r.err),
                     0);
        cr_expect_eq(r.result.code, EXEC_OK, "%s", r.result.fault.text);
        /* words: two conflict in banks of 4 bytes; 64 bits: two halves of the warp, or at once */
        cr_expect_eq(r.result.counters.shared_cycles, bank == 4 ? 2 + 2 : 1 + 1, "%u: %llu", bank,
                     (unsigned long long)r.result.counters.shared_cycles);
        vgpu_free(&r);
    }
}

Test(vgpu_exec, many_launches_do_not_take_memory)
{
    static const char text[] =
        BEGIN ".local .align 4 .b8 l[16];\nst.local.u32 [l], %r1;\nmov.u32 %r2, 0;\n" END;
    struct vgpu_run r;
    cr_assert_eq(vgpu_load(&r, text, 35, NULL, false), 0, "%s", r.err.msg);
    uint64_t params[] = { vgpu_buffer(&r, NULL, sizeof output), 0 };
    size_t after_first = 0;
    for (unsigned i = 0; i < 10000; i++) {
        cr_assert_eq(vgpu_launch(&r, NULL, 1, 32, params, sizeof params), EXEC_OK);
        if (i == 100)
            after_first = mallinfo2().uordblks;
    }
    cr_expect_leq(mallinfo2().uordblks, after_first + 4096);
    vgpu_free(&r);
}

Test(vgpu_exec, launches_that_cannot_be_are_refused)
{
    static const char text[] = HEAD ".visible .entry k(.param .u64 out)\n.maxntid 128, 1, "
                                    "1\n{\n.shared .align 4 .b8 s[40000];\nret;\n}\n";
    struct vgpu_run r;
    uint64_t param = 0;
    cr_assert_eq(vgpu_load(&r, text, 70, NULL, false), 0, "%s", r.err.msg);
    const struct exec_kernel *k = exec_find(r.module, "k");
    struct exec_launch good = {
        .grid = { 1, 1, 1 }, .block = { 128, 1, 1 }, .params = &param, .params_bytes = 8
    };
    struct exec_launch launch = good;
    cr_expect_eq(exec_launch(r.module, k, &launch, &r.result, &r.err), 0, "%s", r.err.msg);
    for (unsigned i = 0; i < 6; i++) {
        launch = good;
        switch (i) {
        case 0:
            launch.block[0] = 129;
            break;
        case 1:
            launch.block[0] = 0;
            break;
        case 2:
            launch.block[2] = 65536;
            break;
        case 3:
            launch.dynamic_shared_bytes = 9153;
            break;
        case 4:
            launch.params_bytes = 4;
            break;
        default:
            launch.grid[1] = 65536;
        }
        err_clear(&r.err);
        cr_expect_eq(exec_launch(r.module, k, &launch, &r.result, &r.err), -1, "case %u", i);
        cr_expect_eq(r.err.native, EXEC_INVALID_VALUE);
    }
    vgpu_free(&r);
}

#ifdef __SANITIZE_ADDRESS__
#define MANY 5000 /* checked allocations are slow */
#else
#define MANY 100000
#endif

/* Loading and unloading take time in proportion to what a module declares: in proportion to its
 * square this would not end in the time. A suite of its own, since Criterion leaks where a test and
 * its suite both have a time. */
Test(vgpu_exec_cost, a_module_of_very_many_variables_goes_as_it_came, .timeout = 60)
{
    struct vgpu_run r;
    struct str text = STR_INIT;
    str_add(&text, HEAD);
    for (int i = 0; i < MANY; i++)
        str_addf(&text, ".global .u64 a%d;\n", i);
    str_add(&text, ".visible .entry k()\n{\nret;\n}\n");
    cr_assert_eq(vgpu_load(&r, text.p, 70, NULL, false), 0, "%s", r.err.msg);
    vgpu_free(&r);
    str_free(&text);
}

/* A hostile text cannot make much of little: what a function takes is in proportion to its size. */
Test(vgpu_exec, a_function_of_one_instruction_takes_little_memory)
{
    enum { FUNCTIONS = 2000 };
    struct vgpu_run r;
    struct str text = STR_INIT;
    str_add(&text, HEAD);
    for (int i = 0; i < FUNCTIONS; i++)
        str_addf(&text, ".visible .entry k%d()\n{\nret;\n}\n", i);
    struct mallinfo2 before = mallinfo2();
    cr_assert_eq(vgpu_load(&r, text.p, 70, NULL, false), 0, "%s", r.err.msg);
    struct mallinfo2 after = mallinfo2();
    cr_expect_lt(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd,
                 (size_t)FUNCTIONS * 2048);
    vgpu_free(&r);
    str_free(&text);
}
