/* Loading one image or container into the current context, with the JIT's words about it. */
#ifndef CUDA_MODULE_H
#define CUDA_MODULE_H

#include "cuda/driver.h"

struct module_load {
    struct gpu_module *module; /* NULL when it did not load */
    int code;         /* what the driver returned: 0 = loaded. A refusal is data, no error. */
    uint64_t time_ns; /* spent in the call */
    char log[4096];   /* the JIT's error log, then its information log; "" when it said nothing */
};

/* `image` is what cuModuleLoadDataEx takes: a fat binary, a cubin, or PTX text that ends in NUL.
 * The driver trusts the sizes inside, so foreign bytes go through a worker and a guarded copy. */
void module_load(const struct driver *d, const void *image, struct module_load *load);

void module_unload(const struct driver *d, struct module_load *load);

/* The kernel `name`; 0 or -1 with the driver's code in err->native. */
int module_function(const struct driver *d, const struct module_load *load, const char *name,
                    struct gpu_function **function, struct err *err);

#endif
