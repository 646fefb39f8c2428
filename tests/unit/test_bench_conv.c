/* Which convolutions there are, which of them can do what, and which is taken, without a device. */
#include <criterion/criterion.h>
#include <string.h>

#include "bench/conv.h"
#include "bench/layers.h"

static const struct conv_shape plain = { .n = 2,
                                         .c = 64,
                                         .h = 56,
                                         .w = 56,
                                         .k = 64,
                                         .r = 3,
                                         .s = 3,
                                         .pad_h = 1,
                                         .pad_w = 1,
                                         .stride_h = 1,
                                         .stride_w = 1,
                                         .dilation_h = 1,
                                         .dilation_w = 1,
                                         .groups = 1 };

static const struct conv_algorithm *named(const char *name, enum conv_pass pass,
                                          enum bench_precision precision)
{
    const struct conv_algorithm *a = conv_find(name, pass, precision);
    cr_assert_not_null(a, "there is no %s", name);
    return a;
}

/* The shape that the change makes of the plain one is refused, for a reason with that word in it.
 */
static void refuses(const struct conv_algorithm *a, struct conv_shape shape, const char *word)
{
    const char *reason = conv_unsupported(a, &shape);
    cr_assert_not_null(reason, "%s takes what it cannot do", a->name);
    cr_assert_not_null(strstr(reason, word), "%s says '%s'", a->name, reason);
}

Test(bench_conv, names_find_their_rows)
{
    size_t count;
    const struct conv_algorithm *all = conv_algorithms(&count);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(conv_find(all[i].name, all[i].pass, all[i].precision), &all[i],
                     "two rows are '%s'", all[i].name);
        cr_assert_eq(all[i].family[0] == 0, all[i].method == CONV_POINTWISE);
        cr_assert_eq(strncmp(all[i].name, conv_method_name(all[i].method),
                             strlen(conv_method_name(all[i].method))),
                     0);
    }
    cr_assert_null(conv_find("direct", CONV_FORWARD, BENCH_FP32));
}

Test(bench_conv, shapes_that_are_none_are_refused)
{
    const struct conv_algorithm *a = named("implicit-64x64", CONV_FORWARD, BENCH_FP32);
    struct conv_shape s = plain;
    cr_assert_null(conv_unsupported(a, &s));
    s.groups = 3;
    refuses(a, s, "no convolution");
    s = plain, s.stride_w = 0;
    refuses(a, s, "no convolution");
    s = plain, s.pad_h = -1;
    refuses(a, s, "no convolution");
    s = plain, s.dilation_h = 40; /* a filter of 81 rows over 58 */
    refuses(a, s, "no convolution");
    s = plain, s.n = 5400; /* 5400 * 64 * 56 * 56 > 2^30 */
    refuses(a, s, "2^30");
    s = plain, s.h = 20000, s.w = 1, s.s = 1;
    refuses(a, s, "16384");
}

Test(bench_conv, variants_say_what_they_are_not_made_for)
{
    struct conv_shape s = plain, depthwise = plain;
    s.r = 16;
    refuses(named("implicit-128x128", CONV_FORWARD, BENCH_FP32), s, "15");
    s = plain, s.c = 3; /* 27 weights an output */
    refuses(named("implicit-128x128", CONV_FORWARD, BENCH_FP16S), s, "four");
    cr_assert_null(conv_unsupported(named("implicit-64x64", CONV_FORWARD, BENCH_FP16S), &s));
    refuses(named("depthwise", CONV_FORWARD, BENCH_FP32), plain, "single channels");
    refuses(named("pointwise", CONV_FORWARD, BENCH_FP32), plain, "1x1");
    depthwise.groups = depthwise.c;
    cr_assert_null(
        conv_unsupported(named("depthwise-3x3-s1", CONV_FORWARD, BENCH_FP32), &depthwise));
    refuses(named("depthwise-3x3-s2", CONV_FORWARD, BENCH_FP32), depthwise, "stride");
    refuses(named("winograd-2x2-3x3", CONV_FORWARD, BENCH_FP32), depthwise, "groups");
    s = plain, s.stride_h = 2;
    refuses(named("winograd-2x2-3x3", CONV_FORWARD, BENCH_FP32), s, "stride");
    s = plain, s.r = s.s = 1, s.pad_h = s.pad_w = 0;
    refuses(named("pointwise", CONV_BACKWARD_WEIGHTS, BENCH_FP16S), s, "rounded");
}

