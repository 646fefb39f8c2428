/* One virtual device with the kernels of this build: how images come onto it, and the clock. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/gpu.h"
#include "bench/gpu_load.h"
#include "core/os_process.h"
#include "fatbin/images.h"

static struct gpu gpu;
static struct err err;

/* build/tests/test_bench_gpu -> build/vgpu/libcuda.so.1; its own list of images is in the environment. */
static void open_card(const char *card, const char *driver)
{
    char path[4300];
    err_clear(&err);
    cr_assert_eq(os_self_path(path, 4096, &err), 0);
    strcpy(strrchr(path, '/'), "/../vgpu/libcuda.so.1");
    if (access(path, R_OK) || !embedded_image_count)
        cr_skip_test("no virtual GPU or no images in this build");
    setenv("SMFIT_VGPU", card, 1);
    setenv("SMFIT_VGPU_DRIVER", driver, 1);
    cr_assert_eq(gpu_open(&gpu, path, NULL, &err), 0, "%s", err.msg);
}

Test(gpu, the_image_that_runs_is_named)
{
    struct gpu_function *f;
    char image[32];
    open_card("920m", "470");
    cr_assert_eq(gpu_kernel(&gpu, "probe", "probe", &f, &err), 0, "%s", err.msg);
    gpu_image(&gpu, "probe", f, image, sizeof image);
    cr_expect_str_eq(image, "sm_35");
    gpu_close(&gpu);
}

/* CUDA 9.1's driver refuses cubins of CUDA 11 with 200, and the whole container with them
 * (public reports of cubins of a newer major on R470 and before). */
Test(gpu, where_the_driver_refuses_the_container_its_ptx_runs_by_itself)
{
    struct gpu_function *f;
    char image[32];
    open_card("920m", "390");
    cr_assert_eq(gpu_kernel(&gpu, "probe", "probe", &f, &err), 0, "%s", err.msg);
    gpu_image(&gpu, "probe", f, image, sizeof image);
    cr_expect_str_eq(image, "compute_35 for sm_35");
    gpu_close(&gpu);
}

Test(gpu, a_family_that_is_not_there_is_missing)
{
    struct gpu_function *f;
    open_card("920m", "470");
    cr_expect_eq(gpu_kernel(&gpu, "no_such_family", "k", &f, &err), -1);
    cr_expect_eq(err.code, ERR_MISSING);
    gpu_close(&gpu);
}

/* A copy inside the device reads and writes each byte once: at 14.4 GB/s 2 MiB take 0.29 ms or more. */
Test(gpu, the_timer_counts_time_of_the_device)
{
    struct gpu_timer timer;
    uint64_t a, b;
    double ms;
    size_t bytes = 2 << 20;
    open_card("920m", "470");
    cr_assert_eq(gpu_alloc(&gpu, bytes, &a, &err), 0);
    cr_assert_eq(gpu_alloc(&gpu, bytes, &b, &err), 0);
    cr_assert_eq(gpu_timer_open(&gpu, &timer, &err), 0, "%s", err.msg);
    cr_assert_eq(gpu_set_bytes(&gpu, a, 7, bytes, &err), 0);
    cr_assert_eq(gpu_timer_mark(&gpu, &timer, 0, &err), 0);
    cr_assert_eq(gpu_copy(&gpu, b, a, bytes, &err), 0);
    cr_assert_eq(gpu_timer_mark(&gpu, &timer, 1, &err), 0);
    cr_assert_eq(gpu_timer_read(&gpu, &timer, &ms, &err), 0, "%s", err.msg);
    cr_expect(ms > 0.28 && ms < 1, "%g ms", ms);
    unsigned char last = 0;
    cr_assert_eq(gpu_download(&gpu, &last, b + bytes - 1, 1, &err), 0);
    cr_expect_eq(last, 7);
    gpu_timer_close(&gpu, &timer);
    gpu_free(&gpu, a);
    gpu_free(&gpu, b);
    gpu_close(&gpu);
}

Test(gpu, a_container_without_ptx_has_none)
{
    static const unsigned char cubin_alone[96] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 80, 0,
                                                   0,    0,    0,    0,    0, 0, 2,  0, 1,  1,
                                                   64,   0,    0,    0,    16 };
    cr_expect_null(gpu_load_ptx_of(cubin_alone, sizeof cubin_alone));
    cr_expect_null(gpu_load_ptx_of(cubin_alone, 10));
}
