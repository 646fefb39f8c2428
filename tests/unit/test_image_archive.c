/* The specimens are written by scripts/specimens-archives, with zip, tar, dpkg-deb, rpmbuild and so
 * on; what they hold is computed here again. */
#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/str.h"
#include "image/archive.h"
#include "image/archive_kind.h"

#define SPECIMENS "tests/data/archives/"

TestSuite(archive, .timeout = 120);

/* ---- what is packed ----------------------------------------------------------------------------
 */

static uint8_t library[3000]; /* a.so */
static char text[601];        /* h.txt */

static void compute_contents(void)
{
    for (size_t i = 0; i < sizeof library; i++)
        library[i] = (uint8_t)(i * i / 7 + i);
    for (size_t i = 0; i < 100; i++)
        memcpy(text + i * 6, "hello\n", 6);
}

/* Whether `data` is what a member of that name holds; names that are not known hold anything. */
static bool is_content_of(const char *member, const struct str *data)
{
    compute_contents();
    if (str_ends(member, "a.so"))
        return data->len == sizeof library && memcmp(data->p, library, sizeof library) == 0;
    if (str_ends(member, "h.txt"))
        return data->len == 600 && memcmp(data->p, text, 600) == 0;
    return !str_ends(member, "empty") || data->len == 0;
}

/* ---- walking and looking -----------------------------------------------------------------------
 */

struct seen {
    struct str files; /* names, a newline after each */
    struct str problems;
    struct err problem; /* the last one */
    unsigned file_count, problem_count;
    uint64_t bytes;
    unsigned wrong; /* members that are not what was packed */
    bool reads_nothing;
    bool stops;
    bool read_anywhere; /* the last file can be read at any offset */
    struct str data;    /* of the last file, as long as it is small */
};

#define SEEN_INIT                                                                                  \
    {                                                                                              \
        .files = STR_INIT, .problems = STR_INIT, .data = STR_INIT                                  \
    }

static void forget(struct seen *seen)
{
    str_free(&seen->files);
    str_free(&seen->problems);
    str_free(&seen->data);
    *seen = (struct seen)SEEN_INIT;
}

static int see_file(void *self, const char *member, struct input *in, struct err *err)
{
    struct seen *seen = self;
    size_t got = 1;
    str_addf(&seen->files, "%s\n", member);
    seen->file_count++;
    if (seen->stops)
        return err_set(err, ERR_DRIVER, "enough");
    str_clear(&seen->data);
    seen->read_anywhere = input_can_read_at(in);
    while (!seen->reads_nothing && got > 0) {
        const uint8_t *p = input_peek(in, 1000, &got, err);
        if (!p)
            return -1;
        if (seen->data.len < 100000)
            str_add_bytes(&seen->data, (const char *)p, got);
        if (input_skip(in, got, err) < 0)
            return -1;
        seen->bytes += got;
    }
    seen->wrong += !seen->reads_nothing && !is_content_of(member, &seen->data);
    return 0;
}

static void see_problem(void *self, const char *member, const struct err *problem)
{
    struct seen *seen = self;
    str_addf(&seen->problems, "%s: %s\n", member, problem->msg);
    seen->problem = *problem;
    seen->problem_count++;
}

static struct archive_sink sink_of(struct seen *seen)
{
    return (struct archive_sink){ .self = seen, .file = see_file, .problem = see_problem };
}

static int walk(const char *path, struct seen *seen, struct err *err)
{
    struct archive_sink sink = sink_of(seen);
    err_clear(err);
    return archive_walk(path, &sink, err);
}

static void walk_whole(const char *path, struct seen *seen)
{
    struct err err;
    cr_assert_eq(walk(path, seen, &err), 0, "%s: %s", path, err.msg);
}

struct pipe {
    const uint8_t *data;
    size_t size, pos;
};

static long long pipe_read(void *self, void *to, size_t size, struct err *err)
{
    struct pipe *p = self;
    (void)err;
    size_t n = p->size - p->pos < size ? p->size - p->pos : size;
    memcpy(to, p->data + p->pos, n);
    p->pos += n;
    return (long long)n;
}

/* Walks bytes in memory, as a file that can be read anywhere or as a pipe. */
static void walk_bytes(const uint8_t *data, size_t size, bool as_pipe, struct seen *seen)
{
    static const struct input_ops ops = { .read = pipe_read };
    struct pipe pipe = { .data = data, .size = size };
    struct archive_sink sink = sink_of(seen);
    struct err err;
    err_clear(&err);
    struct input *in = as_pipe ? input_new(&ops, &pipe, INPUT_SIZE_UNKNOWN, &err)
                               : input_from_memory(data, size, &err);
    cr_assert(in);
    int rc = archive_walk_input("bytes", in, &sink, &err);
    input_close(in);
    cr_assert_eq(rc, 0, "%zu bytes: %s", size, err.msg);
}

static uint8_t *load(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "cannot open %s", path);
    uint8_t *data = malloc(1 << 20);
    cr_assert(data);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
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

/* ---- every kind of archive ---------------------------------------------------------------------
 */

