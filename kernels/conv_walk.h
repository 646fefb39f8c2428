/* How backward-weights go through the pixels that they sum over. */
#ifndef KERNELS_CONV_WALK_H
#define KERNELS_CONV_WALK_H

#include "conv_args.h"

/* A place in the sum: an output pixel, in the input's coordinates, that goes on by a fixed number.
 * Offsets are carried along, in units (conv_unit), so that the loop does not multiply. */
struct conv_pixel_walk {
    int h, w; /* the pixel's, times stride */
    unsigned output, input;

    int step_h, step_w, end_h, end_w, stride_h;
    unsigned step_output, step_input;   /* of a step, when nothing wraps */
    unsigned row_input;                 /* more, at the end of a row */
    unsigned image_output, image_input; /* more, at the end of an image */

    __device__ __forceinline__ void start(const conv_weights_args &g, int first, int step,
                                          unsigned unit)
    {
        end_h = g.output_h * g.stride_h;
        end_w = g.output_w * g.stride_w;
        stride_h = g.stride_h;
        place(g, step, unit);
        step_h = h;
        step_w = w;
        step_output = output;
        step_input = input;
        row_input = (g.stride_h * g.input_w - end_w) * unit;
        image_output = (g.output_image - g.output_h * g.output_w) * unit;
        image_input = (g.input_image - end_h * g.input_w) * unit;
        place(g, first, unit);
    }
    __device__ __forceinline__ void place(const conv_weights_args &g, int pixel, unsigned unit)
    {
        const int area = g.output_h * g.output_w, image = pixel / area;
        const int p = pixel % area / g.output_w, q = pixel % area % g.output_w;
        h = p * g.stride_h;
        w = q * g.stride_w;
        output = (image * g.output_image + p * g.output_w + q) * unit;
        input = (image * g.input_image + h * g.input_w + w) * unit;
    }
    __device__ __forceinline__ void advance()
    {
        h += step_h;
        w += step_w;
        output += step_output;
        input += step_input;
        if (w >= end_w) {
            w -= end_w;
            h += stride_h;
            input += row_input;
        }
        if (h >= end_h) {
            h -= end_h;
            output += image_output;
            input += image_input;
        }
    }
};

#endif
