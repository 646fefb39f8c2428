#include "doctor/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"

#define CACHE_MAX   (16u << 20)
#define ENTRIES_MAX 200000u
#define MAGIC       "glibc-ld.so.cache1.1"

const char *loader_how_name(enum loader_how how)
{
    static const char *const names[] = { "nowhere", "rpath",          "ld_library_path",
                                         "runpath", "ldconfig_cache", "default_folder" };
    return names[how];
}

static bool add(struct loader *l, size_t *cap, const char *soname, const char *path)
{
    if (l->count == ENTRIES_MAX)
        return false;
    if (l->count == *cap) {
        *cap = *cap ? *cap * 2 : 256;
        struct loader_entry *entries = reallocarray(l->entries, *cap, sizeof *entries);
        if (!entries)
            return false;
        l->entries = entries;
    }
    l->entries[l->count++] = (struct loader_entry){ soname, path };
    return true;
}

/* The new format, alone or behind an old table: the magic, count, size of the strings, 20 bytes,
 * then 24 bytes an entry with offsets from the magic. */
static bool parse_cache(struct loader *l)
{
    const char *start = memmem(l->cache.p, l->cache.len, MAGIC, sizeof MAGIC - 1);
    size_t cap = 0;
    if (!start)
        return false;
    struct bytes all = bytes_of(start, l->cache.len - (size_t)(start - l->cache.p));
    struct bytes b = all;
    bytes_skip(&b, sizeof MAGIC - 1);
    uint32_t count = bytes_u32(&b);
    bytes_skip(&b, 24);
    for (uint32_t i = 0; i < count && !b.failed; i++) {
        bytes_skip(&b, 4);
        const char *soname = bytes_string(&all, bytes_u32(&b));
        const char *path = bytes_string(&all, bytes_u32(&b));
        bytes_skip(&b, 12);
        if (soname && path && !b.failed && !add(l, &cap, soname, path))
            break;
    }
    return true;
}

/* "	libcuda.so.1 (libc6,x86-64) => /usr/lib/..." */
static void parse_listing(struct loader *l)
{
    size_t cap = 0;
    char *rest = l->cache.p;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *arrow = strstr(line, " => "), *paren = strstr(line, " (");
        line += strspn(line, " \t");
        if (!arrow || !paren || paren > arrow || paren <= line)
            continue;
        *paren = 0;
        if (!add(l, &cap, line, arrow + 4))
            return;
    }
}

void loader_open(struct loader *l, const char *sysroot, const char *library_path)
{
    *l = (struct loader){ .sysroot = sysroot,
                          .library_path = library_path ? library_path : "",
                          .cache = STR_INIT };
    if (root_read(sysroot, "/etc/ld.so.cache", CACHE_MAX, &l->cache) && parse_cache(l))
        return;
    str_clear(&l->cache);
    if (*sysroot && root_read(sysroot, "/ldconfig.txt", CACHE_MAX, &l->cache))
        parse_listing(l);
}

void loader_close(struct loader *l)
{
    free(l->entries);
    str_free(&l->cache);
}

/* `folder` with $ORIGIN replaced. */
static bool expand(const char *folder, size_t length, const char *origin, char to[ROOT_PATH_MAX])
{
    size_t word = 0;
    if (length >= 7 && strncmp(folder, "$ORIGIN", 7) == 0)
        word = 7;
    else if (length >= 9 && strncmp(folder, "${ORIGIN}", 9) == 0)
        word = 9;
    if (!word && *folder != '/')
        return false;
    return snprintf(to, ROOT_PATH_MAX, "%s%.*s", word ? origin : "", (int)(length - word),
                    folder + word) < ROOT_PATH_MAX;
}

static bool try(const struct loader *l, const char *folder, const char *soname, enum loader_how how,
                struct loader_hit *hit)
{
    char path[ROOT_PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, soname) >= (int)sizeof path ||
        root_kind(l->sysroot, path) != OS_FILE_REGULAR)
        return false;
    hit->how = how;
    str_copy(hit->path, sizeof hit->path, path);
    return true;
}

static bool try_list(const struct loader *l, const char *folders, const char *origin,
                     const char *soname, enum loader_how how, struct loader_hit *hit)
{
    while (folders && *folders) {
        size_t n = strcspn(folders, ":;");
        char folder[ROOT_PATH_MAX];
        if (n && expand(folders, n, origin, folder) && try(l, folder, soname, how, hit))
            return true;
        folders += n + (folders[n] != 0);
    }
    return false;
}

static bool try_cache(const struct loader *l, const char *soname, struct loader_hit *hit)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->entries[i].soname, soname) == 0 &&
            root_kind(l->sysroot, l->entries[i].path) == OS_FILE_REGULAR) {
            hit->how = LOADER_CACHE;
            str_copy(hit->path, sizeof hit->path, l->entries[i].path);
            return true;
        }
    return false;
}

/* RPATH counts where there is no RUNPATH beside it, and a RUNPATH of the file that asks switches off
 * all of them. */
static bool try_rpaths(const struct loader *l, const struct loader_path *from, const char *soname,
                       struct loader_hit *hit)
{
    if (*from->runpath)
        return false;
    for (; from; from = from->asked_by)
        if (!*from->runpath && try_list(l, from->rpath, from->origin, soname, LOADER_RPATH, hit))
            return true;
    return false;
}

void loader_find(const struct loader *l, const char *soname, const struct loader_path *from,
                 struct loader_hit *hit)
{
    static const struct loader_path none = { "", "", "", NULL };
    static const char *const folders[] = { "/lib/x86_64-linux-gnu",
                                           "/usr/lib/x86_64-linux-gnu",
                                           "/lib/aarch64-linux-gnu",
                                           "/usr/lib/aarch64-linux-gnu",
                                           "/lib64",
                                           "/usr/lib64",
                                           "/lib",
                                           "/usr/lib" };
    from = from ? from : &none;
    *hit = (struct loader_hit){ .how = LOADER_NOWHERE };
    if (strchr(soname, '/'))
        return;
    if (try_rpaths(l, from, soname, hit) ||
        try_list(l, l->library_path, "", soname, LOADER_ENVIRONMENT, hit) ||
        try_list(l, from->runpath, from->origin, soname, LOADER_RUNPATH, hit) ||
        try_cache(l, soname, hit))
        return;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (try(l, folders[i], soname, LOADER_FOLDER, hit))
            return;
}
