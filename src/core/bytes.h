/* A bounded little-endian cursor over memory. Untrusted bytes are read through it and through
 * nothing else: every read says whether it was inside, and no pointer past the end is ever formed. */
#ifndef CORE_BYTES_H
#define CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *data;
    size_t size; /* bytes that may be read */
    size_t pos;  /* next byte; never above size */
    bool failed; /* a read was out of bounds; sticky, so a run of reads is checked once */
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
    return (struct bytes){ .data = data, .size = size };
}

/* Each reads at the cursor and moves it. Out of bounds: returns 0, sets `failed`, does not move. */
uint8_t bytes_u8(struct bytes *b);
uint16_t bytes_u16(struct bytes *b);
uint32_t bytes_u32(struct bytes *b);
uint64_t bytes_u64(struct bytes *b);

/* Big-endian forms (archive formats). */
uint16_t bytes_u16be(struct bytes *b);
uint32_t bytes_u32be(struct bytes *b);

/* Moves the cursor to an absolute position or past n bytes; sets `failed` when that is outside. */
void bytes_seek(struct bytes *b, uint64_t pos);
void bytes_skip(struct bytes *b, uint64_t n);

/* A part as a cursor of its own: [offset, offset + size). Outside: an empty cursor that has failed. */
struct bytes bytes_slice(const struct bytes *b, uint64_t offset, uint64_t size);

/* The NUL-terminated string at `offset`, or NULL when it does not end inside. */
const char *bytes_string(const struct bytes *b, uint64_t offset);

static inline size_t bytes_left(const struct bytes *b)
{
    return b->size - b->pos;
}

#endif
