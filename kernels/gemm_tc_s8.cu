/* gemm_tc_s8: C = alpha * op(A) * op(B) + beta * C by tensor instructions: signed bytes in memory,
 * 32-bit integers as sums, C, alpha and beta; see gemm.h for the arguments and gemm_tensor.h for
 * the work per warp. In shared memory bytes along k are neighbours always, in slices of 16:
 * instructions take them so.
 *
 * - 128x128_nn, _nt, _tn: 4 warps of 64 x 64; operands whose contiguous extents, leading dimensions
 * and addresses are multiples of 16 elements
 * - 64x64, 32x32: any layout and alignment; 4 warps of 32 x 32, of 16 x 16
 * - reduce: adds the splits */
#include "gemm_int.h"
#include "gemm_tensor.h"

/* Slices [m][16], each followed by 64 bytes that no one uses, so that two do not share their banks.
 */
template <int SIZE> struct slices {
    enum { TILE_K = 32, SIDEWAYS = 0, PITCH = 16, APART = SIZE * PITCH + 64, WORDS = 2 * APART };

    GEMM_INLINE const signed char *place(const signed char *buffer, int m, int step)
    {
        return buffer + step * APART + m * PITCH;
    }
};

/* See tensor_operand; neighbours in memory are along k: a thread takes 16 bytes of one m and slice.
 */
template <int SIZE, int LAYOUT, bool WIDE> struct byte_operand : slices<SIZE> {
    enum { RUNS = SIZE * 2 / TENSOR_THREADS };
    const signed char *from[RUNS];
    uint4 runs[RUNS];

    __device__ __forceinline__ void init(const signed char *p, int ld, bool, int first, int extent,
                                         int k0)
    {
#pragma unroll
        for (int i = 0; i < RUNS; i++) {
            const int m = first + threadIdx.x / 2 + i * (TENSOR_THREADS / 2);
            from[i] = p + (long long)min(m, extent - 1) * ld + k0 + threadIdx.x % 2 * 16;
        }
    }
    __device__ __forceinline__ void load_first(int count)
    {
        const bool inside = threadIdx.x % 2 * 16 < count;
#pragma unroll
        for (int i = 0; i < RUNS; i++) {
            runs[i] = inside ? __ldg((const uint4 *)from[i]) : make_uint4(0, 0, 0, 0);
            from[i] += count;
        }
    }
    __device__ __forceinline__ void load()
    {
#pragma unroll
        for (int i = 0; i < RUNS; i++) {
            runs[i] = __ldg((const uint4 *)from[i]);
            from[i] += 32;
        }
    }
    __device__ __forceinline__ void store(signed char *buffer) const
    {
#pragma unroll
        for (int i = 0; i < RUNS; i++)
            *(uint4 *)(buffer + threadIdx.x % 2 * slices<SIZE>::APART +
                       (threadIdx.x / 2 + i * (TENSOR_THREADS / 2)) * 16) = runs[i];
    }
};

/* Neighbours are along m: a thread takes 4 x 4 bytes of each slice, which change places. */
template <> struct byte_operand<128, ALONG_M, true> : slices<128> {
    const signed char *from;
    long long column; /* bytes from one k to the next */
    int k;
    unsigned runs[2][4];

    __device__ __forceinline__ void init(const signed char *p, int ld, bool, int first, int extent,
                                         int k0)
    {
        k = threadIdx.x % 4 * 4;
        column = ld;
        from = p + (k0 + k) * column + min(first + (int)threadIdx.x / 4 * 4, extent - 4);
    }
    __device__ __forceinline__ void load_first(int count)
    {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int step = j / 4 * 16 + j % 4;
            runs[j / 4][j % 4] =
                k + step < count ? __ldg((const unsigned *)(from + step * column)) : 0;
        }
        from += count * column;
    }
    __device__ __forceinline__ void load()
    {
#pragma unroll
        for (int j = 0; j < 8; j++)
            runs[j / 4][j % 4] = __ldg((const unsigned *)(from + (j / 4 * 16 + j % 4) * column));
        from += 32 * column;
    }
    __device__ __forceinline__ void store(signed char *buffer) const
    {
#pragma unroll
        for (int s = 0; s < 2; s++) {
            unsigned *const to = (unsigned *)(buffer + s * APART + threadIdx.x / 4 * 64 + k);
            const unsigned low0 = __byte_perm(runs[s][0], runs[s][1], 0x5140);
            const unsigned low1 = __byte_perm(runs[s][2], runs[s][3], 0x5140);
            const unsigned high0 = __byte_perm(runs[s][0], runs[s][1], 0x7362);
            const unsigned high1 = __byte_perm(runs[s][2], runs[s][3], 0x7362);
            to[0] = __byte_perm(low0, low1, 0x5410), to[4] = __byte_perm(low0, low1, 0x7632);
            to[8] = __byte_perm(high0, high1, 0x5410), to[12] = __byte_perm(high0, high1, 0x7632);
        }
    }
};

struct family;

/* Any layout and alignment: loaded as tensor_operand has it. */
template <int SIZE>
struct byte_operand<SIZE, ANY, false> : tensor_operand<family, SIZE, ANY, false> {
    typedef tensor_operand<family, SIZE, ANY, false> base;
    typedef slices<SIZE> where;
    enum { PITCH = where::PITCH, WORDS = where::WORDS };

    __device__ __forceinline__ void store(signed char *buffer) const
    {
#pragma unroll
        for (int i = 0; i < base::RUNS; i++) {
            const int m = this->first_m + i * this->step_m, k = this->first_k + i * this->step_k;
            buffer[k / 16 * where::APART + m * PITCH + k % 16] = this->runs[i];
        }
    }
    GEMM_INLINE const signed char *place(const signed char *buffer, int m, int step)
    {
        return where::place(buffer, m, step);
    }
};

struct family : tensor_loads, gemm_int {
    typedef signed char element, word, factor;
    enum { STEP = 16 };
    template <int SIZE, int LAYOUT, bool WIDE> using operand = byte_operand<SIZE, LAYOUT, WIDE>;

    GEMM_INLINE element zero()
    {
        return 0;
    }
    GEMM_INLINE word convert_one(element e)
    {
        return e;
    }
};

GEMM_TENSOR(gemm_tc_s8_128x128_nn, 128, 128, ALONG_M, ALONG_K, true)
GEMM_TENSOR(gemm_tc_s8_128x128_nt, 128, 128, ALONG_M, ALONG_M, true)
GEMM_TENSOR(gemm_tc_s8_128x128_tn, 128, 128, ALONG_K, ALONG_K, true)
GEMM_TENSOR(gemm_tc_s8_64x64, 64, 64, ANY, ANY, false)
GEMM_TENSOR(gemm_tc_s8_32x32, 32, 32, ANY, ANY, false)
GEMM_REDUCE(gemm_tc_s8_reduce)
