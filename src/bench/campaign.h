/* A whole run of the benchmark, from its plan to its rows: a worker for each group of cases, what
 * became of it, and every row safe on the disk before the next. */
#ifndef BENCH_CAMPAIGN_H
#define BENCH_CAMPAIGN_H

#include "bench/measure.h"
#include "bench/plan.h"
#include "bench/stream.h"

struct campaign {
    const struct plan *plan;
    const struct plan_net *nets; /* that the plan's sums are of */
    size_t net_count;
    struct measure_input input; /* of every worker; cases and settings are set here */
    struct stream *stream;      /* NULL, or closed: rows are kept in memory alone */
    struct row_list
        *rows; /* those of an earlier run, which are not done again; new ones are added */
    void *self;
    void (*on_row)(void *self, const struct row *row);
    /* What is at work, and how many seconds of the plan are done. */
    void (*on_progress)(void *self, const char *what, double seconds);
};

/* -1 only when a worker cannot be started or a row not be kept; a row that failed is a row. */
int campaign_run(struct campaign *campaign, struct err *err);

/* Every row ok or unsupported or skipped. */
bool campaign_all_well(const struct row_list *rows);

#endif
