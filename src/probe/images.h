/* The kernel images inside this program, one row each: what the build embedded (fatbin/images.h),
 * found again by the program's own reader, with the numbers that the kernels return. */
#ifndef PROBE_IMAGES_H
#define PROBE_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "arch/rules.h"
#include "core/err.h"
#include "image/image.h"

struct probe_image {
    unsigned id; /* SMFIT_IMAGE_ID that its kernel returns; 0 when the manifest has no such row */
    size_t container; /* index into the embedded containers */
    struct image info;
    struct arch_image facts; /* the same for the rules */
    const void *data;        /* the image itself, in place: what the driver can be given */
};

struct probe_images {
    struct probe_image *list;
    size_t count;
};

/* Images of one family ("probe"). ERR_MISSING when the program was built without images. */
int probe_images_find(struct probe_images *images, const char *family, struct err *err);
/* What the rules need of an image. */
struct arch_image probe_image_facts(const struct image *image);

void probe_images_free(struct probe_images *images);

#endif
