/* The layers between convolutions, fp16 in memory, fp32 arithmetic; see layers_body.h. Blocks of 128 threads.
 *
 * layers_affine        relu(x * scale + shift), a channel's; without scale 1, without shift 0. 512 elements a block
 * layers_add           relu(x + other); 512 elements a block
 * layers_pool_max, _average   an output a thread
 * layers_mean          the mean of each plane, four planes a block */
#include "layers_body.h"

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_affine(half_bits *dest, const half_bits *source, const float *__restrict__ scale,
                  const float *__restrict__ shift, const layers_point_args a)
{
    layers_affine<half_bits>(dest, source, scale, shift, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_add(half_bits *dest, const half_bits *source, const half_bits *other, const layers_point_args a)
{
    layers_add<half_bits>(dest, source, other, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_pool_max(half_bits *__restrict__ dest, const half_bits *__restrict__ source, const layers_pool_args a)
{
    layers_pool<half_bits, true>(dest, source, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_pool_average(half_bits *__restrict__ dest, const half_bits *__restrict__ source,
                        const layers_pool_args a)
{
    layers_pool<half_bits, false>(dest, source, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_mean(half_bits *__restrict__ dest, const half_bits *__restrict__ source, int planes, int area)
{
    layers_mean<half_bits>(dest, source, planes, area);
}
