/* Ceiling of the four-way dot product of bytes.
 *
 *   dot_s8(out, in, rounds, factor)   r = r + sum of byte i of r x byte i of factor, signed, wrapping
 *
 * Arguments, chains and steps as in ceil_alu.cu; out[t] is the exclusive or of the thread's chains. A step
 * is four multiply-adds. */
#include "ceil_chain.h"

struct dot_of_bytes {
    int factor;
    __device__ __forceinline__ int next(int r) const { return __dp4a(r, factor, r); }
    __device__ __forceinline__ int join(int a, int b) const { return a ^ b; }
};

CEIL_KERNEL dot_s8(int *out, const int *in, int rounds, int factor)
{
    chain_ceiling(out, in, rounds, dot_of_bytes{ factor });
}
