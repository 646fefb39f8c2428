/* Loads and stores of a warp.
 *
 * A warp's 32 addresses are taken together: if they lie in one allocation, are aligned, and have
 * the same distances from each other as last time, one check covers all. Anything else goes lane by
 * lane and so finds the lane at fault. */
#include <string.h>

#include "vgpu/exec_warp.h"
#include "vgpu/mem_pattern.h"

/* What both ways need to know of one instruction. */
struct access {
    const struct inst *in;
    uint32_t bytes; /* a lane, all vector elements */
    bool is_write;
};

/* Host memory of lane i: base + delta[i]. */
struct place {
    uint8_t *base;
    const int32_t *delta;
    uint8_t kind; /* enum pattern_kind */
};

uint64_t mem_lane_address(const struct warp *w, const struct inst *in, unsigned lane)
{
    uint64_t address = (uint64_t)in->imm;
    if (in->mods & MOD_FRAME)
        address += w->frame->local_base;
    if (in->target)
        address += w->worker->run->dynamic_base;
    if (in->a != INST_NONE)
        address += warp_lane(warp_in(w, in->a), in->mods & MOD_WIDE ? 8 : 4, lane);
    return address;
}

/* Resolves a generic address. */
static enum ptx_space space_of(uint64_t *address)
{
    uint64_t a = *address;
    if (a - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES) {
        *address = a - MEM_SHARED_WINDOW;
        return PTX_SHARED;
    }
    if (a - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES) {
        *address = a - MEM_LOCAL_WINDOW;
        return PTX_LOCAL;
    }
    if (a - MEM_PARAM_WINDOW < MEM_WINDOW_BYTES) {
        *address = a - MEM_PARAM_WINDOW;
        return PTX_PARAM;
    }
    return PTX_GLOBAL;
}

/* The block that holds a range; the one used last is the likeliest. */
static const struct mem_block *find_block(struct worker *worker, uint64_t address, uint64_t size)
{
    const struct mem_block *b = worker->last_block;
    if (!b || address < b->addr || address - b->addr > b->size ||
        size > b->size - (address - b->addr))
        b = mem_find(&worker->run->map, address, size);
    worker->last_block = b ? b : worker->last_block;
    if (b && b->pieces)
        mem_touch(b, address - b->addr, size);
    return b;
}

static bool inside(uint64_t address, uint64_t size, uint64_t limit)
{
    return size <= limit && address <= limit - size;
}

/* Host memory for [address, address + size) of a space; local memory is that of lane 0. */
static uint8_t *host_range(struct warp *w, enum ptx_space space, uint64_t address, uint64_t size,
                           bool is_write, enum exec_code *code)
{
    struct run *run = w->worker->run;
    *code = EXEC_ILLEGAL_ADDRESS;
    switch (space) {
    case PTX_SHARED:
        return inside(address, size, run->shared_bytes) ? w->block->shared + address : NULL;
    case PTX_LOCAL:
        return inside(address, size, run->local_stride) ? w->local + address : NULL;
    case PTX_PARAM:
        if (is_write)
            *code = EXEC_INVALID_SPACE;
        return !is_write && inside(address, size, run->fn->param_bytes) ? run->params + address
                                                                        : NULL;
    default: {
        const struct mem_block *b = find_block(w->worker, address, size);
        if (b && is_write && (b->flags & MEM_CONST)) {
            *code = EXEC_INVALID_SPACE;
            return NULL;
        }
        return b ? b->host + (address - b->addr) : NULL;
    }
    }
}

uint8_t *mem_lane_host(struct warp *w, const struct inst *in, unsigned lane, enum ptx_space space,
                       uint64_t address, uint32_t bytes, uint32_t align, bool is_write)
{
    enum exec_code code;
    uint64_t shown = address;
    if (space == PTX_GENERIC)
        space = space_of(&address);
    uint8_t *host = host_range(w, space, address, bytes, is_write, &code);
    if (!host) {
        exec_fail_access(w, in, lane, code, space, shown, bytes, is_write);
        return NULL;
    }
    if (address & (align - 1)) {
        exec_fail_access(w, in, lane, EXEC_MISALIGNED, space, shown, bytes, is_write);
        return NULL;
    }
    return space == PTX_LOCAL ? host + (size_t)lane * w->worker->run->local_stride : host;
}

/* ---- moving data ------------------------------------------------------------------------------
 */

