/* Contexts: a device's primary one, which programs share by counting, and others. */
#include <stdlib.h>
#include <string.h>

#include "vgpu/drv_log.h"
#include "vgpu/drv_state.h"

/* Devices have addresses of their own, as under unified addressing. */
#define ADDRESSES_OF_DEVICE (UINT64_C(2) << 40)

/* ---- life
 * ---------------------------------------------------------------------------------------- */

static int open_arena(struct drv_device *device)
{
    if (device->arena)
        return DRV_OK;
    uint64_t total = device->card->memory_bytes, less = drv_state.config.faults.less_memory_bytes;
    device->arena = mem_new(total > less ? total - less : 0, NULL);
    if (!device->arena)
        return DRV_OUT_OF_MEMORY;
    mem_start_at(device->arena, MEM_FIRST + (uint64_t)device->ordinal * ADDRESSES_OF_DEVICE);
    return DRV_OK;
}

static void set_defaults(struct drv_context *context)
{
    static const size_t limits[DRV_LIMITS] = { 1024, 1 << 20, 8 << 20, 2, 2048, 64, 0 };
    memcpy(context->limits, limits, sizeof limits);
    context->cache_config = 0;
    context->bank_config = context->device->card->cc < 40 ? 1 : 0;
    context->fault = 0;
    context->default_stream = (struct drv_stream){ .context = context };
}

static int create(struct drv_device *device, unsigned flags, struct drv_context **created)
{
    struct drv_context *context = calloc(1, sizeof *context);
    if (!context)
        return DRV_OUT_OF_MEMORY;
    context->device = device;
    context->flags = flags;
    int code = open_arena(device);
    if (code == DRV_OK && !(context->handle = drv_handle_new(DRV_HANDLE_CONTEXT, context)))
        code = DRV_OUT_OF_MEMORY;
    if (code) {
        free(context);
        return code;
    }
    set_defaults(context);
    device->context_count++;
    context->next = drv_state.contexts;
    drv_state.contexts = context;
    *created = context;
    return DRV_OK;
}

static void free_allocs(struct drv_context *context)
{
    uint64_t bytes = 0;
    unsigned count = 0;
    while (context->allocs) {
        struct drv_alloc *alloc = context->allocs;
        context->allocs = alloc->next;
        bytes += alloc->bytes;
        count++;
        mem_release(context->device->arena, alloc->address, NULL);
        free(alloc->host);
        free(alloc);
    }
    if (count)
        drv_log("context ends with %u allocations (%llu bytes) that were not freed", count,
                (unsigned long long)bytes);
}

static void free_streams_and_events(struct drv_context *context)
{
    while (context->streams) {
        struct drv_stream *stream = context->streams;
        context->streams = stream->next;
        drv_handle_free(stream->handle);
        free(stream);
    }
    while (context->events) {
        struct drv_event *event = context->events;
        context->events = event->next;
        drv_handle_free(event->handle);
        free(event);
    }
}

/* All that the context holds, but not the context. */
static void clear(struct drv_context *context)
{
    drv_module_free_all(context);
    free_streams_and_events(context);
    free_allocs(context);
}

static void destroy(struct drv_context *context)
{
    struct drv_device *device = context->device;
    clear(context);
    struct drv_context **at = &drv_state.contexts;
    while (*at != context)
        at = &(*at)->next;
    *at = context->next;
    drv_handle_free(context->handle);
    free(context);
    if (--device->context_count == 0) {
        mem_delete(device->arena);
        device->arena = NULL;
    }
}

/* ---- the primary context
 * -------------------------------------------------------------------------- */

static int enter_device(const char *call, int ordinal, struct drv_device **device)
{
    int code = drv_enter(call, DRV_INIT);
    *device = drv_device_at(ordinal);
    return code == DRV_OK && !*device ? DRV_INVALID_DEVICE : code;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    struct drv_device *found;
    int code = enter_device("cuDevicePrimaryCtxRetain", device, &found);
    if (code == DRV_OK && !context)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !found->primary) {
        code = create(found, found->primary_flags, &found->primary);
        if (code == DRV_OK)
            found->primary->is_primary = true;
    }
    if (code == DRV_OK) {
        found->primary_refs++;
        *context = found->primary->handle;
    }
    return drv_leave(code);
}

static int primary_release(int device)
{
    struct drv_device *found;
    int code = enter_device("cuDevicePrimaryCtxRelease", device, &found);
    if (code == DRV_OK && !found->primary_refs)
        code = DRV_INVALID_CONTEXT;
    if (code == DRV_OK && --found->primary_refs == 0) {
        destroy(found->primary);
        found->primary = NULL;
    }
    return drv_leave(code);
}

