/* Launches: checked as a driver checks them, run to their end, charged to the stream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/drv_counters.h"
#include "vgpu/drv_log.h"
#include "vgpu/drv_model.h"
#include "vgpu/drv_module.h"

enum { PARAM_END, PARAM_BUFFER, PARAM_BUFFER_SIZE };
enum { PARAM_PADDING = 16 };

#define BUDGET_DEFAULT (UINT64_C(1) << 33)

/* ---- parameters
 * -------------------------------------------------------------------------------------- */

/* From one pointer a parameter to the buffer that the kernel sees. */
static int gather(const struct drv_function *f, void **params, unsigned char *buffer)
{
    struct exec_param param;
    if (f->info.param_count && !params)
        return DRV_INVALID_VALUE;
    for (uint32_t i = 0; exec_kernel_param(f->kernel, i, &param); i++) {
        if (!params[i])
            return DRV_INVALID_VALUE;
        memcpy(buffer + param.offset, params[i], param.size);
    }
    return DRV_OK;
}

/* The program lays the buffer out itself; a struct may be padded at its end. More than that is what
 * the text of 701 means by too many parameters. */
static int from_extra(const struct drv_function *f, void **extra, unsigned char *buffer)
{
    const void *data = NULL;
    size_t size = 0, needed = f->info.param_bytes;
    for (; (uintptr_t)extra[0] != PARAM_END; extra += 2) {
        if ((uintptr_t)extra[0] == PARAM_BUFFER)
            data = extra[1];
        else if ((uintptr_t)extra[0] == PARAM_BUFFER_SIZE)
            size = *(const size_t *)extra[1];
        else
            return DRV_INVALID_VALUE;
    }
    if (size < needed || (size && !data))
        return DRV_INVALID_VALUE;
    if (size > (needed + PARAM_PADDING - 1) / PARAM_PADDING * PARAM_PADDING)
        return DRV_LAUNCH_OUT_OF_RESOURCES;
    if (needed)
        memcpy(buffer, data, needed);
    return DRV_OK;
}

/* ---- what a driver checks
 * ------------------------------------------------------------------------------ */

static int check_shape(const struct exec_launch *launch)
{
    static const uint32_t grid_max[3] = { INT32_MAX, 65535, 65535 };
    static const uint32_t block_max[3] = { 1024, 1024, 64 };
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] == 0 || launch->grid[i] > grid_max[i] || launch->block[i] == 0 ||
            launch->block[i] > block_max[i])
            return DRV_INVALID_VALUE;
        threads *= launch->block[i];
    }
    return threads > 1024 ? DRV_INVALID_VALUE : DRV_OK;
}

static int check_resources(const struct drv_function *f, const struct exec_launch *launch)
{
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (launch->dynamic_shared_bytes > f->dynamic_shared_max ||
        f->info.shared_bytes > DRV_CARD_SHARED_BLOCK || threads > f->info.max_threads)
        return DRV_INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (f->info.required[i] && f->info.required[i] != launch->block[i])
            return DRV_INVALID_VALUE;
    return threads > drv_function_max_threads(f) ? DRV_LAUNCH_OUT_OF_RESOURCES : DRV_OK;
}

/* ---- running
 * ------------------------------------------------------------------------------------------ */

static struct drv_model model_of(const struct drv_function *f)
{
    const struct drv_context *context = f->module->context;
    int banks = f->bank_config ? f->bank_config : context->bank_config;
    bool wide = context->device->card->cc / 10 == 3 && banks == 2;
    return (struct drv_model){ .card = context->device->card,
                               .clock_percent = drv_fault_clock(&drv_state.config.faults),
                               .bank_bytes = wide ? 8 : 4,
                               .footprint_bytes = mem_used(context->device->arena) };
}

