/* Convolution on the CPU as oneDNN does it, in its own blocked layouts: reordering into and out of them
 * is not part of a run, since a network stays in them from layer to layer. fp32. */
#ifndef BENCH_CPU_CONV_H
#define BENCH_CPU_CONV_H

#include <stdbool.h>

#include "bench/cpu_onednn.h"
#include "bench/shape.h"

struct cpu_conv; /* one convolution, ready to run */

/* The forward pass may add a bias (k values) and apply ReLU. */
struct cpu_conv_options {
    enum conv_pass pass;
    bool bias, relu;
};

/* NULL on failure: ERR_MISSING when oneDNN has no such convolution. */
struct cpu_conv *cpu_conv_new(struct cpu_onednn *onednn, const struct conv_shape *shape,
                              const struct cpu_conv_options *options, struct err *err);
/* NULL is allowed. */
void cpu_conv_free(struct cpu_conv *conv);

enum cpu_conv_array { CPU_CONV_X, CPU_CONV_W, CPU_CONV_Y, CPU_CONV_BIAS, CPU_CONV_ARRAYS };

/* Copies an operand in, from the layout of shape.h; and the result of the pass out. */
int cpu_conv_put(struct cpu_conv *conv, enum cpu_conv_array array, const float *values,
                 struct err *err);
int cpu_conv_get(struct cpu_conv *conv, float *result, struct err *err);

/* One run, finished when it returns: what is to be timed. */
int cpu_conv_run(struct cpu_conv *conv, struct err *err);

/* oneDNN's name of the kernel that it chose: "jit:avx512_core". */
const char *cpu_conv_kernel(const struct cpu_conv *conv);

#endif
