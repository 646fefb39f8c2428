/* Times of operations, a sample at a time, and the clock that each ran at. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include "bench/clock.h"
#include "bench/op.h"
#include "bench/plan.h"
#include "cuda/nvml.h"

struct sampler {
    const struct plan_settings *settings;
    const struct op_place *place;
    struct gpu_timer timer;
    struct clock clock;
    bool has_timer, has_clock;
    struct nvml *nvml; /* where the device cannot say its clock; may be NULL */
    uint64_t random;   /* state of the order in which cases are visited */
    int engine;        /* library of the CPU that ran last, whose threads may still spin; -1: none */
};

/* An operation between its samples. */
struct sample_op {
    struct op op;
    struct row row;
    unsigned repeats; /* launches of one sample */
    unsigned turn;
    bool alive; /* it can be timed; else the row says why not */
};

/* `nvml_path`: the management library, NULL for the loader's. Without a clock there is no failure.
 */
int sampler_open(struct sampler *sampler, const struct op_place *place,
                 const struct plan_settings *settings, const char *nvml_path, struct err *err);
void sampler_close(struct sampler *sampler);

/* Milliseconds of one launch, of `repeats` behind each other; megahertz, NAN when not known. */
int sampler_take(struct sampler *s, struct sample_op *o, double *ms, double *mhz,
                 struct err *err);

/* Sets `repeats` so that a sample takes about as long as the settings say. */
int sampler_calibrate(struct sampler *s, struct sample_op *o, struct err *err);

/* Runs it until the medians of three times three samples agree within 1 %, or the time is up. */
int sampler_warm(struct sampler *s, struct sample_op *o, struct err *err);

/* The numbers 0 ... count - 1 in an order of chance. */
void sampler_shuffle(struct sampler *sampler, size_t *order, size_t count);

#endif
