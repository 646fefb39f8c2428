#include <stdio.h>
#include <string.h>

#include "data/data.h"
#include "doctor/finding_parts.h"
#include "doctor/link.h"
#include "doctor/packages_scan.h"
#include "doctor/role.h"

enum {
    W_CUDNN = 50,
    W_LIBRARY = 46,
    W_CUBLAS = 5,
    W_TOOLKIT_PTX = 28,
    W_TOOLKIT_PTX_NEVER = 24,
    W_TOOLKIT_GPU = 26,
    W_COMPILER = 32
};

/* ---- toolkits against driver and card ---- */

static long toolkit_row(const char *version)
{
    const struct table *t = data_table(DATA_TOOLKITS);
    size_t length = strlen(version);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *name = table_field(t, row, "toolkit"); /* "11.2.1", "12.5" */
        if (strncmp(name, version, length) == 0 && (!name[length] || name[length] == '.'))
            return (long)row;
    }
    return -1;
}

static unsigned isa_of(long row)
{
    unsigned major, minor;
    const char *isa = table_field(data_table(DATA_TOOLKITS), (size_t)row, "ptx_isa");
    return sscanf(isa, "%u.%u", &major, &minor) == 2 ? facts_level(major, minor) : 0;
}

/* Least and greatest capability that the toolkit compiles for. */
static bool reach_of(long row, unsigned *lowest, unsigned *highest)
{
    const char *list = table_field(data_table(DATA_TOOLKITS), (size_t)row, "offline_sm");
    unsigned sm;
    *lowest = *highest = 0;
    for (const char *p = list; (p = strstr(p, "sm_")); p++)
        if (sscanf(p, "sm_%u", &sm) == 1) {
            *lowest = !*lowest || sm < *lowest ? sm : *lowest;
            *highest = sm > *highest ? sm : *highest;
        }
    return *lowest != 0;
}

enum finding_tool finding_tool_of(const char *name)
{
    static const struct {
        const char *start;
        enum finding_tool tool;
    } starts[] = { { "nvcc", FINDING_NVCC },
                   { "ptxas", FINDING_PTXAS },
                   { "libnvrtc", FINDING_NVRTC },
                   { "nvrtc", FINDING_NVRTC },
                   { "libnvvm", FINDING_NVVM } };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (str_starts(name, starts[i].start) && !strstr(name, "builtins"))
            return starts[i].tool;
    return FINDING_NO_TOOL;
}

enum finding_tool finding_tool_named(const char *text)
{
    static const struct {
        const char *word;
        enum finding_tool tool;
    } words[] = { { "llvm.nvvm", FINDING_NO_TOOL }, /* names of LLVM's own */
                  { "cannot select", FINDING_NO_TOOL },
                  { "ptxas application ptx input", FINDING_NO_TOOL }, /* the driver's JIT */
                  { "nvrtc", FINDING_NVRTC },
                  { "nvvm", FINDING_NVVM },
                  { "ptxas", FINDING_PTXAS },
                  { "gpu-name", FINDING_PTXAS }, /* its option; nvcc's is -arch */
                  { "nvcc", FINDING_NVCC },
                  { "unsupported gpu architecture", FINDING_NVCC },
                  { "building", FINDING_NVCC },
                  { "build ", FINDING_NVCC },
                  { "from source", FINDING_NVCC },
                  { "compile flag", FINDING_NVCC } };
    for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(text, words[i].word))
            return words[i].tool;
    return FINDING_NO_TOOL;
}

/* A program that is linked with a compiler uses that one. */
static enum finding_tool tool_linked(const struct doctor *d, const struct doctor_package *p)
{
    enum finding_tool tool = FINDING_NO_TOOL;
    char path[ROOT_PATH_MAX], full[ROOT_PATH_MAX];
    struct link link;
    struct err unused;
    err_clear(&unused);
    if (p->role != DOCTOR_PROGRAM || !p->largest)
        return tool;
    packages_path(p, p->largest, path);
    if (!root_resolve(d->sysroot, path, full) || link_read(full, &link, &unused))
        return tool;
    for (size_t i = 0; i < link.needed_count && tool == FINDING_NO_TOOL; i++)
        tool = finding_tool_of(link.needed[i]);
    link_free(&link);
    return tool;
}

