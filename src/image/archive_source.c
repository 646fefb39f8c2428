#include "image/archive_source.h"

#include <archive.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "image/archive.h"

#define ARCHIVE_BLOCK_SIZE ((size_t)64 << 10)
#define ZIP_HEADER_SIZE    30 /* of a member, without its name */
#define ZIP_END_SIZE       22 /* without its comment */

/* ---- what libarchive reads through -------------------------------------------------------------
 */

static la_ssize_t fail_read(struct archive *handle, struct archive_source *s)
{
    archive_set_error(handle, EIO, "%s", s->err.msg);
    return -1;
}

static la_ssize_t read_at(struct archive *handle, void *self, const void **block)
{
    struct archive_source *s = self;
    long long n = input_read_at(s->in, s->at, s->block, ARCHIVE_BLOCK_SIZE, &s->err);
    if (n < 0)
        return fail_read(handle, s);
    s->at += (uint64_t)n;
    *block = s->block;
    return (la_ssize_t)n;
}

static la_int64_t skip_at(struct archive *handle, void *self, la_int64_t size)
{
    struct archive_source *s = self;
    (void)handle;
    uint64_t end = input_size(s->in);
    uint64_t left = s->at < end ? end - s->at : 0;
    uint64_t n = (uint64_t)size < left ? (uint64_t)size : left;
    s->at += n;
    return (la_int64_t)n;
}

static la_int64_t seek_at(struct archive *handle, void *self, la_int64_t offset, int whence)
{
    struct archive_source *s = self;
    (void)handle;
    int64_t from = whence == SEEK_CUR   ? (int64_t)s->at
                   : whence == SEEK_END ? (int64_t)input_size(s->in)
                                        : 0;
    int64_t to;
    if (__builtin_add_overflow(from, offset, &to) || to < 0)
        return ARCHIVE_FATAL;
    s->at = (uint64_t)to;
    return to;
}

/* Moves past what was lent, which libarchive has done with when it asks for more. */
static int give_back(struct archive_source *s)
{
    size_t lent = s->lent;
    s->lent = 0;
    return s->err.code != ERR_NONE ? -1 : input_skip(s->in, lent, &s->err);
}

static la_ssize_t read_forward(struct archive *handle, void *self, const void **block)
{
    struct archive_source *s = self;
    size_t got;
    if (give_back(s) < 0)
        return fail_read(handle, s);
    *block = input_peek(s->in, 1, &got, &s->err);
    if (!*block)
        return fail_read(handle, s);
    s->lent = got;
    return (la_ssize_t)got;
}

/* libarchive 3.6 loops on a negative result, so a failure is "nothing skipped": it then reads, and
 * that fails for the same reason. */
static la_int64_t skip_forward(struct archive *handle, void *self, la_int64_t size)
{
    struct archive_source *s = self;
    (void)handle;
    if (give_back(s) < 0)
        return 0;
    uint64_t before = input_pos(s->in);
    if (input_skip(s->in, (uint64_t)size, &s->err) < 0)
        return 0;
    return (la_int64_t)(input_pos(s->in) - before);
}

/* ---- opening -----------------------------------------------------------------------------------
 */

static void support_rpm(struct archive *handle)
{
    archive_read_support_filter_rpm(handle);
    archive_read_support_filter_gzip(handle);
    archive_read_support_filter_bzip2(handle);
    archive_read_support_filter_xz(handle);
    archive_read_support_filter_lzma(handle);
    archive_read_support_filter_zstd(handle);
}

static void support(struct archive *handle, enum archive_kind kind, bool by_directory)
{
    switch (kind) {
    case ARCHIVE_KIND_ZIP:
        if (by_directory)
            archive_read_support_format_zip_seekable(handle);
        else
            archive_read_support_format_zip_streamable(handle);
        return;
    case ARCHIVE_KIND_TAR:
        archive_read_support_format_tar(handle);
        return;
    case ARCHIVE_KIND_RPM:
        support_rpm(handle);
        break;
    case ARCHIVE_KIND_GZIP:
        archive_read_support_filter_gzip(handle);
        break;
    case ARCHIVE_KIND_BZIP2:
        archive_read_support_filter_bzip2(handle);
        break;
    case ARCHIVE_KIND_XZ:
        archive_read_support_filter_xz(handle);
        break;
    case ARCHIVE_KIND_ZSTD:
        archive_read_support_filter_zstd(handle);
        break;
    case ARCHIVE_KIND_LZ4:
        archive_read_support_filter_lz4(handle);
        break;
    default:
        break;
    }
    archive_read_support_format_raw(handle);
    archive_read_support_format_empty(handle);
}

