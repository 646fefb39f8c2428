/* Any bytes as a library: what is read of its dynamic segment lies in the names that were read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doctor/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count(void *self, const char *symbol)
{
    *(size_t *)self += strlen(symbol);
    return true;
}

static void check_inside(const struct link *link, const char *name)
{
    if (*name && (name < link->strings || name >= link->strings + link->string_size))
        abort();
}

static void look(const char *path)
{
    struct link link;
    struct err err;
    struct link_versions versions;
    size_t letters = 0;
    err_clear(&err);
    if (link_read(path, &link, &err) == 0) {
        if (link.needed_count > LINK_NEEDED_MAX)
            abort();
        for (size_t i = 0; i < link.needed_count; i++)
            check_inside(&link, link.needed[i]);
        check_inside(&link, link.soname);
        check_inside(&link, link.rpath);
        check_inside(&link, link.runpath);
    } else if (err.code == ERR_NONE || !err.msg[0]) {
        abort();
    }
    link_free(&link);
    link_symbols(path, true, count, &letters, &err);
    link_symbols(path, false, count, &letters, &err);
    link_read_versions(path, true, &versions, &err);
    link_read_versions(path, false, &versions, &err);
    link_has_gpu_section(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("library", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    look(path);
    close(fd);
    return 0;
}
