/* CUDA's names for a host compiler: what PTX's manual and the CUDA manual say of them, in plain
 * C++. Compiled with -frounding-math, since some functions round in other directions. */
#ifndef DIFFERENTIAL_SHIM_HOST_H
#define DIFFERENTIAL_SHIM_HOST_H

#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "host.h"

#define __shared__ static
#define __restrict__
#define threadIdx       host_index(HOST_THREAD)
#define blockIdx        host_index(HOST_BLOCK)
#define blockDim        host_index(HOST_BLOCK_SIZE)
#define gridDim         host_index(HOST_GRID_SIZE)
#define __syncthreads() ((void)host_barrier(false))
#define __threadfence()
#define __threadfence_block()
#define ARCH 0

static inline int __syncthreads_count(int p)
{
    return (int)host_barrier(p != 0);
}
static inline int __syncthreads_or(int p)
{
    return host_barrier(p != 0) != 0;
}
static inline int __syncthreads_and(int p)
{
    return host_barrier(p == 0) == 0;
}

template <class T, class F> static inline T same_bits(F from)
{
    T to;
    static_assert(sizeof to == sizeof from, "sizes differ");
    memcpy(&to, &from, sizeof to);
    return to;
}
template <class T> struct just {
    typedef T type;
};

/* ---- integers ----------------------------------------------------------------------------------
 */

#define LEAST(type)                                                                                \
    static inline type min(type a, type b)                                                         \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline type max(type a, type b)                                                         \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
LEAST(unsigned)
LEAST(int)
LEAST(unsigned long long)
LEAST(long long)

__extension__ typedef unsigned __int128 host_u128;
__extension__ typedef __int128 host_s128;

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((host_u128)a * b >> 64);
}
static inline long long __mul64hi(long long a, long long b)
{
    return (long long)((host_s128)a * b >> 64);
}
static inline unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
static inline int __mul24(int a, int b)
{
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) *
                 (unsigned)((int)((unsigned)b << 8) >> 8));
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return (a < b ? b - a : a - b) + c;
}
static inline unsigned __sad(int a, int b, unsigned c)
{
    return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c;
}
static inline unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
static inline unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
static inline int __hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
static inline int __rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
static inline int __popcll(unsigned long long a)
{
    int n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}
static inline int __popc(unsigned a)
{
    return __popcll(a);
}
static inline int __clzll(long long a)
{
    int n = 0;
    for (unsigned long long bit = 1ull << 63; bit && !((unsigned long long)a & bit); bit >>= 1)
        n++;
    return n;
}
static inline int __clz(int a)
{
    return __clzll((unsigned)a) - 32;
}
static inline int __ffsll(long long a)
{
    for (int n = 0; n < 64; n++)
        if ((unsigned long long)a >> n & 1)
            return n + 1;
    return 0;
}
static inline int __ffs(int a)
{
    return __ffsll((unsigned)a);
}
static inline unsigned long long __brevll(unsigned long long a)
{
    unsigned long long r = 0;
    for (int n = 0; n < 64; n++)
        r = r << 1 | (a >> n & 1);
    return r;
}
static inline unsigned __brev(unsigned a)
{
    return (unsigned)(__brevll(a) >> 32);
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned r = 0;
    for (int n = 0; n < 4; n++)
        r |= (unsigned)(both >> (s >> 4 * n & 7) * 8 & 0xff) << 8 * n;
    return r;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)((((unsigned long long)high << 32 | low) << (n & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n)
{
    return n >= 32 ? low : __funnelshift_l(low, high, n);
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n)
{
    return n >= 32 ? high : __funnelshift_r(low, high, n);
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int n = 0; n < 32; n += 8)
        c += (a >> n & 0xff) * (b >> n & 0xff);
    return c;
}
static inline int __dp4a(int a, int b, int c)
{
    unsigned r = (unsigned)c;
    for (int n = 0; n < 32; n += 8)
        r += (unsigned)((signed char)(a >> n) * (signed char)(b >> n));
    return (int)r;
}
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c)
{
    return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c)
{
    return __dp2a_lo(a, b >> 16, c);
}

/* ---- floating point in other directions
 * ----------------------------------------------------------
 */

#define DIRECTED(type, name, parameters, copies, expr, suffix, direction)                          \
    static inline type name##suffix parameters                                                     \
    {                                                                                              \
        int old = fegetround();                                                                    \
        fesetround(direction);                                                                     \
        copies;                                                                                    \
        volatile type result = expr;                                                               \
        fesetround(old);                                                                           \
        return result;                                                                             \
    }
#define ALL_DIRECTIONS(type, name, parameters, copies, expr)                                       \
    DIRECTED(type, name, parameters, copies, expr, _rn, FE_TONEAREST)                              \
    DIRECTED(type, name, parameters, copies, expr, _rz, FE_TOWARDZERO)                             \
    DIRECTED(type, name, parameters, copies, expr, _rd, FE_DOWNWARD)                               \
    DIRECTED(type, name, parameters, copies, expr, _ru, FE_UPWARD)
