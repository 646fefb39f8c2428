#include "vgpu/mem_pattern.h"

#include <string.h>

enum { SECTOR_BYTES = 32, LINE_BYTES = 128, BANKS = 32 };

/* How many different values of (address / unit) the active lanes have. */
static uint32_t distinct(const struct pattern *p, uint64_t address, uint32_t unit)
{
    uint64_t seen[OP_LANES];
    uint32_t count = 0, mask = p->mask;
    FOR_LANES(lane, mask)
    {
        uint64_t value = (address + (uint64_t)(int64_t)p->delta[lane]) / unit;
        uint32_t i = count;
        while (i > 0 && seen[i - 1] != value)
            i--;
        if (i == 0)
            seen[count++] = value;
    }
    return count;
}

/* Passes over the banks for a group of lanes: the most different words that fall into one bank. */
static uint32_t group_cycles(const struct pattern *p, uint64_t address, uint32_t bytes,
                             uint32_t group, uint32_t bank_bytes)
{
    uint64_t words[BANKS][OP_LANES];
    uint8_t depth[BANKS] = { 0 };
    uint32_t cycles = 0, mask = p->mask & group;
    FOR_LANES(lane, mask)
    {
        uint64_t start = address + (uint64_t)(int64_t)p->delta[lane];
        for (uint64_t word = start / bank_bytes; word <= (start + bytes - 1) / bank_bytes; word++) {
            unsigned bank = word % BANKS, i = 0;
            while (i < depth[bank] && words[bank][i] != word)
                i++;
            if (i == depth[bank] && i < OP_LANES)
                words[bank][depth[bank]++] = word;
            if (depth[bank] > cycles)
                cycles = depth[bank];
        }
    }
    return cycles;
}

/* Wide accesses go in halves or quarters of a warp, so that a conflict-free one moves 32 banks'
 * worth at a time. */
static uint32_t bank_cycles(const struct pattern *p, uint64_t address, uint32_t bytes,
                            uint32_t bank_bytes)
{
    uint32_t groups = bytes / bank_bytes;
    uint32_t cycles = 0;
    if (groups <= 1)
        return group_cycles(p, address, bytes, EXEC_ALL_LANES, bank_bytes);
    uint32_t lanes = groups >= 4 ? 8 : 16;
    for (uint32_t at = 0; at < OP_LANES; at += lanes)
        cycles += group_cycles(p, address, bytes, ((UINT32_C(1) << lanes) - 1) << at, bank_bytes);
    return cycles;
}

static void measure_shape(struct pattern *p, uint32_t bytes)
{
    bool same = true, dense = p->mask == EXEC_ALL_LANES;
    uint32_t mask = p->mask;
    p->least = p->most = 0;
    p->low_bits = 0;
    FOR_LANES(lane, mask)
    {
        int32_t delta = p->delta[lane];
        p->least = delta < p->least ? delta : p->least;
        p->most = delta > p->most ? delta : p->most;
        p->low_bits |= (uint8_t)delta;
        same &= delta == 0;
        dense &= delta == (int32_t)(lane * bytes);
    }
    p->kind = same ? PATTERN_SAME : dense ? PATTERN_DENSE : PATTERN_ANY;
}

static bool is_shared(const struct inst *in, uint64_t address)
{
    return in->space == PTX_SHARED ||
           (in->space == PTX_GENERIC && address - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES);
}

static void measure_cost(const struct warp *w, const struct inst *in, struct pattern *p,
                         uint64_t address, uint32_t bytes)
{
    p->base_low = address % LINE_BYTES;
    p->sectors = p->lines = p->cycles = 1;
    if (is_shared(in, address)) {
        if (p->kind != PATTERN_SAME)
            p->cycles = bank_cycles(p, address, bytes, w->worker->run->bank_bytes);
    } else if (p->kind == PATTERN_DENSE) {
        p->sectors = (p->base_low % SECTOR_BYTES + bytes * OP_LANES - 1) / SECTOR_BYTES + 1;
        p->lines = (p->base_low + bytes * OP_LANES - 1) / LINE_BYTES + 1;
    } else if (p->kind != PATTERN_SAME) {
        p->sectors = distinct(p, address, SECTOR_BYTES);
        p->lines = distinct(p, address, LINE_BYTES);
    }
}

