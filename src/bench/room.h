/* How much memory a device really gives: asked of the driver inside a context, and tried. A worker does it, since a
 * context in this process would be in the way of later ones. */
#ifndef BENCH_ROOM_H
#define BENCH_ROOM_H

#include <stdbool.h>

#include "cuda/worker.h"

extern const struct worker_task room_task;

struct room {
    double total_bytes, free_bytes; /* free: with a context of this program, so what others and it hold is gone */
    double got_bytes;               /* of what was tried, in blocks; all of it or what there was */
};

/* `library`: of the driver, NULL the loader's; `ordinal`: CUDA's number. `try_bytes` 0 tries nothing. -1: the device
 * does not open, or the worker ended badly. */
int room_ask(const char *library, int ordinal, double try_bytes, struct room *room, struct err *err);

#endif
