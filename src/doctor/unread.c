#include "doctor/unread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "doctor/link.h"

void unread_note(struct doctor *d, const char *full, const struct err *why)
{
    size_t root = strlen(d->sysroot);
    if (d->unasked || d->unread_count++)
        return;
    str_copy(d->unread, sizeof d->unread,
             root && strncmp(full, d->sysroot, root) == 0 ? full + root : full);
    err_clear(&d->unread_why);
    if (why->native)
        err_set(&d->unread_why, why->code, "%s", strerror(why->native));
    else
        err_set(&d->unread_why, why->code, "%s", why->msg);
}

bool unread_check(struct doctor *d, const char *path)
{
    char full[ROOT_PATH_MAX];
    struct err why;
    err_clear(&why);
    if (!root_resolve(d->sysroot, path, full) || !faccessat(AT_FDCWD, full, R_OK, AT_EACCESS) ||
        errno != EACCES)
        return false;
    err_errno(&why, "cannot open '%s'", full);
    unread_note(d, full, &why);
    return true;
}

/* Debuggers' files keep the table of the segments that they were split from, without the contents.
 */
bool unread_is_cut(const char *full)
{
    return !str_ends(full, ".debug") && link_is_cut(full);
}
