/* Code that an environment uses and that lies elsewhere: checkouts that pip links to, and what PyTorch
 * has compiled. The files are those of the notes as pip 20 to 24 and setuptools 40 to 70 write them. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "doctor_tree.h"

#define SITE "e/lib/python3.8/site-packages"

static char library[PATH_MAX];
static struct doctor d;

/* A note of pip's in site-packages. */
static void note(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/" SITE "/%s", tree, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

static void make_tree(void)
{
    cr_assert_not_null(realpath("tests/data/specimens/cuda118.so", library));
    tree_make();
    d = (struct doctor){ .sysroot = tree };
    d.gpus[0] = (struct doctor_gpu){ .rule = { .cc = 35, .os = ARCH_LINUX } };
    d.gpu_count = 1;
    tree_run("mkdir -p " SITE);
}

static void remove_tree(void)
{
    doctor_free(&d);
    tree_remove();
}

TestSuite(outside, .init = make_tree, .fini = remove_tree);

static void look(const struct doctor_request *request)
{
    struct err err;
    err_clear(&err);
    host_read(tree, &d.host);
    cr_assert_eq(doctor_run(&d, request, &err), 0, "%s", err.msg);
}

static void look_at_environment(void)
{
    static const char *const pythons[] = { "/e" };
    look(&(struct doctor_request){ .pythons = pythons, .python_count = 1 });
}

/* Of those with GPU code. */
static size_t count(const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < d.package_count; i++)
        n += d.packages[i].file_count && strcmp(d.packages[i].name, name) == 0;
    return n;
}

static const struct doctor_package *package(const char *name)
{
    for (size_t i = 0; i < d.package_count; i++)
        if (d.packages[i].file_count && strcmp(d.packages[i].name, name) == 0)
            return &d.packages[i];
    return NULL;
}

/* A checkout at `folder` with a library in it. */
static void checkout(const char *folder)
{
    char command[PATH_MAX + 400];
    snprintf(command, sizeof command, "mkdir -p './%s/ops' && cp '%s' './%s/ops/ext.so'", folder,
             library, folder);
    tree_run(command);
}

Test(outside, a_folder_in_a_pth_file_is_read_as_built_from_source)
{
    checkout("home/u/EDVR");
    note("easy-install.pth", "import sys; exec(open(1))\n# /home/u/x\n/home/u/EDVR/\n./relative\n");
    look_at_environment();
    const struct doctor_package *p = package("EDVR");
    cr_assert_not_null(p);
    cr_expect(p->from_source);
    cr_expect_eq(p->env, 0);
    cr_expect_str_eq(p->base, "/home/u/EDVR");
    cr_expect_str_eq(p->files[0].path, "ops/ext.so");
}

Test(outside, an_egg_link_and_an_editable_finder_name_folders_too)
{
    checkout("home/u/old");
    checkout("srv/new/new");
    note("old.egg-link", "/home/u/old\n.");
    note("__editable___new_1_0_finder.py", "MAPPING: dict[str, str] = {'new': '/srv/new/new'}\n");
    look_at_environment();
    cr_expect_eq(count("old"), 1);
    cr_expect_eq(count("new"), 1);
}

Test(outside, folders_of_the_system_and_ones_that_are_named_twice_are_no_second_package)
{
    checkout("home/u/a");
    checkout("usr/lib/thing");
    note("a.pth", "/home/u/a\n/usr/lib/thing\n/\n/home\n/home/u/a/../a\n/nowhere/x\n");
    note("b.pth", "/home/u/a\n");
    look_at_environment();
    cr_expect_eq(d.package_count, 1);
    cr_expect_eq(count("a"), 1);
}

