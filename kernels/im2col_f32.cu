/* The input of a convolution as a matrix, fp32; with a GEMM behind it, what the other kernels are
 * compared to.
 *
 *   column[image][channel][tap][pixel]: the input where `pixel` sees it under `tap`, else zero
 *
 * A thread an element along the pixels, blockIdx.y = channel * taps + tap, blockIdx.z = image. */
#include "conv_args.h"
#include "conv_store.h"

extern "C" __global__ void __launch_bounds__(CONV_POINT_THREADS)
    im2col(float *__restrict__ column, const float *__restrict__ input, const conv_im2col_args a)
{
    const int i = blockIdx.x * CONV_POINT_THREADS + threadIdx.x;
    const int area = a.output_h * a.output_w, taps = a.filter_h * a.filter_w;
    if (i >= area)
        return;
    const int channel = blockIdx.y / taps, tap = blockIdx.y % taps;
    const int h = i / a.output_w * a.stride_h - a.pad_h + tap / a.filter_w * a.dilation_h;
    const int w = i % a.output_w * a.stride_w - a.pad_w + tap % a.filter_w * a.dilation_w;
    const int from = ((blockIdx.z * a.channels + channel) * a.input_h + h) * a.input_w + w;
    column[(blockIdx.z * gridDim.y + blockIdx.y) * area + i] =
        conv_load_within(input + from, h, a.input_h, w, a.input_w, 1);
}
