#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/packages.h"
#include "doctor/packages_scan.h"

/* Code of an environment that does not lie in it: what was installed as a link to its sources
 * ("pip install -e", "setup.py develop"), and what PyTorch compiles when a program asks for it. */

#define NOTE_MAX    65536 /* bytes of a note of pip's */
#define FOLDERS_MAX 64
#define HOMES_MAX   64

struct folders {
    char *list[FOLDERS_MAX];
    size_t count;
};

/* Folders of the system are no checkouts, and environments are read by themselves. */
static bool is_wanted(const struct doctor *d, const struct folders *f, const char *folder)
{
    static const char *const roots[] = { "/usr", "/lib", "/lib64", "/bin", "/proc", "/sys",
                                         "/dev", "/etc", "/run",   "/var/lib" };
    static const char *const whole[] = { "/", "/home", "/root", "/opt", "/tmp", "/mnt", "/media", "/srv" };
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        if (root_is_in(folder, roots[i]))
            return false;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (strcmp(folder, whole[i]) == 0)
            return false;
    if (root_is_in(folder, "/home") && !strchr(folder + strlen("/home/"), '/'))
        return false; /* all that somebody has */
    for (size_t i = 0; i < d->env_count; i++)
        if (root_is_in(folder, d->envs[i].site) || strcmp(folder, d->envs[i].path) == 0)
            return false;
    for (size_t i = 0; i < f->count; i++)
        if (root_is_in(folder, f->list[i]))
            return false;
    return root_kind(d->sysroot, folder) == OS_FILE_FOLDER;
}

/* A folder, as Python takes it: from site-packages where it does not begin at the root. */
static void add(struct doctor *d, struct folders *f, const char *site, const char *start, size_t length)
{
    char folder[ROOT_PATH_MAX], real[ROOT_PATH_MAX];
    while (length > 1 && strchr("/ \t\r", start[length - 1]))
        length--;
    if (!length || length >= 2000 || *start == '#' || strncmp(start, "import", 6) == 0)
        return;
    snprintf(folder, sizeof folder, "%.2000s%s%.*s", *start == '/' ? "" : site,
             *start == '/' ? "" : "/", (int)length, start);
    if (!root_real(d->sysroot, folder, real) || !is_wanted(d, f, real))
        return;
    if (f->count == FOLDERS_MAX) {
        d->partial = true;
        return;
    }
    f->list[f->count] = strdup(real);
    f->count += f->list[f->count] != NULL;
}

/* Lines that are folders: of "x.pth", and the first one of "x.egg-link". */
static void add_lines(struct doctor *d, struct folders *f, const char *site, const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        add(d, f, site, line, strcspn(line, "\n"));
}

/* "MAPPING = {'mmcv': '/home/user/mmcv/mmcv'}" of "__editable___mmcv_2_0_0_finder.py". */
static void add_quoted(struct doctor *d, struct folders *f, const char *site, const char *text)
{
    for (const char *p = text; (p = strpbrk(p, "'\""));) {
        const char end[] = { *p, '\n', 0 };
        size_t length = strcspn(++p, end);
        if (*p == '/')
            add(d, f, site, p, length);
        p += length + (p[length] == *end);
    }
}

static void read_note(struct doctor *d, struct folders *f, const char *site, const char *name)
{
    bool lines = str_ends(name, ".pth") || str_ends(name, ".egg-link");
    bool finder = str_starts(name, "__editable__") && str_ends(name, "_finder.py");
    char path[ROOT_PATH_MAX];
    struct str text = STR_INIT;
    snprintf(path, sizeof path, "%.2000s/%.255s", site, name);
    if ((lines || finder) && root_read(d->sysroot, path, NOTE_MAX, &text))
        (lines ? add_lines : add_quoted)(d, f, site, text.p);
    str_free(&text);
}

int packages_of_links(struct doctor *d, size_t env, struct err *err)
{
    struct folders f = { .count = 0 };
    struct root_names names;
    int rc = 0;
    root_list(d->sysroot, d->envs[env].site, &names);
    for (size_t i = 0; i < names.count && packages_in_time(d); i++)
        read_note(d, &f, d->envs[env].site, names.list[i]);
    root_names_free(&names);
    for (size_t i = 0; i < f.count; i++) {
        if (!rc)
            rc = packages_of_checkout(d, env, f.list[i], err);
        free(f.list[i]);
    }
    return rc;
}

/* ---- PyTorch's folder ---- */

static bool is_given(const char *const *given, size_t count, const char *folder)
{
    for (size_t i = 0; i < count; i++)
        if (root_is_in(given[i], folder) || root_is_in(folder, given[i]))
            return true;
    return false;
}

/* "py311_cu130" is a folder of extensions, "fused" is one. */
static int read_folder(struct doctor *d, const char *folder, bool nested, struct err *err)
{
    struct root_names names;
    char path[ROOT_PATH_MAX];
    int rc = 0;
    root_list(d->sysroot, folder, &names);
    for (size_t i = 0; i < names.count && !rc && packages_in_time(d); i++) {
        snprintf(path, sizeof path, "%.2000s/%.255s", folder, names.list[i]);
        if (root_kind(d->sysroot, path) != OS_FILE_FOLDER)
            continue;
        if (!nested && str_starts(names.list[i], "py") && strchr(names.list[i], '_'))
            rc = read_folder(d, path, true, err);
        else
            rc = packages_of_app(d, path, err);
    }
    root_names_free(&names);
    return rc;
}

/* Where PyTorch's own rules put it; NULL: no such folder. */
static const char *own_folder(const struct doctor *d, char folder[ROOT_PATH_MAX])
{
    const char *set = host_variable(&d->host, "TORCH_EXTENSIONS_DIR");
    const char *cache = host_variable(&d->host, "XDG_CACHE_HOME");
    const char *home = host_variable(&d->host, "HOME");
    if (set && *set)
        return *set == '/' && set[1] ? set : NULL;
    if (cache && *cache == '/')
        snprintf(folder, ROOT_PATH_MAX, "%.2000s/torch_extensions", cache);
    else if (home && *home == '/')
        snprintf(folder, ROOT_PATH_MAX, "%.2000s/.cache/torch_extensions", home);
    else
        return NULL;
    return folder;
}

static int read_homes(struct doctor *d, const char *const *given, size_t given_count,
                      const char *own, struct err *err)
{
    struct root_names names;
    char folder[ROOT_PATH_MAX];
    int rc = 0;
    root_list(d->sysroot, "/home", &names);
    for (size_t i = 0; i <= names.count && i < HOMES_MAX && !rc; i++) {
        if (i < names.count)
            snprintf(folder, sizeof folder, "/home/%.255s/.cache/torch_extensions", names.list[i]);
        else
            str_copy(folder, sizeof folder, "/root/.cache/torch_extensions");
        if (!is_given(given, given_count, folder) && (!own || strcmp(own, folder) != 0))
            rc = read_folder(d, folder, false, err);
    }
    root_names_free(&names);
    return rc;
}

int packages_of_torch_extensions(struct doctor *d, const char *const *given, size_t given_count,
                                 struct err *err)
{
    const char *set = host_variable(&d->host, "TORCH_EXTENSIONS_DIR");
    char folder[ROOT_PATH_MAX];
    const char *own = own_folder(d, folder);
    if (own && !is_given(given, given_count, own) && read_folder(d, own, false, err))
        return -1;
    return set && *set ? 0 : read_homes(d, given, given_count, own, err);
}
