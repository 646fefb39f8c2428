/* Ceiling of packed half arithmetic.
 *
 *   fma_half2(out, in, rounds, factor)   both halves: r = fma(r, factor, r), rounded to half each time
 *
 * Arguments, chains and steps as in ceil_alu.cu, with two halves for each element; out[t] is the sum of the
 * thread's chains, half by half, first to last. It runs on every card from 5.3 on, on the 6.1 at 1/64 of
 * the single-precision rate. */
#include <cuda_fp16.h>

#include "ceil.h"

CEIL_KERNEL fma_half2(__half2 *out, const __half2 *in, int rounds, unsigned factor)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 f = *reinterpret_cast<const __half2 *>(&factor);
    __half2 r[CEIL_CHAINS];
#pragma unroll
    for (unsigned c = 0; c < CEIL_CHAINS; c++)
        r[c] = in[(c + t) % CEIL_CHAINS];
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < CEIL_STEPS; s++)
#pragma unroll
            for (int c = 0; c < CEIL_CHAINS; c++)
                r[c] = __hfma2(r[c], f, r[c]);
    }
    __half2 sum = r[0];
#pragma unroll
    for (int c = 1; c < CEIL_CHAINS; c++)
        sum = __hadd2(sum, r[c]);
    out[t] = sum;
}
