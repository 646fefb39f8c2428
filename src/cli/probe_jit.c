#include "cli/probe_jit.h"

#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "probe/jit.h"

#define WORKER_TIMEOUT_MS 600000

static void print(const struct probe_images *images, const struct jit_times *times, size_t count)
{
    static const struct grid_column columns[] = {
        { "col.image", false },      { "col.code", true },       { "col.jit_plain", true },
        { "col.jit_filling", true }, { "col.jit_cached", true },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; g && i < count; i++) {
        char arch[32];
        image_arch_name(&images->list[times[i].image].info, arch, sizeof arch);
        grid_cell(g, arch);
        grid_cellf(g, "%d", times[i].code);
        grid_cellf(g, "%.2f", times[i].without_cache_ms);
        grid_cellf(g, "%.2f", times[i].filling_ms);
        grid_cellf(g, "%.2f", times[i].from_cache_ms);
    }
    if (g)
        grid_print(g, 2);
    grid_free(g);
    out_wrapped(OUT_DIM, 2, text_get("probe.jit"));
}

static json_t *to_json(const struct probe_images *images, const struct jit_times *times,
                       size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        char arch[32];
        json_t *j = json_object();
        image_arch_name(&images->list[times[i].image].info, arch, sizeof arch);
        json_put_text(j, "arch", arch);
        json_put(j, "code", json_integer(times[i].code));
        json_put(j, "without_cache_ms", json_real(times[i].without_cache_ms));
        json_put(j, "filling_cache_ms", json_real(times[i].filling_ms));
        json_put(j, "from_cache_ms", json_real(times[i].from_cache_ms));
        json_array_append_new(list, j);
    }
    return list;
}

int probe_jit(const struct machine *m, const struct device *device,
              const struct probe_images *images, json_t *json, struct err *err)
{
    struct jit_times times[JIT_IMAGES_MAX];
    size_t count;
    struct load_plan plan = { .library = m->library,
                              .ordinal = device->ordinal,
                              .timeout_ms = WORKER_TIMEOUT_MS };
    if (jit_measure(images, &plan, times, &count, err))
        return -1;
    if (json)
        json_put(json, "jit", to_json(images, times, count));
    else
        print(images, times, count);
    return 0;
}
