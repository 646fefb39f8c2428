/* The batch to use: the smallest from which a larger one gains nothing that matters.
 *
 * Throughput over batch is not monotone (libraries change kernels, tiles leave remainders), so every point counts
 * for itself; and it is known only within a range, so that of two batches which cannot be told apart the smaller
 * one is right. */
#ifndef SIZE_KNEE_H
#define SIZE_KNEE_H

#include <stddef.h>

/* Share of the best throughput that is good enough. */
#define KNEE_SHARE 0.95

/* Items a second at a batch, with the range in which the true figure lies; low <= mid <= high. */
struct knee_point {
    int batch;
    double low, mid, high;
};

struct knee {
    size_t best;   /* index of the highest mid; of equal ones the smallest batch */
    size_t sure;   /* of the smallest batch whose low reaches KNEE_SHARE of the best mid; `best` when none does */
    size_t chosen; /* the answer: as `sure`, or the smallest batch whose mid reaches it where only its low does not:
                    * what cannot be told apart is decided for the smaller batch */
};

/* Points in any order, batches positive. Returns -1 when there is none with a positive mid. For a model give
 * low = mid = high: its error is common to all batches and says nothing about which is better. */
int knee_find(const struct knee_point *points, size_t count, struct knee *knee);

#endif
