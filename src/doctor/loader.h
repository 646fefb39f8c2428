/* Which file the system's loader would take for a library's name: RPATH, LD_LIBRARY_PATH, RUNPATH,
 * the list of ldconfig, the system's folders, in that order (ld.so(8)). */
#ifndef DOCTOR_LOADER_H
#define DOCTOR_LOADER_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/root.h"

enum loader_how {
    LOADER_NOWHERE,
    LOADER_RPATH,
    LOADER_ENVIRONMENT, /* LD_LIBRARY_PATH */
    LOADER_RUNPATH,
    LOADER_CACHE, /* ldconfig's list */
    LOADER_FOLDER /* /lib, /usr/lib and their like */
};

/* "rpath", "ld_library_path", ... */
const char *loader_how_name(enum loader_how how);

struct loader_entry {
    const char *soname, *path; /* into the text */
};

struct loader {
    const char *sysroot;
    const char *library_path; /* LD_LIBRARY_PATH; "" not set */
    struct str cache;         /* bytes of ld.so.cache or of a listing */
    struct loader_entry *entries;
    size_t count;
};

/* Reads /etc/ld.so.cache, else ldconfig.txt (the output of ldconfig -p) in a saved tree. Neither is
 * no fault. loader_close after. */
void loader_open(struct loader *l, const char *sysroot, const char *library_path);
void loader_close(struct loader *l);

struct loader_hit {
    enum loader_how how;
    char path[ROOT_PATH_MAX]; /* of that machine, as it was found */
};

/* The file that asks for a library: its own paths ("" none) and its folder. RPATH holds for what its
 * libraries ask for too, RUNPATH does not. */
struct loader_path {
    const char *rpath, *runpath, *origin;
    const struct loader_path *asked_by; /* the file that made the loader bring it in; NULL: the program */
};

/* `from` NULL: a program without paths of its own. */
void loader_find(const struct loader *l, const char *soname, const struct loader_path *from,
                 struct loader_hit *hit);

#endif
