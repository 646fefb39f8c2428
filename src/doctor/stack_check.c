/* What the tables say to a spec (stack_spec.h) on one card. */
#include <stdio.h>
#include <string.h>

#include "data/data.h"
#include "doctor/stack_spec.h"

static const char *field(size_t build, const char *name)
{
    return table_field(data_table(DATA_BUILDS), build, name);
}

/* "1.5" means 1.5.0, 1.5.1 ...; "1.5.1" itself. */
static bool is_version(const char *version, const char *wanted)
{
    size_t n = strlen(wanted);
    return !n || (strncmp(version, wanted, n) == 0 && (!version[n] || version[n] == '.'));
}

static bool is_package(size_t build, const struct stack_spec *s)
{
    char a[32], b[32];
    if (strcmp(field(build, "package"), s->package) == 0)
        return true;
    /* tensorflow-gpu and tensorflow are one; cupy-cuda11x is not cupy-cuda12x */
    return strcmp(stack_framework(field(build, "package"), a), stack_framework(s->package, b)) ==
               0 &&
           strcmp(a, "cupy") != 0;
}

static bool is_build(size_t build, const struct stack_spec *s, enum arch_os os, bool by_pip)
{
    const char *channel = field(build, "channel");
    if (!is_package(build, s) || !is_version(field(build, "version"), s->version) ||
        strcmp(field(build, "os"), os == ARCH_WINDOWS ? "windows" : "linux") != 0)
        return false;
    if (*s->cuda)
        return strcmp(field(build, "cuda"), s->cuda) == 0;
    bool windows_default = os == ARCH_WINDOWS && strcmp(field(build, "package"), "torch") == 0 &&
                           !stack_has_suffix(build);
    return !by_pip || strcmp(channel, "pip") != 0 || strcmp(field(build, "pypi"), "yes") == 0 ||
           windows_default;
}

static bool has_version(const struct stack_spec *s)
{
    const struct table *t = data_table(DATA_BUILDS);
    for (size_t row = 0; row < t->row_count; row++)
        if (is_package(row, s) && is_version(field(row, "version"), s->version))
            return true;
    return false;
}

/* The channel that is meant comes first; without its builds the other one answers. */
static void add_builds(const struct stack_spec *s, struct stack_check *c, const char *channel)
{
    const struct table *t = data_table(DATA_BUILDS);
    for (size_t row = 0; row < t->row_count && c->answer_count < STACK_SPEC_BUILDS_MAX; row++)
        if (strcmp(field(row, "channel"), channel) == 0 && is_build(row, s, c->target.os, true))
            c->answers[c->answer_count++] = stack_judge(row, &c->target, s->python);
}

/* Torch without "+" in its version, where builds.tsv does not tell which one that is (else false).
 * On PyTorch's index all wheels had such a name before 1.2, each in a folder of its CUDA, then up
 * to 1.7 that of the default CUDA. PyPI has them for Windows from 1.7 on, without GPU code. */
static bool is_nameless(const struct stack_spec *s, struct stack_check *c,
                        enum stack_status *status)
{
    bool torch = strcmp(s->package, "torch") == 0, wheel = s->pip && s->has_os,
         windows = c->target.os == ARCH_WINDOWS;
    if (!torch || s->conda || *s->cuda || *s->local || s->foreign || !c->knows_version)
        return false;
    bool in_folders = stack_compare(s->version, "1.2") < 0,
         on_pypi = windows && stack_compare(s->version, "1.7") >= 0;
    c->same_name = (in_folders && (windows || s->index_wheel)) ||
                   (on_pypi && wheel && stack_compare(s->version, "1.8") < 0);
    *status = c->same_name ? STACK_UNKNOWN : STACK_CPU_BUILD;
    return c->same_name || on_pypi;
}

static enum stack_status of_package(const struct stack_spec *s, struct stack_check *c)
{
    c->knows_version = has_version(s);
    enum stack_status nameless;
    if (s->cpu)
        return STACK_CPU_BUILD;
    const struct arch_facts *facts = facts_arch(c->target.cc);
    bool jetson = facts && facts->class == ARCH_TEGRA; /* the table has x86 builds only */
    if (s->other_maker || s->foreign || jetson)
        return STACK_NO_BUILD;
    if (*s->local && !*s->cuda) /* "+nv21.08": somebody's own build */
        return STACK_UNKNOWN_RELEASE;
    if (is_nameless(s, c, &nameless))
        return nameless;
    add_builds(s, c, s->conda ? "conda" : "pip");
    if (!c->answer_count)
        add_builds(s, c, s->conda ? "pip" : "conda");
    if (!c->answer_count)
        add_builds(s, c, "app");
    if (!c->answer_count)
        return c->knows_version ? STACK_NO_BUILD : STACK_UNKNOWN_RELEASE;
    for (size_t i = 0; i < c->answer_count; i++)
        if (stack_works(c->answers[i].status))
            return c->answers[i].status;
    return c->answers[0].status;
}

/* The least capability that this cuDNN asks for, as a number; 0: none that is known. */
static unsigned cudnn_floor(const char *named)
{
    const struct table *t = data_table(DATA_FLOORS);
    char version[sizeof((struct stack_spec *)0)->cudnn + 2];
    snprintf(version, sizeof version, "%s%s", named, strchr(named, '.') ? "" : ".0");
    for (size_t row = 0; row < t->row_count; row++) {
        unsigned major, minor;
        const char *below = table_field(t, row, "below");
        if (strcmp(table_field(t, row, "package"), "libcudnn") == 0 &&
            stack_compare(version, table_field(t, row, "from")) >= 0 &&
            (table_blank(below) || stack_compare(version, below) < 0) &&
            sscanf(table_field(t, row, "min_cc"), "%u.%u", &major, &minor) == 2)
            return major * 10 + minor;
    }
    return 0;
}

void stack_spec_check(const struct stack_spec *s, const struct arch_target *target,
                      struct stack_check *c)
{
    *c = (struct stack_check){ .target = *target };
    if (version_known(s->driver))
        c->target.driver = s->driver;
    if (s->has_os)
        c->target.os = s->os;
    if (*s->package)
        c->status = of_package(s, c);
    else
        c->status = stack_judge_cuda(*s->cuda ? s->cuda : "1.0", &c->target, &c->runtime);
    c->cudnn_floor = *s->cudnn ? cudnn_floor(s->cudnn) : 0;
    bool alone = !*s->package && !*s->cuda && !version_known(s->driver); /* a cuDNN, no more */
    if (alone && !c->cudnn_floor)
        c->status = STACK_UNKNOWN_RELEASE;
    else if (alone)
        c->status = STACK_WORKS;
    if (stack_works(c->status) && facts_canonical(target->cc) < c->cudnn_floor)
        c->status = STACK_CUDNN_FLOOR;
}
