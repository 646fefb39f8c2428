#include "probe/jit.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/os_folder.h"

/* One pass over the PTX images in a worker of its own: so that nothing stays loaded from before. */
static int pass(struct load_plan *plan, const char *const *environment, struct load_fact *facts,
                struct err *err)
{
    plan->environment = environment;
    return load_run(plan, facts, err);
}

static size_t gather(const struct probe_images *images, struct load_item *items)
{
    size_t n = 0;
    for (size_t i = 0; i < images->count && n < JIT_IMAGES_MAX; i++)
        if (images->list[i].info.kind == IMAGE_PTX)
            items[n++] = (struct load_item){ .index = i };
    return n;
}

int jit_measure(const struct probe_images *images, struct load_plan *plan, struct jit_times *times,
                size_t *count, struct err *err)
{
    struct load_item items[JIT_IMAGES_MAX];
    struct load_fact *facts = calloc((size_t)JIT_IMAGES_MAX * 3, sizeof *facts);
    char folder[OS_FOLDER_SIZE] = "", cache[OS_FOLDER_SIZE + 32];
    int failed = -1;
    *count = 0;
    if (!facts) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    if (os_folder_make("jit", folder, err))
        goto done;
    snprintf(cache, sizeof cache, "CUDA_CACHE_PATH=%s", folder);
    const char *const without[] = { "CUDA_CACHE_DISABLE=1", NULL };
    const char *const with[] = { "CUDA_CACHE_DISABLE=0", cache, NULL };
    plan->items = items;
    plan->count = gather(images, items);
    struct load_fact *plain = facts, *filling = facts + JIT_IMAGES_MAX,
                     *cached = facts + 2 * JIT_IMAGES_MAX;
    if (pass(plan, without, plain, err) || pass(plan, with, filling, err) ||
        pass(plan, with, cached, err))
        goto done;
    for (size_t i = 0; i < plan->count; i++)
        times[i] = (struct jit_times){ .image = items[i].index,
                                       .code = plain[i].code,
                                       .without_cache_ms = plain[i].time_ms,
                                       .filling_ms = filling[i].time_ms,
                                       .from_cache_ms = cached[i].time_ms };
    *count = plan->count;
    failed = 0;
done:
    os_folder_remove(folder);
    free(facts);
    plan->items = NULL;
    plan->environment = NULL;
    return failed;
}
