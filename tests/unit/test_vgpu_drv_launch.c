/* Launches on the virtual driver: parameters, what is refused, what a fault does to a context, and
 * what the modelled clock says. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/drv_api.h"
#include "vgpu/drv_fault.h"

static const char text[] =
    ".version 3.1\n.target sm_35\n.address_size 64\n"
    /* p[i] = value + i for i < n */
    ".visible .entry fill(.param .u64 p, .param .u32 value, .param .u32 n)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [value];\nld.param.u32 %r2, [n];\n"
    "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
    "mad.lo.s32 %r6, %r3, %r4, %r5;\nsetp.ge.u32 %p1, %r6, %r2;\n@%p1 bra DONE;\n"
    "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.u32 %rd3, %r6, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "add.u32 %r7, %r1, %r6;\nst.global.u32 [%rd4], %r7;\nDONE:\nret;\n}\n"
    ".visible .entry forever()\n{\nAGAIN:\nbra AGAIN;\n}\n"
    ".visible .entry trap()\n{\ntrap;\n}\n"
    ".visible .entry bounded()\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    ".visible .entry exact()\n.reqntid 32, 2, 1\n{\nret;\n}\n";

static void *module;

static void enter(const char *card, const char *faults)
{
    void *context;
    setenv("SMFIT_VGPU", card, 1);
    setenv("SMFIT_VGPU_DRIVER", "470.256", 1);
    setenv("SMFIT_VGPU_FAULT", faults ? faults : "", 1);
    cr_assert_eq(cuInit(0), 0);
    cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), 0);
    cr_assert_eq(cuCtxSetCurrent(context), 0);
    cr_assert_eq(cuModuleLoadData(&module, text), 0);
}

static void *function(const char *name)
{
    void *found = NULL;
    cr_assert_eq(cuModuleGetFunction(&found, module, name), 0, "%s", name);
    return found;
}

static uint64_t allocate(size_t bytes)
{
    uint64_t address = 0;
    cr_assert_eq(cuMemAlloc_v2(&address, bytes), 0);
    return address;
}

static int fill(uint64_t p, unsigned value, unsigned n, unsigned threads)
{
    void *params[] = { &p, &value, &n };
    return cuLaunchKernel(function("fill"), (n + threads - 1) / threads, 1, 1, threads, 1, 1, 0,
                          NULL, params, NULL);
}

static int launch(const char *name, unsigned x, unsigned y, unsigned z, unsigned shared)
{
    return cuLaunchKernel(function(name), 1, 1, 1, x, y, z, shared, NULL, NULL, NULL);
}

Test(drv_launch, every_thread_does_its_part)
{
    enter("920m", NULL);
    enum { COUNT = 1000 };
    static unsigned out[COUNT];
    uint64_t p = allocate(sizeof out);
    cr_expect_eq(fill(p, 100, COUNT, 96), 0);
    cr_expect_eq(cuCtxSynchronize(), 0);
    cr_expect_eq(cuMemcpyDtoH_v2(out, p, sizeof out), 0);
    for (unsigned i = 0; i < COUNT; i++)
        cr_assert_eq(out[i], 100 + i);
}

Test(drv_launch, parameters_may_come_as_one_buffer)
{
    enter("920m", NULL);
    unsigned out[4];
    struct {
        uint64_t p;
        unsigned value, n;
    } packed = { allocate(sizeof out), 5, 4 };
    size_t size = sizeof packed;
    void *extra[] = { (void *)1, &packed, (void *)2, &size, NULL }, *f = function("fill");
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra), 0);
    cr_expect_eq(cuMemcpyDtoH_v2(out, packed.p, sizeof out), 0);
    cr_expect_eq(out[3], 8);
    size = 12;
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra), DRV_INVALID_VALUE);
    size = 64;
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra),
                 DRV_LAUNCH_OUT_OF_RESOURCES);
    extra[0] = (void *)9;
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra), DRV_INVALID_VALUE);
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, NULL), DRV_INVALID_VALUE);
    cr_expect_eq(cuCtxSynchronize(), 0, "none of this hurts the context");
}

