#include "probe/jit.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    remove(path);
    return 0;
}

/* Depth first and without following links: what a driver left in its cache goes with the folder. */
static void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int make_folder(char *path, size_t size, struct err *err)
{
    const char *base = getenv("TMPDIR");
    int n = snprintf(path, size, "%s/smfit-jit-XXXXXX", base && *base ? base : "/tmp");
    if (n < 0 || (size_t)n >= size)
        return err_set(err, ERR_LIMIT, "name of the temporary folder is too long");
    return mkdtemp(path) ? 0 : err_errno(err, "cannot make a temporary folder '%s'", path);
}

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
    char folder[4096] = "", cache[4200];
    int failed = -1;
    *count = 0;
    if (!facts) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    if (make_folder(folder, sizeof folder, err)) {
        folder[0] = 0;
        goto done;
    }
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
    if (*folder)
        remove_folder(folder);
    free(facts);
    plan->items = NULL;
    plan->environment = NULL;
    return failed;
}
