/* Convolutions as the vendor's library computes them: as a matrix product whose second factor is
 * gathered on the way (any shape), by Winograd's transforms (3x3, stride 1), depthwise as a pass
 * over memory. The fastest one counts. */
#include <math.h>

#include "size/time_constants.h"
#include "size/time_parts.h"

#define TILES 7
/* Channels that one step of a tensor core kernel takes at once: fewer cost as much. */
#define TENSOR_CHANNELS 32
#define TENSOR_FILTERS  8
/* Batches below it are not worth the transforms to the library; they can be filled up to it. */
#define TRANSFORMED_BATCH 16
/* What a depthwise kernel reaches of the peak: every product needs loads of its own. Not from the
 * rows, which have none. */
#define DEPTHWISE_SPEED 0.25

/* The product that a pass is: m x k with k x n. */
struct product {
    double m, n, k;
};

static double or_one(int value)
{
    return value > 0 ? value : 1;
}

static double extent(int size, int pad, int filter, int dilation, int stride)
{
    double window = (filter - 1.0) * or_one(dilation) + 1;
    return floor((size + 2.0 * pad - window) / stride) + 1;
}

double time_conv_rows(const struct time_conv *conv)
{
    return extent(conv->h, conv->pad_h, conv->r, conv->dilation_h, conv->stride_h);
}

double time_conv_columns(const struct time_conv *conv)
{
    return extent(conv->w, conv->pad_w, conv->s, conv->dilation_w, conv->stride_w);
}

static double pixels(const struct time_conv *v)
{
    return time_conv_rows(v) * time_conv_columns(v) * v->n;
}

double time_conv_flop(const struct time_conv *v)
{
    return 2 * pixels(v) * v->k * v->c / or_one(v->groups) * v->r * v->s;
}

double time_conv_bytes(const struct time_model *model, const struct time_conv *v)
{
    double in = (double)v->n * v->c * v->h * v->w, out = pixels(v) * v->k;
    double weights = (double)v->k * v->c / or_one(v->groups) * v->r * v->s;
    return (in + out + weights) * time_precision_bytes(model->precision);
}

static double up_to(double value, double multiple)
{
    return ceil(value / multiple) * multiple;
}

static struct product product_of(const struct time_model *model, const struct time_conv *v)
{
    double c = v->c / or_one(v->groups), k = v->k / or_one(v->groups), window = (double)v->r * v->s;
    if (time_uses_tensor(model)) {
        c = up_to(c, TENSOR_CHANNELS);
        k = up_to(k, TENSOR_FILTERS);
    }
    switch (v->pass) {
    case TIME_BACKWARD_DATA:
        return (struct product){ c, (double)v->n * v->h * v->w / ((double)v->stride_h * v->stride_w),
                                 k * window };
    case TIME_BACKWARD_WEIGHTS:
        return (struct product){ k, c * window, pixels(v) };
    default:
        return (struct product){ k, pixels(v), c * window };
    }
}

static void list_tiles(struct time_tile tiles[TILES])
{
    static const int sizes[TILES][2] = { { 128, 128 }, { 128, 64 }, { 64, 128 }, { 64, 64 },
                                         { 32, 128 },  { 128, 32 }, { 64, 32 } };
    for (int i = 0; i < TILES; i++) {
        double speed = (sizes[i][0] < 128 ? time_constants.conv_small_tile : 1) *
                       (sizes[i][1] < 128 ? time_constants.conv_small_tile : 1);
        tiles[i] = (struct time_tile){ sizes[i][0], sizes[i][1], speed, 1 };
    }
}

/* `speed` is relative to the peak. */
static double fastest(const struct time_model *model, const struct product *p, double speed,
                      struct time_work *work)
{
    const struct time_card *card = &model->card;
    struct time_tile tiles[TILES];
    list_tiles(tiles);
    work->m = p->m;
    work->n = p->n;
    work->k = p->k;
    work->sms = card->sms;
    work->flop_per_ms = model->peak_gflops * 1e6 / card->sms * speed;
    work->bytes_per_ms = time_constants.conv_bandwidth * time_bytes_per_ms(card);
    work->tiles = tiles;
    work->tile_count = TILES;
    work->least_k = 32;
    work->whole_waves = true;
    work->fill_waves = time_constants.conv_fill_waves;
    return time_tile_fastest(work);
}

static double step_ms(const struct time_model *model, const struct time_conv *v)
{
    /* Weights: many short splits, which hide each other's waits on any card. */
    bool old = time_is_old(&model->card) && v->pass != TIME_BACKWARD_WEIGHTS;
    return (old ? time_constants.conv_step_old_ns : time_constants.conv_step_new_ns) * 1e-6;
}

/* The gradient of a strided convolution: every place sees a part of the window only, and kernels do
 * not skip all of the rest. */
