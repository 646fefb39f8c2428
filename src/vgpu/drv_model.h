/* The modelled clock: what copies, launches and kernels would have cost on the card. An estimate
 * from counted work and published figures, never a measurement, and blind to what real hardware
 * hides. */
#ifndef VGPU_DRV_MODEL_H
#define VGPU_DRV_MODEL_H

#include <stdint.h>

#include "vgpu/drv_card.h"
#include "vgpu/exec.h"

enum drv_copy { DRV_COPY_TO_DEVICE, DRV_COPY_TO_HOST, DRV_COPY_ON_DEVICE, DRV_COPY_SET };

struct drv_model {
    const struct drv_card *card;
    unsigned clock_percent;   /* throttles the chip's clock, not the memory's; 0: 100 */
    unsigned bank_bytes;      /* 4, or 8 on Kepler when the program asked for it */
    uint64_t footprint_bytes; /* device memory in use: a kernel's data is no more than that */
};

uint64_t drv_model_copy_ns(const struct drv_model *model, enum drv_copy kind, uint64_t bytes);

/* What the program's thread spends on a launch. */
uint64_t drv_model_launch_ns(const struct drv_model *model);

/* A kernel's time on the device. `blocks_sm`: blocks on a multiprocessor at once. */
uint64_t drv_model_kernel_ns(const struct drv_model *model, const struct exec_counters *counters,
                             unsigned blocks_sm);

/* Warp instructions that `warps` warps issue until the display's watchdog ends them; UINT64_MAX
 * where there is none. */
uint64_t drv_model_watchdog(const struct drv_model *model, uint64_t warps);

#endif
