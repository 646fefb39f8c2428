#include "image/archive_kind.h"

#include <string.h>

#include "core/bytes.h"

/* A signature alone is enough where it is long; short ones are backed by a check of what follows.
 */
struct signature {
    enum archive_kind kind;
    const char *name;
    const char *magic;
    size_t magic_size;
    bool (*check)(struct bytes header);
};

/* APPNOTE 4.3.7: version needed, flags, method, time, date, CRC, sizes, length of the name. */
static bool zip_member(struct bytes header)
{
    bytes_seek(&header, 4);
    uint16_t version = bytes_u16(&header);
    bytes_seek(&header, 26);
    uint16_t name_size = bytes_u16(&header);
    return !header.failed && (version & 0xff) < 100 && name_size > 0;
}

/* An archive without members is its end record and nothing before it. */
static bool zip_empty(struct bytes header)
{
    bytes_seek(&header, 4);
    uint64_t disks_and_counts = bytes_u64(&header);
    return !header.failed && disks_and_counts == 0;
}

/* RFC 1952: method 8, and the three highest flags are reserved. */
static bool gzip_header(struct bytes header)
{
    bytes_seek(&header, 3);
    uint8_t flags = bytes_u8(&header);
    return !header.failed && (flags & 0xe0) == 0;
}

/* The level, then the marker of a block or, for an empty stream, of its end. */
static bool bzip2_block(struct bytes header)
{
    bytes_seek(&header, 3);
    uint8_t level = bytes_u8(&header);
    uint64_t marker = (uint64_t)bytes_u32be(&header) << 16;
    marker |= bytes_u16be(&header);
    return !header.failed && level >= '1' && level <= '9' &&
           (marker == 0x314159265359 || marker == 0x177245385090);
}

/* RFC 8878: bit 3 of the frame header descriptor is reserved. */
static bool zstd_frame(struct bytes header)
{
    bytes_seek(&header, 4);
    uint8_t descriptor = bytes_u8(&header);
    return !header.failed && (descriptor & 0x08) == 0;
}

/* LZ4 frame format: version 01, bit 1 reserved. */
static bool lz4_frame(struct bytes header)
{
    bytes_seek(&header, 4);
    uint8_t flags = bytes_u8(&header);
    return !header.failed && (flags & 0xc2) == 0x40;
}

/* The first member of a Debian package is called "debian-binary"; ar pads with blanks or a slash.
 */
static bool debian(struct bytes header)
{
    static const char name[] = "debian-binary";
    struct bytes field = bytes_slice(&header, 8, 16);
    return !field.failed && memcmp(field.data, name, sizeof name - 1) == 0;
}

/* The lead: magic, major 3 or 4, minor, type 0 (binary) or 1 (source). */
static bool rpm_lead(struct bytes header)
{
    bytes_seek(&header, 4);
    uint8_t major = bytes_u8(&header);
    bytes_skip(&header, 1);
    uint16_t type = bytes_u16be(&header);
    return !header.failed && major >= 3 && major <= 4 && type <= 1;
}

