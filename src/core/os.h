/* What the program asks of the system about files, terminals and time. Processes and shared
 * libraries are in os_process.h and os_library.h; nothing outside these files knows the system. */
#ifndef CORE_OS_H
#define CORE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/str.h"

/* Monotonic time, for intervals only. */
uint64_t os_now_ns(void);

bool os_is_terminal(int fd);

enum os_file_kind {
    OS_FILE_MISSING, /* not there, or not to be looked at */
    OS_FILE_REGULAR,
    OS_FILE_FOLDER,
    OS_FILE_FIFO,
    OS_FILE_SOCKET,
    OS_FILE_DEVICE,
};

/* Follows symbolic links. */
enum os_file_kind os_file_kind(const char *path);

/* "file", "folder", "FIFO" ...: for messages. */
const char *os_file_kind_name(enum os_file_kind kind);

/* A regular file for reading; anything else is refused without waiting for it: a FIFO that nobody
 * writes to would hold an ordinary open() for ever. Every file of a tree that is looked at is opened
 * by this. -1 with err set; the caller closes. */
int os_open_regular(const char *path, struct err *err);

/* Appends the whole of a small regular file to `out`, as bytes (files of /proc and /sys too, whose
 * stated size is wrong). Refuses anything else without waiting for it, and with ERR_LIMIT what is
 * larger than `size_max`; then `out` is as it was. */
int os_read_file(const char *path, size_t size_max, struct str *out, struct err *err);

#define OS_WALK_DEPTH_MAX   64u
#define OS_WALK_ENTRIES_MAX 1000000u /* in one folder */
#define OS_WALK_LINKED_MAX  1000000u /* files that are remembered because they have several names  \
                                      */

struct os_walk_sink {
    void *self;
    /* Each regular file. Returns 0, or -1 to stop the walk (with err set). */
    int (*file)(void *self, const char *path, struct err *err);
    /* A folder or name that cannot be read or is over a bound; the walk goes on. May be NULL. */
    void (*problem)(void *self, const char *path, const struct err *problem);
};

/* Walks a folder and all that it holds, hidden names too, in the order of their bytes. Symbolic
 * links to folders are not followed, so that there are no loops; those to regular files are. Each
 * file comes once, whatever its names: under its own name where it is inside `dir`, else under the
 * first that leads to it. FIFOs, sockets, devices, dangling links and the kernel's own file systems
 * (/proc, /sys, unless `dir` is in one) are passed over. Memory grows with the largest folder on the way down, not with the tree. Returns -1 when `dir` itself cannot
 * be read or a callback stopped it. */
int os_walk(const char *dir, const struct os_walk_sink *sink, struct err *err);

#endif
