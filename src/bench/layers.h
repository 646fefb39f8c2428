/* The layers between convolutions, which move memory and compute little: bias, batch norm as
 * inference applies it, sums, pooling. fp32 and fp16 storage; arithmetic is fp32, results are
 * rounded once. */
#ifndef BENCH_LAYERS_H
#define BENCH_LAYERS_H

#include "bench/gpu.h"
#include "bench/shape.h"

enum bench_layer {
    BENCH_LAYER_BIAS,             /* x + shift[channel] */
    BENCH_LAYER_BIAS_RELU,        /* relu of that */
    BENCH_LAYER_BATCH_NORM,       /* x * scale[channel] + shift[channel] */
    BENCH_LAYER_BATCH_NORM_RELU,  /* relu of that */
    BENCH_LAYER_BATCH_NORM_RELU6, /* that, 6 at most */
    BENCH_LAYER_ADD,              /* x + other */
    BENCH_LAYER_ADD_RELU,         /* relu of that */
    BENCH_LAYER_MAX_POOL,
    BENCH_LAYER_AVERAGE_POOL,
    BENCH_LAYER_GLOBAL_POOL, /* the mean of each plane: n x c x 1 x 1 */
    BENCH_LAYER_COUNT
};

/* Input n x c x h x w. The rest is for max and average pooling; padding is less than the window. */
struct layer_shape {
    int n, c, h, w;
    int window_h, window_w;
    int stride_h, stride_w;
    int pad_h, pad_w;
    bool count_padding; /* an average's divisor counts what lies outside, too */
};

/* Device addresses, 16-byte aligned. scale and shift: c x fp32. The output may be the input, except
 * for pooling. */
struct layer_buffers {
    uint64_t input, other, output;
    uint64_t scale, shift;
};

const char *layer_name(enum bench_layer op); /* "bias-relu" ... */
/* The kernel behind it, in the precision's family; for tables of kernels. */
const char *layer_kernel(enum bench_layer op);
/* "layers_f32"; NULL: there are no kernels for the precision. */
const char *layer_family(enum bench_precision precision);

/* Elements of the input and the output. */
uint64_t layer_input_count(const struct layer_shape *shape);
uint64_t layer_output_count(enum bench_layer op, const struct layer_shape *shape);
/* The bytes that must cross the memory's bus: each element of input and output once. */
uint64_t layer_bytes(enum bench_layer op, enum bench_precision precision,
                     const struct layer_shape *shape);

/* Queues the launch. ERR_USAGE: the shape or the precision is not supported. */
int layer_run(struct gpu *gpu, enum bench_layer op, enum bench_precision precision,
              const struct layer_shape *shape, const struct layer_buffers *buffers,
              struct err *err);

#endif
