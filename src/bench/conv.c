#include "bench/conv.h"

#include <string.h>

#include "bench/conv_parts.h"

static const struct {
    const char *name;
    const char *(*unsupported)(const struct conv_algorithm *, const struct conv_shape *);
    uint64_t (*workspace)(const struct conv_algorithm *, const struct conv_shape *, int sm_count);
    double (*cost)(const struct conv_algorithm *, const struct conv_shape *, int sm_count);
    int (*run)(const struct conv_job *, struct err *);
    double error_factor;
} methods[CONV_METHOD_COUNT] = {
#define METHOD(name, factor)                                                                       \
    {                                                                                              \
#name, conv_##name##_unsupported, conv_##name##_workspace, conv_##name##_cost,             \
            conv_##name##_run, factor                                                              \
    }
    [CONV_IMPLICIT] = METHOD(implicit, 1),   [CONV_POINTWISE] = METHOD(pointwise, 1),
    [CONV_DEPTHWISE] = METHOD(depthwise, 1), [CONV_WINOGRAD] = METHOD(winograd, 2),
    [CONV_IM2COL] = METHOD(im2col, 1),
};

const struct conv_algorithm *conv_algorithms(size_t *count)
{
    *count = conv_table_count;
    return conv_table;
}

const struct conv_algorithm *conv_find(const char *name, enum conv_pass pass,
                                       enum bench_precision precision)
{
    for (size_t i = 0; i < conv_table_count; i++)
        if (conv_table[i].pass == pass && conv_table[i].precision == precision &&
            strcmp(conv_table[i].name, name) == 0)
            return &conv_table[i];
    return NULL;
}

const char *conv_method_name(enum conv_method method)
{
    return methods[method].name;
}

double conv_error_factor(const struct conv_algorithm *algorithm)
{
    return methods[algorithm->method].error_factor;
}

bool conv_rounds_twice(const struct conv_algorithm *algorithm, bool bias)
{
    return bias && algorithm->method == CONV_POINTWISE;
}

const char *conv_pass_name(enum conv_pass pass)
{
    static const char *const names[] = { [CONV_FORWARD] = "forward",
                                         [CONV_BACKWARD_DATA] = "backward-data",
                                         [CONV_BACKWARD_WEIGHTS] = "backward-weights" };
    return names[pass];
}

uint64_t conv_input_count(const struct conv_shape *s)
{
    return (uint64_t)s->n * (uint64_t)s->c * (uint64_t)s->h * (uint64_t)s->w;
}

uint64_t conv_weight_count(const struct conv_shape *s)
{
    return (uint64_t)s->k * (uint64_t)(s->c / s->groups) * (uint64_t)s->r * (uint64_t)s->s;
}

uint64_t conv_output_count(const struct conv_shape *s)
{
    return (uint64_t)s->n * (uint64_t)s->k * (uint64_t)conv_out_h(s) * (uint64_t)conv_out_w(s);
}

bool conv_grid_fits(uint64_t x, uint64_t y, uint64_t z)
{
    return x < UINT64_C(1) << 31 && y < 65536 && z < 65536;
}

static bool is_shape(const struct conv_shape *s)
{
    return s->n > 0 && s->c > 0 && s->h > 0 && s->w > 0 && s->k > 0 && s->r > 0 && s->s > 0 &&
           s->pad_h >= 0 && s->pad_w >= 0 && s->stride_h > 0 && s->stride_w > 0 &&
           s->dilation_h > 0 && s->dilation_w > 0 && s->groups > 0 && s->c % s->groups == 0 &&
           s->k % s->groups == 0 && conv_out_h(s) > 0 && conv_out_w(s) > 0;
}

const char *conv_unsupported(const struct conv_algorithm *algorithm, const struct conv_shape *shape)
{
    /* Offsets are 32-bit, also as bytes; and sizes with their padding stay clear of overflow. */
    const uint64_t most = UINT64_C(1) << 30;
    const int side = 1 << 14;
    if (!is_shape(shape))
        return "this is no convolution";
    if (conv_input_count(shape) >= most || conv_weight_count(shape) >= most ||
        conv_output_count(shape) >= most)
        return "a tensor has 2^30 elements or more";
    if (shape->h > side || shape->w > side || shape->pad_h > side || shape->pad_w > side ||
        shape->stride_h > side || shape->stride_w > side || shape->dilation_h > side ||
        shape->dilation_w > side || shape->r > side || shape->s > side)
        return "a side is longer than 16384";
    return methods[algorithm->method].unsupported(algorithm, shape);
}

/* Tiles' edges and idle SMs are counted. An SM needs 16 warps to hide latency, with the independent
 * sums that a thread has here. */
double conv_blocks_cost(const struct conv_blocks *b, int sm_count)
{
    int sms = sm_count > 0 ? sm_count : 1;
    double rounds = conv_ceil_div(b->tiles * b->parts, (uint64_t)sms);
    double warps = rounds * b->threads / 32, filled = warps >= 16 ? 1 : 0.25 + 0.75 * warps / 16;
    double cost = rounds * b->work / filled + CONV_LAUNCH_COST;
    if (b->parts > 1)
        cost += CONV_LAUNCH_COST + (2.0 * b->parts + 1) * b->elements * CONV_ELEMENT_COST / sms;
    return cost;
}

