/* The second pass of a sum that was split among blocks: the parts are added in their order, always
 * the same. */
#ifndef KERNELS_CONV_SUM_H
#define KERNELS_CONV_SUM_H

#include "conv_store.h"

/* partial: splits x count. A thread an element. */
template <typename T>
__device__ __forceinline__ void conv_sum(T *weights, const float *partial, int count, int splits)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int s = 0; s < splits; s++)
        sum += partial[s * count + i];
    conv_to(weights + i, sum);
}

#endif
