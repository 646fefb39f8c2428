/* The clock of the multiprocessors as they run, read by the device itself: old cards and drivers
 * tell no clock in any other way.
 *
 *     clock_open(&clock, gpu, slots, err);
 *     clock_stamp(&clock, 0, err); ... launches ... clock_stamp(&clock, 1, err); gpu_wait(gpu,
 * err); clock_between(&clock, 0, 1, &span, err);
 *
 * A stamp is a small kernel that notes each multiprocessor's cycle counter and the global timer.
 * That timer steps by up to some microseconds on old chips, so that spans below 1 ms say little. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include "bench/gpu.h"

struct clock {
    struct gpu *gpu;
    struct gpu_function *stamp;
    uint64_t stamps; /* device: slots x blocks */
    unsigned blocks, slots;
};

int clock_open(struct clock *clock, struct gpu *gpu, unsigned slots, struct err *err);
void clock_close(struct clock *clock);

/* Queues a stamp into a slot. */
int clock_stamp(const struct clock *clock, unsigned slot, struct err *err);

struct clock_span {
    double mhz; /* median over the multiprocessors; 0: none was seen in both, or no time passed */
    double ms;  /* of the global timer, between the first stamps of both */
    unsigned multiprocessors; /* seen in both */
};

/* Waits for what is queued and compares two slots. */
int clock_between(const struct clock *clock, unsigned from, unsigned to, struct clock_span *span,
                  struct err *err);

#endif
