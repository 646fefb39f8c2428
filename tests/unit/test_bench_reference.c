/* The fp64 reference: cases done by hand, other ways to the same result, and the bounds against
 * simulated arithmetic of each class. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/reference.h"

static float *filled(size_t count, enum number number, uint64_t seed)
{
    float *values = malloc((count ? count : 1) * sizeof *values);
    cr_assert_not_null(values);
    reference_fill(values, count, number, seed);
    return values;
}

Test(bench_reference, data_are_in_range_without_zeros_and_equal_each_time)
{
    for (int number = 0; number < NUMBER_S8; number++) {
        float *a = filled(100000, (enum number)number, 7), *b = filled(100000, (enum number)number, 7);
        double sum = 0, squares = 0;
        cr_assert_arr_eq(a, b, 100000 * sizeof *a);
        for (int i = 0; i < 100000; i++) {
            cr_assert(fabsf(a[i]) <= 1 && fabsf(a[i]) >= 0x1p-13f);
            cr_assert(number_round((enum number)number, a[i]) == a[i]);
            sum += (double)a[i];
            squares += (double)a[i] * (double)a[i];
        }
        cr_assert_lt(fabs(sum / 1e5), 0.01, "the mean is not zero");
        cr_assert_lt(fabs(squares / 1e5 - 1.0 / 3), 0.01, "not uniform");
        free(a), free(b);
    }
    float *ints = filled(100000, NUMBER_S8, 7), least = 0, most = 0;
    for (int i = 0; i < 100000; i++) {
        cr_assert(ints[i] != 0 && ints[i] == truncf(ints[i]));
        least = fminf(least, ints[i]), most = fmaxf(most, ints[i]);
    }
    cr_assert(least == -127 && most == 127);
    free(ints);
}

Test(bench_reference, gemm_by_hand_in_all_three_layouts)
{
    /* op(A) = [1 2 3; 4 5 6], op(B) = [7 8; 9 10; 11 12]: A B = [58 64; 139 154] */
    static const float a[] = { 1, 4, 2, 5, 3, 6 }, at[] = { 1, 2, 3, 4, 5, 6 };
    static const float b[] = { 7, 9, 11, 8, 10, 12 }, bt[] = { 7, 8, 9, 10, 11, 12 };
    static const float c[] = { 1, 2, 3, 4 };
    static const double plain[] = { 58, 139, 64, 154 };
    for (int layout = 0; layout < 3; layout++) {
        bool trans_a = layout == 2, trans_b = layout == 1;
        struct reference_gemm gemm = { { 2, 2, 3, trans_a, trans_b, 1 },
                                       2,
                                       -1,
                                       trans_a ? at : a,
                                       trans_b ? bt : b,
                                       c };
        for (size_t i = 0; i < 4; i++) {
            struct reference_value v = reference_gemm_at(&gemm, i);
            cr_assert(v.value == 2 * plain[i] - (double)c[i]);
            cr_assert(v.scale == 2 * plain[i] + (double)c[i]);
        }
    }
}

Test(bench_reference, matrices_of_a_batch_lie_behind_each_other)
{
    static const float a[] = { 2, 3, 5 }, b[] = { 7, -11, 13 };
    struct reference_gemm gemm = { { 1, 1, 1, false, false, 3 }, 1, 0, a, b, NULL };
    cr_assert_eq(reference_gemm_count(&gemm.shape), 3);
    cr_assert(reference_gemm_at(&gemm, 0).value == 14);
    cr_assert(reference_gemm_at(&gemm, 1).value == -33);
    cr_assert(reference_gemm_at(&gemm, 1).scale == 33);
    cr_assert(reference_gemm_at(&gemm, 2).value == 65);
}

