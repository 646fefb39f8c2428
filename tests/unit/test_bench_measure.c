/* The worker as it measures on a real card - rounds, rotating data, a race of kernels, its own
 * clock - on the virtual one, whose times are exact but which cannot tell. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "core/os_process.h"
#include "core/str.h"
#include "fatbin/images.h"

static char library[4300], cache[32];
static struct err err;

static void use_card(void)
{
    err_clear(&err);
    cr_assert_eq(os_self_path(library, 4096, &err), 0);
    strcpy(strrchr(library, '/'), "/../vgpu/libcuda.so.1");
    if (access(library, R_OK) || !embedded_image_count)
        cr_skip_test("no virtual GPU or no images in this build");
    if (!getenv("SMFIT_VGPU_MANIFEST"))
        cr_skip_test("SMFIT_VGPU_MANIFEST names no list of images");
    setenv("SMFIT_VGPU", "920m", 1);
    setenv("SMFIT_VGPU_DRIVER", "470", 1);
    strcpy(cache, "/tmp/smfit-measure-XXXXXX");
    cr_assert_not_null(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
}

static void forget_cache(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", cache);
    cr_assert_eq(system(command), 0);
}

static const struct plan_settings settings = {
    .rounds = 6, .sample_ms = 0.05, .warm_ms = 5, .launch_ms = 50
};

struct told {
    struct row_list rows;
    size_t begun, samples;
};

/* Runs the task here, and reads what it reports. */
static void measure(const struct bench_case *cases, size_t count, const char *hash,
                    struct told *told)
{
    char *text = NULL;
    size_t size = 0;
    struct measure_input in = { .library = library,
                                .nvml = "/nonexistent",
                                .settings = &settings,
                                .tune_hash = hash,
                                .cases = cases,
                                .count = count };
    FILE *report = open_memstream(&text, &size);
    json_t *document = measure_document(&in);
    *told = (struct told){ .begun = 0 };
    cr_assert_eq(measure_task.run(document, report, &err), 0, "%s", err.msg);
    json_decref(document);
    fclose(report);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        json_t *json = json_loadb(line, (size_t)(end - line), 0, NULL);
        struct row row;
        cr_assert_not_null(json);
        told->begun += json_object_get(json, "begin") != NULL;
        told->samples += json_object_get(json, "at") != NULL;
        if (json_object_get(json, "row")) {
            cr_assert_eq(row_parse(&row, json_object_get(json, "data"), &err), 0, "%s", err.msg);
            cr_assert_eq(row_list_add(&told->rows, &row, &err), 0);
        }
        json_decref(json);
    }
    free(text);
}

static struct bench_case product(int m, int n, int k)
{
    struct gemm_shape shape = { m, n, k, false, false, 1 };
    return case_gemm(ENGINE_SMFIT, BENCH_FP32, &shape);
}

Test(measure, every_case_is_visited_in_every_round_and_stays_right, .timeout = 120)
{
    use_card();
    struct conv_shape conv = { 1, 8, 10, 10, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1 };
    struct bench_case cases[] = { product(64, 64, 64), product(33, 65, 17),
                                  case_conv(ENGINE_SMFIT, BENCH_FP32, &conv, CONV_FORWARD) };
    struct told told;
    measure(cases, 3, NULL, &told);
    cr_assert_eq(told.rows.count, 3);
    cr_expect_eq(told.begun, 3);
    cr_expect_geq(told.samples, 3 * 6);
    for (size_t i = 0; i < 3; i++) {
        const struct row *r = &told.rows.list[i];
        cr_expect_eq(r->status, ROW_OK, "%s: %s", r->name, r->reason);
        cr_expect_eq(r->sample_count, 6);
        cr_expect_float_eq(r->time.coverage, 0.96875, 1e-9);
        cr_expect(r->time.low > 0 && r->time.low <= r->time.median &&
                  r->time.median <= r->time.high);
        cr_expect(r->max_rel_error <= r->error_bound && r->checked > 0);
        cr_expect_str_eq(r->chosen, "default");
    }
    cr_expect_eq(told.rows.list[0].anchor_ratio, 1, "the first case is the anchor");
    cr_expect_neq(told.rows.list[2].anchor_ratio, 1);
    row_list_free(&told.rows);
    forget_cache();
}

