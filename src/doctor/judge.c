#include "doctor/judge.h"

/* Different architectures of a container. */
static size_t arch_count(const struct holds_group *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->image_count; i++) {
        size_t j = 0;
        while (j < i && g->images[j].arch != g->images[i].arch)
            j++;
        count += j == i;
    }
    return count;
}

static struct arch_verdict ask(const struct holds_group *g, const struct arch_target *target)
{
    if (g->path != ARCH_CONTAINER && g->image_count == 1)
        return arch_judge(g->images, target, g->path);
    return arch_judge_container(g->images, g->image_count, target, NULL);
}

static bool serves(enum verdict verdict)
{
    return verdict == VERDICT_RUNS || verdict == VERDICT_RUNS_BY_JIT;
}

/* Whether the only PTX of the group that could do is for one architecture alone. */
static bool note_archs(struct judge *j, const struct holds_group *g,
                       const struct arch_target *target)
{
    bool plain = false, special = false;
    for (size_t i = 0; i < g->image_count; i++) {
        const struct arch_image *image = &g->images[i];
        if (image->kind == ARCH_PTX && image->arch <= target->cc)
            *(image->suffix ? &special : &plain) = true;
        if (image->kind != ARCH_CUBIN || !image->arch)
            continue;
        if (!j->lowest || image->arch < j->lowest)
            j->lowest = image->arch;
        if (image->arch > j->highest)
            j->highest = image->arch;
    }
    return special && !plain;
}

struct weights {
    uint64_t by[VERDICT_COUNT];
    struct arch_verdict first[VERDICT_COUNT];
    uint64_t most[VERDICT_COUNT]; /* containers of the group that `first` is from */
};

static void weigh(struct weights *w, const struct arch_verdict *v, uint64_t containers)
{
    w->by[v->verdict] += containers;
    if (containers > w->most[v->verdict]) {
        w->most[v->verdict] = containers;
        w->first[v->verdict] = *v;
    }
}

/* Among general containers the larger part decides; of special ones a single usable one is enough,
 * since a library keeps one for each architecture. */
static enum verdict decide(const struct weights *w, bool general)
{
    static const enum verdict order[] = { VERDICT_RUNS,          VERDICT_RUNS_BY_JIT,
                                          VERDICT_UNCERTAIN,     VERDICT_DRIVER_TOO_OLD,
                                          VERDICT_LIBRARY_FLOOR, VERDICT_DRIVER_DROPPED_CARD,
                                          VERDICT_NO_IMAGE };
    uint64_t usable = w->by[VERDICT_RUNS] + w->by[VERDICT_RUNS_BY_JIT], all = usable;
    for (size_t i = 2; i < sizeof order / sizeof order[0]; i++)
        all += w->by[order[i]];
    if (!all)
        return VERDICT_NO_GPU_CODE;
    bool runs = general ? usable * 2 >= all : usable > 0;
    enum verdict best = VERDICT_NO_GPU_CODE;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (serves(order[i]) != runs || !w->by[order[i]])
            continue;
        if (best == VERDICT_NO_GPU_CODE || (general && w->by[order[i]] > w->by[best]))
            best = order[i];
    }
    return best;
}

void judge_file(const struct holds *holds, const struct arch_target *target, struct judge *judge)
{
    struct weights w = { 0 };
    uint64_t special = 0;
    bool general = false;
    *judge = (struct judge){ .verdict = VERDICT_NO_GPU_CODE };
    for (size_t i = 0; i < holds->group_count; i++)
        general |= holds_counts(holds, &holds->groups[i]) && arch_count(&holds->groups[i]) > 1;
    for (size_t i = 0; i < holds->group_count; i++) {
        const struct holds_group *g = &holds->groups[i];
        if (!holds_counts(holds, g) || (general && arch_count(g) < 2))
            continue;
        struct arch_verdict v = ask(g, target);
        weigh(&w, &v, g->containers);
        if (note_archs(judge, g, target))
            special += g->containers;
        judge->linked_only |= g->linked;
    }
    judge->verdict = decide(&w, general);
    judge->why = w.first[judge->verdict];
    judge->by_jit = w.by[VERDICT_RUNS_BY_JIT];
    judge->too_new = w.by[VERDICT_DRIVER_TOO_OLD];
    for (int v = 0; v < VERDICT_COUNT; v++)
        if (serves((enum verdict)v))
            judge->usable += w.by[v];
        else if (v != VERDICT_NO_GPU_CODE)
            judge->without += w.by[v];
    judge->special_ptx = special && special * 2 >= judge->without;
}

bool judge_fails(const struct judge *judge)
{
    return !serves(judge->verdict) && judge->verdict != VERDICT_UNCERTAIN &&
           judge->verdict != VERDICT_NO_GPU_CODE;
}
