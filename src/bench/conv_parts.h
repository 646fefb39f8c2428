/* Between the files of bench/conv: what each method adds. */
#ifndef BENCH_CONV_PARTS_H
#define BENCH_CONV_PARTS_H

#include "bench/conv.h"
#include "bench/gemm.h"
#include "kernels/conv_args.h"

extern const struct conv_algorithm conv_table[];
extern const size_t conv_table_count;

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

/* Queues `kernel` of the algorithm's family; of any family. */
int conv_launch(const struct conv_job *job, const char *kernel, const unsigned grid[3],
                unsigned threads, void **arguments, struct err *err);

int conv_launch_of(const struct conv_job *job, const char *family, const char *kernel,
                   const unsigned grid[3], unsigned threads, void **arguments, struct err *err);

/* The second pass of a split sum: the workspace's parts, added up to what the pass writes. */
int conv_launch_sum(const struct conv_job *job, const char *kernel, int splits, struct err *err);

struct conv_weights_args conv_weights_arguments(const struct conv_shape *shape, int splits,
                                                int split_pixels);

/* Blocks in each direction; false when the device takes no such grid. */
bool conv_grid_fits(uint64_t x, uint64_t y, uint64_t z);

/* Products by bench/gemm.h: whether there is a kernel, what it needs, what it costs; one of them;
 * and the output's bias and ReLU after the last. */
bool conv_gemm_possible(enum bench_precision precision, const struct gemm_shape *shape);
uint64_t conv_gemm_workspace(enum bench_precision precision, const struct gemm_shape *shape,
                             int sm_count);
double conv_gemm_cost(enum bench_precision precision, const struct gemm_shape *shape, int sm_count);
int conv_gemm_run(const struct conv_job *job, const struct gemm_shape *shape, float beta,
                  const struct gemm_buffers *buffers, struct err *err);
int conv_gemm_finish(const struct conv_job *job, struct err *err);

/* What waiting costs in conv_choose's unit, multiply-adds of an SM: another launch, about 8 us; an
 * element that goes through memory, between the 30 of a balanced card and the 100 of a GeForce 920M
 * (732 GFLOP/s at 14.4 GB/s). */
#define CONV_LAUNCH_COST  1e6
#define CONV_ELEMENT_COST 64.0

/* Equal blocks of a GEMM whose sum is split into parts, and what they cost together. */
struct conv_blocks {
    uint64_t tiles; /* blocks of one part */
    unsigned parts;
    int threads;
    double work;     /* multiply-adds of a block, and what else it does in their time */
    double elements; /* that each part writes, when there are several */
};
double conv_blocks_cost(const struct conv_blocks *blocks, int sm_count);

/* What each method has: a reason why it cannot do a shape, or NULL; bytes; multiply-adds that an SM
 * does one after the other, about, what it waits for memory counted; all launches of one pass. */
#define CONV_METHOD(method)                                                                        \
    const char *conv_##method##_unsupported(const struct conv_algorithm *algorithm,                \
                                            const struct conv_shape *shape);                       \
    uint64_t conv_##method##_workspace(const struct conv_algorithm *algorithm,                     \
                                       const struct conv_shape *shape, int sm_count);              \
    double conv_##method##_cost(const struct conv_algorithm *algorithm,                            \
                                const struct conv_shape *shape, int sm_count);                     \
    int conv_##method##_run(const struct conv_job *job, struct err *err);
CONV_METHOD(implicit)
CONV_METHOD(pointwise)
CONV_METHOD(depthwise)
CONV_METHOD(winograd)
CONV_METHOD(im2col)
#undef CONV_METHOD

#endif
