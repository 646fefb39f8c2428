#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/owners.h"
#include "doctor/packages.h"
#include "doctor/packages_scan.h"

/* An application: its own files are one package, Python packages that it brings along are more. */
struct app_walk {
    struct doctor *d;
    const char *name, *base; /* that machine's folder */
    enum doctor_origin origin;
    size_t root_length, first;
    bool skip_toolkits;
};

/* The part behind site-packages names the package that a bundle brings along. */
static void name_of(const struct app_walk *w, const char *path, char *name, size_t size)
{
    const char *site = strstr(path, "site-packages/");
    if (!site)
        site = strstr(path, "dist-packages/");
    if (site && strchr(site + 14, '/'))
        snprintf(name, size, "%.*s", (int)strcspn(site + 14, "/."), site + 14);
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
    return (long)w->d->package_count - 1;
}

/* Files of an environment were read with it, toolkits are no programs of the user. */
static bool is_elsewhere(const struct app_walk *w, const char *path)
{
    char full[ROOT_PATH_MAX];
    snprintf(full, sizeof full, "%.2000s/%.2000s", w->base, path);
    for (size_t i = 0; i < w->d->env_count; i++)
        if (str_starts(full, w->d->envs[i].site))
            return true;
    for (size_t i = 0; i < w->d->host.toolkit_count; i++) {
        const char *toolkit = w->d->host.toolkits[i].path;
        if (str_starts(full, toolkit) && full[strlen(toolkit)] == '/')
            return true;
    }
    return w->skip_toolkits && str_starts(path, "cuda");
}

/* A file without a suffix is a program only if it may be executed. */
static int on_app_file(void *self, const char *full, struct err *err)
{
    struct app_walk *w = self;
    const char *path = full + w->root_length;
    path += *path == '/';
    w->d->files_seen++;
    if (!packages_in_time(w->d))
        return err_set(err, ERR_LIMIT, "the time for reading files is up");
    if (!owners_may_hold(path) || is_elsewhere(w, path))
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

/* Libraries of ldconfig's list that stand between a program and the GPU. Those of NVIDIA have a
 * package of their own, whose images are no verdict. */
static const struct {
    const char *start, *package;
} listed[] = {
    { "libcudnn", "system" },
    { "libnvrtc.so", "system" },
    { "libopencv_cuda", "system libraries" },
    { "libcaffe", "system libraries" },
    { "libtorch", "system libraries" },
    { "libtensorflow", "system libraries" },
    { "libonnxruntime", "system libraries" },
    { "libggml", "system libraries" },
    { "libfaiss", "system libraries" },
};

static int read_kind(struct doctor *d, const char *package, struct err *err)
{
    const struct loader *l = &d->host.loader;
    size_t first = d->package_count;
    int rc = 0;
    for (size_t i = 0; i < l->count && !rc && packages_in_time(d); i++) {
        char real[ROOT_PATH_MAX], full[ROOT_PATH_MAX];
        bool wanted = false;
        for (size_t k = 0; k < sizeof listed / sizeof listed[0]; k++)
            wanted |= strcmp(listed[k].package, package) == 0 &&
                      str_starts(l->entries[i].soname, listed[k].start);
        if (!wanted || !root_real(d->sysroot, l->entries[i].path, real) ||
            !root_resolve(d->sysroot, real, full) ||
            (strcmp(package, "system") != 0 && str_starts(real, "/usr/local/")))
            continue;
        if (first == d->package_count && !packages_new(d, package, DOCTOR_SYSTEM, "/"))
            return 0;
        rc = packages_read(d, first, full, real + 1, err);
    }
    packages_conclude(d, first);
    return rc;
}

static int read_listed(struct doctor *d, struct err *err)
{
    return read_kind(d, "system", err) || read_kind(d, "system libraries", err) ? -1 : 0;
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
    return read_listed(d, err);
}