Test(bench_reference, convolution_by_hand)
{
    /* 1 x 1 x 3 x 3 with a 2 x 2 filter, padding 1, stride 2: padding counts as zero. */
    static const float x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, w[] = { 1, 10, 100, 1000 };
    static const double want[] = { 1000, 3200, 7040, 9865 };
    struct reference_conv conv = { .shape = { 1, 1, 3, 3, 1, 2, 2, 1, 1, 2, 2, 1, 1, 1 },
                                   .x = x,
                                   .w = w };
    cr_assert_eq(reference_conv_count(&conv.shape, CONV_FORWARD), 4);
    for (size_t i = 0; i < 4; i++)
        cr_assert(reference_conv_at(&conv, i).value == want[i], "%zu: %g", i,
                  reference_conv_at(&conv, i).value);
    static const float bias[] = { -3200 };
    conv.bias = bias;
    conv.relu = true;
    cr_assert(reference_conv_at(&conv, 0).value == 0);
    cr_assert(reference_conv_at(&conv, 0).scale == 4200);
    cr_assert(reference_conv_at(&conv, 2).value == 3840);
}

static const struct conv_shape shapes[] = {
    { 2, 3, 7, 6, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1 },  { 1, 4, 9, 8, 6, 3, 2, 0, 1, 2, 1, 1, 1, 2 },
    { 3, 6, 8, 8, 6, 3, 3, 1, 1, 2, 2, 1, 1, 6 },  { 1, 2, 11, 12, 3, 3, 3, 2, 2, 1, 1, 2, 2, 1 },
    { 2, 5, 4, 4, 7, 1, 1, 0, 0, 1, 1, 1, 1, 1 },  { 1, 3, 10, 10, 6, 5, 5, 2, 2, 3, 3, 1, 1, 3 },
    { 2, 4, 13, 5, 8, 3, 1, 3, 0, 2, 1, 3, 1, 4 },
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

/* Every multiplication that a convolution consists of, in the order of the input: the gathers of the
 * reference are the three sums of the same triples. */
static void scatter(const struct reference_conv *conv, double *y, double *x, double *w)
{
    const struct conv_shape *s = &conv->shape;
    int p_count = conv_out_h(s), q_count = conv_out_w(s), cg = s->c / s->groups,
        kg = s->k / s->groups;
    for (int g = 0; g < s->groups; g++)
        for (int n = 0; n < s->n; n++)
            for (int c = g * cg; c < (g + 1) * cg; c++)
                for (int h = 0; h < s->h; h++)
                    for (int i = 0; i < s->w; i++)
                        for (int k = g * kg; k < (g + 1) * kg; k++)
                            for (int p = 0; p < p_count; p++)
                                for (int q = 0; q < q_count; q++) {
                                    int r = h + s->pad_h - p * s->stride_h;
                                    int t = i + s->pad_w - q * s->stride_w;
                                    if (r < 0 || t < 0 || r % s->dilation_h || t % s->dilation_w)
                                        continue;
                                    r /= s->dilation_h, t /= s->dilation_w;
                                    if (r >= s->r || t >= s->s)
                                        continue;
                                    int xi = ((n * s->c + c) * s->h + h) * s->w + i;
                                    int wi = ((k * cg + c % cg) * s->r + r) * s->s + t;
                                    int yi = ((n * s->k + k) * p_count + p) * q_count + q;
                                    y[yi] += (double)conv->x[xi] * (double)conv->w[wi];
                                    x[xi] += (double)conv->y[yi] * (double)conv->w[wi];
                                    w[wi] += (double)conv->x[xi] * (double)conv->y[yi];
                                }
}

Test(bench_reference, all_three_passes_are_the_sums_of_the_same_products)
{
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        size_t count[3];
        double *sums[3];
        for (int pass = 0; pass < 3; pass++) {
            count[pass] = reference_conv_count(&shapes[i], (enum conv_pass)pass);
            sums[pass] = calloc(count[pass], sizeof *sums[pass]);
            cr_assert_not_null(sums[pass]);
        }
        float *x = filled(count[CONV_BACKWARD_DATA], NUMBER_F32, 1);
        float *w = filled(count[CONV_BACKWARD_WEIGHTS], NUMBER_F32, 2);
        float *y = filled(count[CONV_FORWARD], NUMBER_F32, 3);
        struct reference_conv conv = { .shape = shapes[i], .x = x, .w = w, .y = y };
        scatter(&conv, sums[CONV_FORWARD], sums[CONV_BACKWARD_DATA], sums[CONV_BACKWARD_WEIGHTS]);
        for (int pass = 0; pass < 3; pass++) {
            conv.pass = (enum conv_pass)pass;
            for (size_t e = 0; e < count[pass]; e++) {
                struct reference_value v = reference_conv_at(&conv, e);
                cr_assert(fabs(v.value - sums[pass][e]) <= 1e-13 * v.scale,
                          "shape %zu pass %d element %zu: %g, not %g", i, pass, e, v.value,
                          sums[pass][e]);
            }
            free(sums[pass]);
        }
        free(x), free(w), free(y);
    }
}

