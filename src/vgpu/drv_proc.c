/* cuGetProcAddress: the form of a call that a program of some CUDA version gets from the driver
 * that is played. Behaviour as libcuda 470.256.02 and 535.261.03 show it: a name with _v2 is
 * unknown, the newest form not above the asked version is given, and what is not found leaves the
 * pointer alone in the first form and is NULL with success in the second. */
#include <stdint.h>
#include <string.h>

#include "vgpu/drv_log.h"
#include "vgpu/drv_state.h"

typedef void (*drv_function)(void);

static const struct entry {
    const char *base;
    drv_function function;
    int since;
} entries[] = {
#define CALL(base, symbol, since, arguments) { #base, (drv_function)symbol, since },
#define NONE(base, symbol, since)            { #base, (drv_function)symbol, since },
#include "vgpu/drv_api.def"
#include "vgpu/drv_none.def"
#undef CALL
#undef NONE
};

enum { FOUND, NO_SYMBOL, VERSION_TOO_LOW };

static int find(const char *name, int version, drv_function *function)
{
    int best = 0, status = NO_SYMBOL;
    if (drv_fault_missing(&drv_state.config.faults, name))
        return NO_SYMBOL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct entry *e = &entries[i];
        if (strcmp(e->base, name) != 0)
            continue;
        if (status == NO_SYMBOL && e->since <= drv_state.config.driver.cuda)
            status = VERSION_TOO_LOW;
        if (e->since > version || e->since > drv_state.config.driver.cuda || e->since <= best)
            continue;
        best = e->since;
        *function = e->function;
        status = FOUND;
    }
    return status;
}

/* The call itself came with CUDA 11.3. */
static int enter(const char *name, void **address)
{
    int code = drv_enter("cuGetProcAddress", DRV_NOTHING);
    if (code == DRV_OK && (!name || !address))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && drv_state.config.driver.cuda < 11030)
        code = DRV_NOT_SUPPORTED;
    return code;
}

static void give(void **address, drv_function function)
{
    memcpy(address, &function, sizeof function);
}

int cuGetProcAddress(const char *name, void **address, int version, uint64_t flags)
{
    (void)flags; /* default stream of which kind: not told apart */
    drv_function function = NULL;
    int code = enter(name, address);
    if (code == DRV_OK && find(name, version, &function) != FOUND)
        code = DRV_NOT_FOUND;
    if (code == DRV_OK)
        give(address, function);
    return drv_leave(code);
}

int cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t flags, int *status)
{
    (void)flags;
    drv_function function = NULL;
    int code = enter(name, address);
    if (code == DRV_OK) {
        int found = find(name, version, &function);
        give(address, function);
        if (status)
            *status = found;
    }
    return drv_leave(code);
}

/* NVIDIA's private tables, which its runtime library needs, are not imitated: a static cudart
 * cannot run here, and says so by 500 instead of misbehaving. */
int cuGetExportTable(const void **table, const void *id)
{
    int code = drv_enter("cuGetExportTable", DRV_NOTHING);
    if (code == DRV_OK && (!table || !id))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK) {
        const unsigned char *b = id;
        drv_log("private table %02x%02x%02x%02x-... is not there", b[3], b[2], b[1], b[0]);
        *table = NULL;
        code = DRV_NOT_FOUND;
    }
    return drv_leave(code);
}