/* Whether the cost that was computed for another first address still holds. */
static bool cost_holds(const struct warp *w, const struct inst *in, const struct pattern *p,
                       uint64_t address)
{
    if (p->kind == PATTERN_SAME || p->base_low == address % LINE_BYTES)
        return true;
    /* banks: moving all addresses by whole words only turns the banks round */
    return in->space == PTX_SHARED && (p->base_low - address) % w->worker->run->bank_bytes == 0;
}

static void no_register(struct pattern *p, uint32_t mask, uint32_t bytes)
{
    memset(p->delta, 0, sizeof p->delta);
    p->mask = mask;
    measure_shape(p, bytes);
    p->sectors = p->lines = p->cycles = 1;
}

bool mem_pattern(struct warp *w, const struct inst *in, struct pattern *p, uint64_t address,
                 uint32_t bytes, unsigned first, uint32_t mask)
{
    if (in->a == INST_NONE) {
        if (p->mask != mask)
            no_register(p, mask, bytes);
        return true;
    }
    bool wide = in->mods & MOD_WIDE, same = false;
    const void *reg = warp_in(w, in->a);
    int32_t delta[OP_LANES] __attribute__((aligned(64)));
    if (!w->worker->run->code->ops->deltas(delta, reg, wide, warp_lane(reg, wide ? 8 : 4, first),
                                           mask, p->delta, &same)) {
        p->kind = PATTERN_NONE;
        return false;
    }
    if (!same || p->mask != mask || p->kind == PATTERN_NONE) {
        memcpy(p->delta, delta, sizeof delta);
        p->mask = mask;
        measure_shape(p, bytes);
        measure_cost(w, in, p, address, bytes);
    } else if (!cost_holds(w, in, p, address)) {
        measure_cost(w, in, p, address, bytes);
    }
    return true;
}

void mem_count(struct worker *worker, const struct inst *in, enum ptx_space space,
               const struct pattern *p, uint64_t address, uint32_t bytes, uint32_t mask,
               bool is_write)
{
    struct exec_counters *c = &worker->counters;
    uint64_t asked = (uint64_t)bytes * (uint32_t)__builtin_popcount(mask);
    (void)in, (void)address;
    if (space == PTX_SHARED) {
        c->shared_requests++;
        c->shared_cycles += p->cycles;
    } else if (space == PTX_LOCAL) {
        /* a word of all threads lies together: as many sectors as the bytes fill */
        c->local_requests++;
        c->local_sectors += (asked + SECTOR_BYTES - 1) / SECTOR_BYTES;
    } else if (space == PTX_GLOBAL && is_write) {
        c->global_store_requests++;
        c->global_store_sectors += p->sectors;
        c->global_store_lines += p->lines;
        c->global_store_bytes += asked;
    } else if (space == PTX_GLOBAL) {
        c->global_load_requests++;
        c->global_load_sectors += p->sectors;
        c->global_load_lines += p->lines;
        c->global_load_bytes += asked;
    }
}

void mem_count_scattered(struct warp *w, const struct inst *in, uint32_t bytes, uint32_t mask,
                         bool is_write)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    struct pattern each = { .sectors = lanes, .lines = lanes, .cycles = lanes };
    uint64_t address = mem_lane_address(w, in, (unsigned)__builtin_ctz(mask));
    enum ptx_space space = (enum ptx_space)in->space;
    if (space == PTX_GENERIC)
        space = is_shared(in, address) ? PTX_SHARED : PTX_GLOBAL;
    mem_count(w->worker, in, space, &each, address, bytes, mask, is_write);
}