Test(bench_reference, samples_are_sorted_distinct_and_have_the_corners)
{
    size_t index[1000];
    cr_assert_eq(reference_samples(600, 20, 1, index, 1000), 600);
    for (size_t i = 0; i < 600; i++)
        cr_assert_eq(index[i], i);
    size_t total = 4096 * 3000, count = reference_samples(total, 4096, 1, index, 1000);
    cr_assert(count > 950 && count <= 1000);
    size_t last_row = 0, last_column = 0, corners = 0;
    for (size_t i = 0; i < count; i++) {
        cr_assert(!i || index[i] > index[i - 1]);
        last_row += index[i] >= total - 4096;
        last_column += index[i] % 4096 == 4095;
        corners += index[i] == 0 || index[i] == 4095 || index[i] == total - 4096 ||
                   index[i] == total - 1;
    }
    cr_assert(corners == 4 && index[count - 1] == total - 1);
    cr_assert(last_row > 100 && last_column > 100);
}

/* ---- the bounds -------------------------------------------------------------------------------- */

/* fp32 with the low 13 bits cut off, as a tensor instruction may read it. */
static float cut(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= ~0x1fffu;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The fp32 next to `value` on the way to zero. */
static float towards_zero(double value)
{
    float nearest = (float)value;
    return fabs((double)nearest) > fabs(value) ? nextafterf(nearest, 0) : nearest;
}

/* One product and sum in the arithmetic of a class. */
static float step(enum bench_precision precision, float a, float b, float sum)
{
    if (precision == BENCH_HALF2)
        return number_round(NUMBER_F16, (float)fma((double)a, (double)b, (double)sum));
    if (precision == BENCH_FP32 || precision == BENCH_FP16S)
        return fmaf(a, b, sum);
    if (precision == BENCH_TC_TF32)
        a = cut(a), b = cut(b);
    return towards_zero((double)a * (double)b + (double)sum);
}

static const enum bench_precision classes[] = { BENCH_FP32,    BENCH_FP16S,   BENCH_HALF2,
                                                BENCH_TC_FP16, BENCH_TC_BF16, BENCH_TC_TF32 };
#define CLASS_COUNT (sizeof classes / sizeof classes[0])

struct simulated {
    struct reference_error whole, lacking; /* with all terms, and without the last */
};

static void simulate(enum bench_precision precision, int terms, int elements, struct simulated *to)
{
    enum number number = number_of(precision);
    struct reference_bound bound = reference_bound(precision, terms, number);
    size_t length = (size_t)terms;
    memset(to, 0, sizeof *to);
    for (int e = 0; e < elements; e++) {
        float *a = filled(length, number, (uint64_t)e * 2 + 100);
        float *b = filled(length, number, (uint64_t)e * 2 + 101);
        struct reference_gemm gemm = { { 1, 1, terms, false, false, 1 }, 1, 0, a, b, NULL };
        struct reference_value want = reference_gemm_at(&gemm, 0);
        float sum = 0, before = 0;
        for (int i = 0; i < terms; i++) {
            before = sum;
            sum = step(precision, a[i], b[i], sum);
        }
        sum = number_round(number, sum), before = number_round(number, before);
        reference_compare(&to->whole, &bound, 0, want, (double)sum);
        reference_compare(&to->lacking, &bound, 0, want, (double)before);
        free(a), free(b);
    }
}

Test(bench_reference, bounds_hold_for_simulated_arithmetic_and_are_not_idle, .timeout = 120)
{
    static const int terms[] = { 1, 7, 64, 577, 4608 };
    for (size_t c = 0; c < CLASS_COUNT; c++)
        for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
            struct simulated s;
            simulate(classes[c], terms[i], 800000 / (terms[i] + 400), &s);
            struct reference_bound bound =
                reference_bound(classes[c], terms[i], number_of(classes[c]));
            if (getenv("SHOW_BOUNDS"))
                fprintf(stderr, "%-12s K=%-5d max %.2e bound %.2e + %.1e, lacking %zu of %zu\n",
                        bench_precision_name(classes[c]), terms[i], s.whole.max_rel_error,
                        bound.relative, bound.output, s.lacking.wrong, s.lacking.checked);
            cr_assert_eq(s.whole.wrong, 0, "%s K=%d: error %g", bench_precision_name(classes[c]),
                         terms[i], s.whole.max_rel_error);
        }
}

