/* clang-format off */
/* Faults on demand, for tests of programs that must survive them.
 *
 *   SMFIT_VGPU_FAULT = item { "," item }
 *   item = CALL ":" N "=" CODE       the Nth call (from 1) of CALL returns CODE and does nothing else
 *        | CALL "=" CODE             every call does
 *        | "launch:" N "=" CODE      the Nth launch returns success and the device faults with CODE,
 *                                    which shows at the next call of the context, as with a real
 *                                    kernel's fault
 *        | "launch=" CODE            every launch
 *        | "missing=" CALL           cuGetProcAddress does not know CALL. The symbol itself cannot
 *                                    vanish from the library: for programs that use dlsym put a
 *                                    library in front that exports less (see tests/vgpu)
 *        | "less-memory=" BYTES      that much of the device's memory is in use by others
 *        | "slow-start=" MS          cuInit takes that much longer
 *        | "throttle=" PERCENT [ "@" N ]
 *                                    clocks run at that share of what the table says, from the Nth
 *                                    launch on
 *        | "no-jit"                  the driver's PTX compiler library is not installed
 *        | "nvml-full"               NVML also has the fields that old cards lack
 *
 * CALL is the name as in the driver's documentation, without _v2: cuMemAlloc. CODE 700, 702 and 714
 * to 719 also poison the context, whatever call gives them. */
/* clang-format on */
#ifndef VGPU_DRV_FAULT_H
#define VGPU_DRV_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

struct drv_faults {
    struct drv_fault {
        char call[56];
        unsigned long nth; /* 0: every one */
        unsigned long seen;
        int code;
    } items[64];
    unsigned count;
    char missing[16][56];
    unsigned missing_count;
    uint64_t less_memory_bytes;
    unsigned slow_start_ms;
    unsigned clock_percent; /* 100 when not throttled */
    unsigned long throttled_from, launches; /* the launch that the lower clock begins with */
    bool no_jit, nvml_full;
};

/* `text` may be NULL. Whether the calls exist is not checked here. */
int drv_fault_parse(struct drv_faults *faults, const char *text, struct err *err);

/* What the clocks run at now, in percent of the table's. */
unsigned drv_fault_clock(const struct drv_faults *faults);

/* Counts a call of `name` ("cuMemAlloc", "launch"); the code that it shall give, 0 for none. */
int drv_fault_hit(struct drv_faults *faults, const char *name);

bool drv_fault_missing(const struct drv_faults *faults, const char *name);

/* Codes after which a context is unusable. */
bool drv_fault_is_sticky(int code);

#endif
