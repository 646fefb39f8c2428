/* What is planned, and what measured times are worth beside each other. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/conv.h"
#include "bench/gemm.h"
#include "bench/layers.h"
#include "bench/plan.h"
#include "bench/plot.h"
#include "bench/tune.h"

static struct err err;

static struct roof roof_for(const char *name)
{
    struct card_match match;
    struct roof roof;
    err_clear(&err);
    cr_assert_eq(cards_find(name, &match, &err), 0, "%s", err.msg);
    cr_assert(roof_of_card(&match.card, &roof));
    return roof;
}

static struct plan plan_for(const struct plan_options *options, const struct roof *roof)
{
    struct plan plan;
    err_clear(&err);
    cr_assert_eq(plan_build(options, roof, &plan, &err), 0, "%s", err.msg);
    return plan;
}

static size_t count(const struct plan *plan, const char *name, enum case_engine engine)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->count; i++)
        n += plan->cases[i].engine == engine && strstr(plan->cases[i].name, name) != NULL;
    return n;
}

/* 954 MHz, 384 lanes, 14.4 GB/s: the data sheet's arithmetic, done here by hand. */
Test(roof, the_920m_is_what_its_data_sheet_says)
{
    struct roof r = roof_for("920m");
    cr_expect_float_eq(r.peak_gflops[BENCH_FP32], 732.672, 0.001);
    cr_expect_float_eq(r.peak_gflops[BENCH_FP64], 732.672 / 24, 0.01);
    cr_expect_eq(r.peak_gflops[BENCH_HALF2], 0);
    cr_expect_eq(r.peak_gflops[BENCH_TC_FP16], 0);
    cr_expect_float_eq(r.bandwidth_gbps, 14.4, 1e-9);
    cr_expect_eq(r.l2_bytes, 512 * 1024);
}

/* NVIDIA's own: V100 PCIe 112 TFLOP/s tensor, T4 65, A100 312. */
Test(roof, tensor_peaks_are_those_that_the_maker_prints)
{
    static const struct {
        const char name[24];
        double tflops;
    } cards[] = { { "Tesla T4", 65 }, { "A100 PCIe 40GB", 312 } };
    for (size_t i = 0; i < 2; i++) {
        struct roof r = roof_for(cards[i].name);
        cr_expect_float_eq(r.peak_gflops[BENCH_TC_FP16] / 1e3, cards[i].tflops,
                           cards[i].tflops * 0.02, "%s: %g", cards[i].name,
                           r.peak_gflops[BENCH_TC_FP16]);
    }
}

Test(plan, a_920m_is_done_within_a_minute_and_in_short_within_ten_seconds)
{
    struct roof roof = roof_for("920m");
    struct plan_options options = { .extent = PLAN_DEFAULT, .gpu = true, .cpu = true };
    struct plan plan = plan_for(&options, &roof);
    cr_expect(plan.seconds < 60, "%g s", plan.seconds);
    for (size_t i = 0; i < plan.count; i++)
        if (plan.cases[i].planned == ROW_OK && !case_is_cpu(&plan.cases[i]))
            cr_expect(plan.cases[i].expected_ms <= 50, "%s %s", plan.cases[i].name,
                      plan.cases[i].shape);
    plan_free(&plan);
    options.extent = PLAN_QUICK;
    plan = plan_for(&options, &roof);
    cr_expect(plan.seconds < 10, "%g s", plan.seconds);
    plan_free(&plan);
}

/* Six samples are enough for an interval of 95 %: their least and greatest. */
Test(plan, layers_of_networks_are_sampled_less_but_enough)
{
    struct roof roof = roof_for("920m");
    struct conv_shape conv = { 1, 48, 40, 40, 48, 3, 3, 1, 1, 1, 1, 1, 1, 1 };
    struct plan_layer layers[] = {
        { .kind = CASE_CONV, .conv = conv, .count = 1 },
        { .kind = CASE_LAYER, .numbers = { BENCH_LAYER_ADD_RELU, 1, 48, 40, 40 }, .count = 1 },
    };
    struct plan_net net = { "small", layers, 2, "" };
    struct plan_options options = {
        .extent = PLAN_DEFAULT, .gpu = true, .nets = &net, .net_count = 1
    };
    struct plan plan = plan_for(&options, &roof);
    size_t fewer = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct bench_case *c = &plan.cases[i];
        bool inside = strstr(c->shape, "c48 40x40") || c->kind == CASE_NET;
        cr_expect_eq(c->rounds, inside ? 6 : 9, "%s %s", c->name, c->shape);
        fewer += inside && c->kind != CASE_NET;
    }
    cr_expect_eq(fewer, 5, "a convolution in two classes and by cuDNN in fp32, an addition in two");
    plan_free(&plan);
}