Test(outside, a_folder_is_taken_as_python_takes_it)
{
    checkout("workspace");
    checkout("development/proj");
    checkout("e/src/near");
    checkout("home/u/quoted");
    note("a.pth", "/workspace\r\n/development/proj\n../../../src/near\n");
    note("__editable___b_finder.py", "MAPPING = {'b': \"/home/u/quoted\"}\n");
    look_at_environment();
    cr_expect_eq(count("workspace"), 1);
    cr_expect_eq(count("proj"), 1);
    cr_expect_eq(count("near"), 1);
    cr_expect_eq(count("quoted"), 1);
}

Test(outside, a_project_with_its_environment_inside_is_read)
{
    static const char *const pythons[] = { "/home/u/proj/.venv" };
    checkout("home/u/proj");
    tree_run("mkdir -p home/u/proj/.venv/lib/python3.8/site-packages && "
        "echo /home/u/proj >home/u/proj/.venv/lib/python3.8/site-packages/p.pth");
    look(&(struct doctor_request){ .pythons = pythons, .python_count = 1 });
    cr_expect_eq(count("proj"), 1);
}

Test(outside, more_links_than_are_followed_are_said_to_be_partial)
{
    char text[4096] = "";
    for (int i = 0; i < 70; i++) {
        char folder[32];
        snprintf(folder, sizeof folder, "srv/p/n%d", i);
        checkout(folder);
        snprintf(text + strlen(text), sizeof text - strlen(text), "/%s\n", folder);
    }
    note("a.pth", text);
    look_at_environment();
    cr_expect(d.partial);
}

Test(outside, a_checkout_that_is_given_as_a_folder_counts_once)
{
    static const char *const pythons[] = { "/e" }, *const apps[] = { "/home/u" };
    checkout("home/u/a");
    note("a.pth", "/home/u/a\n");
    look(&(struct doctor_request){
        .pythons = pythons, .python_count = 1, .apps = apps, .app_count = 1 });
    cr_expect_eq(count("a"), 1);
    cr_expect_eq(count("u"), 0);
}

Test(outside, a_given_folder_hides_the_extensions_below_it_alone)
{
    static const char *const apps[] = { "/home/u" };
    checkout("home/u/.cache/torch_extensions/mine");
    checkout("home/u2/.cache/torch_extensions/theirs");
    look(&(struct doctor_request){ .apps = apps, .app_count = 1 });
    cr_expect_eq(count("mine"), 0);
    cr_expect_eq(count("u"), 1);
    cr_expect_eq(count("theirs"), 1);
}

Test(outside, what_pytorch_compiled_is_one_program_each)
{
    checkout("home/u/.cache/torch_extensions/py38_cu117/fused");
    checkout("root/.cache/torch_extensions/upfirdn2d_plugin");
    look(&(struct doctor_request){ .app_count = 0 });
    cr_expect_eq(count("fused"), 1);
    cr_expect_eq(count("upfirdn2d_plugin"), 1);
    cr_assert_not_null(package("fused"));
    cr_expect_eq(package("fused")->origin, DOCTOR_APP);
}

Test(outside, a_variable_says_where_pytorch_compiles)
{
    checkout("home/u/.cache/torch_extensions/stale");
    checkout("data/ext/fresh");
    tree_run("echo TORCH_EXTENSIONS_DIR=/data/ext >env.txt");
    look(&(struct doctor_request){ .app_count = 0 });
    cr_expect_eq(count("fresh"), 1);
    cr_expect_eq(count("stale"), 0);
}

Test(outside, the_cache_of_the_one_who_asks_is_found_wherever_it_is)
{
    checkout("data/cache/torch_extensions/py310_cu118/ops");
    tree_run("echo XDG_CACHE_HOME=/data/cache >env.txt");
    look_at_environment();
    cr_expect_eq(count("ops"), 1);
}

Test(outside, the_root_is_no_folder_of_extensions)
{
    checkout("data/ext");
    tree_run("echo TORCH_EXTENSIONS_DIR=/ >env.txt");
    look_at_environment();
    cr_expect_eq(d.package_count, 0);
}
