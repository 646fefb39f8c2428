/* Nearly all bytes of a large library are no beginning of anything, so the search works on blocks:
 * a few vector comparisons tell whether any two neighbouring bytes of a block could begin a
 * pattern, and only then each offset of the block is compared. */
#include "image/find.h"

#include <stdbool.h>
#include <string.h>

#define BLOCK 256

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

/* Vectors of gcc and clang: comparing gives 0xff in each lane. A function a width, since wider ones
 * are only worth it where the processor has them. Each reads data[0 .. BLOCK]; the pairs are the
 * first two bytes of the patterns above. */
#define BLOCK_MAY_HOLD(name, width, attribute)                                                     \
    typedef uint8_t name##_lanes __attribute__((vector_size(width)));                              \
    attribute static bool name(const uint8_t *data)                                                \
    {                                                                                              \
        name##_lanes any = { 0 }, a, b;                                                            \
        for (size_t i = 0; i < BLOCK; i += sizeof any) {                                           \
            memcpy(&a, data + i, sizeof a);                                                        \
            memcpy(&b, data + i + 1, sizeof b);                                                    \
            any |= (name##_lanes)((a == 0x50) & (b == 0xed));                                      \
            any |= (name##_lanes)((a == 0x01) & (b == 0x5a));                                      \
            any |= (name##_lanes)((a == 0x7f) & (b == 'E'));                                       \
            any |= (name##_lanes)((a == '.') & (b == 'v'));                                        \
        }                                                                                          \
        uint64_t parts[sizeof any / 8], all = 0;                                                   \
        memcpy(parts, &any, sizeof parts);                                                         \
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)                                  \
            all |= parts[i];                                                                       \
        return all != 0;                                                                           \
    }

BLOCK_MAY_HOLD(block_may_hold, 16, )

#ifdef __x86_64__
BLOCK_MAY_HOLD(block_may_hold_avx2, 32, __attribute__((target("avx2"))))
#endif

typedef bool block_test(const uint8_t *data);

static block_test *best_test(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return block_may_hold_avx2;
#endif
    return block_may_hold;
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
    block_test *may_hold = best_test();
    size_t i = 0;
    while (i < end) {
        size_t stop = end - i < BLOCK ? end : i + BLOCK;
        if (stop - i < BLOCK || may_hold(data + i)) {
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
