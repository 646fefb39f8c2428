/* What measured times are worth beside the ceilings, and as sums. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "bench/judge.h"
#include "bench/layers.h"

static struct err err;

/* ---- beside ceilings ---- */

static void add_by(struct row_list *rows, const struct bench_case *c, const char *variant,
                   double ms)
{
    struct row row;
    err_clear(&err);
    case_row(c, false, &row);
    cr_assert_eq(row_reserve(&row, 2, &err), 0);
    row.samples_ms[0] = row.samples_ms[1] = ms;
    row_summarise(&row);
    strcpy(row.variant, variant);
    judge_row(rows, c, &row);
    cr_assert_eq(row_list_add(rows, &row, &err), 0);
}

static void add(struct row_list *rows, const struct bench_case *c, double ms)
{
    add_by(rows, c, "", ms);
}

static void add_ceiling(struct row_list *rows, const char *name, double work, double ms)
{
    struct ceiling_size size = ceiling_size(ceiling_find(name), 2, work);
    struct bench_case c = case_ceiling(ceiling_find(name), &size);
    bool flop = isfinite(c.flop);
    /* So many operations or bytes as are wanted, in the time given. */
    *(flop ? &c.flop : &c.bytes) = work;
    add(rows, &c, ms);
}

static const struct row *last(const struct row_list *rows)
{
    return &rows->list[rows->count - 1];
}

/* 500 GFLOP/s and 10 GB/s. A product of 1000^3 is 2e9 operations, 12e6 bytes: 4 ms of
 * arithmetic, 1.2 ms of memory. A 1x1 product of a vector is bound by its 4e6 bytes: 0.4 ms. */
Test(judge, the_binding_ceiling_is_the_one_that_takes_longer)
{
    struct row_list rows = { 0 };
    add_ceiling(&rows, "fp32", 5e8, 1);
    add_ceiling(&rows, "copy", 1e7, 1);
    add_ceiling(&rows, "triad", 9e6, 1);
    cr_expect(isnan(last(&rows)->ceiling_percent));
    struct gemm_shape cube = { 1000, 1000, 1000, false, false, 1 };
    struct bench_case c = case_gemm(ENGINE_SMFIT, BENCH_FP32, &cube);
    add(&rows, &c, 8);
    cr_expect_float_eq(last(&rows)->ceiling_percent, 50, 1e-9);
    cr_expect_str_eq(last(&rows)->ceiling, "ceiling/fp32");
    struct gemm_shape vector = { 1000, 1, 1000, false, false, 1 };
    c = case_gemm(ENGINE_SMFIT, BENCH_FP32, &vector);
    add(&rows, &c, 0.8016);
    cr_expect_float_eq(last(&rows)->ceiling_percent, 100 * 4008000.0 / 1e7 / 0.8016, 1e-6);
    cr_expect_str_eq(last(&rows)->ceiling, "ceiling/copy");
    row_list_free(&rows);
}

Test(judge, what_is_faster_than_the_card_is_an_error)
{
    struct row_list rows = { 0 };
    add_ceiling(&rows, "fp32", 5e8, 1);
    struct gemm_shape cube = { 1000, 1000, 1000, false, false, 1 };
    struct bench_case c = case_gemm(ENGINE_SMFIT, BENCH_FP32, &cube);
    add(&rows, &c, 4 / 1.04);
    cr_expect_eq(last(&rows)->status, ROW_OK);
    c = case_gemm(ENGINE_CUBLAS, BENCH_FP32, &cube);
    add(&rows, &c, 4 / 1.06);
    cr_expect_eq(last(&rows)->status, ROW_ERROR);
    cr_expect(strstr(last(&rows)->reason, "106 %"), "%s", last(&rows)->reason);
    /* Halves in memory run in single precision; those of tensor cores have a ceiling of their own.
     */
    c = case_gemm(ENGINE_SMFIT, BENCH_FP16S, &cube);
    add(&rows, &c, 1);
    cr_expect_eq(last(&rows)->status, ROW_ERROR);
    c = case_gemm(ENGINE_SMFIT, BENCH_TC_FP16, &cube);
    add(&rows, &c, 1);
    cr_expect(last(&rows)->status == ROW_OK && isnan(last(&rows)->ceiling_percent));
    /* Reads alone may be faster than copies, but not by any amount. */
    add_ceiling(&rows, "copy", 1e7, 1);
    struct gemm_shape vector = { 1000, 1, 1000, false, false, 1 };
    c = case_gemm(ENGINE_SMFIT, BENCH_FP32, &vector);
    add(&rows, &c, 0.4008 / 1.1);
    cr_expect_eq(last(&rows)->status, ROW_OK);
    c = case_gemm(ENGINE_CUBLAS, BENCH_FP32, &vector);
    add(&rows, &c, 0.4008 / 1.3);
    cr_expect_eq(last(&rows)->status, ROW_ERROR);
    row_list_free(&rows);
}

