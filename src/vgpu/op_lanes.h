/* The loops and types that every op_*.h file is written with. Included by op_isa.h only. */
#ifndef VGPU_OP_LANES_H
#define VGPU_OP_LANES_H

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "vgpu/decode.h"
#include "vgpu/op_scalar.h"

/* Register lanes are read and written as whatever type an instruction says. */
typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef uint64_t __attribute__((may_alias)) lane_u64;
typedef float __attribute__((may_alias)) lane_f32;
typedef double __attribute__((may_alias)) lane_f64;
__extension__ typedef __int128 wide_s;
__extension__ typedef unsigned __int128 wide_u;

/* Lanes do not depend on each other, so the loop may be vectorised without a check for overlap. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* a few loops stay scalar: 64-bit high products  \
                                                  */
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < OP_LANES; i++)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < OP_LANES; i++)
#endif

#define ALIGNED(p) __builtin_assume_aligned(p, 64)

/* Storage and value of a type, and how a value is stored. */
#define S_u16    lane_u32
#define V_u16    uint16_t
#define W_u16(x) ((lane_u32)(uint16_t)(x))
#define S_s16    lane_u32
#define V_s16    int16_t
#define W_s16(x) ((lane_u32)(uint16_t)(x))
#define S_u32    lane_u32
#define V_u32    uint32_t
#define W_u32(x) ((lane_u32)(x))
#define S_s32    lane_u32
#define V_s32    int32_t
#define W_s32(x) ((lane_u32)(x))
#define S_u64    lane_u64
#define V_u64    uint64_t
#define W_u64(x) ((lane_u64)(x))
#define S_s64    lane_u64
#define V_s64    int64_t
#define W_s64(x) ((lane_u64)(x))
#define S_f32    lane_f32
#define V_f32    float
#define W_f32(x) (x)
#define S_f64    lane_f64
#define V_f64    double
#define W_f64(x) (x)

#define LANE_ARGS                                                                                  \
    void *pd, const void *pa, const void *pb, const void *pc, const void *pe, const struct inst *in
#define LANE_UNUSED (void)pa, (void)pb, (void)pc, (void)pe, (void)in

/* d = expression of x (and y, z) in lane types: D stored, A B C read. */
#define LANE_OP1(name, D, A, expr)                                                                 \
    static void name(LANE_ARGS)                                                                    \
    {                                                                                              \
        S_##D *d = ALIGNED(pd);                                                                    \
        const S_##A *a = ALIGNED(pa);                                                              \
        LANE_UNUSED;                                                                               \
        LANES                                                                                      \
        {                                                                                          \
            V_##A x = (V_##A)a[i];                                                                 \
            d[i] = W_##D(expr);                                                                    \
        }                                                                                          \
    }

#define LANE_OP2(name, D, A, B, expr)                                                              \
    static void name(LANE_ARGS)                                                                    \
    {                                                                                              \
        S_##D *d = ALIGNED(pd);                                                                    \
        const S_##A *a = ALIGNED(pa);                                                              \
        const S_##B *b = ALIGNED(pb);                                                              \
        LANE_UNUSED;                                                                               \
        LANES                                                                                      \
        {                                                                                          \
            V_##A x = (V_##A)a[i];                                                                 \
            V_##B y = (V_##B)b[i];                                                                 \
            d[i] = W_##D(expr);                                                                    \
        }                                                                                          \
    }

#define LANE_OP3(name, D, A, B, C, expr)                                                           \
    static void name(LANE_ARGS)                                                                    \
    {                                                                                              \
        S_##D *d = ALIGNED(pd);                                                                    \
        const S_##A *a = ALIGNED(pa);                                                              \
        const S_##B *b = ALIGNED(pb);                                                              \
        const S_##C *c = ALIGNED(pc);                                                              \
        LANE_UNUSED;                                                                               \
        LANES                                                                                      \
        {                                                                                          \
            V_##A x = (V_##A)a[i];                                                                 \
            V_##B y = (V_##B)b[i];                                                                 \
            V_##C z = (V_##C)c[i];                                                                 \
            d[i] = W_##D(expr);                                                                    \
        }                                                                                          \
    }

/* Subnormals become zeros of the same sign. */
static inline float flush_f32(float x)
{
    uint32_t u = bits_of_f32(x);
    return f32_of_bits((u & 0x7f800000) ? u : u & 0x80000000);
}

/* A single-precision result that is a NaN has one bit pattern. */
static inline float canon_f32(float x)
{
    return x != x ? f32_of_bits(0x7fffffff) : x;
}

/* .sat: into [0, 1], NaN to +0. */
static inline float sat_f32(float x)
{
    x = x > 0.0f ? x : 0.0f;
    return x < 1.0f ? x : 1.0f;
}

static inline double sat_f64(double x)
{
    x = x > 0.0 ? x : 0.0;
    return x < 1.0 ? x : 1.0;
}

/* The processor's rounding mode for the explicit .rz .rm .rp forms. The loops between these two
 * calls read and write memory, so the compiler cannot carry arithmetic across them. */
static inline void round_begin(unsigned mode)
{
    if (mode == ROUND_RN)
        return;
    fesetround(mode == ROUND_RZ ? FE_TOWARDZERO : mode == ROUND_RM ? FE_DOWNWARD : FE_UPWARD);
}

static inline void round_end(unsigned mode)
{
    if (mode != ROUND_RN)
        fesetround(FE_TONEAREST);
}

#endif
