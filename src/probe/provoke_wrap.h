/* Deliberately wrong images: containers with chosen entries, and PTX text that was tampered with.
 */
#ifndef PROBE_PROVOKE_WRAP_H
#define PROBE_PROVOKE_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"
#include "probe/images.h"

/* An entry of a container: an embedded image as it is, or its payload and header fields changed. */
struct wrap_entry {
    const struct probe_image *like; /* whose entry header is taken over */
    const void *payload;            /* NULL: that image's own */
    size_t size;                    /* of `payload`, without a NUL */
    unsigned arch;                  /* 0: that image's own; likewise below */
    char suffix;
    unsigned ptx_major, ptx_minor;
    bool zstd; /* the payload is stored compressed */
};

/* A fat binary with these entries, allocated, zero bytes behind it. NULL with err. */
void *wrap_container(const struct wrap_entry *entries, size_t count, size_t *size, struct err *err);

/* The PTX with its `.version` and `.target` replaced. Allocated; NULL: out of memory, or the text
 * has no such line. */
char *wrap_ptx_header(const char *text, unsigned major, unsigned minor, const char *target);

/* The PTX with the body of its kernel replaced by `body` ("ret;"). As above. */
char *wrap_ptx_body(const char *text, const char *body);

/* The PTX with the first `from` replaced by `to`. As above. */
char *wrap_ptx_replace(const char *text, const char *from, const char *to);

/* A copy of a cubin of ABI 7 that claims to be of another toolkit; NULL for another ABI. Allocated.
 */
void *wrap_cubin_toolkit(const struct probe_image *image, unsigned major, unsigned minor);

#endif
