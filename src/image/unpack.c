#include "image/unpack.h"

#include <limits.h>
#include <lz4.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct unpack {
    ZSTD_DCtx *zstd;
    uint8_t *buffer;
    size_t capacity;
    uint64_t max;
    uint64_t stored, produced; /* of all images so far */
};

struct unpack *unpack_new(uint64_t max, struct err *err)
{
    struct unpack *u = calloc(1, sizeof *u);
    if (!u) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    u->max = max ? max : UNPACK_MAX;
    return u;
}

/* A context is large and most files need none, so it is made when the first frame comes. */
static ZSTD_DCtx *zstd_of(struct unpack *u, struct err *err)
{
    if (!u->zstd)
        u->zstd = ZSTD_createDCtx();
    if (!u->zstd)
        err_set(err, ERR_MEMORY, "out of memory");
    return u->zstd;
}

void unpack_free(struct unpack *u)
{
    if (!u)
        return;
    ZSTD_freeDCtx(u->zstd);
    free(u->buffer);
    free(u);
}

static int reserve(struct unpack *u, size_t size, struct err *err)
{
    if (size <= u->capacity)
        return 0;
    free(u->buffer);
    u->capacity = 0;
    u->buffer = malloc(size);
    if (!u->buffer)
        return err_set(err, ERR_MEMORY, "out of memory for an image of %zu bytes", size);
    u->capacity = size;
    return 0;
}

static int unpack_lz4(struct unpack *u, const struct image *image, const uint8_t *stored,
                      size_t size, size_t unpacked, struct err *err)
{
    if (size > INT_MAX || unpacked > INT_MAX)
        return err_format(err, image->payload_offset, "LZ4 block is larger than 2 GiB");
    int n = LZ4_decompress_safe((const char *)stored, (char *)u->buffer, (int)size, (int)unpacked);
    if (n < 0)
        return err_format(err, image->payload_offset, "LZ4 block is damaged");
    if ((size_t)n != unpacked)
        return err_format(err, image->payload_offset,
                          "image unpacks to %d bytes but its header states %zu", n, unpacked);
    return 0;
}

static int unpack_zstd(struct unpack *u, const struct image *image, const uint8_t *stored,
                       size_t size, size_t unpacked, struct err *err)
{
    if (!zstd_of(u, err))
        return -1;
    size_t n = ZSTD_decompressDCtx(u->zstd, u->buffer, unpacked, stored, size);
    if (ZSTD_isError(n))
        return err_format(err, image->payload_offset, "zstd frame is damaged: %s",
                          ZSTD_getErrorName(n));
    if (n != unpacked)
        return err_format(err, image->payload_offset,
                          "image unpacks to %zu bytes but its header states %zu", n, unpacked);
    return 0;
}

static int over_limit(const struct unpack *u, const struct image *image, struct err *err)
{
    err_format(err, image->offset, "image states %llu unpacked bytes, over the limit of %llu",
               (unsigned long long)image->unpacked_size, (unsigned long long)u->max);
    if (err && err->offset == image->offset)
        err->code = ERR_LIMIT;
    return -1;
}

/* Counts an image; false when that is more than all may expand to. */
static bool charge(struct unpack *u, size_t stored, size_t produced)
{
    u->stored += stored;
    u->produced += produced;
    return u->produced <= UNPACK_FREE_BYTES || u->produced / UNPACK_RATIO_MAX <= u->stored;
}

static int over_ratio(const struct image *image, struct err *err)
{
    err_format(err, image->offset, "images expand to more than %u times their size",
               UNPACK_RATIO_MAX);
    if (err && err->offset == image->offset)
        err->code = ERR_LIMIT;
    return -1;
}

int unpack_image(struct unpack *u, const struct image *image, const uint8_t *stored, size_t size,
                 const uint8_t **data, size_t *unpacked, struct err *err)
{
    if (image->compression == IMAGE_PLAIN) {
        *data = stored;
        *unpacked = size;
        return 0;
    }
    if (image->compression == IMAGE_COMPRESSED_UNKNOWN)
        return err_format(err, image->payload_offset, "compression of flags 0x%llx is not known",
                          (unsigned long long)image->flags);
    if (image->unpacked_size > u->max)
        return over_limit(u, image, err);
    size_t wanted = (size_t)image->unpacked_size;
    if (!charge(u, size, wanted))
        return over_ratio(image, err);
    if (reserve(u, wanted ? wanted : 1, err) < 0)
        return -1;
    *data = u->buffer;
    *unpacked = wanted;
    return image->compression == IMAGE_LZ4 ? unpack_lz4(u, image, stored, size, wanted, err)
                                           : unpack_zstd(u, image, stored, size, wanted, err);
}

static size_t start_of_lz4(const uint8_t *stored, size_t size, uint8_t *to, size_t want)
{
    if (size > INT_MAX || want > INT_MAX)
        return 0;
    int n = LZ4_decompress_safe_partial((const char *)stored, (char *)to, (int)size, (int)want,
                                        (int)want);
    return n > 0 ? (size_t)n : 0;
}

static size_t start_of_zstd(struct unpack *u, const uint8_t *stored, size_t size, uint8_t *to,
                            size_t want)
{
    ZSTD_inBuffer in = { .src = stored, .size = size };
    ZSTD_outBuffer out = { .dst = to, .size = want };
    if (!zstd_of(u, NULL))
        return 0;
    ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
    while (out.pos < out.size) {
        size_t before = in.pos + out.pos;
        size_t left = ZSTD_decompressStream(u->zstd, &out, &in);
        if (ZSTD_isError(left) || left == 0 || in.pos + out.pos == before)
            break;
    }
    return out.pos;
}

size_t unpack_start(struct unpack *u, enum image_compression compression, const uint8_t *stored,
                    size_t size, size_t want, const uint8_t **start)
{
    if (compression == IMAGE_PLAIN) {
        *start = stored;
        return size < want ? size : want;
    }
    if (compression == IMAGE_COMPRESSED_UNKNOWN || !charge(u, size, want) ||
        reserve(u, want, NULL) < 0)
        return 0;
    *start = u->buffer;
    return compression == IMAGE_LZ4 ? start_of_lz4(stored, size, u->buffer, want)
                                    : start_of_zstd(u, stored, size, u->buffer, want);
}
