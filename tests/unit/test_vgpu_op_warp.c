/* Instructions by which threads of a warp or block see each other, against the manual's
 * definitions. */
#include "vgpu_run.h"

TestSuite(vgpu_op_warp, .timeout = 120);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { LANES = 32 };

/* Per lane: what the kernel reads (a, b, c, and p as 0 or 1) and writes. */
struct words {
    uint32_t a[LANES], b[LANES], c[LANES], p[LANES];
};
struct result {
    uint64_t value[LANES], pred[LANES];
};

/* One warp runs `body` with %r1 = a, %r2 = b, %r3 = c, %p1 = p, %rd5 = a above b, and leaves %rd6
 * and %p2. */
static void run(const char *version, const char *body, const struct words *in, struct result *out)
{
    struct vgpu_run r;
    struct str s = STR_INIT;
    uint64_t params[2];
    str_addf(&s,
             "%s.address_size 64\n.visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg "
             ".b64 %%rd<16>;\n"
             ".reg .b32 %%r<16>;\n.reg .pred %%p<8>;\nld.param.u64 %%rd1, [pin];\nld.param.u64 "
             "%%rd2, [pout];\n"
             "mov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%rd3, %%r0, 4;\nadd.s64 %%rd1, %%rd1, %%rd3;\n"
             "ld.global.u32 %%r1, [%%rd1];\nld.global.u32 %%r2, [%%rd1+128];\nld.global.u32 %%r3, "
             "[%%rd1+256];\n"
             "ld.global.u32 %%r4, [%%rd1+384];\nsetp.ne.u32 %%p1, %%r4, 0;\nmov.b64 %%rd5, {%%r2, "
             "%%r1};\n"
             "mov.u64 %%rd6, 0;\nsetp.ne.u32 %%p2, 0, 0;\nmov.u32 %%r5, 0;\n%s"
             "add.s64 %%rd3, %%rd3, %%rd3;\nadd.s64 %%rd2, %%rd2, %%rd3;\nst.global.u64 [%%rd2], "
             "%%rd6;\n"
             "selp.u64 %%rd7, 1, 0, %%p2;\nst.global.u64 [%%rd2+256], %%rd7;\nret;\n}\n",
             version, body);
    cr_assert_eq(vgpu_load(&r, s.p, strstr(version, "sm_60") ? 60 : 90, NULL, false), 0, "%s: %s",
                 body, r.err.msg);
    params[0] = vgpu_buffer(&r, in, sizeof *in);
    params[1] = vgpu_buffer(&r, NULL, sizeof *out);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, LANES, params, sizeof params), EXEC_OK, "%s: %s", body,
                 r.result.fault.text);
    memcpy(out, vgpu_host(&r, params[1], sizeof *out), sizeof *out);
    vgpu_free(&r);
    str_free(&s);
}

static const char old[] = ".version 6.0\n.target sm_60\n", new[] = ".version 8.0\n.target sm_90\n";

static uint32_t state = 99;

static uint32_t random_word(void)
{
    state = state * 1664525 + 1013904223;
    return state ^ state >> 15;
}

static void fill(struct words *in, unsigned round)
{
    for (unsigned i = 0; i < LANES; i++) {
        in->a[i] = round % 2 ? random_word() : random_word() % 3 + 0x7ffffffe;
        in->b[i] = random_word() % 3;
        in->c[i] = random_word();
        in->p[i] = round == 0 || (round > 1 && random_word() % (round + 1) == 0);
    }
}

/* ---- shuffles
 * ---------------------------------------------------------------------------------------- */

/* The manual's pseudocode. */
static unsigned source(const char *mode, unsigned lane, uint32_t b, uint32_t c, bool *valid)
{
    unsigned bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
    unsigned max_lane = (lane & segmask) | (cval & ~segmask), min_lane = lane & segmask;
    int j;
    if (strcmp(mode, "up") == 0) {
        j = (int)lane - (int)bval;
        *valid = j >= (int)max_lane;
    } else if (strcmp(mode, "down") == 0) {
        j = (int)lane + (int)bval;
        *valid = j <= (int)max_lane;
    } else if (strcmp(mode, "bfly") == 0) {
        j = (int)(lane ^ bval);
        *valid = j <= (int)max_lane;
    } else {
        j = (int)(min_lane | (bval & ~segmask));
        *valid = j <= (int)max_lane;
    }
    return *valid ? (unsigned)j : lane;
}

