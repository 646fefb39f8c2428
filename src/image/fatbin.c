#include "image/fatbin.h"

#include <string.h>

#include "core/bytes.h"

#define VERSION_OLD 0x0100
#define VERSION_NOW 0x0101

enum { KIND_PTX = 1, KIND_ELF = 2, KIND_CUBIN_TEXT = 4, KIND_NVVM = 8 };

/* 0x1000 and 0x4000 are left out: nothing is known but that they mean some compression. */
#define KNOWN_FLAGS                                                                                \
    ((uint64_t)(FATBIN_64BIT | FATBIN_DEBUG | FATBIN_CUDA | FATBIN_OPENCL | FATBIN_LINUX |         \
                FATBIN_MAC | FATBIN_WINDOWS | FATBIN_LZ4 | FATBIN_ZSTD | FATBIN_OBFUSCATED |       \
                FATBIN_ARCH_SPECIFIC | FATBIN_FAMILY | FATBIN_MERCURY))

bool fatbin_recognised(const uint8_t *data, size_t size)
{
    struct bytes b = bytes_of(data, size);
    bool magic = bytes_u32(&b) == FATBIN_MAGIC;
    bool version = bytes_u16(&b) == 1;
    bool header = bytes_u16(&b) == FATBIN_HEADER_SIZE;
    return magic && version && header;
}

bool fatbin_old_recognised(const uint8_t *data, size_t size)
{
    struct bytes b = bytes_of(data, size);
    if (bytes_u32(&b) != FATBIN_OLD_MAGIC)
        return false;
    uint32_t version = bytes_u32(&b);
    if (version == 0) { /* a 64-bit host: magic and version are 8 bytes each */
        version = bytes_u32(&b);
        if (bytes_u32(&b) != 0)
            return false;
    }
    return !b.failed && version >= 1 && version <= 16;
}

uint64_t fatbin_entries_size(const uint8_t *data, size_t size)
{
    struct bytes b = bytes_of(data, size);
    bytes_seek(&b, 8);
    return bytes_u64(&b);
}

bool fatbin_entry_recognised(const uint8_t *data, size_t size)
{
    struct bytes b = bytes_of(data, size);
    bytes_skip(&b, 2);
    uint16_t version = bytes_u16(&b);
    return version == VERSION_OLD || version == VERSION_NOW;
}

int fatbin_entry_size(const uint8_t *data, size_t size, uint64_t offset, uint64_t left,
                      uint32_t *header_size, struct err *err)
{
    struct bytes b = bytes_of(data, size);
    bytes_skip(&b, 2);
    uint16_t version = bytes_u16(&b);
    uint32_t header = bytes_u32(&b);
    uint64_t payload = bytes_u64(&b);
    if (b.failed || size < FATBIN_ENTRY_MIN || left < FATBIN_ENTRY_MIN)
        return err_format(err, offset, "fat binary entry breaks off in its header");
    if (version != VERSION_OLD && version != VERSION_NOW)
        return err_format(err, offset, "fat binary entry has unknown version 0x%04x", version);
    if (header < (version == VERSION_OLD ? FATBIN_ENTRY_MIN : FATBIN_ENTRY_FIXED) ||
        header > FATBIN_ENTRY_MAX)
        return err_format(err, offset, "fat binary entry has a header of %u bytes", header);
    if (header > left || payload > left - header)
        return err_format(err, offset,
                          "fat binary entry of %u + %llu bytes ends behind its container", header,
                          (unsigned long long)payload);
    *header_size = header;
    return 0;
}

static enum image_kind kind_of(uint16_t raw)
{
    switch (raw) {
    case KIND_PTX:
        return IMAGE_PTX;
    case KIND_ELF:
        return IMAGE_CUBIN;
    case KIND_CUBIN_TEXT:
        return IMAGE_CUBIN_TEXT;
    case KIND_NVVM:
        return IMAGE_LTO;
    default:
        return IMAGE_UNKNOWN;
    }
}

