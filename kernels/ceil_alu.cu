/* Ceilings of plain arithmetic: what a card does when nothing but one instruction is in the way.
 *
 *   fma_f32(out, in, rounds, factor)              float   r = fma(r, factor, r)
 *   fma_f64(out, in, rounds, factor)              double  r = fma(r, factor, r)
 *   mad_i32(out, in, rounds, factor, addend)      32 bits r = r * factor + addend, wrapping
 *
 *   in    CHAINS elements that all threads begin with, chain c of thread t at in[(c + t) % CHAINS]
 *   out   one element a thread: the sum of its chains (of mad_i32: their exclusive or), first to last
 *
 * One thread does rounds x STEPS x CHAINS multiply-adds, in any grid and block shape in x. The chains are
 * independent of each other, so that two neighbouring instructions can issue together (Kepler and the
 * first Maxwell issue pairs) and the latency is hidden from few warps on. With the same register as
 * factor and addend an instruction reads two registers and not three: the banks of Kepler's register
 * file do not give three to each lane in each cycle. The host repeats a thread's work bit for bit. */
#include "ceil.h"

template <typename T> static __device__ __forceinline__ void begin(T (&r)[CEIL_CHAINS], const T *in)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (unsigned c = 0; c < CEIL_CHAINS; c++)
        r[c] = in[(c + t) % CEIL_CHAINS];
}

CEIL_KERNEL fma_f32(float *out, const float *in, int rounds, float factor)
{
    float r[CEIL_CHAINS];
    begin(r, in);
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < CEIL_STEPS; s++)
#pragma unroll
            for (int c = 0; c < CEIL_CHAINS; c++)
                r[c] = __fmaf_rn(r[c], factor, r[c]);
    }
    float sum = r[0];
#pragma unroll
    for (int c = 1; c < CEIL_CHAINS; c++)
        sum = __fadd_rn(sum, r[c]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

CEIL_KERNEL fma_f64(double *out, const double *in, int rounds, double factor)
{
    double r[CEIL_CHAINS];
    begin(r, in);
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < CEIL_STEPS; s++)
#pragma unroll
            for (int c = 0; c < CEIL_CHAINS; c++)
                r[c] = __fma_rn(r[c], factor, r[c]);
    }
    double sum = r[0];
#pragma unroll
    for (int c = 1; c < CEIL_CHAINS; c++)
        sum = __dadd_rn(sum, r[c]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

CEIL_KERNEL mad_i32(unsigned *out, const unsigned *in, int rounds, unsigned factor, unsigned addend)
{
    unsigned r[CEIL_CHAINS];
    begin(r, in);
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < CEIL_STEPS; s++)
#pragma unroll
            for (int c = 0; c < CEIL_CHAINS; c++)
                r[c] = r[c] * factor + addend;
    }
    unsigned sum = r[0];
#pragma unroll
    for (int c = 1; c < CEIL_CHAINS; c++)
        sum ^= r[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
