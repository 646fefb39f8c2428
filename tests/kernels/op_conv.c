/* Convolutions: every kernel, with each dimension of its tile once 1, a prime, a tile less one, a
 * tile, a tile and one, two tiles and three; then strides, padding, dilation, groups and odd
 * filters; bias and ReLU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/conv.h"
#include "bench/reference.h"
#include "kernels.h"

struct conv_case {
    const struct conv_algorithm *algorithm;
    struct conv_shape shape;
    struct conv_options options;
};

static const char *text_of(const struct conv_case *c)
{
    static char text[256];
    const struct conv_shape *s = &c->shape;
    snprintf(text, sizeof text,
             "%s (%s, %s), input %dx%dx%dx%d, weights %dx%dx%d, pad %d,%d stride %d,%d dilation "
             "%d,%d groups %d%s%s",
             c->algorithm->name, bench_precision_name(c->algorithm->precision),
             conv_pass_name(c->algorithm->pass), s->n, s->c, s->h, s->w, s->k, s->r, s->s, s->pad_h,
             s->pad_w, s->stride_h, s->stride_w, s->dilation_h, s->dilation_w, s->groups,
             c->options.bias ? ", bias" : "", c->options.relu ? ", relu" : "");
    return text;
}

/* ---- one case ----------------------------------------------------------------------------------
 */

enum { INPUT, WEIGHTS, OUTPUT, TENSORS };

/* Which of the three a pass writes. */
static int result_of(enum conv_pass pass)
{
    return pass == CONV_FORWARD ? OUTPUT : pass == CONV_BACKWARD_DATA ? INPUT : WEIGHTS;
}

struct operands {
    float *values[TENSORS], *bias;
    struct kernels_buffer buffers[TENSORS], bias_buffer, workspace;
};

static void prepare(struct kernels *k, const struct conv_case *c, struct operands *o)
{
    enum number number = number_of(c->algorithm->precision);
    const uint64_t counts[TENSORS] = { conv_input_count(&c->shape), conv_weight_count(&c->shape),
                                       conv_output_count(&c->shape) };
    for (int t = 0; t < TENSORS; t++) {
        size_t bytes = counts[t] * number_bytes(number);
        void *packed = kernels_memory(counts[t], number_bytes(number));
        o->values[t] = kernels_memory(counts[t], sizeof(float));
        reference_fill(o->values[t], counts[t], number, (uint64_t)t + 1);
        number_pack(number, o->values[t], counts[t], packed);
        bool written = t == result_of(c->algorithm->pass);
        kernels_buffer_new(k, &o->buffers[t], bytes, 0, written ? NULL : packed);
        free(packed);
    }
    size_t channels = (size_t)c->shape.k;
    o->bias = kernels_memory(channels, sizeof(float));
    reference_fill(o->bias, channels, NUMBER_F32, 9);
    kernels_buffer_new(k, &o->bias_buffer, channels * sizeof(float), 0, o->bias);
    kernels_buffer_new(k, &o->workspace,
                       conv_workspace_bytes(c->algorithm, &c->shape, k->gpu.device.sm_count), 0,
                       NULL);
}

static void release(struct kernels *k, struct operands *o)
{
    for (int t = 0; t < TENSORS; t++) {
        kernels_buffer_free(k, &o->buffers[t]);
        free(o->values[t]);
    }
    kernels_buffer_free(k, &o->bias_buffer);
    kernels_buffer_free(k, &o->workspace);
    free(o->bias);
}

static void compare(struct kernels *k, const struct conv_case *c, const struct operands *o,
                    const void *got, bool guards)
{
    enum conv_pass pass = c->algorithm->pass;
    enum number number = number_of(c->algorithm->precision);
    struct reference_conv want = { .shape = c->shape,
                                   .pass = pass,
                                   .x = o->values[INPUT],
                                   .w = o->values[WEIGHTS],
                                   .y = o->values[OUTPUT],
                                   .bias = c->options.bias ? o->bias : NULL,
                                   .relu = c->options.relu };
    size_t count = reference_conv_count(&c->shape, pass);
    struct reference_bound bound =
        reference_bound(c->algorithm->precision, reference_conv_terms(&c->shape, pass), number);
    bound.relative *= conv_error_factor(c->algorithm);
    /* The first rounding is one of the sum, which is at most that of the absolute products. */
    if (conv_rounds_twice(c->algorithm, c->options.bias))
        bound.relative += bound.output;
    struct reference_error error = { 0 };
    size_t *index = kernels_memory(count, sizeof *index);
    for (size_t i = 0; i < count; i++)
        index[i] = i;
    reference_check_conv(&want, &bound, number, got, index, count, &error);
    kernels_result(k, error.wrong == 0 && guards, "%s: %zu of %zu wrong, at %zu %g for %g%s",
                   text_of(c), error.wrong, count, error.worst, error.got, error.want,
                   guards ? "" : ", and written outside");
    free(index);
}

