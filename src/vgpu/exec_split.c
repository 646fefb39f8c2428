/* Diverged lanes. The stack's top entry runs; a branch that lanes take differently leaves an entry
 * that waits at the branch's post-dominator and puts both sides above it.
 *
 * From capability 7.0 on a group that waits at a barrier, or has run long enough, may give way to
 * another: any entry that shares no lanes with those above it can be moved to the top. */
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec_warp.h"

enum { SPLIT_CAP = 4096, CALL_DEPTH_CAP = 512 };

int exec_push(struct warp *w, struct split s)
{
    if (w->depth == w->split_cap) {
        uint32_t cap = w->split_cap ? w->split_cap * 2 : 16;
        struct split *splits = cap > SPLIT_CAP ? NULL : realloc(w->splits, cap * sizeof *splits);
        if (!splits)
            return exec_fail(w, &w->code[w->pc], 0, EXEC_LAUNCH_FAILED,
                             "too many diverged groups of lanes");
        w->splits = splits;
        w->split_cap = cap;
    }
    w->splits[w->depth++] = s;
    s.frame->users++;
    return 0;
}

void exec_load_top(struct warp *w)
{
    const struct split *top = &w->splits[w->depth - 1];
    w->frame = top->frame;
    w->regs = top->frame->regs;
    w->consts = top->frame->fn->consts;
    w->code = top->frame->fn->code;
    w->pc = top->pc;
}

void exec_release_frame(struct worker *worker, struct frame *frame)
{
    frame->next_free = worker->free_frames[frame->function];
    worker->free_frames[frame->function] = frame;
}

static void pop(struct warp *w)
{
    struct split *top = &w->splits[--w->depth];
    if (--top->frame->users == 0)
        exec_release_frame(w->worker, top->frame);
}

bool exec_settle(struct warp *w)
{
    while (w->depth) {
        const struct split *top = &w->splits[w->depth - 1];
        if (top->mask && (top->pc != top->rejoin || w->depth == 1))
            break;
        pop(w);
    }
    return w->depth > 0;
}

static void raise(struct warp *w, uint32_t k)
{
    struct split s = w->splits[k];
    memmove(&w->splits[k], &w->splits[k + 1], (w->depth - k - 1) * sizeof s);
    w->splits[w->depth - 1] = s;
}

bool exec_rotate(struct warp *w)
{
    uint32_t above = 0;
    if (!w->worker->run->independent)
        return w->depth && w->splits[w->depth - 1].wait == WAIT_NONE;
    for (uint32_t k = w->depth; k-- > 0;) {
        const struct split *s = &w->splits[k];
        if (!(s->mask & above) && s->mask && s->wait == WAIT_NONE) {
            raise(w, k);
            return true;
        }
        above |= s->mask;
    }
    return false;
}

void exec_give_way(struct warp *w)
{
    uint32_t above = w->depth ? w->splits[w->depth - 1].mask : 0;
    for (uint32_t k = w->depth ? w->depth - 1 : 0; k-- > 0;) {
        const struct split *s = &w->splits[k];
        if (!(s->mask & above) && s->mask && s->wait == WAIT_NONE) {
            raise(w, k);
            return;
        }
        above |= s->mask;
    }
}

/* Lanes that wait at a meeting place for others of their warp need not: no thread may keep another
 * from going on. They leave the entry and run by themselves until its own end. */
bool exec_part_waiting(struct warp *w)
{
    uint32_t above = 0;
    if (!w->worker->run->independent)
        return false;
    for (uint32_t k = w->depth; k-- > 0;) {
        struct split *s = &w->splits[k];
        uint32_t here = s->mask & ~above;
        if (here && here != s->mask && s->wait == WAIT_NONE) {
            struct split alone = *s;
            alone.mask = here;
            s->mask &= ~here;
            return exec_push(w, alone) == 0;
        }
        above |= s->mask;
    }
    return false;
}

