/* Statistics of repeated timings that assume nothing about their distribution: medians, intervals
 * made of order statistics, and what two of them say about each other. Nothing is ever thrown away.
 */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct stats {
    size_t count;
    double median;    /* of an even number of samples: the mean of the middle two */
    double low, high; /* the true median lies between these two samples ... */
    double
        coverage; /* ... with this probability; 0 for one sample. Six samples or more reach 0.95 */
};

/* Sorts `samples` in place. count 0 gives zeros. */
struct stats stats_of(double *samples, size_t count);

/* The rank (from 1) of the lower end of the interval: the largest r for which the median lies
 * between the r-th least and the r-th greatest of `count` samples with probability 0.95 or more; 1
 * where none does. `coverage` (may be NULL) gets the probability, from the binomial distribution
 * with p = 1/2. */
size_t stats_rank(size_t count, double *coverage);

/* Whether all of `count` values lie within `tolerance` (0.01: 1 %) of the least. */
bool stats_agree(const double *values, size_t count, double tolerance);

enum stats_verdict { STATS_SAME, STATS_FASTER, STATS_SLOWER, STATS_AMBIGUOUS };

/* Times: what `b` is beside `a`. FASTER, SLOWER: the intervals do not touch and the medians differ
 * by more than `least` (0.02: 2 %). SAME: even the ends that are farthest apart differ by no more
 * than `least`, or the intervals do not touch and the medians differ by no more. AMBIGUOUS:
 * anything else, and always when either has fewer than two samples, unless `exact`. */
enum stats_verdict stats_compare(const struct stats *a, const struct stats *b, double least,
                                 bool exact);

/* "same", "faster", "slower", "ambiguous" */
const char *stats_verdict_name(enum stats_verdict verdict);

#endif
