#include "doctor/envs.h"

#include <stdio.h>
#include <string.h>

static struct doctor_env *add(struct doctor *d, enum doctor_env_kind kind, const char *path,
                              const char *site)
{
    for (size_t i = 0; i < d->env_count; i++)
        if (strcmp(d->envs[i].site, site) == 0)
            return &d->envs[i];
    if (d->env_count == DOCTOR_ENVS_MAX)
        return NULL;
    struct doctor_env *e = &d->envs[d->env_count];
    *e = (struct doctor_env){ .kind = kind };
    if (!str_copy(e->path, sizeof e->path, path) || !str_copy(e->site, sizeof e->site, site))
        return NULL;
    d->env_count++;
    return e;
}

/* "version = 3.10.12" of pyvenv.cfg */
static void python_of_venv(const struct doctor *d, struct doctor_env *e)
{
    struct str text = STR_INIT;
    char path[700];
    unsigned major, minor;
    snprintf(path, sizeof path, "%s/pyvenv.cfg", e->path);
    if (root_read(d->sysroot, path, 65536, &text)) {
        const char *p = strstr(text.p, "version");
        if (p && sscanf(p + strcspn(p, "="), "=%2u.%3u", &major, &minor) == 2)
            snprintf(e->python, sizeof e->python, "%u.%u", major, minor);
    }
    str_free(&text);
}

/* lib/python3.X/site-packages (dist-packages with Debian), Lib/site-packages on Windows. */
static bool add_sites(struct doctor *d, enum doctor_env_kind kind, const char *prefix)
{
    static const char *const libs[] = { "lib", "lib64", "local/lib" };
    static const char *const leaves[] = { "site-packages", "dist-packages" };
    struct root_names names;
    char folder[1200], site[1600];
    bool found = false;
    for (size_t l = 0; l < 3; l++) {
        snprintf(folder, sizeof folder, "%.500s/%s", prefix, libs[l]);
        root_list(d->sysroot, folder, &names);
        for (size_t i = 0; i < names.count; i++) {
            for (size_t k = 0; k < 2 && str_starts(names.list[i], "python"); k++) {
                snprintf(site, sizeof site, "%s/%.64s/%s", folder, names.list[i], leaves[k]);
                struct doctor_env *e = root_kind(d->sysroot, site) == OS_FILE_FOLDER
                                           ? add(d, kind, prefix, site)
                                           : NULL;
                if (e && !*e->python)
                    str_copy(e->python, sizeof e->python, names.list[i] + 6);
                found |= e != NULL;
            }
        }
        root_names_free(&names);
    }
    snprintf(site, sizeof site, "%.500s/Lib/site-packages", prefix);
    struct doctor_env *e = NULL;
    if (root_kind(d->sysroot, site) == OS_FILE_FOLDER)
        e = add(d, kind, prefix, site);
    if (e)
        python_of_venv(d, e);
    return found || e;
}

static enum doctor_env_kind kind_of(const struct doctor *d, const char *prefix)
{
    char path[700];
    snprintf(path, sizeof path, "%.500s/conda-meta", prefix);
    return root_kind(d->sysroot, path) == OS_FILE_FOLDER ? DOCTOR_ENV_CONDA : DOCTOR_ENV_GIVEN;
}

/* ".../lib/python3.7/site-packages" itself. */
static bool add_site_itself(struct doctor *d, const char *folder)
{
    char prefix[600];
    const char *python = strstr(folder, "/python");
    if (!str_ends(folder, "-packages") || !str_copy(prefix, sizeof prefix, folder))
        return false;
    char *cut = strstr(prefix, "/lib/python");
    if (cut)
        *cut = 0;
    struct doctor_env *e = add(d, DOCTOR_ENV_GIVEN, prefix, folder);
    if (e && python && python[7] >= '0' && python[7] <= '9')
        snprintf(e->python, sizeof e->python, "%.*s", (int)strcspn(python + 7, "/"), python + 7);
    return e != NULL;
}

/* What "pip install --target" makes: packages and pip's notes in a plain folder. */
static bool add_target(struct doctor *d, const char *folder)
{
    struct root_names names;
    bool notes = false;
    root_list(d->sysroot, folder, &names);
    for (size_t i = 0; i < names.count && !notes; i++)
        notes = str_ends(names.list[i], ".dist-info") || str_ends(names.list[i], ".egg-info");
    root_names_free(&names);
    return notes && add(d, DOCTOR_ENV_GIVEN, folder, folder);
}

bool envs_add_given(struct doctor *d, const char *folder)
{
    char path[512];
    if (!str_copy(path, sizeof path, folder))
        return false;
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = 0;
    return add_site_itself(d, path) || add_sites(d, kind_of(d, path), path) ||
           add_target(d, path);
}

static void add_homes(struct doctor *d)
{
    static const char *const roots[] = { "/home", "/root" };
    struct root_names names;
    char path[512];
    root_list(d->sysroot, roots[0], &names);
    for (size_t i = 0; i < names.count && i < 64; i++) {
        snprintf(path, sizeof path, "/home/%.200s/.local", names.list[i]);
        add_sites(d, DOCTOR_ENV_SYSTEM, path);
    }
    root_names_free(&names);
    add_sites(d, DOCTOR_ENV_SYSTEM, "/root/.local");
}

void envs_find(struct doctor *d)
{
    const char *venv = host_variable(&d->host, "VIRTUAL_ENV");
    const char *conda = host_variable(&d->host, "CONDA_PREFIX");
    if (venv && *venv == '/')
        add_sites(d, DOCTOR_ENV_VENV, venv);
    if (conda && *conda == '/')
        add_sites(d, DOCTOR_ENV_CONDA, conda);
    if (d->env_count)
        return;
    add_sites(d, DOCTOR_ENV_SYSTEM, "/usr/local");
    add_sites(d, DOCTOR_ENV_SYSTEM, "/usr");
    add_sites(d, DOCTOR_ENV_CONDA, "/opt/conda");
    add_homes(d);
}
