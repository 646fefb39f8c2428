#include "doctor/patient.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os.h"

struct patient {
    int fd;
    uint64_t deadline_ns;
};

static int in_time(const struct patient *p, struct err *err)
{
    if (p->deadline_ns && os_now_ns() > p->deadline_ns)
        return err_set(err, ERR_LIMIT, "the time for reading files is up");
    return 0;
}

static long long read_next(void *self, void *to, size_t size, struct err *err)
{
    const struct patient *p = self;
    if (in_time(p, err))
        return -1;
    ssize_t n = read(p->fd, to, size);
    return n < 0 ? err_errno(err, "cannot read") : n;
}

static int skip(void *self, uint64_t size, struct err *err)
{
    const struct patient *p = self;
    if (in_time(p, err))
        return -1;
    return lseek(p->fd, (off_t)size, SEEK_CUR) < 0 ? err_errno(err, "cannot seek") : 0;
}

static long long read_at(void *self, uint64_t offset, void *to, size_t size, struct err *err)
{
    const struct patient *p = self;
    if (in_time(p, err))
        return -1;
    ssize_t n = pread(p->fd, to, size, (off_t)offset);
    return n < 0 ? err_errno(err, "cannot read") : n;
}

static void close_file(void *self)
{
    struct patient *p = self;
    close(p->fd);
    free(p);
}

struct input *patient_open(const char *path, uint64_t deadline_ns, struct err *err)
{
    static const struct input_ops ops = { read_next, skip, read_at, close_file };
    struct stat st;
    struct patient *p = malloc(sizeof *p);
    if (!p) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    *p = (struct patient){ os_open_regular(path, err), deadline_ns };
    struct input *in = NULL;
    if (p->fd >= 0 && fstat(p->fd, &st))
        err_errno(err, "cannot stat '%s'", path);
    else if (p->fd >= 0)
        in = input_new(&ops, p, (uint64_t)st.st_size, err);
    if (!in) {
        if (p->fd >= 0)
            close(p->fd);
        free(p);
    }
    return in;
}
