/* Forward and backward-data as implicit GEMM, see conv_gather_args.
 *
 *   dest[m][pixel] = sum of weights[m][slow][tap] * source[slow][pixel moved by tap]
 *
 * A block makes BM channels x BN pixels of one group and class, in steps of 8 of the sum,
 * double-buffered in registers and shared memory. While staging, a thread stays with one row of the
 * step and with its pixels, so that what depends on the pixel (its address, which taps fall
 * outside) and on the tap (an offset) is known before the loop, and an element costs one test and
 * one 64-bit addition. Where tiles are too few for the card, the sum is split among blocks by
 * `slow`, and conv_sum.h adds up the parts. */
#ifndef KERNELS_CONV_GATHER_H
#define KERNELS_CONV_GATHER_H

#include "conv_args.h"
#include "conv_store.h"
#include "conv_tile.h"

struct conv_tap {
    unsigned source; /* units in the source, from where tap 0 or, backward, the last tap looks */
    unsigned at;     /* a bit of its row, and one of its column 16 higher */
};

/* A tap that no pixel has: bit 31 is set in all of their masks. */
#define CONV_NOWHERE 0x80000000u

/* What threads look up about the block's taps and pixels. */
template <int BN> struct conv_plan {
    conv_tap taps[CONV_FILTER_MAX * CONV_FILTER_MAX];
    int weights[CONV_FILTER_MAX * CONV_FILTER_MAX]; /* units of the tap in the weights */
    int source[BN];       /* offset of the pixel in the source, from where taps count */
    unsigned outside[BN]; /* which rows and columns of the filter it does not have */
    int dest[BN];         /* offset of the pixel, -1: past the last */
};

/* A class of destination pixels, and what its taps have in common. Backward, h meets tap r only
 * where (h + pad) - r * dilation is a multiple of the stride. Forward: all of both. */
struct conv_class {
    int first_h, first_w, step_h, step_w, count_h, count_w;
    int rest_h, rest_w;
};

template <bool BACKWARD>
__device__ __forceinline__ conv_class conv_class_of(const conv_gather_args &g, int number)
{
    conv_class c = { 0, 0, 1, 1, g.dest_h, g.dest_w, 0, 0 };
    if (BACKWARD) {
        c.step_h = g.stride_h;
        c.step_w = g.stride_w;
        c.first_h = number / c.step_w;
        c.first_w = number % c.step_w;
        c.count_h = (g.dest_h - c.first_h + c.step_h - 1) / c.step_h;
        c.count_w = (g.dest_w - c.first_w + c.step_w - 1) / c.step_w;
        c.rest_h = (c.first_h + g.pad_h) % c.step_h;
        c.rest_w = (c.first_w + g.pad_w) % c.step_w;
    }
    return c;
}

/* Where tap r looks in the source, relative to its pixel. Backward the division is exact for the
 * taps that meet, after the same rest was taken off both. */
template <bool BACKWARD> __device__ __forceinline__ int conv_move(int r, int dilation, int stride)
{
    return BACKWARD ? -(r * dilation / stride) : r * dilation;
}

/* The least of these, so that what is left can be counted without signs. */
template <bool BACKWARD>
__device__ __forceinline__ int conv_least_move(int filter, int dilation, int stride)
{
    return BACKWARD ? conv_move<true>(filter - 1, dilation, stride) : 0;
}

/* Lists the taps of the class, each by the thread of its number; returns how many. */
template <typename T, bool BACKWARD, int BN>
__device__ __forceinline__ int conv_list_taps(const conv_gather_args &g, const conv_class &c,
                                              conv_plan<BN> &plan)
{
    const int least_h = conv_least_move<BACKWARD>(g.filter_h, g.dilation_h, g.stride_h);
    const int least_w = conv_least_move<BACKWARD>(g.filter_w, g.dilation_w, g.stride_w);
    int rows = 0, columns = 0, at = 0;
#pragma unroll 1
    for (int s = 0; s < g.filter_w; s++)
        columns += !BACKWARD || s * g.dilation_w % c.step_w == c.rest_w;
#pragma unroll 1
    for (int r = 0; r < g.filter_h; r++) {
        if (BACKWARD && r * g.dilation_h % c.step_h != c.rest_h)
            continue;
        rows++;
#pragma unroll 1
        for (int s = 0; s < g.filter_w; s++) {
            if (BACKWARD && s * g.dilation_w % c.step_w != c.rest_w)
                continue;
            if (at % blockDim.x == threadIdx.x) {
                const int h = conv_move<BACKWARD>(r, g.dilation_h, g.stride_h) - least_h;
                const int w = conv_move<BACKWARD>(s, g.dilation_w, g.stride_w) - least_w;
                plan.taps[at].source = (h * g.source_w + w) * conv_unit<T>::SIZE;
                plan.taps[at].at = 1u << r | 0x10000u << s;
                plan.weights[at] = (r * g.filter_w + s) * conv_unit<T>::SIZE;
            }
            at++;
        }
    }
    return rows * columns;
}

