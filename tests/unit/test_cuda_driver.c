/* The driver library loaded: old ones, broken ones, and the real ones where they are at hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "cuda/device.h"

static struct err load(const char *name, enum driver_state *state, struct driver *d)
{
    struct err err;
    err_clear(&err);
    *state = driver_open(d, beside(name), &err);
    return err;
}

Test(driver, a_library_with_the_calls_of_cuda_9_loads)
{
    struct driver d;
    enum driver_state state;
    struct err err = load("stubs/cuda-9.0/libcuda.so.1", &state, &d);
    cr_assert_eq(state, DRIVER_READY, "%s", err.msg);
    cr_assert_eq(d.version, 9000);
    cr_assert_not(d.is_virtual);
    cr_assert(!d.call.device_uuid, "CUDA 9.0 has no cuDeviceGetUuid");
    cr_assert(d.call.function_set_attribute);
    cr_assert(d.call.launch);
    driver_close(&d);
}

Test(driver, a_missing_call_that_every_driver_has_is_named)
{
    struct driver d;
    enum driver_state state;
    struct err err = load("stubs/cuda-lacks/libcuda.so.1", &state, &d);
    cr_assert_eq(state, DRIVER_BROKEN);
    cr_assert(strstr(err.msg, "'cuLaunchKernel'"), "%s", err.msg);
    cr_assert(strstr(err.msg, "libcuda.so.1'"), "%s", err.msg);
}

Test(driver, no_library_and_one_that_does_not_load_are_told_apart)
{
    struct driver d;
    enum driver_state state;
    struct err err = load("stubs/nothing.so.1", &state, &d);
    cr_assert_eq(state, DRIVER_NO_LIBRARY, "%s", err.msg);
    err_clear(&err);
    cr_assert_eq(driver_open(&d, "Makefile", &err), DRIVER_NO_LIBRARY, "a name without a slash");
    err_clear(&err);
    cr_assert_eq(driver_open(&d, "./Makefile", &err), DRIVER_BROKEN, "%s", err.msg);
}

/* cuInit's code, and what becomes of it. */
static const struct {
    const char *code, *name;
    enum driver_state state;
} starts[] = {
    { "100", "", DRIVER_NO_DEVICE },
    { "803", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", DRIVER_INIT_FAILED },
    { "804", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", DRIVER_INIT_FAILED },
    { "999", "CUDA_ERROR_UNKNOWN", DRIVER_INIT_FAILED },
    { "4711", "unknown", DRIVER_INIT_FAILED },
};

Test(driver, a_start_that_fails_says_call_number_and_name)
{
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct driver d;
        enum driver_state state;
        setenv("STUB_INIT", starts[i].code, 1);
        struct err err = load("stubs/cuda-9.0/libcuda.so.1", &state, &d);
        cr_assert_eq(state, starts[i].state, "cuInit %s", starts[i].code);
        if (state != DRIVER_INIT_FAILED) {
            driver_close(&d);
            continue;
        }
        cr_assert_eq(err.native, atoi(starts[i].code));
        cr_assert(strstr(err.msg, "cuInit") && strstr(err.msg, starts[i].code) &&
                      strstr(err.msg, starts[i].name),
                  "%s", err.msg);
    }
}

Test(driver, an_error_of_a_new_driver_is_named_also_on_an_old_one)
{
    cr_assert_str_eq(driver_code_name(222), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    cr_assert_str_eq(driver_code_name(209), "CUDA_ERROR_NO_BINARY_FOR_GPU");
    cr_assert_str_eq(driver_code_text(209),
                     "no kernel image is available for execution on the device");
}

/* What NVIDIA's library keeps when it is closed is no leak of ours; there only under the address
 * sanitizer. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Drivers that were unpacked, not installed: colon-separated paths in SMFIT_REAL_DRIVERS. On a
 * machine without a card each must load and find nothing. */
static void try_real(const char *path)
{
    struct driver d;
    struct err err;
    err_clear(&err);
    if (__lsan_disable)
        __lsan_disable();
    enum driver_state state = driver_open(&d, path, &err);
    if (__lsan_enable)
        __lsan_enable();
    cr_assert(state == DRIVER_NO_DEVICE || state == DRIVER_READY, "'%s': state %d: %s", path, state,
              err.msg);
    cr_assert_geq(d.version, 9000, "'%s'", path);
    cr_assert_not(d.is_virtual);
    struct device devices[DEVICES_MAX];
    size_t count;
    cr_assert_eq(device_list(&d, devices, &count, &err), 0, "'%s': %s", path, err.msg);
    if (state == DRIVER_NO_DEVICE)
        cr_assert_eq(count, 0);
    driver_close(&d);
}

Test(driver, real_drivers_load_and_find_no_card)
{
    const char *list = getenv("SMFIT_REAL_DRIVERS");
    char paths[4096], *rest = NULL;
    if (!list || !*list)
        cr_skip("no drivers in SMFIT_REAL_DRIVERS");
    snprintf(paths, sizeof paths, "%s", list);
    for (char *path = strtok_r(paths, ":", &rest); path; path = strtok_r(NULL, ":", &rest))
        try_real(path);
}