static const char *chosen(struct conv_shape s, enum conv_pass pass, enum bench_precision precision,
                          int sms)
{
    const struct conv_algorithm *a = conv_choose(&s, pass, precision, sms);
    cr_assert_not_null(a);
    cr_assert_null(conv_unsupported(a, &s));
    return conv_method_name(a->method);
}

Test(bench_conv, the_method_follows_the_shape)
{
    struct conv_shape s = plain;
    for (int pass = CONV_FORWARD; pass <= CONV_BACKWARD_WEIGHTS; pass++) {
        s = plain, s.stride_h = s.stride_w = 2;
        cr_assert_str_eq(chosen(s, (enum conv_pass)pass, BENCH_FP32, 2), "implicit");
        s = plain, s.groups = s.c;
        cr_assert_str_eq(chosen(s, (enum conv_pass)pass, BENCH_FP16S, 2), "depthwise");
    }
    s = plain, s.r = s.s = 1, s.pad_h = s.pad_w = 0, s.c = s.k = 128;
    cr_assert_str_eq(chosen(s, CONV_FORWARD, BENCH_FP32, 2), "pointwise");
    s = plain, s.c = s.k = 512, s.h = s.w = 14, s.n = 8;
    cr_assert_str_eq(chosen(s, CONV_FORWARD, BENCH_FP32, 2), "winograd");
    s = plain, s.r = 17, s.pad_h = 8;
    cr_assert_str_eq(chosen(s, CONV_FORWARD, BENCH_FP32, 2), "im2col");
    cr_assert_null(conv_choose(&plain, CONV_FORWARD, BENCH_HALF2, 2));
}

Test(bench_conv, small_outputs_take_small_tiles_and_large_ones_large)
{
    struct conv_shape s = plain;
    s.stride_h = s.stride_w = 2;
    s.c = 256, s.k = 64, s.h = s.w = 14, s.n = 1; /* 64 x 49 */
    cr_assert_str_eq(conv_choose(&s, CONV_FORWARD, BENCH_FP32, 2)->name, "implicit-64x64");
    s.k = 512, s.n = 32; /* 512 x 1568 */
    cr_assert_str_eq(conv_choose(&s, CONV_FORWARD, BENCH_FP32, 2)->name, "implicit-128x128");
}

/* 64 x 576 weights from 6272 pixels: 64x64 tiles make nine blocks of them. */
Test(bench_conv, long_sums_are_split_to_fill_the_card)
{
    const struct conv_algorithm *a = named("implicit-64x64", CONV_BACKWARD_WEIGHTS, BENCH_FP16S);
    uint64_t weights = conv_weight_count(&plain) * sizeof(float), most = 6272 / 64;
    uint64_t twenty = conv_workspace_bytes(a, &plain, 20);
    cr_assert_geq(twenty, 2 * weights);
    cr_assert_leq(twenty, most * weights);
    cr_assert_eq(twenty % weights, 0);
    cr_assert_leq(conv_workspace_bytes(a, &plain, 1000), most * weights);
}

