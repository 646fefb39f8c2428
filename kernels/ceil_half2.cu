/* Ceiling of packed half arithmetic.
 *
 *   fma_half2(out, in, rounds, factor)   both halves: r = fma(r, factor, r), rounded to half each time
 *
 * Arguments, chains and steps as in ceil_alu.cu, with two halves for each element; out[t] is the sum of the
 * thread's chains, half by half, first to last. It runs on every card from 5.3 on, on the 6.1 at 1/64 of
 * the single-precision rate. */
#include <cuda_fp16.h>

#include "ceil_chain.h"

struct fma_of_halves {
    __half2 factor;
    __device__ __forceinline__ __half2 next(__half2 r) const { return __hfma2(r, factor, r); }
    __device__ __forceinline__ __half2 join(__half2 a, __half2 b) const { return __hadd2(a, b); }
};

CEIL_KERNEL fma_half2(__half2 *out, const __half2 *in, int rounds, unsigned factor)
{
    const __half2 f = *reinterpret_cast<const __half2 *>(&factor);
    chain_ceiling(out, in, rounds, fma_of_halves{ f });
}
