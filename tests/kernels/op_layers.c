/* The layers between convolutions: element counts around a block's 512 and a warp's 32, planes
 * whose size is and is not a multiple of four, windows at every border; in place where that is
 * allowed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/layers.h"
#include "bench/reference.h"
#include "kernels.h"

struct layer_case {
    enum bench_layer op;
    enum bench_precision precision;
    struct layer_shape shape;
    bool in_place;
};

static const char *text_of(const struct layer_case *c)
{
    static char text[200];
    const struct layer_shape *s = &c->shape;
    snprintf(text, sizeof text, "%s %s, input %dx%dx%dx%d, window %dx%d stride %d,%d pad %d,%d%s%s",
             layer_family(c->precision), layer_name(c->op), s->n, s->c, s->h, s->w, s->window_h,
             s->window_w, s->stride_h, s->stride_w, s->pad_h, s->pad_w,
             s->count_padding ? ", padding counts" : "", c->in_place ? ", in place" : "");
    return text;
}

/* ---- what is right
 * ------------------------------------------------------------------------------- */

struct operands {
    float *input, *other, *scale, *shift;
};

static double relu(double v)
{
    return v < 0 ? 0 : v;
}

static struct reference_value point(const struct layer_case *c, const struct operands *o, size_t i)
{
    size_t channel = i / ((size_t)c->shape.h * (size_t)c->shape.w) % (size_t)c->shape.c;
    double x = (double)o->input[i], scale = (double)o->scale[channel];
    double shift = (double)o->shift[channel], other = (double)o->other[i];
    switch (c->op) {
    case BENCH_LAYER_BIAS:
        return (struct reference_value){ x + shift, fabs(x) + fabs(shift) };
    case BENCH_LAYER_BIAS_RELU:
        return (struct reference_value){ relu(x + shift), fabs(x) + fabs(shift) };
    case BENCH_LAYER_BATCH_NORM:
        return (struct reference_value){ x * scale + shift, fabs(x * scale) + fabs(shift) };
    case BENCH_LAYER_BATCH_NORM_RELU:
        return (struct reference_value){ relu(x * scale + shift), fabs(x * scale) + fabs(shift) };
    case BENCH_LAYER_BATCH_NORM_RELU6:
        return (struct reference_value){ fmin(relu(x * scale + shift), 6),
                                         fabs(x * scale) + fabs(shift) };
    case BENCH_LAYER_ADD:
        return (struct reference_value){ x + other, fabs(x) + fabs(other) };
    default:
        return (struct reference_value){ relu(x + other), fabs(x) + fabs(other) };
    }
}

/* The window at output row p, column q of a plane. */
static struct reference_value window(const struct layer_case *c, const float *plane, int p, int q)
{
    const struct layer_shape *s = &c->shape;
    double most = -HUGE_VAL, sum = 0, magnitude = 0;
    int inside = 0;
    for (int r = 0; r < s->window_h; r++)
        for (int t = 0; t < s->window_w; t++) {
            int h = p * s->stride_h - s->pad_h + r, w = q * s->stride_w - s->pad_w + t;
            if (h < 0 || h >= s->h || w < 0 || w >= s->w)
                continue;
            double x = (double)plane[h * s->w + w];
            most = fmax(most, x);
            sum += x;
            magnitude += fabs(x);
            inside++;
        }
    if (c->op == BENCH_LAYER_MAX_POOL)
        return (struct reference_value){ most, 0 };
    int size = s->count_padding ? s->window_h * s->window_w : inside;
    return (struct reference_value){ sum / size, magnitude / size };
}

static struct reference_value mean(const struct layer_case *c, const float *plane)
{
    int area = c->shape.h * c->shape.w;
    struct reference_value v = { 0, 0 };
    for (int i = 0; i < area; i++) {
        v.value += (double)plane[i] / area;
        v.scale += fabs((double)plane[i]) / area;
    }
    return v;
}

static struct reference_value right(const struct layer_case *c, const struct operands *o, size_t i)
{
    const struct layer_shape *s = &c->shape;
    size_t area = (size_t)s->h * (size_t)s->w;
    if (c->op == BENCH_LAYER_GLOBAL_POOL)
        return mean(c, o->input + i * area);
    if (c->op != BENCH_LAYER_MAX_POOL && c->op != BENCH_LAYER_AVERAGE_POOL)
        return point(c, o, i);
    size_t out = layer_output_count(c->op, s) / ((size_t)s->n * (size_t)s->c);
    int columns = (s->w + 2 * s->pad_w - s->window_w) / s->stride_w + 1;
    int at = (int)(i % out);
    return window(c, o->input + i / out * area, at / columns, at % columns);
}

/* ---- one case
 * ------------------------------------------------------------------------------------ */

/* From -most to most; a power of two leaves all values what their format can hold. */
static float *operand(struct kernels *k, enum number number, size_t count, float most,
                      uint64_t seed, struct kernels_buffer *buffer)
{
    float *values = kernels_memory(count, sizeof *values);
    void *packed = kernels_memory(count, number_bytes(number));
    reference_fill(values, count, number, seed);
    for (size_t i = 0; i < count; i++)
        values[i] *= most;
    number_pack(number, values, count, packed);
    kernels_buffer_new(k, buffer, count * number_bytes(number), 0, packed);
    free(packed);
    return values;
}

