/* Which copy of a library wins: LD_LIBRARY_PATH before an environment's own (ld.so(8)), what the same
 * file under two names is, and libraries that are nowhere. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/copies.h"
#include "doctor/envs.h"

static char tree[64];
static struct doctor d;

static void put(const char *name)
{
    char path[600], command[700];
    snprintf(path, sizeof path, "%s%s", tree, name);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", path);
    cr_assert_eq(system(command), 0);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs("x", f);
    fclose(f);
}

static void write_variables(const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/env.txt", tree);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static void make_tree(void)
{
    snprintf(tree, sizeof tree, "/tmp/smfit-copies-XXXXXX");
    cr_assert_not_null(mkdtemp(tree));
    d = (struct doctor){ .sysroot = tree };
    put("/e/lib/python3.8/site-packages/nvidia/cublas/lib/libcublas.so.12");
    put("/e/lib/python3.8/site-packages/torch/lib/libnot-nvidia.so.1");
    put("/sys/cuda/libcublas.so.12");
    put("/sys/cuda/libnot-nvidia.so.1");
}

static void remove_tree(void)
{
    char command[100];
    host_free(&d.host);
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    cr_assert_eq(system(command), 0);
}

TestSuite(copies, .init = make_tree, .fini = remove_tree);

static void look(void)
{
    host_read(tree, &d.host);
    cr_assert(envs_add_given(&d, "/e"));
    copies_find(&d);
}

Test(copies, a_copy_on_the_variables_path_wins_over_the_environments)
{
    write_variables("LD_LIBRARY_PATH=/nowhere:/sys/cuda\n");
    look();
    cr_assert_eq(d.copy_count, 1); /* NVIDIA's alone */
    cr_expect_str_eq(d.copies[0].soname, "libcublas.so.12");
    cr_expect_str_eq(d.copies[0].wins, "/sys/cuda/libcublas.so.12");
    cr_expect_str_eq(d.copies[0].other,
                     "/e/lib/python3.8/site-packages/nvidia/cublas/lib/libcublas.so.12");
    cr_expect_eq(d.copies[0].how, LOADER_ENVIRONMENT);
}

Test(copies, without_the_variable_there_is_no_contest)
{
    write_variables("PATH=/usr/bin\n");
    look();
    cr_expect_eq(d.copy_count, 0);
}

Test(copies, the_same_file_by_another_way_is_no_other_copy)
{
    char link[600];
    snprintf(link, sizeof link, "%s/alias", tree);
    cr_assert_eq(symlink("/e/lib/python3.8/site-packages/nvidia/cublas/lib", link), 0);
    write_variables("LD_LIBRARY_PATH=/alias\n");
    look();
    cr_expect_eq(d.copy_count, 0);
}
