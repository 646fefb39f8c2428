/* The devices that the driver enumerates, in CUDA's own order. NVML's order and nvidia-smi's may
 * differ, so the PCI id is always known and always shown. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include "cuda/driver.h"

#define DEVICES_MAX 64

struct device {
    int ordinal; /* CUDA's number: what CUDA_VISIBLE_DEVICES renumbers */
    int handle;
    char name[128];
    char pci_id[32]; /* 0000:01:00.0 */
    char uuid[48];   /* GPU-xxxxxxxx-...; "" when this driver has no such call (before CUDA 9.2) */
    unsigned cc;     /* 35 */
    uint64_t memory_bytes;
    int sm_count;
    int clock_khz;         /* 0: not told */
    int memory_clock_khz;  /* 0: not told */
    int memory_bus_bits;   /* 0: not told */
    int l2_bytes;          /* 0: not told */
    bool display_watchdog; /* launches are ended after some seconds */
};

/* Fills up to DEVICES_MAX devices. With DRIVER_NO_DEVICE, zero devices. */
int device_list(const struct driver *d, struct device *devices, size_t *count, struct err *err);

/* By CUDA's number ("0"), UUID (whole or a unique prefix from "GPU-" on) or PCI id ("01:00.0",
 * domain optional). NULL with ERR_USAGE naming what there is. */
const struct device *device_find(const struct device *devices, size_t count, const char *name,
                                 struct err *err);

/* Retains the device's primary context and makes it current; leave undoes both. */
int device_enter(const struct driver *d, const struct device *device, struct err *err);
void device_leave(const struct driver *d, const struct device *device);

/* Whether a fault has made the current context, and with it this process, unusable for good. */
bool device_is_poisoned(const struct driver *d);

#endif
