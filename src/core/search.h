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
    bool alone; /* look nowhere else */
};

/* One library by its possible names, best first. A name may hold * and ? (for wheels that add a hash to
 * it). Within a folder of `sites` the folders that match `inside` are looked at, such as "nvidia/x/lib"
 * with a star in place of x. Lists end with NULL. */
struct search_for {
    const char *const *names;
    const char *const *inside;
    /* The stem of a library of the same folder to load first ("libcublasLt", for libcublasLt.so.11 beside
     * libcublas.so.11): not every file says where its own needs lie. May be NULL. */
    const char *needs;
};

struct search_found {
    void *library;   /* for os_library_symbol */
    void *needed;
    char path[1024]; /* as it was opened: a bare name when the loader found it */
};

/* Opens the first that loads and that `accept` (may be NULL) takes: from `folders` each name, then each name
 * in turn from the loader's own places (LD_LIBRARY_PATH, ldconfig), $CUDA_HOME, $CUDA_PATH,
 * /usr/local/cuda and `sites`; these not where `folders` has one that does not do. Returns -1 with ERR_MISSING: why the first that was there did not do, or
 * that there is none; path is then that one's, or "". `where` may be NULL. */
int search_open(const struct search *where, const struct search_for *what,
                int (*accept)(void *self, const struct search_found *found, struct err *err),
                void *self, struct search_found *found, struct err *err);

/* NULL handles are allowed. The path stays. */
void search_close(struct search_found *found);

#endif
