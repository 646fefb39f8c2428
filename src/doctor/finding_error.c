#include <stdio.h>
#include <string.h>

#include "doctor/finding_parts.h"

#define W_TEXT 1000

/* ---- what files and driver speak against ---- */

static bool any_tegra(const struct doctor *d)
{
    for (size_t g = 0; g < d->gpu_count; g++) {
        const struct arch_facts *facts = facts_arch(d->gpus[g].rule.cc);
        if (facts && facts->class == ARCH_TEGRA)
            return true;
    }
    return *d->host.jetson != 0;
}

/* A main library with GPU code, and none that says it is without. */
static bool has_gpu_build(const struct doctor *d)
{
    bool any = false;
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        if (p->cpu_build)
            return false;
        any |= p->role == DOCTOR_FRAMEWORK && p->file_count;
    }
    return any;
}

static bool all_gpus_known(const struct doctor *d)
{
    for (size_t g = 0; g < d->gpu_count; g++) {
        const struct arch_image image = { .kind = ARCH_CUBIN, .arch = d->gpus[g].rule.cc };
        if (!version_known(d->gpus[g].rule.driver) ||
            arch_judge(&image, &d->gpus[g].rule, ARCH_CONTAINER).verdict != VERDICT_RUNS)
            return false;
    }
    return d->gpu_count > 0;
}

static bool every_gpu_bound(const struct doctor *d)
{
    for (size_t g = 0; g < d->gpu_count; g++)
        if (!d->gpus[g].present || strcmp(d->gpus[g].kernel_driver, "nvidia") != 0)
            return false;
    return d->gpu_count > 0 && *d->host.module;
}

static bool is_refuted(const struct doctor *d, enum doctor_cause cause)
{
    switch (cause) {
    case CAUSE_A5: return d->gpu_count && !any_tegra(d);
    case CAUSE_A6: return d->gpu_count == 1;
    case CAUSE_A15: return all_gpus_known(d);
    case CAUSE_N1: return has_gpu_build(d);
    case CAUSE_N2: return every_gpu_bound(d) && *d->host.library;
    default: return false;
    }
}

/* ---- the file that the text speaks of ---- */

/* The compiler of a package that the text names, where none of them was found at fault by its
 * version. */
static void put_compiler(const struct doctor *d, struct finding *one)
{
    for (size_t i = 0; i < d->compiler_count; i++) {
        const char *slash = strrchr(d->compilers[i].path, '/');
        enum finding_tool tool = finding_tool_of(slash ? slash + 1 : d->compilers[i].path);
        if (tool != FINDING_NO_TOOL && tool == finding_tool_named(d->error)) {
            one->package = d->compilers[i].package;
            str_copy(one->path, sizeof one->path, d->compilers[i].path);
            return;
        }
    }
}

void finding_error(const struct doctor *d, struct findings *f)
{
    size_t i = 0;
    while (i < f->error.count && is_refuted(d, f->error.causes[i]))
        i++;
    struct finding *one =
        i < f->error.count ? finding_add(f, f->error.causes[i], W_TEXT) : NULL;
    if (!one)
        return;
    one->confidence = FINDING_POSSIBLE;
    one->gpu = d->gpu_count ? 0 : -1;
    if (one->cause == CAUSE_A9 || one->cause == CAUSE_A10)
        put_compiler(d, one);
    finding_say(one, "doctor.by_text");
}