template <bool BACKWARD>
__device__ __forceinline__ unsigned conv_outside(int at, int size, int filter, int dilation,
                                                 int stride)
{
    unsigned bits = 0;
#pragma unroll 1
    for (int r = 0; r < filter; r++)
        if ((unsigned)(at + conv_move<BACKWARD>(r, dilation, stride)) >= (unsigned)size)
            bits |= 1u << r;
    return bits;
}

/* Writes down the block's pixels, each by a thread of its own. */
template <bool BACKWARD, int BN>
__device__ __forceinline__ void conv_list_pixels(const conv_gather_args &g, const conv_class &c,
                                                 int first, conv_plan<BN> &plan)
{
    const int area = c.count_h * c.count_w;
    const int least_h = conv_least_move<BACKWARD>(g.filter_h, g.dilation_h, g.stride_h);
    const int least_w = conv_least_move<BACKWARD>(g.filter_w, g.dilation_w, g.stride_w);
#pragma unroll 1
    for (int i = threadIdx.x; i < BN; i += blockDim.x) {
        const int image = (first + i) / area, rest = (first + i) % area;
        const int h = c.first_h + rest / c.count_w * c.step_h;
        const int w = c.first_w + rest % c.count_w * c.step_w;
        const int at_h = BACKWARD ? (h + g.pad_h) / g.stride_h : h * g.stride_h - g.pad_h;
        const int at_w = BACKWARD ? (w + g.pad_w) / g.stride_w : w * g.stride_w - g.pad_w;
        const bool exists = image < g.images;
        plan.source[i] = image * g.source_image + (at_h + least_h) * g.source_w + at_w + least_w;
        plan.dest[i] = exists ? image * g.dest_image + h * g.dest_w + w : -1;
        plan.outside[i] = ~0u;
        if (exists)
            plan.outside[i] =
                CONV_NOWHERE |
                conv_outside<BACKWARD>(at_h, g.source_h, g.filter_h, g.dilation_h, g.stride_h) |
                conv_outside<BACKWARD>(at_w, g.source_w, g.filter_w, g.dilation_w, g.stride_w)
                    << 16;
    }
}

/* How a place in the sum, slow * taps + tap, goes on from step to step. */
struct conv_walk {
    int taps, step_tap;       /* of taps: CONV_STEP less whole rounds */
    unsigned slow, step_slow; /* units: of one slow, of the whole rounds of a step */
    unsigned tap, at;         /* now: number of the tap, units of the slow */

    __device__ __forceinline__ void start(int first, int count, unsigned units)
    {
        taps = count;
        step_tap = CONV_STEP % count;
        slow = units;
        step_slow = CONV_STEP / count * units;
        tap = first % count;
        at = first / count * units;
    }
    __device__ __forceinline__ void advance()
    {
        tap += step_tap;
        at += step_slow;
        if (tap >= taps) {
            tap -= taps;
            at += slow;
        }
    }
    /* The same forward, where all of it is known before the launch and takes no registers. */
    __device__ __forceinline__ void advance(const conv_gather_args &g, int unit)
    {
        tap += g.step_tap;
        at += g.step_units[unit];
        if (tap >= g.taps) {
            tap -= g.taps;
            at += g.slow_units[unit];
        }
    }
};

/* A thread's part of staging the source: row `lane` of the step, pixels ACROSS apart. */
template <typename T, int BM, int BN, bool BACKWARD> struct conv_stage_source {
    enum { ACROSS = conv_tile<BM, BN>::THREADS / CONV_STEP, COUNT = BN / ACROSS };

    const conv_tap *taps;
    conv_walk walk;
    conv_address from[COUNT];
    unsigned outside[COUNT];
    T held[COUNT];

    static __device__ __forceinline__ int lane()
    {
        return threadIdx.x / ACROSS;
    }
    static __device__ __forceinline__ int column()
    {
        return threadIdx.x % ACROSS;
    }
    __device__ __forceinline__ void start(const conv_gather_args &g, const conv_plan<BN> &plan,
                                          const T *source, int tap_count)
    {
        taps = plan.taps;
        walk.start(lane(), tap_count, g.source_h * g.source_w * conv_unit<T>::SIZE);
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
            from[j] = conv_fixed(source + plan.source[column() + j * ACROSS]);
            outside[j] = plan.outside[column() + j * ACROSS];
        }
    }
    /* `left` of the sum from this step on; zero past its end. */
    __device__ __forceinline__ void load(const conv_gather_args &g, int left)
    {
        const conv_tap tap = taps[walk.tap];
        const unsigned at = left > lane() ? tap.at : CONV_NOWHERE;
        const unsigned move = walk.at + tap.source;
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            held[j] = conv_load_unless(conv_beyond<T>(from[j], move), outside[j], at);
        if (BACKWARD)
            walk.advance();
        else
            walk.advance(g, conv_unit<T>::SIZE > 1);
    }
    __device__ __forceinline__ void store(float *to)
    {
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            to[lane() * conv_tile<BM, BN>::PITCH_B + column() + j * ACROSS] = conv_from(held[j]);
    }
};

