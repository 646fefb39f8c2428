#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/link.h"
#include "doctor/owners.h"
#include "doctor/packages.h"
#include "doctor/packages_scan.h"

/* An application: its own files are one package, Python packages that it brings along are more. */
struct app_walk {
    struct doctor *d;
    const char *name, *base; /* that machine's folder */
    enum doctor_origin origin;
    size_t root_length, first;
    bool skip_toolkits, checkout;
    size_t env; /* that links to the checkout */
};

/* The part behind site-packages names the package that a bundle brings along. */
static void name_of(const struct app_walk *w, const char *path, char *name, size_t size)
{
    const char *site = strstr(path, "site-packages/");
    if (!site)
        site = strstr(path, "dist-packages/");
    if (site)
        packages_part_name(site + 14, name, size);
    else
        str_copy(name, size, w->name);
}

static long package_for(struct app_walk *w, const char *path)
{
    char name[96];
    name_of(w, path, name, sizeof name);
    for (size_t i = w->first; i < w->d->package_count; i++)
        if (strcmp(w->d->packages[i].name, name) == 0)
            return (long)i;
    struct doctor_package *p = packages_new(w->d, name, w->origin, w->base);
    if (!p)
        return -1;
    p->bundled = strcmp(name, w->name) != 0;
    p->from_source = w->checkout;
    if (w->checkout)
        p->env = (int)w->env;
    return (long)w->d->package_count - 1;
}

/* Files of an environment and of a checkout that it links to were read with it, toolkits are no
 * programs of the user. */
static bool is_elsewhere(const struct app_walk *w, const char *path)
{
    char full[ROOT_PATH_MAX];
    snprintf(full, sizeof full, "%.2000s/%.2000s", w->base, path);
    for (size_t i = 0; i < w->d->env_count; i++)
        if (root_is_in(full, w->d->envs[i].site))
            return true;
    for (size_t i = 0; i < w->d->host.toolkit_count; i++) {
        if (root_is_in(full, w->d->host.toolkits[i].path))
            return true;
    }
    for (size_t i = 0; i < w->first; i++)
        if (w->d->packages[i].from_source && root_is_in(full, w->d->packages[i].base))
            return true;
    return w->skip_toolkits && str_starts(path, "cuda");
}

/* "s3d.x", "lmp.cuda": a program whose name ends in anything, told by its first bytes. */
static bool is_program(const char *full)
{
    char magic[4];
    FILE *file = fopen(full, "rb");
    bool is = file && fread(magic, 1, sizeof magic, file) == sizeof magic &&
              memcmp(magic, "\177ELF", sizeof magic) == 0;
    if (file)
        fclose(file);
    return is;
}

static int on_app_file(void *self, const char *full, struct err *err)
{
    struct app_walk *w = self;
    const char *path = full + w->root_length;
    path += *path == '/';
    w->d->files_seen++;
    if (!packages_in_time(w->d))
        return err_set(err, ERR_LIMIT, "the time for reading files is up");
    if (is_elsewhere(w, path) || !packages_is_worth_reading(full) ||
        (!owners_may_hold(path) && !is_program(full)))
        return 0;
    long package = package_for(w, path);
    return package < 0 ? 0 : packages_read(w->d, (size_t)package, full, path, err);
}

static void on_problem(void *self, const char *path, const struct err *problem)
{
    struct app_walk *w = self;
    (void)path, (void)problem;
    w->d->problems++;
}

static int walk(struct app_walk *w, struct err *err)
{
    const struct os_walk_sink sink = { w, on_app_file, on_problem };
    char full[ROOT_PATH_MAX];
    w->first = w->d->package_count;
    if (!root_resolve(w->d->sysroot, w->base, full))
        return 0;
    w->root_length = strlen(full);
    int rc = packages_walk(w->d, full, &sink, err);
    packages_conclude(w->d, w->first);
    return rc;
}

int packages_of_app(struct doctor *d, const char *folder, struct err *err)
{
    const char *slash = strrchr(folder, '/');
    struct app_walk w = {
        .d = d, .name = slash && slash[1] ? slash + 1 : folder, .base = folder, .origin = DOCTOR_APP
    };
    return walk(&w, err);
}

int packages_of_checkout(struct doctor *d, size_t env, const char *folder, struct err *err)
{
    const char *slash = strrchr(folder, '/');
    struct app_walk w = { .d = d,
                          .name = slash ? slash + 1 : folder,
                          .base = folder,
                          .origin = DOCTOR_PIP,
                          .checkout = true,
                          .env = env };
    return walk(&w, err);
}

/* ---- the system's ---- */

