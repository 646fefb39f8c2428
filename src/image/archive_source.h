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
    bool from_front;   /* a zip whose directory is of no use */
    bool has_no_end;   /* a zip that lacks the record that ends every zip */
    uint64_t base;     /* offset of the handle's first byte */
    uint64_t at;       /* seekable: offset of the next read */
    uint8_t *block;    /* seekable: what libarchive was given last */
    size_t lent;       /* forwards: bytes of the window that libarchive may still look at */
    struct err err;    /* the input's own failure, for which libarchive has only a number */
};

/* Begins at the input's first byte where it is seekable, else where it stands. */
int archive_source_init(struct archive_source *s, struct input *in, struct err *err);
void archive_source_free(struct archive_source *s);

/* A handle that reads from `s`, to be freed with archive_read_free; `*status` is what opening it
 * returned (ARCHIVE_OK, ARCHIVE_FATAL ...). A forward source can be opened again only after
 * archive_source_resume. */
struct archive *archive_source_open(struct archive_source *s, enum archive_kind kind, int *status,
                                    struct err *err);

/* How many bytes of the source `handle` has used; as far as it was read where that is not known. */
uint64_t archive_source_offset(const struct archive_source *s, struct archive *handle);

/* For a damaged zip: the next handle begins at the first member at or behind offset `from`, and
 * goes on from member to member without the directory. False when there is none. A forward source
 * does not go back: the search begins where it stands if that is later. */
bool archive_source_resume(struct archive_source *s, uint64_t from);

#endif
