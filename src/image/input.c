/* One growing buffer between a source and its reader.
 *
 * Reads begin small after a long skip (headers of a container are far apart, and what lies between
 * need not be touched) and double while the reader goes on sequentially. */
#include "image/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_MIN ((size_t)4 << 10)
#define CHUNK_MAX ((size_t)256 << 10)
#define SKIP_NEAR ((uint64_t)8 << 10) /* a skip this short does not break a sequential run */

struct input {
    const struct input_ops *ops; /* NULL: memory, `buffer` is the caller's */
    void *self;
    uint64_t size;
    uint64_t pos;        /* offset in the input of buffer[start] */
    const uint8_t *data; /* what is read from: `buffer`, or the caller's memory */
    uint8_t *buffer;
    size_t cap, start, end;
    size_t chunk; /* bytes of the next read */
    bool at_end;
};

struct file {
    int fd;
    uint64_t first; /* where the input begins in the file */
    uint64_t pos;
    uint64_t size; /* of the input when it was opened; 0 for a pipe */
    bool owned, sparse;
};

struct input *input_new(const struct input_ops *ops, void *self, uint64_t size, struct err *err)
{
    struct input *in = calloc(1, sizeof *in);
    if (!in) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    in->ops = ops;
    in->self = self;
    in->size = size;
    in->chunk = CHUNK_MIN;
    return in;
}

struct input *input_from_memory(const void *data, size_t size, struct err *err)
{
    struct input *in = input_new(NULL, NULL, size, err);
    if (!in)
        return NULL;
    in->data = data;
    in->end = size;
    in->at_end = true;
    return in;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    if (in->ops && in->ops->close)
        in->ops->close(in->self);
    free(in->buffer);
    free(in);
}

uint64_t input_pos(const struct input *in)
{
    return in->pos;
}

uint64_t input_size(const struct input *in)
{
    return in->size;
}

/* Makes room for `more` bytes behind `end`, moving what is left of the window to the front. */
static int make_room(struct input *in, size_t more, struct err *err)
{
    size_t have = in->end - in->start;
    if (in->cap - in->end >= more)
        return 0;
    if (in->start) {
        memmove(in->buffer, in->buffer + in->start, have);
        in->start = 0;
        in->end = have;
    }
    if (in->cap - have >= more)
        return 0;
    size_t cap = in->cap ? in->cap : CHUNK_MIN;
    while (cap < have + more)
        cap *= 2;
    uint8_t *grown = realloc(in->buffer, cap);
    if (!grown)
        return err_set(err, ERR_MEMORY, "out of memory for a window of %zu bytes", cap);
    in->buffer = grown;
    in->data = grown;
    in->cap = cap;
    return 0;
}

/* A large window grows as bytes arrive, so that a hostile size costs no more than the input has. */
static int read_more(struct input *in, size_t want, struct err *err)
{
    size_t have = in->end - in->start, missing = want - have;
    size_t most = have > CHUNK_MAX ? have : CHUNK_MAX;
    size_t ask = missing > in->chunk ? missing : in->chunk;
    if (ask > most)
        ask = most;
    if (make_room(in, ask, err) < 0)
        return -1;
    long long n = in->ops->read(in->self, in->buffer + in->end, ask, err);
    if (n < 0)
        return -1;
    if (n == 0)
        in->at_end = true;
    in->end += (size_t)n;
    if (in->chunk < CHUNK_MAX)
        in->chunk *= 2;
    return 0;
}

const uint8_t *input_peek(struct input *in, size_t want, size_t *got, struct err *err)
{
    static const uint8_t nothing[1];
    *got = 0;
    if (want > INPUT_WINDOW_MAX) {
        err_set(err, ERR_LIMIT, "a window of %zu bytes is larger than the limit of %zu", want,
                INPUT_WINDOW_MAX);
        return NULL;
    }
    while (in->end - in->start < want && !in->at_end) {
        if (read_more(in, want, err) < 0)
            return NULL;
    }
    *got = in->end - in->start;
    return in->data ? in->data + in->start : nothing;
}

/* Lets the source seek over what lies behind the window. */
static int seek_over(struct input *in, uint64_t size, struct err *err)
{
    uint64_t left = in->size > in->pos ? in->size - in->pos : 0;
    if (size > left)
        size = left;
    if (size > SKIP_NEAR)
        in->chunk = CHUNK_MIN;
    if (in->ops->skip(in->self, size, err) < 0)
        return -1;
    in->pos += size;
    return 0;
}

static int read_over(struct input *in, uint64_t size, struct err *err)
{
    while (size > 0) {
        size_t got;
        if (!input_peek(in, 1, &got, err))
            return -1;
        if (got == 0)
            return 0;
        size_t n = size < got ? (size_t)size : got;
        in->start += n;
        in->pos += n;
        size -= n;
    }
    return 0;
}

int input_skip(struct input *in, uint64_t size, struct err *err)
{
    size_t have = in->end - in->start;
    size_t n = size < have ? (size_t)size : have;
    in->start += n;
    in->pos += n;
    size -= n;
    if (size == 0 || in->at_end)
        return 0;
    in->start = in->end = 0;
    if (in->ops->skip && in->size != INPUT_SIZE_UNKNOWN)
        return seek_over(in, size, err);
    return read_over(in, size, err);
}

bool input_can_read_at(const struct input *in)
{
    return !in->ops || in->ops->read_at;
}

static long long memory_read_at(const struct input *in, uint64_t offset, void *to, size_t size)
{
    if (offset >= in->end)
        return 0;
    size_t left = in->end - (size_t)offset;
    size_t n = size < left ? size : left;
    memcpy(to, in->data + offset, n);
    return (long long)n;
}

