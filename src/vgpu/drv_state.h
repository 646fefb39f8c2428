/* The driver's state in one process: devices, contexts and what belongs to them, behind one lock.
 *
 * Every exported call is  enter, work, leave:
 *
 *     int code = drv_enter("cuMemGetInfo", DRV_CONTEXT);
 *     if (code == DRV_OK)
 *         code = ...;
 *     return drv_leave(code);
 *
 * Work is done when it is asked for: a launch has run when cuLaunchKernel returns. What a real
 * driver would find out later it tells later: a kernel's fault is kept in the context and is the
 * result of the calls that follow. Time is a matter of its own (drv_model.h): the clocks below
 * advance by what things would have cost, so nothing depends on how fast this machine is. */
#ifndef VGPU_DRV_STATE_H
#define VGPU_DRV_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/drv_api.h"
#include "vgpu/drv_config.h"
#include "vgpu/drv_handle.h"
#include "vgpu/mem.h"

struct drv_module;

struct drv_device {
    struct drv_card *card; /* in the configuration */
    int ordinal;           /* as the program counts, after CUDA_VISIBLE_DEVICES */
    unsigned char uuid[16];
    char pci_id[16]; /* "0000:01:00.0" */
    unsigned bus;
    struct mem_arena *arena; /* NULL until a context exists */
    struct drv_context *primary;
    unsigned primary_refs, primary_flags;
    unsigned context_count;
};

struct drv_stream {
    void *handle; /* NULL: the default stream */
    struct drv_context *context;
    unsigned flags; /* 1: does not wait for the default stream */
    int priority;
    uint64_t ready_ns; /* when what was put in so far is done */
    struct drv_stream *next;
};

struct drv_event {
    void *handle;
    struct drv_context *context;
    unsigned flags; /* 2: without time */
    bool recorded;
    uint64_t time_ns;
    struct drv_event *next;
};

struct drv_alloc {
    uint64_t address, bytes;
    void *host; /* pinned host memory: what to free; else NULL */
    unsigned host_flags;
    struct drv_alloc *next;
};

enum { DRV_LIMITS = 7 };

struct drv_context {
    void *handle;
    struct drv_device *device;
    bool is_primary;
    int fault; /* every later call returns it */
    unsigned flags;
    size_t limits[DRV_LIMITS];
    int cache_config, bank_config;
    struct drv_stream default_stream;
    struct drv_stream *streams; /* the others */
    struct drv_event *events;
    struct drv_alloc *allocs;
    struct drv_module *modules;
    uint64_t host_ns; /* the program's own time in this context */
    uint64_t launches;
    struct drv_context *next;
};

struct drv_state {
    bool started, initialised;
    int start_code; /* what cuInit says */
    struct drv_config config;
    struct drv_device devices[DRV_CARDS_MAX];
    int device_count;
    struct drv_context *contexts;
};

extern struct drv_state drv_state;

enum drv_need {
    DRV_NOTHING, /* works before cuInit */
    DRV_INIT,
    DRV_CONTEXT_ANY, /* a current context, faulted or not */
    DRV_CONTEXT,     /* a current context without a fault */
};

/* Takes the lock, counts the call for faults on demand and checks what it needs. Returns the code
 * to give back at once, or 0. drv_leave() in any case. */
int drv_enter(const char *call, enum drv_need need);
int drv_leave(int code);

/* Reads the configuration and finds the devices, once. */
void drv_start(void);

/* The calling thread's current context, NULL when there is none or it is gone. */
struct drv_context *drv_current(void);
void *drv_current_handle(void);
void drv_set_current(void *handle); /* replaces the top of the thread's stack */
int drv_push_current(void *handle); /* 0 or a code */
bool drv_pop_current(void **handle);

/* The device by number, or NULL. */
struct drv_device *drv_device_at(int ordinal);

/* Puts a fault into a context; the first one stays. */
void drv_context_fault(struct drv_context *context, int code);

/* The stream that a handle means in the current context (NULL, 1 and 2: the default one), or NULL.
 */
struct drv_stream *drv_stream_of(struct drv_context *context, const void *handle);

/* When work put into the stream now would start, and that it ends at `end_ns`. */
uint64_t drv_stream_start(struct drv_stream *stream);
void drv_stream_end(struct drv_stream *stream, uint64_t end_ns);
/* The program waits for the stream. */
void drv_stream_wait(struct drv_stream *stream);

/* Frees the context's modules; in drv_module.c. */
void drv_module_free_all(struct drv_context *context);

#endif
