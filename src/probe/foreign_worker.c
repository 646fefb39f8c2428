/* The worker's side of foreign.h: each container is copied in front of a guard page, since the
 * driver trusts the sizes inside, and given to the driver. */
#include <stdlib.h>
#include <string.h>

#include "core/os_guard.h"
#include "core/utf8.h"
#include "cuda/device.h"
#include "cuda/module.h"
#include "image/input.h"
#include "probe/foreign.h"

#define COPY_MAX ((uint64_t)1 << 30)

static int copy_out(const char *path, uint64_t offset, uint64_t size, struct os_guard *guard,
                    struct err *err)
{
    if (size > COPY_MAX)
        return err_set(err, ERR_LIMIT, "container is larger than 1 GiB");
    struct input *in = input_open(path, err);
    int failed = !in || input_skip(in, offset, err) || os_guard_new(guard, (size_t)size, err);
    for (uint64_t done = 0; !failed && done < size;) {
        size_t got, want = size - done < 1 << 20 ? (size_t)(size - done) : 1 << 20;
        const uint8_t *data = input_peek(in, want, &got, err);
        if (!data || !got) {
            failed = err_set(err, ERR_FORMAT, "file ends inside the container");
            break;
        }
        got = got < want ? got : want;
        memcpy((char *)guard->data + done, data, got);
        done += got;
        failed = input_skip(in, got, err);
    }
    input_close(in);
    return failed ? -1 : 0;
}

static size_t count_kernels(const struct driver *d, const struct module_load *load,
                            const json_t *names)
{
    size_t found = 0, i;
    json_t *name;
    json_array_foreach(names, i, name)
    {
        struct gpu_function *function;
        found +=
            d->call.module_function(&function, load->module, json_string_value(name)) == GPU_OK;
    }
    return found;
}

static void write_line(FILE *report, json_t *line)
{
    json_dumpf(line, report, JSON_COMPACT);
    fputc('\n', report);
    fflush(report);
    json_decref(line);
}

static int do_container(const struct driver *d, const char *path, const json_t *c, size_t item,
                        FILE *report, struct err *err)
{
    struct os_guard guard = { 0 };
    uint64_t offset = (uint64_t)json_integer_value(json_object_get(c, "offset"));
    uint64_t size = (uint64_t)json_integer_value(json_object_get(c, "size"));
    int failed = copy_out(path, offset, size, &guard, err);
    if (failed)
        goto done;
    write_line(report, json_pack("{s:I}", "begin", (json_int_t)item));
    struct module_load load;
    struct str log = STR_INIT;
    module_load(d, guard.data, &load);
    size_t found = load.module ? count_kernels(d, &load, json_object_get(c, "kernels")) : 0;
    module_unload(d, &load);
    utf8_add_valid(&log, load.log);
    write_line(report, json_pack("{s:I, s:i, s:f, s:I, s:s}", "item", (json_int_t)item, "code",
                                 load.code, "time_ms", (double)load.time_ns / 1e6, "kernels_found",
                                 (json_int_t)found, "log", log.p));
    str_free(&log);
done:
    os_guard_free(&guard);
    return failed;
}

static int on_device(const struct driver *d, const json_t *input, FILE *report, struct err *err)
{
    struct device devices[DEVICES_MAX];
    size_t count, i, ordinal = (size_t)json_integer_value(json_object_get(input, "ordinal"));
    size_t first = (size_t)json_integer_value(json_object_get(input, "first"));
    const char *path = json_string_value(json_object_get(input, "path"));
    json_t *c;
    if (device_list(d, devices, &count, err))
        return -1;
    if (ordinal >= count)
        return err_set(err, ERR_DRIVER, "no device %zu", ordinal);
    if (device_enter(d, &devices[ordinal], err))
        return -1;
    int failed = 0;
    json_array_foreach(json_object_get(input, "containers"), i, c)
    {
        failed = do_container(d, path, c, first + i, report, err);
        if (failed || device_is_poisoned(d))
            break; /* poisoned: the next worker goes on behind it */
    }
    device_leave(d, &devices[ordinal]);
    return failed;
}

static int run(const json_t *input, FILE *report, struct err *err)
{
    struct driver d;
    int failed = -1;
    enum driver_state state =
        driver_open(&d, json_string_value(json_object_get(input, "library")), err);
    if (state == DRIVER_READY)
        failed = on_device(&d, input, report, err);
    else if (state == DRIVER_NO_DEVICE)
        driver_check(err, GPU_NO_DEVICE, "cuInit");
    driver_close(&d);
    return failed;
}

const struct worker_task foreign_task = { "foreign", run };