/* What one of the packages compiles with: one that the text speaks of before others. */
static enum finding_tool tool_of_packages(const struct doctor *d, bool spoken, int *package)
{
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        enum finding_tool tool = finding_tool_named(role_compiler(p->name));
        if (spoken && !(d->error && role_is_spoken_of(d->error, p->name)))
            continue;
        if (tool == FINDING_NO_TOOL)
            tool = tool_linked(d, p);
        if (tool == FINDING_NO_TOOL)
            continue;
        *package = (int)i;
        return tool;
    }
    return FINDING_NO_TOOL;
}

enum finding_tool finding_tool_in_use(const struct doctor *d, int *package)
{
    *package = -1;
    enum finding_tool named = finding_tool_named(d->error);
    enum finding_tool used = tool_of_packages(d, true, package);
    if (used == FINDING_NO_TOOL)
        used = tool_of_packages(d, false, package);
    /* libNVVM writes the PTX that ptxas then refuses */
    if (named != FINDING_NO_TOOL && !(named == FINDING_PTXAS && used == FINDING_NVVM))
        return named;
    /* programs without kernels of their own mostly have them compiled by NVRTC */
    bool jit = d->error && strcasestr(d->error, "ptxas application ptx input");
    return used == FINDING_NO_TOOL && jit ? FINDING_NVRTC : used;
}

bool finding_put_tool(struct finding *one, const struct doctor *d, const char *toolkit,
                      enum finding_tool tool)
{
    static const char *const folders[] = { "bin", "lib64", "lib", "nvvm/lib64", "nvvm/bin" };
    for (size_t i = 0; tool != FINDING_NO_TOOL && i < sizeof folders / sizeof folders[0];
         i++) {
        struct root_names names;
        char path[ROOT_PATH_MAX], real[ROOT_PATH_MAX];
        bool found = false;
        snprintf(path, sizeof path, "%.2000s/%s", toolkit, folders[i]);
        root_list(d->sysroot, path, &names);
        for (size_t k = 0; k < names.count && !found; k++) {
            snprintf(path, sizeof path, "%.2000s/%s/%.255s", toolkit, folders[i], names.list[k]);
            found = finding_tool_of(names.list[k]) == tool && root_real(d->sysroot, path, real);
        }
        root_names_free(&names);
        if (found) {
            str_copy(one->path, sizeof one->path, real);
            return true;
        }
    }
    return false;
}

/* The compiler in use, else the only one that the toolkit has. */
static bool put_likely_tool(struct finding *one, const struct doctor *d, const char *toolkit)
{
    static const enum finding_tool tools[] = { FINDING_NVCC, FINDING_PTXAS, FINDING_NVRTC,
                                               FINDING_NVVM };
    size_t count = 0;
    if (finding_put_tool(one, d, toolkit, finding_tool_in_use(d, &one->package)))
        return true;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        count += finding_put_tool(one, d, toolkit, tools[i]);
    if (count == 1)
        return true;
    *one->path = 0;
    /* what compiles at run time without being known to is mostly NVRTC */
    return one->cause == CAUSE_A9 && finding_put_tool(one, d, toolkit, FINDING_NVRTC);
}

static struct driver_version least_for_isa(unsigned isa, enum arch_os os)
{
    const struct branch_facts *branch = facts_branch_for_isa(isa, os);
    return branch ? branch->first : (struct driver_version){ 0 };
}

static bool knows(long row, unsigned cc)
{
    unsigned lowest, highest;
    return !cc || !reach_of(row, &lowest, &highest) || (cc >= lowest && cc <= highest);
}

