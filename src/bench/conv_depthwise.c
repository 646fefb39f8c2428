/* Depthwise convolution: kernels/conv_depthwise.h. */
#include <string.h>

#include "bench/conv_parts.h"
#include "kernels/conv_args.h"

/* What a kernel is made for. */
static const struct variant {
    const char *kernel;
    int stride; /* of a 3 x 3 filter without dilation; 0: anything */
    int rows;   /* elements of a thread, below each other */
    int cost;   /* of a multiply-add, about */
} variants[] = {
    { "depthwise_3x3_s1", 1, CONV_DEPTHWISE_ROWS, 2 },
    { "depthwise_3x3_s2", 2, CONV_DEPTHWISE_ROWS, 3 },
    { "depthwise_data_3x3_s2", 2, 1, 4 },
    { "depthwise_forward", 0, 1, 6 },
    { "depthwise_data", 0, 1, 10 },
    { "depthwise_weights", 0, 1, 4 },
};

static const struct variant *variant_of(const struct conv_algorithm *a)
{
    size_t i = 0;
    while (strcmp(variants[i].kernel, a->kernel) != 0)
        i++;
    return &variants[i];
}

static uint64_t pixels_of(const struct conv_shape *s)
{
    return (uint64_t)s->n * (uint64_t)conv_out_h(s) * (uint64_t)conv_out_w(s);
}

static unsigned tap_groups(const struct conv_shape *s)
{
    return conv_ceil_div((uint64_t)s->r * (uint64_t)s->s, CONV_DEPTHWISE_TAPS);
}

/* Pixels of each part of a backward-weights sum: parts until every SM has eight blocks, none so
 * short that a thread has less than eight pixels. */
static uint64_t split_pixels(const struct conv_shape *s, int sm_count)
{
    enum { BLOCKS = 8, LEAST = 8 * CONV_DEPTHWISE_THREADS };
    uint64_t room = (uint64_t)(sm_count > 0 ? sm_count : 1) * BLOCKS, pixels = pixels_of(s);
    uint64_t splits = room / ((uint64_t)s->k * tap_groups(s)), most = pixels / LEAST;
    if (splits > most)
        splits = most;
    return splits > 1 ? conv_ceil_div(pixels, splits) : pixels;
}

const char *conv_depthwise_unsupported(const struct conv_algorithm *a, const struct conv_shape *s)
{
    int stride = variant_of(a)->stride;
    if (s->groups != s->c)
        return "the groups are not single channels";
    if (stride && (s->r != 3 || s->s != 3 || s->dilation_h != 1 || s->dilation_w != 1))
        return "the filter is not 3x3 without dilation";
    if (stride && (s->stride_h != stride || s->stride_w != stride))
        return "it is made for another stride";
    if (stride == 1 && a->pass == CONV_BACKWARD_DATA && s->k != s->c)
        return "there are more output channels than input channels";
    if (a->pass == CONV_BACKWARD_WEIGHTS && !conv_grid_fits(1, (uint64_t)s->k, tap_groups(s)))
        return "too many channels";
    return NULL;
}

uint64_t conv_depthwise_workspace(const struct conv_algorithm *a, const struct conv_shape *s,
                                  int sm_count)
{
    if (a->pass != CONV_BACKWARD_WEIGHTS)
        return 0;
    unsigned splits = conv_ceil_div(pixels_of(s), split_pixels(s, sm_count));
    return splits > 1 ? splits * conv_weight_count(s) * sizeof(float) : 0;
}

double conv_depthwise_cost(const struct conv_algorithm *a, const struct conv_shape *s, int sm_count)
{
    double moved = (double)(conv_input_count(s) + conv_output_count(s)) * CONV_ELEMENT_COST;
    return CONV_LAUNCH_COST +
           (conv_flop(s) / 2 * variant_of(a)->cost + moved) / (sm_count > 0 ? sm_count : 1);
}

static int run_gather(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    const struct conv_algorithm *a = job->algorithm;
    const struct variant *variant = variant_of(a);
    bool backward = a->pass == CONV_BACKWARD_DATA, flip = backward && variant->stride == 1;
    int out_h = conv_out_h(s), out_w = conv_out_w(s);

    struct conv_depthwise_args g = {
        .images = s->n,
        .inputs = s->c,
        .multiplier = s->k / s->c,
        .input_h = flip ? out_h : s->h,
        .input_w = flip ? out_w : s->w,
        .output_h = flip ? s->h : out_h,
        .output_w = flip ? s->w : out_w,
        .filter_h = s->r,
        .filter_w = s->s,
        .stride_h = s->stride_h,
        .stride_w = s->stride_w,
        .pad_h = flip ? 2 - s->pad_h : s->pad_h,
        .pad_w = flip ? 2 - s->pad_w : s->pad_w,
        .dilation_h = s->dilation_h,
        .dilation_w = s->dilation_w,
        .flip = flip,
        .bias = job->options.bias,
        .relu = job->options.relu,
    };
    uint64_t dest = backward ? job->buffers->input : job->buffers->output;
    uint64_t source = backward ? job->buffers->output : job->buffers->input;
    uint64_t weights = job->buffers->weights, bias = job->buffers->bias;
    uint64_t planes = (uint64_t)s->n * (uint64_t)(backward ? s->c : s->k);
    uint64_t rows = (uint64_t)(backward ? s->h : out_h);
    uint64_t threads =
        planes * conv_ceil_div(rows, (uint64_t)variant->rows) * (uint64_t)(backward ? s->w : out_w);
    void *arguments[] = { &dest, &weights, &source, &bias, &g };
    const unsigned grid[3] = { conv_ceil_div(threads, CONV_DEPTHWISE_THREADS), 1, 1 };
    return conv_launch(job, a->kernel, grid, CONV_DEPTHWISE_THREADS, arguments, err);
}

static int run_weights(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    uint64_t part = split_pixels(s, job->gpu->device.sm_count);
    int splits = (int)conv_ceil_div(pixels_of(s), part);
    struct conv_weights_args g = conv_weights_arguments(s, splits, (int)part);
    uint64_t weights = job->buffers->weights, partial = job->buffers->workspace;
    uint64_t output = job->buffers->output, input = job->buffers->input;
    void *arguments[] = { &weights, &partial, &output, &input, &g };
    const unsigned grid[3] = { (unsigned)splits, (unsigned)s->k, tap_groups(s) };
    if (conv_launch(job, job->algorithm->kernel, grid, CONV_DEPTHWISE_THREADS, arguments, err))
        return -1;
    return splits > 1 ? conv_launch_sum(job, "depthwise_sum", splits, err) : 0;
}

int conv_depthwise_run(const struct conv_job *job, struct err *err)
{
    return job->algorithm->pass == CONV_BACKWARD_WEIGHTS ? run_weights(job, err)
                                                         : run_gather(job, err);
}
