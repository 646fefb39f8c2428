#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/input.h"

#define SIZE 1000003 /* longer than any chunk, and no multiple of one */

enum source { MEMORY, FILE_PATH, FILE_DESCRIPTOR, PIPE, SOURCES };

static uint8_t bytes[SIZE];
#define TEMPLATE P_tmpdir "/smfit-input-XXXXXX"
static char path[sizeof TEMPLATE];
static int fd = -1;

static void write_file(void)
{
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    strcpy(path, TEMPLATE);
    fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, SIZE), SIZE);
    lseek(fd, 0, SEEK_SET);
}

static void remove_file(void)
{
    close(fd);
    unlink(path);
}

TestSuite(input, .init = write_file, .fini = remove_file);

static struct input *open_source(enum source source)
{
    struct err err = { 0 };
    struct input *in = NULL;
    if (source == MEMORY)
        in = input_from_memory(bytes, SIZE, &err);
    else if (source == FILE_PATH)
        in = input_open(path, &err);
    else if (source == FILE_DESCRIPTOR)
        in = input_from_fd(fd, &err);
    else {
        char command[128];
        snprintf(command, sizeof command, "cat %s", path);
        FILE *pipe = popen(command, "r");
        cr_assert(pipe);
        in = input_from_fd(fileno(pipe), &err);
    }
    cr_assert(in, "%s", err.msg);
    return in;
}

/* Every way of reading gives the same bytes at the same offsets, whatever is peeked and skipped. */
ParameterizedTestParameters(input, peeks_and_skips_show_the_bytes_of_the_offset)
{
    static enum source sources[] = { MEMORY, FILE_PATH, FILE_DESCRIPTOR, PIPE };
    return cr_make_param_array(enum source, sources, SOURCES);
}

ParameterizedTest(enum source *source, input, peeks_and_skips_show_the_bytes_of_the_offset)
{
    struct input *in = open_source(*source);
    struct err err = { 0 };
    size_t got, pos = 0;
    uint32_t state = 1;
    while (pos < SIZE) {
        state = state * 1664525 + 1013904223;
        size_t want = state >> 8 & (state & 1 ? 0x3f : 0xffff);
        size_t skip = state >> 16 & (state & 2 ? 0x7f : 0x7fff);
        const uint8_t *data = input_peek(in, want, &got, &err);
        cr_assert(data, "%s", err.msg);
        cr_assert_eq(input_pos(in), pos);
        cr_assert(got >= want || pos + got == SIZE, "%zu of %zu bytes at %zu", got, want, pos);
        cr_assert(!memcmp(data, bytes + pos, got), "wrong bytes at %zu", pos);
        cr_assert_eq(input_skip(in, skip, &err), 0);
        pos = pos + skip > SIZE ? SIZE : pos + skip;
    }
    cr_assert_eq(input_pos(in), SIZE);
    cr_assert(input_peek(in, 1, &got, &err));
    cr_assert_eq(got, 0);
    input_close(in);
}

ParameterizedTestParameters(input, skipping_past_the_end_stays_at_the_end)
{
    static enum source sources[] = { MEMORY, FILE_PATH, FILE_DESCRIPTOR, PIPE };
    return cr_make_param_array(enum source, sources, SOURCES);
}

ParameterizedTest(enum source *source, input, skipping_past_the_end_stays_at_the_end)
{
    struct input *in = open_source(*source);
    struct err err = { 0 };
    size_t got;
    cr_assert_eq(input_skip(in, UINT64_MAX, &err), 0);
    cr_assert_eq(input_pos(in), SIZE);
    cr_assert(input_peek(in, 64, &got, &err));
    cr_assert_eq(got, 0);
    cr_assert_eq(input_skip(in, 1, &err), 0);
    cr_assert_eq(input_pos(in), SIZE);
    input_close(in);
}

Test(input, only_a_pipe_has_no_size_and_cannot_be_read_at)
{
    for (enum source source = MEMORY; source < SOURCES; source++) {
        struct input *in = open_source(source);
        struct err err = { 0 };
        uint8_t part[8];
        cr_assert_eq(input_size(in), source == PIPE ? INPUT_SIZE_UNKNOWN : SIZE);
        cr_assert_eq(input_can_read_at(in), source != PIPE);
        long long n = input_read_at(in, SIZE - 5, part, sizeof part, &err);
        cr_assert_eq(n, source == PIPE ? -1 : 5);
        if (n > 0)
            cr_assert(!memcmp(part, bytes + SIZE - 5, 5));
        cr_assert_eq(input_pos(in), 0, "reading elsewhere moved the input");
        input_close(in);
    }
}

