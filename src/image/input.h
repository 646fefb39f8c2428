/* Bytes that are read once, forwards: a file, or a member of an archive while it is being inflated.
 *
 * The reader sees a window that it asks for (`input_peek`) and moves (`input_skip`). A file seeks
 * over what is skipped, so walking the headers of a 600 MB library touches little of it; a member
 * inflates and drops it. Memory is bounded by the largest window asked for (INPUT_WINDOW_MAX). */
#ifndef IMAGE_INPUT_H
#define IMAGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define INPUT_WINDOW_MAX   ((size_t)96 << 20) /* cuBLASLt 12.3 has an image of 53 MB as stored */
#define INPUT_SIZE_UNKNOWN UINT64_MAX

struct input; /* opaque; made by one of the openers below or by archive.c */

/* How a source is read. `read` returns the number of bytes (0 at the end) or -1.
 * `skip` returns 0 or -1, may be NULL (then bytes are read and dropped), and is called only when
 * the total size is known, never past it. `read_at` reads anywhere without moving the source
 * (bytes, 0 at the end, or -1); NULL where that is impossible. `close` may be NULL. */
struct input_ops {
    long long (*read)(void *self, void *to, size_t size, struct err *err);
    int (*skip)(void *self, uint64_t size, struct err *err);
    long long (*read_at)(void *self, uint64_t offset, void *to, size_t size, struct err *err);
    void (*close)(void *self);
};

/* `ops` must outlive the input; `self` is handed to ops->close by input_close. When this fails the
 * caller still owns `self`. `size` may be INPUT_SIZE_UNKNOWN. */
struct input *input_new(const struct input_ops *ops, void *self, uint64_t size, struct err *err);

/* A regular file. Refuses folders, FIFOs and devices (ERR_IO with the reason). */
struct input *input_open(const char *path, struct err *err);

/* Standard input or any other descriptor, from where it stands to its end; does not close it. */
struct input *input_from_fd(int fd, struct err *err);

/* Does not copy: `data` must outlive the input. */
struct input *input_from_memory(const void *data, size_t size, struct err *err);

void input_close(struct input *in); /* NULL is allowed */

/* Offset of the window's first byte; total size or INPUT_SIZE_UNKNOWN. */
uint64_t input_pos(const struct input *in);
uint64_t input_size(const struct input *in);

/* At least `want` bytes at the current position unless the input ends first. `*got` may be more
 * than asked for. NULL only on a read error or when want > INPUT_WINDOW_MAX. Valid until the next
 * call. */
const uint8_t *input_peek(struct input *in, size_t want, size_t *got, struct err *err);

/* Moves forward. Past the end: stays at the end and returns 0 (the caller compares input_pos). */
int input_skip(struct input *in, uint64_t size, struct err *err);

/* Moves over a hole of the file (what was never written and reads as zeros) that begins at the
 * position: 1, or 0 where there is none or the source knows of none. -1: a read error. */
int input_skip_hole(struct input *in, struct err *err);

/* Bytes from the position to the end where input_read_at may be used by several threads and no hole is
 * known: files that are not sparse. 0 for all else. */
uint64_t input_dense_left(const struct input *in);

/* Whether input_read_at works here: files and memory, not what is being inflated or piped. */
bool input_can_read_at(const struct input *in);

/* Copies up to `size` bytes from any offset, leaving window and position alone. Returns how many
 * there were (fewer only at the end), or -1 on a read error or where it is not possible. */
long long input_read_at(struct input *in, uint64_t offset, void *to, size_t size, struct err *err);

#endif
