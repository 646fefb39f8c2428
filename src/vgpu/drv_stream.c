/* Streams: each has a clock of its own, at which its work so far is done. The default stream waits
 * for the others and they for it, except for those that were made not to. */
#include <stdlib.h>

#include "vgpu/drv_state.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct drv_stream *drv_stream_of(struct drv_context *context, const void *handle)
{
    uintptr_t value = (uintptr_t)handle;
    if (value <= 2) /* the default stream under its three names; per thread is not told apart */
        return &context->default_stream;
    struct drv_stream *stream = drv_handle_object(DRV_HANDLE_STREAM, handle);
    return stream && stream->context == context ? stream : NULL;
}

uint64_t drv_stream_start(struct drv_stream *stream)
{
    struct drv_context *context = stream->context;
    uint64_t start = later(stream->ready_ns, context->host_ns);
    if (stream->flags & 1)
        return start;
    if (stream != &context->default_stream)
        return later(start, context->default_stream.ready_ns);
    for (const struct drv_stream *other = context->streams; other; other = other->next)
        if (!(other->flags & 1))
            start = later(start, other->ready_ns);
    return start;
}

void drv_stream_end(struct drv_stream *stream, uint64_t end_ns)
{
    stream->ready_ns = later(stream->ready_ns, end_ns);
}

void drv_stream_wait(struct drv_stream *stream)
{
    stream->context->host_ns = later(stream->context->host_ns, stream->ready_ns);
}

static int create(const char *call, void **handle, unsigned flags, int priority)
{
    int code = drv_enter(call, DRV_CONTEXT);
    if (code == DRV_OK && (!handle || flags > 1))
        code = DRV_INVALID_VALUE;
    if (code)
        return drv_leave(code);
    struct drv_context *context = drv_current();
    struct drv_stream *stream = calloc(1, sizeof *stream);
    if (!stream || !(stream->handle = drv_handle_new(DRV_HANDLE_STREAM, stream))) {
        free(stream);
        return drv_leave(DRV_OUT_OF_MEMORY);
    }
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    stream->next = context->streams;
    context->streams = stream;
    *handle = stream->handle;
    return drv_leave(DRV_OK);
}

int cuStreamCreate(void **stream, unsigned flags)
{
    return create("cuStreamCreate", stream, flags, 0);
}

int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    return create("cuStreamCreateWithPriority", stream, flags, priority);
}

/* Enters a call about a stream of the current context. */
static int enter_stream(const char *call, const void *handle, struct drv_stream **stream)
{
    int code = drv_enter(call, DRV_CONTEXT);
    *stream = code == DRV_OK ? drv_stream_of(drv_current(), handle) : NULL;
    return code == DRV_OK && !*stream ? DRV_INVALID_HANDLE : code;
}

static int destroy(void *handle)
{
    struct drv_stream *stream;
    int code = enter_stream("cuStreamDestroy", handle, &stream);
    if (code == DRV_OK && !stream->handle)
        code = DRV_INVALID_HANDLE;
    if (code == DRV_OK) {
        struct drv_stream **at = &stream->context->streams;
        while (*at != stream)
            at = &(*at)->next;
        *at = stream->next;
        drv_handle_free(stream->handle);
        free(stream);
    }
    return drv_leave(code);
}

int cuStreamDestroy(void *stream)
{
    return destroy(stream);
}

int cuStreamDestroy_v2(void *stream)
{
    return destroy(stream);
}

int cuStreamSynchronize(void *handle)
{
    struct drv_stream *stream;
    int code = enter_stream("cuStreamSynchronize", handle, &stream);
    if (code == DRV_OK)
        drv_stream_wait(stream);
    return drv_leave(code);
}

/* A question is also how a program lets time pass: each takes a microsecond of its own, so that one
 * that polls comes to the end of the stream. */
int cuStreamQuery(void *handle)
{
    struct drv_stream *stream;
    int code = enter_stream("cuStreamQuery", handle, &stream);
    if (code == DRV_OK) {
        stream->context->host_ns += 1000;
        if (stream->ready_ns > stream->context->host_ns)
            code = DRV_NOT_READY;
    }
    return drv_leave(code);
}

int cuStreamWaitEvent(void *handle, void *event_handle, unsigned flags)
{
    struct drv_stream *stream;
    int code = enter_stream("cuStreamWaitEvent", handle, &stream);
    struct drv_event *event = drv_handle_object(DRV_HANDLE_EVENT, event_handle);
    if (code == DRV_OK && !event)
        code = DRV_INVALID_HANDLE;
    if (code == DRV_OK && flags > 1)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && event->recorded)
        drv_stream_end(stream, event->time_ns);
    return drv_leave(code);
}

int cuStreamGetFlags(void *handle, unsigned *flags)
{
    struct drv_stream *stream;
    int code = enter_stream("cuStreamGetFlags", handle, &stream);
    if (code == DRV_OK && !flags)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *flags = stream->flags;
    return drv_leave(code);
}

int cuStreamGetPriority(void *handle, int *priority)
{
    struct drv_stream *stream;
    int code = enter_stream("cuStreamGetPriority", handle, &stream);
    if (code == DRV_OK && !priority)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *priority = stream->priority;
    return drv_leave(code);
}

int cuStreamGetCtx(void *handle, void **context)
{
    struct drv_stream *stream;
    int code = enter_stream("cuStreamGetCtx", handle, &stream);
    if (code == DRV_OK && !context)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *context = stream->context->handle;
    return drv_leave(code);
}
