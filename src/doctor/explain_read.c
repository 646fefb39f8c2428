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

/* To where the last part of a large file begins. */
static int go_to_end(int fd, const char *path, bool *cut, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_errno(err, "cannot read '%s'", path);
    if ((uint64_t)st.st_size <= EXPLAIN_BYTES_MAX)
        return 0;
    *cut = true;
    if (lseek(fd, st.st_size - (off_t)EXPLAIN_BYTES_MAX, SEEK_SET) < 0)
        return err_errno(err, "cannot read '%s'", path);
    return 0;
}

int explain_read(const char *path, struct str *text, bool *cut, struct err *err)
{
    *cut = false;
    if (strcmp(path, "-") == 0)
        return read_from(STDIN_FILENO, text, cut, path, err);
    int fd = os_open_regular(path, err);
    if (fd < 0)
        return -1;
    int rc = go_to_end(fd, path, cut, err);
    if (!rc)
        rc = read_from(fd, text, cut, path, err);
    close(fd);
    return rc;
}
