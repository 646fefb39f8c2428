#include "doctor/packages_scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "doctor/compilers.h"
#include "doctor/role.h"
#include "doctor/unread.h"

#define FILE_LEAST 64 /* bytes */

bool packages_in_time(struct doctor *d)
{
    if (!d->partial && d->deadline_ns && os_now_ns() > d->deadline_ns)
        d->partial = true;
    return !d->deadline_ns || os_now_ns() <= d->deadline_ns;
}

static void note_largest(struct doctor_package *p, const char *path, uint64_t bytes)
{
    if (bytes <= p->largest_bytes || (!strstr(path, ".so") && !str_ends(path, ".pyd") &&
                                      !str_ends(path, ".dll") && strchr(path, '.')))
        return;
    free(p->largest);
    p->largest = strdup(path);
    p->largest_bytes = p->largest ? bytes : 0;
}

/* "libtorch_cuda.so", "onnxruntime_providers_cuda.dll", "libc10_cuda.so"; not "libcudart.so". */
static bool names_cuda(const char *path)
{
    const char *base = strrchr(path, '/');
    return strstr(base ? base : path, "_cuda") != NULL;
}

static int keep(struct doctor_package *p, const char *path, uint64_t bytes, struct holds *holds,
                struct err *err)
{
    if ((p->file_count & (p->file_count - 1)) == 0) {
        size_t cap = p->file_count ? p->file_count * 2 : 1;
        struct doctor_file *files = reallocarray(p->files, cap, sizeof *files);
        if (!files)
            goto fail;
        p->files = files;
    }
    struct doctor_file *f = &p->files[p->file_count];
    *f = (struct doctor_file){ .path = strdup(path), .bytes = bytes, .holds = *holds };
    if (!f->path)
        goto fail;
    f->nvidia = holds_is_nvidia_file(path) || str_starts(p->name, "nvidia-");
    p->file_count++;
    return 0;
fail:
    holds_free(holds);
    return err_set(err, ERR_MEMORY, "out of memory");
}

bool packages_is_worth_reading(const char *full)
{
    struct stat st;
    return stat(full, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= FILE_LEAST;
}

static void note_cut(struct doctor *d, const char *full)
{
    struct err why;
    if (!unread_is_cut(full))
        return;
    err_clear(&why);
    err_set(&why, ERR_FORMAT, "the file ends before its contents do");
    d->problems++;
    unread_note(d, full, &why);
}

int packages_read(struct doctor *d, size_t package, const char *full, const char *path,
                  struct err *err)
{
    struct holds holds;
    struct err problem;
    struct stat st;
    struct doctor_package *p = &d->packages[package];
    err_clear(&problem);
    if (d->only_pytorch && !packages_is_pytorch(p))
        return 0;
    if (stat(full, &st) || !S_ISREG(st.st_mode) || st.st_size < FILE_LEAST)
        return 0;
    note_largest(p, path, (uint64_t)st.st_size);
    p->cuda_build |= names_cuda(path);
    if (compilers_is_one(path))
        compilers_note(d, package, full, path);
    if (d->files_kept == DOCTOR_FILES_MAX) {
        d->partial = true;
        return 0;
    }
    d->files_read++;
    d->bytes_read += (uint64_t)st.st_size;
    if (holds_read(full, d->deadline_ns, &holds, &problem)) {
        holds_free(&holds);
        d->problems++;
        unread_note(d, full, &problem);
        return problem.code == ERR_MEMORY ? (*err = problem, -1) : 0;
    }
    d->problems += holds.problems;
    note_cut(d, full);
    d->partial |= holds.cut && !packages_in_time(d);
    if (!holds.group_count) {
        holds_free(&holds);
        return 0;
    }
    d->files_kept++;
    return keep(p, path, (uint64_t)st.st_size, &holds, err);
}

/* ---- what it was built for ---- */

bool packages_is_pytorch(const struct doctor_package *p)
{
    return strcmp(p->name, "torch") == 0 || strcmp(p->name, "pytorch") == 0;
}

/* "cuda = '10.1'" or "cuda: Optional[str] = None" */
static void read_torch_version(struct doctor *d, struct doctor_package *p)
{
    char path[ROOT_PATH_MAX];
    struct str text = STR_INIT;
    snprintf(path, sizeof path, "%.3000s/torch/version.py", p->base);
    if (root_read(d->sysroot, path, 65536, &text)) {
        const char *line = str_starts(text.p, "cuda") ? text.p : strstr(text.p, "\ncuda");
        const char *value = line ? strchr(line, '=') : NULL;
        unsigned major, minor;
        value = value ? value + 1 + strspn(value + 1, " '\"") : "";
        if (sscanf(value, "%2u.%2u", &major, &minor) == 2)
            snprintf(p->cuda, sizeof p->cuda, "%u.%u", major, minor);
        else if (str_starts(value, "None"))
            p->cpu_build = true;
    }
    str_free(&text);
}

/* "1.12.1+cu113" was built for 11.3, "2.1.0+cpu" for none. */
static void read_local_version(struct doctor_package *p)
{
    const char *local = strchr(p->version, '+');
    unsigned number;
    if (local && strstr(local, "cpu"))
        p->cpu_build = true;
    if (!*p->cuda && local && sscanf(local, "+cu%3u", &number) == 1 && number >= 80)
        snprintf(p->cuda, sizeof p->cuda, "%u.%u", number / 10, number % 10);
}

/* Of its cubins: PTX is no matter of the runtime, and of a toolkit only by guess. */
static unsigned newest_toolkit(const struct doctor_package *p)
{
    unsigned newest = 0;
    for (size_t i = 0; i < p->file_count; i++)
        for (size_t g = 0; g < p->files[i].holds.group_count && !p->files[i].nvidia; g++) {
            const struct holds_group *group = &p->files[i].holds.groups[g];
            for (size_t k = 0; k < group->image_count; k++) {
                if (group->images[k].kind != ARCH_CUBIN)
                    continue;
                unsigned level =
                    facts_level(group->images[k].toolkit_major, group->images[k].toolkit_minor);
                newest = level > newest ? level : newest;
            }
        }
    return newest;
}

/* "libbitsandbytes_cuda117.so": one of several, chosen by the CUDA version. 0: no such file. */
static unsigned chosen_by(const char *path)
{
    const char *base = strrchr(path, '/'), *cuda;
    unsigned number;
    cuda = strstr(base ? base : path, "_cuda");
    return cuda && sscanf(cuda, "_cuda%3u", &number) == 1 && number >= 80 ? number : 0;
}

/* "kernel_sm_50.cubin", "libnvinfer_builder_resource_sm75.so.10", "_86_C.cpython-310-....so",
 * "kernel_compute_75.ptx": one of several, chosen by the card. */
static bool is_for_one_arch(const char *path)
{
    static const char *const marks[] = { "sm_", "sm", "compute_", "compute", "cc" };
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    unsigned number;
    int n = 0;
    if (sscanf(base, "_%3u_C%n", &number, &n) == 1 && n && number >= 20)
        return true;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i]);
        for (const char *p = base; (p = strstr(p, marks[i])); p += length) {
            char *end;
            bool start = p == base || strchr("_-.", p[-1]);
            unsigned long arch = strtoul(p + length, &end, 10);
            if (start && isdigit((unsigned char)p[length]) && arch >= 20 && arch < 200 &&
                strchr("_.-af", *end))
                return true;
        }
    }
    return false;
}