/* The top entry becomes the place where both sides meet. If its own end is that place, the lanes
 * below already wait there and the entry is not needed; so loops do not pile entries up. Where the
 * sides never meet they run one after the other, with the entry's end as theirs. */
static int part(struct warp *w, const struct inst *in, struct split *sides, unsigned count)
{
    struct split *top = &w->splits[w->depth - 1];
    uint32_t end = top->rejoin;
    w->worker->counters.divergent_branches++;
    if (in->rejoin == INST_NONE) {
        sides[--count].rejoin = end;
        *top = sides[count];
    } else {
        end = in->rejoin;
        if (top->rejoin == end && w->depth > 1) {
            top->frame->users--; /* the sides hold it */
            w->depth--;
        } else {
            top->pc = end;
        }
    }
    for (unsigned k = 0; k < count; k++) {
        sides[k].rejoin = end;
        if ((sides[k].pc != end || end == INST_NONE) && exec_push(w, sides[k]))
            return EXEC_LAUNCH_FAILED;
    }
    return 0;
}

int exec_branch(struct warp *w, const struct inst *in, uint32_t taken, uint32_t mask)
{
    struct split sides[2] = { w->splits[w->depth - 1], w->splits[w->depth - 1] };
    sides[0].mask = mask & ~taken;
    sides[0].pc = w->pc + 1;
    sides[1].mask = taken;
    sides[1].pc = in->target;
    return part(w, in, sides, 2);
}

/* brx.idx: a group for each different target. An index past the end is undefined; here the last
 * target stands for it. */
int exec_branch_table(struct warp *w, const struct inst *in, uint32_t mask)
{
    const uint32_t *targets = w->frame->fn->lists + in->list;
    const void *index = warp_in(w, in->a);
    struct split sides[OP_LANES + 1], side = w->splits[w->depth - 1];
    uint32_t left = mask;
    unsigned count = 0;
    if (side.mask & ~mask) {
        sides[count] = side;
        sides[count].mask = side.mask & ~mask;
        sides[count++].pc = w->pc + 1;
    }
    while (left) {
        uint64_t i = warp_lane(index, 4, (unsigned)__builtin_ctz(left));
        uint32_t group = 0, rest = left;
        FOR_LANES(lane, rest)
        group |= (uint32_t)(warp_lane(index, 4, lane) == i) << lane;
        sides[count] = side;
        sides[count].mask = group;
        sides[count++].pc = targets[i < (uint64_t)in->imm ? i : (uint64_t)in->imm - 1];
        left &= ~group;
    }
    if (count > 1)
        return part(w, in, sides, count);
    w->splits[w->depth - 1].pc = sides[0].pc;
    return 0;
}

/* ---- calls ------------------------------------------------------------------------------------
 */

static bool prepare_function(struct worker *worker, uint32_t function)
{
    const struct code_function *fn = &worker->run->code->functions[function];
    if (worker->profiles[function])
        return true;
    worker->profiles[function] = calloc(fn->count + 1, sizeof **worker->profiles);
    size_t bytes = (fn->slot_count + 1) * sizeof(struct pattern);
    worker->patterns[function] = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!worker->profiles[function] || !worker->patterns[function])
        return false;
    memset(worker->patterns[function], 0, bytes);
    return true;
}

struct frame *exec_new_frame(struct warp *w, uint32_t function)
{
    struct worker *worker = w->worker;
    const struct code_function *fn = &worker->run->code->functions[function];
    struct frame *f = worker->free_frames[function];
    if (f) {
        worker->free_frames[function] = f->next_free;
    } else {
        f = prepare_function(worker, function) ? malloc(sizeof *f) : NULL;
        uint8_t *regs = f ? aligned_alloc(64, fn->reg_bytes) : NULL;
        if (!regs) {
            free(f);
            worker->failed = true;
            return NULL;
        }
        f->regs = regs;
    }
    mem_poison(f->regs, fn->reg_bytes);
    f->fn = fn;
    f->function = function;
    f->caller = NULL;
    f->users = 0;
    f->local_base = f->call = f->depth = 0;
    return f;
}

