/* The ceilings on virtual cards: each one's own check must be satisfied, and must see what is
 * wrong. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "core/os_process.h"
#include "fatbin/images.h"

static struct gpu gpu;
static struct err err;

static void open_card(const char *card, const char *driver)
{
    char path[4300];
    err_clear(&err);
    cr_assert_eq(os_self_path(path, 4096, &err), 0);
    strcpy(strrchr(path, '/'), "/../vgpu/libcuda.so.1");
    if (access(path, R_OK) || !embedded_image_count)
        cr_skip_test("no virtual GPU or no images in this build");
    setenv("SMFIT_VGPU", card, 1);
    setenv("SMFIT_VGPU_DRIVER", driver, 1);
    cr_assert_eq(gpu_open(&gpu, path, NULL, &err), 0, "%s", err.msg);
}

/* Runs one ceiling; its check is the assertion. */
static void runs(const struct ceiling *c, const struct ceiling_size *size)
{
    struct ceiling_job job;
    struct ceiling_verdict verdict;
    cr_assert_eq(ceiling_prepare(&job, &gpu, c, size, &err), 0, "%s: %s", c->name, err.msg);
    cr_assert_eq(ceiling_run(&job, &err), 0, "%s: %s", c->name, err.msg);
    cr_assert_eq(ceiling_check(&job, &verdict, &err), 0, "%s: %s", c->name, err.msg);
    cr_expect_eq(verdict.wrong, 0, "%s: %s", c->name, verdict.first);
    cr_expect_gt(verdict.checked, 0);
    ceiling_free(&job);
}

static void all_run(void)
{
    for (size_t i = 0; i < ceiling_count(); i++) {
        const struct ceiling *c = ceiling_at(i);
        if (c->cc > gpu.device.cc)
            continue;
        struct ceiling_size size = ceiling_size(c, 2, 2e6);
        runs(c, &size);
    }
}

Test(ceiling, all_of_a_kepler_card_are_right)
{
    open_card("920m", "470");
    all_run();
    gpu_close(&gpu);
}

Test(ceiling, all_of_a_pascal_card_are_right)
{
    open_card("GeForce GTX 1080 Ti", "535");
    all_run();
    gpu_close(&gpu);
}

Test(ceiling, all_of_a_turing_card_are_right)
{
    open_card("GeForce RTX 2080", "535");
    all_run();
    gpu_close(&gpu);
}

Test(ceiling, all_of_a_hopper_card_are_right)
{
    open_card("H200 NVL", "580");
    all_run();
    gpu_close(&gpu);
}

/* ---- what the check sees ------------------------------------------------------------------------
 */

static void is_seen(const char *name, void (*spoil)(struct ceiling_job *job), const char *words)
{
    struct ceiling_job job;
    struct ceiling_verdict verdict;
    const struct ceiling *c = ceiling_find(name);
    struct ceiling_size size = ceiling_size(c, 1, 1e6);
    cr_assert_eq(ceiling_prepare(&job, &gpu, c, &size, &err), 0, "%s", err.msg);
    cr_assert_eq(ceiling_run(&job, &err), 0, "%s", err.msg);
    spoil(&job);
    cr_assert_eq(ceiling_check(&job, &verdict, &err), 0, "%s", err.msg);
    cr_expect_gt(verdict.wrong, 0, "%s", name);
    cr_expect_not_null(strstr(verdict.first, words), "%s: %s", name, verdict.first);
    ceiling_free(&job);
}

static void last_bit(struct ceiling_job *job)
{
    uint32_t word;
    uint64_t at = job->arrays[0] + job->array_bytes[0] - 4;
    cr_assert_eq(gpu_download(job->gpu, &word, at, 4, &err), 0);
    word ^= 1;
    cr_assert_eq(gpu_upload(job->gpu, at, &word, 4, &err), 0);
}

static void behind(struct ceiling_job *job)
{
    cr_assert_eq(gpu_set_bytes(job->gpu, job->arrays[0] + job->array_bytes[0], 0, 1, &err), 0);
}

static void before(struct ceiling_job *job)
{
    cr_assert_eq(gpu_set_bytes(job->gpu, job->arrays[0] - 1, 0, 1, &err), 0);
}

static void one_round_less(struct ceiling_job *job)
{
    job->size.rounds--;
    cr_assert_eq(ceiling_run(job, &err), 0);
    job->size.rounds++;
}

static void nothing_came(struct ceiling_job *job)
{
    cr_assert_eq(gpu_set_bytes(job->gpu, job->arrays[0], 0xff, job->array_bytes[0], &err), 0);
}

Test(ceiling, a_wrong_result_is_seen_to_the_last_bit)
{
    open_card("H200 NVL", "580");
    for (size_t i = 0; i < ceiling_count(); i++) {
        const struct ceiling *c = ceiling_at(i);
        if (strncmp(c->name, "d2h", 3) == 0)
            continue;
        is_seen(c->name, last_bit, "element");
        is_seen(c->name, nothing_came, "element 0 ");
        is_seen(c->name, behind, "behind");
        is_seen(c->name, before, "before");
        if (c->kind == CEILING_ARITHMETIC || c->kind == CEILING_TENSOR || c->kind == CEILING_SHARED)
            is_seen(c->name, one_round_less, "element 0 ");
    }
    gpu_close(&gpu);
}