/* The record that ends a zip and says where its directory of members is (APPNOTE 4.3.16); a comment
 * of up to 64 KiB may follow. libarchive searches the last 16 KiB for it and keeps all of the
 * directory in memory; without it, or with one of hostile size (0xffffffff for what only the zip64
 * record says too), a zip is read from the front. */
static bool has_directory(struct archive_source *s)
{
    uint8_t tail[ZIP_END_SIZE + UINT16_MAX];
    uint64_t size = input_size(s->in);
    uint64_t from = size > sizeof tail ? size - sizeof tail : 0;
    struct err ignored;
    err_clear(&ignored);
    long long n = input_read_at(s->in, from, tail, sizeof tail, &ignored);
    for (long long i = n - ZIP_END_SIZE; i >= 0; i--) {
        struct bytes end = bytes_of(tail + i, (size_t)(n - i));
        if (bytes_u32(&end) != 0x06054b50)
            continue;
        bytes_seek(&end, 12);
        return n - i <= (16 << 10) && bytes_u32(&end) <= ARCHIVE_DIRECTORY_MAX;
    }
    s->has_no_end = true;
    return false;
}

int archive_source_init(struct archive_source *s, struct input *in, struct err *err)
{
    *s = (struct archive_source){ .in = in, .seekable = input_can_read_at(in) };
    err_clear(&s->err);
    if (s->seekable && !(s->block = malloc(ARCHIVE_BLOCK_SIZE)))
        return err_set(err, ERR_MEMORY, "out of memory");
    return 0;
}

void archive_source_free(struct archive_source *s)
{
    free(s->block);
    s->block = NULL;
}

struct archive *archive_source_open(struct archive_source *s, enum archive_kind kind, int *status,
                                    struct err *err)
{
    struct archive *handle = archive_read_new();
    if (!handle) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    s->by_directory = kind == ARCHIVE_KIND_ZIP && s->seekable && !s->from_front && has_directory(s);
    support(handle, kind, s->by_directory);
    archive_read_set_callback_data(handle, s);
    archive_read_set_read_callback(handle, s->seekable ? read_at : read_forward);
    archive_read_set_skip_callback(handle, s->seekable ? skip_at : skip_forward);
    if (s->by_directory)
        archive_read_set_seek_callback(handle, seek_at);
    s->at = s->base;
    *status = archive_read_open1(handle);
    /* A compressed stream that ends within its header is not recognised and would pass for plain.
     */
    if (*status >= ARCHIVE_WARN && archive_kind_is_stream(kind) &&
        (archive_filter_count(handle) < 2 || archive_errno(handle) != 0))
        *status = ARCHIVE_FATAL;
    return handle;
}

uint64_t archive_source_offset(const struct archive_source *s, struct archive *handle)
{
    la_int64_t used = handle ? archive_filter_bytes(handle, -1) : -1;
    if (used >= 0)
        return s->base + (uint64_t)used;
    return s->seekable ? s->at : input_pos(s->in) + s->lent;
}

/* ---- finding the way again ---------------------------------------------------------------------
 */

/* Where a member of a zip seems to begin; `size` when nowhere. */
static size_t find_member(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + ZIP_HEADER_SIZE <= size; i++) {
        const uint8_t *p = memchr(data + i, 'P', size - i);
        if (!p)
            return size;
        i = (size_t)(p - data);
        if (archive_kind_of(p, size - i) == ARCHIVE_KIND_ZIP)
            return i;
    }
    return size;
}

static bool find_member_at(struct archive_source *s, uint64_t at)
{
    for (;;) {
        long long n = input_read_at(s->in, at, s->block, ARCHIVE_BLOCK_SIZE, &s->err);
        if (n < ZIP_HEADER_SIZE)
            return false;
        size_t i = find_member(s->block, (size_t)n);
        if (i < (size_t)n) {
            s->base = at + i;
            return true;
        }
        at += (uint64_t)n - (ZIP_HEADER_SIZE - 1);
    }
}

static bool find_member_forward(struct archive_source *s, uint64_t at)
{
    uint64_t pos = input_pos(s->in);
    s->lent = 0;
    if (at > pos && input_skip(s->in, at - pos, &s->err) < 0)
        return false;
    for (;;) {
        size_t got;
        const uint8_t *data = input_peek(s->in, ARCHIVE_BLOCK_SIZE, &got, &s->err);
        if (!data || got < ZIP_HEADER_SIZE)
            return false;
        size_t i = find_member(data, got);
        if (input_skip(s->in, i < got ? i : got - (ZIP_HEADER_SIZE - 1), &s->err) < 0)
            return false;
        if (i < got) {
            s->base = input_pos(s->in);
            return true;
        }
    }
}

bool archive_source_resume(struct archive_source *s, uint64_t from)
{
    s->from_front = true;
    if (s->err.code != ERR_NONE)
        return false;
    return s->seekable ? find_member_at(s, from) : find_member_forward(s, from);
}
