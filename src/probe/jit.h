/* How long the driver takes to compile this build's PTX, and what its cache saves. */
#ifndef PROBE_JIT_H
#define PROBE_JIT_H

#include "probe/images.h"
#include "probe/load.h"

struct jit_times {
    size_t image;            /* index into the images */
    int code;                /* of the load without cache; with any but 0 the times mean nothing */
    double without_cache_ms; /* compiled each time */
    double filling_ms;       /* compiled, and written into an empty cache */
    double from_cache_ms;    /* taken from it by another process */
};

#define JIT_IMAGES_MAX 64

/* Every PTX image on the device of `plan` (whose items and environment are set here). The cache is
 * a temporary folder, never the user's. */
int jit_measure(const struct probe_images *images, struct load_plan *plan, struct jit_times *times,
                size_t *count, struct err *err);

#endif