#define TAR_MEMBERS "lib/a.so\nlib/empty\nlib/h.txt\n"
#define ZIP_MEMBERS "lib/a.so\nlib/h.txt\nlib/empty\n"

static const struct {
    const char *name;
    const char *members;
    unsigned quiet; /* places where it can be cut so that nothing shows: between members, or behind
                       all */
} whole[] = {
    { "x.tar", TAR_MEMBERS, 0 },
    { "x.tar.gz", TAR_MEMBERS, 0 },
    { "x.tar.bz2", TAR_MEMBERS, 0 },
    { "x.tar.xz", TAR_MEMBERS, 0 },
    { "x.tar.zst", TAR_MEMBERS, 0 },
    { "x.tar.lz4", TAR_MEMBERS, 0 },
    { "x.zip", ZIP_MEMBERS, 0 },
    { "stored.zip", ZIP_MEMBERS, 0 },
    { "streamed.zip", "a.so\nh.txt\n", 0 },
    { "x.conda",
      "metadata.json\npkg-x-1.0-0.tar.zst!lib/a.so\npkg-x-1.0-0.tar.zst!lib/h.txt\n"
      "info-x-1.0-0.tar.zst!lib/empty\n",
      0 },
    { "newc.cpio", TAR_MEMBERS, 0 },
    { "odc.cpio", TAR_MEMBERS, 0 },
    { "w9.gzdio.rpm", "./usr/lib/a.so\n./usr/lib/empty\n./usr/lib/h.txt\n", 0 },
    { "w19.zstdio.rpm", "./usr/lib/a.so\n./usr/lib/empty\n./usr/lib/h.txt\n", 0 },
    { "w6.xzdio.rpm", "./usr/lib/a.so\n./usr/lib/empty\n./usr/lib/h.txt\n", 0 },
    { "xz.deb",
      "debian-binary\ncontrol.tar.xz!./control\ndata.tar.xz!./usr/lib/a.so\n"
      "data.tar.xz!./usr/lib/empty\ndata.tar.xz!./usr/lib/h.txt\n",
      2 },
    { "zstd.deb",
      "debian-binary\ncontrol.tar.zst!./control\ndata.tar.zst!./usr/lib/a.so\n"
      "data.tar.zst!./usr/lib/empty\ndata.tar.zst!./usr/lib/h.txt\n",
      2 },
    { "docker.tar",
      "manifest.json\naaa/layer.tar!lib/a.so\nbbb/layer.tar!lib/h.txt\n"
      "bbb/layer.tar!x.tar!lib/a.so\nbbb/layer.tar!x.tar!lib/empty\n"
      "bbb/layer.tar!x.tar!lib/h.txt\n",
      0 },
    { "oci.tar", "blobs/sha256/0123!lib/a.so\nblobs/sha256/4567\n", 0 },
    { "a.so.gz", "a.so\n", 0 },
};

#define WHOLE_COUNT (sizeof whole / sizeof whole[0])

static const char *specimen(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, SPECIMENS "%s", name);
    return path;
}

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

static const struct {
    const char *bytes;
    size_t size;
    enum archive_kind kind;
} beginnings[] = {
    { "PK\3\4\24\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0a", 31, ARCHIVE_KIND_ZIP },
    { "PK\3\4\24\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a", 31, ARCHIVE_KIND_PLAIN },
    { "PK\3\4\24\0\0\0\10\0", 10, ARCHIVE_KIND_PLAIN }, /* ends before what would tell */
    { "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, ARCHIVE_KIND_ZIP },
    { "PK\5\6\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, ARCHIVE_KIND_PLAIN },
    { "\x1f\x8b\x08\0", 4, ARCHIVE_KIND_GZIP },
    { "\x1f\x8b\x08\x20", 4, ARCHIVE_KIND_PLAIN }, /* a reserved flag */
    { "\x1f\x8b\x07\0", 4, ARCHIVE_KIND_PLAIN },
    { "BZh91AY&SY", 10, ARCHIVE_KIND_BZIP2 },
    { "BZh9\x17\x72\x45\x38\x50\x90", 10, ARCHIVE_KIND_BZIP2 }, /* empty */
    { "BZh9 is a word", 14, ARCHIVE_KIND_PLAIN },
    { "BZh01AY&SY", 10, ARCHIVE_KIND_PLAIN },
    { "\xfd"
      "7zXZ\0",
      6, ARCHIVE_KIND_XZ },
    { "\xfd"
      "7zXZ",
      5, ARCHIVE_KIND_PLAIN },
    { "\x28\xb5\x2f\xfd\x20", 5, ARCHIVE_KIND_ZSTD },
    { "\x28\xb5\x2f\xfd\x08", 5, ARCHIVE_KIND_PLAIN },
    { "\x04\x22\x4d\x18\x64", 5, ARCHIVE_KIND_LZ4 },
    { "\x04\x22\x4d\x18\xe4", 5, ARCHIVE_KIND_PLAIN },
    { "\xed\xab\xee\xdb\3\0\0\0", 8, ARCHIVE_KIND_RPM },
    { "\xed\xab\xee\xdb\3\0\0\2", 8, ARCHIVE_KIND_PLAIN },
    { "!<arch>\ndebian-binary   ", 24, ARCHIVE_KIND_DEB },
    { "!<arch>\nmodule.o/       ", 24, ARCHIVE_KIND_PLAIN },
    { "!<arch>\ndebian-bin", 18, ARCHIVE_KIND_PLAIN },
    { "070701 is a number", 18, ARCHIVE_KIND_PLAIN },
    { "7z\xbc\xaf\x27\x1c\0\4", 8, ARCHIVE_KIND_7ZIP },
    { "Rar!\x1a\7\1\0", 8, ARCHIVE_KIND_RAR },
    { "\177ELF", 4, ARCHIVE_KIND_PLAIN },
    { "MZ", 2, ARCHIVE_KIND_PLAIN },
    { "", 0, ARCHIVE_KIND_PLAIN },
};

Test(archive, kinds_are_told_by_more_than_their_first_bytes)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        enum archive_kind kind =
            archive_kind_of((const uint8_t *)beginnings[i].bytes, beginnings[i].size);
        cr_expect_eq(kind, beginnings[i].kind, "row %zu: %s", i, archive_kind_name(kind));
    }
}

