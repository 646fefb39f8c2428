/* Between the files of bench/conv: what each method adds. */
#ifndef BENCH_CONV_PARTS_H
#define BENCH_CONV_PARTS_H

#include "bench/conv.h"
#include "kernels/conv_args.h"

/* One run, as the methods see it. */
struct conv_job {
    struct gpu *gpu;
    const struct conv_algorithm *algorithm;
    const struct conv_shape *shape;
    const struct conv_buffers *buffers;
    struct conv_options options;
};

static inline unsigned conv_ceil_div(uint64_t a, uint64_t b)
{
    return (unsigned)((a + b - 1) / b);
}

/* Queues `kernel` of the algorithm's family (NULL: its own). */
int conv_launch(const struct conv_job *job, const char *kernel, const unsigned grid[3],
                unsigned threads, void **arguments, struct err *err);

/* The second pass of backward-weights: the workspace's parts, added up to the weights. */
int conv_launch_sum(const struct conv_job *job, const char *kernel, int splits, struct err *err);

struct conv_weights_args conv_weights_arguments(const struct conv_shape *shape, int splits,
                                                int split_pixels);

/* Blocks in each direction; false when the device takes no such grid. */
bool conv_grid_fits(uint64_t x, uint64_t y, uint64_t z);

const char *conv_implicit_unsupported(const struct conv_algorithm *algorithm,
                                      const struct conv_shape *shape);
uint64_t conv_implicit_workspace(const struct conv_algorithm *algorithm,
                                 const struct conv_shape *shape, int sm_count);
double conv_implicit_cost(const struct conv_algorithm *algorithm, const struct conv_shape *shape,
                          int sm_count);
int conv_implicit_run(const struct conv_job *job, struct err *err);

const char *conv_depthwise_unsupported(const struct conv_algorithm *algorithm,
                                       const struct conv_shape *shape);
uint64_t conv_depthwise_workspace(const struct conv_algorithm *algorithm,
                                  const struct conv_shape *shape, int sm_count);
double conv_depthwise_cost(const struct conv_algorithm *algorithm, const struct conv_shape *shape,
                           int sm_count);
int conv_depthwise_run(const struct conv_job *job, struct err *err);

#endif
