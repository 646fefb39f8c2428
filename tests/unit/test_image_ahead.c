#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/ahead.h"
#include "tests/unit/scan_seen.h"

#define MB      ((size_t)1 << 20)
#define SEGMENT ((size_t)256 << 10) /* the unit in which ahead.c works: where mistakes would be */

static const char text[] = ".version 6.0\n.target sm_50\n.address_size 64\n";

/* A file of `size` bytes of 'x' with `text` at `at`, behind a newline; gone when it is closed. */
static FILE *file_with(size_t size, size_t at)
{
    FILE *f = tmpfile();
    cr_assert_not_null(f);
    char *bytes = malloc(size);
    memset(bytes, 'x', size);
    if (at < size) {
        size_t n = size - at < sizeof text ? size - at : sizeof text;
        bytes[at - 1] = '\n';
        memcpy(bytes + at, text, n);
    }
    cr_assert_eq(fwrite(bytes, 1, size, f), size);
    free(bytes);
    rewind(f);
    return f;
}

/* Searches ahead as long as that moves; returns where it ended. */
static uint64_t search(FILE *f, uint8_t *before)
{
    struct err err = { 0 };
    struct ahead a = { 0 };
    struct input *in = input_from_fd(fileno(f), &err);
    cr_assert_not_null(in);
    *before = 0;
    ahead_note(&a, 2 * MB, FIND_NOTHING);
    while (ahead_skip(&a, in, before, &err) > 0)
        continue;
    uint64_t pos = input_pos(in);
    input_close(in);
    return pos;
}

static bool one_processor(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN) < 2;
}

Test(ahead, it_stops_at_a_beginning_wherever_that_lies_in_a_segment)
{
    static const size_t borders[] = { SEGMENT, 2 * SEGMENT, 7 * SEGMENT, 11 * SEGMENT };
    if (one_processor())
        cr_skip("one processor");
    for (size_t b = 0; b < sizeof borders / sizeof *borders; b++)
        for (size_t at = borders[b] - 10; at < borders[b] + 10; at++) {
            FILE *f = file_with(4 * MB, at);
            uint8_t before;
            cr_assert_eq(search(f, &before), at, "planted at %zu", at);
            cr_assert_eq(before, '\n');
            fclose(f);
        }
}

Test(ahead, it_never_goes_past_where_a_beginning_could_be_cut_off_by_the_end)
{
    if (one_processor())
        cr_skip("one processor");
    for (size_t cut = 0; cut < 9; cut++) {
        FILE *f = file_with(3 * MB + cut, SIZE_MAX);
        uint8_t before;
        uint64_t at = search(f, &before);
        cr_assert(at <= 3 * MB + cut && at > 2 * MB, "%zu", (size_t)at);
        cr_assert_eq(before, 'x');
        fclose(f);
    }
}

Test(ahead, of_two_beginnings_the_first_counts)
{
    if (one_processor())
        cr_skip("one processor");
    for (int round = 0; round < 50; round++) { /* whichever thread comes first */
        FILE *f = file_with(8 * MB, 3 * MB + 17);
        cr_assert_eq(fseek(f, 5 * (long)MB, SEEK_SET), 0);
        cr_assert_eq(fwrite("\x50\xed\x55\xba", 1, 4, f), 4);
        rewind(f);
        uint8_t before;
        cr_assert_eq(search(f, &before), 3 * MB + 17);
        fclose(f);
    }
}

Test(ahead, it_leaves_short_gaps_and_pipes_to_the_reader)
{
    struct err err = { 0 };
    struct ahead a = { 0 };
    uint8_t before = 0;
    FILE *f = file_with(4 * MB, SIZE_MAX);
    struct input *in = input_from_fd(fileno(f), &err);
    ahead_note(&a, MB / 2, FIND_NOTHING);
    cr_assert_eq(ahead_skip(&a, in, &before, &err), 0);
    ahead_note(&a, MB, FIND_NOTHING);
    ahead_note(&a, 0, FIND_FATBIN);
    cr_assert_eq(ahead_skip(&a, in, &before, &err), 0);
    input_close(in);
    fclose(f);

    static uint8_t bytes[4 << 20];
    in = input_from_memory(bytes, sizeof bytes, &err);
    ahead_note(&a, 2 * MB, FIND_NOTHING);
    cr_assert_eq(ahead_skip(&a, in, &before, &err), 0);
    input_close(in);
}

Test(ahead, a_scan_finds_what_lies_megabytes_apart)
{
    const size_t at[] = { 3 * MB + 5, 9 * MB - 3, 9 * MB + 2000, 21 * MB };
    FILE *f = file_with(24 * MB, at[0]);
    for (size_t i = 1; i < sizeof at / sizeof *at; i++) {
        cr_assert_eq(fseek(f, (long)at[i] - 1, SEEK_SET), 0);
        cr_assert_eq(fputc('\n', f), '\n');
        cr_assert_eq(fwrite(text, 1, sizeof text, f), sizeof text);
    }
    rewind(f);
    struct err err = { 0 };
    struct seen seen = { 0 };
    struct input *in = input_from_fd(fileno(f), &err);
    const struct scan_sink sink = { .self = &seen,
                                    .container = seen_container,
                                    .image = seen_image };
    cr_assert_eq(scan_input(in, NULL, &sink, &seen.kind, &err), 0, "%s", err.msg);
    cr_assert_eq(seen.container_count, sizeof at / sizeof *at);
    for (size_t i = 0; i < seen.container_count; i++)
        cr_assert_eq(seen.containers[i].offset, at[i]);
    input_close(in);
    fclose(f);
}
