/* Bytes that are read once, forwards: a file, or a member of an archive while it is being inflated.
 *
 * The reader sees a window that it asks for (`input_peek`) and moves (`input_skip`). A file seeks
 * over what is skipped, so walking the headers of a 600 MB library touches little of it; a member
 * inflates and drops it. Memory is bounded by the largest window asked for (INPUT_WINDOW_MAX). */
#ifndef IMAGE_INPUT_H
#define IMAGE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define INPUT_WINDOW_MAX   ((size_t)48 << 20)
#define INPUT_SIZE_UNKNOWN UINT64_MAX

struct input; /* opaque; made by one of the openers below or by archive.c */

/* How a source is read. `read` returns the number of bytes (0 at the end) or -1; `skip` may be NULL
 * (then bytes are read and dropped) and returns 0 or -1; `close` may be NULL. */
struct input_ops {
    long long (*read)(void *self, void *to, size_t size, struct err *err);
    int (*skip)(void *self, uint64_t size, struct err *err);
    void (*close)(void *self);
};

struct input *input_new(const struct input_ops *ops, void *self, uint64_t size, struct err *err);

/* A regular file. Refuses folders, FIFOs and devices (ERR_IO with the reason). */
struct input *input_open(const char *path, struct err *err);
struct input *input_from_fd(int fd, struct err *err); /* standard input: read to its end, does not close fd */
struct input *input_from_memory(const void *data, size_t size, struct err *err);
void input_close(struct input *in);

/* Offset of the window's first byte; total size or INPUT_SIZE_UNKNOWN. */
uint64_t input_pos(const struct input *in);
uint64_t input_size(const struct input *in);

/* At least `want` bytes at the current position unless the input ends first. `*got` may be more
 * than asked for. NULL only on a read error or when want > INPUT_WINDOW_MAX. Valid until the next call. */
const uint8_t *input_peek(struct input *in, size_t want, size_t *got, struct err *err);

/* Moves forward. Past the end: stays at the end and returns 0 (the caller compares input_pos). */
int input_skip(struct input *in, uint64_t size, struct err *err);

#endif
