/* What a profiler would show of a launch, as a line of JSON. */
#ifndef VGPU_DRV_COUNTERS_H
#define VGPU_DRV_COUNTERS_H

#include <stdint.h>

#include "vgpu/exec.h"

/* Appends {"kernel", "grid", "block", ..., "basis": "simulated"} to the file; failures are logged.
 */
void drv_counters_write(const char *path, const char *kernel, const struct exec_launch *launch,
                        const struct exec_result *result, uint64_t time_ns);

#endif