static double waste(const struct time_conv *v)
{
    if (v->pass != TIME_BACKWARD_DATA)
        return 1;
    return pow((double)v->stride_w * v->stride_h, time_constants.conv_stride_waste);
}

static double gathered_speed(const struct time_model *model, const struct time_conv *v)
{
    const struct time_constants *c = &time_constants;
    if (v->pass != TIME_BACKWARD_WEIGHTS)
        return c->conv_speed / waste(v);
    double speed = v->r > 1 || v->s > 1 ? c->conv_weights_speed : c->conv_weights_1x1_speed;
    return time_uses_tensor(model) ? speed * c->conv_weights_tensor : speed;
}

static double gathered(const struct time_model *model, const struct time_conv *v)
{
    bool weights = v->pass == TIME_BACKWARD_WEIGHTS;
    struct product p = product_of(model, v);
    struct time_work work = {
        .count = or_one(v->groups),
        .step_ms = step_ms(model, v),
        .bytes = time_conv_bytes(model, v),
        .most_splits = weights                     ? 512
                       : time_is_old(&model->card) ? 1
                                                   : 8,
        .split_bytes = weights ? 2 * 4 * time_constants.conv_weights_traffic : 0,
        .sums_always = weights,
    };
    return fastest(model, &p, gathered_speed(model, v), &work);
}

/* Winograd's algorithm in one kernel, on 2x2 places at a time. */
static double fused(const struct time_model *model, const struct time_conv *v)
{
    struct product p = product_of(model, v);
    p.n = v->n * up_to(time_conv_rows(v), 2) * up_to(time_conv_columns(v), 2);
    p.k /= time_constants.conv_fused_gain;
    struct time_work work = { .count = 1,
                              .step_ms = step_ms(model, v),
                              .bytes = time_conv_bytes(model, v),
                              .most_splits = 1 };
    return fastest(model, &p, time_constants.conv_speed, &work);
}

/* The same with transforms of 4x4 places that go through memory, and 36 products in between. */
static double transformed(const struct time_model *model, const struct time_conv *v)
{
    double places = v->n * up_to(time_conv_rows(v), 4) / 4 * up_to(time_conv_columns(v), 4) / 4;
    bool weights = v->pass == TIME_BACKWARD_WEIGHTS;
    double to = v->pass == TIME_BACKWARD_DATA ? v->c : v->k, from = v->c + v->k - to;
    struct product p = weights ? (struct product){ to, 36 * from, places }
                               : (struct product){ to, 36 * places, from };
    struct time_work work = { .count = 1,
                              .step_ms = step_ms(model, v),
                              .most_splits = weights ? 64 : 1 };
    double ms = fastest(model, &p, time_constants.conv_transformed_speed, &work);
    double bytes = time_precision_bytes(model->precision) * 36 * places * (from + to) * 2 *
                   time_constants.conv_transformed_traffic;
    return ms + (bytes + time_conv_bytes(model, v)) / work.bytes_per_ms;
}

static bool has_winograd(const struct time_model *model, const struct time_conv *v)
{
    return model->precision == TIME_FP32 && v->r == 3 && v->s == 3 && v->stride_w == 1 &&
           v->stride_h == 1 && or_one(v->groups) <= 1 && or_one(v->dilation_w) <= 1 &&
           or_one(v->dilation_h) <= 1;
}

/* A smaller batch can be filled up with zeros, so that no batch takes longer than a larger one. */
static double filled(const struct time_model *model, const struct time_conv *v)
{
    struct time_conv more = *v;
    if (v->pass != TIME_BACKWARD_WEIGHTS && v->n < TRANSFORMED_BATCH)
        more.n = TRANSFORMED_BATCH;
    return transformed(model, &more);
}

static double dense(const struct time_model *model, const struct time_conv *v)
{
    bool weights = v->pass == TIME_BACKWARD_WEIGHTS;
    double ms = gathered(model, v);
    if (!has_winograd(model, v))
        return ms;
    if (!weights)
        ms = fmin(ms, fused(model, v));
    /* Older cards use it rarely. */
    if (!time_is_old(&model->card))
        ms = fmin(ms, filled(model, v));
    return ms;
}

static double depthwise(const struct time_model *model, const struct time_conv *v)
{
    double bytes_per_ms = time_constants.conv_bandwidth * time_bytes_per_ms(&model->card);
    return time_both(time_conv_bytes(model, v) / bytes_per_ms,
                     time_conv_flop(v) / (model->peak_gflops * 1e6 * DEPTHWISE_SPEED));
}

double time_conv_ms(const struct time_model *model, const struct time_conv *conv)
{
    double call_ms = (model->card.launch_us + time_constants.conv_call_us) * 1e-3;
    bool by_channel = conv->groups > 1 && conv->groups == conv->c;
    return call_ms + (by_channel ? depthwise(model, conv) : dense(model, conv));
}
