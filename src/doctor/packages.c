#include "doctor/packages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doctor/compilers.h"
#include "doctor/owners.h"
#include "doctor/packages_scan.h"
#include "doctor/role.h"
#include "doctor/unread.h"

#define RECORD_MAX   (16u << 20)
#define METADATA_MAX (1u << 20)

struct doctor_package *packages_new(struct doctor *d, const char *name, enum doctor_origin origin,
                                    const char *base)
{
    if (d->package_count == DOCTOR_PACKAGES_MAX) {
        d->partial = true;
        return NULL;
    }
    struct doctor_package *list = d->packages;
    if ((d->package_count & (d->package_count - 1)) == 0) {
        size_t cap = d->package_count ? d->package_count * 2 : 1;
        list = reallocarray(d->packages, cap, sizeof *list);
        if (!list)
            return NULL;
        d->packages = list;
    }
    struct doctor_package *p = &list[d->package_count];
    *p = (struct doctor_package){ .origin = origin, .env = -1, .base = strdup(base) };
    if (!p->base)
        return NULL;
    str_copy(p->name, sizeof p->name, name);
    d->package_count++;
    return p;
}

void packages_free(struct doctor *d)
{
    for (size_t i = 0; i < d->package_count; i++) {
        struct doctor_package *p = &d->packages[i];
        for (size_t j = 0; j < p->file_count; j++) {
            free(p->files[j].path);
            holds_free(&p->files[j].holds);
        }
        free(p->files);
        free(p->base);
        free(p->largest);
    }
    free(d->packages);
    d->packages = NULL;
    d->package_count = 0;
}

/* ---- what pip's folders say ---- */

/* "Name: torch" in the head of METADATA. */
static void header(const char *text, const char *name, char *to, size_t size)
{
    size_t length = strlen(name);
    for (const char *line = text; *line && *line != '\n' && *line != '\r';
         line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            const char *value = line + length + 1 + strspn(line + length + 1, " \t");
            snprintf(to, size, "%.*s", (int)strcspn(value, "\r\n"), value);
            return;
        }
}

/* A line "Requires-Dist: torch (>=1.8)" that names a main library. */
static bool requires_framework(const char *text)
{
    static const char name[] = "Requires-Dist:";
    for (const char *line = text; (line = strcasestr(line, name));) {
        char value[256];
        line += sizeof name - 1;
        line += strspn(line, " \t");
        snprintf(value, sizeof value, "%.*s", (int)strcspn(line, "\r\n"), line);
        if (role_is_framework_requirement(value))
            return true;
    }
    return false;
}

/* pip's note of where it took the package from: a checkout or a folder has "vcs_info" or
 * "dir_info", an archive has neither. */
static bool is_from_source(const struct doctor *d, const char *site, const char *folder)
{
    char path[ROOT_PATH_MAX];
    struct str text = STR_INIT;
    snprintf(path, sizeof path, "%s/%.255s/direct_url.json", site, folder);
    bool source = root_read(d->sysroot, path, METADATA_MAX, &text) &&
                  (strstr(text.p, "\"vcs_info\"") || strstr(text.p, "\"dir_info\""));
    str_free(&text);
    return source;
}

/* "torch-1.3.1.dist-info" */
static void split_info(const char *folder, char *name, size_t name_size, char *version,
                       size_t version_size)
{
    const char *dash = strchr(folder, '-');
    size_t length = dash ? (size_t)(dash - folder) : strcspn(folder, ".");
    snprintf(name, name_size, "%.*s", (int)length, folder);
    if (dash && dash[1])
        snprintf(version, version_size, "%.*s",
                 (int)(strstr(dash + 1, ".dist")  ? strstr(dash + 1, ".dist") - dash - 1
                       : strstr(dash + 1, ".egg") ? strstr(dash + 1, ".egg") - dash - 1
                                                  : 0),
                 dash + 1);
}

static void read_info(struct doctor *d, size_t env, const char *folder, struct owners *owners)
{
    const char *site = d->envs[env].site;
    char path[ROOT_PATH_MAX], name[96] = "", version[64] = "";
    struct str text = STR_INIT;
    bool on_framework = false;
    split_info(folder, name, sizeof name, version, sizeof version);
    snprintf(path, sizeof path, "%s/%.255s/METADATA", site, folder);
    bool read = root_read(d->sysroot, path, METADATA_MAX, &text);
    if (!read && !unread_check(d, path)) {
        snprintf(path, sizeof path, "%s/%.255s/PKG-INFO", site, folder);
        read = root_read(d->sysroot, path, METADATA_MAX, &text);
    }
    if (read) {
        header(text.p, "Name", name, sizeof name);
        header(text.p, "Version", version, sizeof version);
        on_framework = requires_framework(text.p);
    }
    str_clear(&text);
    snprintf(path, sizeof path, "%s/%.255s/INSTALLER", site, folder);
    bool conda = root_read(d->sysroot, path, METADATA_MAX, &text) && str_starts(text.p, "conda");
    struct doctor_package *p = packages_new(d, name, conda ? DOCTOR_CONDA : DOCTOR_PIP, site);
    if (p) {
        p->env = (int)env;
        p->on_framework = on_framework;
        p->from_source = is_from_source(d, site, folder);
        str_copy(p->version, sizeof p->version, version);
        str_clear(&text);
        snprintf(path, sizeof path, "%s/%.255s/RECORD", site, folder);
        if (root_read(d->sysroot, path, RECORD_MAX, &text))
            owners_add_record(owners, text.p, d->package_count - 1);
        else
            unread_check(d, path);
    }
    str_free(&text);
}