static void check_shuffle(const char *instr, const char *mode, const char *version, bool sync,
                          struct words *in)
{
    struct result out;
    char body[160];
    snprintf(body, sizeof body, "%s %%r5|%%p2, %%r1, %%r2, %%r3%s;\ncvt.u64.u32 %%rd6, %%r5;\n",
             instr, sync ? ", -1" : "");
    run(version, body, in, &out);
    for (unsigned i = 0; i < LANES; i++) {
        bool valid;
        unsigned from = source(mode, i, in->b[i], in->c[i], &valid);
        cr_assert_eq(out.value[i], in->a[from], "%s, lane %u with %x, %x: %llx, not %x", instr, i,
                     in->b[i], in->c[i], (unsigned long long)out.value[i], in->a[from]);
        cr_assert_eq(out.pred[i], valid, "%s, lane %u with %x, %x: predicate", instr, i, in->b[i],
                     in->c[i]);
    }
    vgpu_tested(instr);
}

Test(vgpu_op_warp, shuffles_follow_the_manual_for_every_distance_and_segment)
{
    static const char *const modes[] = { "up", "down", "bfly", "idx" };
    static const uint32_t distances[] = { 0, 1, 2, 7, 16, 31, 33, 63 };
    struct words in;
    fill(&in, 1);
    for (unsigned m = 0; m < 4; m++) {
        /* as compilers write it: segments of 32 ... 2 lanes */
        for (unsigned width = 32; width > 1; width /= 2) {
            for (unsigned d = 0; d <= COUNT(distances); d++) {
                char instr[32];
                for (unsigned i = 0; i < LANES; i++) {
                    in.b[i] = d < COUNT(distances) ? distances[d] : random_word();
                    in.c[i] = (32 - width) << 8 | (m == 0 ? 0 : 31);
                    if (d == COUNT(distances) && width == 32)
                        in.c[i] = random_word();
                }
                snprintf(instr, sizeof instr, "shfl.sync.%s.b32", modes[m]);
                check_shuffle(instr, modes[m], new, true, &in);
                snprintf(instr, sizeof instr, "shfl.%s.b32", modes[m]);
                check_shuffle(instr, modes[m], old, false, &in);
            }
        }
    }
}

/* ---- votes
 * ------------------------------------------------------------------------------------------- */

static uint64_t vote(const char *mode, uint32_t p, uint32_t members)
{
    if (strcmp(mode, "ballot") == 0)
        return p & members;
    if (strcmp(mode, "any") == 0)
        return (p & members) != 0;
    if (strcmp(mode, "all") == 0)
        return (p & members) == members;
    return (p & members) == 0 || (p & members) == members; /* uni */
}

/* Lanes outside `members` do not take part and keep what they had. */
static void check_vote(const char *mode, bool sync, bool negated, uint32_t members,
                       const struct words *in)
{
    struct result out;
    char instr[48], body[256];
    bool ballot = strcmp(mode, "ballot") == 0;
    uint32_t p = 0;
    for (unsigned i = 0; i < LANES; i++)
        p |= (in->p[i] ^ negated) << i;
    snprintf(instr, sizeof instr, "vote.%s%s.%s", sync ? "sync." : "", mode,
             ballot ? "b32" : "pred");
    char mask[24] = "";
    if (sync)
        snprintf(mask, sizeof mask, ", 0x%x", members);
    snprintf(body, sizeof body,
             "shr.u32 %%r6, 0x%x, %%r0;\nand.b32 %%r6, %%r6, 1;\nsetp.ne.u32 %%p3, %%r6, 0;\n@%%p3 "
             "%s %s, %s%%p1%s;\n%s",
             members, instr, ballot ? "%r5" : "%p2", negated ? "!" : "", mask,
             ballot ? "cvt.u64.u32 %rd6, %r5;\n" : "");
    run(sync ? new : old, body, in, &out);
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t wanted = members >> i & 1 ? vote(mode, p, members) : 0,
                 got = ballot ? out.value[i] : out.pred[i];
        cr_assert_eq(got, wanted, "%s among %x of %x, lane %u: %llx", instr, members, p, i,
                     (unsigned long long)got);
    }
    vgpu_tested(instr);
}

Test(vgpu_op_warp, votes_count_those_who_take_part)
{
    static const char *const modes[] = { "ballot", "any", "all", "uni" };
    static const uint32_t members[] = { 0xffffffff, 0x0000ffff, 0x80000001, 0x00f0f000 };
    struct words in;
    for (unsigned round = 0; round < 5; round++) {
        fill(&in, round);
        for (unsigned m = 0; m < 4; m++) {
            for (unsigned k = 0; k < COUNT(members); k++) {
                check_vote(modes[m], true, round % 2, members[k], &in);
                check_vote(modes[m], false, round % 2, members[k], &in);
            }
        }
    }
}

/* ---- matches and reductions
 * ---------------------------------------------------------------------------- */

