/* Driver versions that the virtual GPU can play: what CUDA release a branch belongs to, which PTX
 * it compiles, which codes it gives. Written from the notes on real drivers' behaviour, on purpose
 * without a look at src/arch: both are held against tests/data/load-matrix.tsv. */
#ifndef VGPU_DRV_DRIVER_H
#define VGPU_DRV_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

enum drv_os { DRV_LINUX, DRV_WINDOWS };

enum { DRV_NEWEST = 99999 }; /* minor number of a branch given without one */

struct drv_driver {
    enum drv_os os;
    unsigned branch, minor, patch; /* 470.256.02 */
    char text[24];                 /* as given */
    int cuda;                      /* as cuDriverGetVersion: 11040 */
    unsigned isa;                  /* newest PTX ISA that its compiler takes: 74 for 7.4 */
};

/* Parses "470", "470.256", "470.256.02". Versions between two known branches belong to the lower
 * one. Before 340 and above the newest known branch: ERR_USAGE. `os` is kept as it is. */
int drv_driver_parse(struct drv_driver *driver, const char *text, struct err *err);

/* The newest branch that is known, 0-based going down; false behind the oldest. */
bool drv_driver_branch(size_t index, unsigned *branch);

/* Whether `driver` is at least branch.minor. */
bool drv_driver_at_least(const struct drv_driver *driver, unsigned branch, unsigned minor);

#endif
