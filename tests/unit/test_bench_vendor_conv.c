/* cuDNN without a card: a stub library (tests/stubs/cudnn.c) that convolves on the CPU, and offers what
 * algorithms the test wants. Results are held against the fp64 reference. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "bench/reference.h"
#include "vendor_stubs.h"

static float *filled(size_t count, enum number number, uint64_t seed)
{
    float *values = malloc(count * sizeof *values);
    cr_assert_not_null(values);
    reference_fill(values, count, number, seed);
    return values;
}

static const struct conv_shape convs[] = {
    { 2, 3, 7, 6, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1 },
    { 1, 4, 9, 8, 6, 3, 2, 0, 1, 2, 1, 1, 1, 2 },
    { 2, 6, 8, 8, 6, 3, 3, 2, 2, 1, 1, 2, 2, 6 },
};

static void check_conv(struct vendor *v, const struct conv_shape *s, enum conv_pass pass, bool bias,
                       bool relu)
{
    enum { ROOM = 4096 };
    size_t count = reference_conv_count(s, pass), index[ROOM];
    struct err err;
    err_clear(&err);
    float *x = filled(reference_conv_count(s, CONV_BACKWARD_DATA), NUMBER_F32, 1);
    float *w = filled(reference_conv_count(s, CONV_BACKWARD_WEIGHTS), NUMBER_F32, 2);
    float *y = filled(reference_conv_count(s, CONV_FORWARD), NUMBER_F32, 3);
    float *b = filled((size_t)s->k, NUMBER_F32, 4), *got[] = { y, x, w };
    struct vendor_conv_buffers buffers = { address(x), address(w), address(y), bias ? address(b) : 0, relu };
    struct reference_conv want = { *s, pass, x, w, y, bias ? b : NULL, relu };
    struct reference_bound bound = reference_bound(BENCH_FP32, reference_conv_terms(s, pass), NUMBER_F32);
    struct reference_error error = { 0 };
    struct vendor_conv *conv = vendor_conv_new(v, BENCH_FP32, s, pass, &buffers, &err);
    cr_assert_not_null(conv, "%s", err.msg);
    cr_assert_eq(vendor_conv_run(conv, &buffers, &err), 0, "%s", err.msg);
    reference_samples(count, 1, 1, index, ROOM);
    reference_check_conv(&want, &bound, NUMBER_F32, got[pass], index, count, &error);
    cr_assert_eq(error.wrong, 0, "pass %d: element %zu is %g, not %g", pass, error.worst, error.got,
                 error.want);
    cr_assert_eq(last_dnn()->groups, s->groups);
    vendor_conv_free(conv);
    free(x), free(w), free(y), free(b);
}

Test(bench_vendor_conv, cuDNN_convolves_in_every_pass)
{
    struct vendor *v = open_stubs(35);
    for (size_t i = 0; i < sizeof convs / sizeof convs[0]; i++) {
        for (int pass = 0; pass < 3; pass++)
            check_conv(v, &convs[i], (enum conv_pass)pass, false, false);
        check_conv(v, &convs[i], CONV_FORWARD, true, true);
        cr_assert_eq(last_dnn()->activation, 1, "ReLU");
        check_conv(v, &convs[i], CONV_FORWARD, true, false);
        cr_assert_eq(last_dnn()->activation, 5, "identity");
    }
    vendor_close(v);
    cr_assert(allocated == 0 && last_dnn()->objects == 0);
}

/* "algorithm,status,workspace,math;...": what is offered; then what must be chosen. */
static const struct {
    char offered[64];
    int cc;
    char version[8];
    enum bench_precision precision;
    enum conv_pass pass;
    char chosen[24];
    size_t workspace_bytes;
    unsigned math;
} choices[] = {
    /* the fastest that works and fits: 32 MiB on a card of 2 GB */
    { "6,9,0,0;4,0,99999999,0;7,0,33554432,0;1,0,0,0", 35, "7605", BENCH_FP32, CONV_FORWARD,
      "winograd_nonfused", 33554432, 0 },
    { "1,0,0,0;0,0,0,0", 35, "7605", BENCH_FP32, CONV_BACKWARD_DATA, "algo_1", 0, 0 },
    { "6,0,1000,0", 35, "7605", BENCH_FP32, CONV_BACKWARD_WEIGHTS, "fft_tiling", 1000, 0 },
    /* fp32 takes neither tensor instructions nor what may be TF32; from 8 on there is a word for that: 3 */
    { "1,0,0,1;1,0,0,0;7,0,64,3", 80, "8500", BENCH_FP32, CONV_FORWARD, "winograd_nonfused", 64, 3 },
    { "1,0,0,1;6,0,0,0", 80, "8500", BENCH_FP32, CONV_FORWARD, "winograd", 0, 3 },
    { "1,0,0,1;6,0,0,0", 75, "7605", BENCH_FP16S, CONV_FORWARD, "winograd", 0, 0 },
    /* tensor classes take only those */
    { "6,0,0,0;1,0,0,1", 75, "7605", BENCH_TC_FP16, CONV_FORWARD, "implicit_precomp_gemm", 0, 1 },
    { "7,0,0,3;1,0,0,0", 80, "8500", BENCH_TC_TF32, CONV_FORWARD, "implicit_precomp_gemm", 0, 0 },
};

