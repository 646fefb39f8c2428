/* The regular files under a path, each folder in the order of its names. */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include <stdbool.h>

#include "core/err.h"

struct walk_sink {
    void *self;
    /* Returns 0, or -1 (err set) to stop. */
    int (*file)(void *self, const char *path, struct err *err);
    /* A folder that could not be read; the walk goes on. */
    void (*problem)(void *self, const char *path, const struct err *problem);
};

/* True for a folder, links to one included. */
bool walk_is_folder(const char *path);

/* Links inside are not followed: what they name is either in the folder as well or not part of it.
 * FIFOs, sockets and devices are passed over. Returns -1 when a callback stopped the walk. */
int walk_folder(const char *path, const struct walk_sink *sink, struct err *err);

#endif