int cuDevicePrimaryCtxRelease(int device)
{
    return primary_release(device);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    return primary_release(device);
}

/* The context stays, and stays retained, as new. */
static int primary_reset(int device)
{
    struct drv_device *found;
    int code = enter_device("cuDevicePrimaryCtxReset", device, &found);
    if (code == DRV_OK && found->primary) {
        clear(found->primary);
        set_defaults(found->primary);
    }
    return drv_leave(code);
}

int cuDevicePrimaryCtxReset(int device)
{
    return primary_reset(device);
}

int cuDevicePrimaryCtxReset_v2(int device)
{
    return primary_reset(device);
}

/* Before CUDA 11 the flags of an active context could not be set. */
static int primary_set_flags(int device, unsigned flags)
{
    struct drv_device *found;
    int code = enter_device("cuDevicePrimaryCtxSetFlags", device, &found);
    if (code == DRV_OK && flags > 0xff)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && found->primary && drv_state.config.driver.cuda < 11000)
        code = DRV_PRIMARY_CONTEXT_ACTIVE;
    if (code == DRV_OK) {
        found->primary_flags = flags;
        if (found->primary)
            found->primary->flags = flags;
    }
    return drv_leave(code);
}

int cuDevicePrimaryCtxSetFlags(int device, unsigned flags)
{
    return primary_set_flags(device, flags);
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    return primary_set_flags(device, flags);
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    struct drv_device *found;
    int code = enter_device("cuDevicePrimaryCtxGetState", device, &found);
    if (code == DRV_OK && (!flags || !active))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK) {
        *flags = found->primary_flags;
        *active = found->primary != NULL;
    }
    return drv_leave(code);
}

/* ---- other contexts
 * ------------------------------------------------------------------------------- */

/* `extra`: what a later form may ask for besides, none of which is there. */
static int ctx_create(void **context, bool extra, unsigned flags, int device)
{
    struct drv_device *found;
    struct drv_context *created = NULL;
    int code = enter_device("cuCtxCreate", device, &found);
    if (code == DRV_OK && (!context || flags > 0xff))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && extra)
        code = DRV_NOT_SUPPORTED;
    if (code == DRV_OK)
        code = create(found, flags, &created);
    if (code == DRV_OK) {
        code = drv_push_current(created->handle);
        *context = created->handle;
        if (code)
            destroy(created);
    }
    return drv_leave(code);
}

int cuCtxCreate(void **context, unsigned flags, int device)
{
    return ctx_create(context, false, flags, device);
}

int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
    return ctx_create(context, false, flags, device);
}

int cuCtxCreate_v3(void **context, void *affinity, int count, unsigned flags, int device)
{
    return ctx_create(context, affinity || count, flags, device);
}

int cuCtxCreate_v4(void **context, void *params, unsigned flags, int device)
{
    return ctx_create(context, params != NULL, flags, device);
}

static int ctx_destroy(void *handle)
{
    int code = drv_enter("cuCtxDestroy", DRV_INIT);
    struct drv_context *context = drv_handle_object(DRV_HANDLE_CONTEXT, handle);
    if (code == DRV_OK && (!context || context->is_primary))
        code = DRV_INVALID_CONTEXT;
    if (code == DRV_OK) {
        void *popped;
        if (drv_current_handle() == handle)
            drv_pop_current(&popped);
        destroy(context);
    }
    return drv_leave(code);
}

int cuCtxDestroy(void *context)
{
    return ctx_destroy(context);
}

int cuCtxDestroy_v2(void *context)
{
    return ctx_destroy(context);
}

/* ---- the thread's stack
 * ----------------------------------------------------------------------------- */

static int ctx_push(void *context)
{
    int code = drv_enter("cuCtxPushCurrent", DRV_INIT);
    if (code == DRV_OK && !drv_handle_object(DRV_HANDLE_CONTEXT, context))
        code = DRV_INVALID_CONTEXT;
    if (code == DRV_OK)
        code = drv_push_current(context);
    return drv_leave(code);
}

int cuCtxPushCurrent(void *context)
{
    return ctx_push(context);
}

int cuCtxPushCurrent_v2(void *context)
{
    return ctx_push(context);
}

static int ctx_pop(void **context)
{
    void *popped = NULL;
    int code = drv_enter("cuCtxPopCurrent", DRV_INIT);
    if (code == DRV_OK && !drv_pop_current(&popped))
        code = DRV_INVALID_CONTEXT;
    if (code == DRV_OK && context)
        *context = popped;
    return drv_leave(code);
}

int cuCtxPopCurrent(void **context)
{
    return ctx_pop(context);
}

int cuCtxPopCurrent_v2(void **context)
{
    return ctx_pop(context);
}

