#include "core/bytes.h"

#include <string.h>

/* `n` bytes at the cursor, or NULL with `failed` set. */
static const uint8_t *take(struct bytes *b, size_t n)
{
    if (b->failed || n > b->size - b->pos) {
        b->failed = true;
        return NULL;
    }
    const uint8_t *p = b->data + b->pos;
    b->pos += n;
    return p;
}

uint8_t bytes_u8(struct bytes *b)
{
    const uint8_t *p = take(b, 1);
    return p ? p[0] : 0;
}

uint16_t bytes_u16(struct bytes *b)
{
    const uint8_t *p = take(b, 2);
    return p ? (uint16_t)((unsigned)p[0] | (unsigned)p[1] << 8) : 0;
}

uint32_t bytes_u32(struct bytes *b)
{
    const uint8_t *p = take(b, 4);
    return p ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24 : 0;
}

uint64_t bytes_u64(struct bytes *b)
{
    const uint8_t *p = take(b, 8);
    if (!p)
        return 0;
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

uint16_t bytes_u16be(struct bytes *b)
{
    return __builtin_bswap16(bytes_u16(b));
}

uint32_t bytes_u32be(struct bytes *b)
{
    return __builtin_bswap32(bytes_u32(b));
}

void bytes_seek(struct bytes *b, uint64_t pos)
{
    if (pos > b->size)
        b->failed = true;
    else
        b->pos = (size_t)pos;
}

void bytes_skip(struct bytes *b, uint64_t n)
{
    if (b->failed || n > b->size - b->pos)
        b->failed = true;
    else
        b->pos += (size_t)n;
}

struct bytes bytes_slice(const struct bytes *b, uint64_t offset, uint64_t size)
{
    if (offset > b->size || size > b->size - offset)
        return (struct bytes){ .failed = true };
    return bytes_of(b->data + offset, (size_t)size);
}

const char *bytes_string(const struct bytes *b, uint64_t offset)
{
    if (offset >= b->size)
        return NULL;
    const uint8_t *start = b->data + offset;
    return memchr(start, 0, b->size - (size_t)offset) ? (const char *)start : NULL;
}
