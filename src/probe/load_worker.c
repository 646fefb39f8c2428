/* The worker's side of load.h: one driver, one device, one image after the other. */
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "cuda/device.h"
#include "cuda/module.h"
#include "fatbin/images.h"
#include "probe/expect.h"
#include "probe/images.h"
#include "probe/load.h"

enum {
    THREADS = 64, /* one block: far below any time limit */
    RESULTS = 50, /* fewer than threads: the bounds check of the kernel is part of the test */
};

struct bench {
    struct driver driver;
    struct probe_images images;
    const struct device *device;
    FILE *report;
};

/* The kernel's answer for one item, as it goes into the report. */
struct outcome {
    const char *call; /* the first that failed */
    int code;
    bool ran, right;
    struct probe_result first;
    int binary_version, ptx_version;
};

static void write_line(FILE *report, json_t *line)
{
    json_dumpf(line, report, JSON_COMPACT);
    fputc('\n', report);
    fflush(report);
    json_decref(line);
}

/* Notes the first failure; returns true while all went well. */
static bool ok(struct outcome *o, int result, const char *call)
{
    if (result && !o->code) {
        o->code = result;
        o->call = call;
    }
    return !result;
}

static bool right(const struct probe_result *results, unsigned seed)
{
    for (unsigned i = 0; i < RESULTS; i++) {
        struct probe_result expected = expect_result(seed, i);
        expected.image_id = results[0].image_id;
        expected.cuda_arch = results[0].cuda_arch;
        if (memcmp(&expected, &results[i], sizeof expected) != 0)
            return false;
    }
    /* Behind the last result the poison must stand. */
    const unsigned char *rest = (const unsigned char *)&results[RESULTS];
    for (size_t i = 0; i < (THREADS - RESULTS) * sizeof *results; i++)
        if (rest[i] != 0xff)
            return false;
    return true;
}

static void launch(struct bench *b, struct gpu_function *function, uint64_t out, struct outcome *o)
{
    const struct driver_calls *call = &b->driver.call;
    unsigned count = RESULTS, seed = 12345;
    void *params[] = { &out, &count, &seed };
    struct probe_result results[THREADS];
    if (!ok(o, call->set_bytes(out, 0xff, sizeof results), "cuMemsetD8") ||
        !ok(o, call->launch(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL),
            "cuLaunchKernel") ||
        !ok(o, call->context_synchronize(), "cuCtxSynchronize") ||
        !ok(o, call->copy_to_host(results, out, sizeof results), "cuMemcpyDtoH"))
        return;
    o->ran = true;
    o->first = results[0];
    o->right = right(results, seed);
}

static void run_kernel(struct bench *b, const struct module_load *load, struct outcome *o)
{
    const struct driver_calls *call = &b->driver.call;
    struct gpu_function *function = NULL;
    uint64_t out = 0;
    if (!ok(o, call->module_function(&function, load->module, "probe"), "cuModuleGetFunction"))
        return;
    ok(o, call->function_attribute(&o->binary_version, GPU_FUNC_BINARY_VERSION, function),
       "cuFuncGetAttribute");
    ok(o, call->function_attribute(&o->ptx_version, GPU_FUNC_PTX_VERSION, function),
       "cuFuncGetAttribute");
    if (!ok(o, call->mem_alloc(&out, THREADS * sizeof(struct probe_result)), "cuMemAlloc"))
        return;
    launch(b, function, out, o);
    ok(o, call->mem_free(out), "cuMemFree");
}

static const void *item_data(const struct bench *b, bool whole, size_t index)
{
    if (whole)
        return index < embedded_image_count ? embedded_images[index].data : NULL;
    return index < b->images.count ? b->images.list[index].data : NULL;
}

static void do_item(struct bench *b, size_t item, const void *data)
{
    write_line(b->report, json_pack("{s:I}", "begin", (json_int_t)item));
    struct module_load load;
    struct outcome o = { .call = "" };
    module_load(&b->driver, data, &load);
    if (load.module)
        run_kernel(b, &load, &o);
    module_unload(&b->driver, &load);
    struct str log = STR_INIT;
    utf8_add_valid(&log, load.log);
    write_line(b->report,
               json_pack("{s:I, s:i, s:f, s:s, s:i, s:s, s:b, s:b, s:i, s:i, s:i, s:i}", "item",
                         (json_int_t)item, "code", load.code, "time_ms", (double)load.time_ns / 1e6,
                         "log", log.p, "run_code", o.code, "run_call", o.call, "ran", o.ran,
                         "right", o.right, "image_id", (int)o.first.image_id, "cuda_arch",
                         (int)o.first.cuda_arch, "binary_version", o.binary_version, "ptx_version",
                         o.ptx_version));
    str_free(&log);
}

static int do_items(struct bench *b, const json_t *input, struct err *err)
{
    size_t first = (size_t)json_integer_value(json_object_get(input, "first")), i;
    json_t *item;
    json_array_foreach(json_object_get(input, "items"), i, item)
    {
        size_t index = (size_t)json_integer_value(json_object_get(item, "index"));
        const void *data = item_data(b, json_is_true(json_object_get(item, "whole")), index);
        if (!data)
            return err_set(err, ERR_FORMAT, "no embedded image %zu", index);
        do_item(b, first + i, data);
    }
    return 0;
}

static int on_device(struct bench *b, const json_t *input, struct err *err)
{
    struct device devices[DEVICES_MAX];
    size_t count, ordinal = (size_t)json_integer_value(json_object_get(input, "ordinal"));
    if (device_list(&b->driver, devices, &count, err))
        return -1;
    if (ordinal >= count)
        return err_set(err, ERR_DRIVER, "no device %zu", ordinal);
    b->device = &devices[ordinal];
    if (device_enter(&b->driver, b->device, err))
        return -1;
    int failed = do_items(b, input, err);
    device_leave(&b->driver, b->device);
    return failed;
}

static int run(const json_t *input, FILE *report, struct err *err)
{
    struct bench b = { .report = report };
    const char *library = json_string_value(json_object_get(input, "library"));
    if (probe_images_find(&b.images, "probe", err))
        return -1;
    enum driver_state state = driver_open(&b.driver, library, err);
    int failed = -1;
    if (state == DRIVER_READY)
        failed = on_device(&b, input, err);
    else if (state == DRIVER_NO_DEVICE)
        driver_check(err, GPU_NO_DEVICE, "cuInit");
    driver_close(&b.driver);
    probe_images_free(&b.images);
    return failed;
}

const struct worker_task load_task = { "load", run };
