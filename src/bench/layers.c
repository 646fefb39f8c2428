#include "bench/layers.h"

#include <math.h>

#include "kernels/layers_args.h"

enum kind { AFFINE, ADD, POOL, MEAN };

static const struct {
    const char *name, *kernel;
    enum kind kind;
    bool scale, relu, six;
} ops[BENCH_LAYER_COUNT] = {
    [BENCH_LAYER_BIAS] = { "bias", "layers_affine", AFFINE, false, false, false },
    [BENCH_LAYER_BIAS_RELU] = { "bias-relu", "layers_affine", AFFINE, false, true, false },
    [BENCH_LAYER_BATCH_NORM] = { "batch-norm", "layers_affine", AFFINE, true, false, false },
    [BENCH_LAYER_BATCH_NORM_RELU] = { "batch-norm-relu", "layers_affine", AFFINE, true, true, false },
    [BENCH_LAYER_BATCH_NORM_RELU6] = { "batch-norm-relu6", "layers_affine", AFFINE, true, true, true },
    [BENCH_LAYER_ADD] = { "add", "layers_add", ADD, false, false, false },
    [BENCH_LAYER_ADD_RELU] = { "add-relu", "layers_add", ADD, false, true, false },
    [BENCH_LAYER_MAX_POOL] = { "max-pool", "layers_pool_max", POOL, false, false, false },
    [BENCH_LAYER_AVERAGE_POOL] = { "average-pool", "layers_pool_average", POOL, false, false, false },
    [BENCH_LAYER_GLOBAL_POOL] = { "global-pool", "layers_mean", MEAN, false, false, false },
};

const char *layer_name(enum bench_layer op)
{
    return ops[op].name;
}

const char *layer_kernel(enum bench_layer op)
{
    return ops[op].kernel;
}

const char *layer_family(enum bench_precision precision)
{
    return precision == BENCH_FP32 ? "layers_f32" : precision == BENCH_FP16S ? "layers_f16s" : NULL;
}

static int pooled(int size, int window, int stride, int pad)
{
    int covered = size + 2 * pad - window;
    return covered < 0 ? 0 : covered / stride + 1;
}

static int out_h(const struct layer_shape *s)
{
    return pooled(s->h, s->window_h, s->stride_h, s->pad_h);
}

static int out_w(const struct layer_shape *s)
{
    return pooled(s->w, s->window_w, s->stride_w, s->pad_w);
}

uint64_t layer_input_count(const struct layer_shape *s)
{
    return (uint64_t)s->n * (uint64_t)s->c * (uint64_t)s->h * (uint64_t)s->w;
}

uint64_t layer_output_count(enum bench_layer op, const struct layer_shape *s)
{
    uint64_t planes = (uint64_t)s->n * (uint64_t)s->c;
    if (ops[op].kind == MEAN)
        return planes;
    return ops[op].kind == POOL ? planes * (uint64_t)out_h(s) * (uint64_t)out_w(s)
                                : layer_input_count(s);
}

uint64_t layer_bytes(enum bench_layer op, enum bench_precision precision,
                     const struct layer_shape *s)
{
    uint64_t inputs = layer_input_count(s) * (ops[op].kind == ADD ? 2 : 1);
    return (inputs + layer_output_count(op, s)) * (uint64_t)bench_precision_bytes(precision);
}

static const char *unsupported(enum bench_layer op, const struct layer_shape *s)
{
    const uint64_t most = UINT64_C(1) << 30;
    const int side = 1 << 14;
    if (s->n < 1 || s->c < 1 || s->h < 1 || s->w < 1)
        return "the input is empty";
    if (layer_input_count(s) >= most || s->h > side || s->w > side)
        return "the input is too large";
    if (ops[op].kind != POOL)
        return NULL;
    if (s->stride_h < 1 || s->stride_w < 1 || s->window_h > side || s->window_w > side ||
        s->stride_h > side || s->stride_w > side)
        return "the window or its stride";
    if (s->pad_h < 0 || s->pad_w < 0 || s->pad_h >= s->window_h || s->pad_w >= s->window_w)
        return "the padding is not less than the window";
    if (!out_h(s) || !out_w(s))
        return "the window is larger than the input";
    return layer_output_count(op, s) >= most ? "the output is too large" : NULL;
}

