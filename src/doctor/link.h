/* What an ELF file tells the system's loader: its name, what it needs, where that is looked for.
 * Read from the dynamic segment, which lies there even in stripped files; every size is bounded. */
#ifndef DOCTOR_LINK_H
#define DOCTOR_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"
#include "core/str.h"

#define LINK_NEEDED_MAX  128
#define LINK_STRINGS_MAX (32u << 20) /* bytes of names in one file that are read */
#define LINK_SYMBOLS_MAX (1u << 20)

struct link {
    char *strings; /* the names; the pointers below point into them */
    size_t string_size;
    const char *soname; /* "" when it has none */
    const char *needed[LINK_NEEDED_MAX];
    size_t needed_count;
    const char *rpath, *runpath; /* "" when it has none */
};

/* -1 with ERR_FORMAT when `full`, a file of this machine, is no dynamic ELF file. link_free after
 * both. */
int link_read(const char *full, struct link *link, struct err *err);
void link_free(struct link *link);

/* Calls `name` with each symbol that the file exports (`defined`) or expects from others. Returns
 * -1 when it cannot be read; a callback returns false to stop. */
int link_symbols(const char *full, bool defined, bool (*name)(void *self, const char *symbol),
                 void *self, struct err *err);

/* The newest version of each family that the file asks of others ("GLIBC_2.29", "GLIBCXX_3.4.22") or,
 * with `defined`, that it has itself. */
struct link_versions {
    unsigned glibc, glibcxx, cxxabi; /* 2.29: 2 * 1000000 + 29 * 1000; 0: none */
};

int link_read_versions(const char *full, bool defined, struct link_versions *versions,
                       struct err *err);

/* "2.29"; "" for 0. */
#define LINK_VERSION_TEXT 16
const char *link_version_text(unsigned version, char to[LINK_VERSION_TEXT]);

/* Whether an ELF file ends before the segments that it is loaded from do. */
bool link_is_cut(const char *full);

/* Whether the file has a section that nvcc makes for GPU code; a glance at the section table. False,
 * too, when it cannot be read. */
bool link_has_gpu_section(const char *full);

#endif
