/* A container image in a file, as "docker save" writes it, laid out in a temporary folder so that
 * doctor can look at it like at a saved tree: what may hold GPU code, and the notes of pip, conda
 * and the distribution. Nothing in it is run. */
#ifndef DOCTOR_SAVED_IMAGE_H
#define DOCTOR_SAVED_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/os_folder.h"

#define SAVED_IMAGE_BYTES_MAX ((uint64_t)64 << 30) /* that are written */

struct saved_image {
    char folder[OS_FOLDER_SIZE]; /* the tree; "" none */
    bool partial;                /* time or a bound ended the reading */
    size_t damage_count;         /* layers, and parts of the file, that could not be read */
    char damaged[300];           /* the first of them, as manifest.json or the file names it */
    struct err damage;           /* and what is wrong with it */
};

/* Reads until `deadline_ns` (0: none). -1 when the file cannot be read, or is no image: no archive,
 * or without a manifest that names layers. Damage is none: the rest is laid out. saved_image_close
 * after both; it removes the folder. */
int saved_image_open(const char *path, uint64_t deadline_ns, struct saved_image *image,
                     struct err *err);
void saved_image_close(struct saved_image *image);

#endif
