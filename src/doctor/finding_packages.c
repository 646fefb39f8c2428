#include <stdio.h>
#include <string.h>

#include "doctor/builds.h"
#include "doctor/finding_parts.h"
#include "doctor/link.h"
#include "doctor/own_build.h"
#include "doctor/packages_scan.h"
#include "doctor/role.h"

enum {
    W_RUNTIME = 85,
    W_RUNTIME_IN_VAIN = 66,
    W_FRAMEWORK = 80,
    W_PROGRAM = 76,
    W_EXTENSION = 70,
    W_FLOOR = 35,
    W_FLOOR_FAILS = 72, /* says more than that images are missing, too */
    W_CPU_BUILD = 62,
    W_ON_PURPOSE = 18,
    W_ONLY = 64,
    W_SYSTEM = 40,
    W_JIT = 33, /* more than a compiler that may never be called */
    W_ONLY_JIT = 20,
    W_SOME_JIT = 8,
    W_SOME_TOO_NEW = 9,
    W_PART = 19, /* below what is taken for an unknown text */
    W_SYMBOL = 84,
    W_PYTHON = 12
};

static bool serves(enum verdict verdict)
{
    return verdict == VERDICT_RUNS || verdict == VERDICT_RUNS_BY_JIT;
}

/* Some other GPU of the machine takes what this one does not. */
static bool runs_elsewhere(const struct doctor *d, const struct doctor_package *p)
{
    for (size_t g = 0; g < d->gpu_count; g++)
        if (serves(p->judge[g].verdict))
            return true;
    return false;
}

static bool is_tegra(const struct doctor_gpu *g)
{
    const struct arch_facts *facts = facts_arch(g->rule.cc);
    return facts && facts->class == ARCH_TEGRA;
}

static bool is_newer(const struct judge *j, unsigned cc)
{
    return j->highest && j->highest / 10 < cc / 10 && j->highest < cc;
}

static bool is_framework(const struct doctor_package *p)
{
    return p->role != DOCTOR_EXTENSION;
}

/* Why a file without an image for the card has none. */
static enum doctor_cause cause_of_gap(const struct doctor *d, const struct doctor_package *p,
                                      size_t file, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    const struct judge *j = &p->files[file].judge[gpu];
    if (strstr(j->why.rule, "above-last"))
        return strstr(j->why.rule, "ptx") ? CAUSE_A9 : CAUSE_A13;
    if (d->gpu_count > 1 && runs_elsewhere(d, p))
        return CAUSE_A6;
    if (is_tegra(g))
        return CAUSE_A5;
    if (own_build_is(d, p, file, gpu))
        return CAUSE_A4;
    if (j->special_ptx)
        return CAUSE_A7;
    if (!is_framework(p))
        return CAUSE_A3;
    return is_newer(j, g->rule.cc) ? CAUSE_A2 : CAUSE_A1;
}

/* Nothing else here has GPU code: whatever the user runs, it is this. */
static bool is_the_only_one(const struct doctor *d, const struct doctor_package *p)
{
    for (size_t i = 0; i < d->package_count; i++)
        for (size_t k = 0; k < d->packages[i].file_count; k++)
            if (&d->packages[i] != p && !d->packages[i].files[k].nvidia)
                return false;
    return true;
}

/* Less for an extension with a floor above the card: it mostly looks at the card itself and says so
 * before any kernel is called. */
static int weight_of(const struct doctor *d, const struct doctor_package *p, size_t gpu)
{
    enum doctor_cause unused;
    if (p->role == DOCTOR_EXTENSION &&
        finding_floor(p->name, p->version, &unused) > d->gpus[gpu].rule.cc)
        return W_EXTENSION - 4;
    if (finding_is_torch(p->name))
        return W_FRAMEWORK + 1;
    if (p->role == DOCTOR_FRAMEWORK)
        return W_FRAMEWORK;
    return p->role == DOCTOR_EXTENSION ? W_EXTENSION
           : p->origin == DOCTOR_APP   ? W_PROGRAM
           : is_the_only_one(d, p)     ? W_ONLY
                                       : W_SYSTEM;
}

static struct finding *about(const struct doctor *d, struct findings *f, enum doctor_cause cause,
                             int weight, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    const char *file = p->fault[gpu] >= 0 ? p->files[p->fault[gpu]].path
                       : p->largest       ? p->largest
                                          : "";
    return finding_add_of(d, f, cause, weight, package, file, gpu);
}

/* "torch 1.3.1: torch/lib/libtorch.so has sm_37 sm_50 ..., nothing for 3.5" */
static void say_archs_of(const struct doctor *d, struct finding *one, size_t file, const char *id)
{
    const struct doctor_package *p = &d->packages[one->package];
    struct str archs = STR_INIT;
    holds_add_archs(&archs, &p->files[file].holds);
    struct remark *r = finding_say(one, id);
    remark_putf(r, "package", "%s%s%s", p->name, *p->version ? " " : "", p->version);
    remark_put(r, "path", p->files[file].path);
    remark_put(r, "archs", archs.p);
    finding_put_gpu(r, &d->gpus[one->gpu]);
    str_free(&archs);
}

