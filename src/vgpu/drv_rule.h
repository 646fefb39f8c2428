/* Which image of a container a driver picks for a device, and what it says when none will do. Pure.
 *
 * Cubins come before PTX: the exact one, else the nearest lower minor of the same major; Tegra code
 * and desktop code never mix; `a` runs on its own capability only, `f` on its family from there up.
 * Then the highest PTX that is not above the device; that, once picked, may still be refused.
 * Source: CUDA C++ Programming Guide (binary and PTX compatibility, and its note on Tegra), the
 * notes on real drivers' behaviour for the codes. */
#ifndef VGPU_DRV_RULE_H
#define VGPU_DRV_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "vgpu/drv_config.h"

/* What is known of an image before it is unpacked. */
struct drv_candidate {
    bool is_ptx;
    bool zstd;
    bool other_size; /* for 32-bit addresses */
    unsigned arch;
    char suffix;
    unsigned isa; /* of PTX: 74; 0 when the header does not say */
};

/* Whether code for (arch, suffix) runs on `cc`, the driver apart. */
bool drv_rule_cubin_fits(unsigned arch, char suffix, unsigned cc);
bool drv_rule_ptx_fits(unsigned arch, char suffix, unsigned cc);

/* Index of the best of `count` candidates of that kind which is not in `tried` (may be NULL);
 * `count` when there is none. */
size_t drv_rule_pick(const struct drv_candidate *candidates, size_t count, const bool *tried,
                     bool ptx, unsigned cc);

/* The code for PTX of a newer ISA than the driver's compiler knows; 0 when it is not newer. */
int drv_rule_isa(const struct drv_config *config, unsigned isa);

/* The code for a cubin that this toolkit wrote (0: unknown), 0 when it loads. */
int drv_rule_toolkit(const struct drv_driver *driver, unsigned toolkit_major);

/* The code for an image packed with zstd, 0 when the driver can unpack it. */
int drv_rule_zstd(const struct drv_driver *driver);

/* The code when PTX would have to be compiled and that is switched off or impossible; else 0. */
int drv_rule_jit(const struct drv_config *config, bool library_works);

#endif