Test(drv_launch, kernels_write_to_pinned_memory)
{
    enter("920m", NULL);
    unsigned *host;
    cr_assert_eq(cuMemHostAlloc((void **)&host, 64, 2), 0);
    cr_expect_eq(fill((uint64_t)(uintptr_t)host, 3, 16, 16), 0);
    cr_expect_eq(cuCtxSynchronize(), 0);
    cr_expect_eq(host[15], 18);
}

Test(drv_launch, shapes_that_cannot_be_are_refused)
{
    enter("920m", NULL);
    static const unsigned shapes[][3] = { { 0, 1, 1 },   { 1, 0, 1 },  { 1025, 1, 1 },
                                          { 32, 33, 1 }, { 1, 1, 65 }, { 1, 2048, 1 } };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        cr_expect_eq(launch("bounded", shapes[i][0], shapes[i][1], shapes[i][2], 0),
                     DRV_INVALID_VALUE, "%zu", i);
    void *f = function("bounded");
    cr_expect_eq(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), DRV_INVALID_VALUE);
    cr_expect_eq(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, NULL, NULL), DRV_INVALID_VALUE);
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (void *)0x1234, NULL, NULL),
                 DRV_INVALID_HANDLE);
    cr_expect_eq(launch("bounded", 1, 1, 1, (48 << 10) + 1), DRV_INVALID_VALUE, "shared memory");
    cr_expect_eq(launch("bounded", 65, 1, 1, 0), DRV_INVALID_VALUE, ".maxntid");
    cr_expect_eq(launch("exact", 64, 1, 1, 0), DRV_INVALID_VALUE, ".reqntid");
    cr_expect_eq(launch("exact", 32, 2, 1, 0), 0);
    cr_expect_eq(cuCtxSynchronize(), 0, "a refused launch hurts nobody");
}

Test(drv_launch, a_write_out_of_bounds_shows_at_the_next_call_and_stays)
{
    enter("920m", NULL);
    uint64_t p = allocate(64);
    unsigned value;
    void *f = function("bounded");
    cr_expect_eq(fill(p, 1, 17, 32), 0, "the launch itself is taken");
    cr_expect_eq(cuCtxSynchronize(), 700);
    cr_expect_eq(cuCtxSynchronize(), 700);
    cr_expect_eq(cuMemcpyDtoH_v2(&value, p, 4), 700);
    cr_expect_eq(cuMemFree_v2(p), 700);
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 700);
    void *other;
    cr_expect_eq(cuModuleLoadData(&other, text), 700);
}

/* The whole log of a run; the file goes. */
static const char *read_log(char *path)
{
    static char all[8192];
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    all[fread(all, 1, sizeof all - 1, f)] = 0;
    fclose(f);
    remove(path);
    return all;
}

static void open_log(char *path)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    setenv("SMFIT_VGPU_LOG", path, 1);
}

Test(drv_launch, the_log_has_address_and_thread_of_a_fault)
{
    char path[] = "/tmp/smfit-test-XXXXXX", address[32];
    open_log(path);
    enter("920m", NULL);
    uint64_t p = allocate(64);
    cr_expect_eq(fill(p, 1, 17, 32), 0);
    cr_expect_eq(cuCtxSynchronize(), 700);
    const char *log = read_log(path);
    snprintf(address, sizeof address, "%llx", (unsigned long long)(p + 64));
    cr_expect_not_null(strstr(log, "'fill' faults with 700"), "%s", log);
    cr_expect_not_null(strstr(log, address), "%s", log);
    cr_expect_not_null(strstr(log, "16"), "thread 16: %s", log);
}

Test(drv_launch, the_log_says_what_was_not_freed)
{
    char path[] = "/tmp/smfit-test-XXXXXX";
    open_log(path);
    enter("920m", NULL);
    allocate(1000);
    cr_expect_eq(cuMemFree_v2(allocate(1000)), 0);
    cr_expect_eq(cuDevicePrimaryCtxRelease(0), 0);
    const char *log = read_log(path);
    cr_expect_not_null(strstr(log, "1 allocations (1000 bytes) that were not freed"), "%s", log);
}

