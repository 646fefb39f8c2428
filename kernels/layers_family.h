/* The kernels of a family of layers between convolutions; the family's file says what an `element`
 * in memory is. Blocks of 128 threads.
 *
 * layers_affine: relu(x * scale + shift), a channel's, up to a bound; without scale 1, without
 *     shift 0. 512 elements a block.
 * layers_add: relu(x + other). 512 elements a block.
 * layers_pool_max, layers_pool_average: an output a thread.
 * layers_mean: the mean of each plane, four planes a block. */
#ifndef KERNELS_LAYERS_FAMILY_H
#define KERNELS_LAYERS_FAMILY_H

#include "layers_body.h"

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_affine(element *dest, const element *source, const float *__restrict__ scale,
                  const float *__restrict__ shift, const layers_point_args a)
{
    layers_affine<element>(dest, source, scale, shift, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_add(element *dest, const element *source, const element *other,
               const layers_point_args a)
{
    layers_add<element>(dest, source, other, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_pool_max(element *__restrict__ dest, const element *__restrict__ source,
                    const layers_pool_args a)
{
    layers_pool<element, true>(dest, source, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_pool_average(element *__restrict__ dest, const element *__restrict__ source,
                        const layers_pool_args a)
{
    layers_pool<element, false>(dest, source, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_mean(element *__restrict__ dest, const element *__restrict__ source, int planes,
                int area)
{
    layers_mean<element>(dest, source, planes, area);
}

#endif
