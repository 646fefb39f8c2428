/* The worker's side of load.h: one driver, one device, one image after the other. */
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "cuda/device.h"
#include "cuda/module.h"
#include "fatbin/images.h"
#include "probe/images.h"
#include "probe/kernel.h"
#include "probe/load.h"

struct bench {
    struct driver driver;
    struct probe_images images;
    const struct device *device;
    FILE *report;
};

static void write_line(FILE *report, json_t *line)
{
    json_dumpf(line, report, JSON_COMPACT);
    fputc('\n', report);
    fflush(report);
    json_decref(line);
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
    struct kernel_outcome o = { .call = "" };
    module_load(&b->driver, data, &load);
    if (load.module)
        kernel_run(&b->driver, &load, &o);
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
        if (device_is_poisoned(&b->driver))
            break; /* the next worker goes on behind it */
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
