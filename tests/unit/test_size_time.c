/* The time model. What is expected comes from hand-counted tiles and bytes, published figures, and
 * bounds that hold for every card; scripts/check-time-model holds it against all published rows. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "arch/cards.h"
#include "data/data.h"
#include "size/time.h"
#include "size/time_parts.h"

static struct time_card card_of(const char *name)
{
    struct card_match match;
    struct time_card card;
    struct err err;
    err_clear(&err);
    cr_assert_eq(cards_find(name, &match, &err), 0, "%s: %s", name, err.msg);
    time_card_load(&card, &match.card);
    return card;
}

static struct time_model model_of(const char *name, enum time_precision precision)
{
    struct time_model model;
    struct time_card card = card_of(name);
    time_model_init(&model, &card, precision, NULL);
    return model;
}

static double gemm_ms(const struct time_model *model, int m, int n, int k)
{
    struct time_op op = { .kind = TIME_OP_GEMM, .gemm = { .m = m, .n = n, .k = k } };
    struct time_result r;
    time_predict(model, &op, &r);
    cr_assert_null(r.reason, "%dx%dx%d: %s", m, n, k, r.reason);
    return r.ms;
}

/* A square image and filter, padded so that the output has the input's size where the stride is 1.
 */
static struct time_op conv(int size, int c, int n, int k, int filter, int stride)
{
    return (struct time_op){ .kind = TIME_OP_CONV,
                             .conv = { .w = size,
                                       .h = size,
                                       .c = c,
                                       .n = n,
                                       .k = k,
                                       .s = filter,
                                       .r = filter,
                                       .pad_w = filter / 2,
                                       .pad_h = filter / 2,
                                       .stride_w = stride,
                                       .stride_h = stride } };
}

static struct time_result predict(const struct time_model *model, struct time_op op,
                                  enum time_pass pass)
{
    struct time_result r;
    op.conv.pass = pass;
    time_predict(model, &op, &r);
    return r;
}

/* ---- tiles, counted by hand ---- */

/* One tile shape, 2 multiprocessors; a step of one tile takes 2 * 128 * 128 / 32768 = 1 ms. */
static struct time_work work_of(double m, double n, double k, const struct time_tile *tile)
{
    return (struct time_work){ .m = m,
                               .n = n,
                               .k = k,
                               .count = 1,
                               .flop_per_ms = 32768,
                               .bytes_per_ms = 1,
                               .sms = 2,
                               .tiles = tile,
                               .tile_count = 1,
                               .most_splits = 1 };
}

static const struct time_tile square = { 128, 128, 1, 1 };

Test(size_time, tiles_that_fill_the_multiprocessors_take_turns)
{
    /* 256 x 256: four tiles, two for each multiprocessor, 10 steps of 1 ms */
    struct time_work work = work_of(256, 256, 10, &square);
    cr_assert_float_eq(time_tile_fastest(&work), 20, 1e-9);
    /* 257 rows: six tiles */
    work.m = 257;
    cr_assert_float_eq(time_tile_fastest(&work), 30, 1e-9);
    /* two products of 128 x 128: one for each */
    work = work_of(128, 128, 10, &square);
    work.count = 2;
    cr_assert_float_eq(time_tile_fastest(&work), 10, 1e-9);
}

Test(size_time, a_tile_is_computed_whole_and_a_part_of_the_card_waits)
{
    struct time_work work = work_of(1, 1, 10, &square);
    cr_assert_float_eq(time_tile_fastest(&work), 10, 1e-9, "as long as 128 x 128");
    /* three tiles on two multiprocessors: 1.5 each, or two turns if all wait for the last */
    work.m = 3 * 128;
    cr_assert_float_eq(time_tile_fastest(&work), 15, 1e-9);
    work.whole_waves = true;
    cr_assert_float_eq(time_tile_fastest(&work), 20, 1e-9);
    work.fill_waves = 0.5;
    cr_assert_float_eq(time_tile_fastest(&work), 25, 1e-9);
}

Test(size_time, splits_along_k_fill_the_card_but_move_sums)
{
    struct time_work work = work_of(128, 128, 10, &square);
    work.most_splits = 2;
    cr_assert_float_eq(time_tile_fastest(&work), 5, 1e-9,
                       "both multiprocessors, half of the steps");
    work.split_ms = 1;
    cr_assert_float_eq(time_tile_fastest(&work), 6, 1e-9);
    work.least_k = 6;
    cr_assert_float_eq(time_tile_fastest(&work), 7, 1e-9, "5 steps are filled up to 6");
    work.least_k = 10;
    cr_assert_float_eq(time_tile_fastest(&work), 10, 1e-9, "a split would save no step");
    work.least_k = 0;
    work.split_bytes = 1; /* 2 * 128 * 128 bytes, a ms each: not worth it */
    cr_assert_float_eq(time_tile_fastest(&work), 10, 1e-9);
}

