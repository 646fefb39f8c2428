/* Events: a stream's modelled time at one moment. */
#include <stdlib.h>

#include "vgpu/drv_state.h"

enum { WITHOUT_TIME = 2 };

int cuEventCreate(void **handle, unsigned flags)
{
    int code = drv_enter("cuEventCreate", DRV_CONTEXT);
    if (code == DRV_OK && (!handle || flags > 7))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && flags & 4) /* between processes: not there */
        code = DRV_NOT_SUPPORTED;
    if (code)
        return drv_leave(code);
    struct drv_context *context = drv_current();
    struct drv_event *event = calloc(1, sizeof *event);
    if (!event || !(event->handle = drv_handle_new(DRV_HANDLE_EVENT, event))) {
        free(event);
        return drv_leave(DRV_OUT_OF_MEMORY);
    }
    event->context = context;
    event->flags = flags;
    event->next = context->events;
    context->events = event;
    *handle = event->handle;
    return drv_leave(DRV_OK);
}

static int enter_event(const char *call, const void *handle, struct drv_event **event)
{
    int code = drv_enter(call, DRV_CONTEXT);
    *event = drv_handle_object(DRV_HANDLE_EVENT, handle);
    return code == DRV_OK && !*event ? DRV_INVALID_HANDLE : code;
}

static int record(const char *call, void *handle, void *stream_handle, unsigned flags)
{
    struct drv_event *event;
    int code = enter_event(call, handle, &event);
    struct drv_stream *stream = NULL;
    if (code == DRV_OK && event->context != drv_current())
        code = DRV_INVALID_HANDLE;
    if (code == DRV_OK && !(stream = drv_stream_of(event->context, stream_handle)))
        code = DRV_INVALID_HANDLE;
    if (code == DRV_OK && flags > 1)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK) {
        event->recorded = true;
        event->time_ns = drv_stream_start(stream);
        drv_stream_end(stream, event->time_ns);
    }
    return drv_leave(code);
}

int cuEventRecord(void *event, void *stream)
{
    return record("cuEventRecord", event, stream, 0);
}

int cuEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    return record("cuEventRecordWithFlags", event, stream, flags);
}

/* An event that was never recorded counts as done. */
int cuEventQuery(void *handle)
{
    struct drv_event *event;
    int code = enter_event("cuEventQuery", handle, &event);
    if (code == DRV_OK) {
        event->context->host_ns += 1000;
        if (event->recorded && event->time_ns > event->context->host_ns)
            code = DRV_NOT_READY;
    }
    return drv_leave(code);
}

int cuEventSynchronize(void *handle)
{
    struct drv_event *event;
    int code = enter_event("cuEventSynchronize", handle, &event);
    if (code == DRV_OK && event->recorded && event->time_ns > event->context->host_ns)
        event->context->host_ns = event->time_ns;
    return drv_leave(code);
}

/* Real timers count in half microseconds or coarser; a float's milliseconds do not show more. */
static int elapsed(float *milliseconds, void *start_handle, void *end_handle)
{
    struct drv_event *start, *end;
    int code = enter_event("cuEventElapsedTime", start_handle, &start);
    end = drv_handle_object(DRV_HANDLE_EVENT, end_handle);
    if (code == DRV_OK && (!end || !start->recorded || !end->recorded ||
                           ((start->flags | end->flags) & WITHOUT_TIME)))
        code = DRV_INVALID_HANDLE;
    if (code == DRV_OK && !milliseconds)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && end->time_ns > end->context->host_ns)
        code = DRV_NOT_READY;
    if (code == DRV_OK)
        *milliseconds = (float)(((double)end->time_ns - (double)start->time_ns) / 1e6);
    return drv_leave(code);
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end)
{
    return elapsed(milliseconds, start, end);
}

int cuEventElapsedTime_v2(float *milliseconds, void *start, void *end)
{
    return elapsed(milliseconds, start, end);
}

static int destroy(void *handle)
{
    struct drv_event *event;
    int code = enter_event("cuEventDestroy", handle, &event);
    if (code == DRV_OK) {
        struct drv_event **at = &event->context->events;
        while (*at != event)
            at = &(*at)->next;
        *at = event->next;
        drv_handle_free(event->handle);
        free(event);
    }
    return drv_leave(code);
}

int cuEventDestroy(void *event)
{
    return destroy(event);
}

int cuEventDestroy_v2(void *event)
{
    return destroy(event);
}
