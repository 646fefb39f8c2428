/* ELF files as the loader sees them. They are made here by the system's compiler and read by readelf,
 * which is the oracle; where there is no compiler the test's own program is looked at. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/link.h"

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/smfit-link-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(link, .init = make_folder, .fini = remove_folder);

static bool compile(const char *source, const char *options, char path[200])
{
    char command[900];
    snprintf(path, 200, "%s/libx.so", folder);
    snprintf(command, sizeof command,
             "cd '%s' && printf '%s' >x.c && ${CC:-cc} -shared -fPIC -o libx.so x.c %s 2>/dev/null",
             folder, source, options);
    return system(command) == 0;
}

/* The newest GLIBC that readelf lists among what the file needs; "" without readelf. */
static void ask_readelf(const char *path, char *to, size_t size)
{
    char line[900];
    snprintf(line, sizeof line,
             "readelf -W -V '%s' 2>/dev/null | sed '/^Version definition/,/^$/d' | "
             "grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -V | tail -1",
             path);
    FILE *f = popen(line, "r");
    cr_assert_not_null(f);
    *to = 0;
    if (fgets(to, (int)size, f))
        to[strcspn(to, "\n")] = 0;
    pclose(f);
}

Test(link, names_and_paths_are_those_that_the_linker_was_told)
{
    char path[200];
    struct link link;
    struct err err;
    err_clear(&err);
    if (!compile("int f(void) { return 1; }",
                 "-Wl,-soname,libx.so.7 -Wl,--enable-new-dtags,-rpath,\\$ORIGIN/../lib:/opt/y", path))
        cr_skip_test("no compiler here");
    cr_assert_eq(link_read(path, &link, &err), 0, "%s", err.msg);
    cr_expect_str_eq(link.soname, "libx.so.7");
    cr_expect_str_eq(link.runpath, "$ORIGIN/../lib:/opt/y");
    cr_expect_str_eq(link.rpath, "");
    link_free(&link);
}

Test(link, the_old_path_is_told_from_the_new)
{
    char path[200];
    struct link link;
    struct err err;
    err_clear(&err);
    if (!compile("int f(void) { return 1; }", "-Wl,--disable-new-dtags,-rpath,/opt/z", path))
        cr_skip_test("no compiler here");
    cr_assert_eq(link_read(path, &link, &err), 0, "%s", err.msg);
    cr_expect_str_eq(link.rpath, "/opt/z");
    cr_expect_str_eq(link.runpath, "");
    link_free(&link);
}

static bool count(void *self, const char *symbol)
{
    unsigned *found = self;
    *found += strcmp(symbol, "cuCtxCreate_v9") == 0;
    return true;
}

Test(link, symbols_that_it_has_are_told_from_those_that_it_wants)
{
    char path[200];
    struct err err;
    unsigned wanted = 0, had = 0;
    err_clear(&err);
    if (!compile("int cuCtxCreate_v9(void); int g(void) { return cuCtxCreate_v9(); }", "", path))
        cr_skip_test("no compiler here");
    cr_assert_eq(link_symbols(path, false, count, &wanted, &err), 0);
    cr_assert_eq(link_symbols(path, true, count, &had, &err), 0);
    cr_expect_eq(wanted, 1);
    cr_expect_eq(had, 0);
}

Test(link, the_newest_glibc_that_is_asked_for_is_what_readelf_says)
{
    struct link_versions v;
    struct err err;
    char expected[64], version[LINK_VERSION_TEXT];
    err_clear(&err);
    char self[400];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert_gt(n, 0);
    self[n] = 0;
    ask_readelf(self, expected, sizeof expected);
    if (!*expected)
        cr_skip_test("no readelf here");
    cr_assert_eq(link_read_versions(self, false, &v, &err), 0, "%s", err.msg);
    cr_expect_str_eq(link_version_text(v.glibc, version), expected);
}

Test(link, versions_are_numbers_and_not_letters)
{
    char text[LINK_VERSION_TEXT];
    cr_expect_str_eq(link_version_text(2029000, text), "2.29");
    cr_expect_str_eq(link_version_text(3004030, text), "3.4.30");
    cr_expect_str_eq(link_version_text(0, text), "");
    cr_expect_gt(2029000u, 2004000u); /* 2.29 is newer than 2.4 */
}

Test(link, damaged_files_are_refused_and_not_followed)
{
    char path[200], command[400];
    struct link link;
    struct link_versions v;
    struct err err;
    if (!compile("int f(void) { return 1; }", "", path))
        cr_skip_test("no compiler here");
    for (unsigned size = 0; size < 1200; size += 37) {
        snprintf(command, sizeof command, "head -c %u '%s' >'%s/cut'", size, path, folder);
        cr_assert_eq(system(command), 0);
        snprintf(command, sizeof command, "%s/cut", folder);
        err_clear(&err);
        cr_expect_neq(link_read(command, &link, &err), 0, "%u bytes", size);
        link_free(&link);
        err_clear(&err);
        link_read_versions(command, true, &v, &err);
        cr_expect_not(link_has_gpu_section(command));
    }
}
