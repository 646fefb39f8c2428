/* What the right result is: GEMM and convolution in fp64 on the CPU, element by element, and how far a
 * result of each class of arithmetic may be from it.
 *
 * Operands are fp32 arrays with the values as stored (rounded by number_round where the class stores
 * something narrower), so that rounding of the inputs is no error of the kernel.
 *
 * Error of one element: |got - want| / scale, where scale is the sum of the magnitudes of what is added
 * up, |alpha| * sum |a * b| + |beta * c|. This is the componentwise backward error: unlike |got - want| /
 * |want| it does not depend on how much cancels, and a floating-point sum is bounded in it whatever the
 * data and order are (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1). */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/number.h"
#include "bench/shape.h"

/* Fixed-seed values, uniform in [-1, 1] and at least 2^-13 in magnitude (so neither zero nor denormal in
 * any format, nor are they after rounding), rounded to the format; NUMBER_S8: from -127 to 127, not 0.
 * Equal on every machine. */
void reference_fill(float *values, size_t count, enum number number, uint64_t seed);

struct reference_value {
    double value, scale;
};

/* C of shape.h, matrices of a batch and their columns behind each other without gaps. c (read for beta)
 * may be NULL when beta is 0. */
struct reference_gemm {
    struct gemm_shape shape;
    double alpha, beta;
    const float *a, *b, *c;
};

size_t reference_gemm_count(const struct gemm_shape *shape);
/* How many products one element adds up. */
int reference_gemm_terms(const struct gemm_shape *shape);
/* Element `index` of C (row + m * (column + n * matrix)). */
struct reference_value reference_gemm_at(const struct reference_gemm *gemm, size_t index);

/* x: n x c x h x w, w: k x (c / groups) x r x s, y: n x k x p x q. Each pass gives one from the other two,
 * which must be set: forward y, backward-data x (from w and dy), backward-weights w (from x and dy).
 * Forward only: `bias` (k values) is added unless NULL, then with `relu` what is below zero becomes zero. */
struct reference_conv {
    struct conv_shape shape;
    enum conv_pass pass;
    const float *x, *w, *y;
    const float *bias;
    bool relu;
};

size_t reference_conv_count(const struct conv_shape *shape, enum conv_pass pass);
/* The most products that one element adds up (fewer at the border). */
int reference_conv_terms(const struct conv_shape *shape, enum conv_pass pass);
/* Element `index` of the pass's result, counted as its array lies in memory. */
struct reference_value reference_conv_at(const struct reference_conv *conv, size_t index);

/* Which elements to look at when all are too many: sorted, none twice. `inner` is the length of a row (the
 * index that runs fastest) of a result of `total` elements: its corners, then elements of its last column
 * and last row, where tiles end, then others spread over all of it. Returns how many of `room` were
 * written; all when total <= room. */
size_t reference_samples(size_t total, size_t inner, uint64_t seed, size_t *index, size_t room);

/* How far an element may be off: scale * relative + |want| * output + least. 0 throughout for integers
 * stored as such, whose arithmetic is exact (alpha and beta are integers then). */
struct reference_bound {
    double relative; /* of operands rounded on the way in, products and sums */
    double output;   /* rounding to the format that the result is stored in */
    double least;    /* half the smallest number of that format */
};

/* For sums of `terms` products of a class, stored as `output`. How the numbers come about stands in
 * reference_bound.c, beside the code. */
struct reference_bound reference_bound(enum bench_precision precision, int terms,
                                       enum number output);

/* Comparison of a result with what is right; start with { 0 }. */
struct reference_error {
    size_t checked, wrong;  /* wrong: beyond the bound, or not a number */
    double max_rel_error;   /* of the metric above, without `least`; infinite when something is not a
                               number */
    size_t worst;           /* index, got and want of the element with the largest error */
    double got, want;
};

void reference_compare(struct reference_error *error, const struct reference_bound *bound,
                       size_t index, struct reference_value want, double got);

/* The same for the elements of a whole result as it lies in memory. */
void reference_check_gemm(const struct reference_gemm *gemm, const struct reference_bound *bound,
                          enum number number, const void *result, const size_t *index,
                          size_t count, struct reference_error *error);
void reference_check_conv(const struct reference_conv *conv, const struct reference_bound *bound,
                          enum number number, const void *result, const size_t *index,
                          size_t count, struct reference_error *error);

#endif
