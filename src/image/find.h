/* Searches plain bytes for the places where a kernel image may begin. */
#ifndef IMAGE_FIND_H
#define IMAGE_FIND_H

#include <stddef.h>
#include <stdint.h>

enum find_kind {
    FIND_NOTHING,
    FIND_FATBIN,     /* 0xba55ed50 */
    FIND_OLD_FATBIN, /* 0x1ee55a01, CUDA 3 and before */
    FIND_ELF,        /* any ELF file: a host object or a bare cubin */
    FIND_PTX,        /* ".version" */
};

/* The longest pattern: a hit whose pattern begins less than this many bytes before `size` is not
 * seen, so the caller keeps FIND_OVERLAP bytes and looks again when more have come. */
#define FIND_OVERLAP 8

/* The first candidate in [0, size): its kind, and in `*at` its offset. FIND_NOTHING: `*at` is the
 * number of bytes in which nothing begins. */
enum find_kind find_candidate(const uint8_t *data, size_t size, size_t *at);

#endif
