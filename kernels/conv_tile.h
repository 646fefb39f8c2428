/* The inner part of a GEMM in shared memory: BM x BN of a block, 8 x 8 of a thread.
 *
 * a[k][m] and b[k][n], both with n and m contiguous, so that a thread reads four neighbours at a
 * time; its 8 rows are two groups of four BM / 2 apart, its columns alike. A warp covers 4 x 8
 * groups, so that one read of the warp touches 4 and 8 times 16 bytes side by side, without bank
 * conflicts. */
#ifndef KERNELS_CONV_TILE_H
#define KERNELS_CONV_TILE_H

enum { CONV_STEP = 8 };

/* Tegra X1 and X2 give a block half the registers that their siblings do, 128 a thread for a large
 * tile. Where that is too little, a step is loaded only after the one before was used, one k at a
 * time. */
#if __CUDA_ARCH__ == 530 || __CUDA_ARCH__ == 620
enum { CONV_TIGHT = 1 };
#else
enum { CONV_TIGHT = 0 };
#endif

template <int BM, int BN> struct conv_tile {
    enum {
        THREADS = BM * BN / 64,
        COLUMN_WARPS = BN / 64,
        PITCH_A = BM + 4, /* staggers the transposed stores of a */
        PITCH_B = BN + 4,
        B = CONV_STEP * PITCH_A, /* where b starts */
        FLOATS = CONV_STEP * (PITCH_A + PITCH_B)
    };

    /* First of the thread's rows and columns; the others are at +1 .. +3 and BM / 2 (BN / 2)
     * further. */
    static __device__ __forceinline__ int row()
    {
        return ((threadIdx.x / 32) / COLUMN_WARPS * 4 + threadIdx.x % 32 / 8) * 4;
    }
    static __device__ __forceinline__ int column()
    {
        return ((threadIdx.x / 32) % COLUMN_WARPS * 8 + threadIdx.x % 8) * 4;
    }

    template <int UNROLL>
    static __device__ __forceinline__ void multiply(float acc[8][8], const float *a, const float *b)
    {
#pragma unroll UNROLL
        for (int k = 0; k < CONV_STEP; k++, a += PITCH_A, b += PITCH_B) {
            const float4 a0 = *(const float4 *)a, a1 = *(const float4 *)(a + BM / 2);
            const float4 b0 = *(const float4 *)b, b1 = *(const float4 *)(b + BN / 2);
            const float av[8] = { a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w };
            const float bv[8] = { b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w };
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] = fmaf(av[i], bv[j], acc[i][j]);
        }
    }

    /* Uses the first step, which lies in the buffer at 0, and all that follow it: `left` of the sum
     * remain after it. load(left) fetches the next step, store(buffer) puts it down for the block.
     * Two buffers, one barrier a step: what is written is what the step before has read. Two steps
     * at a time, so that the buffers are constants; an odd number of them ends with one of zeros.
     */
    template <bool TIGHT, typename LOAD, typename STORE>
    static __device__ __forceinline__ void sum(float acc[8][8], const float *shared, int left,
                                               LOAD load, STORE store)
    {
        const float *a = shared + row(), *b = shared + B + column();
        if (TIGHT) {
            int from = 0;
#pragma unroll 1
            for (; left > -CONV_STEP; left -= CONV_STEP) {
                multiply<1>(acc, a + from, b + from);
                load(left);
                from = FLOATS - from;
                store(from);
            }
        } else {
#pragma unroll 1
            for (; left > -CONV_STEP; left -= 2 * CONV_STEP) {
                load(left);
                multiply<CONV_STEP>(acc, a, b);
                store(FLOATS);
                load(left - CONV_STEP);
                multiply<CONV_STEP>(acc, a + FLOATS, b + FLOATS);
                store(0);
            }
        }
    }
};

#endif
