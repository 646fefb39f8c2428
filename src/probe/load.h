/* Loading embedded images on a device, in a worker, and running the probe kernel from each. */
#ifndef PROBE_LOAD_H
#define PROBE_LOAD_H

#include <stdbool.h>

#include "cuda/worker.h"

/* An item to load: an image by itself or a whole container; indices as in probe/images.h. */
struct load_item {
    bool whole_container;
    size_t index;
};

/* What became of an item. */
struct load_fact {
    bool started;   /* false: the worker ended before it came to this item */
    bool crashed;   /* the worker ended inside it; `note` says how */
    int code;       /* of cuModuleLoadDataEx; 0 = loaded */
    double time_ms; /* of that call */
    int run_code;   /* of the first call after it that failed (attributes, launch, wait); 0 = ran */
    char run_call[64];               /* its name */
    bool ran, right;                 /* the kernel ran; its results are those of the host */
    unsigned image_id, cuda_arch;    /* as the kernel returned them; 0 = did not run */
    int binary_version, ptx_version; /* function attributes: 35, 37 ... */
    char log[1024];                  /* the JIT's words */
    char note[128];                  /* of a crash, a time-out, or a worker that could not start */
};

struct load_plan {
    const char *library; /* NULL: libcuda.so.1 */
    int ordinal;
    const char *const *environment; /* of the workers; may be NULL */
    uint64_t timeout_ms;            /* for each worker */
    const struct load_item *items;
    size_t count;
};

/* Fills facts[plan->count]. A worker that dies costs the item that it was at, and a kernel that
 * poisons its context ends its worker; the next goes on behind it. -1 when no worker can be
 * started, or none gets a device (err says which call failed).
 */
int load_run(const struct load_plan *plan, struct load_fact *facts, struct err *err);

/* The worker's side, for the table of tasks. */
extern const struct worker_task load_task;

#endif
