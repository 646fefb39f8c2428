/* Walks over specimens and what they show; shared by the tests of archives.
 *
 * The specimens are written by scripts/specimens-archives, with zip, tar, dpkg-deb, rpmbuild and so
 * on; what they hold is computed here again. */
#ifndef TESTS_ARCHIVE_WALKS_H
#define TESTS_ARCHIVE_WALKS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/str.h"
#include "image/archive.h"

#define SPECIMENS "tests/data/archives/"
#define UNUSED    __attribute__((unused))

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

UNUSED static void forget(struct seen *seen)
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

UNUSED static int walk(const char *path, struct seen *seen, struct err *err)
{
    struct archive_sink sink = sink_of(seen);
    err_clear(err);
    return archive_walk(path, &sink, err);
}

UNUSED static void walk_whole(const char *path, struct seen *seen)
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
UNUSED static void walk_bytes(const uint8_t *data, size_t size, bool as_pipe, struct seen *seen)
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

UNUSED static uint8_t *load(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "cannot open %s", path);
    uint8_t *data = malloc(1 << 20);
    cr_assert(data);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

/* ---- whole specimens ---------------------------------------------------------------------------
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

UNUSED static const char *specimen(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, SPECIMENS "%s", name);
    return path;
}

#endif
