/* `smfit probe --jit`: compile times of the PTX images. */
#ifndef CLI_PROBE_JIT_H
#define CLI_PROBE_JIT_H

#include "cli/machine.h"
#include "probe/images.h"

/* Measures on one device; prints a table, or fills "jit" of the device's object when `json` is
 * given. */
int probe_jit(const struct machine *m, const struct device *device,
              const struct probe_images *images, json_t *json, struct err *err);

#endif
