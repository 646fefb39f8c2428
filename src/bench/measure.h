/* The worker of the benchmark: one process that opens the device or the CPU's libraries and
 * measures a group of cases against each other. What it dies of is a result, and costs the case
 * that it was at. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/plan.h"
#include "cuda/worker.h"

/* Reports {"begin": i} before case i is prepared, {"at": i} before each of its samples and {"row":
 * i, "data": ...} when it is done; indices are those of its input. */
extern const struct worker_task measure_task;

struct measure_input {
    const char *library; /* of the driver; NULL: the loader's */
    const char *nvml;    /* the management library's; NULL: the loader's */
    int ordinal;         /* of the device */
    const struct plan_settings *settings;
    const char *const *lib_dirs, *const *sites; /* where libraries are looked for */
    size_t lib_dir_count, site_count;
    const char *tune_hash; /* NULL: nothing is tried out */
    const struct bench_case *cases;
    size_t count;
};

json_t *measure_document(const struct measure_input *input);

#endif
