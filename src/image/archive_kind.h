/* What an input is, as far as opening it goes: told by its first bytes, never by its name.
 *
 * Only what is named here is opened; a library's own guess is never asked, because some formats
 * (raw, mtree, ar) would claim ordinary binaries. A static archive of objects is plain. */
#ifndef IMAGE_ARCHIVE_KIND_H
#define IMAGE_ARCHIVE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_SNIFF_SIZE ((size_t)512) /* a tar header; no format needs more to be told */

enum archive_kind {
    ARCHIVE_KIND_PLAIN,
    /* These hold members. */
    ARCHIVE_KIND_ZIP, /* wheel, .conda, jar too */
    ARCHIVE_KIND_TAR, /* also what `docker save` writes */
    ARCHIVE_KIND_DEB,
    ARCHIVE_KIND_CPIO,
    /* These hold one stream of bytes, which may be an archive again. */
    ARCHIVE_KIND_GZIP,
    ARCHIVE_KIND_BZIP2,
    ARCHIVE_KIND_XZ,
    ARCHIVE_KIND_ZSTD,
    ARCHIVE_KIND_LZ4,
    ARCHIVE_KIND_RPM, /* holds a cpio archive */
    /* Known by name only: what they hold is not looked at. */
    ARCHIVE_KIND_7ZIP,
    ARCHIVE_KIND_RAR,
};

/* `data` holds the first bytes: ARCHIVE_SNIFF_SIZE of them, or all that there are. */
enum archive_kind archive_kind_of(const uint8_t *data, size_t size);

/* "zip archive", "gzip stream" ...: for messages. */
const char *archive_kind_name(enum archive_kind kind);

bool archive_kind_is_stream(enum archive_kind kind);
bool archive_kind_is_chain(enum archive_kind kind);  /* see archive_chain.h */
bool archive_kind_is_closed(enum archive_kind kind); /* known, but cannot be opened */

#endif
