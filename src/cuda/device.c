#include "cuda/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/str.h"

/* 0 when the driver does not know the attribute: such figures are optional. */
static int attribute(const struct driver *d, int handle, enum gpu_attribute which)
{
    int value = 0;
    return d->call.device_attribute(&value, (int)which, handle) ? 0 : value;
}

static void read_uuid(const struct driver *d, struct device *device)
{
    unsigned char id[16];
    if (!d->call.device_uuid || d->call.device_uuid(id, device->handle))
        return;
    struct str s = STR_INIT;
    str_add(&s, "GPU-");
    for (int i = 0; i < 16; i++)
        str_addf(&s, "%02x%s", id[i], i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
    str_copy(device->uuid, sizeof device->uuid, s.p);
    str_free(&s);
}

static void read_pci_id(const struct driver *d, struct device *device)
{
    if (d->call.device_pci_id(device->pci_id, (int)sizeof device->pci_id, device->handle) == 0)
        return;
    snprintf(device->pci_id, sizeof device->pci_id, "%04x:%02x:%02x.0",
             (unsigned)attribute(d, device->handle, GPU_ATTR_PCI_DOMAIN),
             (unsigned)attribute(d, device->handle, GPU_ATTR_PCI_BUS),
             (unsigned)attribute(d, device->handle, GPU_ATTR_PCI_DEVICE));
}

/* Name, memory and capability are needed; the rest may be unknown. */
static int read_device(const struct driver *d, struct device *device, struct err *err)
{
    const struct driver_calls *call = &d->call;
    if (driver_check(err, call->device_get(&device->handle, device->ordinal), "cuDeviceGet"))
        return -1;
    int handle = device->handle, major = 0, minor = 0;
    int result = call->device_name(device->name, (int)sizeof device->name, handle);
    if (driver_check(err, result, "cuDeviceGetName"))
        return -1;
    size_t bytes = 0;
    if (driver_check(err, call->device_total_mem(&bytes, handle), "cuDeviceTotalMem"))
        return -1;
    if (driver_check(err, call->device_attribute(&major, GPU_ATTR_CC_MAJOR, handle),
                     "cuDeviceGetAttribute") ||
        driver_check(err, call->device_attribute(&minor, GPU_ATTR_CC_MINOR, handle),
                     "cuDeviceGetAttribute"))
        return -1;
    device->memory_bytes = bytes;
    device->cc = (unsigned)(major * 10 + minor);
    device->sm_count = attribute(d, handle, GPU_ATTR_MULTIPROCESSORS);
    device->clock_khz = attribute(d, handle, GPU_ATTR_CLOCK_KHZ);
    device->memory_clock_khz = attribute(d, handle, GPU_ATTR_MEMORY_CLOCK_KHZ);
    device->memory_bus_bits = attribute(d, handle, GPU_ATTR_MEMORY_BUS_BITS);
    device->l2_bytes = attribute(d, handle, GPU_ATTR_L2_BYTES);
    device->display_watchdog = attribute(d, handle, GPU_ATTR_KERNEL_EXEC_TIMEOUT) != 0;
    read_pci_id(d, device);
    read_uuid(d, device);
    return 0;
}

int device_list(const struct driver *d, struct device *devices, size_t *count, struct err *err)
{
    *count = 0;
    int n = 0;
    int result = d->call.device_count(&n);
    if (result == GPU_NO_DEVICE || result == GPU_NOT_INITIALIZED)
        return 0;
    if (driver_check(err, result, "cuDeviceGetCount"))
        return -1;
    for (int i = 0; i < n && i < DEVICES_MAX; i++) {
        devices[i] = (struct device){ .ordinal = i };
        if (read_device(d, &devices[i], err))
            return err_wrap(err, "device %d", i);
        ++*count;
    }
    return 0;
}

/* "01:00.0" and "0000:01:00.0" and "00000000:01:00.0" (nvidia-smi) are the same place. */
static bool same_pci_id(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    const char *longer = n > m ? a : b, *shorter = n > m ? b : a;
    size_t extra = strlen(longer) - strlen(shorter);
    if (strlen(shorter) < 7 || strcasecmp(longer + extra, shorter) != 0)
        return false;
    return strspn(longer, "0:") >= extra;
}

static bool matches(const struct device *device, const char *name)
{
    long ordinal;
    if (str_number(name, 0, DEVICES_MAX, &ordinal))
        return device->ordinal == ordinal;
    if (strncasecmp(name, "GPU-", 4) == 0)
        return strlen(name) > 4 && strncasecmp(device->uuid, name, strlen(name)) == 0;
    return same_pci_id(device->pci_id, name);
}

const struct device *device_find(const struct device *devices, size_t count, const char *name,
                                 struct err *err)
{
    const struct device *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!matches(&devices[i], name))
            continue;
        if (found) {
            err_set(err, ERR_USAGE, "device '%s' is ambiguous: %s and %s", name, found->uuid,
                    devices[i].uuid);
            return NULL;
        }
        found = &devices[i];
    }
    if (found)
        return found;
    struct str there = STR_INIT;
    for (size_t i = 0; i < count; i++)
        str_addf(&there, "%s%d (%s, %s)", i ? ", " : "", devices[i].ordinal, devices[i].name,
                 devices[i].pci_id);
    err_set(err, ERR_USAGE, "no device '%s'; there is %s", name, count ? there.p : "none");
    str_free(&there);
    return NULL;
}

int device_enter(const struct driver *d, const struct device *device, struct err *err)
{
    struct gpu_context *context = NULL;
    int result = d->call.primary_retain(&context, device->handle);
    if (driver_check(err, result, "cuDevicePrimaryCtxRetain"))
        return -1;
    if (driver_check(err, d->call.context_set(context), "cuCtxSetCurrent")) {
        d->call.primary_release(device->handle);
        return -1;
    }
    return 0;
}

bool device_is_poisoned(const struct driver *d)
{
    return d->call.context_synchronize() != GPU_OK;
}

void device_leave(const struct driver *d, const struct device *device)
{
    d->call.context_set(NULL);
    d->call.primary_release(device->handle);
}
