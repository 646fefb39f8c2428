#include "cuda/module.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void module_load(const struct driver *d, const void *image, struct module_load *load)
{
    char info[2048] = "", error[2048] = "";
    int options[] = { GPU_JIT_INFO_LOG, GPU_JIT_INFO_LOG_BYTES, GPU_JIT_ERROR_LOG,
                      GPU_JIT_ERROR_LOG_BYTES };
    /* Sizes travel as the pointer values themselves: so the interface wants it. */
    void *values[] = { info, (void *)(uintptr_t)sizeof info, error,
                       (void *)(uintptr_t)sizeof error };
    *load = (struct module_load){ 0 };
    uint64_t start = now_ns();
    load->code = d->call.module_load_data_ex(&load->module, image, 4, options, values);
    load->time_ns = now_ns() - start;
    info[sizeof info - 1] = error[sizeof error - 1] = 0;
    snprintf(load->log, sizeof load->log, "%s%s%s", error, *error && *info ? "\n" : "", info);
    if (load->code)
        load->module = NULL;
}

void module_unload(const struct driver *d, struct module_load *load)
{
    if (load->module)
        d->call.module_unload(load->module);
    load->module = NULL;
}

int module_function(const struct driver *d, const struct module_load *load, const char *name,
                    struct gpu_function **function, struct err *err)
{
    int result = d->call.module_function(function, load->module, name);
    return driver_check(err, result, "cuModuleGetFunction");
}
