/* Where libraries that may or may not be installed are looked for. */
#ifndef CORE_SEARCH_H
#define CORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

struct search {
    const char *const *folders; /* --lib-dir: looked at first, in this order */
    size_t folder_count;
    const char *const *sites; /* site-packages of Python environments */
    size_t site_count;
};

/* One library by its possible names, best first. A name may hold * and ? (for wheels that add a hash to
 * it). Within a folder of `sites` the folders that match `inside` are looked at, such as "nvidia/x/lib"
 * with a star in place of x. Lists end with NULL. */
struct search_for {
    const char *const *names;
    const char *const *inside;
    /* A library of the same folder to load first, since some wheels do not say that they need it;
     * "%s" is what follows ".so" in the name that was found. May be NULL. */
    const char *needs;
};

struct search_found {
    void *library;   /* for os_library_symbol and os_library_close */
    char path[1024]; /* as it was opened: a bare name when the loader found it */
};

/* Opens the first that loads and that `accept` (may be NULL) takes: each name in turn, in each place:
 * `folders`, the loader's own (LD_LIBRARY_PATH, ldconfig), $CUDA_HOME, $CUDA_PATH and /usr/local/cuda,
 * then `sites`. Returns -1 with ERR_MISSING: the reason of the first that was there and did not do, or
 * that there is none. */
int search_open(const struct search *where, const struct search_for *what,
                int (*accept)(void *self, const struct search_found *found, struct err *err),
                void *self, struct search_found *found, struct err *err);

#endif
