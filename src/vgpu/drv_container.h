/* A fat binary in memory: its images as candidates, and one of them unpacked. */
#ifndef VGPU_DRV_CONTAINER_H
#define VGPU_DRV_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "vgpu/drv_rule.h"

struct drv_container {
    const uint8_t *data;
    size_t size;
    struct image *images;
    struct drv_candidate *candidates; /* the same images as the rules see them */
    size_t count, capacity;
};

/* `data` points at a fat header, which states the size. Only cubins and PTX become candidates. */
int drv_container_open(struct drv_container *c, const void *data, struct err *err);
void drv_container_free(struct drv_container *c);

/* The payload, allocated, with a NUL behind it that does not count. PTX ends at its first NUL. */
int drv_container_unpack(const struct drv_container *c, size_t index, uint8_t **payload,
                         size_t *size, struct err *err);

#endif
