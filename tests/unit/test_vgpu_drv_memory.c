/* Contexts, memory, copies, streams and events of the virtual driver: all that needs no kernel. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/drv_api.h"
#include "vgpu/mem.h"

static void play(const char *cards, const char *faults)
{
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("SMFIT_VGPU_UNKNOWN");
    setenv("SMFIT_VGPU", cards, 1);
    setenv("SMFIT_VGPU_DRIVER", "470.256", 1);
    setenv("SMFIT_VGPU_FAULT", faults ? faults : "", 1);
    cr_assert_eq(cuInit(0), 0);
}

static void enter(const char *cards, const char *faults)
{
    void *context;
    play(cards, faults);
    cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), 0);
    cr_assert_eq(cuCtxSetCurrent(context), 0);
}

static uint64_t allocate(size_t bytes)
{
    uint64_t address = 0;
    cr_assert_eq(cuMemAlloc_v2(&address, bytes), 0);
    cr_assert_neq(address, 0);
    return address;
}

/* ---- contexts
 * ------------------------------------------------------------------------------------------ */

Test(drv_memory, work_without_a_context_is_refused)
{
    play("920m", NULL);
    uint64_t p;
    void *context = (void *)1;
    cr_expect_eq(cuMemAlloc_v2(&p, 16), DRV_INVALID_CONTEXT);
    cr_expect_eq(cuCtxSynchronize(), DRV_INVALID_CONTEXT);
    cr_expect_eq(cuCtxGetCurrent(&context), 0);
    cr_expect_null(context);
}

Test(drv_memory, the_primary_context_is_shared_and_counted)
{
    void *a, *b;
    unsigned flags;
    int active;
    play("920m", NULL);
    cr_expect_eq(cuDevicePrimaryCtxRetain(&a, 0), 0);
    cr_expect_eq(cuDevicePrimaryCtxRetain(&b, 0), 0);
    cr_expect_eq(a, b);
    cr_expect_eq(cuDevicePrimaryCtxRelease(0), 0);
    cr_expect_eq(cuDevicePrimaryCtxGetState(0, &flags, &active), 0);
    cr_expect_eq(active, 1);
    cr_expect_eq(cuDevicePrimaryCtxRelease_v2(0), 0);
    cr_expect_eq(cuDevicePrimaryCtxGetState(0, &flags, &active), 0);
    cr_expect_eq(active, 0);
    cr_expect_eq(cuDevicePrimaryCtxRelease(0), DRV_INVALID_CONTEXT);
}

Test(drv_memory, a_released_context_is_known_to_be_gone)
{
    enter("920m", NULL);
    cr_assert_eq(cuDevicePrimaryCtxRelease(0), 0);
    cr_expect_eq(cuCtxSynchronize(), DRV_CONTEXT_IS_DESTROYED);
}