/* Less where the toolkit writes nothing for the card at all. */
static void writes_newer_ptx(const struct doctor *d, struct findings *f,
                             const struct host_toolkit *t, long row, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    const struct branch_facts *branch = facts_branch(g->rule.driver, g->rule.os);
    unsigned isa = isa_of(row);
    if (!version_known(g->rule.driver) || !branch || !branch->isa || isa <= branch->isa)
        return;
    int weight = knows(row, g->rule.cc) ? W_TOOLKIT_PTX : W_TOOLKIT_PTX_NEVER;
    struct finding *one = finding_add(f, CAUSE_A9, weight + (t->is_default ? 1 : 0));
    if (!one)
        return;
    one->gpu = (int)gpu;
    one->confidence = FINDING_LIKELY;
    one->least = least_for_isa(isa, g->rule.os);
    put_likely_tool(one, d, t->path);
    char version[VERSION_TEXT_MAX];
    struct remark *r = finding_say(one, "doctor.toolkit_ptx");
    remark_put(r, "path", t->path);
    remark_put(r, "toolkit", t->version);
    remark_putf(r, "isa", "%u.%u", isa / 100, isa % 100);
    remark_put(r, "driver", version_text(g->rule.driver, version));
    remark_putf(r, "most", "%u.%u", branch->isa / 100, branch->isa % 100);
}

static void lacks_gpu(const struct doctor *d, struct findings *f, const struct host_toolkit *t,
                      long row, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    unsigned lowest, highest;
    if (knows(row, g->rule.cc) || !reach_of(row, &lowest, &highest))
        return;
    struct finding *one = finding_add(f, CAUSE_A10, W_TOOLKIT_GPU + (t->is_default ? 1 : 0));
    if (!one)
        return;
    one->gpu = (int)gpu;
    one->confidence = FINDING_LIKELY;
    if (!put_likely_tool(one, d, t->path) &&
        !finding_put_tool(one, d, t->path, FINDING_PTXAS))
        finding_put_tool(one, d, t->path, FINDING_NVRTC);
    struct remark *r = finding_say(one, "doctor.toolkit_gpu");
    remark_put(r, "path", t->path);
    remark_put(r, "toolkit", t->version);
    remark_putf(r, "lowest", "%u.%u", lowest / 10, lowest % 10);
    remark_putf(r, "highest", "%u.%u", highest / 10, highest % 10);
    finding_put_gpu(r, g);
}

static void toolkits(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->host.toolkit_count; i++) {
        const struct host_toolkit *t = &d->host.toolkits[i];
        long row = toolkit_row(t->version);
        for (size_t g = 0; g < d->gpu_count && row >= 0; g++) {
            writes_newer_ptx(d, f, t, row, g);
            lacks_gpu(d, f, t, row, g);
        }
    }
}

/* ---- compilers that packages bring along ---- */

static struct finding *about_compiler(struct findings *f, const struct doctor_compiler *c,
                                      enum doctor_cause cause, size_t gpu)
{
    struct finding *one = finding_add(f, cause, W_COMPILER);
    if (!one)
        return NULL;
    one->gpu = (int)gpu;
    one->package = c->package;
    one->confidence = FINDING_LIKELY;
    str_copy(one->path, sizeof one->path, c->path);
    return one;
}

/* Triton from 3.6 on brings "ptxas-blackwell" for 10.0 and up beside "ptxas" for all others
 * (triton#10331). */
static bool is_for_other_cards(const struct doctor *d, const struct doctor_compiler *c, unsigned cc)
{
    static const char newer[] = "-blackwell";
    size_t length = strlen(c->path);
    if (str_ends(c->path, newer))
        return cc < 100;
    for (size_t i = 0; i < d->compiler_count && cc >= 100; i++)
        if (strncmp(d->compilers[i].path, c->path, length) == 0 &&
            strcmp(d->compilers[i].path + length, newer) == 0)
            return true;
    return false;
}