static void run_case(struct kernels *k, const struct conv_case *c)
{
    struct operands o;
    struct err err = { 0 };
    prepare(k, c, &o);
    const struct conv_buffers buffers = { .input = o.buffers[INPUT].address,
                                          .weights = o.buffers[WEIGHTS].address,
                                          .output = o.buffers[OUTPUT].address,
                                          .bias = o.bias_buffer.address,
                                          .workspace = o.workspace.address,
                                          .workspace_bytes = o.workspace.bytes };
    if (conv_run(&k->gpu, c->algorithm, &c->shape, &buffers, &c->options, &err) ||
        gpu_wait(&k->gpu, &err))
        kernels_give_up(k, &err, text_of(c));

    const struct kernels_buffer *to = &o.buffers[result_of(c->algorithm->pass)];
    void *got = kernels_memory(to->bytes, 1), *sums = kernels_memory(o.workspace.bytes, 1);
    bool guards = kernels_buffer_read(k, to, got);
    guards = kernels_buffer_read(k, &o.workspace, sums) && guards;
    compare(k, c, &o, got, guards);
    free(got);
    free(sums);
    release(k, &o);
}

/* ---- shapes by the tile
 * -------------------------------------------------------------------------- */

enum { CLASSES = 6 };

/* The extent of a class, in multiples of `unit`. */
static int extent(int class, int tile, int unit)
{
    const int t = tile / unit, prime = t > 37 ? 37 : t > 13 ? 13 : t > 5 ? 5 : 3;
    const int extents[CLASSES] = { 1, prime, t - 1, t, t + 1, 2 * t + 3 };
    const int chosen = extents[class % CLASSES];
    return unit * (chosen > 0 ? chosen : 1);
}

/* `count` as images times rows times columns. */
static void divide(int count, int *n, int *h, int *w)
{
    *n = count % 2 == 0 && count > 8 ? 2 : count % 3 == 0 ? 3 : 1;
    count /= *n;
    *h = 1;
    for (int i = 2; i * i <= count; i++)
        if (count % i == 0)
            *h = i;
    *w = count / *h;
}

/* `count` as channels times a filter. */
static void filter_of(int count, int *channels, int *r, int *s)
{
    static const int filters[][2] = { { 3, 3 }, { 1, 7 }, { 5, 1 }, { 2, 2 }, { 1, 3 }, { 1, 1 } };
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        *r = filters[i][0];
        *s = filters[i][1];
        *channels = count / (*r * *s);
        if (count % (*r * *s) == 0)
            return;
    }
}

/* Padding that keeps the size, as far as it can be kept: the input is as large as the output or
 * larger. */
static int padding(int filter)
{
    return (filter - 1) / 2;
}

/* Depthwise: planes whose rows are in one class of the tile's, and all elements in one of the
 * block's. */
static struct conv_shape depthwise_of(const struct conv_algorithm *a, int number)
{
    int stride = strstr(a->name, "s2") ? 2 : 1, planes;
    struct conv_shape s = { .r = 3,
                            .s = 3,
                            .pad_h = 1,
                            .pad_w = 1,
                            .stride_h = stride,
                            .stride_w = stride,
                            .dilation_h = 1,
                            .dilation_w = 1 };
    divide(extent(number + 2, a->threads, 1), &s.n, &planes, &s.w);
    s.c = s.groups = planes;
    s.k = number % 2 && a->pass != CONV_BACKWARD_DATA ? 2 * planes : planes;
    s.h = stride * (extent(number, 2 * a->tile_m, 1) - 1) + number % stride + 1;
    s.w = stride * (s.w - 1) + 1;
    return s;
}