static void check_match(bool all, unsigned width, const struct words *in)
{
    struct result out;
    char instr[32], body[160];
    uint64_t v[LANES];
    snprintf(instr, sizeof instr, "match.%s.sync.b%u", all ? "all" : "any", width);
    snprintf(body, sizeof body, "%s %%r5%s, %s, -1;\ncvt.u64.u32 %%rd6, %%r5;\n", instr,
             all ? "|%p2" : "", width == 64 ? "%rd5" : "%r2");
    run(new, body, in, &out);
    for (unsigned i = 0; i < LANES; i++)
        v[i] = width == 64 ? (uint64_t)in->a[i] << 32 | in->b[i] : in->b[i];
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t same = 0;
        for (unsigned k = 0; k < LANES; k++)
            same |= (uint32_t)(v[k] == v[i]) << k;
        if (all)
            same = same == UINT32_MAX ? same : 0;
        cr_assert_eq(out.value[i], same, "%s, lane %u: %llx, not %x", instr, i,
                     (unsigned long long)out.value[i], same);
        cr_assert_eq(out.pred[i], all && same, "%s, lane %u: predicate", instr, i);
    }
    vgpu_tested(instr);
}

Test(vgpu_op_warp, lanes_with_the_same_value_find_each_other)
{
    struct words in;
    for (unsigned round = 0; round < 4; round++) {
        fill(&in, round % 2 * 2);
        for (unsigned i = 0; i < LANES && round == 3; i++)
            in.a[i] = in.b[i] = 5;
        for (unsigned k = 0; k < 4; k++)
            check_match(k & 1, k & 2 ? 64 : 32, &in);
    }
}

static uint32_t reduce(const char *op, bool is_signed, const uint32_t *v, uint32_t members)
{
    uint32_t r = 0;
    bool first = true;
    for (unsigned i = 0; i < LANES; i++) {
        if (!(members >> i & 1))
            continue;
        bool less = is_signed ? (int32_t)v[i] < (int32_t)r : v[i] < r;
        if (first)
            r = v[i];
        else if (op[0] == 'a' && op[1] == 'd')
            r += v[i];
        else if (op[0] == 'm')
            r = (op[1] == 'i') == less ? v[i] : r;
        else if (op[0] == 'a')
            r &= v[i];
        else
            r = op[0] == 'o' ? r | v[i] : r ^ v[i];
        first = false;
    }
    return r;
}

Test(vgpu_op_warp, warps_reduce)
{
    static const char *const forms[] = { "add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                         "max.s32", "and.b32", "or.b32",  "xor.b32" };
    static const uint32_t members[] = { 0xffffffff, 0x00ff0000, 0x7fffffff };
    struct words in;
    for (unsigned round = 0; round < 3; round++) {
        fill(&in, round);
        for (unsigned k = 0; k < COUNT(forms) * COUNT(members); k++) {
            struct result out;
            char instr[32], body[256];
            uint32_t mask = members[k % COUNT(members)];
            const char *form = forms[k / COUNT(members)];
            snprintf(instr, sizeof instr, "redux.sync.%s", form);
            snprintf(body, sizeof body,
                     "shr.u32 %%r6, 0x%x, %%r0;\nand.b32 %%r6, %%r6, 1;\nsetp.ne.u32 %%p3, %%r6, "
                     "0;\n@%%p3 %s %%r5, %%r1, 0x%x;\n"
                     "cvt.u64.u32 %%rd6, %%r5;\n",
                     mask, instr, mask);
            run(new, body, &in, &out);
            uint32_t wanted = reduce(form, strchr(form, '.')[1] == 's', in.a, mask);
            for (unsigned i = 0; i < LANES; i++)
                cr_assert_eq(out.value[i], mask >> i & 1 ? wanted : 0,
                             "%s among %x, lane %u: %llx, not %x", instr, mask, i,
                             (unsigned long long)out.value[i], wanted);
            vgpu_tested(instr);
        }
    }
}

/* ---- barriers
 * ------------------------------------------------------------------------------------------ */

enum { THREADS = 96 };

/* Threads whose word is not 0 vote; everybody gets the result, also threads of other warps. */
static void check_vote_of_block(const char *form, const uint32_t *words, uint32_t wanted)
{
    struct vgpu_run r;
    struct str s = STR_INIT;
    char instr[32];
    uint64_t params[2];
    bool count = strstr(form, "popc") != NULL;
    snprintf(instr, sizeof instr, "bar.red.%s", form);
    str_addf(
        &s,
        "%s.address_size 64\n.visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg .b64 "
        "%%rd<8>;\n.reg .b32 %%r<8>;\n"
        ".reg .pred %%p<4>;\nld.param.u64 %%rd1, [pin];\nld.param.u64 %%rd2, [pout];\nmov.u32 "
        "%%r1, %%tid.x;\n"
        "mul.wide.u32 %%rd3, %%r1, 4;\nadd.s64 %%rd1, %%rd1, %%rd3;\nadd.s64 %%rd2, %%rd2, %%rd3;\n"
        "ld.global.u32 %%r2, [%%rd1];\nsetp.ne.u32 %%p1, %%r2, 0;\n%s %s, 0, %%p1;\n%s"
        "st.global.u32 [%%rd2], %%r3;\nret;\n}\n",
        old, instr, count ? "%r3" : "%p2", count ? "" : "selp.u32 %r3, 1, 0, %p2;\n");
    cr_assert_eq(vgpu_load(&r, s.p, 60, NULL, false), 0, "%s: %s", instr, r.err.msg);
    params[0] = vgpu_buffer(&r, words, THREADS * 4);
    params[1] = vgpu_buffer(&r, NULL, THREADS * 4);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, THREADS, params, sizeof params), EXEC_OK, "%s: %s", instr,
                 r.result.fault.text);
    const uint32_t *out = vgpu_host(&r, params[1], THREADS * 4);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(out[i], wanted, "%s, thread %u: %u, not %u", instr, i, out[i], wanted);
    vgpu_tested(instr);
    vgpu_free(&r);
    str_free(&s);
}

