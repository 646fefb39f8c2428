#include <stdio.h>
#include <string.h>

#include "doctor/finding_parts.h"
#include "doctor/holds.h"
#include "doctor/link.h"
#include "doctor/packages_scan.h"

/* Which copy of a library of NVIDIA's an error text speaks of. */

#define SEPARATORS " ,:;'\"()\n\t"

/* The library that a missing symbol should have been in. */
static const char *library_of(const char *symbol)
{
    static const struct {
        const char *start, *library;
    } starts[] = { { "cublasLt", "libcublasLt.so" },     { "cublas", "libcublas.so" },
                   { "cudnn", "libcudnn.so" },           { "cusparse", "libcusparse.so" },
                   { "cusolver", "libcusolver.so" },     { "cufft", "libcufft.so" },
                   { "nvrtc", "libnvrtc.so" },           { "nccl", "libnccl.so" },
                   { "__nvJitLink", "libnvJitLink.so" }, { "__cuda", "libcudart.so" },
                   { "cuda", "libcudart.so" } };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (str_starts(symbol, starts[i].start))
            return starts[i].library;
    return NULL;
}

/* Of "undefined symbol: cublasLtGetEnvironmentMode" and "symbol cublasLtHSHMatmulAlgoInit, version
 * libcublasLt.so.11 not defined in file"; also of how people put it, "cudnnGetVersion missing"; "" none. */
static void symbol_named(const char *text, char *name, size_t size)
{
    static const char *const said[] = { "symbol", "not defined in file", "missing", "undefined" };
    bool is_said = false;
    *name = 0;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        is_said |= strcasestr(text, said[i]) != NULL;
    while (is_said && *(text += strspn(text, SEPARATORS))) {
        size_t n = strcspn(text, SEPARATORS);
        char word[128];
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        bool has_capital = strpbrk(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
        if (library_of(word) && has_capital && !strpbrk(word, "./")) {
            str_copy(name, size, word);
            return;
        }
        text += n;
    }
}

/* "libcublas.so": of the missing symbol, else the last one that the text names, else of the library
 * whose name stands there alone; "" none. */
static void library_named(const char *text, char *name, size_t size)
{
    static const char *const alone[][2] = { { "cudnn", "libcudnn.so" },
                                            { "cublas", "libcublas.so" },
                                            { "nvrtc", "libnvrtc.so" },
                                            { "nvjitlink", "libnvJitLink.so" },
                                            { "cusparse", "libcusparse.so" },
                                            { "cusolver", "libcusolver.so" },
                                            { "cufft", "libcufft.so" },
                                            { "tensorrt", "libnvinfer.so" } };
    char symbol[128];
    symbol_named(text, symbol, sizeof symbol);
    const char *library = library_of(symbol);
    *name = 0;
    for (const char *p = text; !library && (p = strstr(p, "lib")); p += 3) {
        size_t n = strcspn(p, " ,:;'\"()/");
        const char *so = memmem(p, n, ".so", 3);
        char word[64];
        snprintf(word, sizeof word, "%.*s", so ? (int)(so + 3 - p) : 0, p);
        if (so && holds_is_nvidia_file(word))
            str_copy(name, size, word);
    }
    for (size_t i = 0; !library && !*name && i < sizeof alone / sizeof alone[0]; i++)
        library = strcasestr(text, alone[i][0]) ? alone[i][1] : NULL;
    if (library)
        str_copy(name, size, library);
}

static bool is_copy_of(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return str_starts(slash ? slash + 1 : path, name);
}

/* What a package asks for, as the loader gives it; conda's Python has the environment's lib on its
 * own path. */
static bool put_lookup(const struct doctor *d, struct finding *one, const char *name)
{
    for (size_t i = 0; i < d->lookup_count; i++) {
        const struct doctor_lookup *l = &d->lookups[i];
        int env = d->packages[l->package].env;
        char path[ROOT_PATH_MAX];
        if (!str_starts(l->soname, name))
            continue;
        if (*l->path)
            str_copy(one->path, sizeof one->path, l->path);
        else if (env >= 0)
            snprintf(path, sizeof path, "%s/lib/%s", d->envs[env].path, l->soname);
        if (*l->path || (env >= 0 && root_real(d->sysroot, path, one->path))) {
            one->package = l->package;
            return true;
        }
    }
    return false;
}

static bool put_listed(const struct doctor *d, struct finding *one, const char *name)
{
    for (size_t i = 0; i < d->host.loader.count; i++)
        if (str_starts(d->host.loader.entries[i].soname, name) &&
            root_real(d->sysroot, d->host.loader.entries[i].path, one->path))
            return true;
    return false;
}

static bool put_packaged(const struct doctor *d, struct finding *one, const char *name)
{
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        const char *path = p->largest && is_copy_of(p->largest, name) ? p->largest : NULL;
        for (size_t k = 0; k < p->file_count && !path; k++)
            path = is_copy_of(p->files[k].path, name) ? p->files[k].path : NULL;
        if (!path)
            continue;
        one->package = (int)i;
        packages_path(p, path, one->path);
        return true;
    }
    return false;
}

