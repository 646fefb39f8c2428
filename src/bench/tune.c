#include "bench/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os.h"
#include "core/str.h"

enum { ENTRIES_MAX = 20000, FILE_MAX = 8 << 20 };

void tune_hash(const char *uuid, const char *driver, char text[17])
{
    /* FNV-1a: 64 of the 128 bits of a UUID, so that nobody gets from here to the card. */
    uint64_t h = 0xcbf29ce484222325u;
    const char *parts[] = { uuid, "\n", driver };
    for (size_t i = 0; i < 3; i++)
        for (const char *p = parts[i]; *p; p++)
            h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    snprintf(text, 17, "%016llx", (unsigned long long)h);
}

/* Makes the folder of a path, and the one above it. */
static void make_folder(const char *path)
{
    char folder[1024];
    str_copy(folder, sizeof folder, path);
    for (char *p = folder + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(folder, 0777);
        *p = '/';
    }
}

static bool place(char *path, size_t size, const char *hash)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = 0;
    if (cache && *cache == '/')
        n = snprintf(path, size, "%s/smfit/tuning-%s.tsv", cache, hash);
    else if (home && *home == '/')
        n = snprintf(path, size, "%s/.cache/smfit/tuning-%s.tsv", home, hash);
    if (n > 0 && (size_t)n < size)
        return true;
    *path = 0;
    return false;
}

static void read_line(struct tune *tune, char *line)
{
    char *tab = strchr(line, '\t');
    if (!tab || line[0] == '#')
        return;
    *tab = 0;
    if (strlen(line) < sizeof tune->entries->key && strlen(tab + 1) < sizeof tune->entries->value)
        tune_add(tune, line, tab + 1);
}

void tune_open(struct tune *tune, const char *hash)
{
    struct str text = STR_INIT;
    struct err unused;
    err_clear(&unused);
    *tune = (struct tune){ 0 };
    if (place(tune->path, sizeof tune->path, hash) &&
        os_read_file(tune->path, FILE_MAX, &text, &unused) == 0)
        for (char *line = text.p, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            read_line(tune, line);
        }
    tune->changed = false;
    str_free(&text);
}

const char *tune_find(const struct tune *tune, const char *key)
{
    for (size_t i = 0; i < tune->count; i++)
        if (strcmp(tune->entries[i].key, key) == 0)
            return tune->entries[i].value;
    return NULL;
}

static struct tune_entry *entry_for(struct tune *tune, const char *key)
{
    for (size_t i = 0; i < tune->count; i++)
        if (strcmp(tune->entries[i].key, key) == 0)
            return &tune->entries[i];
    if (tune->count == ENTRIES_MAX)
        return NULL;
    if (tune->count == tune->room) {
        size_t room = tune->room ? tune->room * 2 : 32;
        struct tune_entry *entries = reallocarray(tune->entries, room, sizeof *entries);
        if (!entries)
            return NULL;
        tune->entries = entries;
        tune->room = room;
    }
    return &tune->entries[tune->count++];
}

void tune_add(struct tune *tune, const char *key, const char *value)
{
    struct tune_entry *e = entry_for(tune, key);
    if (!e)
        return;
    str_copy(e->key, sizeof e->key, key);
    str_copy(e->value, sizeof e->value, value);
    tune->changed = true;
}

static bool write_all(const struct tune *tune, FILE *file)
{
    fputs("# smfit: the fastest kernel by shape; may be deleted at any time\n", file);
    for (size_t i = 0; i < tune->count; i++)
        fprintf(file, "%s\t%s\n", tune->entries[i].key, tune->entries[i].value);
    bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

static void save(const struct tune *tune)
{
    char part[1100];
    make_folder(tune->path);
    snprintf(part, sizeof part, "%s.%ld", tune->path, (long)getpid());
    FILE *file = fopen(part, "wx");
    if (!file)
        return;
    if (!write_all(tune, file) || rename(part, tune->path))
        remove(part);
}

void tune_close(struct tune *tune)
{
    if (tune->changed && *tune->path)
        save(tune);
    free(tune->entries);
    *tune = (struct tune){ 0 };
}
