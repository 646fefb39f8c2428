#include "doctor/stack.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "data/data.h"
#include "doctor/builds.h"

#define IMAGES_MAX 32

static const struct {
    const char *name;
    bool works;
} statuses[] = {
    [STACK_WORKS] = { "works", true },
    [STACK_WORKS_BY_JIT] = { "works_by_jit", true },
    [STACK_WORKS_BY_FLOOR] = { "works_by_floor", true },
    [STACK_UNKNOWN] = { "unknown", false },
    [STACK_NO_KERNELS] = { "no_kernels", false },
    [STACK_DRIVER_TOO_OLD] = { "driver_too_old", false },
    [STACK_DRIVER_NEVER] = { "driver_never", false },
    [STACK_DRIVER_WITHOUT_CARD] = { "driver_without_card", false },
    [STACK_CUDNN_FLOOR] = { "cudnn_floor", false },
    [STACK_NO_PYTHON] = { "no_python", false },
    [STACK_CPU_BUILD] = { "cpu_build", false },
    [STACK_NO_BUILD] = { "no_build", false },
    [STACK_UNKNOWN_RELEASE] = { "unknown_release", false },
};

const char *stack_status_name(enum stack_status status)
{
    return statuses[status].name;
}

bool stack_works(enum stack_status status)
{
    return statuses[status].works;
}

bool stack_is_unknown(enum stack_status status)
{
    return status == STACK_UNKNOWN || status == STACK_UNKNOWN_RELEASE;
}

static const char *field(size_t build, const char *name)
{
    return table_field(data_table(DATA_BUILDS), build, name);
}

/* ---- versions ---- */

int stack_compare(const char *a, const char *b)
{
    while (*a || *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *a_end, *b_end;
            unsigned long x = strtoul(a, &a_end, 10), y = strtoul(b, &b_end, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = a_end;
            b = b_end;
        } else if (*a == *b) {
            a++;
            b++;
        } else /* "current" is newer than any number, "1.8.2" than "1.8" */
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    }
    return 0;
}

const char *stack_last_python(const char *ranges, char to[8])
{
    unsigned major = 0, minor = 0, best = 0;
    char remark[40];
    *to = 0;
    for (const char *p = ranges; *p && *p != '('; p++)
        if ((p == ranges || strchr(" -", p[-1])) && sscanf(p, "%1u.%2u", &major, &minor) == 2 &&
            major * 100 + minor > best)
            best = major * 100 + minor;
    snprintf(remark, sizeof remark, "%u.%u experimental", best / 100, best % 100);
    if (best % 100 && strstr(ranges, remark))
        best--;
    if (best)
        snprintf(to, 8, "%u.%u", best / 100 % 10, best % 100);
    return to;
}

const char *stack_framework(const char *package, char to[32])
{
    static const struct {
        const char *start, *framework;
    } names[] = { { "pytorch", "torch" },  { "tensorflow", "tensorflow" },
                  { "cupy", "cupy" },      { "onnxruntime", "onnxruntime" },
                  { "jax", "jax" },        { "tf", "tensorflow" },
                  { "ort", "onnxruntime" } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i].start);
        if (strncmp(package, names[i].start, n) == 0 && !isalpha((unsigned char)package[n])) {
            str_copy(to, 32, names[i].framework);
            return to;
        }
    }
    str_copy(to, 32, package);
    return to;
}

/* ---- what a build holds ---- */

/* The PTX version that a CUDA writes, as toolkits.tsv has it. */
static void set_isa(struct arch_image *image)
{
    const struct table *t = data_table(DATA_TOOLKITS);
    char cuda[16];
    size_t n =
        (size_t)snprintf(cuda, sizeof cuda, "%u.%u", image->toolkit_major, image->toolkit_minor);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *version = table_field(t, row, "toolkit");
        if (strncmp(version, cuda, n) == 0 && !isdigit((unsigned char)version[n]))
            sscanf(table_field(t, row, "ptx_isa"), "%u.%u", &image->ptx_major, &image->ptx_minor);
    }
}

