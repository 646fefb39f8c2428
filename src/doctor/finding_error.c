#include <stdio.h>
#include <string.h>

#include "doctor/finding_parts.h"
#include "doctor/packages_scan.h"
#include "doctor/role.h"

#define W_TEXT    1000
#define W_CERTAIN 60 /* of what files show */
#define W_ALL     85 /* of what keeps every program from the GPU */

/* Causes that a text may have which speaks of the driver alone. */
#define CLEAR_A13 4
#define CLEAR_A14 2

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

/* A known main library with GPU code, and none that says it is without, or that the text names and
 * that has none. */
static bool has_gpu_build(const struct doctor *d)
{
    bool any = false;
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        bool built = p->file_count || p->cuda_build;
        if (p->cpu_build || (!built && p->largest && role_is_spoken_of(d->error, p->name)))
            return false;
        any |= built && role_is_framework_name(p->name);
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

/* Some package has GPU code, and none lacks it on any GPU. */
static bool all_run(const struct doctor *d)
{
    bool any = false;
    for (size_t i = 0; i < d->package_count; i++)
        for (size_t g = 0; g < d->gpu_count; g++) {
            const struct doctor_package *p = &d->packages[i];
            if (judge_fails(&p->judge[g]))
                return false;
            any |= p->judge[g].verdict == VERDICT_RUNS;
        }
    return any;
}

/* All of the driver's parts are there and of one version. A container may be given others when it
 * starts. */
static bool parts_match(const struct doctor *d)
{
    const struct host *h = &d->host;
    return *h->module && strcmp(h->module, h->library_version) == 0 && *h->jit_library &&
           !*h->container && !h->library_is_compat;
}

/* `only`: the text has no other cause. */
static bool is_refuted(const struct doctor *d, enum doctor_cause cause, bool only)
{
    switch (cause) {
    case CAUSE_A1:
    case CAUSE_A2:
    case CAUSE_A3:
    case CAUSE_A4: return all_run(d);
    case CAUSE_A5: return d->gpu_count && !any_tegra(d);
    case CAUSE_A6: return d->gpu_count == 1;
    case CAUSE_A14: return !only && parts_match(d);
    case CAUSE_A15: return all_gpus_known(d);
    case CAUSE_N1: return has_gpu_build(d);
    case CAUSE_N2: return every_gpu_bound(d) && *d->host.library;
    default: return false;
    }
}

/* ---- the file that the text speaks of ---- */

/* A compiler of a package whose version told no fault; `unknown`: that has none. */
static bool put_compiler(const struct doctor *d, struct finding *one, enum finding_tool tool,
                         bool unknown)
{
    size_t longest = 0; /* "ptxas-blackwell" before "ptxas", where the text has it */
    for (size_t i = 0; i < d->compiler_count; i++) {
        const char *slash = strrchr(d->compilers[i].path, '/');
        const char *name = slash ? slash + 1 : d->compilers[i].path;
        size_t length = strcasestr(d->error, name) ? strlen(name) + 1 : 1;
        if (finding_tool_of(name) != tool || (unknown && *d->compilers[i].toolkit) ||
            length <= longest)
            continue;
        longest = length;
        one->package = d->compilers[i].package;
        str_copy(one->path, sizeof one->path, d->compilers[i].path);
    }
    return longest > 0;
}

/* Of a folder such as /usr the largest file may be a part of the driver, which is nobody's program. */
static bool is_empty(const struct doctor_package *p)
{
    return !p->file_count && (!p->largest || strstr(p->largest, "libcuda.so"));
}

/* The only package of a kind; -1: none, or several. */
static int only_one(const struct doctor *d, bool extension)
{
    int only = -1;
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        if (is_empty(p) || (p->role == DOCTOR_EXTENSION) != extension)
            continue;
        if (only >= 0)
            return -1;
        only = (int)i;
    }
    return only;
}

