/* What the bandwidth kernels are told; shared by the kernels and the host that launches them.
 * Tensors are NCHW; counts are elements, below 2^30. */
#ifndef KERNELS_LAYERS_ARGS_H
#define KERNELS_LAYERS_ARGS_H

enum { LAYERS_THREADS = 128, LAYERS_EACH = 4 }; /* of a block; elements of a thread */

/* Element by element: dest = relu(source * scale[channel] + shift[channel]), no more than `most`, or
 * relu(source + other). */
struct layers_point_args {
    int count, channels, area; /* of all; area: h * w */
    int packed;                /* four at a time: area (of a sum: count) is a multiple of four */
    int relu;
    float most; /* infinity: no bound; not of a sum */
};

struct layers_pool_args {
    int planes; /* n * c */
    int input_h, input_w, output_h, output_w;
    int window_h, window_w, stride_h, stride_w, pad_h, pad_w;
    int count_padding; /* an average's divisor is the window's size, else what of it lies inside */
};

#endif
