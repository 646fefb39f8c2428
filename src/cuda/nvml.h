/* The management library, loaded at run time. Every field is optional: old cards and old drivers
 * answer few of them, and the library itself may be absent. */
#ifndef CUDA_NVML_H
#define CUDA_NVML_H

#include <stdbool.h>

#include "core/err.h"

struct nvml;

/* NULL with `err` when the library is absent or does not start: no fault, just no fields. `path`
 * NULL: libnvidia-ml.so.1. */
struct nvml *nvml_open(const char *path, struct err *err);
void nvml_close(struct nvml *n);

/* "470.256.02" into `text`; false when not told. */
bool nvml_driver_version(const struct nvml *n, char *text, unsigned size);

/* What a reading of a card may hold. X(field) */
#define NVML_FIELDS(X)                                                                             \
    X(sm_clock)                                                                                    \
    X(memory_clock)                                                                                \
    X(sm_clock_max)                                                                                \
    X(memory_clock_max)                                                                            \
    X(temperature)                                                                                 \
    X(power)                                                                                       \
    X(power_limit)                                                                                 \
    X(performance_state)                                                                           \
    X(throttle_reasons)                                                                            \
    X(pcie_generation)                                                                             \
    X(pcie_width)

enum nvml_field {
#define X(field) NVML_##field,
    NVML_FIELDS(X)
#undef X
        NVML_FIELD_COUNT
};

const char *nvml_field_name(enum nvml_field field);
const char *nvml_field_unit(enum nvml_field field);

struct nvml_value {
    bool known; /* false: `why` says what the library answered */
    unsigned long long value;
    const char
        *why; /* "not supported by this driver or card", "no such call in this driver", ... */
};

struct nvml_reading {
    struct nvml_value field[NVML_FIELD_COUNT];
};

/* Reads the card at a PCI id as CUDA prints it. Always fills the reading. */
void nvml_read(const struct nvml *n, const char *pci_id, struct nvml_reading *reading);

#endif
