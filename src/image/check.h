/* Holds what an entry header says about an image against the image itself. Pure. */
#ifndef IMAGE_CHECK_H
#define IMAGE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "image/image.h"

/* `data` is the whole unpacked image. A cubin must be for the stated architecture, suffix included,
 * and of the stated ABI; PTX must have the stated `.target` and `.version`. Of other kinds only the
 * size is known, which unpacking has checked. ERR_FORMAT at the entry's offset when they differ. */
int check_payload(const struct image *image, const uint8_t *data, size_t size, struct err *err);

#endif