static uint64_t read_bytes(const uint8_t *p, unsigned size, bool shared_with_others)
{
    uint64_t v = 0;
    switch (size) {
    case 1:
        return *p;
    case 2:
        memcpy(&v, p, 2);
        return v;
    case 4:
        return shared_with_others ? __atomic_load_n((const reg32 *)p, __ATOMIC_ACQUIRE)
                                  : *(const reg32 *)p;
    default:
        return shared_with_others ? __atomic_load_n((const reg64 *)p, __ATOMIC_ACQUIRE)
                                  : *(const reg64 *)p;
    }
}

static void write_bytes(uint8_t *p, unsigned size, uint64_t v, bool shared_with_others)
{
    switch (size) {
    case 1:
        *p = (uint8_t)v;
        break;
    case 2:
        memcpy(p, &v, 2);
        break;
    case 4:
        if (shared_with_others)
            __atomic_store_n((reg32 *)p, (uint32_t)v, __ATOMIC_RELEASE);
        else
            *(reg32 *)p = (uint32_t)v;
        break;
    default:
        if (shared_with_others)
            __atomic_store_n((reg64 *)p, v, __ATOMIC_RELEASE);
        else
            *(reg64 *)p = v;
    }
}

/* A loaded value as a register of `reg_size` bytes holds it. */
static uint64_t extend_value(uint64_t v, const struct inst *in)
{
    if (ptx_type_signed((enum ptx_type)in->type) && in->size < 8) {
        unsigned shift = 64 - 8u * in->size;
        v = (uint64_t)((int64_t)(v << shift) >> shift);
    }
    return in->type2 == 2 ? v & 0xffff : in->type2 == 1 ? v & 0xff : v;
}

static void load_lanes(const struct inst *in, void *d, const struct place *p, uint32_t mask)
{
    bool strong = in->mods & MOD_VOLATILE;
    FOR_LANES(lane, mask)
    {
        uint64_t v = read_bytes(p->base + p->delta[lane], in->size, strong);
        warp_set_lane(d, in->type2, lane, extend_value(v, in));
    }
}

static void broadcast(void *d, unsigned reg_size, uint64_t v)
{
    if (reg_size == 8)
        for (int i = 0; i < OP_LANES; i++)
            ((reg64 *)d)[i] = v;
    else
        for (int i = 0; i < OP_LANES; i++)
            ((reg32 *)d)[i] = (uint32_t)v;
}

/* All lanes are active, and no other thread is asked to look. */
static void load_whole(const struct warp *w, const struct inst *in, void *d, const struct place *p)
{
    if (p->kind == PATTERN_SAME)
        broadcast(d, in->type2, extend_value(read_bytes(p->base, in->size, false), in));
    else if (in->size == 4 && in->type2 == 4 && p->kind == PATTERN_DENSE && in->count == 1)
        memcpy(d, p->base, 4 * OP_LANES);
    else if (in->size == 8 && p->kind == PATTERN_DENSE && in->count == 1)
        memcpy(d, p->base, 8 * OP_LANES);
    else if (in->size == 4 && in->type2 == 4)
        w->worker->run->code->ops->gather32(d, p->base, p->delta);
    else
        load_lanes(in, d, p, EXEC_ALL_LANES);
}

static void move_in(struct warp *w, const struct inst *in, struct place p, uint32_t mask)
{
    const uint32_t *refs = w->frame->fn->lists + in->list;
    bool whole = mask == EXEC_ALL_LANES && !(in->mods & MOD_VOLATILE);
    for (unsigned k = 0; k < in->count; k++, p.base += in->size) {
        void *d = w->regs + refs[k];
        if (whole)
            load_whole(w, in, d, &p);
        else
            load_lanes(in, d, &p, mask);
    }
}

static void move_out(struct warp *w, const struct inst *in, struct place p, uint32_t mask)
{
    const uint32_t *refs = w->frame->fn->lists + in->list;
    bool strong = in->mods & MOD_VOLATILE;
    for (unsigned k = 0; k < in->count; k++, p.base += in->size) {
        const void *s = warp_in(w, refs[k]);
        uint32_t m = mask;
        if (mask == EXEC_ALL_LANES && p.kind == PATTERN_DENSE && in->count == 1 && !strong &&
            in->size >= 4 && in->type2 == in->size) {
            memcpy(p.base, s, in->size * OP_LANES);
            continue;
        }
        FOR_LANES(lane, m)
        write_bytes(p.base + p.delta[lane], in->size, warp_lane(s, in->type2, lane), strong);
    }
}

