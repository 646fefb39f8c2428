#include <math.h>

#include "bench/reference.h"

/* The worst case of a sum of K terms is K units of its arithmetic, which would pass a result with a term
 * missing (1 / K) once K * K * unit exceeds 1. What is seen is far less: rounding errors of either sign
 * add up like a random walk. For data of either sign partial sums grow like one too, so that the error
 * of rounding each of K sums to nearest is about 0.54 units of the scale whatever K is; the largest of a
 * million elements is 5 standard deviations. 8 units leave room for the order of a split sum and alpha.
 *
 * Tensor instructions cut sums off instead (and align a few products at once to the largest), which pulls
 * every sum towards zero: the errors then follow the sign of the partial sum and grow like its size, about
 * 0.7 * sqrt(K) units of cutting (2 units of rounding).
 *
 * TF32 reads fp32 and drops 13 bits, to nearest or cut off: each product is off by up to two units of
 * cutting, 2 * 2^-10, and those errors again add up like a random walk, as does the result that they are
 * a share of: 1 / sqrt(K) of the scale.
 *
 * tests/unit/test_bench_reference.c simulates each of these and holds the bounds against what comes out. */

static double summing_unit(enum bench_precision precision)
{
    return precision == BENCH_HALF2 ? 0x1p-11 : 0x1p-24;
}

static bool is_integer(enum bench_precision precision)
{
    return precision == BENCH_DP4A || precision == BENCH_TC_INT8 || precision == BENCH_INT32;
}

static bool is_tensor(enum bench_precision precision)
{
    return precision == BENCH_TC_FP16 || precision == BENCH_TC_BF16 || precision == BENCH_TC_TF32;
}

/* Half the smallest number above zero: what a result that is too small loses. */
static double least_of(enum number number)
{
    if (number == NUMBER_F16)
        return 0x1p-25;
    return number == NUMBER_S8 || number == NUMBER_S32 ? 0 : 0x1p-127;
}

struct reference_bound reference_bound(enum bench_precision precision, int terms,
                                       enum number output)
{
    double root = sqrt(terms > 1 ? terms : 1);
    struct reference_bound bound = { .output = number_unit(output), .least = least_of(output) };
    if (precision == BENCH_FP64) {
        bound.relative = 8 * 0x1p-53;
    } else if (is_integer(precision)) {
        bound.relative = number_unit(output) > 0 ? 4 * 0x1p-24 : 0; /* conversion, alpha, beta */
    } else {
        bound.relative = summing_unit(precision) * (is_tensor(precision) ? 8 + 2 * root : 8);
        if (precision == BENCH_TC_TF32)
            bound.relative += 2 * 0x1p-10 * fmin(1, 4 / root);
    }
    return bound;
}

void reference_compare(struct reference_error *error, const struct reference_bound *bound,
                       size_t index, struct reference_value want, double got)
{
    double off = fabs(got - want.value);
    double allowed = want.scale * bound->relative + fabs(want.value) * bound->output + bound->least;
    /* What the format has no numbers for is no error of the kernel: the rest is within relative +
     * output of the scale where nothing is wrong. */
    double beyond = isfinite(off) ? fmax(off - bound->least, 0) : INFINITY;
    double rel = beyond == 0 ? 0 : want.scale > 0 ? beyond / want.scale : INFINITY;
    if (!(off <= allowed))
        error->wrong++;
    if (!error->checked || rel > error->max_rel_error) {
        error->max_rel_error = rel;
        error->worst = index;
        error->got = got;
        error->want = want.value;
    }
    error->checked++;
}
