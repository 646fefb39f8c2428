/* Winograd F(2x2,3x3), forward, fp32: 16 multiplications for 4 outputs that take 36 otherwise
 * (Lavin and Gray, arXiv 1509.09308, section 4.1, whose matrices B, G and A these are). The
 * products in between are a batch of sixteen matrices, left to the GEMM kernels:
 *
 *   winograd_weights   u[16][outputs][inputs] = G w G^T
 *   winograd_input     v[16][inputs][tiles] = B^T x B
 *   winograd_output    output = A^T m A (+ bias, ReLU), of m[16][outputs][tiles] = u v
 *
 * A thread a tile (of winograd_weights: a filter), neighbouring threads neighbouring tiles;
 * blockIdx.y is the channel. tiles: of all images, in their order. Stride and dilation are 1. */
#include "conv_args.h"
#include "conv_store.h"

extern "C" __global__ void __launch_bounds__(CONV_POINT_THREADS)
    winograd_weights(float *__restrict__ u, const float *__restrict__ weights, int count)
{
    const int i = blockIdx.x * CONV_POINT_THREADS + threadIdx.x;
    if (i >= count)
        return;
    float half[4][3]; /* G w */
#pragma unroll
    for (int s = 0; s < 3; s++) {
        const float a = __ldg(weights + i * 9 + s), b = __ldg(weights + i * 9 + 3 + s);
        const float c = __ldg(weights + i * 9 + 6 + s), outer = 0.5f * (a + c);
        half[0][s] = a;
        half[1][s] = fmaf(0.5f, b, outer);
        half[2][s] = fmaf(-0.5f, b, outer);
        half[3][s] = c;
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const float a = half[r][0], b = half[r][1], c = half[r][2], outer = 0.5f * (a + c);
        float *to = u + r * 4 * count + i;
        to[0] = a;
        to[count] = fmaf(0.5f, b, outer);
        to[2 * count] = fmaf(-0.5f, b, outer);
        to[3 * count] = c;
    }
}

/* Tile `i` of the block's row of tiles: its image, and its first output row and column. */
__device__ __forceinline__ void tile_of(const conv_winograd_args &a, int i, int *image, int *p,
                                        int *q)
{
    const int in_row = i % a.tiles_w, row = i / a.tiles_w;
    *q = in_row * 2;
    *p = row % a.tiles_h * 2;
    *image = row / a.tiles_h;
}

extern "C" __global__ void __launch_bounds__(CONV_POINT_THREADS)
    winograd_input(float *__restrict__ v, const float *__restrict__ input,
                   const conv_winograd_args a)
{
    const int i = blockIdx.x * CONV_POINT_THREADS + threadIdx.x, c = blockIdx.y;
    const int tiles = a.images * a.tiles_h * a.tiles_w;
    if (i >= tiles)
        return;
    int image, h, w;
    tile_of(a, i, &image, &h, &w);
    h -= a.pad_h;
    w -= a.pad_w;
    const float *from = input + ((image * a.inputs + c) * a.input_h + h) * a.input_w + w;

    float x[4][4];
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int s = 0; s < 4; s++)
            x[r][s] =
                conv_load_within(from + r * a.input_w + s, h + r, a.input_h, w + s, a.input_w, 1);
#pragma unroll
    for (int s = 0; s < 4; s++) { /* B^T x */
        const float one = x[1][s];
        x[0][s] -= x[2][s];
        x[1][s] = one + x[2][s];
        x[2][s] -= one;
        x[3][s] = one - x[3][s];
    }
    const int matrix = a.inputs * tiles;
    float *to = v + c * tiles + i;
#pragma unroll
    for (int r = 0; r < 4; r++, to += 4 * matrix) {
        to[0] = x[r][0] - x[r][2];
        to[matrix] = x[r][1] + x[r][2];
        to[2 * matrix] = x[r][2] - x[r][1];
        to[3 * matrix] = x[r][1] - x[r][3];
    }
}

extern "C" __global__ void __launch_bounds__(CONV_POINT_THREADS)
    winograd_output(float *__restrict__ output, const float *__restrict__ m,
                    const float *__restrict__ bias, const conv_winograd_args a)
{
    const int i = blockIdx.x * CONV_POINT_THREADS + threadIdx.x, k = blockIdx.y;
    const int tiles = a.images * a.tiles_h * a.tiles_w, matrix = a.outputs * tiles;
    if (i >= tiles)
        return;
    int image, p, q;
    tile_of(a, i, &image, &p, &q);

    const float *from = m + k * tiles + i;
    float half[2][4]; /* A^T m */
#pragma unroll
    for (int s = 0; s < 4; s++, from += matrix) {
        const float one = __ldg(from + 4 * matrix), two = __ldg(from + 8 * matrix);
        half[0][s] = __ldg(from) + one + two;
        half[1][s] = one - two - __ldg(from + 12 * matrix);
    }
    const float add = a.bias ? bias[k] : 0.0f;
    float *to = output + ((image * a.outputs + k) * a.output_h + p) * a.output_w + q;
#pragma unroll
    for (int r = 0; r < 2; r++, to += a.output_w) {
        const float left = half[r][0] + half[r][1] + half[r][2] + add;
        const float right = half[r][1] - half[r][2] - half[r][3] + add;
        if (p + r >= a.output_h)
            continue;
        to[0] = a.relu && left < 0.0f ? 0.0f : left;
        if (q + 1 < a.output_w)
            to[1] = a.relu && right < 0.0f ? 0.0f : right;
    }
}
