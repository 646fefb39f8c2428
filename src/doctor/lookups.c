#include "doctor/lookups.h"

#include <stdio.h>
#include <string.h>

#include "doctor/link.h"
#include "doctor/needs.h"
#include "doctor/packages_scan.h"

#define FILES_MAX 4 /* of a package that are looked at: those with the most containers */

/* ---- which copy ---- */

static bool is_of_interest(const char *soname)
{
    static const char *const starts[] = { "libcublas", "libcudnn",   "libnvrtc.so", "libcudart",
                                          "libcufft",  "libcusparse", "libnccl",     "libcusolver",
                                          "libcuda.so" };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (str_starts(soname, starts[i]))
            return true;
    return false;
}

static bool is_noted(const struct doctor *d, size_t package, const char *soname, const char *path)
{
    for (size_t i = 0; i < d->lookup_count; i++)
        if (d->lookups[i].package == (int)package &&
            strcmp(d->lookups[i].soname, soname) == 0 && strcmp(d->lookups[i].path, path) == 0)
            return true;
    return false;
}

struct looking {
    struct doctor *d;
    size_t package;
};

/* What a library deeper down does not get counts as nothing: packages load such ones beforehand. */
static void look_up(void *self, unsigned depth, const char *soname, const struct loader_hit *hit)
{
    const struct looking *looking = self;
    struct doctor *d = looking->d;
    size_t package = looking->package;
    if (d->lookup_count == DOCTOR_LOOKUPS_MAX || !is_of_interest(soname) ||
        (depth && hit->how == LOADER_NOWHERE))
        return;
    char real[ROOT_PATH_MAX];
    const char *path = hit->how != LOADER_NOWHERE && root_real(d->sysroot, hit->path, real) ? real
                                                                                            : "";
    if (is_noted(d, package, soname, path))
        return;
    struct doctor_lookup *one = &d->lookups[d->lookup_count++];
    *one = (struct doctor_lookup){ .package = (int)package, .how = hit->how };
    str_copy(one->soname, sizeof one->soname, soname);
    str_copy(one->path, sizeof one->path, path);
}

/* ---- versions ---- */

static void raise(unsigned *to, unsigned value)
{
    if (value > *to)
        *to = value;
}

static void need(struct doctor *d, size_t package, const char *full)
{
    struct link_versions v;
    struct err unused;
    struct doctor_package *p = &d->packages[package];
    err_clear(&unused);
    if (link_read_versions(full, false, &v, &unused))
        return;
    raise(&p->glibc, v.glibc);
    raise(&p->glibcxx, v.glibcxx);
}

static void have(struct doctor *d, const char *path)
{
    struct link_versions v;
    struct err unused;
    char full[ROOT_PATH_MAX];
    err_clear(&unused);
    if (!root_resolve(d->sysroot, path, full) || link_read_versions(full, true, &v, &unused))
        return;
    raise(&d->glibc, v.glibc);
    raise(&d->glibcxx, v.glibcxx);
}

/* "GLIBC 2.31" of a snapshot, whose libraries are not there. */
static void have_by_note(struct doctor *d)
{
    struct str text = STR_INIT;
    unsigned major, minor, patch = 0;
    if (*d->sysroot && root_read(d->sysroot, "/glibc.txt", 4096, &text)) {
        const char *c = strstr(text.p, "GLIBC "), *cxx = strstr(text.p, "GLIBCXX ");
        if (c && sscanf(c, "GLIBC %4u.%3u", &major, &minor) == 2)
            raise(&d->glibc, major * 1000000 + minor * 1000);
        if (cxx && sscanf(cxx, "GLIBCXX %4u.%3u.%3u", &major, &minor, &patch) >= 2)
            raise(&d->glibcxx, major * 1000000 + minor * 1000 + patch);
    }
    str_free(&text);
}

static void system_versions(struct doctor *d)
{
    static const char *const names[] = { "libc.so.6", "libstdc++.so.6" };
    char path[ROOT_PATH_MAX];
    for (size_t i = 0; i < 2; i++) {
        struct loader_hit hit;
        loader_find(&d->host.loader, names[i], NULL, &hit);
        if (hit.how != LOADER_NOWHERE)
            have(d, hit.path);
    }
    for (size_t i = 0; i < d->env_count; i++) { /* conda's own comes before the system's */
        snprintf(path, sizeof path, "%s/lib/libstdc++.so.6", d->envs[i].path);
        if (d->envs[i].kind == DOCTOR_ENV_CONDA)
            have(d, path);
    }
    have_by_note(d);
}

/* ---- all packages ---- */

/* The Python that opens a package's files; false for a program, which the system starts, and where
 * there is none. */
static bool python_of(const struct doctor *d, const struct doctor_package *p,
                      char path[ROOT_PATH_MAX])
{
    static const char *const names[] = { "python3", "python" };
    for (size_t i = 0; i < 2 && p->env >= 0 && p->role != DOCTOR_PROGRAM; i++) {
        snprintf(path, ROOT_PATH_MAX, "%s/bin/%s", d->envs[p->env].path, names[i]);
        if (root_kind(d->sysroot, path) == OS_FILE_REGULAR)
            return true;
    }
    return false;
}

static void look_at(struct doctor *d, size_t package, const char *path)
{
    const struct doctor_package *p = &d->packages[package];
    char here[ROOT_PATH_MAX], full[ROOT_PATH_MAX], python[ROOT_PATH_MAX];
    struct looking looking = { d, package };
    packages_path(p, path, here);
    if (!root_resolve(d->sysroot, here, full))
        return;
    needs_walk(&d->host.loader, python_of(d, p, python) ? python : NULL, here, look_up, &looking);
    need(d, package, full);
}

void lookups_find(struct doctor *d)
{
    system_versions(d);
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        size_t seen = 0;
        for (size_t k = 0; k < p->file_count && seen < FILES_MAX; k++) {
            if (p->files[k].nvidia)
                continue;
            look_at(d, i, p->files[k].path);
            seen++;
        }
        if (!seen && p->largest && p->role != DOCTOR_PROGRAM)
            look_at(d, i, p->largest);
    }
}
