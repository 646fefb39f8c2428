/* The layers between convolutions, bound by memory: each element is read and written once. Sources
 * are read as memory that may be the destination, since all but pooling work in place. */
#ifndef KERNELS_LAYERS_BODY_H
#define KERNELS_LAYERS_BODY_H

#include "conv_store.h"
#include "layers_args.h"

__device__ __forceinline__ float layers_relu(float v, int relu)
{
    return relu && v < 0.0f ? 0.0f : v; /* NaN stays */
}

/* A thread's elements: four neighbours when packed, else four a block's width apart, so that
 * neighbouring threads are always neighbours in memory. */
__device__ __forceinline__ int layers_element(int j, int packed)
{
    const int first = blockIdx.x * LAYERS_THREADS * LAYERS_EACH;
    return packed ? first + threadIdx.x * LAYERS_EACH + j
                  : first + j * LAYERS_THREADS + threadIdx.x;
}

/* Applies f(element's value, its number) to all of them. */
template <typename T, typename F>
__device__ __forceinline__ void layers_map(T *dest, const T *source, const layers_point_args &a,
                                           F f)
{
    typedef typename conv_pack<T>::type pack;
    if (a.packed) {
        const int i = layers_element(0, 1);
        if (i >= a.count)
            return;
        const float4 v = conv_from(*(const pack *)(source + i));
        conv_to((pack *)(dest + i), f(v, i));
        return;
    }
#pragma unroll
    for (int j = 0; j < LAYERS_EACH; j++) {
        const int i = layers_element(j, 0);
        if (i < a.count)
            conv_to(dest + i, f(conv_from(source[i]), i));
    }
}

template <typename T>
__device__ __forceinline__ void layers_affine(T *dest, const T *source, const float *scale,
                                              const float *shift, const layers_point_args &a)
{
    struct affine {
        const float *scale, *shift;
        const layers_point_args &a;

        __device__ __forceinline__ float one(float v, float factor, float add)
        {
            const float u = layers_relu(fmaf(v, factor, add), a.relu);
            return u > a.most ? a.most : u; /* NaN stays */
        }
        __device__ __forceinline__ float operator()(float v, int i)
        {
            const int c = i / a.area % a.channels;
            return one(v, scale ? scale[c] : 1.0f, shift ? shift[c] : 0.0f);
        }
        /* Four neighbours are of one channel. */
        __device__ __forceinline__ float4 operator()(float4 v, int i)
        {
            const int c = i / a.area % a.channels;
            const float factor = scale ? scale[c] : 1.0f, add = shift ? shift[c] : 0.0f;
            return make_float4(one(v.x, factor, add), one(v.y, factor, add), one(v.z, factor, add),
                               one(v.w, factor, add));
        }
    };
    const affine f = { scale, shift, a };
    layers_map(dest, source, a, f);
}

template <typename T>
__device__ __forceinline__ void layers_add(T *dest, const T *source, const T *other,
                                           const layers_point_args &a)
{
    struct add {
        const T *other;
        int relu;

        __device__ __forceinline__ float operator()(float v, int i)
        {
            return layers_relu(v + conv_from(other[i]), relu);
        }
        __device__ __forceinline__ float4 operator()(float4 v, int i)
        {
            const float4 w = conv_from(*(const typename conv_pack<T>::type *)(other + i));
            return make_float4(layers_relu(v.x + w.x, relu), layers_relu(v.y + w.y, relu),
                               layers_relu(v.z + w.z, relu), layers_relu(v.w + w.w, relu));
        }
    };
    const add f = { other, a.relu };
    layers_map(dest, source, a, f);
}

/* A thread an output. The window's part inside is never empty: padding is less than the window. */
template <typename T, bool MAX>
__device__ __forceinline__ void layers_pool(T *dest, const T *source, const layers_pool_args &a)
{
    const int i = blockIdx.x * LAYERS_THREADS + threadIdx.x;
    const int plane = i / (a.output_w * a.output_h);
    if (plane >= a.planes)
        return;
    const int h = i / a.output_w % a.output_h * a.stride_h - a.pad_h;
    const int w = i % a.output_w * a.stride_w - a.pad_w;
    const int top = max(h, 0), bottom = min(h + a.window_h, a.input_h);
    const int left = max(w, 0), right = min(w + a.window_w, a.input_w);

    source += plane * a.input_h * a.input_w;
    float v = MAX ? -INFINITY : 0.0f;
#pragma unroll 1
    for (int y = top; y < bottom; y++)
#pragma unroll 1
        for (int x = left; x < right; x++) {
            const float u = conv_from(__ldg(source + y * a.input_w + x));
            v = MAX ? fmaxf(v, u) : v + u;
        }
    const int size = a.count_padding ? a.window_h * a.window_w : (bottom - top) * (right - left);
    conv_to(dest + i, MAX ? v : __fdiv_rn(v, (float)size));
}

/* The mean of each plane: 32 threads a plane, four planes a block. */
template <typename T>
__device__ __forceinline__ void layers_mean(T *dest, const T *source, int planes, int area)
{
    __shared__ float shared[LAYERS_THREADS];
    const int plane = blockIdx.x * (LAYERS_THREADS / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    float sum = 0.0f;
    if (plane < planes)
#pragma unroll 4
        for (int i = lane; i < area; i += 32)
            sum += conv_from(__ldg(source + plane * area + i));
    shared[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (int half = 16; half > 0; half /= 2) {
        if (lane < half)
            shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    if (lane == 0 && plane < planes)
        conv_to(dest + plane, __fdiv_rn(shared[threadIdx.x], (float)area));
}

#endif
