#include "vgpu/drv_jit.h"

#include <stdint.h>
#include <string.h>

#include "vgpu/drv_api.h"

/* CUjit_option of cuda.h. */
enum {
    MAX_REGISTERS = 0,
    WALL_TIME = 2,
    INFO_LOG = 3,
    INFO_LOG_BYTES = 4,
    ERROR_LOG = 5,
    ERROR_LOG_BYTES = 6,
    TARGET_FROM_CONTEXT = 8,
    TARGET = 9,
    LAST_HARMLESS = 16, /* optimisation level, debug and line information, cache mode ... */
};

int drv_jit_check(const struct drv_jit *jit, unsigned cc)
{
    if (!jit)
        return DRV_OK;
    if (!jit->options || !jit->values)
        return DRV_INVALID_VALUE;
    for (unsigned i = 0; i < jit->count; i++) {
        int option = jit->options[i];
        if (option < 0)
            return DRV_INVALID_VALUE;
        if (option > LAST_HARMLESS)
            return DRV_NOT_SUPPORTED;
        if (option == TARGET && (uintptr_t)jit->values[i] != cc)
            return DRV_NOT_SUPPORTED;
    }
    return DRV_OK;
}

static void *value_of(const struct drv_jit *jit, int option)
{
    for (unsigned i = 0; i < jit->count; i++)
        if (jit->options[i] == option)
            return jit->values[i];
    return NULL;
}

/* Sizes travel as the values themselves, in both directions. */
static void set_size(const struct drv_jit *jit, int option, size_t bytes)
{
    for (unsigned i = 0; i < jit->count; i++)
        if (jit->options[i] == option)
            jit->values[i] = (void *)(uintptr_t)bytes;
}

static void give(const struct drv_jit *jit, int buffer_option, int size_option, const char *text)
{
    char *buffer = value_of(jit, buffer_option);
    size_t size = (uintptr_t)value_of(jit, size_option) & UINT32_MAX, n = strlen(text);
    if (!buffer || !size)
        return;
    if (n > size - 1)
        n = size - 1;
    memcpy(buffer, text, n);
    buffer[n] = 0;
    set_size(jit, size_option, n);
}

void drv_jit_give_log(const struct drv_jit *jit, const char *log)
{
    if (!jit || !jit->options || !jit->values)
        return;
    give(jit, ERROR_LOG, ERROR_LOG_BYTES, log);
    give(jit, INFO_LOG, INFO_LOG_BYTES, "");
    for (unsigned i = 0; i < jit->count; i++)
        if (jit->options[i] == WALL_TIME) {
            float none = 0; /* the value is the bits of a float: nothing is modelled */
            jit->values[i] = NULL;
            memcpy(&jit->values[i], &none, sizeof none);
        }
}
