/* Ceilings of memory and of launches, and the clocks that times are held against.
 *
 *   copy(to, from, count)                   to[i] = from[i]
 *   triad(to, from, addend, factor, count)  to[i] = fma(from[i], factor, addend[i])
 *   shared_4, shared_8, shared_16(out, rounds, seed)
 *   tick(out, value)                        out[block] = value + block: all that a launch must do
 *   stamp(out, seed)                        out[block]: which multiprocessor, and what its clocks say
 *   spin(out, seed, cycles)                 two stamps a block, at least `cycles` apart
 *
 * copy and triad: `count` vectors of 4 floats; a block takes CEIL_VECTORS x its threads of them, all its
 * loads before its stores, so that few warps are enough to keep memory busy.
 *
 * shared_B: the block's array of 2 x CEIL_SHARED_WORDS words of B bytes holds i * 2654435761 + seed in the
 * first 4 bytes of word i, and in its others that number ^ their place (1, 2, 3). A round is
 * CEIL_SHARED_LOADS loads, load l of round i of thread t from word
 *     (t + i) % CEIL_SHARED_WORDS + l * CEIL_SHARED_APART
 * (no two lanes of a warp meet in a bank), which are folded by exclusive or into B bytes, and those into
 * the 4 of out[thread in the grid]. The start moves in each round, so that nothing can stay in registers. */
#include "ceil.h"

CEIL_KERNEL copy(float4 *__restrict__ to, const float4 *__restrict__ from, unsigned count)
{
    const unsigned at = blockIdx.x * (CEIL_VECTORS * blockDim.x) + threadIdx.x;
    float4 v[CEIL_VECTORS];
#pragma unroll
    for (unsigned i = 0; i < CEIL_VECTORS; i++)
        if (at + i * blockDim.x < count)
            v[i] = from[at + i * blockDim.x];
#pragma unroll
    for (unsigned i = 0; i < CEIL_VECTORS; i++)
        if (at + i * blockDim.x < count)
            to[at + i * blockDim.x] = v[i];
}

static __device__ float4 fma4(float4 a, float b, float4 c)
{
    return make_float4(__fmaf_rn(a.x, b, c.x), __fmaf_rn(a.y, b, c.y), __fmaf_rn(a.z, b, c.z),
                       __fmaf_rn(a.w, b, c.w));
}

CEIL_KERNEL triad(float4 *__restrict__ to, const float4 *__restrict__ from,
                                 const float4 *__restrict__ addend, float factor, unsigned count)
{
    const unsigned at = blockIdx.x * (CEIL_VECTORS * blockDim.x) + threadIdx.x;
    float4 v[CEIL_VECTORS], w[CEIL_VECTORS];
#pragma unroll
    for (unsigned i = 0; i < CEIL_VECTORS; i++)
        if (at + i * blockDim.x < count) {
            v[i] = from[at + i * blockDim.x];
            w[i] = addend[at + i * blockDim.x];
        }
#pragma unroll
    for (unsigned i = 0; i < CEIL_VECTORS; i++)
        if (at + i * blockDim.x < count)
            to[at + i * blockDim.x] = fma4(v[i], factor, w[i]);
}

static __device__ void fill(unsigned &w, unsigned h) { w = h; }
static __device__ void fill(uint2 &w, unsigned h) { w = make_uint2(h, h ^ 1); }
static __device__ void fill(uint4 &w, unsigned h) { w = make_uint4(h, h ^ 1, h ^ 2, h ^ 3); }

static __device__ void fold(unsigned &s, unsigned w) { s ^= w; }
static __device__ void fold(uint2 &s, uint2 w) { s.x ^= w.x, s.y ^= w.y; }
static __device__ void fold(uint4 &s, uint4 w) { s.x ^= w.x, s.y ^= w.y, s.z ^= w.z, s.w ^= w.w; }

/* Rotations, since what was filled in by place would cancel out. */
static __device__ unsigned whole(unsigned s) { return s; }
static __device__ unsigned whole(uint2 s) { return s.x ^ (s.y << 1 | s.y >> 31); }
static __device__ unsigned whole(uint4 s)
{
    return s.x ^ (s.y << 1 | s.y >> 31) ^ (s.z << 2 | s.z >> 30) ^ (s.w << 3 | s.w >> 29);
}

template <typename W> static __device__ __forceinline__ void read_shared(unsigned *out, int rounds, unsigned seed)
{
    __shared__ W words[2 * CEIL_SHARED_WORDS];
    for (unsigned i = threadIdx.x; i < 2 * CEIL_SHARED_WORDS; i += blockDim.x)
        fill(words[i], i * 2654435761u + seed);
    __syncthreads();

    W sum;
    fill(sum, 0);
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
        const W *from = &words[(threadIdx.x + i) % CEIL_SHARED_WORDS];
#pragma unroll
        for (int l = 0; l < CEIL_SHARED_LOADS; l++)
            fold(sum, from[l * CEIL_SHARED_APART]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = whole(sum);
}

CEIL_KERNEL shared_4(unsigned *out, int rounds, unsigned seed) { read_shared<unsigned>(out, rounds, seed); }
CEIL_KERNEL shared_8(unsigned *out, int rounds, unsigned seed) { read_shared<uint2>(out, rounds, seed); }
CEIL_KERNEL shared_16(unsigned *out, int rounds, unsigned seed) { read_shared<uint4>(out, rounds, seed); }

CEIL_KERNEL tick(unsigned *out, unsigned value)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = value + blockIdx.x;
}

static __device__ __forceinline__ struct ceil_stamp read_clocks(unsigned seed)
{
    struct ceil_stamp s;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s.globaltimer));
    s.clock = clock64();
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s.multiprocessor));
    s.seed = seed;
    return s;
}

CEIL_KERNEL stamp(struct ceil_stamp *out, unsigned seed)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = read_clocks(seed + blockIdx.x);
}

CEIL_KERNEL spin(struct ceil_stamp *out, unsigned seed, long long cycles)
{
    if (threadIdx.x != 0)
        return;
    const long long start = clock64();
    out[2 * blockIdx.x] = read_clocks(seed + blockIdx.x);
    while (clock64() - start < cycles)
        ;
    out[2 * blockIdx.x + 1] = read_clocks(seed + blockIdx.x);
}
