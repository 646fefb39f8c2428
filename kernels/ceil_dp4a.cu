/* Ceiling of the four-way dot product of bytes.
 *
 *   dot_s8(out, in, rounds, factor)   r = r + sum of byte i of r x byte i of factor, signed, wrapping
 *
 * Arguments, chains and steps as in ceil_alu.cu; out[t] is the exclusive or of the thread's chains. A step
 * is four multiply-adds. */
#include "ceil.h"

CEIL_KERNEL dot_s8(int *out, const int *in, int rounds, int factor)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int r[CEIL_CHAINS];
#pragma unroll
    for (unsigned c = 0; c < CEIL_CHAINS; c++)
        r[c] = in[(c + t) % CEIL_CHAINS];
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < CEIL_STEPS; s++)
#pragma unroll
            for (int c = 0; c < CEIL_CHAINS; c++)
                r[c] = __dp4a(r[c], factor, r[c]);
    }
    int sum = r[0];
#pragma unroll
    for (int c = 1; c < CEIL_CHAINS; c++)
        sum ^= r[c];
    out[t] = sum;
}
