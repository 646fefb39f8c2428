/* The interpreter: one instruction for 32 lanes at a time. */
#include "vgpu/exec_warp.h"

/* The lanes of an instruction's guard. */
static inline uint32_t guarded(const struct warp *w, const struct inst *in, uint32_t mask)
{
    if (in->guard == INST_NONE)
        return mask;
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->guard);
    return mask & (in->mods & MOD_GUARD_NOT ? ~p : p);
}

/* Element-wise work. Lanes that have left may be written: nobody reads them. */
static inline void run_lanes(struct warp *w, const struct inst *in, uint32_t mask)
{
    const void *a = warp_in(w, in->a), *b = warp_in(w, in->b), *c = warp_in(w, in->c);
    const void *e = warp_in(w, in->e);
    void *d = w->regs + in->d;
    if (__builtin_expect((mask | ~w->live) == EXEC_ALL_LANES, 1)) {
        in->fn.lane(d, a, b, c, e, in);
    } else if (mask) {
        const struct op_table *ops = w->worker->run->code->ops;
        in->fn.lane(w->worker->scratch, a, b, c, e, in);
        (in->size == 8 ? ops->blend64 : ops->blend32)(d, w->worker->scratch, mask);
    }
}

static uint32_t combine(uint32_t x, uint32_t y, unsigned op)
{
    switch (op) {
    case EXEC_PRED_AND:
        return x & y;
    case EXEC_PRED_OR:
        return x | y;
    case EXEC_PRED_XOR:
        return x ^ y;
    default:
        return x;
    }
}

static uint32_t pred_of(const struct warp *w, uint32_t ref, const struct inst *in, uint16_t negated)
{
    return warp_pred(w, ref) ^ (in->mods & negated ? UINT32_MAX : 0);
}

static void run_compare(struct warp *w, const struct inst *in, uint32_t mask)
{
    uint32_t r = in->fn.cmp(warp_in(w, in->a), warp_in(w, in->b), in);
    uint32_t c = in->op == EXEC_PRED_NONE ? 0 : pred_of(w, in->c, in, MOD_C_NOT);
    uint32_t p = combine(r, c, in->op), q = combine(~r, c, in->op);
    if (in->kind == INST_CMP) {
        warp_set_pred(w, in->d, p, mask);
        if (in->e_is_def)
            warp_set_pred(w, in->e, q, mask);
        return;
    }
    FOR_LANES(lane, mask)
    warp_set_lane(w->regs + in->d, 4, lane, p >> lane & 1 ? (uint64_t)in->imm : 0);
}

static void run_pred(struct warp *w, const struct inst *in, uint32_t mask)
{
    uint32_t a = pred_of(w, in->a, in, MOD_A_NOT), b = pred_of(w, in->b, in, MOD_B_NOT);
    warp_set_pred(w, in->d, combine(a, b, in->op), mask);
}

/* Most often all; and not every processor that this is built for counts bits by itself. */
static inline uint32_t lane_count(uint32_t mask)
{
    return mask == EXEC_ALL_LANES ? OP_LANES : (uint32_t)__builtin_popcount(mask);
}

/* What an instruction that is not straight-line work does to the warp. */
enum outcome { GO_ON, RELOAD, WAIT, STOP, YIELD };

static enum outcome run_branch(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct split *top = &w->splits[w->depth - 1];
    if (mask == 0)
        return GO_ON;
    if (in->kind == INST_BRX)
        return exec_branch_table(w, in, mask) ? STOP : RELOAD;
    if (mask != top->mask)
        return exec_branch(w, in, mask, top->mask) ? STOP : RELOAD;
    top->pc = in->target;
    return RELOAD;
}

static enum outcome run_leave(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct split *top = &w->splits[w->depth - 1];
    top->pc = w->pc + 1;
    if (in->kind == INST_RET)
        exec_return(w, mask);
    else
        exec_leave(w, mask);
    return RELOAD;
}

