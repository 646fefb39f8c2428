/* Unpacks the payload of a fat binary entry: a raw LZ4 block or a zstd frame. */
#ifndef IMAGE_UNPACK_H
#define IMAGE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "image/image.h"

/* An image that states more is refused, not unpacked. Real ones come to 134 MB (NCCL 2.28.9). */
#define UNPACK_MAX ((uint64_t)256 << 20)

/* All images of one input together may expand to this, and beyond it to so many times what is
 * stored of them (the files of real packages expand to 14 times at most). What goes beyond is refused. */
#define UNPACK_FREE_BYTES ((uint64_t)1 << 30)
#define UNPACK_RATIO_MAX  50u

struct unpack; /* buffers and contexts that are kept from one image to the next */

/* `max` bounds the unpacked size; 0 is UNPACK_MAX. */
struct unpack *unpack_new(uint64_t max, struct err *err);
void unpack_free(struct unpack *u);

/* The whole image. `stored` is its payload (image->payload_size bytes). The result is valid until
 * the next call and exactly as long as the header states, anything else is ERR_FORMAT at the
 * payload's offset; over a limit: ERR_LIMIT. */
int unpack_image(struct unpack *u, const struct image *image, const uint8_t *stored, size_t size,
                 const uint8_t **data, size_t *unpacked, struct err *err);

/* As many of the first `want` bytes as `stored`, which may be cut short, yields; 0 when none. They
 * stay valid until the next call. */
size_t unpack_start(struct unpack *u, enum image_compression compression, const uint8_t *stored,
                    size_t size, size_t want, const uint8_t **start);

#endif
