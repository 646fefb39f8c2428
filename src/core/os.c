#include "core/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READ_SIZE ((size_t)4096)

uint64_t os_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool os_is_terminal(int fd)
{
    return isatty(fd) == 1;
}

static enum os_file_kind kind_of(mode_t mode)
{
    return S_ISREG(mode)    ? OS_FILE_REGULAR
           : S_ISDIR(mode)  ? OS_FILE_FOLDER
           : S_ISFIFO(mode) ? OS_FILE_FIFO
           : S_ISSOCK(mode) ? OS_FILE_SOCKET
                            : OS_FILE_DEVICE;
}

enum os_file_kind os_file_kind(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? kind_of(st.st_mode) : OS_FILE_MISSING;
}

const char *os_file_kind_name(enum os_file_kind kind)
{
    static const char *const names[] = {
        [OS_FILE_MISSING] = "missing", [OS_FILE_REGULAR] = "file",  [OS_FILE_FOLDER] = "folder",
        [OS_FILE_FIFO] = "FIFO",       [OS_FILE_SOCKET] = "socket", [OS_FILE_DEVICE] = "device",
    };
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

/* Non-blocking, because opening a FIFO that nobody writes to would wait for ever. */
int os_open_regular(const char *path, struct err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_errno(err, "cannot open '%s'", path);
    if (fstat(fd, &st) < 0) {
        err_errno(err, "cannot stat '%s'", path);
    } else if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_IO, "cannot read '%s': it is a %s", path,
                os_file_kind_name(kind_of(st.st_mode)));
    } else {
        return fd;
    }
    close(fd);
    return -1;
}

/* One byte more than is allowed is asked for, so that a file of exactly that size is told from a
 * larger one. */
static int read_all(int fd, const char *path, size_t size_max, struct str *out, struct err *err)
{
    char block[READ_SIZE];
    size_t done = 0;
    for (;;) {
        size_t left = size_max - done;
        ssize_t n = read(fd, block, left < sizeof block ? left + 1 : sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(err, "cannot read '%s'", path);
        if (n == 0)
            return 0;
        if ((size_t)n > left)
            return err_set(err, ERR_LIMIT, "cannot read '%s': it is larger than %zu bytes", path,
                           size_max);
        str_add_bytes(out, block, (size_t)n);
        if (out->failed)
            return err_set(err, ERR_MEMORY, "out of memory for '%s'", path);
        done += (size_t)n;
    }
}

int os_read_file(const char *path, size_t size_max, struct str *out, struct err *err)
{
    size_t before = out->len;
    int fd = os_open_regular(path, err);
    if (fd < 0)
        return -1;
    int rc = read_all(fd, path, size_max, out, err);
    close(fd);
    if (rc < 0 && out->len > before) {
        out->len = before;
        out->p[before] = 0;
    }
    return rc;
}
