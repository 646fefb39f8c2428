/* What a measured time is worth beside what else was measured: its share of the ceilings, and whole
 * networks from their layers. Pure. */
#ifndef BENCH_JUDGE_H
#define BENCH_JUDGE_H

#include "bench/plan.h"

/* Above this share of a ceiling no result is believed. The memory's ceilings copy, which makes its
 * bus turn around: what mostly reads may be faster, by as much as turning costs. */
#define JUDGE_MOST_PERCENT        105.0
#define JUDGE_MOST_MEMORY_PERCENT 125.0
/* A ceiling that took less than so many empty launches is none: it is not held against. */
#define JUDGE_LAUNCHES 20

/* Sets ceiling and ceiling_percent from the ceilings among `rows`: the time that the arithmetic
 * takes at the measured peak of its class or the traffic at the measured bandwidth, whichever is
 * longer, over the time it took. A row that is faster than that allows becomes an error; only of an
 * algorithm that does with fewer multiplications than are counted (Winograd, FFT) the arithmetic
 * may be above 100 %. */
void judge_row(const struct row_list *rows, const struct bench_case *c, struct row *row);

/* The sum over the layers' rows, each as often as it occurs, of times, operations, traffic (a layer's
 * tensors come from memory and go there) and throttled samples; skipped, with the layer that is
 * missing, when one has no time. */
void judge_net(const struct row_list *rows, const struct plan_net *net, const struct bench_case *c,
               struct row *row);

#endif