/* "sm_35 sm_90a compute_50" as one container that the build's CUDA wrote. */
static size_t images_of(size_t build, struct arch_image *images)
{
    size_t count = 0;
    unsigned major = 0, minor = 0;
    sscanf(field(build, "cuda"), "%u.%u", &major, &minor);
    for (const char *p = field(build, "archs"); *p && count < IMAGES_MAX;
         p += strcspn(p, " "), p += strspn(p, " ")) {
        bool ptx = str_starts(p, "compute_");
        if (!ptx && !str_starts(p, "sm_"))
            continue;
        char *end;
        unsigned arch = (unsigned)strtoul(p + (ptx ? 8 : 3), &end, 10);
        struct arch_image *image = &images[count++];
        *image = (struct arch_image){ .kind = ptx ? ARCH_PTX : ARCH_CUBIN,
                                      .arch = arch,
                                      .suffix = *end == 'a' || *end == 'f' ? *end : 0,
                                      .toolkit_major = major,
                                      .toolkit_minor = minor };
        if (ptx)
            set_isa(image);
    }
    return count;
}

/* "cc_35+": 35. 0: the build has a list. */
static unsigned floor_of(size_t build)
{
    const char *archs = field(build, "archs");
    return str_starts(archs, "cc_") ? (unsigned)strtoul(archs + 3, NULL, 10) : 0;
}

static void set_chosen(struct stack_answer *a, const struct arch_image *image)
{
    snprintf(a->chosen, sizeof a->chosen, "%s%u%c", image->kind == ARCH_PTX ? "compute_" : "sm_",
             image->arch, image->suffix);
}

/* ---- judging ---- */

static enum stack_status of_runtime(const struct arch_verdict *runtime,
                                    const struct arch_target *target)
{
    if (runtime->verdict == VERDICT_DRIVER_DROPPED_CARD)
        return STACK_DRIVER_WITHOUT_CARD;
    if (runtime->verdict != VERDICT_LIBRARY_FLOOR)
        return STACK_WORKS;
    return version_known(target->driver) && version_known(runtime->least_driver)
               ? STACK_DRIVER_TOO_OLD
               : STACK_DRIVER_NEVER;
}

static enum stack_status of_images(struct stack_answer *a, const struct arch_target *target)
{
    struct arch_image images[IMAGES_MAX];
    size_t count = images_of(a->build, images), chosen;
    if (!count)
        return STACK_UNKNOWN;
    a->image = arch_judge_container(images, count, target, &chosen);
    if (a->image.verdict == VERDICT_RUNS || a->image.verdict == VERDICT_RUNS_BY_JIT)
        set_chosen(a, &images[chosen]);
    switch (a->image.verdict) {
    case VERDICT_RUNS:
        return STACK_WORKS;
    case VERDICT_RUNS_BY_JIT:
        return STACK_WORKS_BY_JIT;
    case VERDICT_NO_IMAGE:
        return STACK_NO_KERNELS;
    case VERDICT_DRIVER_DROPPED_CARD:
        return STACK_DRIVER_WITHOUT_CARD;
    case VERDICT_DRIVER_TOO_OLD:
    case VERDICT_LIBRARY_FLOOR:
        return STACK_DRIVER_TOO_OLD;
    default:
        return STACK_UNKNOWN;
    }
}

/* With the best driver that the card can have: what is missing there no driver brings. */
static enum stack_status of_kernels(struct stack_answer *a, const struct arch_target *target)
{
    struct arch_target best = *target;
    unsigned floor = floor_of(a->build);
    if (floor)
        return facts_canonical(target->cc) >= floor ? STACK_WORKS_BY_FLOOR : STACK_NO_KERNELS;
    best.driver = (struct driver_version){ 0 };
    return of_images(a, &best);
}

struct stack_answer stack_judge(size_t build, const struct arch_target *target, const char *python)
{
    struct stack_answer a = { .build = build };
    unsigned major, minor;
    bool has_cuda = sscanf(field(build, "cuda"), "%u.%u", &major, &minor) == 2;
    if (has_cuda)
        a.runtime = arch_judge_runtime(major, minor, target);
    enum stack_status runtime = has_cuda ? of_runtime(&a.runtime, target) : STACK_WORKS;
    a.status = of_kernels(&a, target);
    if (!builds_python(field(build, "python"), python))
        a.status = STACK_NO_PYTHON;
    else if (runtime == STACK_DRIVER_WITHOUT_CARD) /* then nothing is seen at all */
        a.status = runtime;
    else if (stack_works(a.status) && runtime != STACK_WORKS)
        a.status = runtime;
    else if (a.status == STACK_WORKS || a.status == STACK_WORKS_BY_JIT)
        a.status = of_images(&a, target);
    return a;
}