static int read_opt(struct doctor *d, struct err *err)
{
    struct root_names names;
    char folder[600];
    int rc = 0;
    root_list(d->sysroot, "/opt", &names);
    for (size_t i = 0; i < names.count && !rc && packages_in_time(d); i++) {
        snprintf(folder, sizeof folder, "/opt/%.255s", names.list[i]);
        bool skip = strcmp(names.list[i], "cuda") == 0 || strcmp(names.list[i], "nvidia") == 0 ||
                    strcmp(names.list[i], "conda") == 0;
        if (!skip && root_kind(d->sysroot, folder) == OS_FILE_FOLDER)
            rc = packages_of_app(d, folder, err);
    }
    root_names_free(&names);
    return rc;
}

/* NVIDIA's own, whose images are no verdict: a package by themselves. */
static bool is_nvidia_library(const char *soname)
{
    return str_starts(soname, "libcudnn") || str_starts(soname, "libnvrtc.so");
}

static bool is_driver_library(const char *soname)
{
    return strstr(soname, "nvidia") || str_starts(soname, "libcuda") ||
           str_starts(soname, "libnv");
}

static bool is_wanted(const char *soname, const char *real, const char *full, bool nvidia)
{
    if (nvidia)
        return is_nvidia_library(soname);
    return !str_starts(real, "/usr/local/") && !is_driver_library(soname) &&
           !holds_is_nvidia_file(real) && link_has_gpu_section(full);
}

/* Of the libraries on ldconfig's list, cuDNN and NVRTC, or those of others with GPU code. */
static int read_listed(struct doctor *d, const char *package, bool nvidia, struct err *err)
{
    const struct loader *l = &d->host.loader;
    size_t first = d->package_count;
    int rc = 0;
    char last[ROOT_PATH_MAX] = "";
    for (size_t i = 0; i < l->count && !rc && packages_in_time(d); i++) {
        char real[ROOT_PATH_MAX], full[ROOT_PATH_MAX];
        if (nvidia && !is_nvidia_library(l->entries[i].soname))
            continue;
        if (!root_real(d->sysroot, l->entries[i].path, real) || strcmp(real, last) == 0 ||
            !root_resolve(d->sysroot, real, full) ||
            !is_wanted(l->entries[i].soname, real, full, nvidia))
            continue;
        str_copy(last, sizeof last, real);
        if (first == d->package_count && !packages_new(d, package, DOCTOR_SYSTEM, "/"))
            return 0;
        rc = packages_read(d, first, full, real + 1, err);
    }
    packages_conclude(d, first);
    return rc;
}

/* The distribution's programs with GPU code. */
static int read_programs(struct doctor *d, struct err *err)
{
    static const char *const folders[] = { "/usr/bin", "/usr/games" };
    size_t first = d->package_count;
    int rc = 0;
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++) {
        struct root_names names;
        root_list(d->sysroot, folders[f], &names);
        for (size_t i = 0; i < names.count && !rc && packages_in_time(d); i++) {
            char path[ROOT_PATH_MAX], full[ROOT_PATH_MAX];
            snprintf(path, sizeof path, "%s/%.255s", folders[f], names.list[i]);
            if (root_kind(d->sysroot, path) != OS_FILE_REGULAR ||
                !root_resolve(d->sysroot, path, full) || !link_has_gpu_section(full))
                continue;
            if (packages_new(d, names.list[i], DOCTOR_SYSTEM, folders[f]))
                rc = packages_read(d, d->package_count - 1, full, names.list[i], err);
        }
        root_names_free(&names);
    }
    packages_conclude(d, first);
    return rc;
}

/* Of programs that keep their libraries in a folder of their own, which no list of the loader has. */
static int read_private(struct doctor *d, struct err *err)
{
    static const char *const folders[] = { "/usr/lib/ollama", "/usr/lib64/ollama" };
    int rc = 0;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !rc; i++) {
        struct app_walk w = {
            .d = d, .name = "ollama", .base = folders[i], .origin = DOCTOR_SYSTEM
        };
        if (root_kind(d->sysroot, folders[i]) == OS_FILE_FOLDER)
            rc = walk(&w, err);
    }
    return rc;
}

int packages_of_nvidia(struct doctor *d, struct err *err)
{
    return read_listed(d, "system", true, err);
}

int packages_of_system(struct doctor *d, bool opt, struct err *err)
{
    struct app_walk local = { .d = d,
                              .name = "usr/local",
                              .base = "/usr/local",
                              .origin = DOCTOR_SYSTEM,
                              .skip_toolkits = true };
    if ((opt && read_opt(d, err)) || (!d->local_is_app && walk(&local, err)))
        return -1;
    return packages_of_nvidia(d, err) || read_listed(d, "system libraries", false, err) ||
                   read_programs(d, err) || read_private(d, err)
               ? -1
               : 0;
}
