/* Any bytes as /etc/ld.so.cache, and as a listing of it: names lie in the text, and the search for one
 * ends. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/loader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char tree[] = "/tmp/smfit-fuzz-XXXXXX";

static void remove_tree(void)
{
    char path[64];
    static const char *const parts[] = { "/etc/ld.so.cache", "/ldconfig.txt" };
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s", tree, parts[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/etc", tree);
    rmdir(path);
    rmdir(tree);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "%s%s", tree, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
}

static void look(void)
{
    static const struct loader_path program = { .rpath = "", .runpath = "/lib:$ORIGIN", .origin = "/bin" };
    struct loader l;
    struct loader_hit hit;
    loader_open(&l, tree, "/lib64");
    for (size_t i = 0; i < l.count; i++) {
        const char *soname = l.entries[i].soname, *path = l.entries[i].path;
        if (soname < l.cache.p || soname + strlen(soname) > l.cache.p + l.cache.len ||
            path < l.cache.p || path + strlen(path) > l.cache.p + l.cache.len)
            abort();
        if (i < 8)
            loader_find(&l, soname, &program, &hit);
    }
    loader_find(&l, "libcuda.so.1", NULL, &hit);
    loader_close(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    if (!made) {
        char path[64];
        if (!mkdtemp(tree))
            abort();
        snprintf(path, sizeof path, "%s/etc", tree);
        if (mkdir(path, 0700))
            abort();
        atexit(remove_tree);
        made = true;
    }
    put("/etc/ld.so.cache", data, size);
    put("/ldconfig.txt", data, size);
    look();
    return 0;
}
