#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "doctor/compilers.h"
#include "doctor/link.h"
#include "doctor/owners.h"
#include "doctor/packages_scan.h"
#include "doctor/role.h"
#include "doctor/unread.h"

/* conda keeps a JSON file for each package, with all its files below the prefix. What lies in
 * site-packages was read with pip's notes; here come the libraries and compilers beside it. */

#define RECORD_MAX (32u << 20)

struct conda {
    struct doctor *d;
    size_t env, first;    /* of the environment's packages */
    struct owners owners; /* of the files below the prefix */
};

static const char *text_of(const json_t *doc, const char *key)
{
    const char *value = json_string_value(json_object_get(doc, key));
    return value ? value : "";
}

/* ".../conda-forge/linux-64" to "conda-forge"; plain names stay. */
static void channel_of(const json_t *doc, char *to, size_t size)
{
    char text[256];
    str_copy(text, sizeof text, text_of(doc, "channel"));
    static const char *const platforms[] = { "/linux-64", "/noarch", "/win-64", "/linux-aarch64" };
    for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; i++)
        if (str_ends(text, platforms[i]))
            text[strlen(text) - strlen(platforms[i])] = 0;
    const char *slash = strrchr(text, '/');
    str_copy(to, size, slash ? slash + 1 : text);
}

static bool speaks_of_cuda(const char *text)
{
    return strstr(text, "cuda") || strstr(text, "cudnn") || strstr(text, "gpu") ||
           str_starts(text, "libcu") || strstr(text, "nvrtc") || str_starts(text, "nccl");
}

/* By its name, its build ("py38_cuda111_0") or what it depends on. */
static bool is_about_gpu(const json_t *doc)
{
    const json_t *depends = json_object_get(doc, "depends");
    if (speaks_of_cuda(text_of(doc, "name")) || speaks_of_cuda(text_of(doc, "build")) ||
        role_is_framework_name(text_of(doc, "name")))
        return true;
    for (size_t i = 0; i < json_array_size(depends); i++) {
        const char *one = json_string_value(json_array_get(depends, i));
        if (one && (speaks_of_cuda(one) || role_is_framework_requirement(one)))
            return true;
    }
    return false;
}

/* The same package as pip's notes have it: "pytorch" is "torch" there. -1: none. */
static long twin_of(const struct conda *c, const char *name)
{
    const char *other = strcmp(name, "pytorch") == 0 ? "torch" : name;
    for (size_t i = c->first; i < c->d->package_count; i++)
        if (role_same_name(c->d->packages[i].name, name) ||
            role_same_name(c->d->packages[i].name, other))
            return (long)i;
    return -1;
}

/* pip has put its own over conda's. */
static void note_mix(struct conda *c, const struct doctor_package *p, const json_t *doc)
{
    struct doctor *d = c->d;
    if (d->mix_count == DOCTOR_MIXES_MAX || p->origin != DOCTOR_PIP)
        return;
    struct doctor_mix *mix = &d->mixes[d->mix_count++];
    mix->package = (int)(p - d->packages);
    str_copy(mix->conda_name, sizeof mix->conda_name, text_of(doc, "name"));
    str_copy(mix->conda_version, sizeof mix->conda_version, text_of(doc, "version"));
}

static void requires_of(struct doctor_package *p, const json_t *doc)
{
    const json_t *depends = json_object_get(doc, "depends");
    for (size_t i = 0; i < json_array_size(depends); i++) {
        const char *one = json_string_value(json_array_get(depends, i));
        p->on_framework |= one && role_is_framework_requirement(one);
    }
}

/* "py3.8_cuda11.3_cudnn8.2.0_0": what it was built for; "..._cpu_..." for none. */
static void built_for(struct doctor_package *p, const char *build)
{
    unsigned major, minor, number;
    const char *cuda = strstr(build, "cuda");
    if (cuda && sscanf(cuda, "cuda%2u.%2u", &major, &minor) == 2)
        snprintf(p->cuda, sizeof p->cuda, "%u.%u", major, minor);
    else if (cuda && sscanf(cuda, "cuda%3u", &number) == 1 && number >= 80)
        snprintf(p->cuda, sizeof p->cuda, "%u.%u", number / 10, number % 10);
    else if (!cuda && (strstr(build, "_cpu") || str_starts(build, "cpu")) &&
             role_is_framework_name(p->name))
        p->cpu_build = true;
}

static void add_files(struct conda *c, const json_t *doc, size_t package)
{
    const json_t *files = json_object_get(doc, "files");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const char *path = json_string_value(json_array_get(files, i));
        if (path && !strstr(path, "site-packages/"))
            owners_add(&c->owners, path, package);
    }
}

