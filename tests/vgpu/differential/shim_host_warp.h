/* What the threads of a warp and a block do together, for a host compiler. */
#ifndef DIFFERENTIAL_SHIM_HOST_WARP_H
#define DIFFERENTIAL_SHIM_HOST_WARP_H

#define __activemask()  0xffffffffu
#define __syncwarp(...) host_sync_warp(__VA_ARGS__)

static inline void host_sync_warp(unsigned mask = 0xffffffffu)
{
    unsigned long long values[32];
    host_meet(mask, 0, values);
}

template <class T> static inline unsigned long long widened(T v)
{
    unsigned long long w = 0;
    memcpy(&w, &v, sizeof v);
    return w;
}
template <class T> static inline T narrowed(unsigned long long w)
{
    T v;
    memcpy(&v, &w, sizeof v);
    return v;
}

/* The value of lane `source`, or one's own where that lies outside the segment of `width` lanes. */
template <class T>
static inline T host_shuffle(unsigned mask, T v, int source, int width, bool below_only)
{
    unsigned long long values[32];
    int lane = (int)host_lane(), first = lane / width * width;
    host_meet(mask, widened(v), values);
    bool inside = below_only ? source >= first : source < first + width;
    return inside ? narrowed<T>(values[source]) : v;
}
template <class T> static inline T __shfl_sync(unsigned mask, T v, int source, int width = 32)
{
    int lane = (int)host_lane();
    return host_shuffle(mask, v, lane / width * width + (int)((unsigned)source % (unsigned)width),
                        width, false);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32)
{
    return host_shuffle(mask, v, (int)host_lane() - (int)delta, width, true);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32)
{
    return host_shuffle(mask, v, (int)host_lane() + (int)delta, width, false);
}
/* Lanes of later segments are out of reach, those of earlier ones are not. */
template <class T> static inline T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32)
{
    return host_shuffle(mask, v, (int)host_lane() ^ bits, width, false);
}
template <class T> static inline T __shfl(T v, int source, int width = 32)
{
    return __shfl_sync(0xffffffffu, v, source, width);
}
template <class T> static inline T __shfl_up(T v, unsigned delta, int width = 32)
{
    return __shfl_up_sync(0xffffffffu, v, delta, width);
}
template <class T> static inline T __shfl_down(T v, unsigned delta, int width = 32)
{
    return __shfl_down_sync(0xffffffffu, v, delta, width);
}
template <class T> static inline T __shfl_xor(T v, int bits, int width = 32)
{
    return __shfl_xor_sync(0xffffffffu, v, bits, width);
}

static inline unsigned __ballot_sync(unsigned mask, int p)
{
    unsigned long long values[32];
    unsigned r = 0;
    host_meet(mask, p != 0, values);
    for (int l = 0; l < 32; l++)
        r |= (mask >> l & 1 && values[l] ? 1u : 0u) << l;
    return r;
}
static inline int __any_sync(unsigned mask, int p)
{
    return __ballot_sync(mask, p) != 0;
}
static inline int __all_sync(unsigned mask, int p)
{
    return __ballot_sync(mask, p == 0) == 0;
}
#define __ballot(p) __ballot_sync(0xffffffffu, p)
#define __any(p)    __any_sync(0xffffffffu, p)
#define __all(p)    __all_sync(0xffffffffu, p)

template <class T> static inline unsigned __match_any_sync(unsigned mask, T v)
{
    unsigned long long values[32];
    unsigned r = 0;
    host_meet(mask, widened(v), values);
    for (int l = 0; l < 32; l++)
        r |= (mask >> l & 1 && values[l] == widened(v) ? 1u : 0u) << l;
    return r;
}
template <class T> static inline unsigned __match_all_sync(unsigned mask, T v, int *all)
{
    unsigned same = __match_any_sync(mask, v);
    *all = same == mask;
    return *all ? mask : 0;
}

#define REDUCE(name, type, first, expr)                                                            \
    static inline type __reduce_##name##_sync(unsigned mask, type v)                               \
    {                                                                                              \
        unsigned long long values[32];                                                             \
        type a = first;                                                                            \
        host_meet(mask, widened(v), values);                                                       \
        for (int l = 0; l < 32; l++) {                                                             \
            type b = narrowed<type>(values[l]);                                                    \
            if (mask >> l & 1)                                                                     \
                a = expr;                                                                          \
        }                                                                                          \
        return a;                                                                                  \
    }
REDUCE(add, unsigned, 0, a + b)
REDUCE(min, unsigned, UINT_MAX, min(a, b))
REDUCE(max, unsigned, 0, max(a, b))
REDUCE(min, int, INT_MAX, min(a, b))
REDUCE(max, int, INT_MIN, max(a, b))
REDUCE(and, unsigned, UINT_MAX, a &b)
REDUCE(or, unsigned, 0, a | b)
REDUCE(xor, unsigned, 0, a ^ b)

/* ---- atomics: nothing else runs meanwhile
 * --------------------------------------------------------
 */

#define ATOMIC(name, expr)                                                                         \
    template <class T> static inline T atomic##name(T *p, typename just<T>::type v)                \
    {                                                                                              \
        T old = *p;                                                                                \
        *p = expr;                                                                                 \
        return old;                                                                                \
    }
ATOMIC(Add, (T)(old + v))
ATOMIC(Sub, (T)(old - v))
ATOMIC(Min, (v < old ? v : old))
ATOMIC(Max, (old < v ? v : old))
ATOMIC(And, (old & v))
ATOMIC(Or, (old | v))
ATOMIC(Xor, (old ^ v))
ATOMIC(Exch, v)
ATOMIC(Inc, (old >= v ? 0 : old + 1))
ATOMIC(Dec, (old == 0 || old > v ? v : old - 1))
template <class T>
static inline T atomicCAS(T *p, typename just<T>::type compare, typename just<T>::type v)
{
    T old = *p;
    if (old == compare)
        *p = v;
    return old;
}

/* ---- vectors and loads
 * ---------------------------------------------------------------------------
 */

#define VECTOR(type, name)                                                                         \
    struct __attribute__((aligned(2 * sizeof(type)))) name##2                                      \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct __attribute__((aligned(sizeof(type) == 8 ? 16 : 4 * sizeof(type)))) name##4             \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };
VECTOR(unsigned, uint)
VECTOR(float, float)
VECTOR(unsigned short, ushort)
VECTOR(unsigned char, uchar)
VECTOR(double, double)
VECTOR(unsigned long long, ulonglong)
template <class T> static inline T __ldg(const T *p)
{
    return *p;
}

#endif