/* The package that the text names, an extension before what it is built on; else the only one. */
static void put_package(const struct doctor *d, struct finding *one)
{
    int best = -1;
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        if (is_empty(p))
            continue;
        if (role_is_spoken_of(d->error, p->name) &&
            (best < 0 || d->packages[best].role != DOCTOR_EXTENSION))
            best = (int)i;
    }
    if (best < 0)
        best = only_one(d, true);
    if (best < 0)
        best = only_one(d, false);
    one->package = best;
    if (one->package < 0)
        return;
    const struct doctor_package *p = &d->packages[one->package];
    int file = d->gpu_count ? p->fault[0] : -1;
    for (size_t k = p->file_count; k > 0; k--)
        file = role_is_part_spoken_of(d->error, p->files[k - 1].path) ? (int)k - 1 : file;
    const char *path = file >= 0 ? p->files[file].path : p->largest ? p->largest : "";
    if (*path)
        packages_path(p, path, one->path);
}

/* The file that has code for the card for some kernels and not for others: of an extension before a
 * main library, then the one that lacks the greater part. */
static bool put_gap(const struct doctor *d, struct finding *one)
{
    double most = 0;
    for (size_t i = 0; i < d->package_count && d->gpu_count; i++)
        for (size_t k = 0; k < d->packages[i].file_count; k++) {
            const struct doctor_package *p = &d->packages[i];
            const struct judge *j = &p->files[k].judge[0];
            double part = j->usable ? (double)j->without / (double)(j->usable + j->without) : 0;
            part += part > 0 && p->role == DOCTOR_EXTENSION;
            if (p->files[k].nvidia || part <= most)
                continue;
            most = part;
            one->package = (int)i;
            packages_path(p, p->files[k].path, one->path);
        }
    return most > 0;
}

/* Their versions are known, and none of them told a fault. */
static bool toolkits_are_fine(const struct doctor *d)
{
    for (size_t i = 0; i < d->host.toolkit_count; i++)
        if (!*d->host.toolkits[i].version)
            return false;
    return true;
}

/* Triton brings its own ptxas; others take the system's first. */
static void put_tool(const struct doctor *d, struct finding *one)
{
    enum finding_tool tool = finding_tool_named(d->error);
    if (tool == FINDING_NO_TOOL)
        put_package(d, one);
    if (tool == FINDING_NO_TOOL ||
        (strcasestr(d->error, "triton") && put_compiler(d, one, tool, false)) ||
        (toolkits_are_fine(d) && put_compiler(d, one, tool, true)))
        return;
    if (tool == FINDING_PTXAS && *d->host.ptxas) {
        str_copy(one->path, sizeof one->path, d->host.ptxas);
        return;
    }
    for (size_t i = 0; i < d->host.toolkit_count; i++)
        if ((d->host.toolkits[i].is_default || d->host.toolkit_count == 1) &&
            finding_put_tool(one, d, d->host.toolkits[i].path, tool))
            return;
    put_compiler(d, one, tool, false);
}

/* "NVML library version: 610.43": whose file that is, "libnvidia-ml.so.610.43.02"; where the text has no
 * version, one that is not the module's. */
static void put_nvml(const struct doctor *d, struct finding *one)
{
    static const char words[] = "library version: ";
    static const char *const folders[] = { "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                           "/usr/lib64", "/usr/lib" };
    const char *at = strcasestr(d->error, words);
    char start[64];
    if (!at && !strcasestr(d->error, "nvml"))
        return;
    at = at ? at + strlen(words) : "";
    snprintf(start, sizeof start, "libnvidia-ml.so.%.*s", (int)strspn(at, "0123456789."), at);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !*one->path; i++) {
        struct root_names names;
        root_list(d->sysroot, folders[i], &names);
        for (size_t k = 0; k < names.count && !*one->path; k++)
            if (str_starts(names.list[k], start) && strlen(names.list[k]) > sizeof "libnvidia-ml.so.1" &&
                !str_ends(names.list[k], d->host.module))
                snprintf(one->path, sizeof one->path, "%s/%.255s", folders[i], names.list[k]);
        root_names_free(&names);
    }
}

