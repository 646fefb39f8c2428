/* Ceiling of the tensor instructions on signed bytes with sums in 32 bits: see ceil_tc.h; K is 32, which
 * from 8.0 on is one instruction and before two.
 *
 *   tensor_s8(out, a, b, rounds) */
#include "ceil_tc.h"

#if __CUDA_ARCH__ >= 800

struct bytes {
    static __device__ void add(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

CEIL_KERNEL tensor_s8(int *out, const unsigned *a, const unsigned *b, int rounds)
{
    tensor_ceiling_narrow<bytes>(out, a, b, rounds);
}

#else

CEIL_KERNEL tensor_s8(int *out, const signed char *a, const signed char *b, int rounds)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, signed char, row_major> fa[2][2];
    fragment<matrix_b, 16, 16, 16, signed char, col_major> fb[2][2];
    fragment<accumulator, 16, 16, 16, int> sum[2][2];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int k = 0; k < 2; k++) {
            load_matrix_sync(fa[i][k], a + i * 512 + k * 16, 32);
            load_matrix_sync(fb[i][k], b + i * 512 + k * 16, 32);
            fill_fragment(sum[i][k], 0);
        }
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int s = 0; s < CEIL_TC_STEPS; s++)
#pragma unroll
            for (int k = 0; k < 2; k++)
#pragma unroll
                for (int ij = 0; ij < 4; ij++)
                    mma_sync(sum[ij / 2][ij % 2], fa[ij / 2][k], fb[ij % 2][k], sum[ij / 2][ij % 2]);
    }
#pragma unroll
    for (int e = 0; e < sum[0][0].num_elements; e++)
        sum[0][0].x[e] += sum[0][1].x[e] + sum[1][0].x[e] + sum[1][1].x[e];
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    store_matrix_sync(out + warp * 256, sum[0][0], 16, mem_row_major);
}

#endif
