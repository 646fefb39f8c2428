/* Depthwise convolution, fp32; see conv_depthwise.h.
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
        name(float *__restrict__ dest, const float *__restrict__ weights,                             \
             const float *__restrict__ source, const float *__restrict__ bias,                      \
             const conv_depthwise_args a)                                                          \
    {                                                                                              \
        __VA_ARGS__(dest, weights, source, bias, a);                                               \
    }
FORWARD(depthwise_3x3_s1, conv_depthwise_3x3<float, 1>)
FORWARD(depthwise_3x3_s2, conv_depthwise_3x3<float, 2>)
FORWARD(depthwise_forward, conv_depthwise_forward<float>)

#define DATA(name, filter, stride)                                                                 \
    extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)                           \
        name(float *__restrict__ dest, const float *__restrict__ weights,                             \
             const float *__restrict__ source, const float *__restrict__ bias,                      \
             const conv_depthwise_args a)                                                          \
    {                                                                                              \
        conv_depthwise_data<float, filter, stride>(dest, weights, source, a);                             \
    }
DATA(depthwise_data_3x3_s2, 3, 2)
DATA(depthwise_data, 0, 0)

extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)
    depthwise_weights(float *__restrict__ weights, float *__restrict__ partial,
                      const float *__restrict__ output, const float *__restrict__ input,
                      const conv_weights_args g)
{
    conv_depthwise_weights(weights, partial, output, input, g);
}

extern "C" __global__ void __launch_bounds__(CONV_SUM_THREADS)
    depthwise_sum(float *__restrict__ dest, const float *__restrict__ partial,
                  const float *__restrict__ bias, const conv_sum_args a)
{
    conv_add_parts(dest, partial, bias, a);
}
