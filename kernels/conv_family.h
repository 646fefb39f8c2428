/* The kernels of a family of implicit GEMMs; the family's file says what an `element` in memory is.
 *
 * conv_forward_*, conv_data_*: a block of BM * BN / 64 threads makes a tile. Grid: pixels / BN,
 *     channels of a group / BM, groups (times classes backward) times parts of the sum.
 * conv_weights_*: the same. Grid: columns / BN, channels of a group / BM, groups times parts.
 * conv_sum: adds up the parts, an element a thread.
 *
 * bias: a float a channel, read only when the arguments say so. partial: parts x elements. */
#ifndef KERNELS_CONV_FAMILY_H
#define KERNELS_CONV_FAMILY_H

#include "conv_gather.h"
#include "conv_sum.h"
#include "conv_weights.h"

/* Blocks an SM: as many as registers allow without any that is kept in memory instead. */
#if __CUDA_ARCH__ < 700
#define FORWARD_BLOCKS 2
#else
#define FORWARD_BLOCKS 1
#endif
#if __CUDA_ARCH__ < 500
#define SMALL_BLOCKS 4
#else
#define SMALL_BLOCKS 6
#endif

#define GATHER(name, bm, bn, blocks, backward, ...)                                                \
    extern "C" __global__ void __launch_bounds__(bm *bn / 64, blocks) name##_##bm##x##bn(          \
        element *__restrict__ dest, float *__restrict__ partial,                                   \
        const element *__restrict__ weights, const element *__restrict__ source,                   \
        const float *__restrict__ bias, const conv_gather_args g)                                  \
    {                                                                                              \
        conv_gather<element, bm, bn, backward, __VA_ARGS__>(dest, partial, weights, source, bias,  \
                                                            g);                                    \
    }

GATHER(conv_forward, 128, 128, FORWARD_BLOCKS, false, conv_stage_packed<element, 128, 128>)
GATHER(conv_forward, 64, 64, SMALL_BLOCKS, false, conv_stage_weights<element, 64, 64, false>)
GATHER(conv_data, 128, 128, 1, true, conv_stage_weights<element, 128, 128, true>)
GATHER(conv_data, 64, 64, SMALL_BLOCKS, true, conv_stage_weights<element, 64, 64, true>)

#define WEIGHTS(bm, bn)                                                                            \
    extern "C" __global__ void __launch_bounds__(bm *bn / 64, bm == 64 ? 4 : 1)                    \
        conv_weights_##bm##x##bn(element *__restrict__ weights, float *__restrict__ partial,       \
                                 const element *__restrict__ output,                               \
                                 const element *__restrict__ input, const conv_weights_args g)     \
    {                                                                                              \
        conv_weights<element, bm, bn>(weights, partial, output, input, g);                         \
    }

WEIGHTS(128, 128)
WEIGHTS(64, 64)

extern "C" __global__ void __launch_bounds__(CONV_SUM_THREADS)
    conv_sum(element *__restrict__ dest, const float *__restrict__ partial,
             const float *__restrict__ bias, const conv_sum_args a)
{
    conv_add_parts(dest, partial, bias, a);
}

#endif
