#include "doctor/builds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "data/data.h"
#include "doctor/finding_parts.h"

#define IMAGES_MAX 32

static unsigned python_level(const char *text)
{
    unsigned major, minor;
    return sscanf(text, "%u.%u", &major, &minor) == 2 ? major * 100 + minor : 0;
}

bool builds_python(const char *ranges, const char *python)
{
    unsigned wanted = python_level(python);
    if (!wanted || table_blank(ranges))
        return true;
    for (const char *p = ranges; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        if (*p == '(')
            break; /* a remark follows */
        unsigned low = python_level(p), high = low;
        const char *dash = p + strcspn(p, " -");
        if (*dash == '-')
            high = python_level(dash + 1);
        if (wanted >= low && wanted <= high)
            return true;
    }
    return false;
}

/* "sm_35 sm_50 compute_50" as one container that CUDA `cuda` wrote. */
static size_t images_of(const char *archs, const char *cuda, struct arch_image *images)
{
    size_t count = 0;
    unsigned major = 0, minor = 0;
    sscanf(cuda, "%u.%u", &major, &minor);
    for (const char *p = archs; *p && count < IMAGES_MAX;
         p += strcspn(p, " "), p += strspn(p, " ")) {
        bool ptx = str_starts(p, "compute_");
        if (!ptx && !str_starts(p, "sm_"))
            continue;
        char *end;
        unsigned arch = (unsigned)strtoul(p + (ptx ? 8 : 3), &end, 10);
        images[count++] = (struct arch_image){ .kind = ptx ? ARCH_PTX : ARCH_CUBIN,
                                               .arch = arch,
                                               .suffix = *end == 'a' || *end == 'f' ? *end : 0,
                                               .toolkit_major = major,
                                               .toolkit_minor = minor };
    }
    return count;
}

static bool has_cubin(const struct table *t, size_t row, const struct arch_target *target)
{
    struct arch_image images[IMAGES_MAX];
    const char *cuda = table_field(t, row, "cuda");
    size_t count = images_of(table_field(t, row, "archs"), cuda, images);
    unsigned major, minor;
    if (!count || arch_judge_container(images, count, target, NULL).verdict != VERDICT_RUNS ||
        sscanf(cuda, "%u.%u", &major, &minor) != 2)
        return false;
    return arch_judge_runtime(major, minor, target).verdict == VERDICT_RUNS;
}

/* Newer release first; of one release the measured build, then the one of plain pip. */
static bool is_better(const struct table *t, size_t row, long best)
{
    if (best < 0)
        return true;
    int order = finding_compare_versions(table_field(t, row, "version"),
                                         table_field(t, (size_t)best, "version"));
    if (order)
        return order > 0;
    bool measured = strcmp(table_field(t, row, "confidence"), "measured") == 0;
    bool was = strcmp(table_field(t, (size_t)best, "confidence"), "measured") == 0;
    if (measured != was)
        return measured;
    return strcmp(table_field(t, row, "pypi"), "yes") == 0;
}

static long best_row(const char *package, const struct arch_target *target, const char *python)
{
    const struct table *t = data_table(DATA_BUILDS);
    const char *os = target->os == ARCH_WINDOWS ? "windows" : "linux";
    long best = -1;
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_field(t, row, "package"), package) == 0 &&
            strcmp(table_field(t, row, "os"), os) == 0 &&
            strcmp(table_field(t, row, "channel"), "pip") == 0 &&
            !strchr(table_field(t, row, "version"), '-') &&
            builds_python(table_field(t, row, "python"), python) && has_cubin(t, row, target) &&
            is_better(t, row, best))
            best = (long)row;
    return best;
}

bool builds_best(const char *package, const struct arch_target *target, const char *python,
                 struct builds_pick *pick)
{
    const struct table *t = data_table(DATA_BUILDS);
    struct arch_target any = *target;
    any.driver = (struct driver_version){ 0 };
    *pick = (struct builds_pick){ 0 };
    long row = best_row(package, target, python);
    if (row < 0) {
        row = best_row(package, target, "");
        pick->needs_python = row >= 0;
    }
    if (row < 0) {
        row = best_row(package, &any, "");
        pick->needs_driver = row >= 0;
        pick->needs_python =
            row >= 0 && !builds_python(table_field(t, (size_t)row, "python"), python);
    }
    if (row < 0)
        return false;
    pick->version = table_field(t, (size_t)row, "version");
    pick->cuda = table_field(t, (size_t)row, "cuda");
    pick->archs = table_field(t, (size_t)row, "archs");
    pick->python = table_field(t, (size_t)row, "python");
    pick->index = table_field(t, (size_t)row, "index");
    pick->source = table_field(t, (size_t)row, "source");
    pick->confidence = table_field(t, (size_t)row, "confidence");
    pick->pypi = strcmp(table_field(t, (size_t)row, "pypi"), "yes") == 0;
    unsigned major, minor;
    if (pick->needs_driver && sscanf(pick->cuda, "%u.%u", &major, &minor) == 2) {
        struct arch_target old = *target;
        pick->driver = arch_judge_runtime(major, minor, &old).least_driver;
    }
    return true;
}
