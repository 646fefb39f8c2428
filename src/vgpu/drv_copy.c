/* Copies and memsets. The bytes move at once; the stream's clock moves by the modelled time. */
#include <string.h>

#include "vgpu/drv_model.h"
#include "vgpu/drv_state.h"

static void charge(struct drv_stream *stream, enum drv_copy kind, uint64_t bytes, bool wait)
{
    struct drv_model model = { .card = stream->context->device->card,
                               .clock_percent = drv_fault_clock(&drv_state.config.faults) };
    drv_stream_end(stream, drv_stream_start(stream) + drv_model_copy_ns(&model, kind, bytes));
    if (wait)
        drv_stream_wait(stream);
}

/* Enters a call that puts work into a stream. */
static int enter_stream(const char *call, const void *handle, struct drv_stream **stream)
{
    int code = drv_enter(call, DRV_CONTEXT);
    *stream = code == DRV_OK ? drv_stream_of(drv_current(), handle) : NULL;
    return code == DRV_OK && !*stream ? DRV_INVALID_HANDLE : code;
}

/* Device memory as the host sees it; NULL when it is not [address, address + bytes). */
static void *device_bytes(uint64_t address, uint64_t bytes)
{
    return mem_host(drv_current()->device->arena, address, bytes);
}

/* For the calls that take any address: pinned and device memory are known, all else is the host's.
 */
static void *any_bytes(uint64_t address, uint64_t bytes)
{
    uint64_t base, size;
    if (mem_range(drv_current()->device->arena, address, &base, &size))
        return device_bytes(address, bytes);
    return (void *)(uintptr_t)address;
}

static int copy(const char *call, uint64_t to, uint64_t from, size_t bytes, enum drv_copy kind,
                const void *handle, bool wait)
{
    struct drv_stream *stream;
    int code = enter_stream(call, handle, &stream);
    if (code || bytes == 0)
        return drv_leave(code);
    void *target = kind == DRV_COPY_TO_HOST ? (void *)(uintptr_t)to : device_bytes(to, bytes);
    const void *source =
        kind == DRV_COPY_TO_DEVICE ? (const void *)(uintptr_t)from : device_bytes(from, bytes);
    if (!target || !source)
        return drv_leave(DRV_INVALID_VALUE);
    memmove(target, source, bytes);
    charge(stream, kind, bytes, wait);
    return drv_leave(DRV_OK);
}

static uint64_t host_address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    return copy("cuMemcpyHtoD", to, host_address(from), bytes, DRV_COPY_TO_DEVICE, NULL, true);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
    return copy("cuMemcpyHtoDAsync", to, host_address(from), bytes, DRV_COPY_TO_DEVICE, stream,
                false);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    return copy("cuMemcpyDtoH", host_address(to), from, bytes, DRV_COPY_TO_HOST, NULL, true);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    return copy("cuMemcpyDtoHAsync", host_address(to), from, bytes, DRV_COPY_TO_HOST, stream,
                false);
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    return copy("cuMemcpyDtoD", to, from, bytes, DRV_COPY_ON_DEVICE, NULL, false);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return copy("cuMemcpyDtoDAsync", to, from, bytes, DRV_COPY_ON_DEVICE, stream, false);
}

static int copy_any(const char *call, uint64_t to, uint64_t from, size_t bytes, const void *handle,
                    bool wait)
{
    struct drv_stream *stream;
    int code = enter_stream(call, handle, &stream);
    if (code || bytes == 0)
        return drv_leave(code);
    void *target = any_bytes(to, bytes);
    const void *source = any_bytes(from, bytes);
    if (!target || !source)
        return drv_leave(DRV_INVALID_VALUE);
    bool to_host = target == (void *)(uintptr_t)to, from_host = source == (void *)(uintptr_t)from;
    memmove(target, source, bytes);
    charge(stream,
           from_host ? DRV_COPY_TO_DEVICE
           : to_host ? DRV_COPY_TO_HOST
                     : DRV_COPY_ON_DEVICE,
           bytes, wait);
    return drv_leave(DRV_OK);
}

int cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    return copy_any("cuMemcpy", to, from, bytes, NULL, true);
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return copy_any("cuMemcpyAsync", to, from, bytes, stream, false);
}

/* ---- memset
 * ------------------------------------------------------------------------------------------ */

static void fill(unsigned char *to, unsigned value, unsigned width, size_t count)
{
    if (width == 1) {
        memset(to, (int)value, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * width, &value, width); /* this machine is little-endian, as the device is */
}

static int set(const char *call, uint64_t to, unsigned value, unsigned width, size_t count,
               const void *handle)
{
    struct drv_stream *stream;
    int code = enter_stream(call, handle, &stream);
    if (code || count == 0)
        return drv_leave(code);
    if (to % width || count > SIZE_MAX / width)
        return drv_leave(DRV_INVALID_VALUE);
    void *target = device_bytes(to, (uint64_t)count * width);
    if (!target)
        return drv_leave(DRV_INVALID_VALUE);
    fill(target, value, width, count);
    charge(stream, DRV_COPY_SET, (uint64_t)count * width, false);
    return drv_leave(DRV_OK);
}

int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t count)
{
    return set("cuMemsetD8", to, value, 1, count, NULL);
}

int cuMemsetD16_v2(uint64_t to, unsigned short value, size_t count)
{
    return set("cuMemsetD16", to, value, 2, count, NULL);
}

int cuMemsetD32_v2(uint64_t to, unsigned value, size_t count)
{
    return set("cuMemsetD32", to, value, 4, count, NULL);
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream)
{
    return set("cuMemsetD8Async", to, value, 1, count, stream);
}

int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream)
{
    return set("cuMemsetD16Async", to, value, 2, count, stream);
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream)
{
    return set("cuMemsetD32Async", to, value, 4, count, stream);
}
