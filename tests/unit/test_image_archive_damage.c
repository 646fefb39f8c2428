#include <archive.h>
#include <archive_entry.h>

#include "archive_walks.h"

#include "image/archive_kind.h"

TestSuite(archive_damage, .timeout = 120);

/* ---- damage ------------------------------------------------------------------------------------
 */

/* What a walk over the first `cut` bytes shows. Kept small enough to be compared. */
static void assert_cut_shows(size_t row, const uint8_t *data, size_t cut, bool as_pipe,
                             const struct seen *complete, unsigned *quiet)
{
    struct seen seen = SEEN_INIT;
    /* A copy of its own, so that a sanitizer sees reads behind the end. */
    uint8_t *copy = malloc(cut + 1);
    memcpy(copy, data, cut);
    enum archive_kind kind = archive_kind_of(copy, cut < ARCHIVE_SNIFF_SIZE ? cut : 512);
    walk_bytes(copy, cut, as_pipe, &seen);
    cr_assert(seen.problem_count <= 1, "%s cut at %zu: %s", whole[row].name, cut, seen.problems.p);
    if (kind == ARCHIVE_KIND_PLAIN)
        cr_assert_str_eq(seen.files.p, "\n", "%s cut at %zu", whole[row].name, cut);
    else if (seen.problem_count == 0 && seen.bytes < complete->bytes)
        *quiet += kind != ARCHIVE_KIND_TAR || cut % 512 != 0;
    if (seen.problem_count == 1)
        cr_assert(seen.problem.offset <= cut, "%s cut at %zu: offset %llu", whole[row].name, cut,
                  (unsigned long long)seen.problem.offset);
    free(copy);
    forget(&seen);
}

/* One problem for one fault, however deep the nest, and no member missing without a word. */
Test(archive_damage, an_archive_cut_anywhere_says_so_once)
{
    for (size_t row = 0; row < WHOLE_COUNT; row++) {
        size_t size;
        uint8_t *data = load(specimen(whole[row].name), &size);
        for (int as_pipe = 0; as_pipe < 2; as_pipe++) {
            struct seen complete = SEEN_INIT;
            unsigned quiet = 0;
            size_t step = size > 5000 ? 149 : 11;
            walk_bytes(data, size, as_pipe, &complete);
            for (size_t cut = 0; cut < size; cut += step)
                assert_cut_shows(row, data, cut, as_pipe, &complete, &quiet);
            cr_expect(quiet <= whole[row].quiet, "%s: nothing shows at %u places", whole[row].name,
                      quiet);
            forget(&complete);
        }
        free(data);
    }
}

Test(archive_damage, any_byte_may_be_wrong)
{
    for (size_t row = 0; row < WHOLE_COUNT; row++) {
        size_t size;
        uint8_t *data = load(specimen(whole[row].name), &size);
        size_t step = size > 5000 ? 97 : 13;
        for (size_t at = 0; at < size; at += step) {
            struct seen seen = SEEN_INIT;
            data[at] ^= 0xff;
            walk_bytes(data, size, at & 1, &seen);
            data[at] ^= 0xff;
            cr_assert(seen.problem_count <= 2, "%s: byte %zu: %s", whole[row].name, at,
                      seen.problems.p);
            forget(&seen);
        }
        free(data);
    }
}

/* Offset of the n-th member's header in a zip. */
static size_t member_at(const uint8_t *data, size_t size, int n)
{
    for (size_t i = 0; i + 4 < size; i++) {
        if (memcmp(data + i, "PK\3\4", 4) == 0 && n-- == 0)
            return i;
    }
    cr_assert_fail("there is no such member");
    return 0;
}

static void assert_damaged_zip(const uint8_t *data, size_t size, const char *files,
                               const char *problem)
{
    struct seen seen = SEEN_INIT;
    walk_bytes(data, size, false, &seen);
    cr_expect_str_eq(seen.files.p, files, "%s", seen.files.p);
    cr_expect_eq(seen.problem_count, 1, "%s", seen.problems.p);
    cr_expect(str_starts(seen.problems.p, problem), "%s", seen.problems.p);
    cr_expect_eq(seen.problem.code, ERR_FORMAT);
    forget(&seen);
}

Test(archive_damage, damaged_data_in_a_zip_costs_that_member_only)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "x.zip", &size);
    memset(data + member_at(data, size, 1) + 500, 0xff, 40);
    /* It breaks before anything of it could be inflated, so there is nothing to hand over. */
    assert_damaged_zip(data, size, "lib/h.txt\nlib/empty\n", "lib/a.so: damaged zip archive: ");
    free(data);
}

Test(archive_damage, a_wrong_checksum_in_a_zip_names_the_member)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "stored.zip", &size);
    data[member_at(data, size, 1) + 500] ^= 1;
    assert_damaged_zip(data, size, ZIP_MEMBERS, "lib/a.so: damaged zip archive: ZIP bad CRC");
    free(data);
}

