/* What the generated kernels are written in: CUDA, or, for a host compiler, C++ with the CUDA names
 * that shim_host.h gives. A kernel gets an u64 of results a thread, the words that input.h fills,
 * and zeroed words that all threads share. */
#ifndef DIFFERENTIAL_SHIM_H
#define DIFFERENTIAL_SHIM_H

#include "input.h"

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef float f32;
typedef double f64;

#ifdef __CUDACC__
#include <cuda_fp16.h>
#ifdef DIFFERENTIAL_BF16
#include <cuda_bf16.h>
#endif
#define HD            static __device__ __forceinline__
#define ARCH          (__CUDA_ARCH__ / 10)
#define KERNEL(name)  extern "C" __global__ void name(u64 *out, const u32 *in, u32 *work)
#define DYNAMIC(name) extern __shared__ u32 name[]
#define TABLE(name)   static __device__ const u32 name[8]
#define HELPER(type)  static __device__ __noinline__ type
#else
#include "shim_host.h"
#define HD            static inline
#define KERNEL(name)  extern "C" void name(u64 *out, const u32 *in, u32 *work)
#define DYNAMIC(name) u32 *name = host_dynamic_shared()
#define TABLE(name)   static const u32 name[8]
#define HELPER(type)  static type
#endif

/* ---- input and output --------------------------------------------------------------------------
 * Operand k of thread i, of numbers of all kinds or, with m for moderate, of everyday ones. */

HD u32 at(u32 i, u32 k)
{
    return i * (2 * k + 197) + k * 331;
}

union pun32 {
    u32 u;
    f32 f;
};
union pun64 {
    u64 u;
    f64 d;
};

HD f32 as_f32(u32 u)
{
    union pun32 p;
    p.u = u;
    return p.f;
}

HD f64 as_f64(u64 u)
{
    union pun64 p;
    p.u = u;
    return p.d;
}

HD u32 in_u(const u32 *in, u32 i, u32 k)
{
    return in[INPUT_WORDS + (at(i, k) & 1023)];
}
HD s32 in_i(const u32 *in, u32 i, u32 k)
{
    return (s32)in_u(in, i, k);
}
HD u64 in_w(const u32 *in, u32 i, u32 k)
{
    u32 n = at(i, k) & 511;
    return (u64)in[INPUT_WORDS + n * 2 + 1] << 32 | in[INPUT_WORDS + n * 2];
}
HD s64 in_l(const u32 *in, u32 i, u32 k)
{
    return (s64)in_w(in, i, k);
}
HD u16 in_h(const u32 *in, u32 i, u32 k)
{
    return ((const u16 *)in)[(INPUT_WORDS + (at(i, k) & 1023)) * 2];
}
HD s16 in_s(const u32 *in, u32 i, u32 k)
{
    return ((const s16 *)in)[(INPUT_WORDS + (at(i, k) & 1023)) * 2 + 1];
}
HD u8 in_b(const u32 *in, u32 i, u32 k)
{
    return ((const u8 *)in)[INPUT_WORDS * 4 + (at(i, k) & 4095)];
}
HD s8 in_c(const u32 *in, u32 i, u32 k)
{
    return ((const s8 *)in)[INPUT_WORDS * 4 + (at(i, k + 9) & 4095)];
}
HD f32 in_f(const u32 *in, u32 i, u32 k)
{
    return as_f32(in[INPUT_SINGLES + (at(i, k) & 1023)]);
}
HD f32 in_fm(const u32 *in, u32 i, u32 k)
{
    return as_f32(in[INPUT_EVERYDAY_SINGLES + (at(i, k) & 1023)]);
}
HD f64 double_at(const u32 *in, u32 n)
{
    return as_f64((u64)in[n + 1] << 32 | in[n]);
}
HD f64 in_d(const u32 *in, u32 i, u32 k)
{
    return double_at(in, INPUT_DOUBLES + (at(i, k) & 1023) * 2);
}
HD f64 in_dm(const u32 *in, u32 i, u32 k)
{
    return double_at(in, INPUT_EVERYDAY_DOUBLES + (at(i, k) & 511) * 2);
}
HD __half in_H(const u32 *in, u32 i, u32 k)
{
    return ((const __half *)in)[INPUT_HALVES * 2 + (at(i, k) & 2047)];
}
HD __half2 in_P(const u32 *in, u32 i, u32 k)
{
    return ((const __half2 *)in)[INPUT_HALVES + (at(i, k) & 1023)];
}

HD u64 bits(u32 v)
{
    return v;
}
HD u64 bits(s32 v)
{
    return (u32)v;
}
HD u64 bits(u64 v)
{
    return v;
}
HD u64 bits(s64 v)
{
    return (u64)v;
}
HD u64 bits(u16 v)
{
    return v;
}
HD u64 bits(s16 v)
{
    return (u16)v;
}
HD u64 bits(u8 v)
{
    return v;
}
HD u64 bits(s8 v)
{
    return (u8)v;
}
HD u64 bits(bool v)
{
    return v;
}
HD u64 bits(f32 v)
{
    union pun32 p;
    p.f = v;
    return p.u;
}
HD u64 bits(f64 v)
{
    union pun64 p;
    p.d = v;
    return p.u;
}
HD u64 bits(__half v)
{
    return __half_as_ushort(v);
}
HD u64 bits(__half2 v)
{
    return (u64)__half_as_ushort(__high2half(v)) << 16 | __half_as_ushort(__low2half(v));
}
#ifdef DIFFERENTIAL_BF16
HD __nv_bfloat16 in_B(const u32 *in, u32 i, u32 k)
{
    return ((const __nv_bfloat16 *)in)[INPUT_BFLOATS * 2 + (at(i, k) & 2047)];
}
HD u64 bits(__nv_bfloat16 v)
{
    return *(u16 *)&v;
}
#endif

