/* Instructions by which lanes of a warp see each other. */
#include "vgpu/exec_warp.h"

static uint32_t active_members(const struct warp *w, const struct inst *in, uint32_t mask)
{
    if (!(in->mods & MOD_SYNC))
        return mask;
    return mask & (uint32_t)warp_lane(warp_in(w, in->e), 4, (unsigned)__builtin_ctz(mask));
}

static unsigned shfl_source(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *inside)
{
    unsigned offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    unsigned low = lane & segment, high = low | (clamp & ~segment);
    int j;
    switch (mode) {
    case EXEC_SHFL_UP:
        j = (int)lane - (int)offset;
        *inside = j >= (int)high;
        break;
    case EXEC_SHFL_DOWN:
        j = (int)(lane + offset);
        *inside = j <= (int)high;
        break;
    case EXEC_SHFL_BFLY:
        j = (int)(lane ^ offset);
        *inside = j <= (int)high;
        break;
    default:
        j = (int)(low | (offset & ~segment));
        *inside = j <= (int)high;
    }
    return *inside ? (unsigned)j : lane;
}

/* A source lane that does not take part gives whatever its register holds: undefined in PTX. */
int exec_shfl(struct warp *w, const struct inst *in, uint32_t mask)
{
    const void *a = warp_in(w, in->a), *b = warp_in(w, in->b), *c = warp_in(w, in->c);
    uint32_t values[OP_LANES], insides = 0, lanes = mask;
    FOR_LANES(lane, lanes)
    {
        bool inside;
        unsigned from = shfl_source(in->op, lane, (uint32_t)warp_lane(b, 4, lane),
                                    (uint32_t)warp_lane(c, 4, lane), &inside);
        values[lane] = (uint32_t)warp_lane(a, 4, from & 31);
        insides |= (uint32_t)inside << lane;
    }
    lanes = mask;
    FOR_LANES(lane, lanes)
    warp_set_lane(w->regs + in->d, 4, lane, values[lane]);
    if (in->list_defs)
        warp_set_pred(w, w->frame->fn->lists[in->list], insides, mask);
    return 0;
}

int exec_vote(struct warp *w, const struct inst *in, uint32_t mask)
{
    uint32_t members = active_members(w, in, mask), result;
    uint32_t p = (warp_pred(w, in->a) ^ (in->mods & MOD_A_NOT ? UINT32_MAX : 0)) & members;
    switch (in->op) {
    case EXEC_VOTE_BALLOT:
        FOR_LANES(lane, mask)
        warp_set_lane(w->regs + in->d, 4, lane, p);
        return 0;
    case EXEC_VOTE_ALL:
        result = p == members;
        break;
    case EXEC_VOTE_ANY:
        result = p != 0;
        break;
    default:
        result = p == members || p == 0;
    }
    warp_set_pred(w, in->d, result ? UINT32_MAX : 0, mask);
    return 0;
}

/* imm: 1 for match.all. */
int exec_match(struct warp *w, const struct inst *in, uint32_t mask)
{
    const void *a = warp_in(w, in->a);
    uint32_t members = active_members(w, in, mask), results[OP_LANES], lanes = members, all = 0;
    FOR_LANES(lane, lanes)
    {
        uint64_t v = warp_lane(a, in->size, lane);
        uint32_t same = 0, others = members;
        FOR_LANES(other, others)
        same |= (uint32_t)(warp_lane(a, in->size, other) == v) << other;
        all = same == members ? members : 0;
        results[lane] = same;
    }
    lanes = members;
    FOR_LANES(lane, lanes)
    warp_set_lane(w->regs + in->d, 4, lane, in->imm ? all : results[lane]);
    if (in->list_defs)
        warp_set_pred(w, w->frame->fn->lists[in->list], all ? UINT32_MAX : 0, mask);
    return 0;
}

int exec_activemask(struct warp *w, const struct inst *in, uint32_t mask)
{
    uint32_t lanes = mask;
    FOR_LANES(lane, lanes)
    warp_set_lane(w->regs + in->d, 4, lane, mask);
    return 0;
}

static uint32_t reduce(uint32_t x, uint32_t y, const struct inst *in)
{
    bool sign = in->type == PTX_S32;
    bool less = sign ? (int32_t)y < (int32_t)x : y < x;
    switch (in->op) {
    case MEM_ATOM_ADD:
        return x + y;
    case MEM_ATOM_MIN:
        return less ? y : x;
    case MEM_ATOM_MAX:
        return less ? x : y;
    case MEM_ATOM_AND:
        return x & y;
    case MEM_ATOM_OR:
        return x | y;
    default:
        return x ^ y;
    }
}

int exec_redux(struct warp *w, const struct inst *in, uint32_t mask)
{
    const void *a = warp_in(w, in->a);
    uint32_t members = active_members(w, in, mask), lanes = members;
    bool first = true;
    uint32_t result = 0;
    FOR_LANES(lane, lanes)
    {
        uint32_t v = (uint32_t)warp_lane(a, 4, lane);
        result = first ? v : reduce(result, v, in);
        first = false;
    }
    lanes = mask;
    FOR_LANES(lane, lanes)
    warp_set_lane(w->regs + in->d, 4, lane, result);
    return 0;
}

/* One lane of the members is chosen: the lowest. */
int exec_elect(struct warp *w, const struct inst *in, uint32_t mask)
{
    uint32_t members = active_members(w, in, mask), lanes = mask;
    unsigned leader = members ? (unsigned)__builtin_ctz(members) : 0;
    FOR_LANES(lane, lanes)
    warp_set_lane(w->regs + in->d, 4, lane, leader);
    warp_set_pred(w, w->frame->fn->lists[in->list], UINT32_C(1) << leader, mask);
    return 0;
}