static void read_record(struct conda *c, const char *path)
{
    struct doctor *d = c->d;
    struct str text = STR_INIT;
    json_t *doc =
        root_read(d->sysroot, path, RECORD_MAX, &text) ? json_loads(text.p, 0, NULL) : NULL;
    str_free(&text);
    if (doc && *text_of(doc, "name") && is_about_gpu(doc)) {
        long twin = twin_of(c, text_of(doc, "name"));
        if (twin >= 0)
            note_mix(c, &d->packages[twin], doc);
        struct doctor_package *p =
            twin >= 0 ? &d->packages[twin]
                      : packages_new(d, text_of(doc, "name"), DOCTOR_CONDA, d->envs[c->env].path);
        if (p && (twin < 0 || p->origin == DOCTOR_CONDA)) {
            p->env = (int)c->env;
            channel_of(doc, p->channel, sizeof p->channel);
            str_copy(p->build, sizeof p->build, text_of(doc, "build"));
            if (!*p->version)
                str_copy(p->version, sizeof p->version, text_of(doc, "version"));
            requires_of(p, doc);
            built_for(p, p->build);
        }
        if (p)
            add_files(c, doc, (size_t)(p - d->packages));
    }
    json_decref(doc);
}

/* By its path below the prefix, else by its name alone. */
static long owner_of(const struct conda *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    long owner = owners_find(&c->owners, path);
    return owner < 0 && slash ? owners_find(&c->owners, slash + 1) : owner;
}

static bool is_below_prefix(const struct conda *c, const struct doctor_package *p)
{
    return strcmp(p->base, c->d->envs[c->env].path) == 0;
}

/* The package for a file beside site-packages whose owner's folder is site-packages, or that has no
 * owner: one of the same name, or "conda", whose folder is the prefix. */
static long beside(struct conda *c, long owner)
{
    struct doctor *d = c->d;
    char name[sizeof d->packages[0].name];
    str_copy(name, sizeof name, owner < 0 ? "conda" : d->packages[owner].name);
    for (size_t i = c->first; i < d->package_count; i++)
        if (is_below_prefix(c, &d->packages[i]) && strcmp(d->packages[i].name, name) == 0)
            return (long)i;
    struct doctor_package *p = packages_new(d, name, DOCTOR_CONDA, d->envs[c->env].path);
    if (!p)
        return -1;
    p->env = (int)c->env;
    return (long)d->package_count - 1;
}

/* A link to a file of the same folder: it comes under its own name. */
static bool is_alias(const struct doctor *d, const char *path)
{
    char real[ROOT_PATH_MAX];
    return !root_real(d->sysroot, path, real) || strcmp(real, path) != 0;
}

/* One folder below the prefix; folders in it are passed by. */
static int read_folder(struct conda *c, const char *folder, struct err *err)
{
    struct doctor *d = c->d;
    struct root_names names;
    char path[ROOT_PATH_MAX], full[ROOT_PATH_MAX], below[600];
    int rc = 0;
    snprintf(path, sizeof path, "%s/%s", d->envs[c->env].path, folder);
    unread_check(d, path);
    root_list(d->sysroot, path, &names);
    for (size_t i = 0; i < names.count && !rc && packages_in_time(d); i++) {
        snprintf(below, sizeof below, "%s/%.255s", folder, names.list[i]);
        snprintf(path, sizeof path, "%s/%s", d->envs[c->env].path, below);
        d->files_seen++;
        long owner = owner_of(c, below);
        bool wanted = owner >= 0 || compilers_is_one(below) || holds_is_nvidia_file(below);
        if (!owners_may_hold(below) || is_alias(d, path) || !root_resolve(d->sysroot, path, full) ||
            (!wanted && unread_check(d, path)) || (!wanted && !link_has_gpu_section(full)))
            continue;
        if (owner < 0 || !is_below_prefix(c, &d->packages[owner]))
            owner = beside(c, owner);
        rc = owner < 0 ? 0 : packages_read(d, (size_t)owner, full, below, err);
    }
    root_names_free(&names);
    return rc;
}

int packages_of_conda(struct doctor *d, size_t env, size_t first, struct err *err)
{
    static const char *const folders[] = { "lib",        "lib64",
                                           "bin",        "nvvm/lib64",
                                           "nvvm/bin",   "targets/x86_64-linux/lib",
                                           "Library/bin" };
    struct conda c = { .d = d, .env = env, .first = first };
    struct root_names names;
    char path[ROOT_PATH_MAX];
    c.owners.names = (struct str)STR_INIT;
    snprintf(path, sizeof path, "%s/conda-meta", d->envs[env].path);
    unread_check(d, path);
    root_list(d->sysroot, path, &names);
    for (size_t i = 0; i < names.count && packages_in_time(d); i++)
        if (str_ends(names.list[i], ".json")) {
            snprintf(path, sizeof path, "%s/conda-meta/%.255s", d->envs[env].path, names.list[i]);
            read_record(&c, path);
        }
    owners_sort(&c.owners);
    int rc = 0;
    for (size_t i = 0; names.count && !rc && i < sizeof folders / sizeof folders[0]; i++)
        rc = read_folder(&c, folders[i], err);
    d->partial |= c.owners.cut;
    root_names_free(&names);
    owners_free(&c.owners);
    return rc;
}