static void say_archs(const struct doctor *d, struct finding *one, const char *id)
{
    say_archs_of(d, one, (size_t)d->packages[one->package].fault[one->gpu], id);
}

/* Code for the card in parts that are not the package's own. */
static bool others_have(const struct holds *h, const struct arch_target *target)
{
    for (size_t i = 0; i < h->group_count; i++) {
        const struct holds_group *g = &h->groups[i];
        if (!holds_counts(h, g) && !g->linked &&
            serves(arch_judge_container(g->images, g->image_count, target, NULL).verdict))
            return true;
    }
    return false;
}

static void no_image(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    enum doctor_cause cause = cause_of_gap(d, p, (size_t)p->fault[gpu], gpu);
    struct finding *one = about(d, f, cause, weight_of(d, p, gpu), package, gpu);
    if (!one)
        return;
    const struct judge *j = &p->judge[gpu];
    say_archs(d, one, j->usable ? "doctor.few_images" : "doctor.no_image");
    if (j->usable) {
        struct remark *r = &one->evidence[one->evidence_count - 1];
        remark_putf(r, "count", "%llu", (unsigned long long)j->without);
        remark_putf(r, "all", "%llu", (unsigned long long)(j->usable + j->without));
        one->confidence = FINDING_LIKELY;
    }
    if (strstr(p->judge[gpu].why.rule, "above-last"))
        finding_say(one, p->judge[gpu].why.text);
    if (others_have(&p->files[p->fault[gpu]].holds, &d->gpus[gpu].rule))
        finding_put_gpu(finding_say(one, "doctor.nvidia_parts"), &d->gpus[gpu]);
    if (cause == CAUSE_A6)
        finding_put_gpu(finding_say(one, "doctor.mixed"), &d->gpus[gpu]);
    if (cause == CAUSE_A7)
        finding_put_gpu(finding_say(one, "doctor.special_ptx"), &d->gpus[gpu]);
}

static void driver_too_old(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct judge *j = &d->packages[package].judge[gpu];
    bool ptx = strstr(j->why.rule, "ptx") != NULL;
    char least[VERSION_TEXT_MAX], version[VERSION_TEXT_MAX];
    struct finding *one =
        about(d, f, ptx ? CAUSE_A9 : CAUSE_A13, ptx ? 65 : W_RUNTIME, package, gpu);
    if (!one)
        return;
    say_archs(d, one, ptx ? "doctor.ptx_too_new" : "doctor.image_too_new");
    struct remark *r = finding_say(one, "doctor.needs_driver");
    remark_put(r, "driver", version_text(d->gpus[gpu].rule.driver, version));
    remark_put(r, "least",
               version_known(j->why.least_driver) ? version_text(j->why.least_driver, least) : "?");
}

/* Works after minutes of compiling; where a framework refuses such a card, that is why. */
static void by_jit(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    struct finding *one = about(d, f, CAUSE_A8, W_JIT, package, gpu);
    if (one) {
        one->confidence = FINDING_LIKELY;
        say_archs(d, one, "doctor.by_jit");
    }
    if (!is_framework(p) || !is_newer(&p->judge[gpu], d->gpus[gpu].rule.cc))
        return;
    one = about(d, f, CAUSE_A2, W_ONLY_JIT, package, gpu);
    if (one) {
        one->confidence = FINDING_LIKELY;
        say_archs(d, one, "doctor.only_jit");
    }
}

/* "libx.so: 3 of its containers ...": of a file of which the rest runs. */
static void say_some(const struct doctor *d, struct finding *one, const char *id, const char *path,
                     uint64_t containers)
{
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    struct remark *r = finding_say(one, id);
    remark_put(r, "path", path);
    remark_putf(r, "count", "%llu", (unsigned long long)containers);
    finding_put_gpu(r, &d->gpus[one->gpu]);
}

/* Parts of what runs, among them NVIDIA's libraries, for which the card has PTX alone: no fault, but
 * what is slow at the first start. */
static void some_by_jit(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    size_t best = p->file_count;
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i].judge[gpu].by_jit &&
            (best == p->file_count ||
             p->files[i].judge[gpu].by_jit > p->files[best].judge[gpu].by_jit))
            best = i;
    if (best == p->file_count || p->judge[gpu].verdict == VERDICT_RUNS_BY_JIT)
        return;
    const struct doctor_file *x = &p->files[best];
    say_some(d, finding_add_of(d, f, CAUSE_A8, W_SOME_JIT, package, x->path, gpu),
             "doctor.some_by_jit", x->path, x->judge[gpu].by_jit);
}