long long input_read_at(struct input *in, uint64_t offset, void *to, size_t size, struct err *err)
{
    if (!input_can_read_at(in))
        return err_set(err, ERR_IO, "this input can only be read forwards");
    if (!in->ops)
        return memory_read_at(in, offset, to, size);
    size_t done = 0;
    while (done < size) {
        long long n =
            in->ops->read_at(in->self, offset + done, (uint8_t *)to + done, size - done, err);
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (long long)done;
}

/* ---- files and descriptors ----------------------------------------------------------------- */

static long long file_read_at(void *self, uint64_t offset, void *to, size_t size, struct err *err)
{
    struct file *f = self;
    if (offset > (uint64_t)INT64_MAX - f->first)
        return 0;
    for (;;) {
        ssize_t n = pread(f->fd, to, size, (off_t)(f->first + offset));
        if (n >= 0)
            return n;
        if (errno != EINTR)
            return err_errno(err, "cannot read at offset %llu", (unsigned long long)offset);
    }
}

/* What is stated of files in /sys is more than they hold, and stays so; what was there and is no
 * more is said, since what was found in the rest is not all. */
static bool became_shorter(const struct file *f)
{
    struct stat st;
    return f->pos < f->size && fstat(f->fd, &st) == 0 && (uint64_t)st.st_size < f->first + f->size;
}

static long long file_read(void *self, void *to, size_t size, struct err *err)
{
    struct file *f = self;
    long long n = file_read_at(self, f->pos, to, size, err);
    if (n > 0)
        f->pos += (uint64_t)n;
    if (n == 0 && became_shorter(f)) {
        err_set(err, ERR_IO, "the file became shorter while it was read");
        if (err)
            err->offset = f->pos;
        return -1;
    }
    return n;
}

static int file_skip(void *self, uint64_t size, struct err *err)
{
    struct file *f = self;
    (void)err;
    f->pos += size;
    return 0;
}

static long long pipe_read(void *self, void *to, size_t size, struct err *err)
{
    struct file *f = self;
    for (;;) {
        ssize_t n = read(f->fd, to, size);
        if (n >= 0)
            return n;
        if (errno != EINTR)
            return err_errno(err, "cannot read");
    }
}

static void file_close(void *self)
{
    struct file *f = self;
    if (f->owned)
        close(f->fd);
    free(f);
}

static const struct input_ops file_ops = {
    .read = file_read,
    .skip = file_skip,
    .read_at = file_read_at,
    .close = file_close,
};
static const struct input_ops pipe_ops = { .read = pipe_read, .close = file_close };

/* The first offset from `offset` on that is in no hole. The kernel may say that there are no holes,
 * and does where it does not know. Moves the descriptor, so only for those of our own. */
static uint64_t data_from(const struct file *f, uint64_t offset)
{
    struct stat st;
    if (!f->sparse || offset > (uint64_t)INT64_MAX - f->first)
        return offset;
    off_t to = lseek(f->fd, (off_t)(f->first + offset), SEEK_DATA);
    if (to < 0 && errno == ENXIO && fstat(f->fd, &st) == 0) /* nothing but a hole to the end */
        to = st.st_size;
    return to < 0 ? offset : (uint64_t)to - f->first;
}

int input_skip_hole(struct input *in, struct err *err)
{
    if (in->ops != &file_ops || in->at_end)
        return 0;
    uint64_t to = data_from(in->self, in->pos);
    if (to <= in->pos)
        return 0;
    return input_skip(in, to - in->pos, err) < 0 ? -1 : 1;
}

uint64_t input_dense_left(const struct input *in)
{
    const struct file *f = in->self;
    if (in->ops != &file_ops || in->at_end || f->sparse || in->size <= in->pos)
        return 0;
    return in->size - in->pos;
}

static struct input *from_file(struct file file, bool seekable, uint64_t size, struct err *err)
{
    struct file *f = calloc(1, sizeof *f);
    if (!f) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    *f = file;
    struct input *in = input_new(seekable ? &file_ops : &pipe_ops, f, size, err);
    if (!in)
        free(f);
    return in;
}

static const char *what_it_is(mode_t mode)
{
    return S_ISDIR(mode)    ? "it is a folder"
           : S_ISFIFO(mode) ? "it is a FIFO"
           : S_ISSOCK(mode) ? "it is a socket"
                            : "it is a device";
}

struct input *input_open(const char *path, struct err *err)
{
    /* Non-blocking, because opening a FIFO that nobody writes to would wait for ever. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0) {
        err_errno(err, "cannot open '%s'", path);
        return NULL;
    }
    if (fstat(fd, &st) < 0) {
        err_errno(err, "cannot stat '%s'", path);
        goto fail;
    }
    if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_IO, "cannot read '%s': %s", path, what_it_is(st.st_mode));
        goto fail;
    }
    struct file file = { .fd = fd,
                         .size = (uint64_t)st.st_size,
                         .owned = true,
                         .sparse = st.st_blocks < st.st_size / 512 };
    struct input *in = from_file(file, true, (uint64_t)st.st_size, err);
    if (in)
        return in;
fail:
    close(fd);
    return NULL;
}

struct input *input_from_fd(int fd, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0) {
        err_errno(err, "cannot read descriptor %d", fd);
        return NULL;
    }
    if (S_ISDIR(st.st_mode)) {
        err_set(err, ERR_IO, "cannot read descriptor %d: it is a folder", fd);
        return NULL;
    }
    off_t at = S_ISREG(st.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at < 0)
        return from_file((struct file){ .fd = fd }, false, INPUT_SIZE_UNKNOWN, err);
    uint64_t left = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
    return from_file((struct file){ .fd = fd, .first = (uint64_t)at, .size = left }, true, left,
                     err);
}