/* 49 blocks for one SM; one for 20, of 64 outputs x 49 pixels and a sum of 4608. */
Test(bench_conv, sums_over_channels_are_split_where_tiles_are_few)
{
    const struct conv_algorithm *a = named("implicit-64x64", CONV_FORWARD, BENCH_FP32);
    cr_assert_eq(conv_workspace_bytes(a, &plain, 1), 0);
    struct conv_shape s = plain;
    s.c = 512, s.h = s.w = 7, s.n = 1;
    uint64_t bytes = conv_output_count(&s) * sizeof(float);
    cr_assert_geq(conv_workspace_bytes(a, &s, 20), 2 * bytes);
    cr_assert_eq(conv_workspace_bytes(a, &s, 20) % bytes, 0);
    s.c = 4; /* 36 products */
    cr_assert_eq(conv_workspace_bytes(a, &s, 20), 0);
}

Test(bench_conv, a_run_without_its_workspace_or_for_the_wrong_pass_is_refused)
{
    static struct gpu gpu;
    const struct conv_buffers none = { 0 };
    const struct conv_options plainly = { false, false }, relu = { false, true };
    struct err err = { 0 };
    const struct conv_algorithm *im2col = named("im2col", CONV_FORWARD, BENCH_FP32);
    cr_assert_eq(conv_run(&gpu, im2col, &plain, &none, &plainly, &err), -1);
    cr_assert_eq(err.code, ERR_USAGE);
    cr_assert_not_null(strstr(err.msg, "workspace"), "%s", err.msg);
    err_clear(&err);
    const struct conv_algorithm *data = named("implicit-64x64", CONV_BACKWARD_DATA, BENCH_FP32);
    cr_assert_eq(conv_run(&gpu, data, &plain, &none, &relu, &err), -1);
    cr_assert_eq(err.code, ERR_USAGE);
    err_clear(&err);
    const struct conv_buffers odd = { .output = 8 };
    cr_assert_eq(conv_run(&gpu, data, &plain, &odd, &plainly, &err), -1);
    cr_assert_eq(err.code, ERR_USAGE);
    cr_assert_not_null(strstr(err.msg, "16"), "%s", err.msg);
    err_clear(&err);
    struct conv_shape strided = plain;
    strided.stride_h = 2;
    const struct conv_algorithm *winograd = named("winograd-2x2-3x3", CONV_FORWARD, BENCH_FP32);
    cr_assert_eq(conv_run(&gpu, winograd, &strided, &none, &plainly, &err), -1);
    cr_assert_eq(err.code, ERR_USAGE);
}

/* 2 x 64 x 56 x 56 elements. */
Test(bench_conv, layers_count_what_they_move)
{
    const struct layer_shape s = { .n = 2,
                                   .c = 64,
                                   .h = 56,
                                   .w = 56,
                                   .window_h = 3,
                                   .window_w = 3,
                                   .stride_h = 2,
                                   .stride_w = 2,
                                   .pad_h = 1,
                                   .pad_w = 1 };
    cr_assert_eq(layer_bytes(BENCH_LAYER_BIAS_RELU, BENCH_FP32, &s), 2 * 401408 * 4);
    cr_assert_eq(layer_bytes(BENCH_LAYER_ADD_RELU, BENCH_FP16S, &s), 3 * 401408 * 2);
    cr_assert_eq(layer_output_count(BENCH_LAYER_MAX_POOL, &s), 2 * 64 * 28 * 28);
    cr_assert_eq(layer_output_count(BENCH_LAYER_GLOBAL_POOL, &s), 128);
    cr_assert_null(layer_family(BENCH_HALF2));
}

Test(bench_conv, layers_refuse_windows_of_padding_alone)
{
    static struct gpu gpu;
    const struct layer_buffers none = { 0 };
    struct layer_shape s = { .n = 1,
                             .c = 1,
                             .h = 8,
                             .w = 8,
                             .window_h = 2,
                             .window_w = 2,
                             .stride_h = 1,
                             .stride_w = 1,
                             .pad_h = 2 };
    struct err err = { 0 };
    cr_assert_eq(layer_run(&gpu, BENCH_LAYER_MAX_POOL, BENCH_FP32, &s, &none, &err), -1);
    cr_assert_eq(err.code, ERR_USAGE);
    cr_assert_not_null(strstr(err.msg, "padding"), "%s", err.msg);
}