/* ---- walking an environment ---- */

struct env_walk {
    struct doctor *d;
    size_t env, first; /* of its packages */
    size_t root_length;
    struct owners owners;
    char last[96]; /* the first part of the path that was asked for last, and its package */
    long last_package;
};

/* The package whose name is the first part of the path, made when there is none. */
static long by_first_part(struct env_walk *w, const char *path)
{
    char name[96];
    packages_part_name(path, name, sizeof name);
    if (strcmp(name, w->last) == 0)
        return w->last_package;
    str_copy(w->last, sizeof w->last, name);
    for (size_t i = w->first; i < w->d->package_count; i++)
        if (role_same_name(w->d->packages[i].name, name) ||
            (strcmp(name, "torch") == 0 && strcmp(w->d->packages[i].name, "pytorch") == 0))
            return w->last_package = (long)i;
    struct doctor_package *p = packages_new(w->d, name, DOCTOR_PIP, w->d->envs[w->env].site);
    if (p)
        p->env = (int)w->env;
    return w->last_package = p ? (long)w->d->package_count - 1 : -1;
}

static int on_env_file(void *self, const char *full, struct err *err)
{
    struct env_walk *w = self;
    const char *path = full + w->root_length;
    path += *path == '/';
    w->d->files_seen++;
    if (!packages_in_time(w->d))
        return err_set(err, ERR_LIMIT, "the time for reading files is up");
    if (!owners_may_hold(path))
        return 0;
    long owner = owners_find(&w->owners, path);
    if (owner < 0 && !strchr(strrchr(path, '/') ? strrchr(path, '/') : path, '.') &&
        !compilers_is_one(path))
        return 0; /* a script or a text that no package claims */
    if (!packages_is_worth_reading(full))
        return 0;
    if (owner < 0)
        owner = by_first_part(w, path);
    return owner < 0 ? 0 : packages_read(w->d, (size_t)owner, full, path, err);
}

static void on_problem(void *self, const char *path, const struct err *problem)
{
    struct env_walk *w = self;
    (void)path, (void)problem;
    w->d->problems++;
}

static void read_infos(struct env_walk *w)
{
    struct root_names names;
    root_list(w->d->sysroot, w->d->envs[w->env].site, &names);
    for (size_t i = 0; i < names.count && packages_in_time(w->d); i++)
        if (str_ends(names.list[i], ".dist-info") || str_ends(names.list[i], ".egg-info"))
            read_info(w->d, w->env, names.list[i], &w->owners);
    root_names_free(&names);
    owners_sort(&w->owners);
    w->d->partial |= w->owners.cut;
}

/* A sink whose problems are noted on their way. */
struct noting {
    struct doctor *d;
    const struct os_walk_sink *sink;
};

static int pass_file(void *self, const char *path, struct err *err)
{
    const struct noting *n = self;
    return n->sink->file(n->sink->self, path, err);
}

static void pass_problem(void *self, const char *path, const struct err *problem)
{
    const struct noting *n = self;
    unread_note(n->d, path, problem);
    n->sink->problem(n->sink->self, path, problem);
}

/* Running out of time is no failure: what was found stands. */
int packages_walk(struct doctor *d, const char *full, const struct os_walk_sink *sink,
                  struct err *err)
{
    struct err problem;
    struct noting noting = { d, sink };
    const struct os_walk_sink passing = { &noting, pass_file, pass_problem };
    err_clear(&problem);
    if (os_walk(full, &passing, &problem) == 0)
        return 0;
    if (problem.code == ERR_MEMORY) {
        *err = problem;
        return -1;
    }
    if (problem.code == ERR_LIMIT) {
        d->partial = true;
    } else {
        d->problems++;
        unread_note(d, full, &problem);
    }
    return 0;
}

int packages_of_env(struct doctor *d, size_t env, struct err *err)
{
    struct env_walk w = { .d = d, .env = env, .first = d->package_count };
    const struct os_walk_sink sink = { &w, on_env_file, on_problem };
    char full[ROOT_PATH_MAX];
    w.owners.names = (struct str)STR_INIT;
    read_infos(&w);
    int rc = 0;
    if (root_resolve(d->sysroot, d->envs[env].site, full)) {
        w.root_length = strlen(full);
        rc = packages_walk(d, full, &sink, err);
    }
    if (!rc)
        rc = packages_of_conda(d, env, w.first, err);
    packages_conclude(d, w.first);
    owners_free(&w.owners);
    return rc;
}