Test(size_time, a_step_takes_its_latency_however_small_the_tile)
{
    struct time_work work = work_of(128, 128, 10, &square);
    work.step_ms = 100;
    cr_assert_float_eq(time_tile_fastest(&work), 10 * sqrt(1 + 100 * 100), 1e-6);
}

/* ---- definitions ---- */

Test(size_time, arithmetic_and_bytes_are_those_of_the_definition)
{
    struct time_model model = model_of("920m", TIME_FP32);
    struct time_result r = predict(&model, conv(224, 3, 1, 64, 7, 2), TIME_FORWARD);
    /* ResNet's first layer: 118 013 952 multiply-adds, the figure that counters print */
    cr_assert_float_eq(r.flop, 2 * 118013952.0, 1);
    cr_assert_float_eq(r.bytes, 4.0 * (3 * 224 * 224 + 64 * 112 * 112 + 64 * 3 * 49), 1);
    struct time_op op = { .kind = TIME_OP_GEMM, .gemm = { .m = 10, .n = 20, .k = 30, .count = 2 } };
    time_predict(&model, &op, &r);
    cr_assert_float_eq(r.flop, 2 * 2 * 10 * 20 * 30, 1e-9);
    cr_assert_float_eq(r.bytes, 2 * 4 * (300 + 600 + 200), 1e-9);
}

/* 5 + 2 places of a window of 3 with dilation 2 (5 wide): 7 - 5 + 1 = 3. */
Test(size_time, dilation_widens_the_window)
{
    struct time_conv v = { .w = 5,
                           .h = 9,
                           .c = 1,
                           .n = 1,
                           .k = 1,
                           .s = 3,
                           .r = 3,
                           .pad_w = 1,
                           .stride_w = 1,
                           .stride_h = 2,
                           .dilation_w = 2 };
    cr_assert_float_eq(time_conv_columns(&v), 3, 0);
    cr_assert_float_eq(time_conv_rows(&v), 4, 0);
}

Test(size_time, precisions_are_found_by_both_names)
{
    for (int p = 0; p < TIME_PRECISION_COUNT; p++)
        cr_assert_eq(time_precision_find(time_precision_name((enum time_precision)p)), p);
    cr_assert_eq(time_precision_find("tc-fp16"), TIME_FP16_MIXED);
    cr_assert_eq(time_precision_find("fp64"), -1);
    cr_assert_eq(time_precision_bytes(TIME_FP16_STORAGE), 2);
}

/* ---- calibration ---- */

Test(size_time, the_calibrating_product_takes_the_time_that_was_given)
{
    static const double times[] = { 150, 224.092, 300 };
    struct time_card card = card_of("titan x (pascal)");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct time_calibration c = { { .m = 8448, .n = 48000, .k = 2816 }, times[i] };
        struct time_model model;
        time_model_init(&model, &card, TIME_FP32, &c);
        cr_assert(model.calibrated);
        cr_assert_float_eq(gemm_ms(&model, 8448, 48000, 2816), times[i], times[i] * 1e-3);
    }
}

/* 2 * 8448 * 48000 * 2816 / 224.092 ms: 10 191 GFLOP/s, bound by arithmetic alone. */
Test(size_time, a_large_product_gives_the_peak_itself)
{
    struct time_card card = card_of("titan x (pascal)");
    struct time_calibration c = { { .m = 8448, .n = 48000, .k = 2816 }, 224.092 };
    struct time_model model;
    time_model_init(&model, &card, TIME_FP32, &c);
    cr_assert_float_eq(model.peak_gflops, 10191, 102);
}

/* The same product of the same card with A transposed took 698.448 ms, three times as long: no
 * slower card, a slower kernel. */
Test(size_time, a_slow_kernel_is_not_taken_for_a_slow_card)
{
    struct time_card card = card_of("titan x (pascal)");
    struct time_calibration c = { { .m = 8448, .n = 48000, .k = 2816, .trans_a = true }, 698.448 };
    struct time_model model;
    time_model_init(&model, &card, TIME_FP32, &c);
    cr_assert_float_eq(model.peak_gflops, 10191, 1529);
    c.ms = 7000; /* but one that takes thirty times as long is */
    time_model_init(&model, &card, TIME_FP32, &c);
    cr_assert_lt(model.peak_gflops, 1200);
}