static void compare(struct kernels *k, const struct layer_case *c, const struct operands *o,
                    const void *got, bool guards)
{
    enum number number = number_of(c->precision);
    size_t count = layer_output_count(c->op, &c->shape);
    struct reference_bound bound = reference_bound(c->precision, c->shape.h * c->shape.w, number);
    struct reference_error error = { 0 };
    if (c->op == BENCH_LAYER_MAX_POOL) /* one of the inputs, as it was stored */
        bound = (struct reference_bound){ 0 };
    for (size_t i = 0; i < count; i++)
        reference_compare(&error, &bound, i, right(c, o, i), number_read(number, got, i));
    kernels_result(k, error.wrong == 0 && guards, "%s: %zu of %zu wrong, at %zu %g for %g%s",
                   text_of(c), error.wrong, count, error.worst, error.got, error.want,
                   guards ? "" : ", and written outside");
}

static void run_case(struct kernels *k, const struct layer_case *c)
{
    enum number number = number_of(c->precision);
    size_t inputs = layer_input_count(&c->shape), outputs = layer_output_count(c->op, &c->shape);
    size_t channels = (size_t)c->shape.c;
    struct kernels_buffer input, other, scale, shift, output = { 0 };
    float most = c->op == BENCH_LAYER_BATCH_NORM_RELU6 ? 32 : 1; /* so that 6 is passed */
    struct operands o = { .input = operand(k, number, inputs, 1, 1, &input),
                          .other = operand(k, number, inputs, 1, 2, &other),
                          .scale = operand(k, NUMBER_F32, channels, most, 3, &scale),
                          .shift = operand(k, NUMBER_F32, channels, 1, 4, &shift) };
    struct err err = { 0 };
    if (!c->in_place)
        kernels_buffer_new(k, &output, outputs * number_bytes(number), 0, NULL);
    struct kernels_buffer *to = c->in_place ? &input : &output;
    const struct layer_buffers buffers = { .input = input.address,
                                           .other = other.address,
                                           .output = to->address,
                                           .scale = scale.address,
                                           .shift = shift.address };
    if (layer_run(&k->gpu, c->op, c->precision, &c->shape, &buffers, &err) ||
        gpu_wait(&k->gpu, &err))
        kernels_give_up(k, &err, text_of(c));

    void *got = kernels_memory(to->bytes, 1);
    bool guards = kernels_buffer_read(k, to, got);
    compare(k, c, &o, got, guards);
    struct kernels_buffer *all[] = { &input, &other, &scale, &shift, &output };
    for (size_t i = 0; i < (c->in_place ? 4 : 5); i++)
        kernels_buffer_free(k, all[i]);
    free(o.input), free(o.other), free(o.scale), free(o.shift), free(got);
}

/* ---- which
 * --------------------------------------------------------------------------------------- */

static const struct layer_shape shapes[] = {
    /* n  c  h   w  window stride pad */
    { 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, false },
    { 1, 3, 7, 5, 3, 2, 2, 1, 1, 0, true },
    { 2, 5, 8, 6, 2, 2, 2, 2, 0, 0, false },
    { 1, 7, 1, 73, 1, 3, 1, 2, 0, 1, false },  /* 511 elements */
    { 2, 4, 8, 8, 3, 3, 2, 2, 1, 1, false },   /* 512 */
    { 1, 27, 19, 1, 5, 1, 3, 1, 2, 0, true },  /* 513 */
    { 3, 13, 3, 9, 3, 3, 1, 1, 1, 1, true },   /* 1053 */
    { 1, 3, 31, 1, 2, 1, 1, 1, 1, 0, false },  /* planes around a warp: 31 */
    { 1, 5, 4, 8, 3, 5, 3, 4, 2, 4, false },   /* 32 */
    { 2, 2, 3, 11, 3, 2, 5, 7, 0, 1, true },   /* 33 */
    { 1, 9, 67, 1, 7, 1, 1, 1, 6, 0, false },  /* 2 * 32 + 3 */
    { 2, 6, 9, 12, 9, 12, 1, 1, 0, 0, false }, /* a window as large as the input */
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

void kernels_cases(struct kernels *k)
{
    static const enum bench_precision precisions[] = { BENCH_FP32, BENCH_FP16S };
    for (int p = 0; p < 2; p++) {
        if (!kernels_family(k, layer_family(precisions[p]), 35))
            continue;
        for (int op = 0; op < BENCH_LAYER_COUNT; op++)
            for (int i = 0; i < SHAPES; i++) {
                struct layer_case c = { (enum bench_layer)op, precisions[p], shapes[i], false };
                if (!k->full && (i + op + (int)k->target) % 4 != 0)
                    continue;
                run_case(k, &c);
                c.in_place = op < BENCH_LAYER_MAX_POOL;
                if (c.in_place)
                    run_case(k, &c);
            }
    }
}
