#include "core/os_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os_process.h"

#define CHUNK 2048 /* of names, on the stack once a level */

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

#define ENDING_COUNT (sizeof ending / sizeof *ending)

/* What the handler reads; changed with the signals blocked. */
static char folders[OS_FOLDERS_MAX][OS_FOLDER_SIZE];
static pid_t owner;

/* ---- removal: calls that a signal handler may make, and no others ---- */

static bool remove_in(int folder, const char *name, unsigned depth);

/* Removes what one reading of the folder shows; whether something went. */
static bool empty_once(int folder, unsigned depth)
{
    _Alignas(struct dirent64) char chunk[CHUNK];
    bool gone = false;
    ssize_t got;
    if (lseek(folder, 0, SEEK_SET) < 0)
        return false;
    while ((got = getdents64(folder, chunk, sizeof chunk)) > 0)
        for (ssize_t at = 0; at < got;) {
            const struct dirent64 *d = (const struct dirent64 *)(chunk + at);
            if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
                gone |= remove_in(folder, d->d_name, depth);
            at += d->d_reclen;
        }
    return gone;
}

static bool remove_in(int folder, const char *name, unsigned depth)
{
    if (unlinkat(folder, name, 0) == 0)
        return true;
    int inside = depth ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (inside >= 0) {
        /* Names that move while others are removed may be passed over. */
        while (empty_once(inside, depth - 1)) {
        }
        close(inside);
    }
    return unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

void os_remove_tree(const char *path)
{
    remove_in(AT_FDCWD, path, OS_FOLDER_DEPTH);
}

/* ---- signals ---- */

static void on_ending(int number)
{
    int before = errno;
    if (getpid() == owner) { /* no copy that is about to become another program */
        os_process_end_running();
        for (size_t i = 0; i < OS_FOLDERS_MAX; i++)
            if (*folders[i])
                os_remove_tree(folders[i]);
    }
    signal(number, SIG_DFL);
    raise(number); /* comes when the handler is left */
    errno = before;
}

static void all_ending(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < ENDING_COUNT; i++)
        sigaddset(set, ending[i]);
}

static void handle_signals(void)
{
    struct sigaction action = { .sa_handler = on_ending }, before;
    all_ending(&action.sa_mask);
    for (size_t i = 0; i < ENDING_COUNT; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &action, NULL);
    owner = getpid();
}

/* ---- folders ---- */

static char *place_of(const char *path)
{
    for (size_t i = 0; i < OS_FOLDERS_MAX; i++)
        if (strcmp(folders[i], path) == 0)
            return folders[i];
    return NULL;
}

static int make(char path[OS_FOLDER_SIZE], struct err *err)
{
    char *place = place_of("");
    if (!place)
        return err_set(err, ERR_LIMIT, "more than %u temporary folders", OS_FOLDERS_MAX);
    if (!mkdtemp(path))
        return err_errno(err, "cannot make a temporary folder '%s'", path);
    strcpy(place, path);
    return 0;
}

int os_folder_make(const char *purpose, char path[OS_FOLDER_SIZE], struct err *err)
{
    const char *base = getenv("TMPDIR");
    sigset_t blocked, before;
    int n = snprintf(path, OS_FOLDER_SIZE, "%s/smfit-%s-XXXXXX", base && *base ? base : "/tmp",
                     purpose);
    int rc = -1;
    if (n < 0 || n >= (int)OS_FOLDER_SIZE) {
        err_set(err, ERR_LIMIT, "the name of the temporary folder is too long");
    } else {
        all_ending(&blocked);
        sigprocmask(SIG_BLOCK, &blocked, &before);
        rc = make(path, err);
        if (!rc)
            handle_signals();
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    if (rc)
        *path = 0;
    return rc;
}

void os_folder_remove(char path[OS_FOLDER_SIZE])
{
    char *place = *path ? place_of(path) : NULL;
    if (*path)
        os_remove_tree(path);
    if (place)
        *place = 0; /* the first byte at once: the handler sees the name or none */
    *path = 0;
}