Test(bench_reference, a_missing_term_shows)
{
    static const int terms[] = { 7, 64, 577 };
    for (size_t c = 0; c < CLASS_COUNT; c++)
        for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
            struct simulated s;
            simulate(classes[c], terms[i], 500, &s);
            /* Packed half has no digits for it in a long sum; of all others nearly every element tells. */
            double share = (double)s.lacking.wrong / (double)s.lacking.checked;
            cr_assert(share > (classes[c] == BENCH_HALF2 ? terms[i] > 64 ? -1 : 0.3 : 0.6),
                      "%s K=%d: seen in %g of all", bench_precision_name(classes[c]), terms[i],
                      share);
        }
}

Test(bench_reference, integers_must_be_exact)
{
    struct reference_bound bound = reference_bound(BENCH_DP4A, 1000, NUMBER_S32);
    struct reference_error error = { 0 };
    reference_compare(&error, &bound, 4, (struct reference_value){ 1000, 5000 }, 1000);
    cr_assert(error.wrong == 0 && error.max_rel_error == 0);
    reference_compare(&error, &bound, 5, (struct reference_value){ 1000, 5000 }, 1001);
    cr_assert(error.wrong == 1 && error.worst == 5 && error.got == 1001 && error.want == 1000);
    cr_assert_float_eq(error.max_rel_error, 1 / 5000.0, 1e-12);
}

Test(bench_reference, what_is_no_number_is_wrong)
{
    struct reference_bound bound = reference_bound(BENCH_FP32, 10, NUMBER_F32);
    struct reference_error error = { 0 };
    reference_compare(&error, &bound, 0, (struct reference_value){ 1, 1 }, (double)NAN);
    reference_compare(&error, &bound, 1, (struct reference_value){ 1, 1 }, (double)INFINITY);
    reference_compare(&error, &bound, 2, (struct reference_value){ 1, 1 }, 1);
    cr_assert(error.wrong == 2 && error.checked == 3 && isinf(error.max_rel_error));
}

/* Numbers of fp16 below 2^-14 are 2^-24 apart: 2.4 of those are stored as 2, which is 17 % off and right; 2.6
 * are wrong as 2. */
Test(bench_reference, what_is_too_small_for_its_format_is_no_error)
{
    struct reference_bound bound = reference_bound(BENCH_FP16S, 1, NUMBER_F16);
    struct reference_error error = { 0 };
    reference_compare(&error, &bound, 0, (struct reference_value){ 2.4 * 0x1p-24, 2.4 * 0x1p-24 },
                      2 * 0x1p-24);
    cr_assert(error.wrong == 0 && error.max_rel_error <= bound.relative + bound.output, "%g",
              error.max_rel_error);
    reference_compare(&error, &bound, 1, (struct reference_value){ 2.6 * 0x1p-24, 2.6 * 0x1p-24 },
                      2 * 0x1p-24);
    cr_assert(error.wrong == 1);
    cr_assert_float_eq(error.max_rel_error, 0.1 / 2.6, 1e-9);
}

Test(bench_reference, whole_results_are_read_in_their_format)
{
    float a[] = { 1.5f, 2.5f }, b[] = { 4, 8 };
    struct reference_gemm gemm = { { 2, 2, 1, false, false, 1 }, 1, 0, a, b, NULL };
    float want[] = { 6, 10, 12, 20 };
    char stored[8];
    size_t index[] = { 0, 1, 2, 3 };
    number_pack(NUMBER_F16, want, 4, stored);
    struct reference_bound bound = reference_bound(BENCH_FP16S, 1, NUMBER_F16);
    struct reference_error error = { 0 };
    reference_check_gemm(&gemm, &bound, NUMBER_F16, stored, index, 4, &error);
    cr_assert(error.checked == 4 && error.wrong == 0 && error.max_rel_error == 0);
}
