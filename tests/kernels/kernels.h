/* Kernels of one build on one card, against references: what the programs of this folder share.
 *
 *   <program> LIBRARY FATBIN TARGET [FAMILY]
 *
 * runs the cases of one operation (all its families, or one) with the images that FATBIN has for
 * TARGET
 * ("35"): <family>.sm_35.cubin when the folder has a manifest.tsv (the virtual GPU finds a cubin's
 * PTX there), else <family>.compute_35.ptx. tests/kernels/run calls them for each target. The last
 * line is "N passed, N failed, N skipped"; a family without an image is skipped.
 *
 * A program is one file, tests/kernels/op_<operation>.c, which defines kernels_cases. */
#ifndef TESTS_KERNELS_H
#define TESTS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/gpu.h"

struct kernels {
    struct gpu gpu;
    const char *fatbin;
    const char *only; /* the family asked for; NULL: all */
    unsigned target;
    bool full; /* SMFIT_FULL: all cases, else a sample */
    int passed, failed, skipped;
};

/* Runs all cases of the operation. */
void kernels_cases(struct kernels *k);

/* Whether `family`, built from `lowest` up, is to be tested on this target; its images are used
 * from here on. Counts a missing image that should be there as skipped. */
bool kernels_family(struct kernels *k, const char *family, unsigned lowest);

/* Counts a case; when it failed prints what, in printf's words. */
void kernels_result(struct kernels *k, bool ok, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A driver call or kernel failed, after which a context is of no use: prints and ends the program
 * with that failure counted. */
void kernels_give_up(struct kernels *k, const struct err *err, const char *what)
    __attribute__((noreturn));

/* Device memory between guard bands of a pattern (on the virtual GPU, behind it there is nothing at
 * all), `offset` bytes behind an address that is a multiple of 256. Failures end the program. */
struct kernels_buffer {
    uint64_t base, address;
    size_t bytes, offset, behind;
};

/* Filled with `from`, or when that is NULL with bytes of 0xff: NaN in every format. */
void kernels_buffer_new(struct kernels *k, struct kernels_buffer *buffer, size_t bytes,
                        size_t offset, const void *from);
/* Reads all of it; false when a guard band was written to. */
bool kernels_buffer_read(struct kernels *k, const struct kernels_buffer *buffer, void *to);
void kernels_buffer_free(struct kernels *k, struct kernels_buffer *buffer);

/* calloc that does not fail. */
void *kernels_memory(size_t count, size_t size);

#endif
