/* The second pass of a sum that was split among blocks: the parts are added in their order, always
 * the same. */
#ifndef KERNELS_CONV_SUM_H
#define KERNELS_CONV_SUM_H

#include "conv_args.h"
#include "conv_store.h"

/* partial: splits x count. A thread an element. */
template <typename T>
__device__ __forceinline__ void conv_add_parts(T *dest, const float *partial, const float *bias,
                                               const conv_sum_args &a)
{
    const int i = blockIdx.x * CONV_SUM_THREADS + threadIdx.x;
    if (i >= a.count)
        return;
    const float *from = partial + i;
    float sum = 0.0f;
#pragma unroll 4
    for (int s = 0; s < a.splits; s++, from += a.count)
        sum += __ldg(from);
    if (a.bias)
        sum += bias[i / a.area % a.channels];
    conv_to(dest + i, a.relu && sum < 0.0f ? 0.0f : sum);
}

#endif