static void compiler(const struct doctor *d, struct findings *f, const struct doctor_compiler *c,
                     long row, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    const struct branch_facts *branch =
        version_known(g->rule.driver) ? facts_branch(g->rule.driver, g->rule.os) : NULL;
    unsigned lowest, highest, isa = isa_of(row);
    char version[VERSION_TEXT_MAX];
    if (!knows(row, g->rule.cc) && reach_of(row, &lowest, &highest)) {
        struct finding *one = about_compiler(f, c, CAUSE_A10, gpu);
        struct remark *r = one ? finding_say(one, "doctor.toolkit_gpu") : NULL;
        if (r) {
            remark_put(r, "path", c->path);
            remark_put(r, "toolkit", c->toolkit);
            remark_putf(r, "lowest", "%u.%u", lowest / 10, lowest % 10);
            remark_putf(r, "highest", "%u.%u", highest / 10, highest % 10);
            finding_put_gpu(r, g);
        }
    }
    if (!branch || !branch->isa || isa <= branch->isa)
        return;
    struct finding *one = about_compiler(f, c, CAUSE_A9, gpu);
    struct remark *r = one ? finding_say(one, "doctor.toolkit_ptx") : NULL;
    if (!r)
        return;
    one->least = least_for_isa(isa, g->rule.os);
    const char *slash = strrchr(c->path, '/');
    one->weight -= finding_tool_of(slash ? slash + 1 : c->path) == FINDING_PTXAS; /* reads PTX */
    remark_put(r, "path", c->path);
    remark_put(r, "toolkit", c->toolkit);
    remark_putf(r, "isa", "%u.%u", isa / 100, isa % 100);
    remark_put(r, "driver", version_text(g->rule.driver, version));
    remark_putf(r, "most", "%u.%u", branch->isa / 100, branch->isa % 100);
}

static void compilers(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->compiler_count; i++) {
        long row = *d->compilers[i].toolkit ? toolkit_row(d->compilers[i].toolkit) : -1;
        for (size_t g = 0; g < d->gpu_count && row >= 0; g++)
            if (!is_for_other_cards(d, &d->compilers[i], d->gpus[g].rule.cc))
                compiler(d, f, &d->compilers[i], row, g);
    }
}

/* ---- cuDNN, cuBLAS and their like ---- */

/* "9.12.0.46" of a package with cuDNN, "5.1.10" of libcudnn.so.5.1.10. */
static const char *cudnn_version(const struct doctor_package *p, const char *path)
{
    const char *base = strrchr(path, '/');
    const char *so = strstr(base ? base : path, ".so.");
    bool whole = so && strchr(so + 4, '.');
    return !whole && strstr(p->name, "cudnn") && *p->version ? p->version : so ? so + 4 : "";
}

static bool has_cudnn(const struct doctor_package *p)
{
    bool found = p->largest && strstr(p->largest, "cudnn");
    for (size_t i = 0; i < p->file_count; i++)
        found |= strstr(p->files[i].path, "cudnn") != NULL;
    return found;
}

/* A cuDNN of the system is no fault yet where no program here is seen to ask for one: what was linked
 * with a cuDNN of its own, or brings one, does not take it. Which libraries a program opens by itself
 * is not seen; then the text must speak of it. */
static bool is_unused(const struct doctor *d, size_t package)
{
    if (d->packages[package].origin != DOCTOR_SYSTEM)
        return false;
    for (size_t i = 0; i < d->package_count; i++)
        if (d->packages[i].origin != DOCTOR_SYSTEM && has_cudnn(&d->packages[i]))
            return true;
    for (size_t i = 0; i < d->lookup_count; i++)
        if (str_starts(d->lookups[i].soname, "libcudnn"))
            return false;
    return !d->error || !strcasestr(d->error, "cudnn");
}

static void about_library(const struct doctor *d, struct findings *f, size_t package,
                          const char *path, const char *archs, size_t gpu)
{
    bool cudnn = strstr(path, "cudnn") != NULL;
    int weight = cudnn && !is_unused(d, package) ? W_CUDNN : W_LIBRARY;
    struct finding *one = finding_add_of(d, f, CAUSE_A17, weight, package, path, gpu);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    struct remark *r = finding_say(one, "doctor.cudnn");
    remark_put(r, "path", one->path);
    remark_put(r, "archs", archs);
    finding_put_gpu(r, &d->gpus[gpu]);
}