Test(drv_launch, another_context_of_the_device_goes_on)
{
    enter("920m", NULL);
    void *other, *m;
    cr_expect_eq(fill(16, 1, 1, 32), 0);
    cr_expect_eq(cuCtxSynchronize(), 700);
    cr_expect_eq(cuCtxCreate_v2(&other, 0, 0), 0);
    cr_expect_eq(cuModuleLoadData(&m, text), 0);
    cr_expect_eq(cuCtxSynchronize(), 0);
    cr_expect_eq(cuCtxDestroy_v2(other), 0);
}

Test(drv_launch, a_misaligned_write_is_716)
{
    enter("920m", NULL);
    cr_expect_eq(fill(allocate(64) + 2, 1, 1, 32), 0);
    cr_expect_eq(cuCtxSynchronize(), 716);
}

Test(drv_launch, a_trap_is_719)
{
    enter("920m", NULL);
    cr_expect_eq(launch("trap", 1, 1, 1, 0), 0);
    cr_expect_eq(cuCtxSynchronize(), 719);
}

Test(drv_launch, an_endless_loop_ends_with_702)
{
    setenv("SMFIT_VGPU_BUDGET", "1000000", 1);
    enter("920m", NULL);
    cr_expect_eq(launch("forever", 32, 1, 1, 0), 0);
    cr_expect_eq(cuCtxSynchronize(), 702);
}

Test(drv_launch, the_nth_launch_can_be_made_to_fault)
{
    enter("920m", "launch:2=719");
    uint64_t p = allocate(64);
    cr_expect_eq(fill(p, 1, 16, 16), 0);
    cr_expect_eq(cuCtxSynchronize(), 0);
    cr_expect_eq(fill(p, 1, 16, 16), 0);
    cr_expect_eq(cuCtxSynchronize(), 719);
}

Test(drv_launch, or_to_be_refused)
{
    enter("920m", "cuLaunchKernel:1=701");
    uint64_t p = allocate(64);
    cr_expect_eq(fill(p, 1, 16, 16), 701);
    cr_expect_eq(fill(p, 1, 16, 16), 0);
    cr_expect_eq(cuCtxSynchronize(), 0);
}

Test(drv_launch, a_function_of_another_context_is_refused)
{
    enter("920m", NULL);
    void *other, *f = function("bounded");
    cr_assert_eq(cuCtxCreate_v2(&other, 0, 0), 0);
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), DRV_INVALID_HANDLE);
}

/* ---- time
 * ---------------------------------------------------------------------------------------------- */

static float time_fill(uint64_t p, unsigned n)
{
    void *start, *end;
    float ms = -1;
    cr_assert_eq(cuEventCreate(&start, 0) | cuEventCreate(&end, 0), 0);
    cr_assert_eq(cuEventRecord(start, NULL), 0);
    cr_assert_eq(fill(p, 1, n, 256), 0);
    cr_assert_eq(cuEventRecord(end, NULL) | cuEventSynchronize(end), 0);
    cr_assert_eq(cuEventElapsedTime(&ms, start, end), 0);
    return ms;
}

Test(drv_launch, time_grows_with_work_and_repeats_exactly)
{
    enter("920m", NULL);
    enum { MANY = 1 << 20 };
    uint64_t p = allocate(4 * MANY);
    float little = time_fill(p, 1000), much = time_fill(p, MANY), again = time_fill(p, MANY);
    cr_expect_gt(little, 0);
    cr_expect_gt(much, 4 * little);
    cr_expect_float_eq(much, again, much * 1e-4);
    /* 4 MiB at 14.4 GB/s take 0.29 ms; nothing can be faster than the memory */
    cr_expect_gt(much, 0.29f);
}

Test(drv_launch, a_card_can_be_throttled_from_some_launch_on)
{
    struct drv_faults faults;
    struct err err = { 0 };
    cr_assert_eq(drv_fault_parse(&faults, "throttle=50@2", &err), 0);
    cr_expect_eq(drv_fault_clock(&faults), 100);
    drv_fault_hit(&faults, "launch");
    cr_expect_eq(drv_fault_clock(&faults), 100);
    drv_fault_hit(&faults, "launch");
    cr_expect_eq(drv_fault_clock(&faults), 50);
}

