/* Which package a file of a Python environment belongs to, by the RECORD that pip keeps. */
#ifndef DOCTOR_OWNERS_H
#define DOCTOR_OWNERS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/str.h"

#define OWNERS_MAX       200000u     /* files that may hold GPU code, in one environment */
#define OWNERS_BYTES_MAX (48u << 20) /* of their names */

struct owners_file {
    size_t path; /* offset in names */
    size_t package;
};

struct owners {
    struct str names;
    struct owners_file *files;
    size_t count, cap;
    bool cut;
};

void owners_free(struct owners *o);

/* The files that a RECORD lists ("path,sha256=...,size" a line, quoted where the path has a comma)
 * and that may hold GPU code. */
void owners_add_record(struct owners *o, const char *record, size_t package);

/* One file; false at a bound. Names that hold no GPU code are left out. */
bool owners_add(struct owners *o, const char *path, size_t package);

/* Once, after the last record. */
void owners_sort(struct owners *o);

/* The package, or -1. `path` is relative to site-packages. */
long owners_find(const struct owners *o, const char *path);

/* By the name alone: shared libraries, programs, fat binaries, objects. */
bool owners_may_hold(const char *path);

#endif