Test(archive_damage, a_damaged_header_in_a_zip_costs_that_member_only)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "x.zip", &size);
    memset(data + member_at(data, size, 1), 0, 4);
    assert_damaged_zip(data, size, "lib/h.txt\nlib/empty\nlib/link\n", ": damaged zip archive: ");
    free(data);
}

Test(archive_damage, a_damaged_directory_of_a_zip_costs_no_member)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "x.zip", &size);
    size_t at = 0;
    while (memcmp(data + at, "PK\1\2", 4) != 0)
        at++;
    memset(data + at, 0, 4);
    assert_damaged_zip(data, size, ZIP_MEMBERS "lib/link\n", ": damaged zip archive: ");
    free(data);
}

/* Every member is there, but nobody can know that. */
Test(archive_damage, a_zip_cut_in_its_directory_gives_all_and_says_so)
{
    struct seen seen = SEEN_INIT;
    size_t size;
    uint8_t *data = load(SPECIMENS "stored.zip", &size);
    walk_bytes(data, size - 30, false, &seen);
    cr_expect_str_eq(seen.files.p, ZIP_MEMBERS "lib/link\n", "%s", seen.files.p);
    cr_expect_eq(seen.wrong, 0);
    cr_expect_str_eq(seen.problems.p,
                     ": damaged zip archive: it ends without its directory of members\n", "%s",
                     seen.problems.p);
    free(data);
    forget(&seen);
}

Test(archive_damage, encrypted_members_are_named_and_the_others_read)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "encrypted.zip", &seen);
    cr_expect_str_eq(seen.files.p, "h.txt\n");
    cr_expect_str_eq(seen.problems.p, "a.so: the member is encrypted\n");
    cr_expect_eq(seen.wrong, 0);
    forget(&seen);
    walk_whole(SPECIMENS "aes.zip", &seen);
    cr_expect_str_eq(seen.files.p, "");
    cr_expect_str_eq(seen.problems.p, "a.so: the member is encrypted\n");
    forget(&seen);
}

Test(archive_damage, what_is_not_opened_is_said_and_handed_over_as_it_is)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "x.7z", &seen);
    cr_expect_str_eq(seen.files.p, "\n");
    cr_expect_eq(seen.problem.code, ERR_MISSING);
    cr_expect(strstr(seen.problems.p, "7-Zip"), "%s", seen.problems.p);
    forget(&seen);
}

Test(archive_damage, a_name_of_four_gigabytes_is_no_name)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "name.cpio", &seen);
    cr_expect_eq(seen.problem_count, 1);
    cr_expect_eq(seen.problem.code, ERR_FORMAT);
    cr_expect_eq(seen.file_count, 0);
    forget(&seen);
}

/* A folder for what a test writes. */
static const char *scratch(const char *name)
{
    static char path[128];
    static char folder[64];
    if (!folder[0]) {
        strcpy(folder, "/tmp/smfit-archive-XXXXXX");
        cr_assert(mkdtemp(folder));
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void discard(const char *path)
{
    char folder[128];
    unlink(path);
    str_copy(folder, sizeof folder, path);
    *strrchr(folder, '/') = 0;
    rmdir(folder);
}

/* ---- bounds ------------------------------------------------------------------------------------
 */

Test(archive_damage, archives_are_opened_to_a_depth_and_no_deeper)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "nest4.zip", &seen);
    cr_expect(str_starts(seen.files.p, "nest3.zip!nest2.zip!nest1.zip!lib/a.so\n"), "%s",
              seen.files.p);
    cr_expect_eq(seen.problem_count, 0);
    cr_expect_eq(seen.wrong, 0);
    forget(&seen);
    walk_whole(SPECIMENS "nest5.zip", &seen);
    cr_expect_eq(seen.file_count, 0, "%s", seen.files.p);
    cr_expect_eq(seen.problem.code, ERR_LIMIT);
    cr_expect(str_starts(seen.problems.p, "nest4.zip!nest3.zip!nest2.zip!nest1.zip: "), "%s",
              seen.problems.p);
    forget(&seen);
}

/* 15 KB that would be 240 GB. */
Test(archive_damage, zips_of_zips_of_zeros_end_at_the_bound_of_the_whole)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "bomb.zip", &seen);
    cr_expect_eq(seen.problem_count, 1, "%u problems", seen.problem_count);
    cr_expect_eq(seen.problem.code, ERR_LIMIT);
    cr_expect(seen.bytes <= ARCHIVE_TOTAL_FREE_BYTES + ARCHIVE_RATIO_MAX * 16000, "%llu bytes",
              (unsigned long long)seen.bytes);
    forget(&seen);
}

static void write_zeros(struct archive *a, const char *name, size_t mib)
{
    static const uint8_t zeros[1 << 20];
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)(mib << 20));
    cr_assert_eq(archive_write_header(a, entry), ARCHIVE_OK, "%s", archive_error_string(a));
    for (size_t i = 0; i < mib; i++)
        cr_assert_eq(archive_write_data(a, zeros, sizeof zeros), (la_ssize_t)sizeof zeros);
    archive_entry_free(entry);
}

