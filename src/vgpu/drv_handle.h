/* Handles: what a program gets instead of pointers. A handle that is stale, of another kind or made
 * up is recognised instead of followed. Callers hold the driver's lock. */
#ifndef VGPU_DRV_HANDLE_H
#define VGPU_DRV_HANDLE_H

#include <stdbool.h>

enum drv_handle_kind {
    DRV_HANDLE_FREE,
    DRV_HANDLE_CONTEXT,
    DRV_HANDLE_MODULE,
    DRV_HANDLE_FUNCTION,
    DRV_HANDLE_STREAM,
    DRV_HANDLE_EVENT,
};

/* Never NULL and never a small number; NULL when out of memory. */
void *drv_handle_new(enum drv_handle_kind kind, void *object);

/* The object, or NULL when the handle is not one of that kind. */
void *drv_handle_object(enum drv_handle_kind kind, const void *handle);

/* The handle was one of that kind once. */
bool drv_handle_is_stale(enum drv_handle_kind kind, const void *handle);

void drv_handle_free(void *handle); /* NULL is allowed */

#endif