/* Lanes whose whole element is poison. One byte of it tells nothing. */
static void find_unwritten(struct warp *w, const struct inst *in, const struct place *p,
                           uint32_t mask)
{
    uint64_t poison = MEM_POISON * UINT64_C(0x0001000100010001);
    if (in->size < 2)
        return;
    FOR_LANES(lane, mask)
    {
        for (unsigned k = 0; k < in->count; k++) {
            uint64_t v = read_bytes(p->base + p->delta[lane] + k * in->size, in->size, false);
            if (v != poison >> (64 - 8 * in->size))
                continue;
            uint64_t address = mem_lane_address(w, in, lane) + k * in->size;
            exec_note_unwritten(w, in, lane, (enum ptx_space)in->space, address, in->size);
        }
    }
}

static void move(struct warp *w, const struct access *a, struct place p, uint32_t mask)
{
    if (a->is_write) {
        move_out(w, a->in, p, mask);
        return;
    }
    if (__builtin_expect(w->worker->run->launch->find_unwritten, 0))
        find_unwritten(w, a->in, &p, mask);
    move_in(w, a->in, p, mask);
}

/* ---- one access -------------------------------------------------------------------------------
 */

static const int32_t no_delta[OP_LANES] __attribute__((aligned(64)));

static int lane_by_lane(struct warp *w, const struct access *a, uint32_t mask)
{
    int32_t delta[OP_LANES] = { 0 };
    FOR_LANES(lane, mask)
    {
        uint64_t address = mem_lane_address(w, a->in, lane);
        uint8_t *host = mem_lane_host(w, a->in, lane, (enum ptx_space)a->in->space, address,
                                      a->bytes, a->bytes, a->is_write);
        if (!host)
            return EXEC_ILLEGAL_ADDRESS; /* what exactly stands in the fault */
        move(w, a, (struct place){ .base = host, .delta = delta, .kind = PATTERN_ANY },
             UINT32_C(1) << lane);
    }
    return 0;
}

/* All lanes at once; false when something about them is unusual. */
static bool together(struct warp *w, const struct access *a, const struct pattern *p,
                     uint64_t address, uint32_t mask)
{
    enum ptx_space space = (enum ptx_space)a->in->space;
    enum exec_code code;
    if (space == PTX_GENERIC)
        space = space_of(&address);
    if ((address | p->low_bits) & (a->bytes - 1))
        return false;
    uint64_t first = address + (uint64_t)(int64_t)p->least;
    uint64_t size = (uint64_t)((int64_t)p->most - p->least) + a->bytes;
    if (first > address && p->least < 0)
        return false;
    uint8_t *host = host_range(w, space, first, size, a->is_write, &code);
    if (!host)
        return false;
    struct place place = { .base = host - p->least, .delta = p->delta, .kind = p->kind };
    int32_t apart[OP_LANES];
    if (space == PTX_LOCAL) {
        int32_t stride = (int32_t)w->worker->run->local_stride;
        for (int i = 0; i < OP_LANES; i++)
            apart[i] = p->delta[i] + i * stride;
        place.delta = apart;
        place.kind = PATTERN_ANY;
    }
    mem_count(w->worker, a->in, space, p, address, a->bytes, mask, a->is_write);
    move(w, a, place, mask);
    return true;
}

static int access(struct warp *w, const struct inst *in, uint32_t mask, bool is_write)
{
    struct access a = { .in = in, .bytes = (uint32_t)in->size * in->count, .is_write = is_write };
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t address = mem_lane_address(w, in, first);
    struct pattern *p = &w->worker->patterns[w->frame->function][in->slot];
    if (mem_pattern(w, in, p, address, a.bytes, first, mask) && together(w, &a, p, address, mask))
        return 0;
    mem_count_scattered(w, in, a.bytes, mask, is_write);
    return lane_by_lane(w, &a, mask);
}

int mem_load(struct warp *w, const struct inst *in, uint32_t mask)
{
    return access(w, in, mask, false);
}

int mem_store(struct warp *w, const struct inst *in, uint32_t mask)
{
    return access(w, in, mask, true);
}

/* A kernel's parameter: the same for all lanes, inside the buffer by construction. */
int mem_load_param(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct place p = { .base = w->worker->run->params + in->imm,
                       .delta = no_delta,
                       .kind = PATTERN_SAME };
    uint32_t total = (uint32_t)in->size * in->count;
    if ((uint64_t)in->imm & (total - 1))
        return exec_fail_access(w, in, (unsigned)__builtin_ctz(mask), EXEC_MISALIGNED, PTX_PARAM,
                                (uint64_t)in->imm, total, false);
    move_in(w, in, p, mask);
    return 0;
}