/* Pointwise: pixels, outputs and inputs by a GEMM's tile of 64 x 64. Winograd, im2col: channels by
 * a small tile, and a row of tiles or pixels by their block. */
static struct conv_shape product_of(const struct conv_algorithm *a, int number)
{
    bool pointwise = a->method == CONV_POINTWISE, winograd = a->method == CONV_WINOGRAD;
    int channels = pointwise ? 64 : 8;
    struct conv_shape s = {
        .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1
    };
    s.r = s.s = pointwise ? 1 : 3;
    s.pad_h = s.pad_w = pointwise ? 0 : 1;
    s.k = extent(number, channels, 1);
    s.c = extent(number + 4, pointwise ? 16 : channels, 1);
    divide(extent(number + 3, pointwise ? 64 : a->threads, 1), &s.n, &s.h, &s.w);
    if (winograd) {
        s.h = 2 * s.h - number % 2;
        s.w = 2 * s.w - number % 3 / 2;
    }
    return s;
}

/* A stride-1 convolution whose GEMM has these dimensions. */
static struct conv_shape shape_of(enum conv_pass pass, int rows, int columns, int sum)
{
    struct conv_shape s = {
        .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1
    };
    int h, w;
    if (pass == CONV_BACKWARD_WEIGHTS) {
        s.k = rows;
        filter_of(columns, &s.c, &s.r, &s.s);
        divide(sum, &s.n, &h, &w);
    } else {
        *(pass == CONV_FORWARD ? &s.k : &s.c) = rows;
        filter_of(sum, pass == CONV_FORWARD ? &s.c : &s.k, &s.r, &s.s);
        divide(columns, &s.n, &h, &w);
    }
    s.pad_h = padding(s.r);
    s.pad_w = padding(s.s);
    /* h x w is the output's size, or backward-data the input's, whose output must not vanish. */
    s.h = h;
    s.w = w;
    if (pass != CONV_BACKWARD_DATA) {
        s.h += s.r - 1 - 2 * s.pad_h;
        s.w += s.s - 1 - 2 * s.pad_w;
    }
    return s;
}

static struct conv_shape class_of(const struct conv_algorithm *a, int number)
{
    bool packed = a->pass == CONV_FORWARD && a->threads == 256;
    if (a->method == CONV_DEPTHWISE)
        return depthwise_of(a, number);
    if (a->method != CONV_IMPLICIT)
        return product_of(a, number);
    return shape_of(a->pass, extent(number, a->tile_m, 1), extent(number + 3, a->tile_n, 1),
                    extent(number + 4, packed ? 4 * a->tile_k : a->tile_k, packed ? 4 : 1));
}

/* ---- shapes by the geometry
 * ---------------------------------------------------------------------- */

