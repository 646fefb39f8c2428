/* Any bytes as an archive: from memory, where a zip is read by its directory, and as a pipe. The
 * first byte chooses how leaves are read. What is given stays within the bounds of archive.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum how { READ_ALL, SKIP_ALL, READ_A_BIT, HOW_COUNT };

struct pipe {
    const uint8_t *data;
    size_t size, pos;
};

struct seen {
    enum how how;
    uint64_t bytes;
    unsigned files, problems;
};

static long long pipe_read(void *self, void *to, size_t size, struct err *err)
{
    struct pipe *p = self;
    (void)err;
    size_t n = p->size - p->pos < size ? p->size - p->pos : size;
    memcpy(to, p->data + p->pos, n);
    p->pos += n;
    return (long long)n;
}

static int file(void *self, const char *member, struct input *in, struct err *err)
{
    struct seen *seen = self;
    size_t got = 1;
    if (strlen(member) > (ARCHIVE_DEPTH_MAX + 1) * (ARCHIVE_NAME_MAX + 1))
        abort();
    seen->files++;
    if (seen->how == READ_A_BIT)
        return input_peek(in, 100, &got, err) ? 0 : -1;
    if (seen->how == SKIP_ALL)
        return input_skip(in, UINT64_MAX, err);
    while (got > 0) {
        if (!input_peek(in, 1, &got, err) || input_skip(in, got, err) < 0)
            return -1;
        seen->bytes += got;
    }
    return 0;
}

static void problem(void *self, const char *member, const struct err *problem)
{
    struct seen *seen = self;
    (void)member;
    if (problem->code == ERR_NONE || !problem->msg[0] ||
        ++seen->problems > ARCHIVE_PROBLEMS_MAX + 1)
        abort();
}

static void walk(struct input *in, size_t size, enum how how)
{
    struct seen seen = { .how = how };
    struct archive_sink sink = { .self = &seen, .file = file, .problem = problem };
    struct err err;
    err_clear(&err);
    /* Memory does not fail, so nothing but running out of it ends a walk. */
    if (!in || archive_walk_input("fuzz.gz", in, &sink, &err) < 0)
        abort();
    input_close(in);
    if (seen.bytes > ARCHIVE_TOTAL_FREE_BYTES + ARCHIVE_RATIO_MAX * (size + 1))
        abort();
    if (seen.files > ARCHIVE_ENTRIES_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct input_ops ops = { .read = pipe_read };
    if (size == 0)
        return 0;
    enum how how = data[0] % HOW_COUNT;
    struct pipe pipe = { .data = data + 1, .size = size - 1 };
    walk(input_from_memory(data + 1, size - 1, NULL), size, how);
    walk(input_new(&ops, &pipe, INPUT_SIZE_UNKNOWN, NULL), size, how);
    return 0;
}
