/* From the pointer that a program hands to cuModuleLoadData to the one image that is loaded: what
 * it points at, which image the driver's rules pick, and the code and log when none is. */
#ifndef VGPU_DRV_LOADER_H
#define VGPU_DRV_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/str.h"
#include "vgpu/drv_config.h"

struct drv_loaded {
    int code;         /* 0 or the driver's code */
    struct str error; /* the JIT's error log, "" when it never ran */
    bool is_ptx;
    unsigned arch; /* that it was built for */
    char suffix;
    unsigned isa; /* of PTX */
    uint8_t
        *payload; /* the image as the manifest counts it: a whole cubin, or PTX text with a NUL */
    size_t size;  /* bytes, without the NUL */
};

/* As with a real driver the image says itself how long it is: a fat binary by its header, a cubin
 * by its ELF tables, text by its NUL. Free `loaded` in all cases. */
void drv_loader_load(struct drv_loaded *loaded, const struct drv_config *config, unsigned cc,
                     const void *image);
/* Whether an image that is `size` bytes long ends where it says; text always does (a NUL follows).
 */
bool drv_loader_fits(const uint8_t *image, size_t size);
void drv_loader_free(struct drv_loaded *loaded);

#endif