static const struct conv_shape geometries[] = {
    /* n  c   h   w   k   r  s  pad   stride dilation groups */
    { 2, 3, 11, 13, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1 },   /* a first layer's channels */
    { 1, 4, 15, 14, 6, 3, 3, 1, 1, 2, 2, 1, 1, 1 },   /* stride 2 */
    { 2, 3, 23, 21, 4, 7, 7, 3, 3, 2, 2, 1, 1, 1 },   /* ResNet's first */
    { 1, 8, 9, 10, 12, 1, 1, 0, 0, 2, 2, 1, 1, 1 },   /* most pixels meet no tap */
    { 1, 4, 12, 9, 4, 3, 3, 2, 2, 1, 1, 2, 2, 1 },    /* dilation */
    { 2, 6, 10, 11, 4, 3, 2, 0, 2, 3, 1, 1, 3, 2 },   /* everything unequal, groups */
    { 1, 12, 7, 7, 12, 3, 3, 1, 1, 1, 1, 1, 1, 3 },   /* groups */
    { 1, 2, 16, 15, 3, 4, 5, 1, 3, 3, 4, 2, 2, 1 },   /* strides that divide nothing */
    { 3, 2, 8, 8, 2, 5, 5, 4, 4, 2, 2, 1, 1, 1 },     /* padding of a whole filter */
    { 1, 2, 19, 17, 2, 15, 13, 7, 6, 1, 1, 1, 1, 1 }, /* the largest filter */
    { 1, 2, 6, 5, 3, 3, 3, 5, 4, 1, 1, 1, 1, 1 },     /* outputs that see padding only */
    { 4, 3, 21, 20, 5, 3, 3, 1, 1, 1, 1, 1, 1, 1 },   /* a sum over pixels that is split */
    { 2, 4, 4, 33, 4, 1, 3, 0, 1, 1, 2, 1, 1, 1 },    /* rows of odd length */
    { 1, 5, 3, 3, 7, 3, 3, 0, 0, 1, 1, 1, 1, 1 },     /* one output pixel */
    { 2, 48, 5, 6, 52, 3, 3, 1, 1, 1, 1, 1, 1, 1 },   /* sums over channels that are split */
    { 1, 68, 9, 8, 88, 2, 2, 0, 1, 2, 2, 1, 1, 2 },
    { 1, 67, 4, 7, 71, 3, 1, 1, 0, 1, 2, 1, 1, 1 },
    /* depthwise */
    { 2, 5, 11, 10, 5, 3, 3, 0, 2, 1, 1, 1, 1, 5 },
    { 1, 7, 9, 9, 21, 3, 3, 1, 1, 1, 1, 1, 1, 7 }, /* several outputs of each channel */
    { 2, 3, 14, 15, 3, 3, 3, 1, 0, 2, 2, 1, 1, 3 },
    { 1, 4, 13, 12, 8, 3, 3, 2, 1, 2, 2, 1, 1, 4 },
    { 1, 3, 17, 16, 6, 5, 4, 2, 2, 3, 2, 1, 2, 3 },
    { 3, 2, 33, 31, 2, 3, 3, 1, 1, 1, 1, 1, 1, 2 }, /* backward-weights in splits */
    { 2, 2, 50, 40, 4, 5, 5, 2, 2, 1, 2, 2, 1, 2 },
    { 1, 3, 2, 1, 3, 3, 3, 3, 3, 1, 1, 1, 1, 3 }, /* more padding than image */
    /* pointwise */
    { 3, 5, 7, 6, 9, 1, 1, 0, 0, 1, 1, 1, 1, 1 },
    { 2, 8, 5, 5, 12, 1, 1, 0, 0, 1, 1, 1, 1, 4 },
    { 1, 70, 9, 9, 66, 1, 1, 0, 0, 1, 1, 1, 1, 1 },
    /* Winograd: outputs of even and odd sides, with and without padding */
    { 2, 9, 10, 7, 11, 3, 3, 1, 1, 1, 1, 1, 1, 1 },
    { 1, 16, 8, 9, 5, 3, 3, 0, 2, 1, 1, 1, 1, 1 },
    { 3, 2, 5, 33, 17, 3, 3, 2, 0, 1, 1, 1, 1, 1 },
};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };

/* ---- which run
 * ----------------------------------------------------------------------------------- */

/* A case in so many is run without SMFIT_FULL; which ones differs by target, so that all targets
 * together have run nearly all. */
enum { SAMPLE = 2 };

static void run_algorithm(struct kernels *k, const struct conv_algorithm *a, int turn)
{
    int ran = 0;
    for (int number = 0; number < CLASSES + GEOMETRIES; number++) {
        struct conv_case c = { .algorithm = a };
        if (!k->full && (number + turn) % SAMPLE != 0)
            continue;
        c.shape = number < CLASSES ? class_of(a, number) : geometries[number - CLASSES];
        c.options.bias = a->pass == CONV_FORWARD && (number + turn) % 2;
        c.options.relu = a->pass == CONV_FORWARD && (number + turn) % 3 == 0;
        if (!conv_unsupported(a, &c.shape)) {
            run_case(k, &c);
            ran++;
        }
    }
    if (k->full)
        kernels_result(k, ran >= 3, "%s of %s: %d cases only", a->name, conv_pass_name(a->pass),
                       ran);
}

/* The images that decide whether it is run. */
static const char *family_of(const struct conv_algorithm *a)
{
    return a->family[0] ? a->family : a->precision == BENCH_FP32 ? "gemm_f32" : "gemm_f16s";
}

void kernels_cases(struct kernels *k)
{
    size_t count;
    const struct conv_algorithm *all = conv_algorithms(&count);
    for (size_t i = 0; i < count; i++)
        if (kernels_family(k, family_of(&all[i]), (unsigned)all[i].lowest))
            run_algorithm(k, &all[i], (int)(i + k->target));
}
