/* Inside the time model only: what its files share. Times in ms, sizes in elements unless they say bytes. */
#ifndef SIZE_TIME_PARTS_H
#define SIZE_TIME_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "size/time.h"

/* A block's part of the result; `speed` is its share of what the best tile reaches, `step` the factor on the latency
 * of one step along k. */
struct time_tile {
    double rows, columns, speed, step;
};

/* Products as a library computes them: cut into tiles, one a block, and along k into splits where that pays. */
struct time_work {
    double m, n, k, count;
    double flop_per_ms; /* of one multiprocessor with the best tile */
    double step_ms;     /* least time of one step along k, however small the tile */
    double bytes;       /* that memory moves if nothing is split */
    double bytes_per_ms;
    double sms;
    const struct time_tile *tiles;
    size_t tile_count;
    int most_splits;
    double least_k;     /* of a split */
    double split_bytes; /* that every split adds, of an element of the result; with one split too if `sums_always` */
    bool sums_always;
    double split_ms;    /* for the second kernel that adds up */
    bool whole_waves;   /* all multiprocessors wait for the last one */
    double fill_waves;  /* what filling and draining costs, in waves */
    bool overlaps;      /* memory and arithmetic hide behind each other; else they partly add up */
};

/* ms of the fastest of all tiles and splits. */
double time_tile_fastest(const struct time_work *work);

/* Square root of the sum of squares: two costs of which the larger hides most of the smaller. */
double time_both(double a, double b);

bool time_is_old(const struct time_card *card); /* libraries before Volta: no splits but for huge k */
bool time_uses_tensor(const struct time_model *model);

/* What the card's memory moves in a ms by its data sheet. */
double time_bytes_per_ms(const struct time_card *card);

/* ms of one call, the launch included. The shape has been checked. */
double time_gemm_ms(const struct time_model *model, const struct time_gemm *gemm);
double time_conv_ms(const struct time_model *model, const struct time_conv *conv);

/* On Maxwell and Pascal products with a transposed A slow down the more, the more rows it has; a factor on arithmetic,
 * from 1 on. Cards differ in it: the rows have 1.0 to SLOWDOWN_MOST. Kepler does not (K20m, PPoPP 2017 artifact:
 * 6144^3 with A transposed at 98 % of the best rate). */
double time_gemm_slowdown(const struct time_card *card, const struct time_gemm *gemm);
#define SLOWDOWN_MOST 3.2

double time_gemm_flop(const struct time_gemm *gemm);
double time_gemm_bytes(const struct time_model *model, const struct time_gemm *gemm);
double time_conv_flop(const struct time_conv *conv);
double time_conv_bytes(const struct time_model *model, const struct time_conv *conv);

/* Output's extent; below 1: the filter does not fit. */
double time_conv_rows(const struct time_conv *conv);
double time_conv_columns(const struct time_conv *conv);

/* GFLOP/s that large products reach without a measurement, of the model's card and precision; 0: the card cannot
 * do it. */
double time_peak(const struct time_model *model);

/* Tensor cores (fp16, fp32 sums) relative to fp32 arithmetic. */
double time_tensor_ratio(unsigned cc, bool geforce);

#endif
