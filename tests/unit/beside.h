/* Files that lie beside the test program. */
#ifndef TESTS_BESIDE_H
#define TESTS_BESIDE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/os_process.h"

/* Path of `name` in the folder of this program; overwritten by the next call. */
static inline const char *beside(const char *name)
{
    static char path[4096 + 256];
    char self[4096];
    struct err err;
    err_clear(&err);
    cr_assert_eq(os_self_path(self, sizeof self, &err), 0, "%s", err.msg);
    char *slash = strrchr(self, '/');
    cr_assert_not_null(slash);
    *slash = 0;
    snprintf(path, sizeof path, "%s/%s", self, name);
    return path;
}

#endif
