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

/* How many times as long as one tile alone a multiprocessor is busy. Blocks share it, so that a
 * part of a wave costs its part, unless all have to wait for the last. */
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

/* A split that would be too short is filled up: else a longer product could take less time. */
static double steps(const struct time_work *work, double splits)
{
    return splits > 1 ? fmax(ceil(work->k / splits), work->least_k) : work->k;
}

static double split_ms(const struct time_work *work, const struct time_tile *tile, double splits)
{
    double tiles = ceil(work->m / tile->rows) * ceil(work->n / tile->columns) * work->count;
    double k = steps(work, splits);
    double step = 2 * tile->rows * tile->columns / (work->flop_per_ms * tile->speed);
    double busy = time_both(k * step * waves(work, tiles * splits), k * work->step_ms * tile->step);
    double memory = moved(work, splits) / work->bytes_per_ms;
    double ms = work->overlaps ? larger(busy, memory) : time_both(busy, memory);
    return splits > 1 ? ms + work->split_ms : ms;
}

double time_tile_fastest(const struct time_work *work)
{
    static const int splits[] = { 1,  2,  3,  4,  5,  6,  7,   8,   10,  12,  16,
                                  20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512 };
    double best = INFINITY;
    for (size_t t = 0; t < work->tile_count; t++)
        for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
            if (splits[i] > work->most_splits || (i && work->k / splits[i - 1] <= work->least_k))
                break;
            best = fmin(best, split_ms(work, &work->tiles[t], splits[i]));
        }
    return best;
}
