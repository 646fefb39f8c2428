/* Device memory and pinned host memory. Memory belongs to the context that was current; what is not
 * freed goes with it. */
#include <stdlib.h>
#include <string.h>

#include "vgpu/drv_model.h"
#include "vgpu/drv_state.h"

enum { HOST_FLAGS = 7, PITCH = 512, HOST_ALIGN = 4096 };

static struct mem_arena *arena(void)
{
    return drv_current()->device->arena;
}

/* ---- allocation
 * ------------------------------------------------------------------------------------ */

static struct drv_alloc **find(struct drv_context *context, uint64_t address)
{
    struct drv_alloc **at = &context->allocs;
    while (*at && (*at)->address != address)
        at = &(*at)->next;
    return at;
}

static int keep(uint64_t address, uint64_t bytes, void *host, unsigned flags)
{
    struct drv_context *context = drv_current();
    struct drv_alloc *alloc = malloc(sizeof *alloc);
    if (!alloc)
        return DRV_OUT_OF_MEMORY;
    *alloc = (struct drv_alloc){ .address = address,
                                 .bytes = bytes,
                                 .host = host,
                                 .host_flags = flags,
                                 .next = context->allocs };
    context->allocs = alloc;
    return DRV_OK;
}

static int allocate(uint64_t *address, uint64_t bytes)
{
    if (!address || !bytes)
        return DRV_INVALID_VALUE;
    struct err err;
    err_clear(&err);
    if (mem_alloc(arena(), bytes, 0, 0, address, &err) < 0)
        return err.native ? err.native : DRV_OUT_OF_MEMORY;
    int code = keep(*address, bytes, NULL, 0);
    if (code)
        mem_release(arena(), *address, NULL);
    return code;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    int code = drv_enter("cuMemAlloc", DRV_CONTEXT);
    if (code == DRV_OK)
        code = allocate(address, bytes);
    return drv_leave(code);
}

int cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height,
                       unsigned element)
{
    int code = drv_enter("cuMemAllocPitch", DRV_CONTEXT);
    bool fine = pitch && width && height && (element == 4 || element == 8 || element == 16) &&
                width < SIZE_MAX / 2 && height <= SIZE_MAX / 2 / (width + PITCH);
    if (code == DRV_OK && !fine)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK) {
        size_t row = (width + PITCH - 1) / PITCH * PITCH;
        code = allocate(address, row * height);
        if (code == DRV_OK)
            *pitch = row;
    }
    return drv_leave(code);
}

static int release(uint64_t address, bool host)
{
    struct drv_alloc **at = find(drv_current(), address), *alloc = *at;
    if (!alloc || !alloc->host == host)
        return DRV_INVALID_VALUE;
    *at = alloc->next;
    mem_release(arena(), address, NULL);
    free(alloc->host);
    free(alloc);
    return DRV_OK;
}

/* A null address is nothing to free. Freeing waits for the device. */
int cuMemFree_v2(uint64_t address)
{
    int code = drv_enter("cuMemFree", DRV_CONTEXT);
    if (code == DRV_OK && address)
        code = release(address, false);
    return drv_leave(code);
}

static int allocate_host(const char *call, void **host, size_t bytes, unsigned flags)
{
    int code = drv_enter(call, DRV_CONTEXT);
    if (code == DRV_OK && (!host || !bytes || flags > HOST_FLAGS))
        code = DRV_INVALID_VALUE;
    if (code)
        return drv_leave(code);
    void *memory = NULL;
    if (bytes > SIZE_MAX - HOST_ALIGN ||
        posix_memalign(&memory, HOST_ALIGN, (bytes + HOST_ALIGN - 1) / HOST_ALIGN * HOST_ALIGN))
        return drv_leave(DRV_OUT_OF_MEMORY);
    mem_poison(memory, bytes);
    uint64_t address = (uint64_t)(uintptr_t)memory;
    code = mem_adopt(arena(), memory, bytes, NULL) < 0 ? DRV_OUT_OF_MEMORY
                                                       : keep(address, bytes, memory, flags);
    if (code) {
        mem_release(arena(), address, NULL);
        free(memory);
    } else {
        *host = memory;
    }
    return drv_leave(code);
}

