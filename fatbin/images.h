/* The kernel images that are inside this program, as images.S puts them there.
 *
 * One container (a fat binary) per kernel family and toolkit: `legacy` from CUDA 11's tools, which any
 * driver can read, and `new` from CUDA 12.8 or later with the Blackwell targets, where the build had
 * one. Containers and the images in them are uncompressed and aligned, and a zero byte follows each
 * container, so that the driver can be handed one image or the whole container in place. */
#ifndef FATBIN_IMAGES_H
#define FATBIN_IMAGES_H

#include <stddef.h>

struct embedded_image {
    const char *family;    /* the stem of kernels/<family>.cu */
    const char *container; /* "legacy", "new" */
    const void *data;      /* 16-byte aligned fat header */
    size_t size;           /* bytes, without the zero byte behind */
};

extern const struct embedded_image embedded_images[];
extern const size_t embedded_image_count; /* 0 when built with NVCC=none */

/* build/fatbin/manifest.tsv as the build wrote it (core/table.h parses it): which image id stands for
 * which family, target and kind. Its columns alone when there is no image. */
extern const char embedded_manifest[];
extern const size_t embedded_manifest_size;

/* Why images are missing, one line a reason, each ending in a newline; "" when none is. */
extern const char embedded_left_out[];

/* The compilers that the images are from, "CUDA 11.8", one a line; "" when there are none. */
extern const char embedded_toolkits[];

#endif