Test(plan, the_same_words_give_the_same_plan)
{
    struct roof roof = roof_for("gtx 1050");
    struct plan_options options = { .extent = PLAN_FULL, .gpu = true, .cpu = true };
    struct plan a = plan_for(&options, &roof), b = plan_for(&options, &roof);
    cr_assert_eq(a.count, b.count);
    for (size_t i = 0; i < a.count; i++)
        cr_expect(strcmp(a.cases[i].name, b.cases[i].name) == 0 &&
                  strcmp(a.cases[i].shape, b.cases[i].shape) == 0);
    plan_free(&a);
    plan_free(&b);
}

Test(plan, no_two_cases_have_the_same_row)
{
    struct roof roof = roof_for("A100 PCIe 40GB");
    struct plan_options options = { .extent = PLAN_FULL, .gpu = true, .cpu = true };
    struct plan plan = plan_for(&options, &roof);
    for (size_t i = 0; i < plan.count; i++)
        for (size_t k = 0; k < i; k++) {
            struct row a, b;
            case_row(&plan.cases[i], false, &a);
            case_row(&plan.cases[k], false, &b);
            cr_expect_not(row_same(&a, &b), "%s %s", a.name, a.shape);
        }
    plan_free(&plan);
}

Test(plan, patterns_and_shapes_choose_and_bring_their_ceilings_along)
{
    struct roof roof = roof_for("920m");
    const char *pattern[] = { "conv/depth*" };
    struct plan_options options = {
        .gpu = true, .cpu = true, .patterns = pattern, .pattern_count = 1
    };
    struct plan plan = plan_for(&options, &roof);
    cr_expect_gt(count(&plan, "conv/depthwise", ENGINE_SMFIT), 0);
    cr_expect_eq(count(&plan, "gemm", ENGINE_SMFIT), 0);
    cr_expect_eq(count(&plan, "ceiling/fp32", ENGINE_SMFIT), 1);
    cr_expect_eq(count(&plan, "ceiling/copy", ENGINE_SMFIT), 1);
    plan_free(&plan);
    struct gemm_shape shape = { 7, 8, 9, false, false, 1 };
    options = (struct plan_options){ .gpu = true, .cpu = true, .shapes = &shape, .shape_count = 1 };
    options.precisions[BENCH_FP32] = true;
    plan = plan_for(&options, &roof);
    cr_expect_eq(count(&plan, "gemm", ENGINE_SMFIT) - count(&plan, "load/gemm", ENGINE_SMFIT), 1);
    cr_expect_eq(count(&plan, "conv/", ENGINE_SMFIT), 0);
    plan_free(&plan);
    pattern[0] = "nothing like it";
    options = (struct plan_options){ .gpu = true, .patterns = pattern, .pattern_count = 1 };
    cr_expect_eq(plan_build(&options, &roof, &plan, &err), -1);
    cr_expect_eq(err.code, ERR_USAGE);
}

Test(plan, a_missing_library_is_a_row_with_its_reason)
{
    struct roof roof = roof_for("gtx 1050");
    struct plan_options options = { .gpu = true };
    options.missing[ENGINE_CUBLAS] = "libcublas was not found";
    struct plan plan = plan_for(&options, &roof);
    size_t seen = 0;
    for (size_t i = 0; i < plan.count; i++)
        if (plan.cases[i].engine == ENGINE_CUBLAS && plan.cases[i].precision == BENCH_FP32) {
            cr_expect_eq(plan.cases[i].planned, ROW_SKIPPED);
            cr_expect_str_eq(plan.cases[i].why, "libcublas was not found");
            seen++;
        }
    cr_expect_gt(seen, 0);
    plan_free(&plan);
}

Test(plan, groups_are_of_one_kind_and_cover_everything)
{
    struct roof roof = roof_for("A100 PCIe 40GB");
    struct plan_options options = { .extent = PLAN_FULL, .gpu = true, .cpu = true };
    struct plan plan = plan_for(&options, &roof);
    size_t covered = 0;
    for (size_t i = 0, n; i < plan.count; i += n, covered += n) {
        n = plan_group(&plan, i);
        cr_assert(n >= 1 && n <= PLAN_GROUP_MOST);
        for (size_t k = i; k < i + n; k++)
            cr_expect(plan.cases[k].kind == plan.cases[i].kind &&
                      case_is_cpu(&plan.cases[k]) == case_is_cpu(&plan.cases[i]));
    }
    cr_expect_eq(covered, plan.count);
    plan_free(&plan);
}

