#include "vgpu/drv_counters.h"

#include <stdio.h>

#include "core/json.h"
#include "vgpu/drv_log.h"

static json_t *triple(const uint32_t n[3])
{
    json_t *list = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(list, json_integer(n[i]));
    return list;
}

static json_t *classes(const struct exec_counters *c)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < EXEC_CLASSES && exec_class_name(i); i++) {
        if (!c->warp_instructions[i])
            continue;
        json_t *one = json_object();
        json_put_number(one, "warps", c->warp_instructions[i]);
        json_put_number(one, "lanes", c->lane_instructions[i]);
        json_put(object, exec_class_name(i), one);
    }
    return object;
}

static json_t *memory(const struct exec_counters *c)
{
    json_t *m = json_object();
    json_put_number(m, "load_requests", c->global_load_requests);
    json_put_number(m, "load_sectors", c->global_load_sectors);
    json_put_number(m, "load_bytes", c->global_load_bytes);
    json_put_number(m, "store_requests", c->global_store_requests);
    json_put_number(m, "store_sectors", c->global_store_sectors);
    json_put_number(m, "store_bytes", c->global_store_bytes);
    json_put_number(m, "shared_requests", c->shared_requests);
    json_put_number(m, "shared_cycles", c->shared_cycles);
    json_put_number(m, "local_sectors", c->local_sectors);
    json_put_number(m, "atomic_operations", c->atomic_operations);
    return m;
}

void drv_counters_write(const char *path, const char *kernel, const struct exec_launch *launch,
                        const struct exec_result *result, uint64_t time_ns)
{
    const struct exec_counters *c = &result->counters;
    json_t *doc = json_object();
    json_put_text(doc, "kernel", kernel);
    json_put_text(doc, "basis", "simulated");
    json_put(doc, "grid", triple(launch->grid));
    json_put(doc, "block", triple(launch->block));
    json_put_number(doc, "dynamic_shared_bytes", launch->dynamic_shared_bytes);
    json_put_number(doc, "code", (uint64_t)result->code);
    json_put_number(doc, "warp_instructions", c->issued);
    json_put_number(doc, "lane_instructions", c->lanes);
    json_put_number(doc, "divergent_branches", c->divergent_branches);
    json_put(doc, "instructions", classes(c));
    json_put(doc, "memory", memory(c));
    json_put_number(doc, "time_ns", time_ns);
    FILE *f = fopen(path, "a");
    if (!f || json_dumpf(doc, f, JSON_COMPACT) < 0 || fputc('\n', f) == EOF)
        drv_log("counters could not be written to '%s'", path);
    if (f)
        fclose(f);
    json_decref(doc);
}
