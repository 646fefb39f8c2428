/* What a cubin (an ELF file for the GPU) says about itself. Pure: bytes in, structures out.
 *
 * Two ABIs are in use. ABI 7 and before (every toolkit to 12.x, for arch < 100): the arch is the
 * low byte of e_flags and the toolkit is e_version. ABI 8 (arch >= 100 from 12.8 on, every arch
 * from 13.0 on): the arch is the second byte, and the toolkit stands in the note sections
 * .note.nv.cuinfo (not in 12.8) and .note.nv.tkinfo (as text). Source: own reading of cubins that
 * ptxas 11.8, 12.9 and 13.0 wrote. */
#ifndef IMAGE_CUBIN_H
#define IMAGE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct cubin {
    unsigned abi;
    unsigned arch; /* 35, 90, 120 */
    char suffix;   /* 'a', 'f' or 0; ABI 8 needs cubin_read_notes for it */
    bool relocatable, bits32;
    bool debug; /* holds .debug_info, as -G writes it; needs cubin_read_notes */
    unsigned toolkit_major, toolkit_minor; /* 0.0 when unknown; ABI 8 needs cubin_read_notes */
    unsigned section_count;
    uint64_t size; /* bytes of the whole file as its tables state them */
};

#define CUBIN_HEADER_SIZE 64 /* bytes that cubin_parse_header may look at */

/* ERR_FORMAT when these bytes do not begin a cubin. */
int cubin_parse_header(const uint8_t *data, size_t size, struct cubin *cubin, struct err *err);

/* Bytes of the whole file. `data` reaches to the end of its tables (cubin->size), which some tools
 * put in front of the sections. */
uint64_t cubin_file_size(const uint8_t *data, size_t size);

/* Completes toolkit and suffix from the note sections and .nv.compat of a whole cubin. What is not
 * there or damaged leaves the fields as they are. */
void cubin_read_notes(const uint8_t *data, size_t size, struct cubin *cubin);

/* The same for the first bytes of a cubin, whose section table is not at hand: the notes are
 * searched by their owner's name. Returns whether the toolkit was found. */
bool cubin_find_notes(const uint8_t *data, size_t size, struct cubin *cubin);

/* Calls `kernel` for each kernel of a whole cubin, in the order of its symbol table; the name has
 * `length` bytes and no NUL need follow. Returns -1 when the callback does or the tables are
 * damaged. */
int cubin_kernels(const uint8_t *data, size_t size,
                  int (*kernel)(void *self, const char *name, size_t length, struct err *err),
                  void *self, struct err *err);

#endif
