/* Opens what may be an archive (wheel/zip, conda, tar.*, deb, rpm, cpio, docker-save, nested to a
 * bounded depth) or a plain file, told by content, and hands over each leaf as a forward input.
 * Nothing is unpacked to disk, and links inside archives are never followed.
 *
 * A static archive of objects is a plain file. 7-Zip and RAR are recognised, reported as a problem
 * and handed over as plain. Not recognised, so plain: .Z, .lzma, lzip and zstd streams that begin
 * with a skippable frame, zip archives behind another file (self-extracting programs).
 * Damage in gzip data that still inflates goes unnoticed: libarchive 3.6 does not verify its
 * checksum.
 *
 * What an archive may cost is bounded:
 * - ARCHIVE_DEPTH_MAX archives in one another, and ARCHIVE_WRAPS_MAX compressed streams in a row;
 * - ARCHIVE_ENTRIES_MAX members in all archives of one file;
 * - a member or compressed stream may grow to ARCHIVE_FREE_BYTES whatever it was, beyond that to
 *   ARCHIVE_RATIO_MAX times its compressed bytes, and never above ARCHIVE_MEMBER_MAX;
 * - everything produced for one file (each level counts) stays within ARCHIVE_TOTAL_FREE_BYTES plus
 *   ARCHIVE_RATIO_MAX times the file's own bytes.
 * Memory: a few hundred kilobytes a level, the reader's window (input.h), the table of members that
 * a zip ends with (at most ARCHIVE_DIRECTORY_MAX on disk), and the decompressor's own window: 32
 * KiB for deflate, at most 128 MiB for zstd; for xz what the stream states (64 MiB from `xz -9`, 4
 * GiB at most), touched only as far as it expands.
 *
 * A damaged zip is read on at the next member that can be found, 64 times at most; of other
 * archives what follows the damage is left out, and the problem says so. From a pipe, or inside
 * another archive, a zip is read from the front, where symbolic links look like small files. */
#ifndef IMAGE_ARCHIVE_H
#define IMAGE_ARCHIVE_H

#include "image/input.h"

#define ARCHIVE_DEPTH_MAX        4u
#define ARCHIVE_WRAPS_MAX        2u
#define ARCHIVE_ENTRIES_MAX      ((uint64_t)2000000)
#define ARCHIVE_RATIO_MAX        ((uint64_t)200) /* cubins and text reach 50, zeros 1000 and more */
#define ARCHIVE_FREE_BYTES       ((uint64_t)64 << 20)
#define ARCHIVE_TOTAL_FREE_BYTES ((uint64_t)1 << 30)
#define ARCHIVE_MEMBER_MAX       ((uint64_t)64 << 30)
#define ARCHIVE_DIRECTORY_MAX    ((uint64_t)256 << 20)
#define ARCHIVE_NAME_MAX         4096 /* bytes of one level's name; longer ones are cut */
#define ARCHIVE_PROBLEMS_MAX     1000u

struct archive_sink {
    void *self;
    /* One plain file: `member` is its path inside ("" when the file itself is no archive; levels
     * are joined by "!": "layer.tar!usr/lib/libx.so"). Names are bytes as the archive has them:
     * any encoding, control characters included. It need not read to the end. Returns 0, or -1 to
     * stop the walk; -1 because reading failed on damage inside an archive does not stop it. */
    int (*file)(void *self, const char *member, struct input *in, struct err *err);
    /* Damage in one member or archive, at most once each, after that member was handed over; the
     * walk goes on where it can. `offset` counts in the outermost file. Not called more than
     * ARCHIVE_PROBLEMS_MAX times for one file; one more call says so. May be NULL. */
    void (*problem)(void *self, const char *member, const struct err *problem);
    /* What is there without being a plain file: an archive that was opened, before what it holds, and
     * a link or folder in one. May be NULL. */
    void (*other)(void *self, const char *member);
};

/* Walks `path`, or standard input for "-". Returns -1 when the file cannot be opened or read, or a
 * callback stopped it. Damage inside an archive is a problem, not a failure. */
int archive_walk(const char *path, const struct archive_sink *sink, struct err *err);

/* The same over an input that is already open; `name` is only used to name what a compressed file
 * holds ("libx.so.gz": "libx.so"). Does not close `in`. */
int archive_walk_input(const char *name, struct input *in, const struct archive_sink *sink,
                       struct err *err);

#endif
