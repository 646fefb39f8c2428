/* Convolution as implicit GEMM, fp32; see conv_gather.h and conv_weights.h.
 *
 * conv_forward_*, conv_data_*   one block of BM * BN / 64 threads a tile; grid: pixels / BN, channels of a
 *                               group / BM, groups (times classes backward), rounded up
 * conv_weights_*                the same; grid: columns / BN, channels of a group / BM, groups
 * conv_sum                      adds up a sum's parts, where blockIdx.z also numbers those
 *
 * bias: a float a channel, read only when the arguments say so. */
#include "conv_gather.h"
#include "conv_sum.h"
#include "conv_weights.h"

/* Blocks an SM: two large ones where 128 registers a thread suffice. */
#if __CUDA_ARCH__ < 700
#define FORWARD_BLOCKS 2
#else
#define FORWARD_BLOCKS 1
#endif

#define GATHER(name, bm, bn, blocks, backward, ...)                                                \
    extern "C" __global__ void __launch_bounds__(bm *bn / 64, blocks)                              \
        name##_##bm##x##bn(float *__restrict__ dest, float *__restrict__ partial, const float *__restrict__ weights,           \
                           const float *__restrict__ source, const float *__restrict__ bias,       \
                           const conv_gather_args g)                                               \
    {                                                                                              \
        conv_gather<float, bm, bn, backward, __VA_ARGS__>(dest, partial, weights, source, bias, g);         \
    }

GATHER(conv_forward, 128, 128, FORWARD_BLOCKS, false, conv_stage_packed<float, 128, 128>)
GATHER(conv_forward, 64, 64, 1, false, conv_stage_weights<float, 64, 64, false>)
GATHER(conv_data, 128, 128, 1, true, conv_stage_weights<float, 128, 128, true>)
GATHER(conv_data, 64, 64, 1, true, conv_stage_weights<float, 64, 64, true>)

#define WEIGHTS(bm, bn)                                                                            \
    extern "C" __global__ void __launch_bounds__(bm *bn / 64, bm == 64 ? 4 : 1)                  \
        conv_weights_##bm##x##bn(float *__restrict__ weights, float *__restrict__ partial,         \
                                 const float *__restrict__ output,                                 \
                                 const float *__restrict__ input, const conv_weights_args g)       \
    {                                                                                              \
        conv_weights<float, bm, bn>(weights, partial, output, input, g);                           \
    }

WEIGHTS(128, 128)
WEIGHTS(64, 64)

extern "C" __global__ void __launch_bounds__(CONV_SUM_THREADS)
    conv_sum(float *__restrict__ dest, const float *__restrict__ partial, const float *__restrict__ bias,
             const conv_sum_args a)
{
    conv_add_parts(dest, partial, bias, a);
}
