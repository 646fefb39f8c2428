/* What the virtual driver has to say beside result codes: why an image was refused, where a kernel
 * faulted, which call is not there. Goes to the file that SMFIT_VGPU_LOG names ("-": standard
 * error), a line each; without the variable nowhere. */
#ifndef VGPU_DRV_LOG_H
#define VGPU_DRV_LOG_H

#include <stdbool.h>

void drv_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether anybody listens. */
bool drv_log_on(void);

#endif