/* A container's runtime may put the compat libcuda first without any sign of that in the files. */
static void put_compat(const struct doctor *d, struct finding *one)
{
    static const char *const words[] = { "compat", "804", "803", "unsupported display driver",
                                         "drivermismatch" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(d->error, words[i]))
            str_copy(one->path, sizeof one->path, d->host.compat_library);
}

static void put_path(const struct doctor *d, struct finding *one)
{
    switch (one->cause) {
    case CAUSE_A9:
    case CAUSE_A10: put_tool(d, one); break;
    case CAUSE_A14:
        put_compat(d, one);
        put_nvml(d, one);
        break;
    case CAUSE_A17: finding_put_floor(d, one); break;
    case CAUSE_A18: finding_put_library(d, one); break;
    case CAUSE_A1:
    case CAUSE_A2:
    case CAUSE_A5:
        if (strcasestr(d->error, "tensorrt"))
            finding_put_library(d, one);
        break;
    case CAUSE_A7:
        if (!put_gap(d, one))
            put_package(d, one);
        break;
    case CAUSE_A3:
    case CAUSE_A8:
    case CAUSE_A11: put_package(d, one); break;
    default: break;
    }
}

/* A compiler that some package here uses, and that serves driver or card badly, where nothing has
 * kernels of its own that could be missing. */
static bool is_compiled_here(const struct doctor *d, const struct finding *top)
{
    for (size_t i = 0; i < d->package_count; i++)
        if (d->packages[i].file_count)
            return false;
    return (top->cause == CAUSE_A9 || top->cause == CAUSE_A10) && top->package >= 0 && *top->path;
}

/* Whether a package that cannot run explains more than a text which only says that nothing works, or
 * that some file lacks kernels. A driver with which nothing can explains that no GPU is found, but
 * not what a program says that has loaded kernels. */
static bool is_outweighed(const struct doctor *d, const struct findings *f, enum doctor_cause cause)
{
    static const enum doctor_cause weak[] = { CAUSE_A1,  CAUSE_A2,  CAUSE_A3, CAUSE_A4, CAUSE_A5,
                                              CAUSE_A6,  CAUSE_A7,  CAUSE_A8, CAUSE_A12, CAUSE_A13,
                                              CAUSE_A14, CAUSE_A19, CAUSE_N1, CAUSE_N2 };
    bool is_weak = false;
    if ((cause == CAUSE_A13 && f->error.count <= CLEAR_A13) ||
        (cause == CAUSE_A14 && f->error.count <= CLEAR_A14))
        return false; /* the text is about the driver and nothing else */
    for (size_t i = 0; i < sizeof weak / sizeof weak[0]; i++)
        is_weak |= cause == weak[i];
    is_weak |= cause == CAUSE_A10 && !d->compiler_count && !d->host.toolkit_count; /* none here */
    if (!is_weak || !f->count)
        return false;
    const struct finding *top = &f->list[0];
    if (top->package >= 0)
        return top->shown >= W_CERTAIN;
    return (cause == CAUSE_A12 || cause == CAUSE_N1 || cause == CAUSE_N2) && top->shown >= W_ALL;
}

void finding_error(const struct doctor *d, struct findings *f)
{
    size_t i = 0;
    while (i < f->error.count && is_refuted(d, f->error.causes[i], f->error.count == 1))
        i++;
    if (i == f->error.count || is_outweighed(d, f, f->error.causes[i]))
        return;
    if (f->count && f->error.causes[i] <= CAUSE_A7 && is_compiled_here(d, &f->list[0])) {
        f->list[0].weight += W_TEXT; /* its kernels are what the text misses */
        return;
    }
    struct finding *one = finding_add(f, f->error.causes[i], W_TEXT);
    if (!one)
        return;
    one->confidence = FINDING_POSSIBLE;
    one->gpu = d->gpu_count ? 0 : -1;
    put_path(d, one);
    finding_say(one, "doctor.by_text");
}