#define ARITHMETIC(type, add, sub, mul, div, rcp, root, fused, sqrt_of, fma_of)                    \
    ALL_DIRECTIONS(type, add, (type a, type b), volatile type x = a; volatile type y = b, x + y)   \
    ALL_DIRECTIONS(type, sub, (type a, type b), volatile type x = a; volatile type y = b, x - y)   \
    ALL_DIRECTIONS(type, mul, (type a, type b), volatile type x = a; volatile type y = b, x * y)   \
    ALL_DIRECTIONS(type, div, (type a, type b), volatile type x = a; volatile type y = b, x / y)   \
    ALL_DIRECTIONS(type, rcp, (type a), volatile type x = a, 1 / x)                                \
    ALL_DIRECTIONS(type, root, (type a), volatile type x = a, sqrt_of(x))                          \
    ALL_DIRECTIONS(type, fused, (type a, type b, type c), volatile type x = a;                     \
                   volatile type y = b; volatile type z = c, fma_of(x, y, z))
ARITHMETIC(float, __fadd, __fsub, __fmul, __fdiv, __frcp, __fsqrt, __fmaf, sqrtf, fmaf)
ARITHMETIC(double, __dadd, __dsub, __dmul, __ddiv, __drcp, __dsqrt, __fma, sqrt, fma)
ALL_DIRECTIONS(float, __int2float, (int a), volatile int x = a, (float)x)
ALL_DIRECTIONS(float, __uint2float, (unsigned a), volatile unsigned x = a, (float)x)
ALL_DIRECTIONS(float, __ll2float, (long long a), volatile long long x = a, (float)x)
ALL_DIRECTIONS(double, __ll2double, (long long a), volatile long long x = a, (double)x)
ALL_DIRECTIONS(float, __double2float, (double a), volatile double x = a, (float)x)

/* Compilers round unsigned 64-bit numbers on the way: by hand, as twice a number that is odd where
 * a bit was lost. */
#define WIDE_TO(type, name, suffix)                                                                \
    static inline type name##suffix(unsigned long long a)                                          \
    {                                                                                              \
        if (!(a >> 63))                                                                            \
            return __ll2##type##suffix((long long)a);                                              \
        return 2 * __ll2##type##suffix((long long)(a >> 1 | (a & 1)));                             \
    }
#define WIDE(suffix)                                                                               \
    WIDE_TO(float, __ull2float, suffix)                                                            \
    WIDE_TO(double, __ull2double, suffix)
WIDE(_rn)
WIDE(_rz)
WIDE(_rd)
WIDE(_ru)

/* Whole numbers from floating point: rounded, clamped to the type, NaN as the PTX manual has it:
 * zero, or the number with the top bit alone where 64-bit types are concerned. */
template <class T> static inline T whole(double rounded, bool wide)
{
    const bool is_signed = (T)-1 < (T)0;
    const int places = (int)sizeof(T) * 8 - is_signed;
    const T most = (T)(~0ull >> (64 - places)), lowest = is_signed ? (T)(-most - 1) : (T)0;
    if (rounded != rounded)
        return wide || sizeof(T) == 8 ? (T)(1ull << (sizeof(T) * 8 - 1)) : (T)0;
    if (rounded >= ldexp(1.0, places))
        return most;
    if (is_signed ? rounded < -ldexp(1.0, places) : rounded <= 0)
        return lowest;
    return (T)rounded;
}
#define TO_WHOLE(type, from, name)                                                                 \
    static inline type __##from##2##name##_rn(from a)                                              \
    {                                                                                              \
        return whole<type>(rint((double)a), sizeof a == 8);                                        \
    }                                                                                              \
    static inline type __##from##2##name##_rz(from a)                                              \
    {                                                                                              \
        return whole<type>(trunc((double)a), sizeof a == 8);                                       \
    }                                                                                              \
    static inline type __##from##2##name##_rd(from a)                                              \
    {                                                                                              \
        return whole<type>(floor((double)a), sizeof a == 8);                                       \
    }                                                                                              \
    static inline type __##from##2##name##_ru(from a)                                              \
    {                                                                                              \
        return whole<type>(ceil((double)a), sizeof a == 8);                                        \
    }
TO_WHOLE(int, float, int)
TO_WHOLE(unsigned, float, uint)
TO_WHOLE(long long, float, ll)
TO_WHOLE(unsigned long long, float, ull)
TO_WHOLE(int, double, int)
TO_WHOLE(unsigned, double, uint)
TO_WHOLE(long long, double, ll)
TO_WHOLE(unsigned long long, double, ull)

static inline double least(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double greatest(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}
static inline float __saturatef(float a)
{
    return !(a > 0) ? 0.0f : a > 1 ? 1.0f : a;
}

static inline unsigned __float_as_uint(float a)
{
    return same_bits<unsigned>(a);
}
static inline int __float_as_int(float a)
{
    return same_bits<int>(a);
}
static inline float __uint_as_float(unsigned a)
{
    return same_bits<float>(a);
}
static inline long long __double_as_longlong(double a)
{
    return same_bits<long long>(a);
}
static inline double __longlong_as_double(long long a)
{
    return same_bits<double>(a);
}
static inline int __double2hiint(double a)
{
    return (int)(same_bits<unsigned long long>(a) >> 32);
}
static inline int __double2loint(double a)
{
    return (int)same_bits<unsigned long long>(a);
}
static inline double __hiloint2double(int high, int low)
{
    return same_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

#include "shim_host_half.h"
#include "shim_host_warp.h"

#endif
