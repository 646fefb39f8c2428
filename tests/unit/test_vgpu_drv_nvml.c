/* The management library beside the virtual driver: few fields by default, as old cards have them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/drv_nvml.h"

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7 };

static void play(const char *cards, const char *faults)
{
    setenv("SMFIT_VGPU", cards, 1);
    setenv("SMFIT_VGPU_DRIVER", "470.256.02", 1);
    setenv("SMFIT_VGPU_FAULT", faults ? faults : "", 1);
    unsetenv("SMFIT_VGPU_OS");
}

static void *device(const char *pci_id)
{
    void *found = NULL;
    cr_assert_eq(nvmlDeviceGetHandleByPciBusId_v2(pci_id, &found), OK, "%s", pci_id);
    return found;
}

Test(drv_nvml, without_a_card_it_does_not_start)
{
    unsetenv("SMFIT_VGPU");
    unsigned n;
    cr_expect_eq(nvmlInit_v2(), 9);
    cr_expect_eq(nvmlDeviceGetCount_v2(&n), UNINITIALIZED);
    cr_expect_eq(nvmlShutdown(), UNINITIALIZED);
}

Test(drv_nvml, it_counts_cards_in_the_order_of_the_bus_whatever_is_visible)
{
    play("940M;k80", NULL);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    unsigned n;
    char name[64];
    void *second;
    cr_assert_eq(nvmlInit_v2(), OK);
    cr_expect_eq(nvmlDeviceGetCount_v2(&n), OK);
    cr_expect_eq(n, 2);
    cr_expect_eq(nvmlDeviceGetHandleByIndex_v2(1, &second), OK);
    cr_expect_eq(second, device("00000000:02:00.0"));
    cr_expect_eq(nvmlDeviceGetName(second, name, sizeof name), OK);
    cr_expect_str_eq(name, "Tesla K80 (virtual)");
    cr_expect_eq(nvmlDeviceGetName(second, name, 4), TOO_SMALL);
    cr_expect_eq(nvmlDeviceGetHandleByIndex_v2(2, &second), INVALID);
    cr_expect_eq(nvmlDeviceGetHandleByPciBusId_v2("0000:09:00.0", &second), NOT_FOUND);
    cr_expect_eq(nvmlShutdown(), OK);
}

Test(drv_nvml, clocks_are_told_and_the_rest_is_not_supported)
{
    play("920m", NULL);
    unsigned mhz, value;
    unsigned long long wide;
    int state;
    char version[32];
    cr_assert_eq(nvmlInit(), OK);
    void *d = device("01:00.0");
    cr_expect_eq(nvmlSystemGetDriverVersion(version, sizeof version), OK);
    cr_expect_str_eq(version, "470.256.02");
    cr_expect_eq(nvmlDeviceGetClockInfo(d, 1, &mhz), OK);
    cr_expect_eq(mhz, 954);
    cr_expect_eq(nvmlDeviceGetTemperature(d, 0, &value), NOT_SUPPORTED);
    cr_expect_eq(nvmlDeviceGetPowerUsage(d, &value), NOT_SUPPORTED);
    cr_expect_eq(nvmlDeviceGetPerformanceState(d, &state), NOT_SUPPORTED);
    cr_expect_eq(nvmlDeviceGetCurrentClocksThrottleReasons(d, &wide), NOT_SUPPORTED);
    cr_expect_eq(nvmlDeviceGetClockInfo((void *)99, 1, &mhz), INVALID);
}

Test(drv_nvml, a_throttled_card_shows_it)
{
    play("920m", "throttle=50,nvml-full");
    unsigned mhz, most, value;
    unsigned long long reasons;
    cr_assert_eq(nvmlInit(), OK);
    void *d = device("0000:01:00.0");
    cr_expect_eq(nvmlDeviceGetClockInfo(d, 1, &mhz), OK);
    cr_expect_eq(nvmlDeviceGetMaxClockInfo(d, 1, &most), OK);
    cr_expect_eq(mhz, 477);
    cr_expect_eq(most, 954);
    cr_expect_eq(nvmlDeviceGetTemperature(d, 0, &value), OK);
    cr_expect_eq(nvmlDeviceGetCurrentClocksThrottleReasons(d, &reasons), OK);
    cr_expect_neq(reasons, 0);
}
