/* cuDevice...: what the card says about itself. */
#include <stdio.h>
#include <string.h>

#include "core/str.h"
#include "vgpu/drv_state.h"

int cuDeviceGetCount(int *count)
{
    int code = drv_enter("cuDeviceGetCount", DRV_INIT);
    if (code == DRV_OK && !count)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *count = drv_state.device_count;
    return drv_leave(code);
}

/* Enters a call about one device, which `*found` then is. */
static int enter_device(const char *call, int ordinal, const void *result,
                        struct drv_device **found)
{
    int code = drv_enter(call, DRV_INIT);
    *found = NULL;
    if (code)
        return code;
    *found = drv_device_at(ordinal);
    if (!*found)
        return DRV_INVALID_DEVICE;
    return result ? DRV_OK : DRV_INVALID_VALUE;
}

int cuDeviceGet(int *device, int ordinal)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceGet", ordinal, device, &found);
    if (code == DRV_OK)
        *device = ordinal;
    return drv_leave(code);
}

/* Drivers put the maker's name in front from about 465 on, except for Tesla and Quadro (clpeak's
 * results: "GeForce ..." with 455, "NVIDIA A100..." with 515, "Tesla T4" with 560). */
static const char *maker(const struct drv_card *card)
{
    bool old_style = str_starts(card->name, "Tesla") || str_starts(card->name, "Quadro");
    return old_style || drv_state.config.driver.branch < 465 ? "" : "NVIDIA ";
}

int cuDeviceGetName(char *name, int size, int device)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceGetName", device, name, &found);
    if (code == DRV_OK && size <= 0)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        snprintf(name, (size_t)size, "%s%s (virtual)", maker(found->card), found->card->shown);
    return drv_leave(code);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceTotalMem", device, bytes, &found);
    if (code == DRV_OK)
        *bytes = (size_t)found->card->memory_bytes;
    return drv_leave(code);
}

int cuDeviceGetPCIBusId(char *text, int size, int device)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceGetPCIBusId", device, text, &found);
    if (code == DRV_OK && size < (int)strlen(found->pci_id) + 1)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        snprintf(text, (size_t)size, "%s", found->pci_id);
    return drv_leave(code);
}

int cuDeviceGetByPCIBusId(int *device, const char *text)
{
    int code = drv_enter("cuDeviceGetByPCIBusId", DRV_INIT);
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (code == DRV_OK && (!device || !text))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && sscanf(text, "%8x:%2x:%2x.%1x", &domain, &bus, &slot, &function) < 3) {
        domain = 0;
        if (sscanf(text, "%2x:%2x.%1x", &bus, &slot, &function) < 2)
            code = DRV_INVALID_VALUE;
    }
    if (code == DRV_OK) {
        code = DRV_INVALID_DEVICE;
        for (int i = 0; i < drv_state.device_count; i++)
            if (drv_state.devices[i].bus == bus && domain == 0 && slot == 0 && function == 0) {
                *device = i;
                code = DRV_OK;
            }
    }
    return drv_leave(code);
}

static int get_uuid(unsigned char uuid[16], int device)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceGetUuid", device, uuid, &found);
    if (code == DRV_OK)
        memcpy(uuid, found->uuid, 16);
    return drv_leave(code);
}

int cuDeviceGetUuid(unsigned char uuid[16], int device)
{
    return get_uuid(uuid, device);
}

int cuDeviceGetUuid_v2(unsigned char uuid[16], int device)
{
    return get_uuid(uuid, device);
}

int cuDeviceComputeCapability(int *major, int *minor, int device)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceComputeCapability", device, major, &found);
    if (code == DRV_OK && !minor)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK) {
        *major = (int)(found->card->cc / 10);
        *minor = (int)(found->card->cc % 10);
    }
    return drv_leave(code);
}

int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceCanAccessPeer", device, can, &found);
    if (code == DRV_OK && !drv_device_at(peer))
        code = DRV_INVALID_DEVICE;
    if (code == DRV_OK)
        *can = 0;
    return drv_leave(code);
}

/* In the order of CUdevprop. */
static const int properties_of[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };

int cuDeviceGetProperties(int properties[14], int device)
{
    struct drv_device *found;
    int code = enter_device("cuDeviceGetProperties", device, properties, &found);
    drv_leave(DRV_OK);
    for (int i = 0; code == DRV_OK && i < 14; i++)
        code = cuDeviceGetAttribute(&properties[i], properties_of[i], device);
    return code;
}
