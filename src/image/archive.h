/* Opens what may be an archive (wheel/zip, conda, tar.*, deb, rpm, docker-save, nested to a bounded
 * depth) or a plain file, told by content, and hands over each leaf as a forward input. */
#ifndef IMAGE_ARCHIVE_H
#define IMAGE_ARCHIVE_H

#include "image/input.h"

#define ARCHIVE_DEPTH_MAX 4

struct archive_sink {
    void *self;
    /* One plain file: `member` is its path inside ("" when the file itself is no archive; levels are
     * joined by "!": "layer.tar!usr/lib/libx.so"). Returns 0 or -1 to stop. */
    int (*file)(void *self, const char *member, struct input *in, struct err *err);
    /* Damage in one member or archive; the walk goes on where it can. */
    void (*problem)(void *self, const char *member, const struct err *problem);
};

/* Walks `path`, or standard input for "-". Returns -1 when nothing could be read or a callback stopped it. */
int archive_walk(const char *path, const struct archive_sink *sink, struct err *err);

#endif
