/* SHA-256 (FIPS 180-4): the build's list names images by it. */
#ifndef VGPU_DRV_SHA256_H
#define VGPU_DRV_SHA256_H

#include <stddef.h>

/* 64 hexadecimal digits and a NUL. */
void drv_sha256(const void *data, size_t size, char text[65]);

#endif
