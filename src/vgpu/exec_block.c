#include "vgpu/exec_block.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE = 4096 }; /* instructions that a warp runs before the next has its turn */

static bool allocate_warps(struct worker *worker)
{
    struct run *run = worker->run;
    struct block *b = &worker->block;
    b->warp_count = run->warps_per_block;
    b->warps = calloc(b->warp_count, sizeof *b->warps);
    if (!b->warps)
        return false;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        size_t bytes = (size_t)run->local_stride * OP_LANES;
        w->block = b;
        w->worker = worker;
        w->id = i;
        if (bytes && !(w->local = aligned_alloc(64, bytes)))
            return false;
        if (bytes)
            mem_poison(w->local, bytes);
    }
    return true;
}

int exec_worker_init(struct worker *worker, struct run *run, struct err *err)
{
    uint32_t n = run->code->function_count;
    memset(worker, 0, sizeof *worker);
    worker->run = run;
    worker->patterns = calloc(n, sizeof *worker->patterns);
    worker->profiles = calloc(n, sizeof *worker->profiles);
    worker->free_frames = calloc(n, sizeof *worker->free_frames);
    worker->scratch = aligned_alloc(64, 8 * OP_LANES);
    worker->block.shared_bytes = run->shared_bytes;
    worker->block.shared = aligned_alloc(64, (run->shared_bytes + 63) / 64 * 64 + 64);
    if (worker->patterns && worker->profiles && worker->free_frames && worker->scratch &&
        worker->block.shared && allocate_warps(worker))
        return 0;
    exec_worker_free(worker);
    return err_set(err, ERR_MEMORY, "cannot allocate what a block needs");
}

static void free_frames(struct worker *worker, uint32_t function)
{
    for (struct frame *f = worker->free_frames[function]; f;) {
        struct frame *next = f->next_free;
        free(f->regs);
        free(f);
        f = next;
    }
}

void exec_worker_free(struct worker *worker)
{
    struct block *b = &worker->block;
    uint32_t n = worker->run->code->function_count;
    for (uint32_t i = 0; b->warps && i < b->warp_count; i++) {
        free(b->warps[i].splits);
        free(b->warps[i].local);
    }
    for (uint32_t f = 0; f < n; f++) {
        if (worker->free_frames)
            free_frames(worker, f);
        if (worker->patterns)
            free(worker->patterns[f]);
        if (worker->profiles)
            free(worker->profiles[f]);
    }
    free(b->warps);
    free(b->shared);
    free(worker->patterns);
    free(worker->profiles);
    free(worker->free_frames);
    free(worker->scratch);
}

static bool start_warp(struct warp *w)
{
    struct run *run = w->worker->run;
    uint32_t left = run->block_threads - w->id * OP_LANES;
    w->valid = left >= OP_LANES ? EXEC_ALL_LANES : (UINT32_C(1) << left) - 1;
    w->live = w->valid;
    w->depth = 0;
    struct frame *f = exec_new_frame(w, run->function);
    if (!f)
        return false;
    w->frame = f;
    w->code = f->fn->code;
    return exec_push(w, (struct split){ .rejoin = INST_NONE, .mask = w->valid, .frame = f }) == 0;
}

static bool start_block(struct worker *worker, uint64_t linear)
{
    struct run *run = worker->run;
    struct block *b = &worker->block;
    const uint32_t *grid = run->launch->grid;
    b->linear = linear;
    b->index[0] = (uint32_t)(linear % grid[0]);
    b->index[1] = (uint32_t)(linear / grid[0] % grid[1]);
    b->index[2] = (uint32_t)(linear / grid[0] / grid[1]);
    b->live_threads = run->block_threads;
    for (unsigned i = 0; i < EXEC_BARRIERS; i++)
        b->barriers[i] = (struct barrier){ .and_ = 1 };
    mem_poison(b->shared, run->shared_bytes);
    worker->counters.blocks++;
    worker->counters.warps += b->warp_count;
    worker->counters.threads += run->block_threads;
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (!start_warp(&b->warps[i]))
            return false;
    return true;
}

/* What a warp left behind when the launch stopped in its midst. */
static void drop_block(struct worker *worker)
{
    struct block *b = &worker->block;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        for (uint32_t k = 0; k < w->depth; k++)
            w->splits[k].mask = 0;
        exec_settle(w);
    }
}

static struct warp *unfinished(struct block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (b->warps[i].depth)
            return &b->warps[i];
    return NULL;
}

static void fail_at(struct warp *w, const char *why)
{
    exec_load_top(w);
    uint32_t mask = w->splits[w->depth - 1].mask;
    exec_fail(w, &w->code[w->pc ? w->pc - 1 : 0], mask ? (unsigned)__builtin_ctz(mask) : 0,
              EXEC_TIMEOUT, "%s", why);
}

/* One turn for every warp. False on a fault. */
static bool one_round(struct worker *worker, bool *progress)
{
    struct block *b = &worker->block;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        if (!w->depth)
            continue;
        uint64_t before = w->issued;
        enum warp_state state = exec_run_warp(w, SHARE);
        if (state == WARP_FAULT)
            return false;
        if (state == WARP_READY && w->worker->run->independent)
            exec_give_way(w);
        *progress |= state == WARP_DONE || state == WARP_READY || w->issued != before;
        worker->issued_before += w->issued - before;
    }
    return true;
}

static bool part_waiting(struct block *b)
{
    bool parted = false;
    for (uint32_t i = 0; i < b->warp_count; i++)
        parted |= exec_part_waiting(&b->warps[i]);
    return parted;
}

bool exec_run_block(struct worker *worker, uint64_t linear)
{
    struct run *run = worker->run;
    struct block *b = &worker->block;
    bool ok = start_block(worker, linear);
    while (ok && unfinished(b)) {
        bool progress = false;
        ok = one_round(worker, &progress) && !atomic_load(&run->stop);
        uint64_t used = atomic_fetch_add(&run->issued, worker->issued_before);
        used += worker->issued_before;
        worker->issued_before = 0;
        struct warp *left = unfinished(b);
        if (ok && left && used > run->budget) {
            fail_at(left, "the launch has run too long");
            ok = false;
        } else if (ok && left && !progress && !part_waiting(b)) {
            fail_at(left, "nothing can go on: threads wait for others that will not come");
            ok = false;
        }
    }
    drop_block(worker);
    return ok && !worker->failed;
}
