/* Convolution with this program's own kernels: which algorithms there are, what each can do, and
 * running them.
 *
 * A pass in bench/shape.h's layout (NCHW, weights K x C/groups x R x S):
 *   forward            reads input, weights (and bias: K x fp32)   writes output
 *   backward-data      reads output (its gradient), weights        writes input (its gradient)
 *   backward-weights   reads output (its gradient), input          writes weights (their gradient)
 * All sums are fp32, in an order that shape, algorithm and SM count decide: no atomics, the same
 * bits each time. A weight that is infinite or not a number may spoil all of its output channel. */
#ifndef BENCH_CONV_H
#define BENCH_CONV_H

#include <stddef.h>
#include <stdint.h>

#include "bench/gpu.h"
#include "bench/shape.h"

enum conv_method {
    CONV_IMPLICIT,  /* "implicit": GEMM that gathers the input while staging it, no workspace */
    CONV_POINTWISE, /* "pointwise": 1x1, stride 1, no padding: the plain GEMM of bench/gemm.h, an
                       image each */
    CONV_DEPTHWISE, /* "depthwise": groups = c */
    CONV_WINOGRAD,  /* "winograd": F(2x2,3x3), transforms and sixteen GEMMs */
    CONV_IM2COL,    /* "im2col": the matrix written out, then GEMM; for comparison */
    CONV_METHOD_COUNT
};

/* A variant: one kernel that does the work, as compiled. Others that help it lie in the same
 * family. */
struct conv_algorithm {
    const char *name; /* unique within pass and precision: "implicit-128x128" */
    enum conv_method method;
    enum bench_precision precision;
    enum conv_pass pass;
    const char *family, *kernel; /* "": the kernels are bench/gemm.h's */
    /* Of one block. GEMM-like: rows (channels), columns (pixels; of backward-weights: input
     * channels times filter), step of the sum. Depthwise: output rows, output columns, 0. */
    int tile_m, tile_n, tile_k;
    int threads;
    int lowest; /* target: 35 */
    /* Percent of FMA among all instructions of the hottest loop that its code keeps, on 35 and 37
     * and from 50 up; 0: bound by bandwidth, none is promised. */
    int fma_floor_kepler, fma_floor;
};

const struct conv_algorithm *conv_algorithms(size_t *count);
/* NULL: there is none of that name. */
const struct conv_algorithm *conv_find(const char *name, enum conv_pass pass,
                                       enum bench_precision precision);
const char *conv_method_name(enum conv_method method);
const char *
conv_pass_name(enum conv_pass pass); /* "forward", "backward-data", "backward-weights" */

/* NULL when the algorithm can compute the shape, else why not, as a phrase. */
const char *conv_unsupported(const struct conv_algorithm *algorithm,
                             const struct conv_shape *shape);

/* The one to take when nothing was measured, by tile waste and the card's SMs. NULL: this precision
 * has none. */
const struct conv_algorithm *conv_choose(const struct conv_shape *shape, enum conv_pass pass,
                                         enum bench_precision precision, int sm_count);

/* By how much reference_bound's `relative` is to be multiplied. Winograd 2: for data of either sign
 * the magnitudes of what its transforms add up come to 1.4 times those of the direct sum, and each
 * result is rounded a few times more on the way. */
double conv_error_factor(const struct conv_algorithm *algorithm);
/* Whether the sum is rounded to the format it is stored in before the bias is added to it: a product of
 * matrices has no bias of its own, so that comes in a pass behind it. */
bool conv_rounds_twice(const struct conv_algorithm *algorithm, bool bias);

/* What conv_run() needs beside the tensors; 0 for most. */
uint64_t conv_workspace_bytes(const struct conv_algorithm *algorithm,
                              const struct conv_shape *shape, int sm_count);

/* Device addresses, 16-byte aligned. */
struct conv_buffers {
    uint64_t input, weights, output;
    uint64_t bias; /* only with options.bias */
    uint64_t workspace;
    uint64_t workspace_bytes;
};

/* Of forward only, after the sum: output = relu(sum + bias). */
struct conv_options {
    bool bias, relu;
};

/* Elements of each tensor. */
uint64_t conv_input_count(const struct conv_shape *shape);
uint64_t conv_weight_count(const struct conv_shape *shape);
uint64_t conv_output_count(const struct conv_shape *shape);

/* Queues all launches of one pass. ERR_USAGE: the shape is not supported, or the workspace is too
 * small. */
int conv_run(struct gpu *gpu, const struct conv_algorithm *algorithm,
             const struct conv_shape *shape, const struct conv_buffers *buffers,
             const struct conv_options *options, struct err *err);

#endif
