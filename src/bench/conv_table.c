/* Which variants there are. The floors are a little below the least share that any target's code
 * has. */
#include "bench/conv_parts.h"

#define F32  BENCH_FP32
#define F16S BENCH_FP16S
#define FWD  CONV_FORWARD
#define DATA CONV_BACKWARD_DATA
#define WGT  CONV_BACKWARD_WEIGHTS

/* Rows come in fp32 and fp16 storage; the family's name ends alike. */
#define BOTH(name, method, pass, family, ...)                                                      \
    { name, method, F32, pass, family "_f32", __VA_ARGS__ },                                       \
    {                                                                                              \
        name, method, F16S, pass, family "_f16s", __VA_ARGS__                                      \
    }
#define IMPLICIT(size, kernel, pass, threads, ...)                                                 \
    BOTH("implicit-" #size "x" #size, CONV_IMPLICIT, pass, "conv", kernel "_" #size "x" #size,     \
         size, size, 8, threads, 35, __VA_ARGS__)
#define DEPTHWISE(name, kernel, pass, rows)                                                        \
    BOTH(name, CONV_DEPTHWISE, pass, "depthwise", kernel, rows, 1, 0, 128, 35, 0, 0)
#define POINTWISE(precision, pass)                                                                 \
    {                                                                                              \
        "pointwise", CONV_POINTWISE, precision, pass, "", "", 0, 0, 0, 0, 35, 0, 0                 \
    }

const struct conv_algorithm conv_table[] = {
    IMPLICIT(128, "conv_forward", FWD, 256, 84, 85),
    IMPLICIT(64, "conv_forward", FWD, 64, 75, 77),
    IMPLICIT(128, "conv_data", DATA, 256, 81, 82),
    IMPLICIT(64, "conv_data", DATA, 64, 74, 76),
    IMPLICIT(128, "conv_weights", WGT, 256, 79, 81),
    IMPLICIT(64, "conv_weights", WGT, 64, 72, 73),
    POINTWISE(F32, FWD),
    POINTWISE(F32, DATA),
    POINTWISE(F32, WGT),
    POINTWISE(F16S, FWD),
    POINTWISE(F16S, DATA),
    POINTWISE(F16S, WGT),
    DEPTHWISE("depthwise-3x3-s1", "depthwise_3x3_s1", FWD, 4),
    DEPTHWISE("depthwise-3x3-s2", "depthwise_3x3_s2", FWD, 4),
    DEPTHWISE("depthwise", "depthwise_forward", FWD, 1),
    DEPTHWISE("depthwise-3x3-s1", "depthwise_3x3_s1", DATA, 4),
    DEPTHWISE("depthwise-3x3-s2", "depthwise_data_3x3_s2", DATA, 1),
    DEPTHWISE("depthwise", "depthwise_data", DATA, 1),
    DEPTHWISE("depthwise", "depthwise_weights", WGT, 1),
    { "winograd-2x2-3x3", CONV_WINOGRAD, F32, FWD, "winograd_f32", "winograd_input", 2, 2, 0, 128,
      35, 0, 0 },
    { "im2col", CONV_IM2COL, F32, FWD, "im2col_f32", "im2col", 1, 128, 0, 128, 35, 0, 0 },
};
const size_t conv_table_count = sizeof conv_table / sizeof conv_table[0];