/* Some kernels of a file that otherwise runs are there as PTX alone, which the driver does not take: no
 * fault until one of them is called. */
static void some_too_new(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    for (size_t i = 0; i < p->file_count; i++) {
        const struct doctor_file *x = &p->files[i];
        if (x->judge[gpu].too_new && serves(x->judge[gpu].verdict))
            say_some(d, finding_add_of(d, f, CAUSE_A9, W_SOME_TOO_NEW, package, x->path, gpu),
                     "doctor.some_too_new", x->path, x->judge[gpu].too_new);
    }
}

/* A part without code for the card in a package that runs without it: a fault only where a message
 * says that kernels are missing. */
static void part_without(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    for (size_t i = 0; i < p->file_count && serves(p->judge[gpu].verdict); i++) {
        const struct doctor_file *x = &p->files[i];
        if (!packages_counts(x, gpu) || packages_is_alternative(x->path) ||
            x->judge[gpu].verdict != VERDICT_NO_IMAGE)
            continue;
        struct finding *one =
            finding_add_of(d, f, cause_of_gap(d, p, i, gpu), W_PART, package, x->path, gpu);
        if (!one)
            return;
        one->confidence = FINDING_LIKELY;
        say_archs_of(d, one, i, "doctor.no_image");
    }
}

/* ---- what a package asks for beside images ---- */

static void runtime_floor(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    const struct doctor_gpu *g = &d->gpus[gpu];
    unsigned major, minor;
    char version[VERSION_TEXT_MAX], least[VERSION_TEXT_MAX];
    if (!version_known(g->rule.driver) || p->cpu_build ||
        (!p->file_count && p->role != DOCTOR_FRAMEWORK) ||
        sscanf(p->cuda, "%u.%u", &major, &minor) != 2 || p->origin == DOCTOR_SYSTEM)
        return;
    struct arch_verdict v = arch_judge_runtime(major, minor, &g->rule);
    if (v.verdict != VERDICT_LIBRARY_FLOOR)
        return;
    /* no driver for this card would do: then it is the code for it that is missing, where it is */
    bool in_vain = strstr(v.rule, "above-last") && p->judge[gpu].verdict == VERDICT_NO_IMAGE;
    struct finding *one =
        about(d, f, CAUSE_A13, in_vain ? W_RUNTIME_IN_VAIN : W_RUNTIME, package, gpu);
    if (!one)
        return;
    one->confidence = finding_is_torch(p->name) ? FINDING_CERTAIN : FINDING_LIKELY;
    struct remark *r = finding_say(one, "doctor.runtime_floor");
    remark_putf(r, "package", "%s%s%s", p->name, *p->version ? " " : "", p->version);
    remark_put(r, "cuda", p->cuda);
    remark_put(r, "driver", version_text(g->rule.driver, version));
    remark_put(r, "least",
               version_known(v.least_driver) ? version_text(v.least_driver, least) : "?");
}

static void package_floor(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    enum doctor_cause cause;
    unsigned floor = finding_floor(p->name, p->version, &cause);
    if (floor <= d->gpus[gpu].rule.cc || cause == CAUSE_COUNT)
        return;
    bool fails = judge_fails(&p->judge[gpu]);
    struct finding *one = about(d, f, cause, fails ? W_FLOOR_FAILS : W_FLOOR, package, gpu);
    if (!one)
        return;
    one->confidence = fails ? FINDING_CERTAIN : FINDING_LIKELY;
    struct remark *r = finding_say(one, "doctor.floor");
    remark_putf(r, "package", "%s %s", p->name, p->version);
    remark_putf(r, "least", "%u.%u", floor / 10, floor % 10);
    finding_put_gpu(r, &d->gpus[gpu]);
}

/* Libraries whose code for GPUs, where there is any, is in the package itself. */
static bool has_no_gpu_code(const struct doctor_package *p)
{
    const char *library = role_main_library(finding_is_torch(p->name) ? "torch" : p->name);
    return library && strcmp(library, "jax") != 0 && p->largest && !p->file_count &&
           !p->cuda_build;
}

/* Some other main library runs on the GPU: this one may be for the processor on purpose. */
static bool another_runs(const struct doctor *d, size_t package)
{
    for (size_t i = 0; i < d->package_count; i++)
        if (i != package && d->packages[i].role == DOCTOR_FRAMEWORK && d->packages[i].file_count &&
            serves(d->packages[i].judge[0].verdict))
            return true;
    return false;
}

