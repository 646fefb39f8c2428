/* Saved trees: links stay inside, loops end, and the loader's order is ld.so's (ld.so(8)). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/loader.h"
#include "doctor/root.h"

static char tree[64];

static void path_of(const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", tree, name);
}

static void folder(const char *name)
{
    char path[512];
    path_of(name, path);
    cr_assert_eq(mkdir(path, 0755), 0);
}

static void file(const char *name)
{
    char path[512];
    path_of(name, path);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs("x", f);
    fclose(f);
}

static void link_to(const char *target, const char *name)
{
    char path[512];
    path_of(name, path);
    cr_assert_eq(symlink(target, path), 0);
}

static void make_tree(void)
{
    snprintf(tree, sizeof tree, "/tmp/smfit-root-XXXXXX");
    cr_assert_not_null(mkdtemp(tree));
}

static void remove_tree(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    cr_assert_eq(system(command), 0);
}

TestSuite(root, .init = make_tree, .fini = remove_tree);

Test(root, absolute_links_lead_within_the_tree)
{
    char real[ROOT_PATH_MAX], full[ROOT_PATH_MAX], expected[512];
    folder("etc");
    file("etc/passwd");
    link_to("/etc/passwd", "link");
    link_to("../../../../etc/passwd", "up");
    cr_assert(root_real(tree, "/link", real));
    cr_assert_str_eq(real, "/etc/passwd");
    cr_assert(root_resolve(tree, "/up", full));
    path_of("etc/passwd", expected);
    cr_assert_str_eq(full, expected);
}

Test(root, loops_and_missing_files_are_no_files)
{
    char real[ROOT_PATH_MAX];
    link_to("b", "a");
    link_to("a", "b");
    link_to(".", "self");
    cr_assert_not(root_real(tree, "/a", real));
    cr_assert_not(root_real(tree, "/nothing", real));
    cr_assert(root_real(tree, "/self/self/self", real));
    cr_assert_str_eq(real, "/");
    cr_assert_eq(root_kind(tree, "/a"), OS_FILE_MISSING);
}

Test(root, what_is_no_regular_file_is_not_read)
{
    char path[512];
    struct str text = STR_INIT;
    path_of("fifo", path);
    cr_assert_eq(mkfifo(path, 0644), 0);
    cr_assert_not(root_read(tree, "/fifo", 100, &text));
    file("small");
    cr_assert(root_read(tree, "/small", 100, &text));
    cr_assert_str_eq(text.p, "x");
    str_free(&text);
}

Test(root, the_loader_asks_rpath_then_the_variable_then_runpath_then_folders)
{
    struct loader l;
    struct loader_hit hit;
    folder("r");
    folder("v");
    folder("u");
    folder("lib64");
    const char *const places[] = { "r/libx.so.1", "v/libx.so.1", "u/libx.so.1", "lib64/libx.so.1" };
    for (size_t i = 0; i < 4; i++)
        file(places[i]);
    loader_open(&l, tree, "/v");
    loader_find(&l, "libx.so.1", &(struct loader_path){ "/r", "", "", NULL }, &hit);
    cr_assert_eq(hit.how, LOADER_RPATH);
    loader_find(&l, "libx.so.1", &(struct loader_path){ "/r", "/u", "", NULL }, &hit);
    cr_assert_eq(hit.how, LOADER_ENVIRONMENT, "a RUNPATH takes the RPATH out of use");
    loader_close(&l);
    loader_open(&l, tree, "");
    loader_find(&l, "libx.so.1", &(struct loader_path){ "", "$ORIGIN/../u", "/r", NULL }, &hit);
    cr_assert_eq(hit.how, LOADER_RUNPATH);
    cr_assert_str_eq(hit.path, "/r/../u/libx.so.1");
    loader_find(&l, "libx.so.1", NULL, &hit);
    cr_assert_eq(hit.how, LOADER_FOLDER);
    loader_find(&l, "liby.so.1", NULL, &hit);
    cr_assert_eq(hit.how, LOADER_NOWHERE);
    loader_close(&l);
}

Test(root, a_folder_whose_name_only_begins_alike_is_another)
{
    cr_expect(root_is_in("/home/u", "/home/u"));
    cr_expect(root_is_in("/home/u/x", "/home/u"));
    cr_expect_not(root_is_in("/home/user2/x", "/home/u"));
    cr_expect_not(root_is_in("/home", "/home/u"));
}
