/* The loop of the tensor ceilings: D = rounds x CEIL_TC_STEPS x (A0 + A1) x (B0 + B1), a tile of 16 x 16 a
 * warp, from tiles A0, A1 (16 x K, row-major, one behind the other) and B0, B1 (K x 16, column-major).
 *
 * Each warp has four sums, of A0 B0, A0 B1, A1 B0 and A1 B1, that do not depend on each other; a step adds
 * one product to each: 4 x 16 x 16 x K multiply-adds. They are added up at the end. Warp w of the grid
 * writes the 256 elements at out[256 w], row-major. Any grid; blocks of whole warps. */
#ifndef KERNELS_CEIL_TC_H
#define KERNELS_CEIL_TC_H

#include <mma.h>

#include "ceil.h"

/* T: as the fragments have it; S: as memory has it; C: of the sums. */
template <typename T, typename S, typename C, int K>
static __device__ __forceinline__ void tensor_ceiling(C *out, const S *a, const S *b, int rounds)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, K, T, row_major> fa[2];
    fragment<matrix_b, 16, 16, K, T, col_major> fb[2];
    fragment<accumulator, 16, 16, K, C> sum[2][2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        load_matrix_sync(fa[i], a + i * 16 * K, K);
        load_matrix_sync(fb[i], b + i * 16 * K, K);
        fill_fragment(sum[i][0], (C)0);
        fill_fragment(sum[i][1], (C)0);
    }
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int s = 0; s < CEIL_TC_STEPS; s++)
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 2; j++)
                    mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
    }
#pragma unroll
    for (int e = 0; e < sum[0][0].num_elements; e++)
        sum[0][0].x[e] += sum[0][1].x[e] + sum[1][0].x[e] + sum[1][1].x[e];
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    store_matrix_sync(out + warp * 256, sum[0][0], 16, mem_row_major);
}

/* The same by products of 16 x 8, for types of which a K holds 8 words of 4 bytes: P::add(d, a, b) does one,
 * with the registers of a warp as the PTX manual lays out m16n8k8 of tf32 and m16n8k32 of bytes alike. */
template <typename P, typename C>
static __device__ __forceinline__ void tensor_ceiling_narrow(C *out, const unsigned *a, const unsigned *b, int rounds)
{
    const unsigned lane = threadIdx.x % 32, row = lane / 4, quad = lane % 4;
    unsigned fa[2][4], fb[4][2]; /* B0 and B1 are two halves of 8 columns each */
    C sum[2][4][4] = {};
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int r = 0; r < 4; r++)
            fa[i][r] = a[i * 128 + (row + r % 2 * 8) * 8 + quad + r / 2 * 4];
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int r = 0; r < 2; r++)
            fb[j][r] = b[(j * 8 + row) * 8 + quad + r * 4];
#pragma unroll 1
    for (int n = 0; n < rounds; n++) {
#pragma unroll
        for (int s = 0; s < CEIL_TC_STEPS; s++)
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    P::add(sum[i][j], fa[i], fb[j]);
    }
    C *tile = out + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 256;
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int r = 0; r < 4; r++)
            tile[(row + r / 2 * 8) * 16 + j * 8 + quad * 2 + r % 2] =
                sum[0][j][r] + sum[0][j + 2][r] + sum[1][j][r] + sum[1][j + 2][r];
}

#endif
