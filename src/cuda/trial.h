/* Opens the driver in a copy of this program before this one does: a broken library may crash, hang
 * or end whoever opens it, and that is then a result. */
#ifndef CUDA_TRIAL_H
#define CUDA_TRIAL_H

#include <stdbool.h>

#include "cuda/worker.h"

struct trial {
    bool survived;    /* the driver was opened or refused like any other */
    char how[512];    /* else: what became of the copy, with the library's name */
    char version[80]; /* the driver's, from the management library; "" when that gives none or was
                         not asked for */
};

/* `path` as for driver_open; `ask_version`: open the management library too. -1 when no copy could
 * be started. */
int trial_run(const char *path, bool ask_version, struct trial *trial, struct err *err);

/* The worker's side, for the table of tasks. */
extern const struct worker_task trial_task;

#endif
