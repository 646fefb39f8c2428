#include "bench/shape.h"

#include <string.h>

static const struct {
    const char *name;
    int bytes;
} precisions[BENCH_PRECISION_COUNT] = {
    [BENCH_FP32] = { "fp32", 4 },       [BENCH_FP16S] = { "fp16-storage", 2 },
    [BENCH_HALF2] = { "fp16", 2 },      [BENCH_TC_FP16] = { "tc-fp16", 2 },
    [BENCH_TC_BF16] = { "tc-bf16", 2 }, [BENCH_TC_TF32] = { "tc-tf32", 4 },
    [BENCH_DP4A] = { "int8", 1 },       [BENCH_TC_INT8] = { "tc-int8", 1 },
    [BENCH_FP64] = { "fp64", 8 },       [BENCH_INT32] = { "int32", 4 },
};

const char *bench_precision_name(enum bench_precision precision)
{
    return precisions[precision].name;
}

int bench_precision_find(const char *name)
{
    for (int i = 0; i < BENCH_PRECISION_COUNT; i++)
        if (strcmp(precisions[i].name, name) == 0)
            return i;
    return -1;
}

int bench_precision_bytes(enum bench_precision precision)
{
    return precisions[precision].bytes;
}

static int out(int in, int pad, int dilation, int filter, int stride)
{
    int covered = in + 2 * pad - dilation * (filter - 1) - 1;
    return covered < 0 ? 0 : covered / stride + 1;
}

int conv_out_h(const struct conv_shape *shape)
{
    return out(shape->h, shape->pad_h, shape->dilation_h, shape->r, shape->stride_h);
}

int conv_out_w(const struct conv_shape *shape)
{
    return out(shape->w, shape->pad_w, shape->dilation_w, shape->s, shape->stride_w);
}

double gemm_flop(const struct gemm_shape *shape)
{
    return 2.0 * shape->m * shape->n * shape->k * shape->batch;
}

double conv_flop(const struct conv_shape *shape)
{
    double outputs = (double)shape->n * shape->k * conv_out_h(shape) * conv_out_w(shape);
    return 2.0 * outputs * ((double)shape->c / shape->groups) * shape->r * shape->s;
}
