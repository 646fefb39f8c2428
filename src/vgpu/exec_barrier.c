/* Barriers of a block (bar, barrier) and of a warp (bar.warp.sync).
 *
 * Below capability 7.0 a barrier counts warps, and one that only part of a warp has reached is a
 * fault here, where hardware would hang or go on with wrong counts. From 7.0 on it counts threads:
 * the part waits, and the rest of the warp goes on until it arrives as well. */
#include <string.h>

#include "vgpu/exec_warp.h"

static uint32_t wanted(const struct block *b, const struct barrier *bar)
{
    return bar->expected ? bar->expected : b->live_threads;
}

/* Gives a released group its result, if its instruction has one. */
static void deliver(struct warp *w, const struct split *s, const struct barrier *bar)
{
    const struct inst *in = &s->frame->fn->code[s->pc - 1];
    uint32_t value = in->op == EXEC_BAR_POPC  ? bar->popc
                     : in->op == EXEC_BAR_AND ? bar->and_
                                              : bar->or_;
    uint8_t *reg = s->frame->regs + in->d;
    (void)w;
    if (in->d == INST_NONE)
        return;
    if (in->size == 0) {
        uint32_t *p = (uint32_t *)(void *)reg;
        *p = (*p & ~s->mask) | (value ? s->mask : 0);
        return;
    }
    uint32_t mask = s->mask;
    FOR_LANES(lane, mask)
    warp_set_lane(reg, 4, lane, value);
}

static void release(struct block *b, unsigned number)
{
    struct barrier *bar = &b->barriers[number];
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        for (uint32_t k = 0; k < w->depth; k++) {
            struct split *s = &w->splits[k];
            if (s->wait != WAIT_BARRIER || s->barrier != number)
                continue;
            deliver(w, s, bar);
            s->wait = WAIT_NONE;
        }
    }
    *bar = (struct barrier){ .and_ = 1 };
}

void exec_check_barriers(struct block *b)
{
    for (unsigned i = 0; i < EXEC_BARRIERS; i++) {
        const struct barrier *bar = &b->barriers[i];
        if (bar->arrived && !bar->expected && bar->arrived >= wanted(b, bar))
            release(b, i);
    }
}

static void contribute(struct warp *w, const struct inst *in, struct barrier *bar, uint32_t mask)
{
    if (in->op < EXEC_BAR_POPC)
        return;
    uint32_t p = warp_pred(w, in->c) ^ (in->mods & MOD_C_NOT ? UINT32_MAX : 0);
    bar->popc += (uint32_t)__builtin_popcount(p & mask);
    bar->and_ &= (p & mask) == mask;
    bar->or_ |= (p & mask) != 0;
}

/* The number of threads that an arrival stands for. Counted barriers count whole warps. */
static uint32_t arrivals(const struct warp *w, const struct inst *in, uint32_t mask)
{
    if (in->b != INST_NONE && mask == w->live)
        return OP_LANES;
    return (uint32_t)__builtin_popcount(mask);
}

/* A guard may hold back a part of the group: that part goes on behind the instruction, the others
 * become the top entry. */
static struct split *isolate(struct warp *w, uint32_t mask)
{
    struct split *top = &w->splits[w->depth - 1];
    struct split waiting = *top;
    if (mask == top->mask || !w->worker->run->independent)
        return top;
    top->mask &= ~mask;
    waiting.mask = mask;
    return exec_push(w, waiting) ? NULL : &w->splits[w->depth - 1];
}

int exec_barrier(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct block *b = w->block;
    const struct run *run = w->worker->run;
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t number = warp_lane(warp_in(w, in->a), 4, first);
    if (number >= EXEC_BARRIERS)
        return -exec_fail(w, in, first, EXEC_ILLEGAL_INSTRUCTION, "barrier %u does not exist",
                          (unsigned)number);
    if (mask != w->live && !run->independent) {
        if (!run->launch->relaxed_barriers)
            return -exec_fail(w, in, first, EXEC_LAUNCH_FAILED,
                              "barrier in divergent code: lanes 0x%x of 0x%x", mask, w->live);
        mask = w->live;
    }
    struct barrier *bar = &b->barriers[number];
    bar->expected = in->b == INST_NONE ? 0 : (uint32_t)warp_lane(warp_in(w, in->b), 4, first);
    bar->arrived += arrivals(w, in, mask);
    contribute(w, in, bar, mask);
    if (in->op != EXEC_BAR_ARRIVE) {
        struct split *top = isolate(w, mask);
        if (!top)
            return -EXEC_LAUNCH_FAILED;
        top->wait = WAIT_BARRIER;
        top->barrier = (uint8_t)number;
    }
    if (bar->arrived >= wanted(b, bar))
        release(b, (unsigned)number);
    return w->splits[w->depth - 1].wait != WAIT_NONE;
}

