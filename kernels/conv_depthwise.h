/* Depthwise convolution, see conv_depthwise_args: bound by memory, so that each element is read
 * from DRAM once, and the rest comes out of caches and registers. Threads are numbered along rows,
 * then rows (or groups of them), channels and images, without gaps, so that small planes waste no
 * lanes. */
#ifndef KERNELS_CONV_DEPTHWISE_H
#define KERNELS_CONV_DEPTHWISE_H

#include "conv_args.h"
#include "conv_store.h"
#include "conv_walk.h"

/* 3 x 3 without dilation: a thread makes ROWS outputs below each other, and an input row that it
 * has read goes into all of them that need it. */
template <typename T, int STRIDE>
__device__ __forceinline__ void conv_depthwise_3x3(T *dest, const T *weights, const T *source,
                                                   const float *bias, const conv_depthwise_args &a)
{
    enum { ROWS = CONV_DEPTHWISE_ROWS, READ = (ROWS - 1) * STRIDE + 3 };
    const int groups = (a.output_h + ROWS - 1) / ROWS, channels = a.inputs * a.multiplier;
    int i = blockIdx.x * CONV_DEPTHWISE_THREADS + threadIdx.x;
    const int q = i % a.output_w;
    i /= a.output_w;
    const int p = i % groups * ROWS;
    const int plane = i / groups, k = plane % channels;
    if (plane >= a.images * channels)
        return;

    float f[9], acc[ROWS];
#pragma unroll
    for (int t = 0; t < 9; t++)
        f[t] = conv_from(__ldg(weights + k * 9 + (a.flip ? 8 - t : t)));
#pragma unroll
    for (int o = 0; o < ROWS; o++)
        acc[o] = a.bias ? bias[k] : 0.0f;

    int h = p * STRIDE - a.pad_h;
    const int w = q * STRIDE - a.pad_w;
    bool inside[3];
#pragma unroll
    for (int s = 0; s < 3; s++)
        inside[s] = (unsigned)(w + s) < (unsigned)a.input_w;
    const T *from = source + (plane / a.multiplier * a.input_h + h) * a.input_w + w;
#pragma unroll
    for (int y = 0; y < READ; y++, h++, from += a.input_w) {
        const bool row = (unsigned)h < (unsigned)a.input_h;
#pragma unroll
        for (int s = 0; s < 3; s++) {
            const float v = conv_from(conv_load_if(from + s, row && inside[s]));
#pragma unroll
            for (int o = 0; o < ROWS; o++)
                if (y - o * STRIDE >= 0 && y - o * STRIDE < 3)
                    acc[o] = fmaf(f[(y - o * STRIDE) * 3 + s], v, acc[o]);
        }
    }

    T *to = dest + (plane * a.output_h + p) * a.output_w + q;
#pragma unroll
    for (int o = 0; o < ROWS; o++, to += a.output_w)
        if (p + o < a.output_h)
            conv_to(to, a.relu && acc[o] < 0.0f ? 0.0f : acc[o]);
}

/* Any filter, stride and dilation; an output a thread. */
template <typename T>
__device__ __forceinline__ void conv_depthwise_forward(T *dest, const T *weights, const T *source,
                                                       const float *bias,
                                                       const conv_depthwise_args &a)
{
    const int i = blockIdx.x * CONV_DEPTHWISE_THREADS + threadIdx.x;
    const int q = i % a.output_w, p = i / a.output_w % a.output_h;
    const int plane = i / (a.output_w * a.output_h), channels = a.inputs * a.multiplier;
    if (plane >= a.images * channels)
        return;

    const int k = plane % channels, h = p * a.stride_h - a.pad_h, w = q * a.stride_w - a.pad_w;
    const T *f = weights + k * a.filter_h * a.filter_w;
    const T *from = source + plane / a.multiplier * a.input_h * a.input_w;
    float acc = a.bias ? bias[k] : 0.0f;
#pragma unroll 1
    for (int r = 0; r < a.filter_h; r++) {
        const int y = h + r * a.dilation_h;
        if ((unsigned)y >= (unsigned)a.input_h)
            continue;
#pragma unroll 1
        for (int s = 0; s < a.filter_w; s++) {
            const int x = w + s * a.dilation_w;
            if ((unsigned)x < (unsigned)a.input_w)
                acc = fmaf(conv_from(__ldg(f + r * a.filter_w + s)),
                           conv_from(__ldg(from + y * a.input_w + x)), acc);
        }
    }
    conv_to(dest + i, a.relu && acc < 0.0f ? 0.0f : acc);
}

/* Where an input row (column) meets tap r: the output row that its value went into; -1: none. */
__device__ __forceinline__ int conv_depthwise_met(int at, int stride, int size)
{
    const int row = at / stride;
    return at < 0 || row * stride != at || row >= size ? -1 : row;
}

/* Backward-data, an input a thread. FILTER and STRIDE 0: any; else of both directions, no dilation.
 */
