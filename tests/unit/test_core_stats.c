/* Medians and their intervals against numbers computed by other means: the binomial sums by exact
 * integers, coverage by drawing samples. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/stats.h"

/* Sum of C(n, i) for i in [r, n - r], over 2^n, with exact integers (Python's math.comb). */
static const struct {
    size_t count, rank;
    double coverage;
} exact[] = {
    { 1, 1, 0 },
    { 2, 1, 0.5 },
    { 5, 1, 0.9375 },
    { 6, 1, 0.96875 },
    { 7, 1, 0.984375 },
    { 9, 2, 0.9609375 },
    { 15, 4, 0.9648437500 },
    { 21, 6, 0.9733963013 },
    { 30, 10, 0.9572260547 },
    { 100, 40, 0.9647997998 },
    { 2000, 956, 0.9534471795 },
};

Test(stats, the_ranks_of_an_interval_are_those_of_the_binomial_distribution)
{
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        double coverage;
        cr_expect_eq(stats_rank(exact[i].count, &coverage), exact[i].rank, "n = %zu", exact[i].count);
        cr_expect_float_eq(coverage, exact[i].coverage, 1e-9, "n = %zu", exact[i].count);
    }
    cr_expect_eq(stats_rank(0, NULL), 0);
}

Test(stats, median_and_interval_of_known_samples)
{
    double nine[] = { 5, 1, 9, 3, 7, 2, 8, 6, 4 };
    struct stats s = stats_of(nine, 9);
    cr_expect_eq(s.median, 5);
    cr_expect_eq(s.low, 2);
    cr_expect_eq(s.high, 8);
    double four[] = { 10, 1, 2, 3 };
    s = stats_of(four, 4);
    cr_expect_eq(s.median, 2.5);
    cr_expect_eq(s.low, 1);
    cr_expect_eq(s.high, 10);
    cr_expect_float_eq(s.coverage, 0.875, 1e-12);
    double one[] = { 4 };
    s = stats_of(one, 1);
    cr_expect(s.median == 4 && s.low == 4 && s.high == 4 && s.coverage == 0);
    s = stats_of(NULL, 0);
    cr_expect(s.count == 0 && s.median == 0);
}

/* xorshift64*, so that the draws are the same everywhere. */
static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 0x2545f4914f6cdd1du) >> 11) / 9007199254740992.0;
}

/* Skewed and two-humped, as timings are. True medians: ln 2 for the exponential; 0.5 for the other. */
static double exponential(uint64_t *state)
{
    return -log(1 - draw(state));
}

static double two_humps(uint64_t *state)
{
    double x = draw(state);
    return x < 0.5 ? x * x : 1 - (1 - x) * (1 - x); /* monotone, so that the median stays at 1/2 */
}

static double share_inside(double (*sample)(uint64_t *), double truth, size_t count)
{
    uint64_t state = 88172645463325252u;
    int inside = 0, runs = 20000;
    double values[32];
    for (int i = 0; i < runs; i++) {
        for (size_t k = 0; k < count; k++)
            values[k] = sample(&state);
        struct stats s = stats_of(values, count);
        inside += s.low <= truth && truth <= s.high;
    }
    return (double)inside / runs;
}

Test(stats, intervals_hold_the_true_median_as_often_as_they_say_whatever_the_distribution)
{
    static const size_t counts[] = { 5, 9, 21 };
    for (size_t i = 0; i < 3; i++) {
        double coverage;
        stats_rank(counts[i], &coverage);
        /* 20000 runs: three standard errors are below 0.006 */
        cr_expect_float_eq(share_inside(exponential, log(2), counts[i]), coverage, 0.006);
        cr_expect_float_eq(share_inside(two_humps, 0.5, counts[i]), coverage, 0.006);
    }
}

Test(stats, warm_is_when_the_last_values_agree)
{
    double close[] = { 1.000, 1.009, 1.004 }, apart[] = { 1.000, 1.020, 1.004 };
    cr_expect(stats_agree(close, 3, 0.01));
    cr_expect_not(stats_agree(apart, 3, 0.01));
}

static enum stats_verdict verdict(double a, double a_half, double b, double b_half, size_t count)
{
    struct stats x = { count, a, a - a_half, a + a_half, 0.96 },
                 y = { count, b, b - b_half, b + b_half, 0.96 };
    return stats_compare(&x, &y, 0.02, false);
}

Test(stats, verdicts)
{
    cr_expect_eq(verdict(10, 0.1, 8, 0.1, 9), STATS_FASTER);
    cr_expect_eq(verdict(10, 0.1, 12, 0.1, 9), STATS_SLOWER);
    cr_expect_eq(verdict(10, 0.05, 10.05, 0.05, 9), STATS_SAME);
    cr_expect_eq(verdict(10, 0.001, 10.1, 0.001, 9), STATS_SAME, "certainly 1 %% apart is still the same");
    cr_expect_eq(verdict(10, 1, 10.5, 1, 9), STATS_AMBIGUOUS);
    cr_expect_eq(verdict(10, 0, 8, 0, 1), STATS_AMBIGUOUS, "one sample each says nothing");
    struct stats a = { 1, 10, 10, 10, 0 }, b = { 1, 8, 8, 8, 0 };
    cr_expect_eq(stats_compare(&a, &b, 0.02, true), STATS_FASTER, "unless the clock is exact");
    cr_expect_str_eq(stats_verdict_name(STATS_AMBIGUOUS), "ambiguous");
}
