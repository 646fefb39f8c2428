/* A copy of foreign bytes that nobody can read past: a page without access follows its last byte.
 */
#ifndef CORE_OS_GUARD_H
#define CORE_OS_GUARD_H

#include <stddef.h>

#include "core/err.h"

struct os_guard {
    void *data; /* `size` bytes, then one zero byte, then the guard; 16-byte aligned where size
                   allows */
    size_t size;
    void *base; /* the mapping */
    size_t mapped;
};

/* Room for `size` bytes to be filled by the caller. A reader that trusts sizes inside the bytes and
 * goes past them ends by SIGSEGV instead of reading what lies behind. */
int os_guard_new(struct os_guard *g, size_t size, struct err *err);
void os_guard_free(struct os_guard *g);

#endif
