/* The kernels of a family of depthwise convolutions; the family's file says what an `element` in
 * memory is. Blocks of 128 threads.
 *
 * depthwise_3x3_s1, _s2: forward with stride 1 or 2, and backward-data with stride 1; a thread
 *     makes four outputs below each other.
 * depthwise_forward, depthwise_data: any shape, an element a thread. depthwise_data_3x3_s2: the
 *     same for 3 x 3 with stride 2.
 * depthwise_weights: backward-weights. depthwise_sum: adds up the parts of its sums.
 *
 * bias: a float a channel, read only when the arguments say so. */
#ifndef KERNELS_DEPTHWISE_FAMILY_H
#define KERNELS_DEPTHWISE_FAMILY_H

#include "conv_depthwise.h"
#include "conv_sum.h"

#define FORWARD(name, ...)                                                                         \
    extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)                           \
        name(element *__restrict__ dest, const element *__restrict__ weights,                      \
             const element *__restrict__ source, const float *__restrict__ bias,                   \
             const conv_depthwise_args a)                                                          \
    {                                                                                              \
        __VA_ARGS__(dest, weights, source, bias, a);                                               \
    }
FORWARD(depthwise_3x3_s1, conv_depthwise_3x3<element, 1>)
FORWARD(depthwise_3x3_s2, conv_depthwise_3x3<element, 2>)
FORWARD(depthwise_forward, conv_depthwise_forward<element>)

#define DATA(name, filter, stride)                                                                 \
    extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)                           \
        name(element *__restrict__ dest, const element *__restrict__ weights,                      \
             const element *__restrict__ source, const float *__restrict__ bias,                   \
             const conv_depthwise_args a)                                                          \
    {                                                                                              \
        conv_depthwise_data<element, filter, stride>(dest, weights, source, a);                    \
    }
DATA(depthwise_data_3x3_s2, 3, 2)
DATA(depthwise_data, 0, 0)

extern "C" __global__ void __launch_bounds__(CONV_DEPTHWISE_THREADS)
    depthwise_weights(element *__restrict__ weights, float *__restrict__ partial,
                      const element *__restrict__ output, const element *__restrict__ input,
                      const conv_weights_args g)
{
    conv_depthwise_weights(weights, partial, output, input, g);
}

extern "C" __global__ void __launch_bounds__(CONV_SUM_THREADS)
    depthwise_sum(element *__restrict__ dest, const float *__restrict__ partial,
                  const float *__restrict__ bias, const conv_sum_args a)
{
    conv_add_parts(dest, partial, bias, a);
}

#endif
