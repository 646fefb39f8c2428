/* What GPU code one file holds, summed up for a verdict: groups of containers that the driver would
 * treat alike, each with whose kernels they are. Nothing is imported or run. */
#ifndef DOCTOR_HOLDS_H
#define DOCTOR_HOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/rules.h"
#include "core/err.h"

#define HOLDS_IMAGES_MAX 64   /* different images in one container; further ones are left out */
#define HOLDS_GROUPS_MAX 1024 /* in one file; further containers are counted with the last */

/* Whose kernels a container has. PyTorch links parts of NVIDIA's libraries into its own files, and
 * those hold code for cards that PyTorch itself no longer serves. */
enum holds_origin { HOLDS_UNTOLD, HOLDS_OWN, HOLDS_NVIDIA };

struct holds_group {
    struct arch_image *images;
    size_t image_count;
    uint64_t containers;
    enum holds_origin origin;
    enum arch_path path;
    bool linked;     /* relocatable: input of the device linker */
    char kernel[96]; /* the name of one of its kernels; "" none was looked at */
};

struct holds {
    struct holds_group *groups;
    size_t group_count;
    uint64_t containers; /* with kernels, as far as was looked */
    uint64_t empty;      /* stubs without a kernel */
    uint64_t problems;   /* damaged places */
    bool cut;            /* some containers are in a group that is not theirs, or time ran out */
};

/* Reads `full`, a regular file of this machine, until `deadline_ns` (os_now_ns; 0: none). -1 when
 * it cannot be read; a file without GPU code has no groups. holds_free after both. */
int holds_read(const char *full, uint64_t deadline_ns, struct holds *holds, struct err *err);
void holds_free(struct holds *holds);

/* "libcudnn.so.8", "cublasLt64_11.dll": a file that NVIDIA makes, whatever package it is in. */
bool holds_is_nvidia_file(const char *path);

/* Every arch in the file's own code, "sm_37 sm_50 compute_37": of PyTorch's own kernels where they
 * can be told, else of all that is not NVIDIA's. */
struct str;
void holds_add_archs(struct str *to, const struct holds *holds);

/* Whether this group counts for what the file's maker built. */
bool holds_counts(const struct holds *holds, const struct holds_group *group);

#endif