static uint8_t *frame_memory(struct warp *w, const struct frame *f, uint32_t offset, unsigned lane)
{
    return w->local + (size_t)lane * w->worker->run->local_stride + f->local_base + offset;
}

void exec_get_arg(struct warp *w, const struct code_param *arg, unsigned lane, void *to,
                  uint32_t size)
{
    uint64_t value;
    memset(to, 0, size);
    if (size > arg->size)
        size = arg->size;
    if (arg->reg == INST_NONE) {
        memcpy(to, frame_memory(w, w->frame, arg->offset, lane), size);
        return;
    }
    value = warp_lane(warp_in(w, arg->reg), arg->size, lane);
    memcpy(to, &value, size < sizeof value ? size : sizeof value);
}

void exec_set_arg(struct warp *w, const struct code_param *arg, unsigned lane, const void *from,
                  uint32_t size)
{
    uint64_t value = 0;
    if (size > arg->size)
        size = arg->size;
    if (arg->reg == INST_NONE) {
        memcpy(frame_memory(w, w->frame, arg->offset, lane), from, size);
        return;
    }
    memcpy(&value, from, size < sizeof value ? size : sizeof value);
    warp_set_lane(w->regs + arg->reg, arg->size, lane, value);
}

/* Copies one parameter between two frames for the lanes of a mask. Registers are at most 8 bytes.
 */
static void pass(struct warp *w, const struct frame *from, const struct code_param *source,
                 const struct frame *to, const struct code_param *target, uint32_t mask)
{
    FOR_LANES(lane, mask)
    {
        uint64_t value = 0;
        const uint8_t *p = (const uint8_t *)&value;
        if (source->reg == INST_NONE) {
            p = frame_memory(w, from, source->offset, lane);
        } else {
            const uint8_t *regs = source->reg & INST_CONST ? from->fn->consts : from->regs;
            value = warp_lane(regs + (source->reg & ~INST_CONST), source->size, lane);
        }
        if (target->reg == INST_NONE) {
            memcpy(frame_memory(w, to, target->offset, lane), p, target->size);
        } else {
            memcpy(&value, p, target->size < 8 ? target->size : 8);
            warp_set_lane(to->regs + target->reg, target->size, lane, value);
        }
    }
}

int exec_call(struct warp *w, const struct inst *in, uint32_t mask)
{
    const struct frame *caller = w->frame;
    struct run *run = w->worker->run;
    const struct code_function *fn = &run->code->functions[in->target];
    uint32_t base = caller->local_base + caller->fn->frame_bytes;
    if (caller->depth >= CALL_DEPTH_CAP || base + fn->frame_bytes > run->local_stride)
        return exec_fail(w, in, (unsigned)__builtin_ctz(mask), EXEC_LAUNCH_FAILED,
                         "call stack overflow");
    struct frame *f = exec_new_frame(w, in->target);
    if (!f)
        return exec_fail(w, in, 0, EXEC_LAUNCH_FAILED, "out of host memory");
    f->caller = w->frame;
    f->depth = caller->depth + 1;
    f->local_base = base;
    f->call = w->pc;
    for (uint32_t i = 0; i < fn->param_count; i++)
        pass(w, caller, &caller->fn->args[in->imm + fn->return_count + i], f, &fn->params[i], mask);
    w->splits[w->depth - 1].pc = w->pc + 1;
    return exec_push(w, (struct split){ .pc = 0, .rejoin = INST_NONE, .mask = mask, .frame = f });
}

void exec_return(struct warp *w, uint32_t mask)
{
    struct frame *f = w->frame;
    const struct inst *call = &f->caller->fn->code[f->call];
    for (uint32_t i = 0; i < f->fn->return_count; i++)
        pass(w, f, &f->fn->returns[i], f->caller, &f->caller->fn->args[call->imm + i], mask);
    for (uint32_t k = 0; k < w->depth; k++)
        if (w->splits[k].frame == f)
            w->splits[k].mask &= ~mask;
}
