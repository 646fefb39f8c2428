#include "doctor/root.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40

/* `todo` in front of which `link` is put; false when it does not fit. */
static bool prepend(char todo[ROOT_PATH_MAX], const char *link, size_t length)
{
    size_t rest = strlen(todo);
    if (length + rest + 2 > ROOT_PATH_MAX)
        return false;
    memmove(todo + length + 1, todo, rest + 1);
    memcpy(todo, link, length);
    todo[length] = '/';
    return true;
}

static void drop_last(char *done)
{
    char *slash = strrchr(done, '/');
    if (slash)
        *slash = 0;
}

/* Moves one name from `todo` to `done`; follows it when it is a link. -1: no such file. */
static int step(const char *sysroot, char *done, char *todo, unsigned *links)
{
    char full[ROOT_PATH_MAX + 512], link[ROOT_PATH_MAX];
    size_t n = strcspn(todo, "/"), length = strlen(done);
    char name[256];
    if (n >= sizeof name || length + n + 2 > ROOT_PATH_MAX)
        return -1;
    memcpy(name, todo, n);
    name[n] = 0;
    memmove(todo, todo + n + (todo[n] == '/'), strlen(todo + n + (todo[n] == '/')) + 1);
    if (!*name || strcmp(name, ".") == 0)
        return 0;
    if (strcmp(name, "..") == 0) {
        drop_last(done);
        return 0;
    }
    snprintf(done + length, ROOT_PATH_MAX - length, "/%s", name);
    struct stat st;
    if (snprintf(full, sizeof full, "%s%s", sysroot, done) >= (int)sizeof full || lstat(full, &st))
        return -1;
    if (!S_ISLNK(st.st_mode))
        return 0;
    ssize_t got = readlink(full, link, sizeof link - 1);
    if (got <= 0 || ++*links > LINKS_MAX || !prepend(todo, link, (size_t)got))
        return -1;
    done[*link == '/' ? 0 : length] = 0;
    return 0;
}

bool root_real(const char *sysroot, const char *path, char real[ROOT_PATH_MAX])
{
    char todo[ROOT_PATH_MAX];
    unsigned links = 0;
    real[0] = 0;
    if (!str_copy(todo, sizeof todo, path))
        return false;
    while (*todo)
        if (step(sysroot, real, todo, &links))
            return false;
    if (!*real)
        str_copy(real, ROOT_PATH_MAX, "/");
    return true;
}

bool root_resolve(const char *sysroot, const char *path, char full[ROOT_PATH_MAX])
{
    char real[ROOT_PATH_MAX];
    return root_real(sysroot, path, real) &&
           snprintf(full, ROOT_PATH_MAX, "%s%s", sysroot, real) < ROOT_PATH_MAX;
}

bool root_is_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

enum os_file_kind root_kind(const char *sysroot, const char *path)
{
    char full[ROOT_PATH_MAX];
    return root_resolve(sysroot, path, full) ? os_file_kind(full) : OS_FILE_MISSING;
}

bool root_read(const char *sysroot, const char *path, size_t size_max, struct str *out)
{
    char full[ROOT_PATH_MAX];
    struct err unused;
    err_clear(&unused);
    return root_resolve(sysroot, path, full) && os_read_file(full, size_max, out, &unused) == 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct root_names *names, size_t *cap, const char *name)
{
    if (names->count == *cap) {
        size_t larger = *cap ? *cap * 2 : 32;
        char **list = reallocarray(names->list, larger, sizeof *list);
        if (!list)
            return false;
        names->list = list;
        *cap = larger;
    }
    if (!(names->list[names->count] = strdup(name)))
        return false;
    names->count++;
    return true;
}

void root_list(const char *sysroot, const char *path, struct root_names *names)
{
    char full[ROOT_PATH_MAX];
    size_t cap = 0;
    const struct dirent *entry;
    *names = (struct root_names){ 0 };
    DIR *folder = root_resolve(sysroot, path, full) ? opendir(full) : NULL;
    if (!folder)
        return;
    while (names->count < ROOT_NAMES_MAX && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !add_name(names, &cap, entry->d_name))
            break;
    closedir(folder);
    if (names->count)
        qsort(names->list, names->count, sizeof *names->list, by_bytes);
}

void root_names_free(struct root_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct root_names){ 0 };
}
