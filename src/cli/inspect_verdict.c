#include "cli/inspect.h"

/* Relocatable containers are what went into the device linker; where its product is in the file as
 * well, only that is loaded. Objects and static libraries hold nothing else: there the relocatable
 * ones say what the product can have. */
static bool has_loaded(const struct tally *t)
{
    for (size_t i = 0; i < t->group_count; i++)
        if (t->groups[i].use == TALLY_LOADED)
            return true;
    return false;
}

static struct arch_verdict judge(const struct tally *t, const struct tally_group *g, bool loaded,
                                 const struct target *target, size_t *chosen)
{
    static struct arch_image images[TALLY_ROWS_MAX];
    size_t count = loaded ? tally_group_images(t, g, images) : 0;
    if (g->kind == IMAGE_IN_FATBIN || count != 1)
        return arch_judge_container(images, count, &target->rule, chosen);
    *chosen = 0;
    return arch_judge(images, &target->rule,
                      g->kind == IMAGE_BARE_PTX ? ARCH_BARE_PTX : ARCH_BARE_CUBIN);
}

struct arch_verdict inspect_judge_group(const struct tally *t, const struct tally_group *g,
                                        const struct target *target)
{
    size_t chosen;
    return judge(t, g, g->use == TALLY_LOADED, target, &chosen);
}

static bool serves(enum verdict verdict)
{
    return verdict == VERDICT_RUNS || verdict == VERDICT_RUNS_BY_JIT;
}

static void count(struct arch_summary *sum, enum verdict verdict, size_t containers)
{
    sum->counts[verdict] += containers;
    sum->containers += containers;
    if (serves(verdict))
        sum->usable += containers;
    else if (verdict != VERDICT_NO_GPU_CODE)
        sum->without += containers;
}

static void judge_group(const struct tally *t, const struct tally_group *g,
                        const struct target *target, struct inspect_verdict *v)
{
    size_t chosen = SIZE_MAX;
    bool loaded = g->use == TALLY_LOADED || (g->use == TALLY_LINKED && !has_loaded(t));
    struct arch_verdict verdict = judge(t, g, loaded, target, &chosen);
    if (!v->sum.counts[verdict.verdict])
        v->first[verdict.verdict] = verdict;
    count(&v->sum, verdict.verdict, g->count);
    if (serves(verdict.verdict) && chosen < g->row_count)
        v->used[g->rows[chosen]] = true;
    if (verdict.verdict == VERDICT_NO_IMAGE)
        for (size_t i = 0; i < g->row_count; i++)
            v->without[g->rows[i]] = true;
}

void inspect_judge(const struct tally *t, const struct target *target, struct inspect_verdict *v)
{
    *v = (struct inspect_verdict){ 0 };
    for (size_t i = 0; i < t->group_count; i++)
        judge_group(t, &t->groups[i], target, v);
    v->verdict = arch_summary_verdict(&v->sum);
    /* A file without a container has no reason to show. */
    if (!v->sum.containers)
        v->first[v->verdict] = arch_judge_container(NULL, 0, &target->rule, NULL);
}

/* That nothing runs must be known: `uncertain` is no fault. */
bool inspect_is_unfit(const struct inspect_verdict *v)
{
    return !serves(v->verdict) && v->verdict != VERDICT_UNCERTAIN &&
           v->verdict != VERDICT_NO_GPU_CODE;
}
