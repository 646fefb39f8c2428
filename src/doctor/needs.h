/* All files that the system's loader would bring in for one file, breadth first, as ld.so does: each
 * library's name is looked up for the file that asked for it first, with the RPATH of all files that
 * led there. What LD_LIBRARY_PATH and dlopen() with a path of its own change at run time is not seen. */
#ifndef DOCTOR_NEEDS_H
#define DOCTOR_NEEDS_H

#include "doctor/loader.h"

#define NEEDS_MAX 512 /* files of one walk; further ones are left out */

/* `depth` 0: the file of the walk itself asks; 1: one that it asked for ... */
typedef void needs_each(void *self, unsigned depth, const char *soname, const struct loader_hit *hit);

/* `path` is a file of that machine. `program` is the one that opens it with dlopen() ("/usr/bin/python3"): its RPATH
 * counts too, and what it has loaded itself is not looked for again; NULL: `path` is the program.
 * Calls `each` for every name that `path` and its libraries ask for, once a name and file that asks.
 * A name that is loaded already is found where it was found first. */
void needs_walk(const struct loader *l, const char *program, const char *path, needs_each *each,
                void *self);

#endif