/* A framework that by its own words, or by all its files, is without GPU code. */
static void cpu_build(const struct doctor *d, struct findings *f, size_t package)
{
    const struct doctor_package *p = &d->packages[package];
    bool none = has_no_gpu_code(p);
    if (!d->gpu_count || (!p->cpu_build && !none) || p->role != DOCTOR_FRAMEWORK)
        return;
    int weight = another_runs(d, package) ? W_ON_PURPOSE : W_CPU_BUILD;
    struct finding *one = about(d, f, CAUSE_N1, weight, package, 0);
    if (!one)
        return;
    struct remark *r = finding_say(one, "doctor.cpu_build");
    remark_putf(r, "package", "%s %s", p->name, p->version);
}

/* A PyTorch that runs on the card exists, but for no such Python. */
static void python_too_new(const struct doctor *d, struct findings *f, size_t env, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    const char *python = d->envs[env].python;
    struct builds_pick pick;
    bool cpu = false;
    for (size_t i = 0; i < d->package_count; i++)
        if (d->packages[i].env == (int)env && finding_is_torch(d->packages[i].name)) {
            if (d->packages[i].file_count || d->packages[i].cuda_build)
                return;
            cpu = d->packages[i].cpu_build || d->packages[i].largest;
        }
    if (!*python || !strchr(python, '.') || !builds_best("torch", &g->rule, python, &pick) ||
        !pick.needs_python)
        return;
    struct finding *one = finding_add(f, CAUSE_N3, cpu ? W_CPU_BUILD + 1 : W_PYTHON);
    if (!one)
        return;
    one->gpu = (int)gpu;
    one->confidence = FINDING_LIKELY;
    struct remark *r = finding_say(one, "doctor.no_python");
    finding_put_gpu(r, g);
    remark_put(r, "python", python);
    remark_put(r, "version", pick.version);
    remark_put(r, "pythons", pick.python);
}

/* ---- calls that the driver's library lacks ---- */

struct symbols {
    char names[16][64]; /* that a program expects of the driver */
    size_t count;
};

static bool is_driver_call(const char *symbol)
{
    return str_starts(symbol, "cu") && symbol[2] >= 'A' && symbol[2] <= 'Z' && strlen(symbol) < 64;
}

static bool note_call(void *self, const char *symbol)
{
    struct symbols *s = self;
    if (is_driver_call(symbol) && s->count < 16)
        str_copy(s->names[s->count++], sizeof s->names[0], symbol);
    return s->count < 16;
}

static bool strike(void *self, const char *symbol)
{
    struct symbols *s = self;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->names[i], symbol) == 0)
            memmove(&s->names[i], &s->names[--s->count], sizeof s->names[0]);
    return s->count > 0;
}

static void missing_call(const struct doctor *d, struct findings *f, size_t package)
{
    const struct doctor_package *p = &d->packages[package];
    struct symbols s = { .count = 0 };
    char full[ROOT_PATH_MAX], path[ROOT_PATH_MAX];
    struct err unused;
    err_clear(&unused);
    if (!p->largest || !*d->host.library || p->origin == DOCTOR_SYSTEM)
        return;
    packages_path(p, p->largest, path);
    if (!root_resolve(d->sysroot, path, full) ||
        link_symbols(full, false, note_call, &s, &unused) || !s.count)
        return;
    err_clear(&unused);
    if (!root_resolve(d->sysroot, d->host.library, full) ||
        link_symbols(full, true, strike, &s, &unused) || !s.count)
        return;
    struct finding *one = finding_add(f, CAUSE_A13, W_SYMBOL);
    if (!one)
        return;
    one->package = (int)package;
    one->gpu = d->gpu_count ? 0 : -1;
    str_copy(one->path, sizeof one->path, path);
    struct remark *r = finding_say(one, "doctor.missing_call");
    remark_put(r, "path", path);
    remark_put(r, "call", s.names[0]);
    remark_put(r, "library", d->host.library);
}

static void on_gpu(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    if (p->fault[gpu] >= 0 && strcmp(p->name, "system") != 0) {
        enum verdict v = p->judge[gpu].verdict;
        if (v == VERDICT_NO_IMAGE)
            no_image(d, f, package, gpu);
        else if (v == VERDICT_DRIVER_TOO_OLD)
            driver_too_old(d, f, package, gpu);
        else if (v == VERDICT_RUNS_BY_JIT)
            by_jit(d, f, package, gpu);
    }
    some_by_jit(d, f, package, gpu);
    some_too_new(d, f, package, gpu);
    part_without(d, f, package, gpu);
    runtime_floor(d, f, package, gpu);
    package_floor(d, f, package, gpu);
}

void finding_packages(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->env_count; i++)
        for (size_t g = 0; g < d->gpu_count; g++)
            python_too_new(d, f, i, g);
    for (size_t i = 0; i < d->package_count; i++) {
        for (size_t g = 0; g < d->gpu_count; g++)
            on_gpu(d, f, i, g);
        cpu_build(d, f, i);
        missing_call(d, f, i);
    }
}
