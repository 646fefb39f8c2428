#include "cli/walk.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/str.h"

#define DEPTH_MAX 128

static int walk(const char *path, unsigned depth, const struct walk_sink *sink, struct err *err);

bool walk_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Not alphasort: the order must not depend on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void report(const struct walk_sink *sink, const char *path, const char *what)
{
    struct err problem;
    err_clear(&problem);
    err_errno(&problem, "%s", what);
    sink->problem(sink->self, path, &problem);
}

static int visit(const char *path, unsigned depth, const struct walk_sink *sink, struct err *err)
{
    struct stat st;
    if (lstat(path, &st)) {
        report(sink, path, "cannot look at it");
        return 0;
    }
    if (S_ISDIR(st.st_mode))
        return walk(path, depth + 1, sink, err);
    return S_ISREG(st.st_mode) ? sink->file(sink->self, path, err) : 0;
}

static int walk(const char *path, unsigned depth, const struct walk_sink *sink, struct err *err)
{
    struct dirent **entries = NULL;
    struct err problem;
    err_clear(&problem);
    if (depth > DEPTH_MAX) {
        err_set(&problem, ERR_LIMIT, "more than %d folders in one another", DEPTH_MAX);
        sink->problem(sink->self, path, &problem);
        return 0;
    }
    int count = scandir(path, &entries, is_entry, by_name);
    if (count < 0) {
        report(sink, path, "cannot read the folder");
        return 0;
    }
    int rc = 0;
    for (int i = 0; i < count; i++) {
        struct str full = STR_INIT;
        str_addf(&full, "%s%s%s", path, str_ends(path, "/") ? "" : "/", entries[i]->d_name);
        if (full.failed && !rc)
            rc = err_set(err, ERR_MEMORY, "out of memory");
        if (!rc)
            rc = visit(full.p, depth, sink, err);
        str_free(&full);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

int walk_folder(const char *path, const struct walk_sink *sink, struct err *err)
{
    return walk(path, 0, sink, err);
}