const struct conv_algorithm *conv_choose(const struct conv_shape *shape, enum conv_pass pass,
                                         enum bench_precision precision, int sm_count)
{
    const struct conv_algorithm *best = NULL;
    double least = 0;
    for (size_t i = 0; i < conv_table_count; i++) {
        const struct conv_algorithm *a = &conv_table[i];
        if (a->pass != pass || a->precision != precision || conv_unsupported(a, shape))
            continue;
        double cost = methods[a->method].cost(a, shape, sm_count);
        if (!best || cost < least) {
            best = a;
            least = cost;
        }
    }
    return best;
}

uint64_t conv_workspace_bytes(const struct conv_algorithm *algorithm,
                              const struct conv_shape *shape, int sm_count)
{
    return methods[algorithm->method].workspace(algorithm, shape, sm_count);
}

/* 8-byte banks give reads of 16 bytes twice the width on Kepler; elsewhere there are none. All
 * kernels of a run have the same, since the device waits between kernels that differ. */
static int widen_banks(struct gpu *gpu, struct gpu_function *function, struct err *err)
{
    enum { EIGHT_BYTES = 2 };
    if (gpu->device.cc / 10 != 3 || !gpu->driver.call.function_banks)
        return 0;
    return driver_check(err, gpu->driver.call.function_banks(function, EIGHT_BYTES),
                        "cuFuncSetSharedMemConfig");
}

int conv_launch_of(const struct conv_job *job, const char *family, const char *kernel,
                   const unsigned grid[3], unsigned threads, void **arguments, struct err *err)
{
    struct gpu_launch launch = { .grid = { grid[0], grid[1], grid[2] },
                                 .block = { threads, 1, 1 },
                                 .arguments = arguments };
    if (gpu_kernel(job->gpu, family, kernel, &launch.function, err) ||
        widen_banks(job->gpu, launch.function, err))
        return -1;
    return gpu_launch(job->gpu, &launch, err);
}

int conv_launch(const struct conv_job *job, const char *kernel, const unsigned grid[3],
                unsigned threads, void **arguments, struct err *err)
{
    return conv_launch_of(job, job->algorithm->family, kernel, grid, threads, arguments, err);
}

int conv_launch_sum(const struct conv_job *job, const char *kernel, int splits, struct err *err)
{
    const struct conv_shape *s = job->shape;
    enum conv_pass pass = job->algorithm->pass;
    uint64_t dest = pass == CONV_FORWARD         ? job->buffers->output
                    : pass == CONV_BACKWARD_DATA ? job->buffers->input
                                                 : job->buffers->weights;
    uint64_t count = pass == CONV_FORWARD         ? conv_output_count(s)
                     : pass == CONV_BACKWARD_DATA ? conv_input_count(s)
                                                  : conv_weight_count(s);
    uint64_t partial = job->buffers->workspace, bias = job->buffers->bias;
    struct conv_sum_args a = { .count = (int)count,
                               .splits = splits,
                               .channels = s->k,
                               .area = conv_out_h(s) * conv_out_w(s),
                               .bias = job->options.bias,
                               .relu = job->options.relu };
    void *arguments[] = { &dest, &partial, &bias, &a };
    const unsigned grid[3] = { conv_ceil_div(count, CONV_SUM_THREADS), 1, 1 };
    return conv_launch(job, kernel, grid, CONV_SUM_THREADS, arguments, err);
}

struct conv_weights_args conv_weights_arguments(const struct conv_shape *s, int splits,
                                                int split_pixels)
{
    int out_h = conv_out_h(s), out_w = conv_out_w(s);
    return (struct conv_weights_args){
        .rows = s->k / s->groups,
        .columns = s->c / s->groups * s->r * s->s,
        .filter_h = s->r,
        .filter_w = s->s,
        .input_h = s->h,
        .input_w = s->w,
        .input_image = s->c * s->h * s->w,
        .input_group = s->c / s->groups * s->h * s->w,
        .images = s->n,
        .output_h = out_h,
        .output_w = out_w,
        .output_image = s->k * out_h * out_w,
        .output_group = s->k / s->groups * out_h * out_w,
        .stride_h = s->stride_h,
        .stride_w = s->stride_w,
        .pad_h = s->pad_h,
        .pad_w = s->pad_w,
        .dilation_h = s->dilation_h,
        .dilation_w = s->dilation_w,
        .groups = s->groups,
        .splits = splits,
        .split_pixels = split_pixels,
    };
}

int conv_run(struct gpu *gpu, const struct conv_algorithm *algorithm,
             const struct conv_shape *shape, const struct conv_buffers *buffers,
             const struct conv_options *options, struct err *err)
{
    const struct conv_job job = { gpu, algorithm, shape, buffers, *options };
    const char *reason = conv_unsupported(algorithm, shape);
    if (reason)
        return err_set(err, ERR_USAGE, "'%s' cannot do this: %s", algorithm->name, reason);
    if ((buffers->input | buffers->weights | buffers->output | buffers->workspace) % 16)
        return err_set(err, ERR_USAGE, "an address is no multiple of 16");
    if (buffers->workspace_bytes < conv_workspace_bytes(algorithm, shape, gpu->device.sm_count))
        return err_set(err, ERR_USAGE, "'%s' needs more workspace", algorithm->name);
    if (algorithm->pass != CONV_FORWARD && (options->bias || options->relu))
        return err_set(err, ERR_USAGE, "bias and relu are for the forward pass only");
    return methods[algorithm->method].run(&job, err);
}
