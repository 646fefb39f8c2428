#include "bench/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os.h"
#include "core/str.h"

#define SIZE_MAX_BYTES ((size_t)256 << 20)

/* A device or a pipe has no disk behind it: nothing to wait for. */
static bool is_unsyncable(int error)
{
    return error == EINVAL || error == EROFS || error == ENOTSUP;
}

static int write_all(const struct stream *s, const char *text, size_t size, struct err *err)
{
    while (size) {
        ssize_t n = write(s->fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(err, "cannot write '%s'", s->path);
        text += n;
        size -= (size_t)n;
    }
    if (fsync(s->fd) && !is_unsyncable(errno))
        return err_errno(err, "cannot write '%s'", s->path);
    return 0;
}

static int write_line(const struct stream *s, const json_t *json, struct err *err)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
    if (!text)
        return err_set(err, ERR_MEMORY, "out of memory");
    struct str line = STR_INIT;
    str_add(&line, text);
    str_add(&line, "\n");
    int failed = line.failed ? err_set(err, ERR_MEMORY, "out of memory")
                             : write_all(s, line.p, line.len, err);
    str_free(&line);
    free(text);
    return failed;
}

/* Two runs that write into one file would spoil it. */
static int take(const struct stream *s, struct err *err)
{
    if (flock(s->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return err_set(err, ERR_USAGE, "'%s' is being written by another run", s->path);
    return 0;
}

static int refuse_filled(const struct stream *s, struct err *err)
{
    struct stat st;
    if (fstat(s->fd, &st))
        return err_errno(err, "cannot stat '%s'", s->path);
    if (S_ISREG(st.st_mode) && st.st_size)
        return err_set(err, ERR_USAGE, "'%s' is not empty; --resume goes on with it", s->path);
    return 0;
}

int stream_create(struct stream *s, const char *path, const json_t *header, struct err *err)
{
    s->path = path;
    s->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (s->fd < 0)
        return err_errno(err, "cannot create '%s'", path);
    if (take(s, err) || refuse_filled(s, err) || write_line(s, header, err)) {
        stream_close(s);
        return -1;
    }
    return 0;
}

static bool is_header(const json_t *json)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    return schema && strcmp(schema, "smfit.bench.stream") == 0;
}

int stream_check_version(const json_t *json, struct err *err)
{
    const json_t *version = json_object_get(json, "version");
    if (json_is_integer(version) && json_integer_value(version) == STREAM_VERSION)
        return 0;
    if (!json_is_integer(version))
        return err_set(err, ERR_FORMAT, "its rows are of no version");
    return err_set(err, ERR_FORMAT, "its rows are of version %lld, and this program reads version %d",
                   (long long)json_integer_value(version), STREAM_VERSION);
}

/* Takes one whole line in: the first is the header. */
static int read_line(const char *text, size_t length, uint64_t offset, json_t **header,
                     struct row_list *rows, struct err *err)
{
    json_t *json = json_loadb(text, length, 0, NULL);
    struct row row;
    int failed = 0;
    if (!json && !*header)
        return err_set(err, ERR_FORMAT, "it holds no benchmark");
    if (!json)
        return err_format(err, offset, "this line is no JSON");
    if (!*header && is_header(json)) {
        *header = json;
        return stream_check_version(json, err);
    }
    if (!*header)
        failed = err_set(err, ERR_FORMAT, "it holds no benchmark");
    else if (row_parse(&row, json, err))
        failed = -1;
    else if (row_list_find(rows, &row))
        row_free(&row); /* what was there first stands */
    else
        failed = row_list_add(rows, &row, err);
    json_decref(json);
    return failed;
}

/* What a kill left of the first line, so that no other file is cut off by mistake. */
static bool is_torn_header(const struct str *text)
{
    static const char start[] = "{\"schema\":\"smfit.bench.stream\"";
    size_t n = text->len < sizeof start - 1 ? text->len : sizeof start - 1;
    return memcmp(text->p, start, n) == 0;
}

/* Returns how many bytes are whole lines, or -1. */
static ssize_t read_lines(const char *path, json_t **header, struct row_list *rows, struct err *err)
{
    struct str text = STR_INIT;
    *header = NULL;
    ssize_t whole = os_read_file(path, SIZE_MAX_BYTES, &text, err);
    for (size_t at = 0; whole >= 0 && at < text.len;) {
        const char *end = memchr(text.p + at, '\n', text.len - at);
        if (!end)
            break;
        size_t length = (size_t)(end - text.p) - at;
        whole =
            read_line(text.p + at, length, at, header, rows, err) ? -1 : (ssize_t)(at + length + 1);
        at += length + 1;
    }
    if (whole == 0 && !is_torn_header(&text))
        whole = err_set(err, ERR_FORMAT, "it holds no benchmark");
    if (whole < 0) {
        err_wrap(err, "'%s'", path);
        json_decref(*header);
        *header = NULL;
        row_list_free(rows);
    }
    str_free(&text);
    return whole;
}

int stream_read(const char *path, json_t **header, struct row_list *rows, struct err *err)
{
    if (read_lines(path, header, rows, err) < 0)
        return -1;
    return *header ? 0 : err_set(err, ERR_FORMAT, "'%s' holds no benchmark", path);
}

int stream_begin(const struct stream *s, const json_t *header, struct err *err)
{
    return write_line(s, header, err);
}

int stream_resume(struct stream *s, const char *path, json_t **header, struct row_list *rows,
                  struct err *err)
{
    s->path = path;
    s->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
    *header = NULL;
    if (s->fd < 0)
        return err_errno(err, "cannot open '%s'", path);
    if (take(s, err))
        goto fail;
    ssize_t whole = read_lines(path, header, rows, err);
    if (whole < 0)
        goto fail;
    if (ftruncate(s->fd, whole)) {
        err_errno(err, "cannot write '%s'", path);
        goto fail;
    }
    return 0;
fail:
    stream_close(s);
    json_decref(*header);
    *header = NULL;
    row_list_free(rows);
    return -1;
}

int stream_add(const struct stream *s, const struct row *row, struct err *err)
{
    if (s->fd < 0)
        return 0;
    json_t *json = row_json(row);
    int failed = json ? write_line(s, json, err) : err_set(err, ERR_MEMORY, "out of memory");
    json_decref(json);
    return failed;
}

void stream_close(struct stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}
