/* fp32 and fp16 in memory; arithmetic is fp32 in both. The conversions are spelled as instructions:
 * the header of CUDA's half type makes 6.1 convert through its slow half-precision unit. */
#ifndef KERNELS_CONV_STORE_H
#define KERNELS_CONV_STORE_H

typedef unsigned short half_bits;

template <typename T> struct conv_pack; /* four elements */
template <> struct conv_pack<float> {
    typedef float4 type;
};
template <> struct conv_pack<half_bits> {
    typedef ushort4 type;
};

__device__ __forceinline__ float conv_from(float v)
{
    return v;
}
__device__ __forceinline__ float conv_from(half_bits v)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(v));
    return f;
}

__device__ __forceinline__ void conv_to(float *p, float v)
{
    *p = v;
}
__device__ __forceinline__ void conv_to(half_bits *p, float v)
{
    half_bits h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
    *p = h;
}

__device__ __forceinline__ float4 conv_from(float4 v)
{
    return v;
}
__device__ __forceinline__ float4 conv_from(ushort4 v)
{
    return make_float4(conv_from(v.x), conv_from(v.y), conv_from(v.z), conv_from(v.w));
}
__device__ __forceinline__ void conv_to(float4 *p, float4 v)
{
    *p = v;
}
__device__ __forceinline__ void conv_to(ushort4 *p, float4 v)
{
    half_bits h[4];
    conv_to(&h[0], v.x);
    conv_to(&h[1], v.y);
    conv_to(&h[2], v.z);
    conv_to(&h[3], v.w);
    *p = make_ushort4(h[0], h[1], h[2], h[3]);
}

/* An address as a number that the compiler takes as it is: left to itself it takes sums of
 * addresses apart and puts them together anew for each element, at twice the instructions. */
typedef unsigned long long conv_address;

__device__ __forceinline__ conv_address conv_fixed(const void *p)
{
    conv_address address = (conv_address)p;
    asm("" : "+l"(address));
    return address;
}

/* What is added to addresses in loops is kept in units that make the addition short: elements
 * from 7.0 on, one IMAD.WIDE each; bytes before, where 64 bits are added in two instructions and
 * nothing multiplies. */
template <typename T> struct conv_unit {
#if __CUDA_ARCH__ >= 700
    enum { SIZE = 1 };
#else
    enum { SIZE = sizeof(T) };
#endif
};

template <typename T>
__device__ __forceinline__ const T *conv_beyond(conv_address from, unsigned units)
{
#if __CUDA_ARCH__ >= 700
    return (const T *)(from + (long long)(int)units * (int)sizeof(T));
#else
    return (const T *)(from + units);
#endif
}

/* Loads that give zero unless a condition holds: one predicated instruction each, no branch. The
 * condition is that two words share no bit; that `inside` is set; that it is and two numbers are
 * within their sizes. */
#define CONV_LOAD_IF(T, type, zero, letter)                                                        \
    __device__ __forceinline__ T conv_load_unless(const T *p, unsigned a, unsigned b)              \
    {                                                                                              \
        T v;                                                                                       \
        asm("{\n.reg .pred q;\n.reg .b32 t;\n"                                                     \
            "and.b32 t, %2, %3;\nsetp.eq.u32 q, t, 0;\n"                                           \
            "mov." zero ";\n@q ld.global.nc." type " %0, [%1];\n}"                                 \
            : letter(v)                                                                            \
            : "l"(p), "r"(a), "r"(b));                                                             \
        return v;                                                                                  \
    }                                                                                              \
    __device__ __forceinline__ T conv_load_if(const T *p, int inside)                              \
    {                                                                                              \
        T v;                                                                                       \
        asm("{\n.reg .pred q;\nsetp.ne.s32 q, %2, 0;\n"                                            \
            "mov." zero ";\n@q ld.global.nc." type " %0, [%1];\n}"                                 \
            : letter(v)                                                                            \
            : "l"(p), "r"(inside));                                                                \
        return v;                                                                                  \
    }                                                                                              \
    __device__ __forceinline__ T conv_load_within(const T *p, int h, int size_h, int w,            \
                                                  int size_w, int inside)                          \
    {                                                                                              \
        T v;                                                                                       \
        asm("{\n.reg .pred q;\nsetp.ne.s32 q, %6, 0;\n"                                            \
            "setp.lt.and.u32 q, %2, %3, q;\nsetp.lt.and.u32 q, %4, %5, q;\n"                       \
            "mov." zero ";\n@q ld.global.nc." type " %0, [%1];\n}"                                 \
            : letter(v)                                                                            \
            : "l"(p), "r"(h), "r"(size_h), "r"(w), "r"(size_w), "r"(inside));                      \
        return v;                                                                                  \
    }
CONV_LOAD_IF(float, "f32", "f32 %0, 0f00000000", "=f")
CONV_LOAD_IF(half_bits, "u16", "u16 %0, 0", "=h")
#undef CONV_LOAD_IF

#endif
