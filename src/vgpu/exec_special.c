/* Special registers, addresses that depend on the launch, carries, state space tests. */
#include "vgpu/exec_warp.h"

/* The axis is in->op. */
static uint32_t axis(const uint32_t v[3], unsigned component)
{
    return component < 3 ? v[component] : 0;
}

static uint32_t thread_axis(const struct warp *w, unsigned lane, unsigned component)
{
    const uint32_t *size = w->worker->run->launch->block;
    uint32_t number = w->id * OP_LANES + lane;
    switch (component) {
    case 0:
        return number % size[0];
    case 1:
        return number / size[0] % size[1];
    case 2:
        return number / size[0] / size[1];
    default:
        return 0;
    }
}

static uint64_t clock_khz(const struct warp *w)
{
    uint64_t khz = w->worker->run->launch->clock_khz;
    return khz ? khz : 1000000;
}

/* Clocks that go on with the instructions of this warp: four cycles each. */
static uint64_t cycles(const struct warp *w)
{
    return w->worker->run->launch->start_ns / 1000 * clock_khz(w) / 1000 + w->issued * 4;
}

static uint64_t nanoseconds(const struct warp *w)
{
    return w->worker->run->launch->start_ns + w->issued * 4 * 1000000 / clock_khz(w);
}

/* Values that are the same for all lanes. */
static uint64_t uniform(const struct warp *w, const struct inst *in)
{
    const struct run *run = w->worker->run;
    const struct exec_launch *l = run->launch;
    switch ((enum ptx_word)in->imm) {
    case PTX_W_ntid:
        return axis(l->block, in->op);
    case PTX_W_ctaid:
    case PTX_W_clusterid:
        return axis(w->block->index, in->op);
    case PTX_W_nctaid:
    case PTX_W_nclusterid:
        return axis(l->grid, in->op);
    case PTX_W_cluster_nctaid:
        return in->op < 3;
    case PTX_W_cluster_nctarank:
        return 1;
    case PTX_W_warpid:
        return w->id;
    case PTX_W_nwarpid:
        return 64;
    case PTX_W_smid:
        return w->block->linear % (l->sm_count ? l->sm_count : 1);
    case PTX_W_nsmid:
        return l->sm_count ? l->sm_count : 1;
    case PTX_W_clock:
    case PTX_W_clock64:
        return cycles(w);
    case PTX_W_clock_hi:
        return cycles(w) >> 32;
    case PTX_W_globaltimer:
    case PTX_W_globaltimer_lo:
        return nanoseconds(w);
    case PTX_W_globaltimer_hi:
        return nanoseconds(w) >> 32;
    case PTX_W_total_smem_size:
        return run->shared_bytes;
    case PTX_W_dynamic_smem_size:
        return l->dynamic_shared_bytes;
    default: /* gridid, is_explicit_cluster, cluster_ctaid, cluster_ctarank, aggr_smem_size */
        return 0;
    }
}

bool exec_special_known(enum ptx_word word)
{
    switch (word) {
    case PTX_W_tid:
    case PTX_W_laneid:
    case PTX_W_lanemask_eq:
    case PTX_W_lanemask_le:
    case PTX_W_lanemask_lt:
    case PTX_W_lanemask_ge:
    case PTX_W_lanemask_gt:
    case PTX_W_ntid:
    case PTX_W_ctaid:
    case PTX_W_clusterid:
    case PTX_W_nctaid:
    case PTX_W_nclusterid:
    case PTX_W_cluster_nctaid:
    case PTX_W_cluster_nctarank:
    case PTX_W_cluster_ctaid:
    case PTX_W_cluster_ctarank:
    case PTX_W_is_explicit_cluster:
    case PTX_W_warpid:
    case PTX_W_nwarpid:
    case PTX_W_smid:
    case PTX_W_nsmid:
    case PTX_W_gridid:
    case PTX_W_clock:
    case PTX_W_clock64:
    case PTX_W_clock_hi:
    case PTX_W_globaltimer:
    case PTX_W_globaltimer_lo:
    case PTX_W_globaltimer_hi:
    case PTX_W_total_smem_size:
    case PTX_W_dynamic_smem_size:
    case PTX_W_aggr_smem_size:
        return true;
    default:
        return false;
    }
}

