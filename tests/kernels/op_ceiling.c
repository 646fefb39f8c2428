/* Ceilings: every kernel, with loops of one round and more, blocks of one warp and of eight, one
 * block and several; copies of one vector, of a tile of theirs less one, a tile, a tile and one,
 * two tiles and three, and of a prime number. The expectations are bench/ceiling_check.c's, to the
 * last bit. */
#include <stdio.h>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "kernels.h"
#include "kernels/ceil.h"

static void run_case(struct kernels *k, const struct ceiling *c, const struct ceiling_size *size)
{
    struct ceiling_job job;
    struct ceiling_verdict verdict;
    struct err err;
    err_clear(&err);
    if (ceiling_prepare(&job, &k->gpu, c, size, &err) || ceiling_run(&job, &err) ||
        ceiling_check(&job, &verdict, &err))
        kernels_give_up(k, &err, c->name);
    kernels_result(k, !verdict.wrong && verdict.checked,
                   "%s, %u blocks of %u, %u rounds, %zu bytes: %zu wrong, %s", c->name,
                   size->blocks, size->threads, size->rounds, size->bytes, verdict.wrong,
                   verdict.first);
    ceiling_free(&job);
}

static void loops(struct kernels *k, const struct ceiling *c)
{
    static const struct ceiling_size sizes[] = {
        { .blocks = 1, .threads = 32, .rounds = 1 },  { .blocks = 3, .threads = 64, .rounds = 2 },
        { .blocks = 2, .threads = 256, .rounds = 7 }, { .blocks = 1, .threads = 256, .rounds = 31 },
        { .blocks = 5, .threads = 96, .rounds = 3 },  { .blocks = 13, .threads = 32, .rounds = 64 },
    };
    size_t count = k->full ? sizeof sizes / sizeof sizes[0] : 3;
    for (size_t i = 0; i < count; i++)
        run_case(k, c, &sizes[i]);
}

static void memory(struct kernels *k, const struct ceiling *c)
{
    enum { TILE = CEIL_VECTORS * CEIL_THREADS };
    static const size_t vectors[] = {
        1, TILE - 1, TILE + 1, 2 * TILE + 3, 997, TILE, 3 * TILE, 1021
    };
    size_t count = k->full ? sizeof vectors / sizeof vectors[0] : 4;
    for (size_t i = 0; i < count; i++)
        run_case(k, c, &(struct ceiling_size){ .bytes = vectors[i] * 16 });
}

static void launches(struct kernels *k, const struct ceiling *c)
{
    static const unsigned blocks[] = { 1, 7, 300 };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        run_case(k, c, &(struct ceiling_size){ .blocks = blocks[i], .threads = 64 });
}

/* stamp: every block says who it is; clocks go on from one launch to the next. */
static void stamps(struct kernels *k)
{
    struct clock clock;
    struct clock_span span;
    struct err err;
    err_clear(&err);
    if (clock_open(&clock, &k->gpu, 2, &err) || clock_stamp(&clock, 0, &err) ||
        clock_stamp(&clock, 1, &err) || clock_between(&clock, 0, 1, &span, &err))
        kernels_give_up(k, &err, "stamp");
    kernels_result(k, span.multiprocessors && span.ms > 0 && span.mhz > 0,
                   "stamp: %u multiprocessors, %g ms, %g MHz", span.multiprocessors, span.ms,
                   span.mhz);
    clock_close(&clock);
}

/* spin: two stamps of a block are at least as many cycles apart as it was told. */
static void spins(struct kernels *k)
{
    enum { BLOCKS = 3, CYCLES = 5000, SEED = 9 };
    struct gpu_function *spin;
    struct ceil_stamp got[2 * BLOCKS];
    struct kernels_buffer out;
    struct err err;
    err_clear(&err);
    kernels_buffer_new(k, &out, sizeof got, 0, NULL);
    uint32_t seed = SEED;
    long long cycles = CYCLES;
    void *arguments[] = { &out.address, &seed, &cycles };
    struct gpu_launch l = { .grid = { BLOCKS, 1, 1 },
                            .block = { 32, 1, 1 },
                            .arguments = arguments };
    if (gpu_kernel(&k->gpu, "ceil_memory", "spin", &spin, &err))
        kernels_give_up(k, &err, "spin");
    l.function = spin;
    if (gpu_launch(&k->gpu, &l, &err) || gpu_wait(&k->gpu, &err))
        kernels_give_up(k, &err, "spin");
    bool ok = kernels_buffer_read(k, &out, got);
    for (int b = 0; b < BLOCKS; b++) {
        const struct ceil_stamp *s = &got[2 * b];
        ok = ok && s[0].seed == SEED + (unsigned)b && s[1].seed == s[0].seed &&
             s[0].multiprocessor == s[1].multiprocessor && s[1].clock - s[0].clock >= CYCLES &&
             s[1].clock - s[0].clock < 2 * CYCLES && s[1].globaltimer > s[0].globaltimer;
    }
    kernels_result(k, ok, "spin: stamps of %d blocks are not %d cycles apart", BLOCKS, CYCLES);
    kernels_buffer_free(k, &out);
}

void kernels_cases(struct kernels *k)
{
    for (size_t i = 0; i < ceiling_count(); i++) {
        const struct ceiling *c = ceiling_at(i);
        if (!c->kernel || !kernels_family(k, c->family, c->cc))
            continue;
        if (c->kind == CEILING_MEMORY)
            memory(k, c);
        else if (c->kind == CEILING_LAUNCH)
            launches(k, c);
        else
            loops(k, c);
    }
    if (kernels_family(k, "ceil_memory", 35)) {
        stamps(k);
        spins(k);
    }
}