Test(cases, what_a_worker_gets_is_what_the_plan_has)
{
    struct roof roof = roof_for("A100 PCIe 40GB");
    struct plan_options options = { .extent = PLAN_FULL, .gpu = true, .cpu = true };
    struct plan plan = plan_for(&options, &roof);
    for (size_t i = 0; i < plan.count; i++) {
        const struct bench_case *a = &plan.cases[i];
        struct bench_case b;
        json_t *json = case_json(a);
        cr_assert_eq(case_parse(&b, json, &err), 0, "%s", err.msg);
        cr_expect(strcmp(a->name, b.name) == 0 && strcmp(a->shape, b.shape) == 0 &&
                  a->engine == b.engine && a->precision == b.precision && a->pass == b.pass &&
                  memcmp(&a->gemm, &b.gemm, sizeof a->gemm) == 0 &&
                  memcmp(&a->conv, &b.conv, sizeof a->conv) == 0 && a->size.bytes == b.size.bytes &&
                  a->size.rounds == b.size.rounds && a->size.blocks == b.size.blocks);
        cr_expect((isnan(a->flop) && isnan(b.flop)) || a->flop == b.flop);
        json_decref(json);
    }
    plan_free(&plan);
}

Test(plan, a_product_that_was_asked_for_is_waited_for_on_the_processor_and_not_on_a_card)
{
    const struct gemm_shape shapes[] = { { 4096, 4096, 4096, false, false, 1 },
                                         { 65536, 65536, 65536, false, false, 1 } };
    for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
        struct roof roof = roof_for("920m");
        struct plan_options o = { .cpu = on_cpu, .gpu = !on_cpu, .shapes = shapes, .shape_count = 2 };
        o.precisions[BENCH_FP32] = true;
        struct plan plan = plan_for(&o, &roof);
        for (size_t i = 0; i < plan.count; i++) {
            const struct bench_case *c = &plan.cases[i];
            if (strcmp(c->name, "gemm") != 0)
                continue;
            bool runs = on_cpu && strstr(c->shape, "4096x4096x4096");
            cr_expect_eq(c->planned, runs ? ROW_OK : ROW_SKIPPED, "%s: %s", c->shape, c->why);
            cr_expect_eq(!!strstr(c->why, "watchdog"), !on_cpu, "%s", c->why);
        }
        plan_free(&plan);
    }
}

/* ---- two runs ---- */

static void add_timed(struct row_list *rows, const char *shape, const char *basis, size_t n,
                      double ms)
{
    struct row row;
    row_init(&row);
    strcpy(row.name, "gemm");
    strcpy(row.shape, shape);
    strcpy(row.basis, basis);
    cr_assert_eq(row_reserve(&row, n, &err), 0);
    for (size_t i = 0; i < n; i++)
        row.samples_ms[i] = ms;
    row_summarise(&row);
    cr_assert_eq(row_list_add(rows, &row, &err), 0);
}

Test(compare, rows_meet_by_what_they_are_and_lone_ones_are_kept)
{
    struct row_list a = { 0 }, b = { 0 };
    size_t n;
    add_timed(&a, "1", "measured", 9, 10);
    add_timed(&a, "2", "measured", 9, 10);
    add_timed(&a, "3", "simulated", 1, 10);
    add_timed(&a, "4", "measured", 1, 10);
    add_timed(&b, "4", "measured", 1, 5);
    add_timed(&b, "3", "simulated", 1, 5);
    add_timed(&b, "1", "measured", 9, 5);
    add_timed(&b, "5", "measured", 9, 5);
    struct comparison *c = compare_rows(&a, &b, &n);
    cr_assert_eq(n, 5);
    cr_expect(c[0].timed && c[0].verdict == STATS_FASTER && c[0].ratio == 0.5);
    cr_expect(!c[1].timed && c[1].b == NULL);
    cr_expect(c[2].timed && c[2].verdict == STATS_FASTER, "a simulated clock is exact");
    cr_expect(c[3].timed && c[3].verdict == STATS_AMBIGUOUS, "one sample is nothing");
    cr_expect(!c[4].timed && c[4].a == NULL);
    /* Images are loaded by the clock of this computer, on a virtual card as on any. */
    strcpy(a.list[2].name, "load/gemm_f32");
    strcpy(b.list[1].name, "load/gemm_f32");
    free(c);
    c = compare_rows(&a, &b, &n);
    cr_expect(c[2].timed && c[2].verdict == STATS_AMBIGUOUS);
    free(c);
    row_list_free(&a);
    row_list_free(&b);
}

