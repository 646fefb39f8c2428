/* What workers of this program can do: `smfit --worker NAME`, which only smfit itself starts. */
#ifndef CLI_TASKS_H
#define CLI_TASKS_H

#include "cuda/worker.h"

/* Ends with NULL. */
extern const struct worker_task *const cli_tasks[];

#endif
