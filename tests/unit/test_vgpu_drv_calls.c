/* Which calls the virtual driver has, in which form, by its version, and what its codes are called. */
#include <criterion/criterion.h>
#include <string.h>

#include "vgpu_play.h"

static void *address_of(void (*function)(void))
{
    void *p;
    memcpy(&p, &function, sizeof p);
    return p;
}
#define ADDRESS(function) address_of((void (*)(void))function)

static void *look_up(const char *name, int version, int expected)
{
    void *p = NULL;
    cr_expect_eq(cuGetProcAddress(name, &p, version, 0), expected, "%s for %d", name, version);
    return p;
}

Test(drv_calls, the_form_of_a_call_depends_on_the_version_asked_for)
{
    play("920m", "470.256", NULL);
    cr_expect_eq(look_up("cuMemAlloc", 12000, 0), ADDRESS(cuMemAlloc_v2));
    cr_expect_eq(look_up("cuMemAlloc", 2000, 0), ADDRESS(cuMemAlloc));
    look_up("cuMemAlloc", 1000, DRV_NOT_FOUND);
    look_up("cuMemAlloc_v2", 12000, DRV_NOT_FOUND);
    look_up("cuNope", 12000, DRV_NOT_FOUND);
    cr_expect_eq(look_up("cuDevicePrimaryCtxRelease", 10000, 0),
                 ADDRESS(cuDevicePrimaryCtxRelease));
    cr_expect_eq(look_up("cuDevicePrimaryCtxRelease", 11000, 0),
                 ADDRESS(cuDevicePrimaryCtxRelease_v2));
}

Test(drv_calls, what_came_after_the_driver_is_not_there)
{
    play("920m", "470.256", NULL);
    look_up("cuLibraryLoadData", 12000, DRV_NOT_FOUND);
    look_up("cuFuncGetName", 13000, DRV_NOT_FOUND);
    look_up("cuDeviceGetUuid", 9010, DRV_NOT_FOUND);
    cr_expect_eq(look_up("cuDeviceGetUuid", 9020, 0), ADDRESS(cuDeviceGetUuid));
}

Test(drv_calls, a_newer_driver_has_more)
{
    play("940M", "550.54", NULL);
    cr_expect_eq(look_up("cuFuncGetName", 13000, 0), ADDRESS(cuFuncGetName));
    void *p = (void *)1;
    int status = -1;
    cr_expect_eq(cuGetProcAddress_v2("cuNope", &p, 12000, 0, &status), 0);
    cr_expect_null(p);
    cr_expect_eq(status, 1);
    cr_expect_eq(cuGetProcAddress_v2("cuLibraryLoadData", &p, 11040, 0, &status), 0);
    cr_expect_eq(status, 2);
}

Test(drv_calls, before_11_3_there_is_no_such_look_up)
{
    play("920m", "418.40", NULL);
    look_up("cuInit", 12000, DRV_NOT_SUPPORTED);
}

Test(drv_calls, a_missing_call_can_be_asked_for)
{
    play("920m", "470.256", NULL);
    setenv("SMFIT_VGPU_FAULT", "missing=cuDeviceGetUuid", 1);
    look_up("cuDeviceGetUuid", 12000, DRV_NOT_FOUND);
}

Test(drv_calls, calls_that_are_not_there_say_so_and_do_nothing)
{
    play("920m", "470.256", NULL);
    devices();
    cr_expect_eq(cuLinkCreate_v2(), DRV_NOT_SUPPORTED);
    cr_expect_eq(cuMemHostRegister_v2(), DRV_NOT_SUPPORTED);
    cr_expect_eq(cuMemAllocManaged(), DRV_NOT_SUPPORTED);
    cr_expect_eq(cuGraphCreate(), DRV_NOT_SUPPORTED);
    cr_expect_eq(cuMemAlloc(), DRV_NOT_SUPPORTED, "the form with 32-bit addresses");
}

Test(drv_calls, the_private_tables_of_cudart_are_not_imitated)
{
    play("920m", "470.256", NULL);
    const void *table = "x";
    unsigned char id[16] = { 0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a };
    cr_expect_eq(cuGetExportTable(&table, id), DRV_NOT_FOUND);
    cr_expect_null(table);
}

Test(drv_calls, an_old_driver_does_not_know_newer_codes)
{
    play("920m", "418.40", NULL);
    const char *text = "x";
    cr_expect_eq(cuGetErrorName(222, &text), DRV_INVALID_VALUE);
    cr_expect_null(text);
    cr_expect_eq(cuGetErrorName(209, &text), 0);
    cr_expect_str_eq(text, "CUDA_ERROR_NO_BINARY_FOR_GPU");
}

Test(drv_calls, texts_are_those_of_the_real_driver)
{
    play("920m", "470.256", NULL);
    const char *text;
    cr_expect_eq(cuGetErrorString(209, &text), 0);
    cr_expect_str_eq(text, "no kernel image is available for execution on the device");
    cr_expect_eq(cuGetErrorString(222, &text), 0);
    cr_expect_str_eq(text, "the provided PTX was compiled with an unsupported toolchain.");
    cr_expect_eq(cuGetErrorString(12345, &text), DRV_INVALID_VALUE);
}