static enum image_compression compression_of(uint64_t flags, uint32_t compressed_size)
{
    uint64_t how = flags & (FATBIN_PACKED_1000 | FATBIN_LZ4 | FATBIN_PACKED_4000 | FATBIN_ZSTD);
    if (how == FATBIN_LZ4)
        return IMAGE_LZ4;
    if (how == FATBIN_ZSTD)
        return IMAGE_ZSTD;
    return how || compressed_size ? IMAGE_COMPRESSED_UNKNOWN : IMAGE_PLAIN;
}

/* The source name, where the header has one; what does not fit is cut. */
static void copy_identifier(const struct bytes *header, uint32_t offset, uint32_t length, char *to,
                            size_t size)
{
    struct bytes name = bytes_slice(header, offset, length);
    if (offset == 0 || name.failed)
        return;
    size_t n = name.size < size - 1 ? name.size : size - 1;
    for (size_t i = 0; i < n && name.data[i]; i++)
        to[i] = (char)name.data[i];
}

/* Sizes that contradict each other: the payload cannot be unpacked and nothing after it is sure. */
static int check_sizes(const struct fatbin_entry *entry, uint32_t compressed_size, struct err *err)
{
    if (compressed_size > entry->padded_size)
        return err_format(err, entry->image.offset,
                          "fat binary entry states %u compressed bytes in a payload of %llu",
                          compressed_size, (unsigned long long)entry->padded_size);
    return 0;
}

int fatbin_parse_entry(const uint8_t *data, size_t size, uint64_t offset, uint64_t left,
                       struct fatbin_entry *entry, struct err *err)
{
    memset(entry, 0, sizeof *entry);
    if (fatbin_entry_size(data, size, offset, left, &entry->header_size, err) < 0)
        return -1;
    if (size < entry->header_size)
        return err_format(err, offset, "fat binary entry breaks off in its header");

    struct bytes b = bytes_of(data, entry->header_size);
    struct image *image = &entry->image;
    image->raw_kind = bytes_u16(&b);
    uint16_t version = bytes_u16(&b);
    bytes_skip(&b, 4);
    entry->padded_size = bytes_u64(&b);
    uint32_t compressed_size = bytes_u32(&b);
    bytes_skip(&b, 4);
    uint16_t minor = bytes_u16(&b), major = bytes_u16(&b);
    image->arch = bytes_u32(&b);
    uint32_t name_offset = bytes_u32(&b), name_length = bytes_u32(&b);
    image->flags = bytes_u64(&b);
    bytes_skip(&b, 8);
    uint64_t unpacked_size = version == VERSION_OLD ? 0 : bytes_u64(&b);

    image->kind = kind_of(image->raw_kind);
    image->offset = offset;
    image->payload_offset = offset + entry->header_size;
    image->compression = compression_of(image->flags, compressed_size);
    image->payload_size = compressed_size ? compressed_size : entry->padded_size;
    image->unpacked_size = image->compression == IMAGE_PLAIN ? 0 : unpacked_size;
    image->unknown_flags = image->flags & ~KNOWN_FLAGS;
    image->bits32 = !(image->flags & FATBIN_64BIT);
    image->debug = image->flags & FATBIN_DEBUG;
    image->obfuscated = image->flags & FATBIN_OBFUSCATED;
    image->suffix = image->flags & FATBIN_ARCH_SPECIFIC ? 'a'
                    : image->flags & FATBIN_FAMILY      ? 'f'
                                                        : 0;
    if (image->kind == IMAGE_PTX) {
        image->ptx_major = major;
        image->ptx_minor = minor;
    } else if (image->kind == IMAGE_CUBIN) {
        image->abi = minor;
    }
    copy_identifier(&b, name_offset, name_length, image->identifier, sizeof image->identifier);
    return check_sizes(entry, compressed_size, err);
}