/* Layers of networks have fewer samples, and may stand beside others, also as their anchor. */
Test(measure, a_case_with_fewer_rounds_has_fewer_samples, .timeout = 120)
{
    use_card();
    struct bench_case cases[] = { product(16, 16, 16), product(32, 16, 16), product(16, 32, 16) };
    const size_t wanted[] = { 4, 6, 6 };
    cases[0].rounds = 4;
    cases[1].rounds = 7; /* the settings say 6 */
    struct told told;
    measure(cases, 3, NULL, &told);
    cr_assert_eq(told.rows.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct row *r = &told.rows.list[i];
        cr_expect_eq(r->status, ROW_OK, "%s: %s", r->name, r->reason);
        cr_expect_eq(r->sample_count, wanted[i]);
        cr_expect(isfinite(r->time.median) && isfinite(r->time.high) && isfinite(r->anchor_ratio));
    }
    row_list_free(&told.rows);
    forget_cache();
}

Test(measure, kernels_race_once_and_the_winner_is_remembered, .timeout = 120)
{
    use_card();
    struct bench_case one = product(96, 96, 96);
    struct told first, second;
    measure(&one, 1, "0123456789abcdef", &first);
    cr_assert_eq(first.rows.count, 1);
    cr_expect_str_eq(first.rows.list[0].chosen, "tuned", "%s", first.rows.list[0].reason);
    measure(&one, 1, "0123456789abcdef", &second);
    cr_expect_str_eq(second.rows.list[0].chosen, "cached");
    cr_expect_str_eq(second.rows.list[0].variant, first.rows.list[0].variant);
    row_list_free(&first.rows);
    measure(&one, 1, "fedcba9876543210", &first);
    cr_expect_str_eq(first.rows.list[0].chosen, "tuned", "another card or driver");
    row_list_free(&first.rows);
    row_list_free(&second.rows);
    forget_cache();
}

/* 20 million operations: tried at a small size first, then whole. */
Test(measure, a_large_launch_comes_after_a_small_one, .timeout = 120)
{
    use_card();
    struct bench_case one = product(400, 400, 400);
    struct told told;
    setenv("SMFIT_VGPU_FAULT", "launch:1=702", 1);
    measure(&one, 1, NULL, &told);
    unsetenv("SMFIT_VGPU_FAULT");
    cr_assert_eq(told.rows.count, 1);
    cr_expect_eq(told.rows.list[0].status, ROW_ERROR);
    cr_expect(strstr(told.rows.list[0].reason, "702"), "%s", told.rows.list[0].reason);
    cr_expect_str_eq(told.rows.list[0].shape, "NN 400x400x400", "the row is the case's");
    row_list_free(&told.rows);
    forget_cache();
}

Test(measure, a_device_that_dies_takes_one_case_along_and_leaves_the_others, .timeout = 120)
{
    use_card();
    struct bench_case cases[] = { product(16, 16, 16), product(17, 17, 17), product(18, 18, 18) };
    struct told told;
    /* Checked at 1 launch each; the 20th is somewhere in the rounds. */
    setenv("SMFIT_VGPU_FAULT", "launch:20=719", 1);
    measure(cases, 3, NULL, &told);
    unsetenv("SMFIT_VGPU_FAULT");
    cr_assert_eq(told.rows.count, 1, "the others are for the next worker");
    cr_expect_eq(told.rows.list[0].status, ROW_ERROR);
    cr_expect(strstr(told.rows.list[0].reason, "719"), "%s", told.rows.list[0].reason);
    row_list_free(&told.rows);
    forget_cache();
}
