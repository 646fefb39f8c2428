#include "doctor/owners.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void owners_free(struct owners *o)
{
    str_free(&o->names);
    free(o->files);
    *o = (struct owners){ .names = STR_INIT };
}

/* "libx.so.8.0.1", "x.so": a library with or without versions behind. */
static bool is_library(const char *base)
{
    const char *so = strstr(base, ".so");
    while (so && so[3] && so[3] != '.')
        so = strstr(so + 1, ".so");
    if (!so)
        return false;
    for (so += 3; *so; so++)
        if (*so != '.' && !isdigit((unsigned char)*so) && !isalpha((unsigned char)*so))
            return false;
    return true;
}

bool owners_may_hold(const char *path)
{
    static const char *const ends[] = { ".pyd", ".dll", ".exe",  ".cubin", ".fatbin",  ".ptx",
                                        ".a",   ".o",   ".node", ".dylib", ".fatbin.c" };
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (str_ends(base, ends[i]))
            return true;
    return is_library(base) || !strchr(base, '.');
}

static bool add(struct owners *o, const char *path, size_t length, size_t package)
{
    if (o->count == OWNERS_MAX || o->names.len + length > OWNERS_BYTES_MAX) {
        o->cut = true;
        return false;
    }
    if (o->count == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 256;
        struct owners_file *files = reallocarray(o->files, cap, sizeof *files);
        if (!files)
            return false;
        o->files = files;
        o->cap = cap;
    }
    o->files[o->count] = (struct owners_file){ o->names.len, package };
    str_add_bytes(&o->names, path, length + 1);
    if (o->names.failed)
        return false;
    o->names.p[o->names.len - 1] = 0;
    o->count++;
    return true;
}

bool owners_add(struct owners *o, const char *path, size_t package)
{
    return !owners_may_hold(path) || add(o, path, strlen(path), package);
}

void owners_add_record(struct owners *o, const char *record, size_t package)
{
    for (const char *line = record; *line;) {
        const char *end = line + strcspn(line, "\r\n"), *path = line, *stop;
        if (*path == '"') {
            path++;
            stop = memchr(path, '"', (size_t)(end - path));
        } else {
            stop = memchr(path, ',', (size_t)(end - path));
        }
        char copy[1024];
        size_t length = stop ? (size_t)(stop - path) : 0;
        if (length && length < sizeof copy) {
            memcpy(copy, path, length);
            copy[length] = 0;
            if (!owners_add(o, copy, package))
                return;
        }
        line = end + strspn(end, "\r\n");
    }
}

static const struct owners *sorting; /* qsort hands no context on */

static int by_path(const void *a, const void *b)
{
    const struct owners_file *x = a, *y = b;
    return strcmp(sorting->names.p + x->path, sorting->names.p + y->path);
}

void owners_sort(struct owners *o)
{
    sorting = o;
    if (o->count)
        qsort(o->files, o->count, sizeof o->files[0], by_path);
    sorting = NULL;
}

long owners_find(const struct owners *o, const char *path)
{
    size_t low = 0, high = o->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(o->names.p + o->files[middle].path, path);
        if (!order)
            return (long)o->files[middle].package;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}
