/* Kernels for tests/unit/test_vgpu_nvcc.c. The PTX beside this file was made from it by
 *     nvcc -fmad=false -arch=compute_XX -ptx bodies.cu -o ptx/bodies.compute_XX.ptx
 * with CUDA 11.8 for 35, 61, 80 and with CUDA 13.0 for 120. */
#define BODY static __device__
#include "bodies.h"

#define KERNEL(name)                                                                               \
    extern "C" __global__ void kernel_##name(unsigned *out, const unsigned *in, unsigned n)        \
    {                                                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        if (i < n)                                                                                 \
            out[i] = body_##name(i, in);                                                           \
    }
BODIES(KERNEL)

/* The block's sum in out[blockIdx.x], by shared memory and then by shuffles. */
extern "C" __global__ void reduce(unsigned *out, const unsigned *in, unsigned n)
{
    __shared__ unsigned part[8];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i < n ? in[i] : 0;
    for (int step = 16; step; step /= 2)
        x += __shfl_down_sync(0xffffffff, x, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            x += part[w];
        out[blockIdx.x] = x;
    }
}

extern "C" __global__ void histogram(unsigned *out, const unsigned *in, unsigned n)
{
    extern __shared__ unsigned counts[];
    for (unsigned b = threadIdx.x; b < 64; b += blockDim.x)
        counts[b] = 0;
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i] % 64], 1);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 64; b += blockDim.x)
        atomicAdd(&out[b], counts[b]);
}

extern "C" __global__ void transpose(unsigned *out, const unsigned *in, unsigned n)
{
    __shared__ unsigned tile[16][17];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, bx = blockIdx.x % (n / 16), by = blockIdx.x / (n / 16);
    tile[y][x] = in[(by * 16 + y) * n + bx * 16 + x];
    __syncthreads();
    out[(bx * 16 + y) * n + by * 16 + x] = tile[x][y];
}
