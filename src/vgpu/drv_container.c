#include "vgpu/drv_container.h"

#include <stdlib.h>
#include <string.h>

#include "image/fatbin.h"
#include "image/unpack.h"

#define CONTAINER_MAX ((uint64_t)2 << 30) /* bytes of all images; the largest known has 100 MB */
#define IMAGES_MAX    4096

static int add(struct drv_container *c, const struct image *image, struct err *err)
{
    if (image->kind != IMAGE_CUBIN && image->kind != IMAGE_PTX)
        return 0;
    if (c->count == IMAGES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d images in one container", IMAGES_MAX);
    if (c->count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 32;
        struct image *images = realloc(c->images, capacity * sizeof *images);
        if (images)
            c->images = images;
        struct drv_candidate *candidates = realloc(c->candidates, capacity * sizeof *candidates);
        if (candidates)
            c->candidates = candidates;
        if (!images || !candidates)
            return err_set(err, ERR_MEMORY, "out of memory");
        c->capacity = capacity;
    }
    c->images[c->count] = *image;
    c->candidates[c->count++] = (struct drv_candidate){
        .is_ptx = image->kind == IMAGE_PTX,
        .zstd = image->compression == IMAGE_ZSTD,
        .other_size = image->bits32,
        .arch = image->arch,
        .suffix = image->suffix,
        .isa = image->ptx_major * 10 + image->ptx_minor,
    };
    return 0;
}

int drv_container_open(struct drv_container *c, const void *data, struct err *err)
{
    memset(c, 0, sizeof *c);
    c->data = data;
    if (!fatbin_recognised(data, FATBIN_HEADER_SIZE))
        return err_format(err, 0, "fat binary has an unknown version");
    uint64_t entries = fatbin_entries_size(data, FATBIN_HEADER_SIZE);
    if (entries > CONTAINER_MAX)
        return err_format(err, 8, "fat binary states a size of %llu bytes",
                          (unsigned long long)entries);
    c->size = FATBIN_HEADER_SIZE + (size_t)entries;
    for (size_t at = FATBIN_HEADER_SIZE; at < c->size;) {
        struct fatbin_entry entry;
        size_t left = c->size - at;
        if (fatbin_parse_entry(c->data + at, left, at, left, &entry, err) < 0 ||
            add(c, &entry.image, err) < 0)
            return -1;
        at += entry.header_size + (size_t)entry.padded_size;
    }
    return 0;
}

void drv_container_free(struct drv_container *c)
{
    free(c->images);
    free(c->candidates);
    memset(c, 0, sizeof *c);
}

static int copy(const uint8_t *from, size_t n, uint8_t **payload, size_t *size, struct err *err)
{
    *payload = malloc(n + 1);
    if (!*payload)
        return err_set(err, ERR_MEMORY, "out of memory");
    memcpy(*payload, from, n);
    (*payload)[n] = 0;
    *size = n;
    return 0;
}

int drv_container_unpack(const struct drv_container *c, size_t index, uint8_t **payload,
                         size_t *size, struct err *err)
{
    const struct image *image = &c->images[index];
    const uint8_t *stored = c->data + image->payload_offset, *data = stored;
    size_t n = (size_t)image->payload_size;
    struct unpack *unpack = unpack_new(0, err);
    if (!unpack)
        return -1;
    int result = 0;
    if (image->compression != IMAGE_PLAIN)
        result = unpack_image(unpack, image, stored, n, &data, &n, err);
    if (result == 0 && image->kind == IMAGE_PTX)
        n = strnlen((const char *)data, n);
    if (result == 0)
        result = copy(data, n, payload, size, err);
    unpack_free(unpack);
    return result;
}
