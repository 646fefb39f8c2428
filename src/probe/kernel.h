/* Running the probe kernel of a loaded module, and looking at what it wrote. */
#ifndef PROBE_KERNEL_H
#define PROBE_KERNEL_H

#include <stdbool.h>

#include "cuda/module.h"
#include "kernels/probe.h"

/* The kernel's answer. */
struct kernel_outcome {
    const char *call; /* the first that failed; "" when none did */
    int code;         /* what it returned */
    bool ran;         /* the launch was waited for and the results were fetched */
    bool right;       /* they are those of the host, and nothing was written behind them */
    bool untouched;   /* not one byte was written: the poison stands everywhere */
    struct probe_result first;
    int binary_version, ptx_version; /* function attributes: 35, 37 ... */
};

/* One block of 64 threads on the current context. Always fills the outcome. */
void kernel_run(const struct driver *d, const struct module_load *load,
                struct kernel_outcome *outcome);

#endif
