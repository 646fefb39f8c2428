#include "bench/op_race.h"

#include <math.h>
#include <stdio.h>

#include "core/stats.h"

enum { RUNS = 3 };
#define FAR_BEHIND 1.5

int op_race_open(struct op_race *race, struct op *op, struct err *err)
{
    *race = (struct op_race){ .op = op };
    return gpu_timer_open(op->place->gpu, &race->timer, err);
}

void op_race_close(struct op_race *race)
{
    gpu_timer_close(race->op->place->gpu, &race->timer);
}

static int one(struct op_race *race, unsigned turn, double *ms, struct err *err)
{
    const struct gpu *gpu = race->op->place->gpu;
    return gpu_timer_mark(gpu, &race->timer, 0, err) || op_run(race->op, turn, err) ||
                   gpu_timer_mark(gpu, &race->timer, 1, err) ||
                   gpu_timer_read(gpu, &race->timer, ms, err)
               ? -1
               : 0;
}

bool op_race_run(struct op_race *race, struct err *err)
{
    double ms[RUNS] = { 0 };
    size_t n = 0;
    if (one(race, 0, &ms[0], err)) /* the first loads the kernel */
        return false;
    for (; n < RUNS; n++) {
        if (one(race, (unsigned)n + 1, &ms[n], err))
            return false;
        if (race->best_ms > 0 && ms[n] > FAR_BEHIND * race->best_ms)
            return false;
    }
    double median = stats_of(ms, n).median;
    if (race->best_ms > 0 && median >= race->best_ms)
        return false;
    race->best_ms = median;
    return true;
}

static void key_of(const struct op *op, char *key, size_t size)
{
    snprintf(key, size, "%s %s %s", op->c.name, bench_precision_name(op->c.precision), op->c.shape);
}

const char *op_race_known(const struct op *op)
{
    char key[208];
    key_of(op, key, sizeof key);
    return op->place->tune ? tune_find(op->place->tune, key) : NULL;
}

void op_race_keep(const struct op *op, const char *name)
{
    char key[208];
    key_of(op, key, sizeof key);
    if (op->place->tune)
        tune_add(op->place->tune, key, name);
}
