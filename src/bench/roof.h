/* What a card should be able to do by its figures: for planning only. Sizes are chosen and
 * durations foreseen with it; no result is held against it (those are held against measured
 * ceilings). */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

#include "arch/cards.h"
#include "bench/case.h"
#include "cuda/device.h"

struct roof {
    char card[128];
    unsigned cc;
    int sms;
    double peak_gflops[BENCH_PRECISION_COUNT]; /* 0: none, or not known */
    double bandwidth_gbps, transfer_gbps, launch_us;
    double l2_bytes, memory_bytes;
};

/* From the card's row of cards.tsv; false when that has no figures. */
bool roof_of_card(const struct card *card, struct roof *roof);

/* From the table when the device's name is found there, with what the driver tells put in its
 * place; else from the driver's attributes alone. `name` without a virtual card's mark. */
void roof_of_device(const struct device *device, const char *name, struct roof *roof);

/* Milliseconds of one launch at the share of the roof that such kernels usually reach, of which see
 * roof.c; 0 when the figures say nothing. */
double roof_expect_ms(const struct roof *roof, const struct bench_case *c);

#endif