Test(vgpu_op_warp, blocks_vote)
{
    for (unsigned round = 0; round < 6; round++) {
        uint32_t words[THREADS], n = 0;
        for (unsigned i = 0; i < THREADS; i++) {
            words[i] = round == 0   ? 0
                       : round == 1 ? 7
                       : round == 2 ? i == 95
                       : round == 3 ? i != 40
                                    : random_word() & 1;
            n += words[i] != 0;
        }
        check_vote_of_block("popc.u32", words, n);
        check_vote_of_block("and.pred", words, n == THREADS);
        check_vote_of_block("or.pred", words, n > 0);
    }
}

/* What one thread wrote before a barrier, others read behind it. */
static void check_exchange(const char *barrier, const char *form, unsigned distance)
{
    struct vgpu_run r;
    struct str s = STR_INIT;
    uint64_t params[1];
    str_addf(&s,
             "%s.address_size 64\n.visible .entry k(.param .u64 pout)\n{\n.shared .align 4 .b8 "
             "s[1024];\n.reg .b64 %%rd<8>;\n"
             ".reg .b32 %%r<12>;\nld.param.u64 %%rd2, [pout];\nmov.u32 %%r1, "
             "%%tid.x;\nmul.wide.u32 %%rd3, %%r1, 4;\n"
             "add.s64 %%rd2, %%rd2, %%rd3;\nmov.u32 %%r2, s;\nshl.b32 %%r3, %%r1, 2;\nadd.u32 "
             "%%r4, %%r2, %%r3;\n"
             "mul.lo.u32 %%r5, %%r1, %%r1;\nst.shared.u32 [%%r4], %%r5;\n%s;\nxor.b32 %%r6, %%r1, "
             "%u;\nshl.b32 %%r6, %%r6, 2;\n"
             "add.u32 %%r6, %%r2, %%r6;\nld.shared.u32 %%r7, [%%r6];\n%s;\nst.shared.u32 [%%r4], "
             "%%r7;\n%s;\n"
             "ld.shared.u32 %%r8, [%%r6];\nmad.lo.u32 %%r8, %%r7, 1000, %%r8;\nst.global.u32 "
             "[%%rd2], %%r8;\nret;\n}\n",
             new, barrier, distance, barrier, barrier);
    cr_assert_eq(vgpu_load(&r, s.p, 90, NULL, false), 0, "%s: %s", barrier, r.err.msg);
    params[0] = vgpu_buffer(&r, NULL, 128 * 4);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, 128, params, sizeof params), EXEC_OK, "%s: %s", barrier,
                 r.result.fault.text);
    const uint32_t *out = vgpu_host(&r, params[0], 128 * 4);
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t other = i ^ distance, wanted = other * other * 1000 + i * i;
        cr_assert_eq(out[i], wanted, "%s, thread %u: %u, not %u", barrier, i, out[i], wanted);
    }
    vgpu_tested(form);
    vgpu_free(&r);
    str_free(&s);
}

Test(vgpu_op_warp, barriers_order_what_is_written_and_read)
{
    check_exchange("bar.sync 0", "bar.sync", 127);
    check_exchange("bar.sync 3, 128", "bar.sync", 64);
    check_exchange("barrier.sync 1", "barrier.sync", 99);
    check_exchange("barrier.sync.aligned 1", "barrier.sync.aligned", 99);
    check_exchange("bar.warp.sync -1", "bar.warp.sync", 31);
}