/* Half a TITAN X's fp32 rate in "fp16", which the card has no arithmetic for: some library does it.
 */
Test(size_time, what_was_measured_can_be_done)
{
    struct time_card card = card_of("gtx titan x");
    struct time_calibration c = { { .m = 8192, .n = 8192, .k = 8192 },
                                  2 * 8192.0 * 8192 * 8192 / 2500e6 };
    struct time_model model;
    time_model_init(&model, &card, TIME_FP16, &c);
    cr_assert_null(model.reason);
    cr_assert_float_eq(gemm_ms(&model, 4096, 4096, 4096), 2 * 4096.0 * 4096 * 4096 / 2500e6, 3);
}

Test(size_time, a_product_that_says_nothing_leaves_a_peak_that_clocks_allow)
{
    struct time_card card = card_of("920m");
    struct time_calibration c = { { .m = 16, .n = 16, .k = 16 }, 1e-6 };
    struct time_model model;
    time_model_init(&model, &card, TIME_FP32, &c);
    cr_assert_leq(model.peak_gflops, 2 * 733);
    c.ms = NAN;
    time_model_init(&model, &card, TIME_FP32, &c);
    cr_assert_not(model.calibrated);
}

/* A Tesla M40, which no constant was fitted to; times of the benchmark notes. Its best products
 * reach 4930 GFLOP/s: here as the time of a large one. */
Test(size_time, a_card_that_the_fit_has_not_seen)
{
    static const struct {
        int m, n;
        double ms;
    } rows[] = { { 1760, 16, 0.192 },  { 1760, 32, 0.192 }, { 1760, 64, 0.261 },
                 { 1760, 128, 0.336 }, { 2560, 16, 0.372 }, { 2560, 32, 0.372 },
                 { 2560, 64, 0.386 },  { 2560, 128, 0.443 } };
    struct time_card card = card_of("tesla m40");
    struct time_calibration c = { { .m = 8192, .n = 8192, .k = 8192 },
                                  2 * 8192.0 * 8192 * 8192 / 4930e6 };
    struct time_model model;
    double sum = 0;
    size_t count = sizeof rows / sizeof *rows;
    time_model_init(&model, &card, TIME_FP32, &c);
    for (size_t i = 0; i < count; i++)
        sum += fabs(gemm_ms(&model, rows[i].m, rows[i].n, rows[i].m) / rows[i].ms - 1);
    cr_assert_lt(sum / (double)count, 0.2, "mean error %.3f", sum / (double)count);
}

/* A Tesla K20m, of a generation that no constant was fitted to: cuBLAS 7 with A transposed, GFLOP/s
 * of the PPoPP 2017 artifact in the benchmark notes. */
Test(size_time, a_generation_that_the_fit_has_not_seen)
{
    static const struct {
        int n;
        double gflops;
    } rows[] = { { 768, 2013 }, { 1536, 2356 }, { 3072, 2606 }, { 6144, 2652 } };
    struct time_card card = card_of("tesla k20m");
    struct time_calibration c = { { .m = 12288, .n = 12288, .k = 12288, .trans_a = true },
                                  2 * pow(12288, 3) / 2705e6 };
    struct time_model model;
    time_model_init(&model, &card, TIME_FP32, &c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct time_op op = {
            .kind = TIME_OP_GEMM,
            .gemm = { .m = rows[i].n, .n = rows[i].n, .k = rows[i].n, .trans_a = true }
        };
        struct time_result r;
        time_predict(&model, &op, &r);
        double ms = 2 * pow(rows[i].n, 3) / (rows[i].gflops * 1e6);
        cr_assert(fabs(r.ms / ms - 1) < 0.22, "%d: %g, published %g ms", rows[i].n, r.ms, ms);
        cr_assert(r.low_ms < ms && ms < r.high_ms, "%d: outside of the range", rows[i].n);
    }
}

/* ---- what holds for every card ---- */

static const struct {
    int size, c, n, k, filter, stride;
} layers[] = { { 224, 3, 1, 64, 7, 2 },    { 56, 64, 1, 64, 3, 1 },   { 28, 128, 8, 128, 3, 1 },
               { 14, 512, 32, 512, 3, 1 }, { 7, 2048, 4, 512, 1, 1 }, { 56, 256, 16, 128, 1, 2 },
               { 1, 1, 1, 1, 1, 1 },       { 112, 32, 2, 17, 5, 3 } };