Test(bench_vendor_conv, the_fastest_algorithm_that_is_asked_for_and_fits_is_taken)
{
    static float values[4096];
    struct vendor_conv_buffers buffers = { address(values), address(values), address(values), 0, false };
    card_bytes = (size_t)2 << 30;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        struct err err;
        err_clear(&err);
        setenv("STUB_CUDNN_FIND", choices[i].offered, 1);
        setenv("STUB_CUDNN_VERSION", choices[i].version, 1);
        struct vendor *v = open_stubs(choices[i].cc);
        struct vendor_conv *conv =
            vendor_conv_new(v, choices[i].precision, &convs[0], choices[i].pass, &buffers, &err);
        cr_assert_not_null(conv, "row %zu: %s", i, err.msg);
        cr_assert_str_eq(vendor_conv_algorithm(conv), choices[i].chosen, "row %zu", i);
        cr_assert_eq(vendor_conv_workspace(conv), choices[i].workspace_bytes, "row %zu", i);
        cr_assert_eq(vendor_conv_run(conv, &buffers, &err), 0, "row %zu: %s", i, err.msg);
        cr_assert_eq(last_dnn()->math, choices[i].math, "row %zu", i);
        cr_assert_eq(last_dnn()->workspace_bytes, choices[i].workspace_bytes);
        vendor_conv_free(conv);
        vendor_close(v);
    }
    cr_assert_eq(allocated, 0);
}

static void expect_no_conv(int cc, enum bench_precision precision, bool bias, bool relu, const char *says)
{
    static float values[4096];
    struct vendor_conv_buffers buffers = { address(values), address(values), address(values),
                                           bias ? address(values) : 0, relu };
    struct err err;
    err_clear(&err);
    struct vendor *v = open_stubs(cc);
    cr_assert_null(vendor_conv_new(v, precision, &convs[0], CONV_FORWARD, &buffers, &err));
    cr_assert_eq(err.code, ERR_MISSING);
    cr_assert(strstr(err.msg, says), "'%s'", err.msg);
    vendor_close(v);
    cr_assert(allocated == 0 && last_dnn()->objects == 0);
}

Test(bench_vendor_conv, a_convolution_that_cuDNN_does_not_do_has_a_reason)
{
    expect_no_conv(52, BENCH_HALF2, false, false, "from capability 5.3 on");
    expect_no_conv(80, BENCH_TC_BF16, false, false, "from version 8 on");
    expect_no_conv(75, BENCH_TC_INT8, false, false, "no such class");
    expect_no_conv(35, BENCH_FP32, false, true, "only together with a bias");
    setenv("STUB_CUDNN_FIND", "0,0,0,0;6,0,0,0", 1);
    expect_no_conv(35, BENCH_FP32, true, false, "no algorithm"); /* only one takes a bias by itself */
    setenv("STUB_CUDNN_FIND", "4,0,999999999,0", 1);
    expect_no_conv(35, BENCH_FP32, false, false, "no algorithm");
    setenv("STUB_CUDNN_FIND", "", 1);
    expect_no_conv(35, BENCH_FP32, false, false, "no algorithm");
}

Test(bench_vendor_conv, where_cuDNN_cannot_try_it_is_asked_for_its_guess)
{
    setenv("STUB_CUDNN_BUSY", "2", 1);
    struct vendor *v = open_stubs(35);
    check_conv(v, &convs[0], CONV_FORWARD, false, false);
    check_conv(v, &convs[0], CONV_BACKWARD_WEIGHTS, false, false);
    vendor_close(v);
}

Test(bench_vendor_conv, with_little_memory_the_workspace_is_smaller)
{
    static float values[4096];
    struct vendor_conv_buffers buffers = { address(values), address(values), address(values), 0, false };
    struct err err;
    err_clear(&err);
    most = 3 << 20; /* of the cap's halves 2 MiB fit */
    setenv("STUB_CUDNN_FIND", "7,0,3000000,0;1,0,2000000,0", 1);
    struct vendor *v = open_stubs(35);
    struct vendor_conv *conv = vendor_conv_new(v, BENCH_FP32, &convs[0], CONV_FORWARD, &buffers, &err);
    cr_assert_not_null(conv, "%s", err.msg);
    cr_assert_eq(vendor_conv_workspace(conv), 2000000);
    vendor_conv_free(conv);
    vendor_close(v);
    cr_assert_eq(allocated, 0);
}

Test(bench_vendor_conv, a_part_of_cuDNN_that_is_missing_is_named_before_it_can_end_the_process)
{
    struct vendor *v = open_with("stubs/cublas-11", "stubs/cudnn-8", 35);
    cr_assert(strstr(reason(v, VENDOR_CUDNN), "/cudnn-8/libcudnn_ops_infer.so.8"), "'%s'",
              reason(v, VENDOR_CUDNN));
    vendor_close(v);
}

Test(bench_vendor_conv, a_cuDNN_without_code_for_the_card_is_refused_by_its_version)
{
    setenv("STUB_CUDNN_VERSION", "8907", 1);
    struct vendor *v = open_with("stubs/cublas-11", "stubs/cudnn-7", 35);
    cr_assert(strstr(reason(v, VENDOR_CUDNN), "is cuDNN 8.9.7, for capability 5.0 and up"), "'%s'",
              reason(v, VENDOR_CUDNN));
    vendor_close(v);
    setenv("STUB_CUDNN_VERSION", "8700", 1);
    v = open_stubs(35);
    vendor_close(v);
}
