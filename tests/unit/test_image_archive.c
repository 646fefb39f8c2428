#include "archive_walks.h"

TestSuite(archive, .timeout = 120);

Test(archive, every_kind_gives_the_members_that_were_packed)
{
    for (size_t i = 0; i < WHOLE_COUNT; i++) {
        struct seen seen = SEEN_INIT;
        walk_whole(specimen(whole[i].name), &seen);
        cr_expect_str_eq(seen.problems.p, "", "%s: %s", whole[i].name, seen.problems.p);
        cr_expect_str_eq(seen.files.p, whole[i].members, "%s: %s", whole[i].name, seen.files.p);
        cr_expect_eq(seen.wrong, 0, "%s: %u members differ", whole[i].name, seen.wrong);
        forget(&seen);
    }
}

Test(archive, the_same_members_come_through_a_pipe)
{
    for (size_t i = 0; i < WHOLE_COUNT; i++) {
        struct seen seen = SEEN_INIT;
        size_t size;
        uint8_t *data = load(specimen(whole[i].name), &size);
        walk_bytes(data, size, true, &seen);
        cr_expect_str_eq(seen.problems.p, "", "%s: %s", whole[i].name, seen.problems.p);
        /* A compressed file is named after the file, a zip's links are files without its directory.
         */
        unsigned links = strcmp(whole[i].members, ZIP_MEMBERS) == 0;
        unsigned expected = 0;
        for (const char *p = whole[i].members; (p = strchr(p, '\n')); p++)
            expected++;
        cr_expect_eq(seen.file_count, expected + links, "%s: %s", whole[i].name, seen.files.p);
        cr_expect_eq(seen.wrong, 0, "%s", whole[i].name);
        free(data);
        forget(&seen);
    }
}

Test(archive, members_that_nobody_reads_are_passed)
{
    for (size_t i = 0; i < WHOLE_COUNT; i++) {
        struct seen seen = SEEN_INIT;
        seen.reads_nothing = true;
        walk_whole(specimen(whole[i].name), &seen);
        cr_expect_str_eq(seen.problems.p, "", "%s: %s", whole[i].name, seen.problems.p);
        cr_expect_str_eq(seen.files.p, whole[i].members, "%s: %s", whole[i].name, seen.files.p);
        forget(&seen);
    }
}

Test(archive, standard_input_may_be_a_pipe_or_a_file)
{
    for (int as_pipe = 0; as_pipe < 2; as_pipe++) {
        struct seen seen = SEEN_INIT;
        int ends[2];
        size_t size;
        uint8_t *data = load(SPECIMENS "x.conda", &size);
        FILE *f = fopen(SPECIMENS "x.conda", "rb");
        cr_assert_eq(pipe(ends), 0);
        cr_assert_eq(write(ends[1], data, size), (ssize_t)size);
        close(ends[1]);
        cr_assert_eq(dup2(as_pipe ? ends[0] : fileno(f), 0), 0);
        walk_whole("-", &seen);
        cr_expect_eq(seen.file_count, 4, "%s", seen.files.p);
        cr_expect_eq(seen.wrong, 0);
        cr_expect_str_eq(seen.problems.p, "");
        fclose(f);
        close(ends[0]);
        free(data);
        forget(&seen);
    }
}

/* ---- plain files -------------------------------------------------------------------------------
 */

static void assert_plain(const char *path)
{
    struct seen seen = SEEN_INIT;
    walk_whole(path, &seen);
    cr_expect_str_eq(seen.files.p, "\n", "%s: %s", path, seen.files.p);
    cr_expect_str_eq(seen.problems.p, "", "%s: %s", path, seen.problems.p);
    cr_expect(seen.read_anywhere, "%s cannot be read anywhere", path);
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    cr_expect_eq(seen.bytes, (uint64_t)st.st_size, "%s", path);
    forget(&seen);
}

Test(archive, programs_and_static_archives_are_plain)
{
    assert_plain("/proc/self/exe");
    assert_plain(SPECIMENS "objects.a");
    assert_plain("tests/unit/test_image_archive.c");
}

Test(archive, random_bytes_are_plain)
{
    static uint8_t data[5000];
    uint32_t state = 1;
    for (int round = 0; round < 200; round++) {
        struct seen seen = SEEN_INIT;
        for (size_t i = 0; i < sizeof data; i++) {
            state = state * 1664525 + 1013904223;
            data[i] = (uint8_t)(state >> 24);
        }
        walk_bytes(data, sizeof data, round & 1, &seen);
        cr_expect_str_eq(seen.files.p, "\n");
        cr_expect_eq(seen.bytes, sizeof data);
        cr_expect_eq(seen.problem_count, 0, "%s", seen.problems.p);
        forget(&seen);
    }
}

Test(archive, an_empty_file_is_plain)
{
    struct seen seen = SEEN_INIT;
    walk_bytes((const uint8_t *)"", 0, false, &seen);
    cr_expect_str_eq(seen.files.p, "\n");
    cr_expect_eq(seen.problem_count, 0);
    forget(&seen);
}

/* ---- names -------------------------------------------------------------------------------------
 */

static void assert_files(const char *name, const char *files)
{
    struct seen seen = SEEN_INIT;
    walk_whole(specimen(name), &seen);
    cr_expect_str_eq(seen.files.p, files, "%s: %s", name, seen.files.p);
    cr_expect_str_eq(seen.problems.p, "");
    forget(&seen);
}

Test(archive, names_are_bytes_whatever_the_locale)
{
    assert_files("names.zip", "gr\xc3\xbcn.so\n");
    assert_files("names.tar", "gr\xc3\xbcn.so\n\033[31mred\n");
    assert_files("latin1.tar", "gr\xfcn.so\n");
}

Test(archive, a_long_name_is_cut)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "pax-names.tar", &seen);
    cr_expect(str_starts(seen.files.p, "gr\xc3\xbcn.so\nnnnn"));
    cr_expect_eq(seen.files.len, strlen("gr\xc3\xbcn.so\n") + ARCHIVE_NAME_MAX + 1);
    forget(&seen);
}
