/* The layers between convolutions, fp32; see layers_body.h. Blocks of 128 threads.
 *
 * layers_affine        relu(x * scale + shift), a channel's; without scale 1, without shift 0. 512 elements a block
 * layers_add           relu(x + other); 512 elements a block
 * layers_pool_max, _average   an output a thread
 * layers_mean          the mean of each plane, four planes a block */
#include "layers_body.h"

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_affine(float *dest, const float *source, const float *__restrict__ scale,
                  const float *__restrict__ shift, const layers_point_args a)
{
    layers_affine<float>(dest, source, scale, shift, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_add(float *dest, const float *source, const float *other, const layers_point_args a)
{
    layers_add<float>(dest, source, other, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_pool_max(float *__restrict__ dest, const float *__restrict__ source, const layers_pool_args a)
{
    layers_pool<float, true>(dest, source, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_pool_average(float *__restrict__ dest, const float *__restrict__ source,
                        const layers_pool_args a)
{
    layers_pool<float, false>(dest, source, a);
}

extern "C" __global__ void __launch_bounds__(LAYERS_THREADS)
    layers_mean(float *__restrict__ dest, const float *__restrict__ source, int planes, int area)
{
    layers_mean<float>(dest, source, planes, area);
}
