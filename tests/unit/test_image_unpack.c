#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "build_fatbin.h"
#include "image/unpack.h"

#define SIZE 300000 /* more than one zstd block */

static const struct {
    enum build_packing packing;
    enum image_compression compression;
} how[] = { { BUILD_LZ4, IMAGE_LZ4 }, { BUILD_ZSTD, IMAGE_ZSTD } };

static uint8_t original[SIZE];
static struct unpack *u;

static void make(void)
{
    struct err err = { 0 };
    uint32_t state = 7;
    for (size_t i = 0; i < SIZE; i++) {
        state = state * 1664525 + 1013904223;
        original[i] = (uint8_t)(state >> 24 & (i & 64 ? 0x0f : 0xff));
    }
    u = unpack_new(0, &err);
    cr_assert(u);
}

static void drop(void)
{
    unpack_free(u);
}

TestSuite(unpack, .init = make, .fini = drop);

static uint8_t *pack(size_t i, size_t *size, struct image *image)
{
    struct build_entry e = { .packing = how[i].packing, .payload = original, .payload_size = SIZE };
    uint8_t *packed = build_pack(&e, size);
    uint8_t *exact = realloc(packed, *size);
    *image = (struct image){ .compression = how[i].compression,
                             .unpacked_size = SIZE,
                             .payload_size = *size,
                             .offset = 100,
                             .payload_offset = 164 };
    return exact;
}

Test(unpack, both_compressions_give_back_the_image)
{
    for (size_t i = 0; i < 2; i++) {
        struct image image;
        struct err err = { 0 };
        const uint8_t *data;
        size_t stored, size;
        uint8_t *packed = pack(i, &stored, &image);
        cr_assert_eq(unpack_image(u, &image, packed, stored, &data, &size, &err), 0, "%s", err.msg);
        cr_assert_eq(size, SIZE);
        cr_assert(!memcmp(data, original, SIZE));
        free(packed);
    }
}

Test(unpack, an_image_that_is_not_compressed_is_not_copied)
{
    struct image image = { .compression = IMAGE_PLAIN };
    const uint8_t *data;
    size_t size;
    cr_assert_eq(unpack_image(u, &image, original, 77, &data, &size, NULL), 0);
    cr_assert_eq(data, original);
    cr_assert_eq(size, 77);
}

Test(unpack, a_size_other_than_the_stated_one_is_damage)
{
    static const int64_t off[] = { -1, 1, -SIZE, 4096 };
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < sizeof off / sizeof *off; k++) {
            struct image image;
            struct err err = { 0 };
            const uint8_t *data;
            size_t stored, size;
            uint8_t *packed = pack(i, &stored, &image);
            image.unpacked_size = (uint64_t)(SIZE + off[k]);
            cr_assert_eq(unpack_image(u, &image, packed, stored, &data, &size, &err), -1);
            cr_assert_eq(err.code, ERR_FORMAT);
            cr_assert_eq(err.offset, 164);
            free(packed);
        }
    }
}

Test(unpack, a_stated_size_over_the_limit_is_refused_before_anything_is_allocated)
{
    static const uint64_t sizes[] = { UNPACK_MAX + 1, UINT64_MAX };
    for (size_t i = 0; i < 2; i++) {
        struct image image = { .compression = how[i].compression,
                               .unpacked_size = sizes[i],
                               .offset = 100 };
        struct err err = { 0 };
        const uint8_t *data;
        size_t size;
        cr_assert_eq(unpack_image(u, &image, original, 100, &data, &size, &err), -1);
        cr_assert_eq(err.code, ERR_LIMIT);
        cr_assert_eq(err.offset, 100);
    }
}

Test(unpack, the_limit_is_the_callers)
{
    struct err err = { 0 };
    struct unpack *small = unpack_new(SIZE - 1, &err);
    struct image image;
    const uint8_t *data;
    size_t stored, size;
    uint8_t *packed = pack(0, &stored, &image);
    cr_assert_eq(unpack_image(small, &image, packed, stored, &data, &size, &err), -1);
    cr_assert_eq(err.code, ERR_LIMIT);
    unpack_free(small);
    free(packed);
}

Test(unpack, an_unknown_compression_is_named)
{
    struct image image = { .compression = IMAGE_COMPRESSED_UNKNOWN, .flags = 0x4011 };
    struct err err = { 0 };
    const uint8_t *data;
    size_t size;
    cr_assert_eq(unpack_image(u, &image, original, 100, &data, &size, &err), -1);
    cr_assert(strstr(err.msg, "0x4011"), "%s", err.msg);
}

Test(unpack, truncated_payloads_are_damage_and_give_only_true_first_bytes)
{
    for (size_t i = 0; i < 2; i++) {
        struct image image;
        size_t stored;
        uint8_t *packed = pack(i, &stored, &image);
        for (size_t cut = 0; cut < stored; cut += cut < 300 ? 1 : 997) {
            uint8_t *exact = malloc(cut ? cut : 1);
            const uint8_t *data;
            size_t size;
            memcpy(exact, packed, cut);
            cr_assert_eq(unpack_image(u, &image, exact, cut, &data, &size, NULL), -1, "at %zu",
                         cut);
            size_t n = unpack_start(u, image.compression, exact, cut, 4096, &data);
            cr_assert_leq(n, 4096);
            cr_assert(n == 0 || !memcmp(data, original, n), "at %zu", cut);
            free(exact);
        }
        free(packed);
    }
}

Test(unpack, the_first_bytes_can_be_had_from_the_first_part)
{
    for (size_t i = 0; i < 2; i++) {
        struct image image;
        const uint8_t *data;
        size_t stored;
        uint8_t *packed = pack(i, &stored, &image);
        size_t part = how[i].packing == BUILD_LZ4 ? 256 : 128 * 1024 + 64;
        cr_assert_lt(part, stored);
        cr_assert_eq(unpack_start(u, image.compression, packed, part, 64, &data), 64);
        cr_assert(!memcmp(data, original, 64));
        cr_assert_eq(unpack_start(u, image.compression, packed, stored, SIZE * 2, &data), SIZE);
        cr_assert(!memcmp(data, original, SIZE));
        free(packed);
    }
    const uint8_t *data;
    cr_assert_eq(unpack_start(u, IMAGE_PLAIN, original, 10, 64, &data), 10);
    cr_assert_eq(unpack_start(u, IMAGE_COMPRESSED_UNKNOWN, original, 10, 64, &data), 0);
}

Test(unpack, damage_of_any_byte_stays_inside)
{
    for (size_t i = 0; i < 2; i++) {
        struct image image;
        size_t stored;
        uint8_t *packed = pack(i, &stored, &image);
        for (size_t at = 0; at < stored; at += at < 64 ? 1 : 9973) {
            const uint8_t *data;
            size_t size;
            packed[at] ^= 0xff;
            unpack_image(u, &image, packed, stored, &data, &size, NULL);
            cr_assert_leq(unpack_start(u, image.compression, packed, stored, 5000, &data), 5000);
            packed[at] ^= 0xff;
        }
        free(packed);
    }
}