Test(drv_memory, made_up_handles_are_recognised)
{
    enter("920m", NULL);
    int on_the_stack;
    void *wrong[] = { &on_the_stack, (void *)0x10, (void *)(uintptr_t)0x7601000001000000 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(cuCtxSetCurrent(wrong[i]), i == 2 ? 0 : DRV_INVALID_CONTEXT);
        cr_expect_eq(cuModuleUnload(wrong[i]), DRV_INVALID_HANDLE);
        cr_expect_eq(cuStreamDestroy(wrong[i]), DRV_INVALID_HANDLE);
        cr_expect_eq(cuEventRecord(wrong[i], NULL), DRV_INVALID_HANDLE);
        cr_expect_eq(cuLaunchKernel(wrong[i], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     DRV_INVALID_HANDLE);
    }
}

Test(drv_memory, contexts_stack_and_pop)
{
    void *a, *b, *popped;
    play("920m", NULL);
    cr_assert_eq(cuCtxCreate_v2(&a, 0, 0), 0);
    cr_assert_eq(cuCtxCreate_v2(&b, 0, 0), 0);
    cr_expect_eq(cuCtxPopCurrent_v2(&popped), 0);
    cr_expect_eq(popped, b);
    cr_expect_eq(cuCtxGetCurrent(&popped), 0);
    cr_expect_eq(popped, a);
    cr_expect_eq(cuCtxDestroy_v2(b), 0);
    cr_expect_eq(cuCtxDestroy_v2(b), DRV_INVALID_CONTEXT);
    cr_expect_eq(cuCtxDestroy_v2(a), 0);
    cr_expect_eq(cuCtxPopCurrent_v2(&popped), DRV_INVALID_CONTEXT);
}

Test(drv_memory, limits_and_bank_width_are_kept_where_the_card_has_them)
{
    enter("920m", NULL);
    size_t value;
    int banks;
    cr_expect_eq(cuCtxSetLimit(0, 4096), 0);
    cr_expect_eq(cuCtxGetLimit(&value, 0), 0);
    cr_expect_eq(value, 4096);
    cr_expect_eq(cuCtxGetLimit(&value, 6), DRV_UNSUPPORTED_LIMIT, "L2 of 8.0 and later");
    cr_expect_eq(cuCtxSetSharedMemConfig(2), 0);
    cr_expect_eq(cuCtxGetSharedMemConfig(&banks), 0);
    cr_expect_eq(banks, 2);
}

Test(drv_memory, from_Maxwell_on_bank_width_is_accepted_without_effect)
{
    enter("940M", NULL);
    int before, after;
    cr_expect_eq(cuCtxGetSharedMemConfig(&before), 0);
    cr_expect_eq(cuCtxSetSharedMemConfig(2), 0);
    cr_expect_eq(cuCtxGetSharedMemConfig(&after), 0);
    cr_expect_eq(before, after);
}

/* ---- memory
 * --------------------------------------------------------------------------------------------- */

Test(drv_memory, bytes_come_back_as_they_went)
{
    enter("920m", NULL);
    char in[1000], out[1000];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (char)(i * 7);
    uint64_t a = allocate(sizeof in), b = allocate(sizeof in);
    cr_expect_eq(cuMemcpyHtoD_v2(a, in, sizeof in), 0);
    cr_expect_eq(cuMemcpyDtoD_v2(b, a, sizeof in), 0);
    cr_expect_eq(cuMemcpyDtoH_v2(out, b, sizeof out), 0);
    cr_expect_arr_eq(in, out, sizeof in);
    cr_expect_eq(cuMemFree_v2(a), 0);
    cr_expect_eq(cuMemFree_v2(b), 0);
}

Test(drv_memory, fresh_memory_is_not_zero)
{
    enter("920m", NULL);
    uint64_t a = allocate(8);
    uint16_t out[4];
    cr_expect_eq(cuMemcpyDtoH_v2(out, a, sizeof out), 0);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(out[i], MEM_POISON);
    uint16_t *host;
    cr_expect_eq(cuMemHostAlloc((void **)&host, 8, 0), 0);
    cr_expect_eq(host[3], MEM_POISON);
    cr_expect_eq(cuMemFreeHost(host), 0);
}

Test(drv_memory, a_copy_past_the_end_is_refused)
{
    enter("920m", NULL);
    char bytes[32];
    uint64_t a = allocate(16);
    cr_expect_eq(cuMemcpyHtoD_v2(a, bytes, 17), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemcpyDtoH_v2(bytes, a + 1, 16), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemcpyDtoH_v2(bytes, a, SIZE_MAX), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemsetD8_v2(a, 1, 17), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemsetD32_v2(a, 1, SIZE_MAX / 2), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemsetD32_v2(a + 2, 1, 1), DRV_INVALID_VALUE, "not aligned");
    cr_expect_eq(cuMemcpyHtoD_v2(a, bytes, 0), 0);
}

Test(drv_memory, freed_and_made_up_addresses_are_refused)
{
    enter("920m", NULL);
    char byte;
    uint64_t a = allocate(16);
    cr_expect_eq(cuMemFree_v2(a + 8), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemFree_v2(a), 0);
    cr_expect_eq(cuMemFree_v2(a), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemcpyDtoH_v2(&byte, a, 1), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemFree_v2(0), 0);
    cr_expect_eq(cuMemFreeHost(&byte), DRV_INVALID_VALUE);
}

Test(drv_memory, memory_is_as_much_as_the_card_has)
{
    enter("920m", NULL);
    size_t free_bytes, total, after;
    uint64_t p;
    cr_expect_eq(cuMemGetInfo_v2(&free_bytes, &total), 0);
    cr_expect_eq(total, (size_t)2 << 30);
    cr_expect_eq(cuMemAlloc_v2(&p, total + 1), DRV_OUT_OF_MEMORY);
    cr_expect_eq(cuMemAlloc_v2(&p, 0), DRV_INVALID_VALUE);
    uint64_t half = allocate(total / 2);
    cr_expect_eq(cuMemGetInfo_v2(&after, &total), 0);
    cr_expect_eq(free_bytes - after, total / 2);
    cr_expect_eq(cuMemAlloc_v2(&p, total / 2 + 1), DRV_OUT_OF_MEMORY);
    cr_expect_eq(cuMemFree_v2(half), 0);
    cr_expect_eq(cuMemGetInfo_v2(&after, &total), 0);
    cr_expect_eq(after, free_bytes);
}

Test(drv_memory, others_may_hold_a_part_of_it)
{
    enter("920m", "less-memory=1073741824");
    size_t free_bytes, total;
    uint64_t p;
    cr_expect_eq(cuMemGetInfo_v2(&free_bytes, &total), 0);
    cr_expect_eq(total, (size_t)2 << 30);
    cr_expect_eq(free_bytes, (size_t)1 << 30);
    cr_expect_eq(cuMemAlloc_v2(&p, (size_t)1 << 30 | 512), DRV_OUT_OF_MEMORY);
}

Test(drv_memory, a_reset_frees_everything)
{
    enter("920m", NULL);
    size_t before, after, total;
    cr_expect_eq(cuMemGetInfo_v2(&before, &total), 0);
    allocate(1 << 20);
    void *host;
    cr_expect_eq(cuMemHostAlloc(&host, 4096, 0), 0);
    cr_expect_eq(cuDevicePrimaryCtxReset(0), 0);
    cr_expect_eq(cuMemGetInfo_v2(&after, &total), 0, "the context is there, as new");
    cr_expect_eq(before, after);
}

Test(drv_memory, pinned_memory_has_one_address_for_both_sides)
{
    enter("920m", NULL);
    unsigned *host, flags, type;
    uint64_t device;
    cr_expect_eq(cuMemHostAlloc((void **)&host, 64, 2), 0);
    cr_expect_eq(cuMemHostGetDevicePointer_v2(&device, host + 2, 0), 0);
    cr_expect_eq(device, (uint64_t)(uintptr_t)(host + 2));
    cr_expect_eq(cuMemsetD32_v2(device, 77, 1), 0);
    cr_expect_eq(host[2], 77);
    cr_expect_eq(cuMemHostGetFlags(&flags, host), 0);
    cr_expect_eq(flags, 2);
    cr_expect_eq(cuPointerGetAttribute(&type, 2, (uint64_t)(uintptr_t)host), 0);
    cr_expect_eq(type, 1);
    cr_expect_eq(cuMemFreeHost(host), 0);
}

Test(drv_memory, addresses_say_what_they_belong_to)
{
    enter("920m", NULL);
    uint64_t a = allocate(1000), base, number;
    size_t bytes;
    unsigned type;
    int ordinal;
    cr_expect_eq(cuMemGetAddressRange_v2(&base, &bytes, a + 999), 0);
    cr_expect(base == a && bytes == 1000);
    cr_expect_eq(cuPointerGetAttribute(&type, 2, a), 0);
    cr_expect_eq(type, 2);
    cr_expect_eq(cuPointerGetAttribute(&ordinal, 9, a), 0);
    cr_expect_eq(ordinal, 0);
    cr_expect_eq(cuPointerGetAttribute(&number, 2, a + 1000), DRV_INVALID_VALUE);
    cr_expect_eq(cuPointerGetAttribute(&number, 6, a), DRV_NOT_SUPPORTED);
}

Test(drv_memory, copies_by_address_find_out_the_direction)
{
    enter("920m", NULL);
    int in = 5, out = 0;
    uint64_t a = allocate(4);
    cr_expect_eq(cuMemcpy(a, (uint64_t)(uintptr_t)&in, 4), 0);
    cr_expect_eq(cuMemcpy((uint64_t)(uintptr_t)&out, a, 4), 0);
    cr_expect_eq(out, 5);
    cr_expect_eq(cuMemcpy(a, (uint64_t)(uintptr_t)&in, 5), DRV_INVALID_VALUE);
}

Test(drv_memory, memsets_write_each_width)
{
    enter("920m", NULL);
    unsigned char out[12];
    uint64_t a = allocate(12);
    cr_expect_eq(cuMemsetD8_v2(a, 0x11, 4), 0);
    cr_expect_eq(cuMemsetD16_v2(a + 4, 0x2233, 2), 0);
    cr_expect_eq(cuMemsetD32_v2(a + 8, 0x44556677, 1), 0);
    cr_expect_eq(cuMemcpyDtoH_v2(out, a, sizeof out), 0);
    static const unsigned char expected[12] = { 0x11, 0x11, 0x11, 0x11, 0x33, 0x22,
                                                0x33, 0x22, 0x77, 0x66, 0x55, 0x44 };
    cr_expect_arr_eq(out, expected, 12);
}

Test(drv_memory, pitched_memory_is_aligned_and_large_enough)
{
    enter("920m", NULL);
    uint64_t a;
    size_t pitch;
    cr_expect_eq(cuMemAllocPitch_v2(&a, &pitch, 700, 3, 4), 0);
    cr_expect_eq(pitch % 512, 0);
    cr_expect_eq(cuMemsetD8_v2(a, 0, 3 * pitch), 0);
    cr_expect_eq(cuMemAllocPitch_v2(&a, &pitch, 700, 3, 3), DRV_INVALID_VALUE);
    cr_expect_eq(cuMemAllocPitch_v2(&a, &pitch, SIZE_MAX - 1, 3, 4), DRV_INVALID_VALUE);
}

Test(drv_memory, an_address_of_one_device_means_nothing_on_the_other)
{
    void *first, *second;
    char byte;
    play("k80;k80", NULL);
    cr_assert_eq(cuDevicePrimaryCtxRetain(&first, 0), 0);
    cr_assert_eq(cuDevicePrimaryCtxRetain(&second, 1), 0);
    cr_assert_eq(cuCtxSetCurrent(first), 0);
    uint64_t a = allocate(16);
    cr_assert_eq(cuCtxSetCurrent(second), 0);
    uint64_t b = allocate(16);
    cr_expect_neq(a, b);
    cr_expect_eq(cuMemcpyDtoH_v2(&byte, a, 1), DRV_INVALID_VALUE);
}

/* ---- faults on demand
 * ------------------------------------------------------------------------------------ */

Test(drv_memory, an_ordinary_fault_leaves_the_context_alone)
{
    enter("920m", "cuMemAlloc:2=2");
    uint64_t p;
    allocate(16);
    cr_expect_eq(cuMemAlloc_v2(&p, 16), DRV_OUT_OF_MEMORY);
    allocate(16);
}

Test(drv_memory, a_sticky_fault_is_given_by_all_that_follows)
{
    enter("920m", "cuMemcpyHtoD:1=700");
    char byte = 0;
    void *module;
    uint64_t a = allocate(16);
    cr_expect_eq(cuMemcpyHtoD_v2(a, &byte, 1), 700);
    cr_expect_eq(cuMemcpyHtoD_v2(a, &byte, 1), 700);
    cr_expect_eq(cuMemFree_v2(a), 700);
    cr_expect_eq(cuCtxSynchronize(), 700);
    cr_expect_eq(cuModuleLoadData(&module, ".version 3.1"), 700);
    int n;
    cr_expect_eq(cuDeviceGetCount(&n), 0, "questions to devices need no context");
    cr_expect_eq(cuDevicePrimaryCtxReset(0), 0);
    cr_expect_eq(cuCtxSynchronize(), 0, "a reset context is as new");
}

/* ---- streams and events
 * ------------------------------------------------------------------------------------ */

static float between(void *start, void *end)
{
    float ms = -1;
    cr_expect_eq(cuEventSynchronize(end), 0);
    cr_expect_eq(cuEventElapsedTime(&ms, start, end), 0);
    return ms;
}

Test(drv_memory, events_show_the_modelled_time_of_a_copy)
{
    enter("920m", NULL);
    size_t bytes = 64 << 20;
    char *host;
    void *start, *end;
    uint64_t a = allocate(bytes);
    cr_assert_eq(cuMemHostAlloc((void **)&host, bytes, 0), 0);
    cr_assert_eq(cuEventCreate(&start, 0), 0);
    cr_assert_eq(cuEventCreate(&end, 0), 0);
    cr_expect_eq(cuEventRecord(start, NULL), 0);
    cr_expect_eq(cuMemcpyHtoDAsync_v2(a, host, bytes, NULL), 0);
    cr_expect_eq(cuEventRecord(end, NULL), 0);
    /* 5.7 GB/s is the row's figure for PCIe 3.0 x8 */
    double expected = (double)bytes / 5.7e9 * 1e3;
    cr_expect_float_eq(between(start, end), expected, expected * 0.01);
}

Test(drv_memory, time_is_the_same_however_fast_this_machine_is)
{
    enter("920m", NULL);
    uint64_t a = allocate(1 << 20);
    float first = 0;
    for (int i = 0; i < 5; i++) {
        void *start, *end;
        cr_assert_eq(cuEventCreate(&start, 0), 0);
        cr_assert_eq(cuEventCreate(&end, 0), 0);
        cr_expect_eq(cuEventRecord(start, NULL), 0);
        cr_expect_eq(cuMemsetD8_v2(a, 0, 1 << 20), 0);
        cr_expect_eq(cuEventRecord(end, NULL), 0);
        float ms = between(start, end);
        if (i == 0)
            first = ms;
        cr_expect_float_eq(ms, first, 1e-6);
    }
}

Test(drv_memory, streams_run_beside_each_other_and_the_default_one_waits)
{
    enter("920m", NULL);
    void *a, *b, *start, *end_a, *end_b, *end_all;
    size_t bytes = 16 << 20;
    uint64_t p = allocate(bytes), q = allocate(bytes);
    cr_assert_eq(cuStreamCreate(&a, 0), 0);
    cr_assert_eq(cuStreamCreate(&b, 0), 0);
    cr_assert_eq(cuEventCreate(&start, 0) | cuEventCreate(&end_a, 0) | cuEventCreate(&end_b, 0) |
                     cuEventCreate(&end_all, 0),
                 0);
    cr_expect_eq(cuEventRecord(start, NULL), 0);
    cr_expect_eq(cuMemsetD8Async(p, 0, bytes, a), 0);
    cr_expect_eq(cuMemsetD8Async(q, 0, bytes, b), 0);
    cr_expect_eq(cuEventRecord(end_a, a), 0);
    cr_expect_eq(cuEventRecord(end_b, b), 0);
    cr_expect_eq(cuEventRecord(end_all, NULL), 0);
    float one = between(start, end_a);
    cr_expect_float_eq(between(start, end_b), one, one * 0.01);
    cr_expect_float_eq(between(start, end_all), one, one * 0.01);
    cr_expect_eq(cuStreamDestroy_v2(a), 0);
    cr_expect_eq(cuStreamDestroy_v2(a), DRV_INVALID_HANDLE);
    cr_expect_eq(cuStreamDestroy_v2(NULL), DRV_INVALID_HANDLE);
}

Test(drv_memory, a_stream_is_not_ready_until_its_time_has_come)
{
    enter("920m", NULL);
    void *stream, *event;
    uint64_t p = allocate(1 << 20);
    cr_assert_eq(cuStreamCreate(&stream, 1), 0);
    cr_assert_eq(cuEventCreate(&event, 0), 0);
    cr_expect_eq(cuStreamQuery(stream), 0);
    cr_expect_eq(cuMemsetD8Async(p, 0, 1 << 20, stream), 0);
    cr_expect_eq(cuEventRecord(event, stream), 0);
    cr_expect_eq(cuEventQuery(event), DRV_NOT_READY);
    int polls = 0;
    while (cuStreamQuery(stream) == DRV_NOT_READY && polls < 1000000)
        polls++;
    cr_expect_gt(polls, 0);
    cr_expect_lt(polls, 1000000);
    cr_expect_eq(cuEventQuery(event), 0);
}

Test(drv_memory, times_that_nobody_recorded_are_refused)
{
    enter("920m", NULL);
    void *a, *b, *untimed;
    float ms;
    cr_assert_eq(cuEventCreate(&a, 0) | cuEventCreate(&b, 0) | cuEventCreate(&untimed, 2), 0);
    cr_expect_eq(cuEventElapsedTime(&ms, a, b), DRV_INVALID_HANDLE);
    cr_expect_eq(cuEventRecord(a, NULL) | cuEventRecord(untimed, NULL), 0);
    cr_expect_eq(cuEventElapsedTime(&ms, a, untimed), DRV_INVALID_HANDLE);
    cr_expect_eq(cuEventDestroy_v2(a), 0);
    cr_expect_eq(cuEventDestroy_v2(a), DRV_INVALID_HANDLE);
}

/* ---- threads
 * --------------------------------------------------------------------------------------------- */

static void *busy(void *context)
{
    cr_assert_eq(cuCtxSetCurrent(context), 0);
    for (int i = 0; i < 200; i++) {
        uint64_t a = allocate(256);
        void *stream, *event;
        int in = i, out = -1;
        cr_assert_eq(cuStreamCreate(&stream, 0) | cuEventCreate(&event, 0), 0);
        cr_assert_eq(cuMemcpyHtoDAsync_v2(a, &in, sizeof in, stream), 0);
        cr_assert_eq(cuEventRecord(event, stream) | cuStreamSynchronize(stream), 0);
        cr_assert_eq(cuMemcpyDtoH_v2(&out, a, sizeof out), 0);
        cr_assert_eq(out, i);
        cr_assert_eq(cuEventDestroy_v2(event) | cuStreamDestroy_v2(stream) | cuMemFree_v2(a), 0);
    }
    return NULL;
}

Test(drv_memory, threads_may_share_a_context)
{
    enter("920m", NULL);
    void *context;
    size_t before, after, total;
    cr_assert_eq(cuCtxGetCurrent(&context), 0);
    cr_assert_eq(cuMemGetInfo_v2(&before, &total), 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, busy, context), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(cuMemGetInfo_v2(&after, &total), 0);
    cr_expect_eq(before, after);
}
