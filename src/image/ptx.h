/* What PTX text says about itself. Pure; the text need not end in a NUL, and ends at the first. */
#ifndef IMAGE_PTX_H
#define IMAGE_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct ptx {
    unsigned version_major, version_minor;
    unsigned arch;         /* 35, 90, 120 */
    char suffix;           /* 'a', 'f' or 0 */
    unsigned address_size; /* 32 or 64; 0 when not stated */
    bool debug;
    unsigned toolkit_major, toolkit_minor; /* from the comment that nvcc writes; 0.0 without it */
    size_t start;                          /* of ".version", behind leading comments */
};

/* Reads `.version N.M`, `.target sm_XX` and `.address_size`; false when it is not PTX. */
bool ptx_parse_header(const uint8_t *text, size_t size, struct ptx *ptx);

/* The toolkit named in the first bytes of a text ("Cuda compilation tools, release 11.8"). */
bool ptx_find_toolkit(const uint8_t *text, size_t size, unsigned *major, unsigned *minor);

/* Bytes up to the first that cannot be part of a text (NUL or another control character), or size.
 */
size_t ptx_text_size(const uint8_t *text, size_t size);

/* Calls `kernel` for each `.entry`, in order; no NUL follows the name. Returns -1 when it does. */
int ptx_kernels(const uint8_t *text, size_t size,
                int (*kernel)(void *self, const char *name, size_t length, struct err *err),
                void *self, struct err *err);

#endif
