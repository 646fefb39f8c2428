/* What the library exports under NVIDIA's names; see drv_api.def and drv_none.def. */
#ifndef VGPU_DRV_API_H
#define VGPU_DRV_API_H

#include <stddef.h>
#include <stdint.h>

#define CALL(base, symbol, since, arguments) int symbol arguments;
#define NONE(base, symbol, since)            int symbol(void);
#include "vgpu/drv_api.def"
#include "vgpu/drv_none.def"
#undef CALL
#undef NONE

/* That this is no real driver: whoever finds the symbol calls its results simulated. */
extern const char smfit_vgpu_version[];

enum drv_result {
    DRV_OK = 0,
    DRV_INVALID_VALUE = 1,
    DRV_OUT_OF_MEMORY = 2,
    DRV_NOT_INITIALIZED = 3,
    DRV_NO_DEVICE = 100,
    DRV_INVALID_DEVICE = 101,
    DRV_INVALID_IMAGE = 200,
    DRV_INVALID_CONTEXT = 201,
    DRV_INVALID_PTX = 218,
    DRV_FILE_NOT_FOUND = 301,
    DRV_INVALID_HANDLE = 400,
    DRV_NOT_FOUND = 500,
    DRV_NOT_READY = 600,
    DRV_LAUNCH_OUT_OF_RESOURCES = 701,
    DRV_PRIMARY_CONTEXT_ACTIVE = 708,
    DRV_CONTEXT_IS_DESTROYED = 709,
    DRV_NOT_SUPPORTED = 801,
    DRV_UNSUPPORTED_LIMIT = 215,
};

#endif
