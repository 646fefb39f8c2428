#include "core/search.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os_library.h"
#include "core/str.h"

struct attempt {
    const struct search_for *what;
    int (*accept)(void *self, const struct search_found *found, struct err *err);
    void *self;
    struct search_found *found;
    struct err first; /* of the first library that was there and did not do */
    char first_path[1024];
};

void search_close(struct search_found *found)
{
    os_library_close(found->library);
    os_library_close(found->needed);
    found->library = found->needed = NULL;
}

/* DIR/libcublasLt.so.11 for DIR/libcublas.so.11, when it is there. */
static void *open_needed(const char *needs, const char *path)
{
    const char *slash = strrchr(path, '/'), *ending = slash ? strstr(slash, ".so") : NULL;
    char needed[1100];
    bool there;
    if (!needs || !ending)
        return NULL;
    snprintf(needed, sizeof needed, "%.*s/%s%s", (int)(slash - path), path, needs, ending);
    return os_library_open(needed, &there, NULL);
}

static bool try_path(struct attempt *a, const char *path)
{
    struct err err;
    bool there = false;
    err_clear(&err);
    str_copy(a->found->path, sizeof a->found->path, path);
    a->found->needed = open_needed(a->what->needs, path);
    a->found->library = os_library_open(path, &there, &err);
    if (a->found->library && (!a->accept || !a->accept(a->self, a->found, &err)))
        return true;
    if (there && a->first.code == ERR_NONE) {
        a->first = err;
        str_copy(a->first_path, sizeof a->first_path, path);
    }
    search_close(a->found);
    return false;
}

static bool try_pattern(struct attempt *a, const char *pattern)
{
    glob_t files;
    bool done = false;
    if (glob(pattern, 0, NULL, &files))
        return false;
    for (size_t i = 0; i < files.gl_pathc && !done; i++)
        done = try_path(a, files.gl_pathv[i]);
    globfree(&files);
    return done;
}

static bool try_in(struct attempt *a, const char *folder, const char *inside, const char *name)
{
    char pattern[2048];
    int length = snprintf(pattern, sizeof pattern, "%s/%s%s%s", folder, inside, *inside ? "/" : "",
                          name);
    return length > 0 && (size_t)length < sizeof pattern && try_pattern(a, pattern);
}

static bool try_cuda_home(struct attempt *a, const char *name)
{
    const char *homes[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
                            "/usr/local/cuda-*" };
    static const char *const insides[] = { "lib64", "lib", "targets/x86_64-linux/lib" };
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++)
        for (size_t j = 0; homes[i] && *homes[i] && j < sizeof insides / sizeof insides[0]; j++)
            if (try_in(a, homes[i], insides[j], name))
                return true;
    return false;
}

static bool try_sites(struct attempt *a, const struct search *where, const char *name)
{
    for (size_t i = 0; i < where->site_count; i++)
        for (const char *const *inside = a->what->inside; inside && *inside; inside++)
            if (try_in(a, where->sites[i], *inside, name))
                return true;
    return false;
}

static bool try_all(struct attempt *a, const struct search *where)
{
    for (size_t i = 0; i < where->folder_count; i++)
        for (const char *const *name = a->what->names; *name; name++)
            if (try_in(a, where->folders[i], "", *name))
                return true;
    if (a->first.code != ERR_NONE)
        return false; /* whoever named the folder is not given another's unasked */
    for (const char *const *name = a->what->names; *name; name++)
        if ((!where->alone && !strpbrk(*name, "*?") && try_path(a, *name)) ||
            (!where->alone && try_cuda_home(a, *name)) || try_sites(a, where, *name))
            return true;
    return false;
}

int search_open(const struct search *where, const struct search_for *what,
                int (*accept)(void *self, const struct search_found *found, struct err *err),
                void *self, struct search_found *found, struct err *err)
{
    static const struct search nowhere;
    struct attempt a = { .what = what, .accept = accept, .self = self, .found = found };
    memset(found, 0, sizeof *found);
    err_clear(&a.first);
    if (try_all(&a, where ? where : &nowhere))
        return 0;
    str_copy(found->path, sizeof found->path, a.first_path);
    if (a.first.code != ERR_NONE) {
        err_set(err, ERR_MISSING, "%s", a.first.msg);
        if (err && !err->native)
            err->native = a.first.native;
        return -1;
    }
    struct str names = STR_INIT;
    for (const char *const *name = what->names; *name; name++)
        str_addf(&names, "%s%s", names.len ? ", " : "", *name);
    err_set(err, ERR_MISSING, "not installed: found none of %s", names.p);
    str_free(&names);
    return -1;
}