Test(input, a_descriptor_is_read_from_where_it_stands)
{
    struct err err = { 0 };
    uint8_t part[4];
    size_t got;
    lseek(fd, 1000, SEEK_SET);
    struct input *in = input_from_fd(fd, &err);
    cr_assert(in);
    cr_assert_eq(input_size(in), SIZE - 1000);
    const uint8_t *data = input_peek(in, 16, &got, &err);
    cr_assert(!memcmp(data, bytes + 1000, 16));
    cr_assert_eq(input_read_at(in, 7, part, 4, &err), 4);
    cr_assert(!memcmp(part, bytes + 1007, 4));
    input_close(in);
}

Test(input, a_window_over_the_limit_is_refused)
{
    struct err err = { 0 };
    struct input *in = open_source(FILE_PATH);
    size_t got;
    cr_assert_null(input_peek(in, INPUT_WINDOW_MAX + 1, &got, &err));
    cr_assert_eq(err.code, ERR_LIMIT);
    input_close(in);
}

Test(input, what_is_no_regular_file_is_refused_with_the_reason)
{
    static const struct {
        const char *path, *reason;
    } bad[] = { { "src", "folder" },
                { "/dev/null", "device" },
                { "/nowhere/at/all", "No such file" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = { 0 };
        cr_assert_null(input_open(bad[i].path, &err));
        cr_assert_eq(err.code, ERR_IO);
        cr_assert(strstr(err.msg, bad[i].reason), "'%s': %s", bad[i].path, err.msg);
        cr_assert(strstr(err.msg, bad[i].path), "%s", err.msg);
    }
}

Test(input, a_fifo_that_nobody_writes_to_does_not_block, .timeout = 5)
{
    struct err err = { 0 };
    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_null(input_open(path, &err));
    cr_assert(strstr(err.msg, "FIFO"), "%s", err.msg);
}

/* A source that gives a byte at a time, fails at 100, and cannot seek. */
struct slow {
    size_t pos;
    bool closed;
};

static long long slow_read(void *self, void *to, size_t size, struct err *err)
{
    struct slow *slow = self;
    if (slow->pos == 100)
        return err_set(err, ERR_FORMAT, "broken");
    (void)size;
    *(uint8_t *)to = bytes[slow->pos++];
    return 1;
}

static void slow_close(void *self)
{
    ((struct slow *)self)->closed = true;
}

Test(input, errors_of_the_source_reach_the_reader)
{
    static const struct input_ops ops = { .read = slow_read, .close = slow_close };
    struct slow slow = { 0 };
    struct err err = { 0 };
    size_t got;
    struct input *in = input_new(&ops, &slow, INPUT_SIZE_UNKNOWN, &err);
    const uint8_t *data = input_peek(in, 90, &got, &err);
    cr_assert(data && got == 90 && !memcmp(data, bytes, 90));
    cr_assert_eq(input_skip(in, 50, &err), 0);
    cr_assert_eq(input_skip(in, 51, &err), -1);
    cr_assert_eq(err.code, ERR_FORMAT);
    input_close(in);
    cr_assert(slow.closed);
}

Test(input, a_file_that_becomes_shorter_is_an_error_with_its_place)
{
    for (int by_path = 0; by_path < 2; by_path++) {
        struct err err = { 0 };
        size_t got;
        cr_assert_eq(pwrite(fd, bytes, SIZE, 0), SIZE);
        struct input *in = open_source(by_path ? FILE_PATH : FILE_DESCRIPTOR);
        cr_assert(input_peek(in, 1, &got, &err));
        cr_assert_eq(ftruncate(fd, SIZE / 2), 0);
        cr_assert_eq(input_skip(in, SIZE / 4, &err), 0, "%s", err.msg);
        cr_assert_null(input_peek(in, SIZE / 2, &got, &err));
        cr_assert_eq(err.code, ERR_IO);
        cr_assert_eq(err.offset, SIZE / 2);
        input_close(in);
    }
}

/* As files in /sys do, which state a page. */
Test(input, a_file_that_holds_less_than_it_states_just_ends)
{
    struct err err = { 0 };
    size_t got;
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK))
        cr_skip_test("no such file here");
    struct input *in = input_open("/sys/kernel/mm/transparent_hugepage/enabled", &err);
    cr_assert(in, "%s", err.msg);
    cr_assert(input_peek(in, 4096, &got, &err), "%s", err.msg);
    cr_assert_lt(got, 4096);
    input_close(in);
}
