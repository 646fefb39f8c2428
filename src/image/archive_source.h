/* An input as libarchive reads it: anywhere where the input can be read so, else forwards without a
 * copy. Sets up the one format, and the filters, that a kind of archive needs. */
#ifndef IMAGE_ARCHIVE_SOURCE_H
#define IMAGE_ARCHIVE_SOURCE_H

#include "image/archive_kind.h"
#include "image/input.h"

struct archive; /* libarchive's */

struct archive_source {
    struct input *in;
    bool seekable;
    bool by_directory; /* a zip that is read by the directory at its end */
    uint64_t at;       /* seekable: offset of the next read */
    uint8_t *block;    /* seekable: what libarchive was given last */
    size_t lent;       /* forwards: bytes of the window that libarchive may still look at */
    struct err err;    /* the input's own failure, for which libarchive has only a number */
};

/* Begins at the input's first byte where it is seekable, else where it stands. */
int archive_source_init(struct archive_source *s, struct input *in, struct err *err);
void archive_source_free(struct archive_source *s);

/* A handle that reads from `s`, to be freed with archive_read_free; `*status` is what opening it
 * returned (ARCHIVE_OK, ARCHIVE_FATAL ...). A forward source can be opened once. */
struct archive *archive_source_open(struct archive_source *s, enum archive_kind kind, int *status,
                                    struct err *err);

/* How many bytes of the source `handle` has used; as far as it was read where that is not known. */
uint64_t archive_source_offset(const struct archive_source *s, struct archive *handle);

#endif
