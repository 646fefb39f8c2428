#include "core/stats.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* P(B = k) of n tosses of a fair coin; by logarithms, since 2^n overflows soon. */
static double tosses(size_t n, size_t k)
{
    double trials = (double)n, hits = (double)k;
    return exp(lgamma(trials + 1) - lgamma(hits + 1) - lgamma(trials - hits + 1) -
               trials * log(2.0));
}

size_t stats_rank(size_t count, double *coverage)
{
    size_t rank = count > 0;
    double outside = count ? tosses(count, 0) : 0; /* below the lower end, by symmetry above too */
    while (rank && 2 * (rank + 1) <= count) {
        double more = outside + tosses(count, rank);
        if (1 - 2 * more < 0.95)
            break;
        outside = more;
        rank++;
    }
    if (coverage)
        *coverage = count > 1 ? 1 - 2 * outside : 0;
    return rank;
}

struct stats stats_of(double *samples, size_t count)
{
    struct stats s = { .count = count };
    if (!count)
        return s;
    qsort(samples, count, sizeof *samples, by_value);
    size_t rank = stats_rank(count, &s.coverage);
    s.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    s.low = samples[rank - 1];
    s.high = samples[count - rank];
    return s;
}

bool stats_agree(const double *values, size_t count, double tolerance)
{
    double least = count ? values[0] : 0, most = least;
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return most - least <= tolerance * least;
}

enum stats_verdict stats_compare(const struct stats *a, const struct stats *b, double least,
                                 bool exact)
{
    bool apart = a->high < b->low || b->high < a->low;
    double change = b->median / a->median;
    bool small = fabs(change - 1) <= least;
    if (!exact && (a->count < 2 || b->count < 2))
        return STATS_AMBIGUOUS;
    if (exact || apart)
        return small ? STATS_SAME : change < 1 ? STATS_FASTER : STATS_SLOWER;
    bool within = b->high <= a->low * (1 + least) && a->high <= b->low * (1 + least);
    return within ? STATS_SAME : STATS_AMBIGUOUS;
}

const char *stats_verdict_name(enum stats_verdict verdict)
{
    static const char *const names[] = { [STATS_SAME] = "same",
                                         [STATS_FASTER] = "faster",
                                         [STATS_SLOWER] = "slower",
                                         [STATS_AMBIGUOUS] = "ambiguous" };
    return names[verdict];
}