/* One run: the arguments of each kind of kernel, and its blocks. */
struct job {
    struct gpu *gpu;
    enum bench_layer op;
    const char *family;
    const struct layer_shape *shape;
    struct layer_buffers buffers;
};

static int launch(const struct job *job, uint64_t threads, void **arguments, struct err *err)
{
    struct gpu_launch l = { .grid = { 1, 1, 1 }, .block = { LAYERS_THREADS, 1, 1 } };
    l.grid[0] = (unsigned)((threads + LAYERS_THREADS - 1) / LAYERS_THREADS);
    l.arguments = arguments;
    if (gpu_kernel(job->gpu, job->family, ops[job->op].kernel, &l.function, err))
        return -1;
    return gpu_launch(job->gpu, &l, err);
}

static int run_point(const struct job *job, struct err *err)
{
    const struct layer_shape *s = job->shape;
    bool add = ops[job->op].kind == ADD;
    uint64_t count = layer_input_count(s), dest = job->buffers.output, source = job->buffers.input;
    uint64_t other = job->buffers.other, shift = job->buffers.shift;
    uint64_t scale = ops[job->op].scale ? job->buffers.scale : 0;
    struct layers_point_args a = {
        .count = (int)count,
        .channels = s->c,
        .area = s->h * s->w,
        .relu = ops[job->op].relu,
        .most = ops[job->op].six ? 6 : INFINITY,
    };
    a.packed = (add ? a.count : a.area) % LAYERS_EACH == 0;
    void *sum[] = { &dest, &source, &other, &a },
         *affine[] = { &dest, &source, &scale, &shift, &a };
    uint64_t threads = (count + LAYERS_EACH - 1) / LAYERS_EACH;
    return launch(job, threads, add ? sum : affine, err);
}

static int run_pool(const struct job *job, struct err *err)
{
    const struct layer_shape *s = job->shape;
    uint64_t dest = job->buffers.output, source = job->buffers.input;
    struct layers_pool_args a = { .planes = s->n * s->c,
                                  .input_h = s->h,
                                  .input_w = s->w,
                                  .output_h = out_h(s),
                                  .output_w = out_w(s),
                                  .window_h = s->window_h,
                                  .window_w = s->window_w,
                                  .stride_h = s->stride_h,
                                  .stride_w = s->stride_w,
                                  .pad_h = s->pad_h,
                                  .pad_w = s->pad_w,
                                  .count_padding = s->count_padding };
    void *arguments[] = { &dest, &source, &a };
    return launch(job, layer_output_count(job->op, s), arguments, err);
}

static int run_mean(const struct job *job, struct err *err)
{
    uint64_t dest = job->buffers.output, source = job->buffers.input;
    int planes = job->shape->n * job->shape->c, area = job->shape->h * job->shape->w;
    void *arguments[] = { &dest, &source, &planes, &area };
    return launch(job, (uint64_t)planes * 32, arguments, err);
}

int layer_run(struct gpu *gpu, enum bench_layer op, enum bench_precision precision,
              const struct layer_shape *shape, const struct layer_buffers *buffers, struct err *err)
{
    struct job job = { gpu, op, layer_family(precision), shape, *buffers };
    const char *reason = unsupported(op, shape);
    if (!job.family)
        return err_set(err, ERR_USAGE, "there is no '%s' for %s", ops[op].name,
                       bench_precision_name(precision));
    if (reason)
        return err_set(err, ERR_USAGE, "'%s' cannot do this: %s", ops[op].name, reason);
    if ((buffers->input | buffers->other | buffers->output) % 16)
        return err_set(err, ERR_USAGE, "an address is no multiple of 16");
    switch (ops[op].kind) {
    case POOL:
        return run_pool(&job, err);
    case MEAN:
        return run_mean(&job, err);
    default:
        return run_point(&job, err);
    }
}