/* ---- the plot ---- */

Test(plot, names_are_escaped_and_no_rows_are_no_plot)
{
    struct row_list rows = { 0 };
    struct plot_labels labels = { "a <b> & \"c\"", "", "x", "y", "nothing here" };
    struct str svg = STR_INIT;
    plot_svg(&rows, &labels, &svg);
    cr_expect(strstr(svg.p, "a &lt;b&gt; &amp; &quot;c&quot;"));
    cr_expect(strstr(svg.p, "nothing here"));
    cr_expect_null(strstr(svg.p, "<circle"));
    str_free(&svg);
}

static void add_roof(struct row_list *rows, const char *name, const char *precision, double gflops)
{
    struct row row;
    row_init(&row);
    snprintf(row.name, sizeof row.name, "ceiling/%s", name);
    strcpy(row.precision, precision);
    row.gflops = gflops;
    cr_assert_eq(row_reserve(&row, 1, &err), 0);
    row.samples_ms[0] = 1;
    row.flop = gflops * 1e6;
    row_summarise(&row);
    cr_assert_eq(row_list_add(rows, &row, &err), 0);
}

/* Where the words of a roof stand, from the top. */
static double words_y(const char *svg, const char *words)
{
    double y = NAN;
    const char *at = strstr(svg, words);
    cr_assert_not_null(at, "no '%s'", words);
    while (at > svg && strncmp(at, " y=\"", 4) != 0)
        at--;
    cr_assert_eq(sscanf(at, " y=\"%lf", &y), 1);
    return y;
}

/* Tensor cores do both halves at one rate: two roofs at one height, and another just below. */
Test(plot, the_words_of_roofs_at_one_height_do_not_cover_each_other)
{
    struct row_list rows = { 0 };
    struct plot_labels labels = { "title", "", "x", "y", "nothing here" };
    struct str svg = STR_INIT;
    add_roof(&rows, "fp32", "fp32", 19500);
    add_roof(&rows, "tc-fp16", "tc-fp16", 312000);
    add_roof(&rows, "tc-bf16", "tc-bf16", 312000);
    add_roof(&rows, "int32", "int32", 19400);
    add_timed(&rows, "1", "measured", 1, 10);
    rows.list[4].gflops = rows.list[4].bytes = rows.list[4].flop = 1e3;
    plot_svg(&rows, &labels, &svg);
    double f16 = words_y(svg.p, "tc-fp16: 312000 GFLOP/s"), f32 = words_y(svg.p, "fp32: 19500 GFLOP/s");
    cr_expect(fabs(f16 - words_y(svg.p, "tc-bf16: 312000 GFLOP/s")) >= 12);
    cr_expect(words_y(svg.p, "int32: 19400 GOP/s") >= f32 + 12);
    cr_expect(f32 > f16 + 24);
    str_free(&svg);
    row_list_free(&rows);
}

/* ---- the cache of choices ---- */

Test(tune, choices_are_found_again_and_a_broken_file_is_no_failure)
{
    char folder[] = "/tmp/smfit-tune-XXXXXX", hash[17], other[17], command[64];
    struct tune t;
    cr_assert_not_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    tune_hash("GPU-1", "470.256.02", hash);
    tune_hash("GPU-1", "535.54", other);
    cr_expect_str_neq(hash, other);
    tune_open(&t, hash);
    cr_expect_null(tune_find(&t, "gemm fp32 NN 1x1x1"));
    tune_add(&t, "gemm fp32 NN 1x1x1", "gemm_f32_32x32/2");
    tune_add(&t, "gemm fp32 NN 1x1x1", "gemm_f32_64x64/1");
    tune_close(&t);
    tune_open(&t, hash);
    cr_expect_str_eq(tune_find(&t, "gemm fp32 NN 1x1x1"), "gemm_f32_64x64/1");
    FILE *f = fopen(t.path, "w");
    cr_assert_not_null(f);
    fputs("no tab\n\t\n\xff\xff\tx\na\tb\ttwo\nlast line without an end", f);
    fclose(f);
    tune_close(&t);
    tune_open(&t, hash);
    cr_expect_null(tune_find(&t, "gemm fp32 NN 1x1x1"));
    cr_expect_str_eq(tune_find(&t, "a"), "b\ttwo");
    tune_close(&t);
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    tune_open(&t, hash);
    tune_add(&t, "a", "b");
    tune_close(&t);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}
