/* The images of one file, counted: bounded memory however many images the file holds.
 *
 * Images that are alike in all that matters share a row. Containers with the same set of rows share
 * a group, since the driver chooses per container and would treat them all alike. */
#ifndef CLI_TALLY_H
#define CLI_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/rules.h"
#include "core/err.h"
#include "image/scan.h"

/* What files of this world need is below a tenth of these; what is beyond shares the last row. */
#define TALLY_ROWS_MAX   1024
#define TALLY_GROUPS_MAX 4096

struct tally_row {
    struct image image; /* of the first; offsets and sizes mean nothing here */
    uint64_t count;
    uint64_t bytes;          /* stored, without headers and padding */
    uint64_t unpacked_bytes; /* what they are when decompressed */
};

/* What becomes of a container. */
enum tally_use {
    TALLY_LOADED, /* the driver chooses an image of it */
    TALLY_LINKED, /* relocatable (-rdc): input of the device linker, whose product is another one */
    TALLY_EMPTY,  /* no kernels, as in the stub that every nvcc program carries: nothing to miss */
};

struct tally_group {
    enum tally_use use;
    uint16_t *rows; /* ascending, each once */
    size_t row_count;
    enum image_container_kind kind;
    uint64_t count;
    uint64_t bytes; /* of the containers, headers included */
};

struct tally {
    struct tally_row *rows;
    size_t row_count;
    struct tally_group *groups;
    size_t group_count;
    uint64_t container_count, image_count, bytes;
    uint64_t linked_count, empty_count; /* of the containers */
    bool overflowed;                    /* some images share a row that is not theirs */
    /* the container that is being read */
    uint16_t open_rows[TALLY_ROWS_MAX];
    uint64_t open_count[TALLY_ROWS_MAX], open_bytes[TALLY_ROWS_MAX], open_unpacked[TALLY_ROWS_MAX];
    size_t open_row_count;
    bool open_linked; /* it has a relocatable image */
};

void tally_free(struct tally *t);

/* An image of the container that is being read. */
int tally_image(struct tally *t, const struct image *image, struct err *err);

/* The container ends: its images count. `empty`: it was found to have no kernels. `*group` is the
 * index of its group. */
int tally_container(struct tally *t, const struct scan_container *c, bool empty, size_t *group,
                    struct err *err);

/* The container ends and is left out (it was not asked for). */
void tally_drop(struct tally *t);

/* The group's images as the rules want them; returns how many (at most TALLY_ROWS_MAX). */
size_t tally_group_images(const struct tally *t, const struct tally_group *group,
                          struct arch_image *images);

/* Indices of the rows in the order in which people read them: cubins, PTX, LTO-IR, others, each by
 * arch. `order` has room for row_count. */
void tally_order(const struct tally *t, size_t *order);

/* The same for the rows of one group. */
void tally_group_order(const struct tally *t, const struct tally_group *group, size_t *order);

#endif
