/* Any bytes as a compressed payload. The first byte chooses the compression, the next three the
 * stated size. What unpacks has the stated size, its first bytes are the same when only those are
 * asked for, and what is packed here comes back. */
#include <lz4.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "image/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

/* A match of distance 0, which no packer writes, makes liblz4 take bytes that were in the output
 * before: then what comes out is nothing to compare. */
static bool defined(const struct image *image, const uint8_t *stored, size_t size, size_t unpacked)
{
    if (image->compression != IMAGE_LZ4)
        return true;
    uint8_t *a = malloc(unpacked + 1), *b = malloc(unpacked + 1);
    CHECK(a && b);
    memset(a, 0, unpacked);
    memset(b, 0xff, unpacked);
    const int n = (int)unpacked;
    LZ4_decompress_safe_partial((const char *)stored, (char *)a, (int)size, n, n);
    LZ4_decompress_safe_partial((const char *)stored, (char *)b, (int)size, n, n);
    bool same = !memcmp(a, b, unpacked);
    free(a);
    free(b);
    return same;
}

static void check_start(struct unpack *u, const struct image *image, const uint8_t *stored,
                        size_t size, const uint8_t *whole, size_t whole_size)
{
    static const size_t wants[] = { 1, 64, 1000, 1 << 20 };
    uint8_t *copy = malloc(whole_size ? whole_size : 1);
    CHECK(copy);
    memcpy(copy, whole, whole_size);
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        const uint8_t *start;
        size_t want = wants[i] < whole_size ? wants[i] : whole_size;
        size_t n = unpack_start(u, image->compression, stored, size, want, &start);
        /* A payload of several zstd frames unpacks whole, but begins with the first one only. */
        CHECK(image->compression == IMAGE_ZSTD ? n <= want : n == want);
        CHECK(n == 0 || !memcmp(start, copy, n));
    }
    free(copy);
}

static void round_trip(struct unpack *u, const uint8_t *data, size_t size)
{
    size_t bound = ZSTD_compressBound(size) + (size_t)LZ4_compressBound((int)size);
    uint8_t *packed = malloc(bound);
    CHECK(packed);
    for (int i = 0; i < 2; i++) {
        struct image image = { .compression = i ? IMAGE_ZSTD : IMAGE_LZ4, .unpacked_size = size };
        const uint8_t *back;
        size_t back_size;
        size_t n = i ? ZSTD_compress(packed, bound, data, size, 1)
                     : (size_t)LZ4_compress_default((const char *)data, (char *)packed, (int)size,
                                                    (int)bound);
        CHECK(unpack_image(u, &image, packed, n, &back, &back_size, NULL) == 0);
        CHECK(back_size == size && (size == 0 || !memcmp(back, data, size)));
    }
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { 0 };
    const uint8_t *unpacked;
    size_t unpacked_size;
    if (size < 4)
        return 0;
    struct unpack *u = unpack_new(1 << 20, &err); /* of its own: it counts what it unpacks */
    CHECK(u);
    struct image image = {
        .compression = (enum image_compression)(data[0] % 4),
        .unpacked_size = (uint64_t)data[1] | (uint64_t)data[2] << 8 | (uint64_t)data[3] << 16,
        .offset = 7,
        .payload_offset = 71,
    };
    if (unpack_image(u, &image, data + 4, size - 4, &unpacked, &unpacked_size, &err) == 0) {
        CHECK(unpacked_size == (image.compression == IMAGE_PLAIN ? size - 4 : image.unpacked_size));
        if (image.compression != IMAGE_PLAIN && defined(&image, data + 4, size - 4, unpacked_size))
            check_start(u, &image, data + 4, size - 4, unpacked, unpacked_size);
    } else {
        CHECK(err.code == ERR_LIMIT ? image.unpacked_size > 1 << 20 : err.offset == 71);
    }
    const uint8_t *start;
    CHECK(unpack_start(u, image.compression, data + 4, size - 4, 777, &start) <= 777);
    round_trip(u, data, size);
    unpack_free(u);
    return 0;
}
