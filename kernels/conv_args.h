/* What the convolution kernels are told; shared by the kernels and the host that launches them.
 * Counts and strides are elements; tensors have fewer than 2^31 of them. */
#ifndef KERNELS_CONV_ARGS_H
#define KERNELS_CONV_ARGS_H

/* Filters up to this many rows and columns go through the implicit GEMM: a bit each in a word. */
#define CONV_FILTER_MAX 15

/* Forward and backward-data as one operation: each of the destination's pixels sums over channels
 * and taps of the source. Source and destination are input and output forward, output and input
 * backward. */
struct conv_gather_args {
    int rows;                                  /* destination channels of a group */
    int slow;                                  /* source channels of a group */
    int filter_h, filter_w;                    /* R, S */
    int weight_row, weight_slow, weight_group; /* strides of the three in the weights */
    int source_h, source_w;
    int source_image, source_group;
    int images, dest_h, dest_w;
    int dest_image, dest_group;
    int stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    /* Backward: a destination pixel meets only those taps that fall on the stride, so that pixels
     * are taken apart into stride_h * stride_w classes, each with its own taps. */
    /* Forward, how the sum goes on: taps of the filter, and of them a step of 8 less whole rounds;
     * the stride of a source channel and of a step's whole rounds, in elements and in bytes. */
    int taps, step_tap;
    unsigned slow_units[2], step_units[2];
    int splits,
        split_slow; /* parts of the sum, and source channels of each; packed weights: of fours */
    int vector;     /* four pixels of the destination are aligned and in one row of memory */
    int bias, relu;
};

/* Backward-weights: rows are output channels, columns input channels times taps, and the sum runs
 * over the pixels of all images. */
struct conv_weights_args {
    int rows, columns; /* of a group */
    int filter_h, filter_w;
    int input_h, input_w, input_image, input_group;
    int images, output_h, output_w, output_image, output_group;
    int stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    int groups;
    int splits, split_pixels; /* pixels of each part of the sum, a multiple of the tile's step */
};

/* The second pass of a split sum: dest = relu(sum of parts + bias of the channel). */
struct conv_sum_args {
    int count, splits;
    int channels, area; /* for bias */
    int bias, relu;
};

enum { CONV_SUM_THREADS = 256 };

/* Depthwise: a group is one input channel, whose outputs are `multiplier` channels. */
struct conv_depthwise_args {
    int images, inputs, multiplier; /* inputs: channels */
    int input_h, input_w, output_h, output_w;
    int filter_h, filter_w;
    int stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    int flip; /* the filter is turned by 180 degrees: backward-data of stride 1 as forward */
    int bias, relu;
};

enum { CONV_DEPTHWISE_ROWS = 4, CONV_DEPTHWISE_TAPS = 9, CONV_DEPTHWISE_THREADS = 128 };

/* Winograd F(2x2,3x3): an output tile of 2 x 2 comes from an input tile of 4 x 4, as sixteen
 * products summed over input channels. */
struct conv_winograd_args {
    int images, inputs, outputs; /* channels */
    int input_h, input_w, output_h, output_w, pad_h, pad_w;
    int tiles_h, tiles_w; /* of an image */
    int bias, relu;
};

/* The input written out: a row for each input channel and tap, of all output pixels of an image. */
struct conv_im2col_args {
    int images, channels;
    int input_h, input_w, output_h, output_w;
    int filter_h, filter_w;
    int stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
};

enum { CONV_POINT_THREADS = 128 }; /* of a block of the kernels that move elements */

#endif