/* Of such files a package takes one. */
bool packages_is_alternative(const char *path)
{
    return chosen_by(path) || is_for_one_arch(path);
}

static unsigned cuda_of_env(const struct doctor *d, int env)
{
    unsigned major, minor;
    const char *set = host_variable(&d->host, "BNB_CUDA_VERSION");
    if (set && strtoul(set, NULL, 10) >= 80)
        return (unsigned)strtoul(set, NULL, 10);
    for (size_t i = 0; i < d->package_count; i++)
        if (d->packages[i].env == env && packages_is_pytorch(&d->packages[i]) &&
            sscanf(d->packages[i].cuda, "%u.%u", &major, &minor) == 2)
            return major * 10 + minor;
    return 0;
}

static void pass_over_siblings(const struct doctor *d, struct doctor_package *p)
{
    unsigned cuda = cuda_of_env(d, p->env);
    bool found = false;
    for (size_t i = 0; i < p->file_count; i++)
        found |= cuda && chosen_by(p->files[i].path) == cuda;
    for (size_t i = 0; i < p->file_count; i++) {
        unsigned by = chosen_by(p->files[i].path);
        p->files[i].passed_over = found && by && by != cuda;
    }
}

void packages_part_name(const char *path, char *name, size_t size)
{
    size_t n = strcspn(path, "/");
    if (!path[n])
        n = strcspn(path, ".");
    if (str_starts(path, "nvidia/")) /* a folder of many packages */
        snprintf(name, size, "nvidia-%.*s", (int)strcspn(path + n + 1, "/"), path + n + 1);
    else
        snprintf(name, size, "%.*s", (int)n, path);
    char *libs = strstr(name, ".libs");
    if (libs)
        *libs = 0;
}

void packages_path(const struct doctor_package *p, const char *file, char path[ROOT_PATH_MAX])
{
    snprintf(path, ROOT_PATH_MAX, "%.2000s/%.2000s", strcmp(p->base, "/") == 0 ? "" : p->base, file);
}

/* ---- verdicts ---- */

bool packages_counts(const struct doctor_file *f, size_t gpu)
{
    return !f->nvidia && !f->passed_over && f->judge[gpu].verdict != VERDICT_NO_GPU_CODE;
}

static bool is_library(const char *path)
{
    return strstr(path, ".so") || str_ends(path, ".dll") || str_ends(path, ".pyd");
}

static size_t stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcspn(slash ? slash + 1 : path, ".");
}

