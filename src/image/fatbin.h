/* The fat binary container: header and entry headers. Pure: bytes in, structures out.
 *
 *   fat header    u32 magic  u16 version=1  u16 header size=16  u64 size of all entries
 *   entry         header (its own size) + payload (its own size), back to back up to that size
 *
 * An entry header, offsets from its first byte (all little-endian):
 *    0 u16 kind     2 u16 version   4 u32 header size     8 u64 payload size, padding included
 *   16 u32 compressed size         20 u32 offset of an (offset, length) pair: options
 *   24 u16 minor   26 u16 major    28 u32 arch           32 u32 identifier offset, 36 u32 length
 *   40 u64 flags   48 u64 0        56 u64 unpacked size (absent in version 0x0100)
 *
 * Source: own reading of files that nvcc and fatbinary of 4.x, 11.8 and 13.0 wrote; the names of
 * the flags 0x4, 0x8 and 0x20 are from other people's readers. */
#ifndef IMAGE_FATBIN_H
#define IMAGE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "image/image.h"

#define FATBIN_MAGIC       0xba55ed50u
#define FATBIN_OLD_MAGIC   0x1ee55a01u
#define FATBIN_HEADER_SIZE 16
#define FATBIN_ENTRY_MIN   56    /* an entry of version 0x0100 */
#define FATBIN_ENTRY_FIXED 64    /* the fixed part of version 0x0101 */
#define FATBIN_ENTRY_MAX   65536 /* longest accepted entry header: names and options are in it */

enum fatbin_flag {
    FATBIN_64BIT = 0x1,
    FATBIN_DEBUG = 0x2,
    FATBIN_CUDA = 0x4,
    FATBIN_OPENCL = 0x8,
    FATBIN_LINUX = 0x10,
    FATBIN_MAC = 0x20,
    FATBIN_WINDOWS = 0x40,
    FATBIN_PACKED_1000 = 0x1000, /* "compressed" to NVIDIA's own tool, but never seen in a file */
    FATBIN_LZ4 = 0x2000,
    FATBIN_PACKED_4000 = 0x4000, /* as 0x1000 */
    FATBIN_ZSTD = 0x8000,
    FATBIN_OBFUSCATED = 0x10000,
    FATBIN_ARCH_SPECIFIC = 0x100000, /* suffix a */
    FATBIN_FAMILY = 0x200000,        /* suffix f */
    FATBIN_MERCURY = 0x1000000,      /* a copy of .nv.compat stands in the header */
};

struct fatbin_entry {
    uint32_t header_size;
    uint64_t padded_size; /* of the payload; the next entry is at header_size + padded_size */
    struct image image;   /* all that the header says; offsets from the start of the input */
};

/* How the version and header size after the magic look: only then the bytes are a fat header. */
bool fatbin_recognised(const uint8_t *data, size_t size);

/* Whether the old magic is followed by what CUDA 3 and before wrote: a small version number. */
bool fatbin_old_recognised(const uint8_t *data, size_t size);

/* Size of all entries; `data` must be recognised. */
uint64_t fatbin_entries_size(const uint8_t *data, size_t size);

/* Whether an entry of a known version can begin with these bytes. */
bool fatbin_entry_recognised(const uint8_t *data, size_t size);

/* The header size of the entry that begins at `data` (at least FATBIN_ENTRY_MIN bytes), so that the
 * caller can bring the rest. ERR_FORMAT at `offset` when no entry can begin like this. `left` is
 * what the container has from here on. */
int fatbin_entry_size(const uint8_t *data, size_t size, uint64_t offset, uint64_t left,
                      uint32_t *header_size, struct err *err);

/* The whole entry header of `size` = header_size bytes at `offset` of the input. */
int fatbin_parse_entry(const uint8_t *data, size_t size, uint64_t offset, uint64_t left,
                       struct fatbin_entry *entry, struct err *err);

#endif
