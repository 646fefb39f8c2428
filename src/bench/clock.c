#include "bench/clock.h"

#include <stdlib.h>

#include "kernels/ceil.h"

enum { SEED = 77, THREADS = 32, BLOCKS_EACH = 4 };

int clock_open(struct clock *clock, struct gpu *gpu, unsigned slots, struct err *err)
{
    unsigned multiprocessors = gpu->device.sm_count > 0 ? (unsigned)gpu->device.sm_count : 1;
    *clock = (struct clock){ .gpu = gpu, .blocks = multiprocessors * BLOCKS_EACH, .slots = slots };
    size_t bytes = (size_t)clock->blocks * slots * sizeof(struct ceil_stamp);
    if (gpu_kernel(gpu, "ceil_memory", "stamp", &clock->stamp, err) ||
        gpu_alloc(gpu, bytes, &clock->stamps, err))
        return -1;
    return gpu_set_bytes(gpu, clock->stamps, 0, bytes, err);
}

void clock_close(struct clock *clock)
{
    gpu_free(clock->gpu, clock->stamps);
    clock->stamps = 0;
}

static uint64_t address(const struct clock *clock, unsigned slot)
{
    return clock->stamps + (uint64_t)slot * clock->blocks * sizeof(struct ceil_stamp);
}

int clock_stamp(const struct clock *clock, unsigned slot, struct err *err)
{
    if (slot >= clock->slots)
        return err_set(err, ERR_LIMIT, "clock: no slot %u", slot);
    uint64_t to = address(clock, slot);
    uint32_t seed = SEED + slot;
    void *arguments[] = { &to, &seed };
    struct gpu_launch l = { .function = clock->stamp,
                            .grid = { clock->blocks, 1, 1 },
                            .block = { THREADS, 1, 1 },
                            .arguments = arguments };
    return gpu_launch(clock->gpu, &l, err);
}

static int download(const struct clock *clock, unsigned slot, struct ceil_stamp *stamps,
                    struct err *err)
{
    if (slot >= clock->slots)
        return err_set(err, ERR_LIMIT, "clock: no slot %u", slot);
    if (gpu_download(clock->gpu, stamps, address(clock, slot), clock->blocks * sizeof *stamps, err))
        return -1;
    for (unsigned b = 0; b < clock->blocks; b++)
        if (stamps[b].seed != SEED + slot + b)
            return err_set(err, ERR_MISSING, "clock: nothing was stamped into slot %u", slot);
    return 0;
}

/* The first block that multiprocessor `which` ran; NULL: none. */
static const struct ceil_stamp *first_of(const struct ceil_stamp *stamps, unsigned count,
                                         unsigned which)
{
    const struct ceil_stamp *first = NULL;
    for (unsigned i = 0; i < count; i++)
        if (stamps[i].multiprocessor == which && (!first || stamps[i].clock < first->clock))
            first = &stamps[i];
    return first;
}

static unsigned long long earliest(const struct ceil_stamp *stamps, unsigned count)
{
    unsigned long long least = stamps[0].globaltimer;
    for (unsigned i = 1; i < count; i++)
        if (stamps[i].globaltimer < least)
            least = stamps[i].globaltimer;
    return least;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct ceil_stamp *from, const struct ceil_stamp *to, unsigned count,
                    double *mhz, struct clock_span *span)
{
    for (unsigned i = 0; i < count; i++) {
        const struct ceil_stamp *start = first_of(from, count, from[i].multiprocessor);
        const struct ceil_stamp *end = first_of(to, count, from[i].multiprocessor);
        if (start != &from[i] || !end || end->globaltimer <= start->globaltimer)
            continue;
        mhz[span->multiprocessors++] = (double)(end->clock - start->clock) * 1e3 /
                                       (double)(end->globaltimer - start->globaltimer);
    }
    span->ms = ((double)earliest(to, count) - (double)earliest(from, count)) * 1e-6;
    if (!span->multiprocessors)
        return;
    qsort(mhz, span->multiprocessors, sizeof *mhz, compare_doubles);
    span->mhz = mhz[span->multiprocessors / 2];
}

int clock_between(const struct clock *clock, unsigned from, unsigned to, struct clock_span *span,
                  struct err *err)
{
    struct ceil_stamp *stamps = calloc(2 * (size_t)clock->blocks, sizeof *stamps);
    double *mhz = calloc(clock->blocks, sizeof *mhz);
    *span = (struct clock_span){ 0 };
    int failed =
        stamps && mhz ? gpu_wait(clock->gpu, err) : err_set(err, ERR_MEMORY, "out of memory");
    failed = failed || download(clock, from, stamps, err) ||
             download(clock, to, stamps + clock->blocks, err);
    if (!failed)
        measure(stamps, stamps + clock->blocks, clock->blocks, mhz, span);
    free(stamps);
    free(mhz);
    return failed ? -1 : 0;
}