/* Whether `f` says more about the package than `best`: of files that are loaded together the one
 * that fails, of those of which the package takes one the one that runs; then the one that the text
 * names, then the larger. Of libraries that are alike, others are built on the one with the shortest
 * name: "_C" and "_C_flashattention", "libopencv_cudev" and "libopencv_cudaarithm". */
static bool says_more(const struct doctor *d, const struct doctor_file *f,
                      const struct doctor_file *best, size_t gpu, bool alternatives)
{
    bool fails = judge_fails(&f->judge[gpu]), failed = judge_fails(&best->judge[gpu]);
    if (fails != failed)
        return fails != alternatives;
    bool named = role_is_file_spoken_of(d->error, f->path);
    if (named != role_is_file_spoken_of(d->error, best->path))
        return named;
    if (f->holds.containers != best->holds.containers)
        return f->holds.containers > best->holds.containers;
    if (f->bytes > best->bytes + best->bytes / 4 || best->bytes > f->bytes + f->bytes / 4)
        return f->bytes > best->bytes;
    return is_library(f->path) && is_library(best->path) && stem_of(f->path) < stem_of(best->path);
}

/* bitsandbytes takes "_nocublaslt" below 7.5, where both are there. */
static bool is_for_others(const struct doctor *d, const struct doctor_package *p, size_t file,
                          size_t gpu)
{
    const char *mark = "_nocublaslt";
    bool without = strstr(p->files[file].path, mark) != NULL, both = false;
    for (size_t i = 0; i < p->file_count; i++)
        both |= chosen_by(p->files[i].path) == chosen_by(p->files[file].path) &&
                (strstr(p->files[i].path, mark) != NULL) != without;
    return both && without != (d->gpus[gpu].rule.cc < 75);
}

/* The best of the files of which the package takes one, by CUDA version or by card; -1 none. */
static int taken(const struct doctor *d, const struct doctor_package *p, size_t gpu)
{
    int best = -1;
    for (size_t i = 0; i < p->file_count; i++)
        if (packages_counts(&p->files[i], gpu) && packages_is_alternative(p->files[i].path) &&
            !is_for_others(d, p, i, gpu) &&
            (best < 0 || says_more(d, &p->files[i], &p->files[best], gpu, true)))
            best = (int)i;
    return best;
}

/* A part for newer cards alone (FlashAttention beside the plain kernels), which a package that runs
 * without it does not call on older ones. */
static bool is_extra(const struct doctor *d, const struct doctor_package *p, size_t file,
                     size_t gpu)
{
    const struct judge *j = &p->files[file].judge[gpu];
    unsigned cc = d->gpus[gpu].rule.cc;
    if (j->verdict != VERDICT_NO_IMAGE || !j->lowest || j->lowest <= cc)
        return false;
    for (size_t i = 0; i < p->file_count; i++)
        if (packages_counts(&p->files[i], gpu) && !packages_is_alternative(p->files[i].path) &&
            !judge_fails(&p->files[i].judge[gpu]) &&
            p->files[i].holds.containers >= p->files[file].holds.containers)
            return true;
    return false;
}

/* The file that decides for a package. */
static int decides(const struct doctor *d, const struct doctor_package *p, size_t gpu)
{
    int best = taken(d, p, gpu);
    for (size_t i = 0; i < p->file_count; i++)
        if (packages_counts(&p->files[i], gpu) && !packages_is_alternative(p->files[i].path) &&
            !is_extra(d, p, i, gpu) &&
            (best < 0 || says_more(d, &p->files[i], &p->files[best], gpu, false)))
            best = (int)i;
    return best;
}

static void read_versions(struct doctor *d, struct doctor_package *p)
{
    if (packages_is_pytorch(p))
        read_torch_version(d, p);
    read_local_version(p);
    unsigned toolkit = newest_toolkit(p);
    if (!*p->cuda && toolkit)
        snprintf(p->cuda, sizeof p->cuda, "%u.%u", toolkit / 100, toolkit % 100);
}

static void judge_package(const struct doctor *d, struct doctor_package *p)
{
    pass_over_siblings(d, p);
    for (size_t g = 0; g < d->gpu_count; g++) {
        for (size_t i = 0; i < p->file_count; i++)
            judge_file(&p->files[i].holds, &d->gpus[g].rule, &p->files[i].judge[g]);
        p->fault[g] = decides(d, p, g);
        if (p->fault[g] >= 0)
            p->judge[g] = p->files[p->fault[g]].judge[g];
        else
            p->judge[g] = (struct judge){ .verdict = VERDICT_NO_GPU_CODE };
    }
}

/* First all versions: which file a package takes depends on what PyTorch was built for. */
void packages_conclude(struct doctor *d, size_t first)
{
    for (size_t i = first; i < d->package_count; i++)
        read_versions(d, &d->packages[i]);
    for (size_t i = first; i < d->package_count; i++)
        judge_package(d, &d->packages[i]);
}