int cuCtxSetCurrent(void *context)
{
    int code = drv_enter("cuCtxSetCurrent", DRV_INIT);
    if (code == DRV_OK && context && !drv_handle_object(DRV_HANDLE_CONTEXT, context))
        code = DRV_INVALID_CONTEXT;
    if (code == DRV_OK)
        drv_set_current(context);
    return drv_leave(code);
}

int cuCtxGetCurrent(void **context)
{
    int code = drv_enter("cuCtxGetCurrent", DRV_INIT);
    if (code == DRV_OK && !context)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *context = drv_current_handle();
    return drv_leave(code);
}

/* ---- what a context is set to
 * ------------------------------------------------------------------------ */

int cuCtxGetDevice(int *device)
{
    int code = drv_enter("cuCtxGetDevice", DRV_CONTEXT_ANY);
    if (code == DRV_OK && !device)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *device = drv_current()->device->ordinal;
    return drv_leave(code);
}

int cuCtxGetFlags(unsigned *flags)
{
    int code = drv_enter("cuCtxGetFlags", DRV_CONTEXT_ANY);
    if (code == DRV_OK && !flags)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *flags = drv_current()->flags;
    return drv_leave(code);
}

int cuCtxGetApiVersion(void *context, unsigned *version)
{
    int code = drv_enter("cuCtxGetApiVersion", DRV_INIT);
    void *handle = context ? context : drv_current_handle();
    if (code == DRV_OK && !drv_handle_object(DRV_HANDLE_CONTEXT, handle))
        code = DRV_INVALID_CONTEXT;
    if (code == DRV_OK && !version)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *version = 3020;
    return drv_leave(code);
}

/* The last two are for the L2 of 8.0 and later. */
static bool has_limit(const struct drv_context *context, int limit)
{
    return limit >= 0 && limit < (context->device->card->cc >= 80 ? DRV_LIMITS : 5);
}

int cuCtxGetLimit(size_t *value, int limit)
{
    int code = drv_enter("cuCtxGetLimit", DRV_CONTEXT);
    if (code == DRV_OK && !value)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !has_limit(drv_current(), limit))
        code = DRV_UNSUPPORTED_LIMIT;
    if (code == DRV_OK)
        *value = drv_current()->limits[limit];
    return drv_leave(code);
}

/* Kept and given back; kernels get the local memory that they need in any case. */
int cuCtxSetLimit(int limit, size_t value)
{
    int code = drv_enter("cuCtxSetLimit", DRV_CONTEXT);
    if (code == DRV_OK && !has_limit(drv_current(), limit))
        code = DRV_UNSUPPORTED_LIMIT;
    if (code == DRV_OK)
        drv_current()->limits[limit] = value;
    return drv_leave(code);
}

static int get_config(const char *call, int *config, size_t offset)
{
    int code = drv_enter(call, DRV_CONTEXT);
    if (code == DRV_OK && !config)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        memcpy(config, (const char *)drv_current() + offset, sizeof *config);
    return drv_leave(code);
}

int cuCtxGetCacheConfig(int *config)
{
    return get_config("cuCtxGetCacheConfig", config, offsetof(struct drv_context, cache_config));
}

int cuCtxGetSharedMemConfig(int *config)
{
    return get_config("cuCtxGetSharedMemConfig", config, offsetof(struct drv_context, bank_config));
}

int cuCtxSetCacheConfig(int config)
{
    int code = drv_enter("cuCtxSetCacheConfig", DRV_CONTEXT);
    if (code == DRV_OK && (config < 0 || config > 3))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        drv_current()->cache_config = config;
    return drv_leave(code);
}

/* Only Kepler's banks can be 4 or 8 bytes wide; elsewhere the call is accepted without effect. */
int cuCtxSetSharedMemConfig(int config)
{
    int code = drv_enter("cuCtxSetSharedMemConfig", DRV_CONTEXT);
    if (code == DRV_OK && (config < 0 || config > 2))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && drv_current()->device->card->cc / 10 == 3)
        drv_current()->bank_config = config ? config : 1;
    return drv_leave(code);
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    int code = drv_enter("cuCtxGetStreamPriorityRange", DRV_CONTEXT);
    if (code == DRV_OK && least)
        *least = 0;
    if (code == DRV_OK && greatest)
        *greatest = drv_current()->device->card->cc >= 70 ? -5 : -1;
    return drv_leave(code);
}

int cuCtxSynchronize(void)
{
    int code = drv_enter("cuCtxSynchronize", DRV_CONTEXT);
    if (code == DRV_OK) {
        struct drv_context *context = drv_current();
        drv_stream_wait(&context->default_stream);
        for (struct drv_stream *stream = context->streams; stream; stream = stream->next)
            drv_stream_wait(stream);
    }
    return drv_leave(code);
}