int cuMemAllocHost_v2(void **host, size_t bytes)
{
    return allocate_host("cuMemAllocHost", host, bytes, 0);
}

int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    return allocate_host("cuMemHostAlloc", host, bytes, flags);
}

int cuMemFreeHost(void *host)
{
    int code = drv_enter("cuMemFreeHost", DRV_CONTEXT);
    if (code == DRV_OK)
        code = release((uint64_t)(uintptr_t)host, true);
    return drv_leave(code);
}

/* The allocation that holds an address; NULL when this context has none there. */
static struct drv_alloc *holding(uint64_t address)
{
    for (struct drv_alloc *a = drv_current()->allocs; a; a = a->next)
        if (address >= a->address && address - a->address < a->bytes)
            return a;
    return NULL;
}

int cuMemHostGetFlags(unsigned *flags, void *host)
{
    int code = drv_enter("cuMemHostGetFlags", DRV_CONTEXT);
    struct drv_alloc *alloc = code == DRV_OK ? holding((uint64_t)(uintptr_t)host) : NULL;
    if (code == DRV_OK && (!flags || !alloc || !alloc->host))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *flags = alloc->host_flags;
    return drv_leave(code);
}

/* Pinned memory has one address for host and device. */
int cuMemHostGetDevicePointer_v2(uint64_t *address, void *host, unsigned flags)
{
    int code = drv_enter("cuMemHostGetDevicePointer", DRV_CONTEXT);
    struct drv_alloc *alloc = code == DRV_OK ? holding((uint64_t)(uintptr_t)host) : NULL;
    if (code == DRV_OK && (!address || flags || !alloc || !alloc->host))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *address = (uint64_t)(uintptr_t)host;
    return drv_leave(code);
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    int code = drv_enter("cuMemGetInfo", DRV_CONTEXT);
    if (code == DRV_OK && (!free_bytes || !total_bytes))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK) {
        *free_bytes = (size_t)(mem_total(arena()) - mem_used(arena()));
        *total_bytes = (size_t)drv_current()->device->card->memory_bytes;
    }
    return drv_leave(code);
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
    int code = drv_enter("cuMemGetAddressRange", DRV_CONTEXT);
    uint64_t start, size;
    if (code == DRV_OK && !mem_range(arena(), address, &start, &size))
        code = DRV_NOT_FOUND;
    if (code == DRV_OK && base)
        *base = start;
    if (code == DRV_OK && bytes)
        *bytes = (size_t)size;
    return drv_leave(code);
}

/* ---- questions about an address
 * ---------------------------------------------------------------------- */

static int attribute_of(const struct drv_alloc *alloc, int attribute, uint64_t address, void *value)
{
    const struct drv_context *context = drv_current();
    switch (attribute) {
    case 1:
        *(void **)value = context->handle;
        return DRV_OK;
    case 2: /* host 1, device 2 */
        *(unsigned *)value = alloc->host ? 1 : 2;
        return DRV_OK;
    case 3:
        *(uint64_t *)value = address;
        return DRV_OK;
    case 4:
        *(void **)value = alloc->host ? (void *)(uintptr_t)address : NULL;
        return alloc->host ? DRV_OK : DRV_INVALID_VALUE;
    case 8:
        *(unsigned *)value = 0;
        return DRV_OK;
    case 9:
        *(int *)value = context->device->ordinal;
        return DRV_OK;
    case 11:
        *(uint64_t *)value = alloc->address;
        return DRV_OK;
    case 12:
        *(size_t *)value = (size_t)alloc->bytes;
        return DRV_OK;
    case 13:
        *(int *)value = 1;
        return DRV_OK;
    default:
        return DRV_NOT_SUPPORTED;
    }
}

int cuPointerGetAttribute(void *value, int attribute, uint64_t address)
{
    int code = drv_enter("cuPointerGetAttribute", DRV_CONTEXT);
    const struct drv_alloc *alloc = code == DRV_OK ? holding(address) : NULL;
    if (code == DRV_OK && (!value || !alloc))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        code = attribute_of(alloc, attribute, address, value);
    return drv_leave(code);
}
