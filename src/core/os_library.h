/* Shared libraries at run time. */
#ifndef CORE_OS_LIBRARY_H
#define CORE_OS_LIBRARY_H

#include <stdbool.h>

#include "core/err.h"

/* NULL on failure; `*found` then says whether a file of that name exists on the loader's path but
 * does not load (as far as the loader's message tells). */
void *os_library_open(const char *name, bool *found, struct err *err);

/* NULL when the library has no such symbol. */
void *os_library_symbol(void *library, const char *name);

/* NULL is allowed. */
void os_library_close(void *library);

#endif
