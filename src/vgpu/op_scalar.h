/* Numbers and their bits, one at a time; branchless where loops over lanes use them. */
#ifndef VGPU_OP_SCALAR_H
#define VGPU_OP_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float f32_of_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double f64_of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline float float_of_half(uint32_t h)
{
    float x = f32_of_bits((h & 0x7fff) << 13) * 0x1p112f;
    uint32_t u = bits_of_f32(x) | ((h & 0x7c00) == 0x7c00 ? 0x7f800000 : 0);
    return f32_of_bits(u | (h & 0x8000) << 16);
}

static inline uint32_t half_of_float(float x)
{
    uint32_t u = bits_of_f32(x), sign = u & 0x80000000;
    u ^= sign;
    float tiny = f32_of_bits(u) + 0.5f; /* aligns the last place of a subnormal half */
    uint32_t subnormal = bits_of_f32(tiny) - 0x3f000000;
    uint32_t normal = (u - 0x38000000 + 0xfff + (u >> 13 & 1)) >> 13;
    uint32_t r = u < 0x38800000 ? subnormal : normal;
    r = u >= 0x47800000 ? 0x7c00 : r;
    return u > 0x7f800000 ? 0x7fff : r | sign >> 16;
}

static inline float float_of_bf16(uint32_t h)
{
    return f32_of_bits(h << 16);
}

static inline uint32_t bf16_of_float(float x)
{
    uint32_t u = bits_of_f32(x);
    return x != x ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

/* Toward zero, and the last bit set if anything was lost. */
static inline float odd_float(double x)
{
    float f = (float)x;
    double back = f;
    uint32_t inexact = back != x && x == x ? 1 : 0;
    uint32_t away = inexact && fabs(back) > fabs(x) ? 1 : 0;
    return f32_of_bits((bits_of_f32(f) - away) | inexact);
}

#endif