template <typename T, int FILTER, int STRIDE>
__device__ __forceinline__ void conv_depthwise_data(T *dest, const T *weights, const T *source,
                                                    const conv_depthwise_args &a)
{
    const int filter_h = FILTER ? FILTER : a.filter_h, filter_w = FILTER ? FILTER : a.filter_w;
    const int stride_h = STRIDE ? STRIDE : a.stride_h, stride_w = STRIDE ? STRIDE : a.stride_w;
    const int dilation_h = FILTER ? 1 : a.dilation_h, dilation_w = FILTER ? 1 : a.dilation_w;

    const int i = blockIdx.x * CONV_DEPTHWISE_THREADS + threadIdx.x;
    const int w = i % a.input_w + a.pad_w, h = i / a.input_w % a.input_h + a.pad_h;
    const int plane = i / (a.input_w * a.input_h);
    if (plane >= a.images * a.inputs)
        return;

    const T *f = weights + plane % a.inputs * a.multiplier * filter_h * filter_w;
    const T *from = source + plane * a.multiplier * a.output_h * a.output_w;
    float acc = 0.0f;
#pragma unroll 1
    for (int m = 0; m < a.multiplier; m++) {
#pragma unroll(FILTER ? FILTER : 1)
        for (int r = 0; r < filter_h; r++) {
            const int p = conv_depthwise_met(h - r * dilation_h, stride_h, a.output_h);
            if (!FILTER && p < 0)
                continue;
#pragma unroll(FILTER ? FILTER : 1)
            for (int s = 0; s < filter_w; s++) {
                const int q = conv_depthwise_met(w - s * dilation_w, stride_w, a.output_w);
                const T v = conv_load_if(from + p * a.output_w + q, p >= 0 && q >= 0);
                acc = fmaf(conv_from(__ldg(f + r * filter_w + s)), conv_from(v), acc);
            }
        }
        f += filter_h * filter_w;
        from += a.output_h * a.output_w;
    }
    conv_to(dest + i, acc);
}

/* Backward-weights: a block sums nine taps of one output channel (blockIdx.y, .z: which nine) over
 * a part of the pixels (blockIdx.x), each thread every 128th of them. partial: splits x channels x
 * taps, or with one split the weights themselves. */
template <typename T>
__device__ __forceinline__ void conv_depthwise_weights(T *weights, float *partial, const T *output,
                                                       const T *input, const conv_weights_args &g)
{
    enum { TAPS = CONV_DEPTHWISE_TAPS, THREADS = CONV_DEPTHWISE_THREADS };
    __shared__ float shared[TAPS][THREADS];
    const int k = blockIdx.y, group = k / g.rows, first = blockIdx.z * TAPS;
    const int begin = blockIdx.x * g.split_pixels;
    const int end = min(begin + g.split_pixels, g.images * g.output_h * g.output_w);

    const conv_address from_output = conv_fixed(output + k * g.output_h * g.output_w);
    const conv_address from_input = conv_fixed(input + group * g.input_group);
    int tap_h[TAPS], tap_w[TAPS];
    float acc[TAPS];
#pragma unroll
    for (int t = 0; t < TAPS; t++) {
        const int tap = first + t; /* past the last: summed for nothing, not written */
        tap_h[t] = tap / g.filter_w * g.dilation_h - g.pad_h;
        tap_w[t] = tap % g.filter_w * g.dilation_w - g.pad_w;
        acc[t] = 0.0f;
    }

    conv_pixel_walk walk;
    walk.start(g, begin + threadIdx.x, THREADS, 1);
#pragma unroll 1
    for (int i = begin + threadIdx.x; i < end; i += THREADS) {
        const float v = conv_from(__ldg((const T *)from_output + walk.output));
#pragma unroll
        for (int t = 0; t < TAPS; t++) {
            const int offset = (int)walk.input + tap_h[t] * g.input_w + tap_w[t];
            const T u = conv_load_within((const T *)from_input + offset, walk.h + tap_h[t],
                                         g.input_h, walk.w + tap_w[t], g.input_w, 1);
            acc[t] = fmaf(v, conv_from(u), acc[t]);
        }
        walk.advance();
    }

#pragma unroll
    for (int t = 0; t < TAPS; t++)
        shared[t][threadIdx.x] = acc[t];
    __syncthreads();
#pragma unroll 1
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
#pragma unroll
            for (int t = 0; t < TAPS; t++)
                shared[t][threadIdx.x] += shared[t][threadIdx.x + half];
        __syncthreads();
    }
    const int tap = first + threadIdx.x;
    if (threadIdx.x >= TAPS || tap >= g.columns)
        return;
    const int to = k * g.columns + tap;
    if (gridDim.x > 1)
        partial[blockIdx.x * g.rows * g.groups * g.columns + to] = shared[threadIdx.x][0];
    else
        conv_to(weights + to, shared[threadIdx.x][0]);
}

#endif
