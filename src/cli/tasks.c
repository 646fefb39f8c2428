#include "cli/tasks.h"

#include "probe/load.h"

const struct worker_task *const cli_tasks[] = { &load_task, NULL };