/* Runs a .sync instruction at which several groups wait, for all of them at once. */
static void run_parked(struct warp *w, uint32_t k)
{
    const struct split first = w->splits[k];
    uint32_t together = 0;
    for (uint32_t i = 0; i < w->depth; i++) {
        struct split *s = &w->splits[i];
        if (s->wait != WAIT_WARP || s->frame != first.frame || s->pc != first.pc || !s->parked)
            continue;
        together |= s->mask;
        s->wait = WAIT_NONE;
        s->parked = 0;
        s->pc++;
    }
    const struct inst *in = &first.frame->fn->code[first.pc];
    w->frame = first.frame;
    w->regs = first.frame->regs;
    w->consts = first.frame->fn->consts;
    if (together)
        in->fn.warp(w, in, together);
}

/* All lanes of the mask that still live must wait for it; then they all go on. */
static bool warp_complete(struct warp *w, uint32_t members)
{
    uint32_t waiting = 0;
    for (uint32_t k = 0; k < w->depth; k++)
        if (w->splits[k].wait == WAIT_WARP)
            waiting |= w->splits[k].mask;
    if (members & w->live & ~waiting)
        return false;
    for (uint32_t k = 0; k < w->depth; k++) {
        struct split *s = &w->splits[k];
        if (s->wait != WAIT_WARP || !(s->mask & members))
            continue;
        if (s->parked)
            run_parked(w, k);
        else
            s->wait = WAIT_NONE;
    }
    return true;
}

int exec_sync(struct warp *w, const struct inst *in, uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t members = (uint32_t)warp_lane(warp_in(w, in->e), 4, first);
    uint32_t missing = members & w->live & ~mask;
    if (!missing)
        return 0;
    if (!w->worker->run->independent)
        return -exec_fail(w, in, first, EXEC_LAUNCH_FAILED,
                          "waits for lanes 0x%x that are elsewhere", missing);
    struct split *top = &w->splits[w->depth - 1];
    uint32_t pc = w->pc;
    if (mask != top->mask)
        top->pc = pc + 1;
    top = isolate(w, mask);
    if (!top)
        return -EXEC_LAUNCH_FAILED;
    top->pc = pc;
    top->wait = WAIT_WARP;
    top->wait_mask = members;
    top->parked = 1;
    warp_complete(w, members);
    return 1;
}

int exec_warp_barrier(struct warp *w, const struct inst *in, uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t members = (uint32_t)warp_lane(warp_in(w, in->a), 4, first);
    if (!(members & w->live & ~mask))
        return 0;
    if (!w->worker->run->independent)
        return -exec_fail(w, in, first, EXEC_LAUNCH_FAILED,
                          "bar.warp.sync waits for lanes 0x%x that are elsewhere",
                          members & w->live & ~mask);
    struct split *top = isolate(w, mask);
    if (!top)
        return -EXEC_LAUNCH_FAILED;
    top->wait = WAIT_WARP;
    top->wait_mask = members;
    return !warp_complete(w, members);
}

void exec_leave(struct warp *w, uint32_t mask)
{
    w->live &= ~mask;
    w->block->live_threads -= (uint32_t)__builtin_popcount(mask);
    for (uint32_t k = 0; k < w->depth; k++)
        w->splits[k].mask &= ~mask;
    for (uint32_t k = 0; k < w->depth; k++)
        if (w->splits[k].wait == WAIT_WARP)
            warp_complete(w, w->splits[k].wait_mask);
    if (w->block->live_threads)
        exec_check_barriers(w->block);
}