static bool put_of_toolkit(const struct doctor *d, struct finding *one, const char *name)
{
    static const char *const folders[] = { "lib64", "lib", "targets/x86_64-linux/lib" };
    bool found = false;
    for (size_t i = 0; i < d->host.toolkit_count * 3 && !found; i++) {
        struct root_names names;
        char path[ROOT_PATH_MAX];
        snprintf(path, sizeof path, "%.2000s/%s", d->host.toolkits[i / 3].path, folders[i % 3]);
        root_list(d->sysroot, path, &names);
        for (size_t k = 0; k < names.count && !found; k++) {
            snprintf(path, sizeof path, "%.2000s/%s/%.255s", d->host.toolkits[i / 3].path,
                     folders[i % 3], names.list[k]);
            found = str_starts(names.list[k], name) && root_real(d->sysroot, path, one->path);
        }
        root_names_free(&names);
    }
    return found;
}

/* The copy that a package here is given, else the one that the loader gives to a program without
 * paths of its own, else one that lies in a package or a toolkit. */
static void put_library(const struct doctor *d, struct finding *one, const char *name)
{
    if (!put_lookup(d, one, name) && !put_listed(d, one, name) && !put_packaged(d, one, name) &&
        !put_of_toolkit(d, one, name))
        *one->path = 0;
}

/* ---- a copy without the symbol ---- */

struct wanted {
    const char *symbol;
    bool found;
};

static bool is_other(void *self, const char *symbol)
{
    struct wanted *w = self;
    w->found = strcmp(symbol, w->symbol) == 0;
    return !w->found;
}

static bool lacks(const struct doctor *d, const char *path, const char *symbol)
{
    struct wanted w = { symbol, false };
    char full[ROOT_PATH_MAX];
    struct err unused;
    err_clear(&unused);
    return root_resolve(d->sysroot, path, full) &&
           link_symbols(full, true, is_other, &w, &unused) == 0 && !w.found;
}

static bool put_lacking(const struct doctor *d, struct finding *one, const char *folder,
                        const char *name, const char *symbol)
{
    struct root_names names;
    char path[ROOT_PATH_MAX];
    bool found = false;
    root_list(d->sysroot, folder, &names);
    for (size_t i = 0; i < names.count && !found; i++) {
        snprintf(path, sizeof path, "%.2000s/%.255s", folder, names.list[i]);
        found = str_starts(names.list[i], name) && lacks(d, path, symbol) &&
                root_real(d->sysroot, path, one->path);
    }
    root_names_free(&names);
    return found;
}

/* The copy that was loaded is the one that has no such symbol. */
static void put_without(const struct doctor *d, struct finding *one, const char *name,
                        const char *symbol)
{
    static const char *const folders[] = { "torch/lib", "nvidia/cublas/lib", "nvidia/cudnn/lib",
                                           "nvidia/nvjitlink/lib", "nvidia/cusparse/lib" };
    bool found = lacks(d, one->path, symbol);
    char folder[ROOT_PATH_MAX];
    for (size_t i = 0; i < d->env_count && !found; i++) {
        for (size_t k = 0; k < sizeof folders / sizeof folders[0] && !found; k++) {
            snprintf(folder, sizeof folder, "%.2000s/%s", d->envs[i].site, folders[k]);
            found = put_lacking(d, one, folder, name, symbol);
        }
        snprintf(folder, sizeof folder, "%.2000s/lib", d->envs[i].path);
        found = found || put_lacking(d, one, folder, name, symbol);
    }
}

void finding_put_library(const struct doctor *d, struct finding *one)
{
    char name[64], symbol[128];
    library_named(d->error, name, sizeof name);
    if (!*name)
        return;
    put_library(d, one, name);
    symbol_named(d->error, symbol, sizeof symbol);
    if (*symbol && *one->path)
        put_without(d, one, name, symbol);
}

void finding_put_floor(const struct doctor *d, struct finding *one)
{
    put_library(d, one, strcasestr(d->error, "cudnn") ? "libcudnn.so" : "libcublas.so");
}
