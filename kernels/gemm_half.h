/* Halves as they lie in memory, without cuda_fp16.h, whose conversions go through half arithmetic
 * (slow on 6.1) and which costs each compilation a quarter of a second. */
#ifndef KERNELS_GEMM_HALF_H
#define KERNELS_GEMM_HALF_H

#include "gemm_finish.h"

typedef unsigned short half_bits;

GEMM_INLINE float float_of(half_bits h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

GEMM_INLINE half_bits half_of(float f)
{
    half_bits h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

/* Two halves in a register. These moves become part of the instruction that reads them, shifts do
 * not. */
GEMM_INLINE void split(half_bits &low, half_bits &high, unsigned pair)
{
    asm("mov.b32 {%0, %1}, %2;" : "=h"(low), "=h"(high) : "r"(pair));
}

GEMM_INLINE unsigned pair_of(half_bits low, half_bits high)
{
    unsigned pair;
    asm("mov.b32 %0, {%1, %2};" : "=r"(pair) : "h"(low), "h"(high));
    return pair;
}

GEMM_INLINE void put_half(unsigned &pair, int which, half_bits h)
{
    half_bits low, high;
    split(low, high, pair);
    pair = which ? pair_of(low, h) : pair_of(h, high);
}

/* C in halves. */
struct gemm_half_result {
    typedef half_bits result;

    GEMM_INLINE float get(const result *c)
    {
        return float_of(*c);
    }
    GEMM_INLINE void put(result *c, float v)
    {
        *c = half_of(v);
    }
    GEMM_INLINE void get_four(float (&v)[4], const result *c)
    {
        const ushort4 h = *(const ushort4 *)c;
        v[0] = float_of(h.x), v[1] = float_of(h.y), v[2] = float_of(h.z), v[3] = float_of(h.w);
    }
    GEMM_INLINE void put_four(result *c, const float (&v)[4])
    {
        *(ushort4 *)c = make_ushort4(half_of(v[0]), half_of(v[1]), half_of(v[2]), half_of(v[3]));
    }
};

#endif
