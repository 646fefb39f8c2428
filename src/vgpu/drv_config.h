/* What the virtual driver plays, from the environment:
 *
 *   SMFIT_VGPU           card names separated by ";" (or by "," outside brackets), as in cards.tsv
 *                        or shortened: "GeForce 920M;Tesla K80 (per die)", "920m,k80"; "gtx980@5.3"
 *                        is that card with another capability
 *   SMFIT_VGPU_DRIVER    "470.256"; default: the newest branch that knows all cards
 *   SMFIT_VGPU_OS        "linux" (default) or "windows"
 *   SMFIT_VGPU_MANIFEST  the build's list of images, by which a cubin is found to be executable; its
 *                        PTX files stand beside it
 *   SMFIT_VGPU_LOG       see drv_log.h
 *   SMFIT_VGPU_FAULT     see drv_fault.h
 *   SMFIT_VGPU_COUNTERS  file to which each launch appends its counters, a JSON object a line
 *   SMFIT_VGPU_UNKNOWN   words that turn what is not known of real drivers the other way:
 *                          isa-fallback     a container's best PTX is too new: try the next lower one
 *                          cubin-fallback   a container's cubin is refused: try its PTX
 *                          cubin-arch=200   bare cubin for another card: 200 instead of 209
 *                          ptx-target=209   bare PTX for a later card: 209 instead of 218
 *                          isa-440=222      driver 440 gives 222 for a too new ISA instead of 218
 *                          divergent-barrier=off   below 7.0 a barrier in divergent code is no fault
 *                          report-uninitialised    loads of memory that nobody wrote are logged, see
 *                                                  find_unwritten in exec.h
 *
 * And what real drivers read: CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER, CUDA_FORCE_PTX_JIT,
 * CUDA_DISABLE_PTX_JIT (from CUDA 12 on also CUDA_FORCE_JIT, CUDA_DISABLE_JIT). */
#ifndef VGPU_DRV_CONFIG_H
#define VGPU_DRV_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"
#include "vgpu/drv_card.h"
#include "vgpu/drv_driver.h"
#include "vgpu/drv_fault.h"

enum { DRV_CARDS_MAX = 16 };

struct drv_config {
    struct drv_card cards[DRV_CARDS_MAX]; /* as given, also those the driver does not enumerate */
    size_t card_count;
    struct drv_driver driver;
    struct drv_faults faults;
    bool force_jit, disable_jit;
    bool isa_fallback, cubin_fallback;
    int cubin_arch_code, ptx_target_code;
    bool isa_440_is_222;
    bool divergent_barriers;         /* allowed below 7.0 */
    bool report_uninitialised;
    uint64_t budget;                 /* warp instructions of one launch, 0: the default */
    const char *manifest, *counters; /* NULL when not given */
};

/* Reads the environment. ERR_USAGE: SMFIT_VGPU is missing, or something in it is unknown. */
int drv_config_read(struct drv_config *config, struct err *err);

/* The parts, for tests. */
int drv_config_cards(struct drv_config *config, const char *names, struct err *err);
int drv_config_unknown(struct drv_config *config, const char *words, struct err *err);

#endif
