/* The kernels of one container, each with the images that hold it. */
#ifndef CLI_KERNELS_H
#define CLI_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "image/image.h"

#define KERNELS_MAX       200000             /* in one container; further ones are not listed */
#define KERNELS_BYTES_MAX ((size_t)64 << 20) /* of their names; nor are those beyond */
#define KERNELS_ARCHS_MAX 64 /* different archs in one container; further ones share the last */

struct kernel {
    char *name;
    uint64_t archs; /* bit i: archs[i] holds it */
};

struct kernels {
    struct kernel *list; /* in the order in which they were met */
    size_t count, cap;
    size_t name_bytes;
    uint32_t *index; /* hash table of positions + 1 */
    size_t index_size;
    uint64_t seed; /* of the index: nobody can prepare names that fall into one place */
    char archs[KERNELS_ARCHS_MAX][24];
    size_t arch_count;
    uint64_t image_count; /* that were looked at */
    bool cut;             /* there were more */
};

void kernels_free(struct kernels *k);

/* Ready for the next container. */
void kernels_clear(struct kernels *k);

/* Adds the kernels of an unpacked image; images that name none (LTO-IR) add none. */
int kernels_add_image(struct kernels *k, const struct image *image, const uint8_t *data,
                      size_t size, struct err *err);

/* "sm_35 sm_50 compute_50" of kernel `i` */
struct str;
void kernels_add_archs(struct str *to, const struct kernels *k, size_t i);

/* Whether some kernel's name matches: a shell pattern, or part of the name when it has none of
 * "*?[". */
bool kernels_match(const struct kernels *k, const char *pattern);
bool kernels_name_matches(const char *name, const char *pattern);

#endif
