#include "doctor/explain.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os.h"

#define PIECE ((size_t)64 << 10)

static int read_from(int fd, struct str *text, bool *cut, const char *name, struct err *err)
{
    char piece[PIECE];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0)
            return err_errno(err, "cannot read '%s'", name);
        if (!n)
            return 0;
        size_t room = EXPLAIN_BYTES_MAX - text->len, take = (size_t)n < room ? (size_t)n : room;
        str_add_bytes(text, piece, take);
        if (text->failed)
            return err_set(err, ERR_MEMORY, "out of memory");
        if (take < (size_t)n) {
            *cut = true;
            return 0;
        }
    }
}

/* To where the last part of a large file begins. Of UTF-16 the mark at its start comes along, and
 * no unit is halved. */
static int go_to_end(int fd, const char *path, struct str *text, bool *cut, struct err *err)
{
    struct stat st;
    unsigned char mark[2];
    if (fstat(fd, &st))
        return err_errno(err, "cannot read '%s'", path);
    if ((uint64_t)st.st_size <= EXPLAIN_BYTES_MAX)
        return 0;
    *cut = true;
    off_t from = st.st_size - (off_t)EXPLAIN_BYTES_MAX;
    if (pread(fd, mark, 2, 0) == 2 && (mark[0] ^ mark[1]) == 1 && (mark[0] | mark[1]) == 0xff) {
        str_add_bytes(text, (const char *)mark, 2);
        from += 2 + from % 2;
    }
    if (lseek(fd, from, SEEK_SET) < 0)
        return err_errno(err, "cannot read '%s'", path);
    return 0;
}

/* A file that the shell has opened ends; a pipe may not. */
static int read_input(struct str *text, bool *cut, struct err *err)
{
    struct stat st;
    bool whole =
        !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
    return whole && go_to_end(STDIN_FILENO, "-", text, cut, err)
               ? -1
               : read_from(STDIN_FILENO, text, cut, "-", err);
}

int explain_read(const char *path, struct str *text, bool *cut, struct err *err)
{
    *cut = false;
    if (strcmp(path, "-") == 0)
        return read_input(text, cut, err);
    int fd = os_open_regular(path, err);
    if (fd < 0)
        return -1;
    int rc = go_to_end(fd, path, text, cut, err);
    if (!rc)
        rc = read_from(fd, text, cut, path, err);
    close(fd);
    return rc;
}
