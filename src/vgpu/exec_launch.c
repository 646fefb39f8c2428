/* A launch: checks, one worker a host thread, blocks handed out in order. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vgpu/exec_block.h"

enum {
    MAX_BLOCK_THREADS = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_YZ = 65535,
    MAX_HOST_THREADS = 256,
    DEFAULT_SHARED = 48 * 1024,
    MAX_SHARED = 256 * 1024,
    RECURSION_BYTES = 64 * 1024, /* of stack for calls whose depth is not known */
};
#define MAX_GRID_X     UINT32_C(0x7fffffff)
#define DEFAULT_BUDGET (UINT64_C(1) << 40)

__attribute__((format(printf, 2, 3))) static int refuse(struct err *err, const char *fmt, ...)
{
    char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    err_set(err, ERR_USAGE, "%s", text);
    if (err)
        err->native = EXEC_INVALID_VALUE;
    return -1;
}

static int check_shape(const struct code_function *fn, const struct exec_launch *l, struct err *err)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1];
    unsigned limit = fn->max_threads && fn->max_threads < MAX_BLOCK_THREADS ? fn->max_threads
                                                                            : MAX_BLOCK_THREADS;
    if (threads <= MAX_BLOCK_THREADS)
        threads *= l->block[2];
    if (threads == 0 || threads > limit || l->block[2] > MAX_BLOCK_Z)
        return refuse(err, "a block has %llu threads where 1 to %u may be",
                      (unsigned long long)threads, limit);
    for (unsigned i = 0; fn->required[0] && i < 3; i++)
        if (l->block[i] != fn->required[i])
            return refuse(err, "a block's size is %u where the kernel requires %u", l->block[i],
                          fn->required[i]);
    if (!l->grid[0] || !l->grid[1] || !l->grid[2] || l->grid[0] > MAX_GRID_X ||
        l->grid[1] > MAX_GRID_YZ || l->grid[2] > MAX_GRID_YZ)
        return refuse(err, "a grid of %u by %u blocks is not possible", l->grid[0], l->grid[1]);
    return 0;
}

static int check_sizes(const struct code_function *fn, const struct exec_launch *l, struct err *err)
{
    uint64_t shared = (uint64_t)fn->shared_bytes + l->dynamic_shared_bytes;
    uint64_t limit = l->max_shared_bytes ? l->max_shared_bytes : DEFAULT_SHARED;
    if (limit > MAX_SHARED)
        limit = MAX_SHARED;
    if (shared > limit)
        return refuse(err, "a block needs %llu bytes of shared memory of %llu",
                      (unsigned long long)shared, (unsigned long long)limit);
    if (l->params_bytes < fn->param_bytes)
        return refuse(err, "the parameter buffer has %u bytes where the kernel has %u",
                      l->params_bytes, fn->param_bytes);
    if (l->bank_bytes != 0 && l->bank_bytes != 4 && l->bank_bytes != 8)
        return refuse(err, "banks of %u bytes do not exist", l->bank_bytes);
    return 0;
}

static int prepare(struct run *run, const struct exec_launch *l, struct err *err)
{
    const struct code_function *fn = run->fn;
    run->block_threads = l->block[0] * l->block[1] * l->block[2];
    run->warps_per_block = (run->block_threads + OP_LANES - 1) / OP_LANES;
    run->dynamic_base = (fn->shared_bytes + 15) / 16 * 16;
    run->shared_bytes =
        l->dynamic_shared_bytes ? run->dynamic_base + l->dynamic_shared_bytes : fn->shared_bytes;
    uint32_t stack = fn->stack_bytes + (fn->recursive ? RECURSION_BYTES : 0);
    run->local_stride = (stack + 15) / 16 * 16;
    run->block_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    run->budget = l->instruction_budget ? l->instruction_budget : DEFAULT_BUDGET;
    run->bank_bytes = l->bank_bytes ? l->bank_bytes : 4;
    run->independent = run->code->options.capability >= 70;
    run->params = calloc(fn->param_bytes + 64, 1);
    if (!run->params)
        return err_set(err, ERR_MEMORY, "cannot allocate a parameter buffer");
    if (fn->param_bytes)
        memcpy(run->params, l->params, fn->param_bytes);
    return mem_map_take(run->code->arena, &run->map, err);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct run *run = worker->run;
    while (!atomic_load(&run->stop)) {
        uint64_t linear = atomic_fetch_add(&run->next_block, 1);
        if (linear >= run->block_count)
            break;
        if (!exec_run_block(worker, linear))
            break;
    }
    return NULL;
}

static unsigned host_threads(const struct run *run)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n =
        run->launch->threads ? run->launch->threads : (uint64_t)(processors > 0 ? processors : 1);
    if (n > run->block_count)
        n = run->block_count;
    return n > MAX_HOST_THREADS ? MAX_HOST_THREADS : (unsigned)n;
}

/* Class totals come from how often each instruction ran. */
static void add_profile(struct exec_counters *c, const struct worker *worker)
{
    const struct code *code = worker->run->code;
    for (uint32_t f = 0; f < code->function_count; f++) {
        const struct profile *p = worker->profiles[f];
        for (uint32_t i = 0; p && i < code->functions[f].count; i++) {
            unsigned cls = code->functions[f].code[i].cls;
            if (cls == CLASS_HIDDEN)
                continue;
            c->warp_instructions[cls] += p[i].issued;
            c->lane_instructions[cls] += p[i].lanes;
            c->issued += p[i].issued;
            c->lanes += p[i].lanes;
        }
    }
}

static void add_counters(struct exec_counters *sum, const struct exec_counters *c)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)c;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static int run_workers(struct run *run, struct exec_result *result, struct err *err)
{
    unsigned n = host_threads(run), started = 0, made = 0;
    int status = -1;
    struct worker *workers = aligned_alloc(64, (n * sizeof *workers + 63) / 64 * 64);
    if (!workers)
        return err_set(err, ERR_MEMORY, "cannot allocate workers");
    for (; made < n; made++)
        if (exec_worker_init(&workers[made], run, err) < 0)
            goto done;
    for (; started + 1 < n; started++)
        if (pthread_create(&workers[started + 1].thread, NULL, work, &workers[started + 1]))
            break;
    work(&workers[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i + 1].thread, NULL);
    status = 0;
    for (unsigned i = 0; i < n; i++) {
        add_profile(&result->counters, &workers[i]);
        add_counters(&result->counters, &workers[i].counters);
        if (workers[i].failed)
            status = err_set(err, ERR_MEMORY, "out of memory while a kernel ran");
    }
done:
    for (unsigned i = 0; i < made; i++)
        exec_worker_free(&workers[i]);
    free(workers);
    return status;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int exec_run_function(const struct code *code, uint32_t function, const struct exec_launch *launch,
                      struct exec_result *result, struct err *err)
{
    struct run run = {
        .code = code, .fn = &code->functions[function], .function = function, .launch = launch
    };
    *result = (struct exec_result){ 0 };
    if (check_shape(run.fn, launch, err) < 0 || check_sizes(run.fn, launch, err) < 0)
        return -1;
    pthread_mutex_init(&run.lock, NULL);
    double start = seconds();
    int status = prepare(&run, launch, err);
    if (status == 0)
        status = run_workers(&run, result, err);
    result->host_seconds = seconds() - start;
    result->fault = run.fault;
    result->code = run.fault.code;
    result->unwritten = run.unwritten;
    result->unwritten_reads = run.unwritten_reads;
    mem_map_free(&run.map);
    free(run.params);
    pthread_mutex_destroy(&run.lock);
    return status;
}