static void assert_sane(const char *name, const struct time_model *model, const struct time_op *op)
{
    struct time_result r;
    time_predict(model, op, &r);
    cr_assert_null(r.reason, "%s: %s", name, r.reason);
    cr_assert(isfinite(r.ms) && r.low_ms > 0 && r.low_ms < r.ms && r.ms < r.high_ms &&
                  isfinite(r.high_ms),
              "%s: %g %g %g", name, r.low_ms, r.ms, r.high_ms);
    double memory = r.bytes / (model->card.bandwidth_gbps * 1e6);
    cr_assert_geq(r.ms, memory, "%s: faster than memory moves its bytes", name);
    cr_assert_geq(r.ms, model->card.launch_us * 1e-3, "%s: faster than a launch", name);
    /* Winograd saves 4 at best, and no card exceeds its data sheet by half */
    double least = r.flop / (4 * 1.5 * 2 * model->card.cores * model->card.clock_mhz * 1e3 *
                             fmax(1, 2 * model->card.tensor_ratio));
    cr_assert_geq(r.ms, least, "%s: faster than its arithmetic", name);
}

Test(size_time, every_card_of_the_table_answers_and_within_what_it_can_do)
{
    const struct table *t = data_table(DATA_CARDS);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *name = table_field(t, row, "name");
        struct card found[1];
        struct time_card card;
        if (!cards_candidates(name, found, 1))
            continue;
        time_card_load(&card, &found[0]);
        for (int p = 0; p < TIME_PRECISION_COUNT; p++) {
            struct time_model model;
            time_model_init(&model, &card, (enum time_precision)p, NULL);
            for (size_t i = 0; !model.reason && i < 3 * sizeof layers / sizeof *layers; i++) {
                struct time_op op =
                    conv(layers[i / 3].size, layers[i / 3].c, layers[i / 3].n, layers[i / 3].k,
                         layers[i / 3].filter, layers[i / 3].stride);
                op.conv.pass = (enum time_pass)(i % 3);
                assert_sane(name, &model, &op);
            }
        }
    }
}

Test(size_time, more_work_never_takes_less_time)
{
    static const char *const names[] = { "920m", "gtx 750 ti", "gtx 1050", "tesla t4",
                                         "a100 sxm4 40gb" };
    for (size_t c = 0; c < sizeof names / sizeof *names; c++) {
        struct time_model model = model_of(names[c], TIME_FP32);
        double last = 0;
        for (int n = 1; n <= 4096; n *= 2) {
            double ms = gemm_ms(&model, 512, n, 777);
            cr_assert_geq(ms, last * 0.999, "%s, n = %d: %g after %g", names[c], n, ms, last);
            last = ms;
        }
    }
}

/* Any batch can be filled up to a larger one. */
Test(size_time, no_batch_takes_longer_than_a_larger_one)
{
    static const char *const names[] = { "920m", "gtx 1050", "tesla v100 sxm2 16gb",
                                         "a100 sxm4 40gb" };
    for (size_t i = 0; i < 3 * sizeof names / sizeof *names; i++) {
        struct time_model model = model_of(names[i / 3], TIME_FP32);
        for (size_t l = 0; l < sizeof layers / sizeof *layers; l++) {
            double last = 0;
            for (int n = 1; n <= 48; n++) {
                struct time_op op = conv(layers[l].size, layers[l].c, n, layers[l].k,
                                         layers[l].filter, layers[l].stride);
                double ms = predict(&model, op, (enum time_pass)(i % 3)).ms;
                cr_assert_geq(ms, last * (1 - 1e-12), "%s, layer %zu, pass %zu, batch %d: %g, %g",
                              names[i / 3], l, i % 3, n, ms, last);
                last = ms;
            }
        }
    }
}

/* Libraries reach 76 to 80 % of the data sheet on Kepler (benchmark notes); 2 * 4096^3 flop are
 * 0.19 s at 732.7 GFLOP/s. */
Test(size_time, a_920m_reaches_a_usual_share_of_its_732_gflops)
{
    struct time_model model = model_of("920m", TIME_FP32);
    double share = 2 * 4096.0 * 4096 * 4096 / (gemm_ms(&model, 4096, 4096, 4096) * 732.7e6);
    cr_assert(share > 0.5 && share < 0.9, "%.2f", share);
}

