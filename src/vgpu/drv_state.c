#include "vgpu/drv_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vgpu/drv_log.h"
#include "vgpu/drv_visible.h"

struct drv_state drv_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local const char *entered;

enum { STACK_MAX = 64 };
static _Thread_local void *stack[STACK_MAX];
static _Thread_local int stack_depth;

/* ---- start -------------------------------------------------------------------------------------
 */

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static void make_device(struct drv_device *device, struct drv_card *card, unsigned place)
{
    *device = (struct drv_device){ .card = card, .bus = place + 1 };
    memcpy(device->uuid, "vgpu", 4);
    uint64_t h = hash(card->name);
    memcpy(device->uuid + 4, &h, sizeof h);
    device->uuid[15] = (unsigned char)device->bus;
    snprintf(device->pci_id, sizeof device->pci_id, "0000:%02x:00.0", device->bus & 0xff);
}

static void find_devices(void)
{
    struct drv_config *config = &drv_state.config;
    int count = 0;
    for (size_t i = 0; i < config->card_count; i++) {
        struct drv_card *card = &config->cards[i];
        if (drv_card_enumerated(card, &config->driver))
            make_device(&drv_state.devices[count++], card, (unsigned)i);
        else
            drv_log("driver %s does not know '%s': it is not there", config->driver.text,
                    card->name);
    }
    drv_state.device_count = drv_visible_choose(drv_state.devices, count);
    for (int i = 0; i < drv_state.device_count; i++)
        drv_state.devices[i].ordinal = i;
}

/* A fault in a call that does not exist would do nothing, and nobody would notice. */
static int check_fault_names(struct err *err)
{
    static const char *const names[] = {
#define CALL(base, symbol, since, arguments) #base,
#define NONE(base, symbol, since)            #base,
#include "vgpu/drv_api.def"
#include "vgpu/drv_none.def"
#undef CALL
#undef NONE
        "launch",
    };
    const struct drv_faults *faults = &drv_state.config.faults;
    for (unsigned i = 0; i < faults->count + faults->missing_count; i++) {
        const char *call =
            i < faults->count ? faults->items[i].call : faults->missing[i - faults->count];
        size_t n = 0;
        while (n < sizeof names / sizeof *names && strcmp(names[n], call) != 0)
            n++;
        if (n == sizeof names / sizeof *names)
            return err_set(err, ERR_USAGE, "no driver call '%s'", call);
    }
    return 0;
}

void drv_start(void)
{
    if (drv_state.started)
        return;
    drv_state.started = true;
    struct err err;
    err_clear(&err);
    if (drv_config_read(&drv_state.config, &err) < 0 || check_fault_names(&err) < 0) {
        drv_log("no device: %s", err.msg);
        memset(&drv_state.config, 0, sizeof drv_state.config);
        drv_state.start_code = DRV_NO_DEVICE;
        return;
    }
    find_devices();
    drv_state.start_code = drv_state.device_count ? DRV_OK : DRV_NO_DEVICE;
}

/* ---- enter and leave ----------------------------------------------------------------------------
 */

static int check_context(enum drv_need need)
{
    struct drv_context *context = drv_current();
    if (!context)
        return drv_current_handle() ? DRV_CONTEXT_IS_DESTROYED : DRV_INVALID_CONTEXT;
    return need == DRV_CONTEXT ? context->fault : DRV_OK;
}

int drv_enter(const char *call, enum drv_need need)
{
    pthread_mutex_lock(&lock);
    entered = call;
    drv_start();
    int code = drv_fault_hit(&drv_state.config.faults, call);
    if (code) {
        drv_log("%s fails with %d on demand", call, code);
        struct drv_context *context = drv_current();
        if (context && drv_fault_is_sticky(code))
            drv_context_fault(context, code);
        return code;
    }
    if (need == DRV_NOTHING)
        return DRV_OK;
    if (!drv_state.initialised)
        return DRV_NOT_INITIALIZED;
    return need == DRV_INIT ? DRV_OK : check_context(need);
}

int drv_leave(int code)
{
    if (code && code != DRV_NOT_READY)
        drv_log("%s returns %d", entered, code);
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- current context
 * ----------------------------------------------------------------------------- */

void *drv_current_handle(void)
{
    return stack_depth ? stack[stack_depth - 1] : NULL;
}

struct drv_context *drv_current(void)
{
    return drv_handle_object(DRV_HANDLE_CONTEXT, drv_current_handle());
}

void drv_set_current(void *handle)
{
    if (stack_depth)
        stack_depth--;
    if (handle)
        stack[stack_depth++] = handle;
}

int drv_push_current(void *handle)
{
    if (stack_depth == STACK_MAX)
        return DRV_OUT_OF_MEMORY;
    stack[stack_depth++] = handle;
    return DRV_OK;
}

bool drv_pop_current(void **handle)
{
    if (!stack_depth)
        return false;
    *handle = stack[--stack_depth];
    return true;
}

struct drv_device *drv_device_at(int ordinal)
{
    return ordinal >= 0 && ordinal < drv_state.device_count ? &drv_state.devices[ordinal] : NULL;
}

void drv_context_fault(struct drv_context *context, int code)
{
    if (!context->fault)
        context->fault = code;
}

/* ---- what needs no device
 * -------------------------------------------------------------------------- */

static void sleep_ms(unsigned ms)
{
    struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };
    nanosleep(&t, NULL);
}

int cuInit(unsigned flags)
{
    int code = drv_enter("cuInit", DRV_NOTHING);
    if (code == DRV_OK && flags)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !drv_state.initialised) {
        if (drv_state.config.faults.slow_start_ms)
            sleep_ms(drv_state.config.faults.slow_start_ms);
        code = drv_state.start_code;
        drv_state.initialised = code == DRV_OK;
    }
    return drv_leave(code);
}

int cuDriverGetVersion(int *version)
{
    int code = drv_enter("cuDriverGetVersion", DRV_NOTHING);
    if (code == DRV_OK && !version)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !drv_state.config.driver.cuda)
        code = drv_state.start_code;
    if (code == DRV_OK)
        *version = drv_state.config.driver.cuda;
    return drv_leave(code);
}