/* A thread's part of staging the weights. Neighbours in memory go to neighbouring threads: column
 * `lane` of the step, rows ACROSS apart. Rows past the last are copies of it, and are not written;
 * past the end of the sum the source is zero, and any weight will do. Forward they lie in the order
 * of the sum. */
template <typename T, int BM, int BN, bool BACKWARD> struct conv_stage_weights {
    enum { ACROSS = conv_tile<BM, BN>::THREADS / CONV_STEP, COUNT = BM / ACROSS };

    const int *taps;
    conv_walk walk;
    unsigned last;
    conv_address from[COUNT];
    T held[COUNT];

    static __device__ __forceinline__ int lane()
    {
        return threadIdx.x % CONV_STEP;
    }
    static __device__ __forceinline__ int row()
    {
        return threadIdx.x / CONV_STEP;
    }
    __device__ __forceinline__ void start(const conv_gather_args &g, const conv_plan<BN> &plan,
                                          const T *weights, int first_row, int slow, int tap_count)
    {
        const unsigned size = conv_unit<T>::SIZE;
        taps = plan.weights;
        walk.start(lane(), tap_count, g.weight_slow * size);
        last = (slow - 1) * g.weight_slow * size;
        if (!BACKWARD) {
            walk.at = lane() * size;
            last = (slow * tap_count - 1) * size;
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            from[i] = conv_fixed(weights +
                                 min(first_row + row() + i * ACROSS, g.rows - 1) * g.weight_row);
    }
    __device__ __forceinline__ void load()
    {
        unsigned move = min(walk.at, last);
        if (BACKWARD) {
            move += taps[walk.tap];
            walk.advance();
        } else {
            walk.at += CONV_STEP * conv_unit<T>::SIZE;
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            held[i] = __ldg(conv_beyond<T>(from[i], move));
    }
    __device__ __forceinline__ void store(float *to)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            to[lane() * conv_tile<BM, BN>::PITCH_A + row() + i * ACROSS] = conv_from(held[i]);
    }
};

/* The same forward for weights whose rows are multiples of four: four of the sum at a time. */
template <typename T, int BM, int BN> struct conv_stage_packed {
    typedef typename conv_pack<T>::type pack;
    enum { ACROSS = conv_tile<BM, BN>::THREADS * 4 / CONV_STEP, COUNT = BM / ACROSS };

    unsigned at, last;
    conv_address from[COUNT];
    pack held[COUNT];

    static __device__ __forceinline__ int lane()
    {
        return threadIdx.x % (CONV_STEP / 4) * 4;
    }
    static __device__ __forceinline__ int row()
    {
        return threadIdx.x / (CONV_STEP / 4);
    }
    __device__ __forceinline__ void start(const conv_gather_args &g, const conv_plan<BN> &,
                                          const T *weights, int first_row, int slow, int tap_count)
    {
        at = lane() * conv_unit<T>::SIZE;
        last = (slow * tap_count - 4) * conv_unit<T>::SIZE;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            from[i] = conv_fixed(weights +
                                 min(first_row + row() + i * ACROSS, g.rows - 1) * g.weight_row);
    }
    __device__ __forceinline__ void load()
    {
        const unsigned move = min(at, last);
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            held[i] = __ldg((const pack *)conv_beyond<T>(from[i], move));
        at += CONV_STEP * conv_unit<T>::SIZE;
    }
    __device__ __forceinline__ void store(float *to)
    {
        to += lane() * conv_tile<BM, BN>::PITCH_A + row();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const float4 v = conv_from(held[i]);
            to[i * ACROSS] = v.x;
            to[i * ACROSS + conv_tile<BM, BN>::PITCH_A] = v.y;
            to[i * ACROSS + 2 * conv_tile<BM, BN>::PITCH_A] = v.z;
            to[i * ACROSS + 3 * conv_tile<BM, BN>::PITCH_A] = v.w;
        }
    }
};

