/* A folder of a test's own, which stands for the tree of a machine: made, filled by shell commands, and
 * removed with all that is in it. */
#ifndef DOCTOR_TREE_H
#define DOCTOR_TREE_H

#include <criterion/criterion.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char tree[64];

/* A command of the shell, in the tree; it must succeed. */
static inline void tree_run(const char *command)
{
    char line[PATH_MAX + 1200];
    snprintf(line, sizeof line, "cd '%s' && %s", tree, command);
    cr_assert_eq(system(line), 0, "%s", command);
}

static inline void tree_make(void)
{
    snprintf(tree, sizeof tree, "/tmp/smfit-tree-XXXXXX");
    cr_assert_not_null(mkdtemp(tree));
}

static inline void tree_remove(void)
{
    char line[256];
    snprintf(line, sizeof line, "chmod -R u+rwX '%s' && rm -rf '%s'", tree, tree);
    cr_expect_eq(system(line), 0);
}

#endif