/* MobileNet's depthwise 3x3 at 112 x 112 x 32: 3.2 MB in and out, 0.223 ms at 14.4 GB/s. */
Test(size_time, depthwise_is_bound_by_memory)
{
    struct time_model model = model_of("920m", TIME_FP32);
    struct time_op op = conv(112, 32, 1, 32, 3, 1);
    op.conv.groups = 32;
    struct time_result r = predict(&model, op, TIME_FORWARD);
    cr_assert_eq(r.bound, TIME_BOUND_MEMORY);
    cr_assert(r.ms > 0.223 && r.ms < 0.4, "%g ms", r.ms);
    struct time_model half = model_of("920m", TIME_FP16_STORAGE);
    double gain = r.ms / predict(&half, op, TIME_FORWARD).ms;
    cr_assert(gain > 1.6 && gain <= 2, "half of the bytes, gain %.2f", gain);
}

Test(size_time, passes_over_memory_take_their_bytes_and_launches)
{
    struct time_model model = model_of("920m", TIME_FP32);
    struct time_op op = { .kind = TIME_OP_TRAFFIC, .traffic = { 144e6, 1 } };
    struct time_result r;
    time_predict(&model, &op, &r); /* 10 ms at 14.4 GB/s */
    cr_assert(r.ms > 10 && r.ms < 14, "%g ms", r.ms);
    op.traffic = (struct time_traffic){ 0, 100 };
    time_predict(&model, &op, &r);
    cr_assert_float_eq(r.ms, 100 * model.card.launch_us * 1e-3, 1e-9);
    cr_assert_eq(r.bound, TIME_BOUND_LATENCY);
}

/* V100's tensor cores have eight times the fp32 rate by NVIDIA's white paper. */
Test(size_time, tensor_cores_help_where_there_are_any)
{
    struct time_model fp32 = model_of("tesla v100 sxm2 16gb", TIME_FP32),
                      mixed = model_of("tesla v100 sxm2 16gb", TIME_FP16_MIXED);
    double gain = gemm_ms(&fp32, 8192, 8192, 8192) / gemm_ms(&mixed, 8192, 8192, 8192);
    cr_assert(gain > 6 && gain < 10, "%.1f", gain);
    struct time_model old = model_of("920m", TIME_FP16_MIXED),
                      storage = model_of("920m", TIME_FP16_STORAGE);
    cr_assert_float_eq(gemm_ms(&old, 512, 512, 512), gemm_ms(&storage, 512, 512, 512), 1e-12);
}

/* ---- what cannot be predicted ---- */

Test(size_time, what_a_card_cannot_do_has_a_reason)
{
    cr_assert_str_eq(model_of("920m", TIME_FP16).reason, "time.no_precision",
                     "no half arithmetic below 5.3");
    cr_assert_str_eq(model_of("gtx 750 ti", TIME_INT8).reason, "time.no_precision",
                     "no dp4a below 6.1");
    cr_assert_str_eq(model_of("tesla v100 sxm2 16gb", TIME_TF32).reason, "time.no_precision");
    cr_assert_null(model_of("gtx 1050", TIME_INT8).reason);
    struct time_card nothing = { .cc = 35 };
    struct time_model model;
    time_model_init(&model, &nothing, TIME_FP32, NULL);
    cr_assert_str_eq(model.reason, "time.no_figures");
}

Test(size_time, shapes_that_do_not_exist_have_a_reason)
{
    struct time_model model = model_of("920m", TIME_FP32);
    struct time_op bad[] = {
        { .kind = TIME_OP_GEMM, .gemm = { .m = 0, .n = 1, .k = 1 } },
        { .kind = TIME_OP_GEMM, .gemm = { .m = 1, .n = -1, .k = 1 } },
        conv(2, 1, 1, 1, 9, 1),
        conv(7, 1, 1, 1, 3, 0),
        conv(7, 1, 0, 1, 3, 1),
        conv(7, 6, 1, 8, 3, 1),
        { .kind = TIME_OP_TRAFFIC, .traffic = { -1, 1 } },
        { .kind = TIME_OP_TRAFFIC, .traffic = { NAN, 1 } },
    };
    bad[2].conv.pad_w = bad[2].conv.pad_h = 0;
    bad[5].conv.groups = 4;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct time_result r;
        time_predict(&model, &bad[i], &r);
        cr_assert(r.reason && strcmp(r.reason, "time.bad_shape") == 0, "%zu", i);
        cr_assert_float_eq(r.ms, 0, 0);
    }
}

Test(size_time, the_largest_sizes_give_finite_times)
{
    struct time_model model = model_of("920m", TIME_FP32);
    cr_assert(isfinite(gemm_ms(&model, 1 << 28, 1 << 28, 1 << 28)));
    cr_assert(isfinite(gemm_ms(&model, 1, 1, 1 << 28)));
}
