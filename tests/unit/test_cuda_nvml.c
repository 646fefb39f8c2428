/* The management library: every field may be absent, and says why. */
#include <criterion/criterion.h>
#include <string.h>

#include "beside.h"
#include "cuda/nvml.h"

Test(nvml, an_absent_library_is_no_fault_but_a_message)
{
    struct err err;
    err_clear(&err);
    cr_assert_null(nvml_open(beside("stubs/none.so"), &err));
    cr_assert(strstr(err.msg, "stubs/none.so"), "%s", err.msg);
}

Test(nvml, a_library_that_never_heard_of_it_is_refused)
{
    struct err err;
    err_clear(&err);
    cr_assert_null(nvml_open(beside("stubs/cuda-9.0/libcuda.so.1"), &err));
    cr_assert(strstr(err.msg, "nvmlInit"), "%s", err.msg);
}

Test(nvml, each_field_is_a_value_or_says_why_not)
{
    struct err err;
    err_clear(&err);
    struct nvml *n = nvml_open(beside("stubs/libnvidia-ml.so.1"), &err);
    cr_assert_not_null(n, "%s", err.msg);
    char version[80];
    cr_assert(nvml_driver_version(n, version, sizeof version));
    cr_assert_str_eq(version, "340.108");
    struct nvml_reading r;
    nvml_read(n, "0000:01:00.0", &r);
    cr_assert(r.field[NVML_power].known);
    cr_assert_eq(r.field[NVML_power].value, 12345);
    cr_assert_not(r.field[NVML_sm_clock].known);
    cr_assert_str_eq(r.field[NVML_sm_clock].why, "not supported by this driver or card");
    cr_assert_str_eq(r.field[NVML_temperature].why, "no permission");
    cr_assert_str_eq(r.field[NVML_throttle_reasons].why, "no such call in this driver");
    for (int i = 0; i < NVML_FIELD_COUNT; i++)
        cr_assert(r.field[i].known || r.field[i].why, "field '%s'",
                  nvml_field_name((enum nvml_field)i));
    nvml_close(n);
}

Test(nvml, without_a_library_every_field_is_unknown)
{
    struct nvml_reading r;
    nvml_read(NULL, "0000:01:00.0", &r);
    for (int i = 0; i < NVML_FIELD_COUNT; i++) {
        cr_assert_not(r.field[i].known);
        cr_assert_not_null(r.field[i].why);
        cr_assert(*nvml_field_unit((enum nvml_field)i));
    }
}