/* As a file, and as a pipe where a zip has no directory. */
static void assert_bomb(const char *path, const char *files, const char *piped_files)
{
    for (int as_pipe = 0; as_pipe < 2; as_pipe++) {
        struct seen seen = SEEN_INIT;
        size_t size;
        uint8_t *data = load(path, &size);
        walk_bytes(data, size, as_pipe, &seen);
        cr_expect_str_eq(seen.files.p, as_pipe ? piped_files : files, "%s", seen.files.p);
        cr_expect_eq(seen.problem_count, 1, "%s", seen.problems.p);
        cr_expect_eq(seen.problem.code, ERR_LIMIT, "%s", seen.problem.msg);
        cr_expect(seen.bytes <= ARCHIVE_FREE_BYTES + (1 << 21), "%llu bytes",
                  (unsigned long long)seen.bytes);
        free(data);
        forget(&seen);
    }
}

Test(archive_damage, a_member_of_zeros_ends_at_its_bound_and_the_next_is_read)
{
    const char *path = scratch("zeros.zip");
    struct archive *a = archive_write_new();
    archive_write_set_format_zip(a);
    cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
    write_zeros(a, "zeros", 200);
    write_zeros(a, "after", 1);
    cr_assert_eq(archive_write_free(a), ARCHIVE_OK);
    assert_bomb(path, "zeros\nafter\n", "zeros\nafter\n");
    discard(path);
}

Test(archive_damage, a_compressed_file_of_zeros_ends_at_its_bound)
{
    const char *path = scratch("zeros.gz");
    struct archive *a = archive_write_new();
    archive_write_set_format_raw(a);
    archive_write_add_filter_gzip(a);
    cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
    write_zeros(a, "zeros", 200);
    cr_assert_eq(archive_write_free(a), ARCHIVE_OK);
    assert_bomb(path, "data\n", "data\n");
    discard(path);
}

Test(archive_damage, zeros_below_the_bound_are_read)
{
    struct seen seen = SEEN_INIT;
    const char *path = scratch("few.tar.bz2");
    struct archive *a = archive_write_new();
    archive_write_set_format_ustar(a);
    archive_write_add_filter_bzip2(a);
    cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
    write_zeros(a, "zeros", 60);
    cr_assert_eq(archive_write_free(a), ARCHIVE_OK);
    walk_whole(path, &seen);
    cr_expect_eq(seen.problem_count, 0, "%s", seen.problems.p);
    cr_expect_eq(seen.bytes, 60u << 20);
    discard(path);
    forget(&seen);
}

/* ---- failures ----------------------------------------------------------------------------------
 */

Test(archive_damage, what_cannot_be_opened_fails_at_once)
{
    struct seen seen = SEEN_INIT;
    struct err err;
    const char *fifo = scratch("fifo");
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    cr_expect_eq(walk(fifo, &seen, &err), -1);
    cr_expect_eq(err.code, ERR_IO);
    cr_expect_eq(walk("/nowhere/at/all", &seen, &err), -1);
    cr_expect_eq(err.code, ERR_IO);
    cr_expect(strstr(err.msg, "/nowhere/at/all"), "%s", err.msg);
    cr_expect_eq(walk("/tmp", &seen, &err), -1);
    cr_expect_eq(seen.file_count + seen.problem_count, 0);
    discard(fifo);
}

Test(archive_damage, a_callback_ends_the_walk_with_its_own_error)
{
    struct seen seen = SEEN_INIT;
    struct err err;
    seen.stops = true;
    cr_expect_eq(walk(SPECIMENS "docker.tar", &seen, &err), -1);
    cr_expect_eq(seen.file_count, 1);
    cr_expect_str_eq(err.msg, "enough");
    cr_expect_eq(seen.problem_count, 0);
    forget(&seen);
}

/* A source that breaks: the walk ends, because what it reads from is no archive's damage. */
static long long broken_read(void *self, void *to, size_t size, struct err *err)
{
    struct pipe *p = self;
    if (p->pos >= 6000)
        return err_set(err, ERR_IO, "cannot read: the disk is on fire");
    return pipe_read(self, to, size < 1000 ? size : 1000, err);
}

Test(archive_damage, a_read_error_is_told_with_its_own_words)
{
    static const struct input_ops ops = { .read = broken_read };
    struct seen seen = SEEN_INIT;
    struct archive_sink sink = sink_of(&seen);
    struct err err;
    struct pipe pipe = { 0 };
    uint8_t *data = load(SPECIMENS "docker.tar", &pipe.size);
    pipe.data = data;
    err_clear(&err);
    struct input *in = input_new(&ops, &pipe, INPUT_SIZE_UNKNOWN, &err);
    archive_walk_input("x", in, &sink, &err);
    input_close(in);
    cr_expect_eq(seen.problem_count, 1, "%s", seen.problems.p);
    cr_expect(strstr(seen.problems.p, "the disk is on fire"), "%s", seen.problems.p);
    cr_expect_eq(seen.problem.code, ERR_IO);
    free(data);
    forget(&seen);
}