static void library(const struct doctor *d, struct findings *f, size_t package, size_t file,
                    size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    const struct doctor_file *x = &p->files[file];
    enum doctor_cause cause;
    bool cudnn = strstr(x->path, "cudnn") != NULL;
    unsigned floor = cudnn ? finding_floor("libcudnn", cudnn_version(p, x->path), &cause) : 0;
    /* NVIDIA keeps the kernels of an architecture in containers of their own */
    bool lacks = x->judge[gpu].verdict == VERDICT_NO_IMAGE && !x->judge[gpu].usable;
    if (!lacks && floor <= d->gpus[gpu].rule.cc)
        return;
    struct str archs = STR_INIT;
    holds_add_archs(&archs, &x->holds);
    about_library(d, f, package, x->path, archs.p, gpu);
    str_free(&archs);
}

/* A cuDNN whose files, as far as they are here, hold no GPU code themselves. */
static void cudnn_package(const struct doctor *d, struct findings *f, size_t package, size_t gpu)
{
    const struct doctor_package *p = &d->packages[package];
    enum doctor_cause cause;
    unsigned cc = d->gpus[gpu].rule.cc, floor;
    if (p->file_count || !strstr(p->name, "cudnn") || str_starts(p->name, "libcudnn"))
        return;
    floor = finding_floor("libcudnn", p->version, &cause);
    if (floor <= cc)
        return;
    struct finding *one = finding_add_of(d, f, CAUSE_A17, W_CUDNN, package,
                                         p->largest ? p->largest : "", gpu);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    struct remark *r = finding_say(one, "doctor.floor");
    remark_putf(r, "package", "%s %s", p->name, p->version);
    remark_putf(r, "least", "%u.%u", floor / 10, floor % 10);
    finding_put_gpu(r, &d->gpus[gpu]);
}

/* The cuBLAS that an environment or the system has; false: none was seen. */
static bool put_cublas(const struct doctor *d, struct finding *one)
{
    for (size_t i = 0; i < d->package_count; i++)
        for (size_t k = 0; k < d->packages[i].file_count; k++) {
            const char *path = d->packages[i].files[k].path;
            if (!strstr(path, "cublas") || strstr(path, "cublasLt"))
                continue;
            one->package = (int)i;
            packages_path(&d->packages[i], path, one->path);
            return true;
        }
    for (size_t i = 0; i < d->host.loader.count; i++)
        if (str_starts(d->host.loader.entries[i].soname, "libcublas.so") &&
            root_real(d->sysroot, d->host.loader.entries[i].path, one->path))
            return true;
    *one->path = 0;
    return false;
}

/* cublasGemmEx and its like want 5.0, whatever images the library has. */
static void cublas(const struct doctor *d, struct findings *f, size_t gpu)
{
    /* beside what files show it counts only where the text says so first */
    if (!d->gpus[gpu].rule.cc || d->gpus[gpu].rule.cc >= 50 ||
        doctor_error_place(&f->error, CAUSE_A17) > 0)
        return;
    struct finding *one = finding_add(f, CAUSE_A17, W_CUBLAS);
    if (!one)
        return;
    one->gpu = (int)gpu;
    one->confidence = FINDING_LIKELY;
    put_cublas(d, one);
    finding_put_gpu(finding_say(one, "doctor.cublas"), &d->gpus[gpu]);
}

void finding_libraries(const struct doctor *d, struct findings *f)
{
    toolkits(d, f);
    compilers(d, f);
    for (size_t g = 0; g < d->gpu_count; g++) {
        for (size_t i = 0; i < d->package_count; i++) {
            for (size_t k = 0; k < d->packages[i].file_count; k++)
                if (d->packages[i].files[k].nvidia)
                    library(d, f, i, k, g);
            cudnn_package(d, f, i, g);
        }
        cublas(d, f, g);
    }
}
