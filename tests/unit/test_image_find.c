#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "image/find.h"

static const struct {
    enum find_kind kind;
    const char *bytes;
    size_t size;
} cases[] = {
    { FIND_FATBIN, "\x50\xed\x55\xba", 4 },
    { FIND_OLD_FATBIN, "\x01\x5a\xe5\x1e", 4 },
    { FIND_ELF,
      "\x7f"
      "ELF",
      4 },
    { FIND_PTX, ".version", 8 },
};

/* Filled with first bytes of patterns, so that near misses are everywhere. */
static uint8_t *noise(size_t size)
{
    static const uint8_t first[] = { 0x50, 0x01, 0x7f, '.', 0xed, 0x5a, 0 };
    uint8_t *data = malloc(size); /* exact: a read past the end is seen by a sanitizer */
    for (size_t i = 0; i < size; i++)
        data[i] = first[i * i % 7 % 4];
    return data;
}

Test(find, a_pattern_is_found_at_every_offset_across_blocks)
{
    const size_t size = 700;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t at = 0; at + FIND_OVERLAP <= size; at++) {
            uint8_t *data = noise(size);
            size_t found = 0;
            memcpy(data + at, cases[c].bytes, cases[c].size);
            enum find_kind kind = find_candidate(data, size, &found);
            cr_assert_eq(kind, cases[c].kind, "case %zu at %zu: kind %d at %zu", c, at, kind,
                         found);
            cr_assert_eq(found, at, "case %zu: %zu, not %zu", c, found, at);
            free(data);
        }
}

Test(find, nothing_is_found_in_every_length_of_noise)
{
    for (size_t size = 0; size < 600; size++) {
        uint8_t *data = noise(size ? size : 1);
        size_t at = 12345;
        cr_assert_eq(find_candidate(data, size, &at), FIND_NOTHING);
        cr_assert_eq(at, size < FIND_OVERLAP ? 0 : size - FIND_OVERLAP + 1);
        free(data);
    }
}
