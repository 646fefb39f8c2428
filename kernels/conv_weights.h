/* Backward-weights as implicit GEMM, see conv_weights_args.
 *
 *   weights[m][column] = sum over pixels of
 *                        output[m][pixel] * input[channel of the column][pixel moved by its tap]
 *
 * Rows and columns are few and the sum is long, so that it is split among blocks: blockIdx.z is
 * group * splits + split. With one split the block writes the weights; else partial sums, which
 * conv_sum.h adds up in their order. Both operands are contiguous along the sum: neighbouring
 * threads take neighbouring pixels. */
#ifndef KERNELS_CONV_WEIGHTS_H
#define KERNELS_CONV_WEIGHTS_H

#include "conv_args.h"
#include "conv_store.h"
#include "conv_tile.h"
#include "conv_walk.h"

template <typename T, int BM, int BN>
__device__ __forceinline__ void conv_weights(T *weights, float *partial, const T *output,
                                             const T *input, const conv_weights_args &g)
{
    typedef conv_tile<BM, BN> tile;
    enum { ACROSS = tile::THREADS / CONV_STEP, ROWS = BM / ACROSS, COLUMNS = BN / ACROSS };
    __shared__ __align__(16) float shared[2 * tile::FLOATS];

    const int group = blockIdx.z / g.splits, split = blockIdx.z % g.splits;
    const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
    const int lane = threadIdx.x % CONV_STEP, across = threadIdx.x / CONV_STEP;
    const int taps = g.filter_h * g.filter_w, area = g.output_h * g.output_w;

    /* Rows and columns past the end are copies of the last, and are not written. */
    conv_address from_a[ROWS], from_b[COLUMNS];
    int tap_h[COLUMNS], tap_w[COLUMNS];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        from_a[i] = conv_fixed(output + group * g.output_group +
                               min(first_row + across + i * ACROSS, g.rows - 1) * area);
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
        const int column = min(first_column + across + j * ACROSS, g.columns - 1);
        const int tap = column % taps;
        tap_h[j] = tap / g.filter_w * g.dilation_h - g.pad_h;
        tap_w[j] = tap % g.filter_w * g.dilation_w - g.pad_w;
        from_b[j] =
            conv_fixed(input + group * g.input_group + column / taps * (g.input_h * g.input_w) +
                       tap_h[j] * g.input_w + tap_w[j]);
    }

    const int begin = split * g.split_pixels;
    const int end = min(begin + g.split_pixels, g.images * area);
    conv_pixel_walk walk;
    walk.start(g, begin + lane, CONV_STEP, conv_unit<T>::SIZE);

    T a[ROWS], b[COLUMNS];
    auto load = [&](int left) {
        const bool inside = left > lane;
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            a[i] = conv_load_if(conv_beyond<T>(from_a[i], walk.output), inside);
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            b[j] = conv_load_within(conv_beyond<T>(from_b[j], walk.input), walk.h + tap_h[j],
                                    g.input_h, walk.w + tap_w[j], g.input_w, inside);
        walk.advance();
    };
    auto store = [&](int buffer) {
        float *to = shared + buffer;
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            to[lane * tile::PITCH_A + across + i * ACROSS] = conv_from(a[i]);
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            to[tile::B + lane * tile::PITCH_B + across + j * ACROSS] = conv_from(b[j]);
        __syncthreads();
    };

    float acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            acc[i][j] = 0.0f;

    load(end - begin);
    store(0);
    tile::template sum<CONV_TIGHT && BM == 128>(acc, shared, end - begin - CONV_STEP, load, store);

    const int row = first_row + tile::row(), column = first_column + tile::column();
    const int size = g.rows * g.columns;
    weights += group * size;
    partial += (split * g.groups + group) * size;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int m = row + i / 4 * (BM / 2) + i % 4;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int n = column + j / 4 * (BN / 2) + j % 4;
            if (m >= g.rows || n >= g.columns)
                continue;
            if (g.splits > 1)
                partial[m * g.columns + n] = acc[i][j];
            else
                conv_to(weights + m * g.columns + n, acc[i][j]);
        }
    }
}

#endif
