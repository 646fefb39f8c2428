#include "image/archive_source.h"

#include <archive.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "image/archive.h"

#define ARCHIVE_BLOCK_SIZE ((size_t)64 << 10)

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

static la_ssize_t read_forward(struct archive *handle, void *self, const void **block)
{
    struct archive_source *s = self;
    size_t lent = s->lent, got;
    s->lent = 0;
    if (input_skip(s->in, lent, &s->err) < 0)
        return fail_read(handle, s);
    *block = input_peek(s->in, 1, &got, &s->err);
    if (!*block)
        return fail_read(handle, s);
    s->lent = got;
    return (la_ssize_t)got;
}

static la_int64_t skip_forward(struct archive *handle, void *self, la_int64_t size)
{
    struct archive_source *s = self;
    size_t lent = s->lent;
    s->lent = 0;
    if (input_skip(s->in, lent, &s->err) < 0)
        return fail_read(handle, s);
    uint64_t before = input_pos(s->in);
    if (input_skip(s->in, (uint64_t)size, &s->err) < 0)
        return fail_read(handle, s);
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
    archive_read_support_format_cpio(handle);
}

static void support(struct archive *handle, enum archive_kind kind, bool seekable)
{
    switch (kind) {
    case ARCHIVE_KIND_ZIP:
        archive_read_support_format_zip_streamable(handle);
        if (seekable)
            archive_read_support_format_zip_seekable(handle);
        return;
    case ARCHIVE_KIND_TAR:
        archive_read_support_format_tar(handle);
        return;
    case ARCHIVE_KIND_DEB:
        archive_read_support_format_ar(handle);
        return;
    case ARCHIVE_KIND_RPM:
        support_rpm(handle);
        return;
    case ARCHIVE_KIND_CPIO:
        archive_read_support_format_cpio(handle);
        return;
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

/* Where a zip's directory of members begins (APPNOTE 4.3.16; 0xffffffff: in the zip64 record). The
 * library keeps all of it in memory, so one of hostile size is read from the front instead. */
static bool directory_is_small(struct input *in)
{
    uint8_t tail[22 + 65535];
    uint64_t size = input_size(in);
    if (size <= ARCHIVE_DIRECTORY_MAX)
        return true;
    struct err ignored;
    err_clear(&ignored);
    long long n = input_read_at(in, size - sizeof tail, tail, sizeof tail, &ignored);
    for (long long i = n - 22; i >= 0; i--) {
        struct bytes end = bytes_of(tail + i, (size_t)(n - i));
        if (bytes_u32(&end) != 0x06054b50)
            continue;
        bytes_seek(&end, 12);
        return bytes_u32(&end) <= ARCHIVE_DIRECTORY_MAX;
    }
    return true;
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
    support(handle, kind, s->seekable && directory_is_small(s->in));
    archive_read_set_callback_data(handle, s);
    archive_read_set_read_callback(handle, s->seekable ? read_at : read_forward);
    archive_read_set_skip_callback(handle, s->seekable ? skip_at : skip_forward);
    if (s->seekable)
        archive_read_set_seek_callback(handle, seek_at);
    s->at = 0;
    *status = archive_read_open1(handle);
    return handle;
}