static void prepare(const struct drv_function *f, struct exec_launch *launch,
                    const struct drv_model *model)
{
    const struct drv_config *config = &drv_state.config;
    const struct drv_card *card = model->card;
    uint64_t warps = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] *
                     ((launch->block[0] * launch->block[1] * launch->block[2] + 31) / 32);
    launch->params_bytes = f->info.param_bytes;
    launch->bank_bytes = model->bank_bytes;
    launch->relaxed_barriers = config->divergent_barriers;
    launch->find_unwritten = config->report_uninitialised;
    launch->max_shared_bytes = drv_card_limits(card)->shared_block_optin;
    launch->sm_count = card->sms;
    launch->clock_khz =
        (uint64_t)(card->boost_mhz * 10) * (model->clock_percent ? model->clock_percent : 100);
    launch->instruction_budget = config->budget ? config->budget : BUDGET_DEFAULT;
    uint64_t watchdog = drv_model_watchdog(model, warps);
    if (watchdog < launch->instruction_budget)
        launch->instruction_budget = watchdog;
}

static int run(struct drv_function *f, struct drv_stream *stream, struct exec_launch *launch)
{
    struct drv_model model = model_of(f);
    struct exec_result result;
    struct err err;
    err_clear(&err);
    prepare(f, launch, &model);
    launch->start_ns = drv_stream_start(stream);
    if (exec_launch(f->module->code, f->kernel, launch, &result, &err) < 0) {
        drv_log("'%s' cannot be launched: %s", f->name, err.msg);
        return err.native ? err.native : DRV_INVALID_VALUE;
    }
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    unsigned blocks_sm = drv_function_blocks_sm(f, threads, launch->dynamic_shared_bytes);
    uint64_t time_ns = drv_model_kernel_ns(&model, &result.counters, blocks_sm);
    uint64_t start_ns = drv_stream_start(stream);
    drv_stream_end(stream, start_ns + time_ns);
    if (result.code) {
        drv_log("'%s' faults with %d: %s", f->name, result.code, result.fault.text);
        drv_context_fault(stream->context, (int)result.code);
    }
    if (result.unwritten_reads)
        drv_log("'%s' reads what nobody wrote, %llu times: %s", f->name,
                (unsigned long long)result.unwritten_reads, result.unwritten.text);
    if (drv_state.config.counters)
        drv_counters_write(drv_state.config.counters, f->name, launch, &result, time_ns);
    return DRV_OK;
}

static int prepare_and_run(struct drv_function *f, struct drv_stream *stream,
                           struct exec_launch *launch, void **params, void **extra)
{
    if (!f->kernel) {
        drv_log("'%s' is of a cubin whose PTX is not known: it cannot be executed", f->name);
        return DRV_NOT_SUPPORTED;
    }
    int code = check_shape(launch);
    if (code == DRV_OK)
        code = check_resources(f, launch);
    if (code == DRV_OK && params && extra)
        code = DRV_INVALID_VALUE;
    if (code)
        return code;
    unsigned char *buffer = calloc(f->info.param_bytes + 1u, 1);
    if (!buffer)
        return DRV_OUT_OF_MEMORY;
    code = extra ? from_extra(f, extra, buffer) : gather(f, params, buffer);
    launch->params = buffer;
    int fault = code ? 0 : drv_fault_hit(&drv_state.config.faults, "launch");
    if (fault)
        drv_context_fault(stream->context, fault);
    else if (code == DRV_OK)
        code = run(f, stream, launch);
    free(buffer);
    return code;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream_handle, void **params, void **extra)
{
    int code = drv_enter("cuLaunchKernel", DRV_CONTEXT);
    if (code)
        return drv_leave(code);
    struct drv_function *f = drv_function_of(function);
    struct drv_stream *stream = drv_stream_of(drv_current(), stream_handle);
    if (!f || !stream)
        return drv_leave(DRV_INVALID_HANDLE);
    struct exec_launch launch = { .grid = { grid_x, grid_y, grid_z },
                                  .block = { block_x, block_y, block_z },
                                  .dynamic_shared_bytes = shared_bytes };
    struct drv_model model = model_of(f);
    stream->context->host_ns += drv_model_launch_ns(&model);
    return drv_leave(prepare_and_run(f, stream, &launch, params, extra));
}