HD u64 mix(u64 a, u64 b)
{
    return (a ^ b) * 0x9e3779b97f4a7c15ull + (a >> 29);
}

/* ---- what C leaves open ------------------------------------------------------------------------
 */

#ifdef __CUDACC__
#define OPEN(type, name, parameters, device, host)                                                 \
    HD type name parameters                                                                        \
    {                                                                                              \
        return device;                                                                             \
    }
#else
#define OPEN(type, name, parameters, device, host)                                                 \
    HD type name parameters                                                                        \
    {                                                                                              \
        return host;                                                                               \
    }
#endif

HD s32 add_i(s32 a, s32 b)
{
    return (s32)((u32)a + (u32)b);
}
HD s32 sub_i(s32 a, s32 b)
{
    return (s32)((u32)a - (u32)b);
}
HD s32 mul_i(s32 a, s32 b)
{
    return (s32)((u32)a * (u32)b);
}
HD s32 div_i(s32 a, s32 b)
{
    return b == 0 || (b == -1 && a == (s32)0x80000000) ? a : a / b;
}
HD s32 rem_i(s32 a, s32 b)
{
    return b == 0 || (b == -1 && a == (s32)0x80000000) ? b : a % b;
}
HD s64 add_l(s64 a, s64 b)
{
    return (s64)((u64)a + (u64)b);
}
HD s64 sub_l(s64 a, s64 b)
{
    return (s64)((u64)a - (u64)b);
}
HD s64 mul_l(s64 a, s64 b)
{
    return (s64)((u64)a * (u64)b);
}
HD s64 div_l(s64 a, s64 b)
{
    return b == 0 || (b == -1 && a == (s64)(1ull << 63)) ? a : a / b;
}
HD s64 rem_l(s64 a, s64 b)
{
    return b == 0 || (b == -1 && a == (s64)(1ull << 63)) ? b : a % b;
}
OPEN(s32, abs_i, (s32 a), abs(a), a < 0 ? (s32)(0u - (u32)a) : a)
OPEN(s64, abs_l, (s64 a), llabs(a), a < 0 ? (s64)(0ull - (u64)a) : a)
OPEN(f32, min_f, (f32 a, f32 b), fminf(a, b), (f32)least(a, b))
OPEN(f32, max_f, (f32 a, f32 b), fmaxf(a, b), (f32)greatest(a, b))
OPEN(f64, min_d, (f64 a, f64 b), fmin(a, b), least(a, b))
OPEN(f64, max_d, (f64 a, f64 b), fmax(a, b), greatest(a, b))
OPEN(s32, i_of_f, (f32 a), (s32)a, __float2int_rz(a))
OPEN(u32, u_of_f, (f32 a), (u32)a, __float2uint_rz(a))
OPEN(s64, l_of_f, (f32 a), (s64)a, __float2ll_rz(a))
OPEN(u64, w_of_f, (f32 a), (u64)a, __float2ull_rz(a))
OPEN(s32, i_of_d, (f64 a), (s32)a, __double2int_rz(a))
OPEN(u32, u_of_d, (f64 a), (u32)a, __double2uint_rz(a))
OPEN(s64, l_of_d, (f64 a), (s64)a, __double2ll_rz(a))
OPEN(u64, w_of_d, (f64 a), (u64)a, __double2ull_rz(a))

/* Approximations: the host takes the double-precision function of the C library. */
#define MATH(name)                                                                                 \
    OPEN(f32, m_##name##f, (f32 a), name##f(a), (f32)name((f64)a))                                 \
    OPEN(f64, m_##name, (f64 a), name(a), (f64)name##l((long double)a))
MATH(exp)
MATH(exp2)
MATH(expm1)
MATH(log)
MATH(log2)
MATH(log1p)
MATH(sin)
MATH(cos)
MATH(tan)
MATH(atan)
MATH(sinh)
MATH(tanh)
MATH(cbrt)
MATH(erf)
OPEN(f32, m_rsqrtf, (f32 a), rsqrtf(a), (f32)(1 / sqrt((f64)a)))
OPEN(f64, m_rsqrt, (f64 a), rsqrt(a), (f64)(1 / sqrtl((long double)a)))
OPEN(f32, m_powf, (f32 a, f32 b), powf(a, b), (f32)pow((f64)a, (f64)b))
OPEN(f64, m_pow, (f64 a, f64 b), pow(a, b), (f64)powl((long double)a, (long double)b))
OPEN(f32, m_hypotf, (f32 a, f32 b), hypotf(a, b), (f32)hypot((f64)a, (f64)b))
OPEN(f32, m_fast_exp, (f32 a), __expf(a), (f32)exp((f64)a))
OPEN(f32, m_fast_log, (f32 a), __logf(a), (f32)log((f64)a))
OPEN(f32, m_fast_sin, (f32 a), __sinf(a), (f32)sin((f64)a))
OPEN(f32, m_fast_cos, (f32 a), __cosf(a), (f32)cos((f64)a))
OPEN(f32, m_fast_div, (f32 a, f32 b), __fdividef(a, b), a / b)

#endif
