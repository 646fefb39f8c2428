/* Nearly all bytes of a large library are no beginning of anything, so the search works on blocks:
 * a few vector comparisons tell whether any two neighbouring bytes of a block could begin a
 * pattern, and only then each offset of the block is compared. */
#include "image/find.h"

#include <stdbool.h>
#include <string.h>

#define BLOCK 64

static const struct pattern {
    enum find_kind kind;
    unsigned char size;
    unsigned char bytes[FIND_OVERLAP];
} patterns[] = {
    { FIND_FATBIN, 4, { 0x50, 0xed, 0x55, 0xba } },
    { FIND_OLD_FATBIN, 4, { 0x01, 0x5a, 0xe5, 0x1e } },
    { FIND_ELF, 4, { 0x7f, 'E', 'L', 'F' } },
    { FIND_PTX, 8, { '.', 'v', 'e', 'r', 's', 'i', 'o', 'n' } },
};

/* Vectors of gcc and clang: no instruction set is named, and comparing gives 0xff in each lane. */
typedef uint8_t lanes __attribute__((vector_size(16)));

static lanes load(const uint8_t *data)
{
    lanes v;
    memcpy(&v, data, sizeof v);
    return v;
}

/* Reads data[0 .. BLOCK]. The pairs are the first two bytes of the patterns above. */
static bool block_may_hold(const uint8_t *data)
{
    lanes any = { 0 };
    for (size_t i = 0; i < BLOCK; i += sizeof any) {
        lanes a = load(data + i), b = load(data + i + 1);
        any |= (lanes)((a == 0x50) & (b == 0xed));
        any |= (lanes)((a == 0x01) & (b == 0x5a));
        any |= (lanes)((a == 0x7f) & (b == 'E'));
        any |= (lanes)((a == '.') & (b == 'v'));
    }
    uint64_t halves[2];
    memcpy(halves, &any, sizeof halves);
    return halves[0] | halves[1];
}

static enum find_kind pattern_at(const uint8_t *data)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct pattern *p = &patterns[i];
        if (data[0] == p->bytes[0] && !memcmp(data, p->bytes, p->size))
            return p->kind;
    }
    return FIND_NOTHING;
}

enum find_kind find_candidate(const uint8_t *data, size_t size, size_t *at)
{
    size_t end =
        size < FIND_OVERLAP ? 0 : size - FIND_OVERLAP + 1; /* offsets that can be compared */
    size_t i = 0;
    while (i < end) {
        size_t stop = end - i < BLOCK ? end : i + BLOCK;
        if (stop - i < BLOCK || block_may_hold(data + i)) {
            for (; i < stop; i++) {
                enum find_kind kind = pattern_at(data + i);
                if (kind != FIND_NOTHING) {
                    *at = i;
                    return kind;
                }
            }
        }
        i = stop;
    }
    *at = end;
    return FIND_NOTHING;
}