/* Row m of the thread's four neighbours, to the pixels `to`. */
template <typename T>
__device__ __forceinline__ void conv_write(const conv_gather_args &g, T *row, const int to[4],
                                           float4 v)
{
    if (g.vector) {
        if (to[0] >= 0)
            conv_to((typename conv_pack<T>::type *)(row + to[0]), v);
        return;
    }
    if (to[0] >= 0)
        conv_to(row + to[0], v.x);
    if (to[1] >= 0)
        conv_to(row + to[1], v.y);
    if (to[2] >= 0)
        conv_to(row + to[2], v.z);
    if (to[3] >= 0)
        conv_to(row + to[3], v.w);
}

template <typename T, int BM, int BN>
__device__ __forceinline__ void conv_finish(const conv_gather_args &g, T *dest, const float *bias,
                                            const conv_plan<BN> &plan, float acc[8][8], int first)
{
    const int row = first + conv_tile<BM, BN>::row(), column = conv_tile<BM, BN>::column();
    const int channel = g.dest_h * g.dest_w;
    const float least = g.relu ? 0.0f : -INFINITY;
#pragma unroll
    for (int jj = 0; jj < 8; jj += 4) {
        int to[4];
#pragma unroll
        for (int j = 0; j < 4; j++)
            to[j] = plan.dest[column + jj / 4 * (BN / 2) + j];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int m = row + i / 4 * (BM / 2) + i % 4;
            if (m >= g.rows)
                continue;
            const float add = g.bias ? bias[m] : 0.0f;
            float v[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                v[j] = acc[i][jj + j] + add;
                v[j] = v[j] < least ? least : v[j]; /* NaN stays */
            }
            conv_write(g, dest + m * channel, to, make_float4(v[0], v[1], v[2], v[3]));
        }
    }
}

/* With one part of the sum the block writes the destination, in memory like partial the parts of
 * others. */
template <typename T, int BM, int BN, bool BACKWARD, typename WEIGHTS>
__device__ __forceinline__ void conv_gather(T *dest, float *partial, const T *weights,
                                            const T *source, const float *bias,
                                            const conv_gather_args &g)
{
    typedef conv_tile<BM, BN> tile;
    __shared__ __align__(16) float shared[2 * tile::FLOATS];
    __shared__ conv_plan<BN> plan;

    /* blockIdx.z = (group * classes + class) * splits + part */
    const int classes = BACKWARD ? g.stride_h * g.stride_w : 1;
    const int part = blockIdx.z % g.splits, group = blockIdx.z / g.splits / classes;
    const conv_class c = conv_class_of<BACKWARD>(g, blockIdx.z / g.splits % classes);
    const int first_pixel = blockIdx.x * BN, first_row = blockIdx.y * BM;
    if (BACKWARD && first_pixel >= g.images * c.count_h * c.count_w)
        return;
    const int taps = conv_list_taps<T, BACKWARD>(g, c, plan);
    conv_list_pixels<BACKWARD>(g, c, first_pixel, plan);
    __syncthreads();

    float acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            acc[i][j] = 0.0f;

    if (!BACKWARD || taps) {
        const int first_slow = part * g.split_slow, slow = min(g.split_slow, g.slow - first_slow);
        conv_stage_source<T, BM, BN, BACKWARD> b;
        WEIGHTS a;
        a.start(g, plan, weights + group * g.weight_group + first_slow * g.weight_slow, first_row,
                slow, taps);
        b.start(g, plan, source + group * g.source_group + first_slow * (g.source_h * g.source_w),
                taps);

        auto load = [&](int left) {
            a.load();
            b.load(g, left);
        };
        auto store = [&](int buffer) {
            a.store(shared + buffer);
            b.store(shared + buffer + tile::B);
            __syncthreads();
        };
        load(slow * taps);
        store(0);
        tile::template sum<CONV_TIGHT && BACKWARD && BM == 128>(
            acc, shared, slow * taps - CONV_STEP, load, store);
    }

    const int group_dest = group * g.dest_group;
    bias += group * g.rows;
    partial += part * (g.images * g.dest_image);
    if (sizeof(T) == sizeof(float)) /* the same code for both */
        conv_finish<float, BM, BN>(g, (g.splits > 1 ? partial : (float *)dest) + group_dest, bias,
                                   plan, acc, first_row);
    else if (g.splits > 1)
        conv_finish<float, BM, BN>(g, partial + group_dest, bias, plan, acc, first_row);
    else
        conv_finish<T, BM, BN>(g, dest + group_dest, bias, plan, acc, first_row);
}

#endif
