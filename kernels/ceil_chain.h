/* The loop of the arithmetic ceilings (ceil_alu.cu says what it is for): CEIL_CHAINS chains a thread, which begin with
 * in[(c + t) % CEIL_CHAINS], go rounds x CEIL_STEPS steps each, and are put together first to last into out[t].
 *
 * O: next(r) is one step of a chain, join(a, b) puts two together. */
#ifndef KERNELS_CEIL_CHAIN_H
#define KERNELS_CEIL_CHAIN_H

#include "ceil.h"

template <typename T, typename O>
static __device__ __forceinline__ void chain_ceiling(T *out, const T *in, int rounds, const O o)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    T r[CEIL_CHAINS];
#pragma unroll
    for (unsigned c = 0; c < CEIL_CHAINS; c++)
        r[c] = in[(c + t) % CEIL_CHAINS];
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < CEIL_STEPS; s++)
#pragma unroll
            for (int c = 0; c < CEIL_CHAINS; c++)
                r[c] = o.next(r[c]);
    }
    T sum = r[0];
#pragma unroll
    for (int c = 1; c < CEIL_CHAINS; c++)
        sum = o.join(sum, r[c]);
    out[t] = sum;
}

#endif
