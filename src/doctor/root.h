/* Files of the machine that is looked at: this one (""), or a saved tree in a folder. Links inside
 * a tree are followed as that machine would follow them, so nothing outside the tree is ever read.
 */
#ifndef DOCTOR_ROOT_H
#define DOCTOR_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/os.h"
#include "core/str.h"

#define ROOT_PATH_MAX  4096
#define ROOT_NAMES_MAX 100000 /* in one folder; further ones are left out */

/* Where `path` of that machine ("/usr/lib/x") is on this one, links resolved. False when there is
 * no such file or folder, or the links go in circles. */
bool root_resolve(const char *sysroot, const char *path, char full[ROOT_PATH_MAX]);

/* The path as that machine names it, links resolved: "/usr/lib/x.so.1" -> "/usr/lib/x.so.1.2". */
bool root_real(const char *sysroot, const char *path, char real[ROOT_PATH_MAX]);

/* `path` is `folder` or lies below it; by their names alone. */
bool root_is_in(const char *path, const char *folder);

enum os_file_kind root_kind(const char *sysroot, const char *path);

/* Appends a small file; false (and `out` as it was) when it cannot be read or is larger. */
bool root_read(const char *sysroot, const char *path, size_t size_max, struct str *out);

struct root_names {
    char **list; /* in the order of their bytes, without "." and ".." */
    size_t count;
};

/* The names in a folder; none when it cannot be read. Free after. */
void root_list(const char *sysroot, const char *path, struct root_names *names);
void root_names_free(struct root_names *names);

#endif
