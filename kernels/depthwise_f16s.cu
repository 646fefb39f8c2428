/* Depthwise convolution, fp16 in memory, fp32 arithmetic; see conv_depthwise.h.
 *
 * depthwise_3x3_s1, _s2       forward with stride 1 or 2, and backward-data with stride 1; a thread four
 *                             outputs below each other
 * depthwise_forward, _data    any shape, a thread an element; depthwise_data_3x3_s2 for stride 2
 * depthwise_weights           backward-weights; depthwise_sum adds up its splits
 *
 * Blocks of 128 threads. bias: a float a channel, read only when the arguments say so. */
#include "conv_depthwise.h"
#include "conv_sum.h"

#define FORWARD(name, ...)                                                                         \
    extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)                           \
        name(half_bits *__restrict__ dest, const half_bits *__restrict__ weights,                             \
             const half_bits *__restrict__ source, const float *__restrict__ bias,                      \
             const conv_depthwise_args a)                                                          \
    {                                                                                              \
        __VA_ARGS__(dest, weights, source, bias, a);                                               \
    }
FORWARD(depthwise_3x3_s1, conv_depthwise_3x3<half_bits, 1>)
FORWARD(depthwise_3x3_s2, conv_depthwise_3x3<half_bits, 2>)
FORWARD(depthwise_forward, conv_depthwise_forward<half_bits>)

#define DATA(name, filter, stride)                                                                 \
    extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)                           \
        name(half_bits *__restrict__ dest, const half_bits *__restrict__ weights,                             \
             const half_bits *__restrict__ source, const float *__restrict__ bias,                      \
             const conv_depthwise_args a)                                                          \
    {                                                                                              \
        conv_depthwise_data<half_bits, filter, stride>(dest, weights, source, a);                             \
    }
DATA(depthwise_data_3x3_s2, 3, 2)
DATA(depthwise_data, 0, 0)

extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)
    depthwise_weights(half_bits *__restrict__ weights, float *__restrict__ partial,
                      const half_bits *__restrict__ output, const half_bits *__restrict__ input,
                      const conv_weights_args g)
{
    conv_depthwise_weights(weights, partial, output, input, g);
}

extern "C" __global__ void __launch_bounds__(CONV_SUM_THREADS)
    depthwise_sum(half_bits *__restrict__ dest, const float *__restrict__ partial,
                  const float *__restrict__ bias, const conv_sum_args a)
{
    conv_add_parts(dest, partial, bias, a);
}