Test(drv_launch, a_throttled_card_is_slower)
{
    enter("920m", "throttle=10");
    enum { MANY = 1 << 20 };
    uint64_t p = allocate(4 * MANY);
    float slow = time_fill(p, MANY);
    cr_expect_gt(slow, 0.6f, "%g", (double)slow);
}

Test(drv_launch, counters_are_written_a_line_a_launch)
{
    char path[] = "/tmp/smfit-test-XXXXXX", line[4096];
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    setenv("SMFIT_VGPU_COUNTERS", path, 1);
    enter("920m", NULL);
    uint64_t p = allocate(64 * 4);
    cr_expect_eq(fill(p, 1, 64, 64), 0);
    FILE *f = fdopen(fd, "r");
    cr_assert_not_null(fgets(line, sizeof line, f));
    fclose(f);
    remove(path);
    cr_expect_not_null(strstr(line, "\"kernel\":\"fill\""));
    cr_expect_not_null(strstr(line, "\"basis\":\"simulated\""));
    cr_expect_not_null(strstr(line, "\"store_requests\":2"), "%s", line);
    cr_expect_not_null(strstr(line, "\"store_sectors\":8"), "%s", line);
}

/* ---- many
 * -----------------------------------------------------------------------------------------------
 */

static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    cr_assert_not_null(f);
    cr_assert_eq(fscanf(f, "%ld %ld", &size, &resident), 2);
    fclose(f);
    return resident;
}

Test(drv_launch, ten_thousand_launches_do_not_grow_memory)
{
    enter("920m", NULL);
    uint64_t p = allocate(64 * 4);
    long before = 0;
    for (int i = 0; i < 10000; i++) {
        if (i == 1000)
            before = resident_pages();
        void *m, *f;
        unsigned value = 1, n = 64;
        void *params[] = { &p, &value, &n };
        cr_assert_eq(fill(p, 1, 64, 64), 0);
        if (i % 100)
            continue;
        cr_assert_eq(cuModuleLoadData(&m, text), 0);
        cr_assert_eq(cuModuleGetFunction(&f, m, "fill"), 0);
        cr_assert_eq(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL), 0);
        cr_assert_eq(cuModuleUnload(m), 0);
    }
#ifndef __SANITIZE_ADDRESS__ /* which keeps freed memory on purpose */
    cr_expect_lt(resident_pages() - before, 512, "2 MiB");
#else
    (void)before;
#endif
}

static void *launcher(void *context)
{
    unsigned out[64];
    cr_assert_eq(cuCtxSetCurrent(context), 0);
    uint64_t p = allocate(sizeof out);
    for (unsigned i = 0; i < 50; i++) {
        cr_assert_eq(fill(p, i, 64, 32), 0);
        cr_assert_eq(cuMemcpyDtoH_v2(out, p, sizeof out), 0);
        cr_assert_eq(out[63], i + 63);
    }
    return NULL;
}

Test(drv_launch, threads_may_launch_at_the_same_time)
{
    enter("920m", NULL);
    void *context;
    cr_assert_eq(cuCtxGetCurrent(&context), 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, launcher, context), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(cuCtxSynchronize(), 0);
}

Test(drv_launch, devices_of_different_kinds_work_side_by_side)
{
    enter("k80;940M", NULL);
    void *second, *m, *f;
    unsigned out[4], value = 9, n = 4;
    cr_assert_eq(cuDevicePrimaryCtxRetain(&second, 1), 0);
    cr_assert_eq(cuCtxSetCurrent(second), 0);
    cr_assert_eq(cuModuleLoadData(&m, text), 0);
    cr_assert_eq(cuModuleGetFunction(&f, m, "fill"), 0);
    int binary;
    cr_expect_eq(cuFuncGetAttribute(&binary, 6, f), 0);
    cr_expect_eq(binary, 50);
    uint64_t p = allocate(sizeof out);
    void *params[] = { &p, &value, &n };
    cr_expect_eq(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL), 0);
    cr_expect_eq(cuMemcpyDtoH_v2(out, p, sizeof out), 0);
    cr_expect_eq(out[3], 12);
}
