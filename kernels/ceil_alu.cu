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
#include "ceil_chain.h"

struct fma_of_floats {
    float factor;
    __device__ __forceinline__ float next(float r) const { return __fmaf_rn(r, factor, r); }
    __device__ __forceinline__ float join(float a, float b) const { return __fadd_rn(a, b); }
};

struct fma_of_doubles {
    double factor;
    __device__ __forceinline__ double next(double r) const { return __fma_rn(r, factor, r); }
    __device__ __forceinline__ double join(double a, double b) const { return __dadd_rn(a, b); }
};

struct mad_of_words {
    unsigned factor, addend;
    __device__ __forceinline__ unsigned next(unsigned r) const { return r * factor + addend; }
    __device__ __forceinline__ unsigned join(unsigned a, unsigned b) const { return a ^ b; }
};

CEIL_KERNEL fma_f32(float *out, const float *in, int rounds, float factor)
{
    chain_ceiling(out, in, rounds, fma_of_floats{ factor });
}

CEIL_KERNEL fma_f64(double *out, const double *in, int rounds, double factor)
{
    chain_ceiling(out, in, rounds, fma_of_doubles{ factor });
}

CEIL_KERNEL mad_i32(unsigned *out, const unsigned *in, int rounds, unsigned factor, unsigned addend)
{
    chain_ceiling(out, in, rounds, mad_of_words{ factor, addend });
}
