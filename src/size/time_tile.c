#include <math.h>

#include "size/time_parts.h"

double time_both(double a, double b)
{
    return sqrt(a * a + b * b);
}

/* The same with the eighth power: the smaller one counts only where both are nearly equal. */
static double larger(double a, double b)
{
    double a2 = a * a, b2 = b * b, a4 = a2 * a2, b4 = b2 * b2;
    return sqrt(sqrt(time_both(a4, b4)));
}

/* How many times as long as one tile alone a multiprocessor is busy. Blocks share it, so that a part of a wave costs
 * its part, unless all have to wait for the last. */
static double waves(const struct time_work *work, double blocks)
{
    double waves = blocks / work->sms;
    if (work->whole_waves)
        waves = ceil(waves);
    return fmax(waves, 1) + work->fill_waves;
}

static double moved(const struct time_work *work, double splits)
{
    double sums = splits > 1 || work->sums_always ? splits : 0;
    return work->bytes + sums * work->split_bytes * work->m * work->n * work->count;
}

static void try_split(const struct time_work *work, const struct time_tile *tile, double splits,
                      struct time_share *best)
{
    double tiles = ceil(work->m / tile->rows) * ceil(work->n / tile->columns) * work->count;
    double k = ceil(work->k / splits);
    double flop = 2 * tile->rows * tile->columns / (work->flop_per_ms * tile->speed); /* a step of one tile */
    struct time_share s = {
        .compute_ms = k * flop * waves(work, tiles * splits),
        .latency_ms = k * work->step_ms * tile->step,
        .memory_ms = moved(work, splits) / work->bytes_per_ms,
    };
    double busy = time_both(s.compute_ms, s.latency_ms);
    s.ms = work->overlaps ? larger(busy, s.memory_ms) : time_both(busy, s.memory_ms);
    if (splits > 1)
        s.ms += work->split_ms;
    if (best->ms <= 0 || s.ms < best->ms)
        *best = s;
}

void time_tile_fastest(const struct time_work *work, struct time_share *share)
{
    static const int splits[] = { 1,  2,  3,  4,  5,  6,  7,   8,   10,  12,  16,
                                  20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512 };
    share->ms = 0;
    for (size_t t = 0; t < work->tile_count; t++)
        for (size_t i = 0; i < sizeof splits / sizeof *splits && splits[i] <= work->most_splits; i++) {
            if (i && ceil(work->k / splits[i]) < work->least_k)
                break;
            try_split(work, &work->tiles[t], splits[i], share);
        }
}