static bool all_hex(struct bytes header)
{
    struct bytes fields = bytes_slice(&header, 6, 104);
    while (!fields.failed && bytes_left(&fields) > 0) {
        uint8_t c = bytes_u8(&fields);
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return !fields.failed;
}

static bool all_octal(struct bytes header)
{
    struct bytes fields = bytes_slice(&header, 6, 70);
    while (!fields.failed && bytes_left(&fields) > 0) {
        uint8_t c = bytes_u8(&fields);
        if (c < '0' || c > '7')
            return false;
    }
    return !fields.failed;
}

#define MAGIC(text) text, sizeof(text) - 1

/* A kind may have several rows; the first one names it. Tar has no magic that all of them carry. */
static const struct signature signatures[] = {
    { ARCHIVE_KIND_ZIP, "zip archive", MAGIC("PK\003\004"), zip_member },
    { ARCHIVE_KIND_ZIP, "zip archive", MAGIC("PK\005\006"), zip_empty },
    { ARCHIVE_KIND_DEB, "deb package", MAGIC("!<arch>\n"), debian },
    { ARCHIVE_KIND_RPM, "rpm package", MAGIC("\xed\xab\xee\xdb"), rpm_lead },
    { ARCHIVE_KIND_CPIO, "cpio archive", MAGIC("070701"), all_hex },
    { ARCHIVE_KIND_CPIO, "cpio archive", MAGIC("070702"), all_hex },
    { ARCHIVE_KIND_CPIO, "cpio archive", MAGIC("070707"), all_octal },
    { ARCHIVE_KIND_GZIP, "gzip stream", MAGIC("\x1f\x8b\x08"), gzip_header },
    { ARCHIVE_KIND_BZIP2, "bzip2 stream", MAGIC("BZh"), bzip2_block },
    { ARCHIVE_KIND_XZ, "xz stream",
      MAGIC("\xfd"
            "7zXZ\0"),
      NULL },
    { ARCHIVE_KIND_ZSTD, "zstd stream", MAGIC("\x28\xb5\x2f\xfd"), zstd_frame },
    { ARCHIVE_KIND_LZ4, "lz4 stream", MAGIC("\x04\x22\x4d\x18"), lz4_frame },
    { ARCHIVE_KIND_7ZIP, "7-Zip archive", MAGIC("7z\xbc\xaf\x27\x1c"), NULL },
    { ARCHIVE_KIND_RAR, "RAR archive", MAGIC("Rar!\x1a\x07"), NULL },
    { ARCHIVE_KIND_TAR, "tar archive", NULL, 0, NULL },
    { ARCHIVE_KIND_PLAIN, "plain file", NULL, 0, NULL },
};

#define SIGNATURE_COUNT (sizeof signatures / sizeof signatures[0])

/* The field of eight characters: octal digits with blanks or NULs around them; -1 for anything
 * else. */
static long tar_octal(struct bytes field)
{
    long value = 0;
    bool digits = false, closed = false;
    while (bytes_left(&field) > 0) {
        uint8_t c = bytes_u8(&field);
        if (c == ' ' || c == 0) {
            closed = closed || digits;
        } else if (c >= '0' && c <= '7' && !closed) {
            value = value * 8 + (c - '0');
            digits = true;
        } else {
            return -1;
        }
    }
    return digits ? value : -1;
}

/* The one thing that every tar header has is the sum of its own bytes, the field itself as blanks.
 * Historic writers summed signed characters. */
static bool tar_header(struct bytes header)
{
    struct bytes block = bytes_slice(&header, 0, 512);
    if (block.failed || block.data[0] == 0)
        return false;
    long stated = tar_octal(bytes_slice(&block, 148, 8));
    long plain = 0, with_sign = 0;
    for (size_t i = 0; i < 512; i++) {
        uint8_t c = i >= 148 && i < 156 ? ' ' : block.data[i];
        plain += c;
        with_sign += (int8_t)c;
    }
    return stated >= 0 && (stated == plain || stated == with_sign);
}

enum archive_kind archive_kind_of(const uint8_t *data, size_t size)
{
    struct bytes header = bytes_of(data, size);
    for (size_t i = 0; i < SIGNATURE_COUNT; i++) {
        const struct signature *s = &signatures[i];
        if (!s->magic || size < s->magic_size || memcmp(data, s->magic, s->magic_size) != 0)
            continue;
        if (!s->check || s->check(header))
            return s->kind;
    }
    return tar_header(header) ? ARCHIVE_KIND_TAR : ARCHIVE_KIND_PLAIN;
}

const char *archive_kind_name(enum archive_kind kind)
{
    for (size_t i = 0; i < SIGNATURE_COUNT; i++) {
        if (signatures[i].kind == kind)
            return signatures[i].name;
    }
    return "unknown";
}

bool archive_kind_is_stream(enum archive_kind kind)
{
    return kind >= ARCHIVE_KIND_GZIP && kind <= ARCHIVE_KIND_RPM;
}

bool archive_kind_is_chain(enum archive_kind kind)
{
    return kind == ARCHIVE_KIND_DEB || kind == ARCHIVE_KIND_CPIO;
}

bool archive_kind_is_closed(enum archive_kind kind)
{
    return kind == ARCHIVE_KIND_7ZIP || kind == ARCHIVE_KIND_RAR;
}