static enum outcome run_wait(struct warp *w, const struct inst *in, uint32_t mask)
{
    w->splits[w->depth - 1].pc = w->pc + 1;
    int r = in->kind == INST_BAR ? exec_barrier(w, in, mask) : exec_warp_barrier(w, in, mask);
    return r < 0 ? STOP : r > 0 ? WAIT : RELOAD;
}

static enum outcome run_control(struct warp *w, const struct inst *in, uint32_t mask)
{
    switch (in->kind) {
    case INST_BRA:
    case INST_BRX:
        return run_branch(w, in, mask);
    case INST_CALL:
        return !mask ? GO_ON : exec_call(w, in, mask) ? STOP : RELOAD;
    case INST_RET:
    case INST_EXIT:
        return mask ? run_leave(w, in, mask) : GO_ON;
    case INST_BAR:
    case INST_WARPBAR:
        return mask ? run_wait(w, in, mask) : GO_ON;
    case INST_TRAP:
        if (!mask)
            return GO_ON;
        exec_fail(w, in, (unsigned)__builtin_ctz(mask), EXEC_LAUNCH_FAILED, "trap");
        return STOP;
    case INST_YIELD:
        w->splits[w->depth - 1].pc = w->pc + 1;
        return YIELD;
    default:
        return GO_ON;
    }
}

/* Straight-line instructions; false on a fault. */
static inline bool run_straight(struct warp *w, const struct inst *in, uint32_t mask)
{
    switch (in->kind) {
    case INST_LANE:
        run_lanes(w, in, mask);
        return true;
    case INST_CMP:
    case INST_SET:
        run_compare(w, in, mask);
        return true;
    case INST_PRED:
        run_pred(w, in, mask);
        return true;
    default:
        return !mask || in->fn.warp(w, in, mask) == 0;
    }
}

enum warp_state exec_run_warp(struct warp *w, uint32_t share)
{
    if (!exec_settle(w))
        return WARP_DONE;
    if (w->splits[w->depth - 1].wait != WAIT_NONE && !exec_rotate(w))
        return WARP_WAITING;
    for (;;) {
        exec_load_top(w);
        const struct split *top = &w->splits[w->depth - 1];
        const struct inst *code = w->code;
        struct profile *profile = w->worker->profiles[w->frame->function];
        const uint32_t rejoin = top->rejoin, active = top->mask;
        uint32_t pc = top->pc;
        enum outcome outcome = YIELD;
        uint64_t issued = 0;
        while (share) {
            const struct inst *in = &code[pc];
            uint32_t mask = guarded(w, in, active);
            share--;
            issued += in->cls != CLASS_HIDDEN;
            profile[pc].issued++;
            profile[pc].lanes += lane_count(mask);
            w->pc = pc;
            if (in->mods & MOD_SYNC && mask && in->kind == INST_WARP) {
                int r = exec_sync(w, in, mask);
                outcome = r < 0 ? STOP : r > 0 ? RELOAD : YIELD;
                if (outcome != YIELD)
                    break;
            }
            if (in->kind <= INST_WARP) {
                if (!run_straight(w, in, mask)) {
                    outcome = STOP;
                    break;
                }
            } else {
                outcome = run_control(w, in, mask);
                if (outcome != GO_ON)
                    break;
                outcome = YIELD;
            }
            if (++pc == rejoin) {
                outcome = RELOAD;
                w->splits[w->depth - 1].pc = pc;
                break;
            }
        }
        w->issued += issued;
        if (outcome == STOP)
            return WARP_FAULT;
        if (outcome == YIELD && !share)
            w->splits[w->depth - 1].pc = pc;
        if (!exec_settle(w))
            return WARP_DONE;
        if (w->splits[w->depth - 1].wait != WAIT_NONE && !exec_rotate(w))
            return WARP_WAITING;
        if (outcome == YIELD)
            return WARP_READY;
    }
}
