/* Where libraries are looked for, and in which order: with small libraries made here. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <threads.h>

#include "beside.h"
#include "core/os_cpu.h"
#include "core/os_library.h"
#include "core/search.h"

static char root[64];

static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *f = fopen(full, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

/* A real library: a copy of the smallest that every system has. */
static void put_library(const char *path)
{
    char command[512];
    put(path, "");
    snprintf(command, sizeof command,
             "cp \"$(ldconfig -p | sed -n '/libdl.so.2 .*x86-64/s/.*=> //p' | head -n 1)\" %s/%s", root,
             path);
    cr_assert_eq(system(command), 0);
}

static void make_root(void)
{
    snprintf(root, sizeof root, "/tmp/smfit-search-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
    setenv("CUDA_HOME", "/nonexistent", 1);
    unsetenv("CUDA_PATH");
}

static void remove_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(core_search, .init = make_root, .fini = remove_root);

static const struct search_for what = {
    .names = (const char *const[]){ "libsmfitx.so.2", "libsmfitx-*.so.1", NULL },
    .inside = (const char *const[]){ "vendor/*/lib", "plain", NULL },
};

static int look(int folder_count, int site_count, struct search_found *found, struct err *err)
{
    static char paths[2][128];
    static const char *folder[] = { paths[0] }, *site[] = { paths[1] };
    snprintf(paths[0], sizeof paths[0], "%s/folder", root);
    snprintf(paths[1], sizeof paths[1], "%s/site", root);
    struct search where = { folder, (size_t)folder_count, site, (size_t)site_count, false };
    err_clear(err);
    return search_open(&where, &what, NULL, NULL, found, err);
}

static void expect(int folder_count, int site_count, const char *ending)
{
    struct search_found found;
    struct err err;
    cr_assert_eq(look(folder_count, site_count, &found, &err), 0, "%s", err.msg);
    cr_assert(strstr(found.path, ending), "'%s' instead of '%s'", found.path, ending);
    cr_assert_not_null(found.library);
    search_close(&found);
    cr_assert_null(found.library);
}

Test(core_search, nothing_there_names_what_was_looked_for)
{
    struct search_found found;
    struct err err;
    cr_assert_eq(look(1, 1, &found, &err), -1);
    cr_assert_eq(err.code, ERR_MISSING);
    cr_assert_str_eq(err.msg, "not installed: found none of libsmfitx.so.2, libsmfitx-*.so.1");
    cr_assert_str_eq(found.path, "");
}

Test(core_search, a_given_folder_comes_first_whatever_its_library_is_called)
{
    put_library("folder/libsmfitx-0af3.so.1");
    put_library("site/vendor/a/lib/libsmfitx.so.2");
    expect(1, 1, "/folder/libsmfitx-0af3.so.1");
    expect(0, 1, "/site/vendor/a/lib/libsmfitx.so.2");
}

Test(core_search, the_better_name_comes_before_the_better_place)
{
    put_library("site/vendor/a/lib/libsmfitx-1.so.1");
    put_library("site/plain/libsmfitx.so.2");
    expect(0, 1, "/site/plain/libsmfitx.so.2");
}

Test(core_search, the_toolkit_of_CUDA_HOME_is_searched)
{
    char home[128];
    put_library("home/lib64/libsmfitx.so.2");
    snprintf(home, sizeof home, "%s/home", root);
    setenv("CUDA_HOME", home, 1);
    expect(0, 0, "/home/lib64/libsmfitx.so.2");
}

Test(core_search, what_does_not_load_is_the_reason_unless_another_does)
{
    struct search_found found;
    struct err err;
    put("site/vendor/a/lib/libsmfitx.so.2", "no library\n");
    cr_assert_eq(look(1, 1, &found, &err), -1);
    cr_assert_eq(err.code, ERR_MISSING);
    cr_assert(strstr(err.msg, "/lib/libsmfitx.so.2"), "'%s'", err.msg);
    cr_assert(strstr(found.path, "/lib/libsmfitx.so.2"));
    put_library("site/plain/libsmfitx.so.2");
    expect(1, 1, "/site/plain/libsmfitx.so.2");
}

Test(core_search, a_broken_library_in_a_given_folder_is_not_replaced_by_another)
{
    struct search_found found;
    struct err err;
    put("folder/libsmfitx.so.2", "no library\n");
    put_library("site/plain/libsmfitx.so.2");
    cr_assert_eq(look(1, 1, &found, &err), -1);
    cr_assert(strstr(err.msg, "/folder/libsmfitx.so.2"), "'%s'", err.msg);
    put_library("folder/libsmfitx-0af3.so.1");
    expect(1, 1, "/folder/libsmfitx-0af3.so.1");
}

/* tests/stubs: libneeds.so.2 needs libbase.so.2, and says nowhere that it lies beside it. */
Test(core_search, what_a_library_needs_is_loaded_from_beside_it)
{
    char folder[4400];
    const char *folders[] = { folder };
    struct search where = { folders, 1, NULL, 0, true };
    struct search_for needs = { (const char *const[]){ "libneeds.so.2", NULL }, NULL, NULL };
    struct search_found found;
    struct err err;
    snprintf(folder, sizeof folder, "%s", beside("stubs/needs"));
    err_clear(&err);
    cr_assert_eq(search_open(&where, &needs, NULL, NULL, &found, &err), -1);
    cr_assert(strstr(err.msg, "libbase.so.2"), "'%s'", err.msg);
    needs.needs = "libbase";
    err_clear(&err);
    cr_assert_eq(search_open(&where, &needs, NULL, NULL, &found, &err), 0, "%s", err.msg);
    search_close(&found);
}

static int refuse(void *self, const struct search_found *found, struct err *err)
{
    ++*(int *)self;
    return strstr(found->path, "/plain/") ? 0
                                          : err_set(err, ERR_DRIVER, "refused '%s'", found->path);
}

Test(core_search, what_is_not_accepted_is_passed_over)
{
    struct search_found found;
    struct err err;
    char site[128];
    const char *sites[] = { site };
    int asked = 0;
    struct search where = { NULL, 0, sites, 1, false };
    put_library("site/vendor/a/lib/libsmfitx.so.2");
    snprintf(site, sizeof site, "%s/site", root);
    err_clear(&err);
    cr_assert_eq(search_open(&where, &what, refuse, &asked, &found, &err), -1);
    cr_assert_eq(asked, 1);
    cr_assert(strncmp(err.msg, "refused", 7) == 0, "'%s'", err.msg);
    put_library("site/plain/libsmfitx.so.2");
    cr_assert_eq(search_open(&where, &what, refuse, &asked, &found, &err), 0);
    cr_assert_eq(asked, 3);
    search_close(&found);
}

Test(core_search, there_are_no_more_cores_than_threads)
{
    cr_assert_geq(os_cpu_cores(), 1);
    cr_assert_leq(os_cpu_cores(), os_cpu_threads());
}

static int spin(void *until)
{
    while (!atomic_load((atomic_bool *)until))
        ;
    return 0;
}

/* Comes back by itself when nothing runs, and at its limit when something always does. */
Test(core_search, waiting_for_quiet_ends, .timeout = 60)
{
    atomic_bool enough = false;
    thrd_t thread;
    os_cpu_quiet(1000000);
    cr_assert_eq(thrd_create(&thread, spin, &enough), thrd_success);
    os_cpu_quiet(20);
    atomic_store(&enough, true);
    thrd_join(thread, NULL);
}
