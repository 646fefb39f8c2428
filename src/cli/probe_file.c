#include "cli/probe_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/utf8.h"
#include "probe/foreign.h"

#define WORKER_TIMEOUT_MS 600000 /* large PTX takes the driver minutes */

struct counts {
    size_t loaded, refused, wrong;
};

static bool loads(const struct foreign_container *c)
{
    return c->started && !c->crashed && c->code == GPU_OK;
}

static bool expected(const struct foreign_container *c)
{
    enum verdict v = c->predicted.verdict;
    bool success = v == VERDICT_RUNS || v == VERDICT_RUNS_BY_JIT;
    if (!c->started || c->crashed)
        return false;
    if (loads(c))
        return success || v == VERDICT_UNCERTAIN;
    for (size_t i = 0; i < c->predicted.code_count; i++)
        if (c->predicted.codes[i] == c->code && !success)
            return true;
    return v == VERDICT_NO_GPU_CODE;
}

static struct counts count(const struct foreign_file *file)
{
    struct counts n = { 0 };
    for (size_t i = 0; i < file->count; i++) {
        n.loaded += loads(&file->list[i]);
        n.refused += !loads(&file->list[i]);
        n.wrong += !expected(&file->list[i]);
    }
    return n;
}

static void fact_cell(struct str *to, const struct foreign_container *c)
{
    if (!c->started)
        str_add(to, "-");
    else if (c->crashed)
        str_add(to, c->note);
    else if (c->code)
        str_addf(to, "%d (%s)", c->code, driver_code_text(c->code));
    else
        text_add(to, "probe.loads", NULL);
    if (!expected(c))
        str_add(to, " !");
}

/* Every container with -v; else those alone that did not do as expected. */
static void print_containers(const struct foreign_file *file, bool all)
{
    static const struct grid_column columns[] = {
        { "col.offset", true }, { "col.image", false },  { "col.predicted", false },
        { "col.fact", false },  { "col.kernels", true }, { "col.load_ms", true }
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; g && i < file->count; i++) {
        const struct foreign_container *c = &file->list[i];
        if (!all && expected(c))
            continue;
        struct str fact = STR_INIT;
        fact_cell(&fact, c);
        grid_cellf(g, "%" PRIu64, c->offset);
        grid_cell(g, c->choice);
        grid_cell(g, verdict_name(c->predicted.verdict));
        grid_cell(g, fact.p);
        grid_cellf(g, "%zu/%zu", c->kernels_found, c->kernel_count);
        grid_cellf(g, "%.2f", c->time_ms);
        str_free(&fact);
    }
    if (g && grid_rows(g))
        grid_print(g, 2);
    grid_free(g);
}

static void print_device(const struct cmd_run *run, const struct device *device,
                         const struct foreign_file *file)
{
    struct counts n = count(file);
    char all[24], loaded[24], wrong[24], cc[16];
    struct str line = STR_INIT;
    snprintf(all, sizeof all, "%zu", file->count);
    snprintf(loaded, sizeof loaded, "%zu", n.loaded);
    snprintf(wrong, sizeof wrong, "%zu", n.wrong);
    snprintf(cc, sizeof cc, "%u.%u", device->cc / 10, device->cc % 10);
    const char *id = !file->count ? "probe.file_nothing"
                     : n.wrong    ? "probe.file_wrong"
                                  : "probe.file";
    text_add(&line, id,
             TEXT_ARGS({ "name", device->name }, { "cc", cc }, { "all", all }, { "loaded", loaded },
                       { "wrong", wrong }));
    out_wrapped(n.wrong ? OUT_BAD : n.loaded ? OUT_GOOD : OUT_DOUBTFUL, 0, line.p);
    print_containers(file, run->globals->verbose);
    str_free(&line);
}

static json_t *container_json(const struct foreign_container *c)
{
    json_t *j = json_object();
    json_put_number(j, "offset", c->offset);
    json_put_number(j, "bytes", c->size);
    json_put_number(j, "image_count", c->image_count);
    json_put_filled(j, "choice", c->choice);
    json_put_text(j, "predicted", verdict_name(c->predicted.verdict));
    json_put_text(j, "rule", c->predicted.rule);
    if (c->started && !c->crashed) {
        json_put(j, "code", json_integer(c->code));
        json_put_text(j, "error_name", driver_code_name(c->code));
        json_put(j, "load_ms", json_real(c->time_ms));
    } else {
        json_put_unknown(j, "code", *c->note ? c->note : "not reached");
    }
    json_put_number(j, "kernel_count", c->kernel_count);
    json_put_number(j, "kernels_found", c->kernels_found);
    json_put_filled(j, "log", c->log);
    json_put_bool(j, "agrees", expected(c));
    return j;
}

static void add_json(json_t *devices, const struct device *device, const struct foreign_file *file)
{
    json_t *j = machine_device_json(device), *containers = json_array();
    for (size_t i = 0; i < file->count; i++)
        json_array_append_new(containers, container_json(&file->list[i]));
    json_put(j, "file_containers", containers);
    json_array_append_new(devices, j);
}

/* One device; adds its counts. */
static int probe_on(struct cmd_run *run, const struct machine *m, const struct device *device,
                    const char *path, json_t *devices, int *status, struct err *err)
{
    struct foreign_file file;
    struct arch_target target = machine_target(m, device);
    if (foreign_find(&file, path, &target, err))
        return -1;
    int failed = foreign_load(&file, path, m->library, device->ordinal, WORKER_TIMEOUT_MS, err);
    if (failed)
        goto done;
    struct counts n = count(&file);
    if (devices)
        add_json(devices, device, &file);
    else
        print_device(run, device, &file);
    if (n.wrong)
        *status = CMD_FAILED;
    else if (!n.loaded && file.count && *status == CMD_DONE)
        *status = CMD_NOT_FIT;
done:
    foreign_free(&file);
    return failed;
}

int probe_file(struct cmd_run *run, const struct machine *m, const char *path, struct err *err)
{
    int status = CMD_DONE;
    json_t *devices = run->doc ? json_array() : NULL;
    for (size_t d = 0; d < m->count; d++)
        if (probe_on(run, m, &m->devices[d], path, devices, &status, err)) {
            json_decref(devices);
            return -1;
        }
    if (devices) {
        json_put_text(run->doc, "path", path);
        json_put(run->doc, "devices", devices);
    } else if (m->simulated) {
        out_wrapped(OUT_DOUBTFUL, 0, text_get("probe.simulated"));
    }
    return status;
}