static uint64_t by_lane(const struct warp *w, const struct inst *in, unsigned lane)
{
    uint32_t self = UINT32_C(1) << lane;
    switch ((enum ptx_word)in->imm) {
    case PTX_W_tid:
        return thread_axis(w, lane, in->op);
    case PTX_W_laneid:
        return lane;
    case PTX_W_lanemask_eq:
        return self;
    case PTX_W_lanemask_lt:
        return self - 1;
    case PTX_W_lanemask_le:
        return self | (self - 1);
    case PTX_W_lanemask_ge:
        return ~(self - 1);
    default: /* lanemask_gt */
        return ~(self | (self - 1));
    }
}

int exec_read_special(struct warp *w, const struct inst *in, uint32_t mask)
{
    enum ptx_word word = (enum ptx_word)in->imm;
    bool varies = word == PTX_W_tid || word == PTX_W_laneid || word == PTX_W_lanemask_eq ||
                  word == PTX_W_lanemask_lt || word == PTX_W_lanemask_le ||
                  word == PTX_W_lanemask_ge || word == PTX_W_lanemask_gt;
    uint64_t same = varies ? 0 : uniform(w, in);
    FOR_LANES(lane, mask)
    warp_set_lane(w->regs + in->d, in->size, lane, varies ? by_lane(w, in, lane) : same);
    return 0;
}

/* The address of something in the frame or in dynamic shared memory. */
int exec_read_address(struct warp *w, const struct inst *in, uint32_t mask)
{
    FOR_LANES(lane, mask)
    warp_set_lane(w->regs + in->d, in->size, lane, mem_lane_address(w, in, lane));
    return 0;
}

int exec_is_space(struct warp *w, const struct inst *in, uint32_t mask)
{
    uint32_t result = 0, lanes = mask;
    FOR_LANES(lane, lanes)
    {
        uint64_t a = warp_lane(warp_in(w, in->a), 8, lane);
        const struct mem_block *b = mem_find(&w->worker->run->map, a, 1);
        bool is;
        switch (in->space) {
        case PTX_SHARED:
            is = a - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES;
            break;
        case PTX_LOCAL:
            is = a - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES;
            break;
        case PTX_PARAM:
            is = a - MEM_PARAM_WINDOW < MEM_WINDOW_BYTES;
            break;
        case PTX_CONST:
            is = b && (b->flags & MEM_CONST);
            break;
        default:
            is = a >= MEM_FIRST && !(b && (b->flags & MEM_CONST));
        }
        result |= (uint32_t)is << lane;
    }
    warp_set_pred(w, in->d, result, mask);
    return 0;
}

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

/* One lane: a + b + carry and so on in twice the width; the bit above is the new carry. For
 * subtraction the flag is a borrow. */
static wide carry_sum(const struct inst *in, uint64_t a, uint64_t b, uint64_t c, unsigned carry)
{
    unsigned bits = in->size == 8 ? 64 : 32;
    bool sign = ptx_type_signed((enum ptx_type)in->type);
    wide all = bits == 64 ? (wide)UINT64_MAX : UINT32_MAX;
    if (in->op == EXEC_CARRY_ADD)
        return (wide)a + b + carry;
    if (in->op == EXEC_CARRY_SUB)
        return (wide)a - b - carry;
    wide product;
    if (bits == 64)
        product = sign ? (wide)((signed_wide)(int64_t)a * (int64_t)b) : (wide)a * b;
    else
        product = sign ? (wide)(uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (wide)(a * b);
    if (in->op == EXEC_CARRY_MAD_HI)
        product >>= bits;
    return (product & all) + c + carry;
}

int exec_carry(struct warp *w, const struct inst *in, uint32_t mask)
{
    const void *a = warp_in(w, in->a), *b = warp_in(w, in->b);
    const void *c = in->c == INST_NONE ? a : warp_in(w, in->c);
    unsigned bits = in->size == 8 ? 64 : 32;
    const uint32_t *lists = w->frame->fn->lists;
    FOR_LANES(lane, mask)
    {
        unsigned carry =
            in->list_uses ? (unsigned)warp_lane(warp_in(w, lists[in->list]), 4, lane) : 0;
        wide sum = carry_sum(in, warp_lane(a, in->size, lane), warp_lane(b, in->size, lane),
                             warp_lane(c, in->size, lane), carry & 1);
        warp_set_lane(w->regs + in->d, in->size, lane, (uint64_t)sum);
        if (in->e_is_def)
            warp_set_lane(w->regs + in->e, 4, lane, (uint64_t)(sum >> bits) & 1);
    }
    return 0;
}
