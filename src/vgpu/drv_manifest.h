/* The build's list of images, by which a cubin's PTX is found: the virtual GPU runs PTX only. */
#ifndef VGPU_DRV_MANIFEST_H
#define VGPU_DRV_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/str.h"

/* Appends to `ptx` the text that a cubin was built from. 1: found, 0: the list (or `manifest`
 * itself, when NULL) does not have it, -1: the list or the PTX cannot be read. */
int drv_manifest_ptx(const char *manifest, const uint8_t *cubin, size_t size, struct str *ptx,
                     struct err *err);

#endif
