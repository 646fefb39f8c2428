/* The shape of a warp's addresses, remembered by instruction, and what it costs on real hardware:
 * sectors and lines of global memory, passes over the banks of shared memory. */
#ifndef VGPU_MEM_PATTERN_H
#define VGPU_MEM_PATTERN_H

#include "vgpu/exec_warp.h"

/* Brings `p` up to date for addresses whose first active lane has `address`. False when they lie
 * too far apart for 32-bit distances. */
bool mem_pattern(struct warp *w, const struct inst *in, struct pattern *p, uint64_t address,
                 uint32_t bytes, unsigned first, uint32_t mask);

/* Adds an access to the worker's counters. */
void mem_count(struct worker *worker, const struct inst *in, enum ptx_space space,
               const struct pattern *p, uint64_t address, uint32_t bytes, uint32_t mask,
               bool is_write);
/* The same for lanes without a common pattern: each counts for itself. */
void mem_count_scattered(struct warp *w, const struct inst *in, uint32_t bytes, uint32_t mask,
                         bool is_write);

#endif
