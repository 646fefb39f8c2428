/* Convolution on the CPU as oneDNN does it, in its own blocked layouts: reordering into and out of them
 * is not part of a run, since a network stays in them from layer to layer. fp32. */
#ifndef BENCH_CPU_CONV_H
#define BENCH_CPU_CONV_H

#include <stdbool.h>

#include "bench/shape.h"
#include "core/search.h"

struct cpu_onednn; /* the library and its engine */
struct cpu_conv;   /* one convolution, ready to run */

/* `threads` 0: as many as there are physical cores. NULL with ERR_MISSING and what is missing. */
struct cpu_onednn *cpu_onednn_open(const struct search *where, unsigned threads, struct err *err);
void cpu_onednn_close(struct cpu_onednn *onednn);
/* "oneDNN 2.6.3", and the file that was opened. */
const char *cpu_onednn_name(const struct cpu_onednn *onednn);
const char *cpu_onednn_path(const struct cpu_onednn *onednn);
unsigned cpu_onednn_threads(const struct cpu_onednn *onednn);

/* The forward pass may add a bias (k values) and apply ReLU. */
struct cpu_conv_options {
    enum conv_pass pass;
    bool bias, relu;
};

/* NULL on failure: ERR_MISSING when oneDNN has no such convolution. */
struct cpu_conv *cpu_conv_new(struct cpu_onednn *onednn, const struct conv_shape *shape,
                              const struct cpu_conv_options *options, struct err *err);
void cpu_conv_free(struct cpu_conv *conv);

enum cpu_conv_array { CPU_CONV_X, CPU_CONV_W, CPU_CONV_Y, CPU_CONV_BIAS, CPU_CONV_ARRAYS };

/* Copies an operand in, from the layout of shape.h; and the result out. */
int cpu_conv_put(struct cpu_conv *conv, enum cpu_conv_array array, const float *values,
                 struct err *err);
int cpu_conv_get(struct cpu_conv *conv, float *result, struct err *err);

/* One run, finished when it returns: what is to be timed. */
int cpu_conv_run(struct cpu_conv *conv, struct err *err);

/* oneDNN's name of the kernel that it chose: "jit:avx512_core". */
const char *cpu_conv_kernel(const struct cpu_conv *conv);

#endif
