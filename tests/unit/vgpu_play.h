/* Sets the virtual driver up, for tests: each test is a process of its own, so the environment is set once and read by
 * the first call. */
#ifndef TESTS_VGPU_PLAY_H
#define TESTS_VGPU_PLAY_H

#include <criterion/criterion.h>

#include <stdlib.h>

#include "vgpu/drv_api.h"

static inline void play(const char *cards, const char *driver, const char *os)
{
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_DEVICE_ORDER");
    unsetenv("SMFIT_VGPU_FAULT");
    unsetenv("SMFIT_VGPU_UNKNOWN");
    setenv("SMFIT_VGPU", cards, 1);
    if (driver)
        setenv("SMFIT_VGPU_DRIVER", driver, 1);
    else
        unsetenv("SMFIT_VGPU_DRIVER");
    setenv("SMFIT_VGPU_OS", os ? os : "linux", 1);
}

/* Devices that a setting gives; -1 when cuInit says that there is none. */
static inline int devices(void)
{
    int result = cuInit(0), count = -1;
    if (result == DRV_NO_DEVICE)
        return -1;
    cr_assert_eq(result, 0);
    cr_assert_eq(cuDeviceGetCount(&count), 0);
    return count;
}

#endif