/* A layer of ResNet-18: 2 x 64 x 56 x 56 x 64 x 9 operations are 0.4624 ms at 500 GFLOP/s.
 * F(2x2,3x3) multiplies 16 times for 36 of the definition. */
Test(judge, what_multiplies_less_often_may_be_faster_than_the_arithmetic_but_not_than_the_memory)
{
    static const struct {
        const char *variant;
        double ms;
        enum row_status status;
    } rows_of[] = {
        { "winograd-2x2-3x3", 0.3, ROW_OK },    { "winograd_nonfused", 0.2, ROW_OK },
        { "fft_tiling", 0.2, ROW_OK },          { "implicit_gemm", 0.3, ROW_ERROR },
        { "winograd-2x2-3x3", 0.1, ROW_ERROR }, /* 1753088 bytes at 10 GB/s: 175 % */
    };
    struct conv_shape conv = { 1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1 };
    struct row_list rows = { 0 };
    add_ceiling(&rows, "fp32", 5e8, 1);
    add_ceiling(&rows, "copy", 1e7, 1);
    struct bench_case c = case_conv(ENGINE_CUDNN, BENCH_FP32, &conv, CONV_FORWARD);
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        add_by(&rows, &c, rows_of[i].variant, rows_of[i].ms);
        cr_expect_eq(last(&rows)->status, rows_of[i].status, "%s: %s", rows_of[i].variant,
                     last(&rows)->reason);
        cr_expect_float_eq(last(&rows)->ceiling_percent, 46.24 / rows_of[i].ms, 0.1);
    }
    cr_expect(strstr(last(&rows)->reason, "175 % of ceiling/copy"), "%s", last(&rows)->reason);
    row_list_free(&rows);
}

/* 1x1 with stride 2 meets 28 of 56 rows and columns, 3x3 with padding 1 all of them; a gradient is
 * written whole. */