Test(ceiling, a_large_array_is_looked_at_from_end_to_end)
{
    open_card("920m", "470");
    struct ceiling_job job;
    struct ceiling_verdict verdict;
    struct ceiling_size size = { .bytes = (40u << 20) + 16 };
    cr_assert_eq(ceiling_prepare(&job, &gpu, ceiling_find("h2d-pageable"), &size, &err), 0);
    cr_assert_eq(ceiling_run(&job, &err), 0);
    cr_assert_eq(ceiling_check(&job, &verdict, &err), 0);
    cr_expect_eq(verdict.wrong, 0, "%s", verdict.first);
    cr_expect_gt(verdict.checked, 400000);
    last_bit(&job);
    cr_assert_eq(ceiling_check(&job, &verdict, &err), 0);
    cr_expect_eq(verdict.wrong, 1);
    ceiling_free(&job);
    gpu_close(&gpu);
}

/* ---- sizes --------------------------------------------------------------------------------------
 */

Test(ceiling, a_size_is_near_the_work_and_in_whole_waves)
{
    static const double works[] = { 1, 1e4, 1e6, 1e8, 3e9, 1e11, 5e12 };
    for (size_t i = 0; i < ceiling_count(); i++)
        for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
            const struct ceiling *c = ceiling_at(i);
            struct ceiling_size size = ceiling_size(c, 132, works[w]);
            double got = ceiling_work(c, &size), least = c->per_round * 256;
            if (c->kind == CEILING_LAUNCH || works[w] < 2 * least)
                continue;
            cr_expect(got <= works[w] * 1.001 && got > works[w] * 0.45, "%s: %g for %g", c->name,
                      got, works[w]);
            cr_expect_leq(size.rounds, c->rounds);
            if (size.rounds > 1)
                cr_expect_eq(size.blocks % (132 * 24), 0, "%s: %u blocks", c->name, size.blocks);
        }
}

Test(ceiling, what_cannot_be_is_refused)
{
    open_card("920m", "470");
    struct ceiling_job job;
    struct ceiling_size odd = { .blocks = 1, .threads = 33, .rounds = 1, .bytes = 17 };
    struct ceiling_size many = { .blocks = 1, .threads = 32, .rounds = 1u << 20 };
    cr_expect_eq(ceiling_prepare(&job, &gpu, ceiling_find("fp32"), &odd, &err), -1);
    cr_expect_eq(err.code, ERR_LIMIT);
    cr_expect_eq(ceiling_prepare(&job, &gpu, ceiling_find("copy"), &odd, &err), -1);
    cr_expect_eq(ceiling_prepare(&job, &gpu, ceiling_find("fp32"), &many, &err), -1);
    err_clear(&err);
    /* halves on a card without: the driver finds no image */
    many.rounds = 1;
    cr_expect_eq(ceiling_prepare(&job, &gpu, ceiling_find("fp16"), &many, &err), -1);
    cr_expect_eq(err.native, GPU_NO_BINARY);
    gpu_close(&gpu);
}

Test(ceiling, each_class_has_its_own)
{
    for (int p = 0; p < BENCH_PRECISION_COUNT; p++)
        cr_assert_not_null(ceiling_of((enum bench_precision)p), "%s",
                           bench_precision_name((enum bench_precision)p));
    cr_expect_str_eq(ceiling_of(BENCH_FP16S)->name, "fp32");
    cr_expect_str_eq(ceiling_of(BENCH_DP4A)->name, "int8");
    cr_expect_null(ceiling_of(BENCH_PRECISION_COUNT));
    cr_expect_eq(ceiling_instructions(ceiling_find("int32"), 61), 3);
    cr_expect_eq(ceiling_instructions(ceiling_find("int32"), 70), 1);
    cr_expect_eq(ceiling_instructions(ceiling_find("int8"), 61), 1);
    cr_expect_eq(ceiling_instructions(ceiling_find("int8"), 62), 8);
}

/* ---- clocks -------------------------------------------------------------------------------------
 */

/* What the clock says of a card whose row in cards.tsv has 954 MHz, and which always runs at that.
 */
static double clock_of_920m(const char *fault)
{
    struct clock clock;
    struct clock_span span;
    struct ceiling_job job;
    setenv("SMFIT_VGPU_FAULT", fault, 1);
    open_card("920m", "470");
    struct ceiling_size size = ceiling_size(ceiling_find("fp32"), 2, 2e7);
    cr_assert_eq(clock_open(&clock, &gpu, 2, &err), 0, "%s", err.msg);
    cr_assert_eq(ceiling_prepare(&job, &gpu, ceiling_find("fp32"), &size, &err), 0);
    cr_assert_eq(clock_stamp(&clock, 0, &err), 0);
    cr_assert_eq(ceiling_run(&job, &err), 0);
    cr_assert_eq(clock_stamp(&clock, 1, &err), 0);
    cr_assert_eq(clock_between(&clock, 0, 1, &span, &err), 0, "%s", err.msg);
    cr_expect_eq(span.multiprocessors, 2);
    cr_expect_gt(span.ms, 0);
    cr_expect_eq(clock_stamp(&clock, 2, &err), -1);
    ceiling_free(&job);
    clock_close(&clock);
    gpu_close(&gpu);
    return span.mhz;
}

Test(ceiling, the_devices_own_clock_is_read)
{
    double mhz = clock_of_920m("");
    cr_expect_float_eq(mhz, 954, 10, "%g MHz", mhz);
}

Test(ceiling, and_shows_that_it_is_throttled)
{
    double mhz = clock_of_920m("throttle=50");
    cr_expect_float_eq(mhz, 477, 5, "%g MHz", mhz);
}

Test(ceiling, a_slot_without_a_stamp_is_no_time)
{
    struct clock clock;
    struct clock_span span;
    open_card("920m", "470");
    cr_assert_eq(clock_open(&clock, &gpu, 2, &err), 0);
    cr_assert_eq(clock_stamp(&clock, 0, &err), 0);
    cr_expect_eq(clock_between(&clock, 0, 1, &span, &err), -1);
    cr_expect_eq(err.code, ERR_MISSING);
    clock_close(&clock);
    gpu_close(&gpu);
}