Test(archive, a_tar_header_counts_only_with_its_sum)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "x.tar", &size);
    static const uint8_t zeros[512];
    cr_expect_eq(archive_kind_of(data, 512), ARCHIVE_KIND_TAR);
    cr_expect_eq(archive_kind_of(data, 511), ARCHIVE_KIND_PLAIN);
    cr_expect_eq(archive_kind_of(zeros, 512), ARCHIVE_KIND_PLAIN);
    memcpy(data + 257, "\0\0\0\0\0\0\0", 8); /* older writers have no "ustar" here */
    cr_expect_eq(archive_kind_of(data, 512), ARCHIVE_KIND_PLAIN);
    unsigned sum = 8 * ' ';
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? 0 : data[i];
    char field[8];
    snprintf(field, sizeof field, "%06o", sum);
    memcpy(data + 148, field, 7);
    cr_expect_eq(archive_kind_of(data, 512), ARCHIVE_KIND_TAR);
    free(data);
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
Test(archive, an_archive_cut_anywhere_says_so_once)
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

Test(archive, any_byte_may_be_wrong)
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

Test(archive, damaged_data_in_a_zip_costs_that_member_only)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "x.zip", &size);
    memset(data + member_at(data, size, 1) + 500, 0xff, 40);
    /* It breaks before anything of it could be inflated, so there is nothing to hand over. */
    assert_damaged_zip(data, size, "lib/h.txt\nlib/empty\n", "lib/a.so: damaged zip archive: ");
    free(data);
}

Test(archive, a_wrong_checksum_in_a_zip_names_the_member)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "stored.zip", &size);
    data[member_at(data, size, 1) + 500] ^= 1;
    assert_damaged_zip(data, size, ZIP_MEMBERS, "lib/a.so: damaged zip archive: ZIP bad CRC");
    free(data);
}

Test(archive, a_damaged_header_in_a_zip_costs_that_member_only)
{
    size_t size;
    uint8_t *data = load(SPECIMENS "x.zip", &size);
    memset(data + member_at(data, size, 1), 0, 4);
    assert_damaged_zip(data, size, "lib/h.txt\nlib/empty\nlib/link\n", ": damaged zip archive: ");
    free(data);
}

Test(archive, a_damaged_directory_of_a_zip_costs_no_member)
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

Test(archive, encrypted_members_are_named_and_the_others_read)
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

Test(archive, what_is_not_opened_is_said_and_handed_over_as_it_is)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "x.7z", &seen);
    cr_expect_str_eq(seen.files.p, "\n");
    cr_expect_eq(seen.problem.code, ERR_MISSING);
    cr_expect(strstr(seen.problems.p, "7-Zip"), "%s", seen.problems.p);
    forget(&seen);
}

Test(archive, a_name_of_four_gigabytes_is_no_name)
{
    struct seen seen = SEEN_INIT;
    walk_whole(SPECIMENS "name.cpio", &seen);
    cr_expect_eq(seen.problem_count, 1);
    cr_expect_eq(seen.problem.code, ERR_FORMAT);
    cr_expect_eq(seen.file_count, 0);
    forget(&seen);
}

/* ---- bounds ------------------------------------------------------------------------------------
 */

Test(archive, archives_are_opened_to_a_depth_and_no_deeper)
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
Test(archive, zips_of_zips_of_zeros_end_at_the_bound_of_the_whole)
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

Test(archive, a_member_of_zeros_ends_at_its_bound_and_the_next_is_read)
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

Test(archive, a_compressed_file_of_zeros_ends_at_its_bound)
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

Test(archive, zeros_below_the_bound_are_read)
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

Test(archive, what_cannot_be_opened_fails_at_once)
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

Test(archive, a_callback_ends_the_walk_with_its_own_error)
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

Test(archive, a_read_error_is_told_with_its_own_words)
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