Test(judge, what_a_convolution_does_not_meet_is_no_traffic)
{
    static const struct {
        struct conv_shape shape;
        enum conv_pass pass;
        double in; /* elements */
    } cases[] = {
        { { 1, 64, 56, 56, 128, 1, 1, 0, 0, 2, 2, 1, 1, 1 }, CONV_FORWARD, 64.0 * 28 * 28 },
        { { 1, 64, 56, 56, 128, 1, 1, 0, 0, 2, 2, 1, 1, 1 },
          CONV_BACKWARD_WEIGHTS,
          64.0 * 28 * 28 },
        { { 1, 64, 56, 56, 128, 1, 1, 0, 0, 2, 2, 1, 1, 1 }, CONV_BACKWARD_DATA, 64.0 * 56 * 56 },
        { { 2, 64, 56, 56, 128, 3, 3, 1, 1, 2, 2, 1, 1, 1 }, CONV_FORWARD, 2 * 64.0 * 56 * 56 },
        /* rows 0, 1, 4, 5, 8, 9 of 10; all 9 columns */
        { { 1, 1, 10, 9, 1, 2, 3, 0, 0, 4, 3, 1, 1, 1 }, CONV_FORWARD, 6.0 * 9 },
        /* dilation 2: outputs at -1 and 2 see rows 1, 3 and 2, 4, 6 of 8 */
        { { 1, 1, 8, 8, 1, 3, 3, 1, 1, 3, 3, 2, 2, 1 }, CONV_FORWARD, 5.0 * 5 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct conv_shape *s = &cases[i].shape;
        struct bench_case c = case_conv(ENGINE_SMFIT, BENCH_FP16S, s, cases[i].pass);
        double others =
            (double)s->k * s->c * s->r * s->s + (double)s->n * s->k * conv_out_h(s) * conv_out_w(s);
        cr_expect_float_eq(c.bytes, 2 * (cases[i].in + others), 1e-9, "%zu", i);
    }
}

/* 20 us of which 5 start the kernel say little of the card: on a large virtual one they were cut.
 */
Test(judge, a_ceiling_as_short_as_a_few_launches_is_none)
{
    struct row_list rows = { 0 };
    struct gemm_shape cube = { 1000, 1000, 1000, false, false, 1 };
    struct bench_case c = case_gemm(ENGINE_SMFIT, BENCH_FP32, &cube);
    add_ceiling(&rows, "fp32", 2e8, 0.02);
    add_ceiling(&rows, "launch", 1, 0.005);
    add(&rows, &c, 0.15); /* at 133 % of that */
    cr_expect_eq(last(&rows)->status, ROW_OK, "%s", last(&rows)->reason);
    cr_expect(isnan(last(&rows)->ceiling_percent));
    add_ceiling(&rows, "fp32", 2e9, 0.15);
    cube.n = 999;
    c = case_gemm(ENGINE_SMFIT, BENCH_FP32, &cube);
    add(&rows, &c, 0.2);
    cr_expect_float_eq(last(&rows)->ceiling_percent, 75, 0.1);
    row_list_free(&rows);
}

Test(judge, a_network_is_the_sum_of_its_layers_or_says_which_is_missing)
{
    struct conv_shape conv = { 1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1 };
    struct plan_layer layers[] = {
        { .kind = CASE_CONV, .conv = conv, .count = 3 },
        { .kind = CASE_LAYER, .numbers = { BENCH_LAYER_ADD_RELU, 1, 64, 56, 56 }, .count = 2 },
        { .kind = CASE_LAYER, .numbers = { BENCH_LAYER_ADD_RELU, 1, 64, 28, 28 }, .count = 5 },
        { .kind = CASE_GEMM, .gemm = { 1000, 1, 512, true, false, 1 }, .count = 1 },
    };
    struct plan_net net = { "small", layers, 4, "2 concat" };
    struct row_list rows = { 0 };
    struct row row;
    struct bench_case sum = case_net(ENGINE_SMFIT, BENCH_FP32, "small", 2);
    conv.n = 2;
    struct bench_case c = case_conv(ENGINE_SMFIT, BENCH_FP32, &conv, CONV_FORWARD);
    add(&rows, &c, 1.5);
    case_row(&sum, false, &row);
    judge_net(&rows, &net, &sum, &row);
    cr_expect_eq(row.status, ROW_SKIPPED);
    cr_expect(strstr(row.reason, "layer/add-relu n2 c64 56x56"), "%s", row.reason);
    c = case_layer(BENCH_FP32,
                   (const int[CASE_LAYER_NUMBERS]){ BENCH_LAYER_ADD_RELU, 2, 64, 56, 56 });
    add(&rows, &c, 0.5);
    c = case_layer(BENCH_FP32,
                   (const int[CASE_LAYER_NUMBERS]){ BENCH_LAYER_ADD_RELU, 2, 64, 28, 28 });
    add(&rows, &c, 0.125);
    case_row(&sum, false, &row);
    judge_net(&rows, &net, &sum, &row);
    cr_expect(strstr(row.reason, "gemm TN 1000x2x512"), "%s", row.reason);
    struct gemm_shape fc = { 1000, 2, 512, true, false, 1 };
    c = case_gemm(ENGINE_SMFIT, BENCH_FP32, &fc);
    add(&rows, &c, 0.25);
    rows.list[rows.count - 1].throttled = 2;
    rows.list[0].throttled = 1;
    case_row(&sum, false, &row);
    judge_net(&rows, &net, &sum, &row);
    cr_expect_eq(row.status, ROW_OK);
    cr_expect_float_eq(row.time.median, 3 * 1.5 + 2 * 0.5 + 5 * 0.125 + 0.25, 1e-12);
    /* 3 x 2 images x 64 x 56 x 56 outputs x 64 x 9 multiply-adds, and 1000 x 2 x 512 */
    cr_expect_float_eq(row.flop, 2.0 * (3.0 * 2 * 64 * 56 * 56 * 64 * 9 + 1000.0 * 2 * 512), 1);
    cr_expect_str_eq(row.variant, "sum of 11 launches");
    cr_expect_eq(row.throttled, 3, "two of the product's samples, one of the convolution's");
    /* fp32: inputs, weights and outputs of the convolution and the product, three maps of a sum */
    double conv_bytes = 4.0 * (2 * 2 * 64 * 56 * 56 + 64 * 64 * 9);
    double gemm_bytes = 4.0 * (1000 * 512 + 2 * 512 + 2 * 1000);
    double add_bytes = 4.0 * 3 * 2 * 64 * (2 * 56 * 56 + 5 * 28 * 28);
    cr_expect_float_eq(row.bytes, 3 * conv_bytes + gemm_bytes + add_bytes, 1);
    cr_expect_float_eq(row.gbps, row.bytes / row.time.median / 1e6, 1e-9);
    cr_expect_str_eq(row.reason, "without, for want of a kernel: 2 concat");
    /* A processor has kernels of libraries for the products alone. */
    sum.engine = ENGINE_ONEDNN;
    c = case_conv(ENGINE_ONEDNN, BENCH_FP32, &conv, CONV_FORWARD);
    add(&rows, &c, 3);
    c = case_gemm(ENGINE_ONEDNN, BENCH_FP32, &fc);
    add(&rows, &c, 1);
    case_row(&sum, false, &row);
    judge_net(&rows, &net, &sum, &row);
    cr_expect_float_eq(row.time.median, 3 * 3 + 1, 1e-12);
    cr_expect_str_eq(row.variant, "sum of 4 launches");
    cr_expect_str_eq(row.reason, "without, for want of a kernel: 2 concat, 7 add-relu");
    row_list_free(&rows);
}
