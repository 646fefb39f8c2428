/* What is measured: the operations, their shapes and the classes of arithmetic they run in. */
#ifndef BENCH_SHAPE_H
#define BENCH_SHAPE_H

#include <stdbool.h>

/* Storage and arithmetic are two axes; each class here is one kernel family per operation. The word in
 * quotes is what JSON, the command line and tables print. */
enum bench_precision {
    BENCH_FP32,    /* "fp32" */
    BENCH_FP16S,   /* "fp16-storage": fp16 in memory, fp32 arithmetic */
    BENCH_HALF2,   /* "fp16": packed half arithmetic, 5.3 and up */
    BENCH_TC_FP16, /* "tc-fp16": tensor instructions, fp32 sums, 7.0 and up */
    BENCH_TC_BF16, /* "tc-bf16": 8.0 and up */
    BENCH_TC_TF32, /* "tc-tf32": fp32 in memory, 8.0 and up */
    BENCH_DP4A,    /* "int8": int8 in memory, int32 sums, 6.1 and up */
    BENCH_TC_INT8, /* "tc-int8": 7.2 and up */
    BENCH_FP64,    /* "fp64": ceilings only */
    BENCH_INT32,   /* "int32": ceilings only */
    BENCH_PRECISION_COUNT
};

/* C = alpha * op(A) * op(B) + beta * C, as BLAS has it: column-major, op(A) is m x k, op(B) is k x n, C is
 * m x n; the leading dimensions are the numbers of rows as stored. `batch` of them, each behind the other. */
struct gemm_shape {
    int m, n, k;
    bool trans_a, trans_b;
    int batch; /* at least 1 */
};

enum conv_pass { CONV_FORWARD, CONV_BACKWARD_DATA, CONV_BACKWARD_WEIGHTS };

/* NCHW, cross-correlation as every framework has it. Input n x c x h x w; weights k x (c / groups) x r x s;
 * output n x k x p x q with p = (h + 2 * pad_h - dilation_h * (r - 1) - 1) / stride_h + 1, and q alike. */
struct conv_shape {
    int n, c, h, w;
    int k, r, s;
    int pad_h, pad_w;
    int stride_h, stride_w;
    int dilation_h, dilation_w;
    int groups; /* c: depthwise */
};

const char *bench_precision_name(enum bench_precision precision);
/* -1: no such name. */
int bench_precision_find(const char *name);
/* Bytes of one element as stored (of A, B, inputs and weights). */
int bench_precision_bytes(enum bench_precision precision);

int conv_out_h(const struct conv_shape *shape);
int conv_out_w(const struct conv_shape *shape);

/* Multiply-adds count two. */
double gemm_flop(const struct gemm_shape *shape);
double conv_flop(const struct conv_shape *shape);

#endif