struct driver_version stack_cuda_driver(const char *cuda, enum arch_os os)
{
    unsigned major, minor;
    if (sscanf(cuda, "%u.%u", &major, &minor) != 2)
        return (struct driver_version){ 0 };
    /* from 11.0 on one floor for the whole major version */
    const struct branch_facts *branch =
        facts_branch_for_cuda(facts_level(major, major >= 11 ? 0 : minor), os);
    return branch ? branch->first : (struct driver_version){ 0 };
}

struct driver_version stack_least_driver(size_t build)
{
    return stack_cuda_driver(field(build, "cuda"), strcmp(field(build, "os"), "windows") == 0
                                                       ? ARCH_WINDOWS
                                                       : ARCH_LINUX);
}

enum stack_status stack_judge_cuda(const char *cuda, const struct arch_target *target,
                                   struct arch_verdict *runtime)
{
    unsigned major, minor;
    if (sscanf(cuda, "%u.%u", &major, &minor) != 2)
        return STACK_UNKNOWN_RELEASE;
    *runtime = arch_judge_runtime(major, minor, target);
    const struct arch_facts *facts = facts_arch(target->cc);
    if (facts && facts->class == ARCH_TEGRA) /* its system's release decides, not a driver's */
        return STACK_UNKNOWN;
    bool ends = facts && version_known(facts_span(facts, target->os, target->notebook).last);
    /* a card that got its last driver takes no CUDA to come either */
    if (!ends && !facts_branch_for_cuda(facts_level(major, major >= 11 ? 0 : minor), target->os))
        return STACK_UNKNOWN_RELEASE;
    return of_runtime(runtime, target);
}

/* ---- the list ---- */

static size_t rank(const char *value, const char *const *order)
{
    size_t i = 0;
    while (order[i] && strcmp(order[i], value) != 0)
        i++;
    return i;
}

/* Newest first; of one release pip before conda, what was measured before what was read. */
static int compare(const void *x, const void *y)
{
    static const char *const channels[] = { "pip", "conda", NULL };
    static const char *const sure[] = { "measured", "documented", "inferred", NULL };
    size_t a = ((const struct stack_answer *)x)->build, b = ((const struct stack_answer *)y)->build;
    char first[32], second[32];
    stack_framework(field(a, "package"), first);
    stack_framework(field(b, "package"), second);
    int order = strcmp(first, second);
    if (!order)
        order = -stack_compare(field(a, "version"), field(b, "version"));
    if (!order)
        order = (int)rank(field(a, "channel"), channels) - (int)rank(field(b, "channel"), channels);
    if (!order)
        order = (int)rank(field(a, "confidence"), sure) - (int)rank(field(b, "confidence"), sure);
    if (!order)
        order = -stack_compare(field(a, "cuda"), field(b, "cuda"));
    return order ? order : a < b ? -1 : 1;
}

struct stack_answer *stack_find(const char *framework, const struct arch_target *target,
                                size_t *count, size_t *others)
{
    const struct table *t = data_table(DATA_BUILDS);
    const char *os = target->os == ARCH_WINDOWS ? "windows" : "linux";
    struct stack_answer *list = calloc(t->row_count, sizeof *list);
    char wanted[32], name[32];
    stack_framework(framework, wanted);
    *count = *others = 0;
    for (size_t row = 0; list && row < t->row_count; row++) {
        if (strcmp(field(row, "os"), os) != 0 ||
            (*wanted && strcmp(stack_framework(field(row, "package"), name), wanted) != 0))
            continue;
        struct stack_answer a = stack_judge(row, target, "");
        if (stack_works(a.status))
            list[(*count)++] = a;
        else
            ++*others;
    }
    if (list && *count)
        qsort(list, *count, sizeof *list, compare);
    if (*count)
        return list;
    free(list);
    return NULL;
}
