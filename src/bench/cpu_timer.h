/* Times of work on the CPU, wall clock. What to do with the samples is core/stats.h's. */
#ifndef BENCH_CPU_TIMER_H
#define BENCH_CPU_TIMER_H

#include "core/err.h"

/* One run of what is timed, finished when it returns. 0 or -1. */
typedef int cpu_timer_work(void *self, struct err *err);

/* Runs it until three samples in a row agree within 1 %, or `limit_ms` is over. `*repeats` becomes how
 * many runs make one sample of at least `sample_ms`. */
int cpu_timer_warm(cpu_timer_work *work, void *self, double sample_ms, double limit_ms,
                   unsigned *repeats, struct err *err);

/* Milliseconds of one run, over `repeats` of them. */
int cpu_timer_sample(cpu_timer_work *work, void *self, unsigned repeats, double *ms,
                     struct err *err);

#endif
