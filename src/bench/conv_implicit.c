/* Implicit GEMM: kernels/conv_gather.h forward and backward-data, kernels/conv_weights.h. */
#include "bench/conv_parts.h"
#include "kernels/conv_args.h"

/* Rows, columns and length of the sum of the GEMM of one group, and how many of them there are at
 * once. */
struct extent {
    uint64_t rows, columns, length, count;
};

/* Backward-data takes a strided convolution apart into classes of pixels; the largest is taken for
 * all. */
static struct extent extent_of(const struct conv_shape *s, enum conv_pass pass)
{
    uint64_t groups = (uint64_t)s->groups, taps = (uint64_t)s->r * (uint64_t)s->s;
    uint64_t in = (uint64_t)(s->c / s->groups), out = (uint64_t)(s->k / s->groups);
    uint64_t pixels = (uint64_t)s->n * (uint64_t)conv_out_h(s) * (uint64_t)conv_out_w(s);
    if (pass == CONV_FORWARD)
        return (struct extent){ out, pixels, in * taps, groups };
    if (pass == CONV_BACKWARD_WEIGHTS)
        return (struct extent){ out, in * taps, pixels, groups };
    uint64_t h = conv_ceil_div((uint64_t)s->h, (uint64_t)s->stride_h);
    uint64_t w = conv_ceil_div((uint64_t)s->w, (uint64_t)s->stride_w);
    uint64_t classes = (uint64_t)s->stride_h * (uint64_t)s->stride_w;
    return (struct extent){ in, (uint64_t)s->n * h * w, conv_ceil_div(out * taps, classes),
                            groups * classes };
}

/* Blocks of one sum. */
static uint64_t tiles_of(const struct conv_algorithm *a, const struct extent *e)
{
    return (uint64_t)conv_ceil_div(e->rows, (uint64_t)a->tile_m) *
           conv_ceil_div(e->columns, (uint64_t)a->tile_n) * e->count;
}

/* Blocks that an SM has at once, about: registers allow two large ones or six small ones. */
static int resident(const struct conv_algorithm *a)
{
    return a->threads >= 256 ? 2 : 6;
}

/* Pixels of each part of a backward-weights sum: as many parts as fill the card once, none shorter
 * than what its own partial result costs to write and read. */
static uint64_t split_pixels(const struct conv_algorithm *a, const struct extent *e, int sm_count)
{
    enum { LEAST = 512 };
    uint64_t room = (uint64_t)(sm_count > 0 ? sm_count : 1) * (uint64_t)resident(a);
    uint64_t splits = room / tiles_of(a, e), most = e->length / LEAST;
    if (splits > most)
        splits = most;
    if (splits < 1)
        splits = 1;
    return (uint64_t)conv_ceil_div(conv_ceil_div(e->length, splits), (uint64_t)a->tile_k) *
           (uint64_t)a->tile_k;
}

static unsigned splits_of(const struct conv_algorithm *a, const struct extent *e, int sm_count)
{
    return conv_ceil_div(e->length, split_pixels(a, e, sm_count));
}

const char *conv_implicit_unsupported(const struct conv_algorithm *a, const struct conv_shape *s)
{
    struct extent e = extent_of(s, a->pass);
    if (s->r > CONV_FILTER_MAX || s->s > CONV_FILTER_MAX)
        return "the filter is larger than 15";
    if (a->pass == CONV_FORWARD && a->threads == 256 && e.length % 4)
        return "the weights of an output channel are no multiple of four";
    if (!conv_grid_fits(conv_ceil_div(e.columns, (uint64_t)a->tile_n),
                        conv_ceil_div(e.rows, (uint64_t)a->tile_m), e.count))
        return "too many groups or channels";
    return NULL;
}

uint64_t conv_implicit_workspace(const struct conv_algorithm *a, const struct conv_shape *s,
                                 int sm_count)
{
    if (a->pass != CONV_BACKWARD_WEIGHTS)
        return 0;
    struct extent e = extent_of(s, a->pass);
    unsigned splits = splits_of(a, &e, sm_count);
    return splits > 1 ? splits * conv_weight_count(s) * sizeof(float) : 0;
}

/* Multiply-adds that an SM does one after the other, tiles' edges and idle SMs counted. */
double conv_implicit_cost(const struct conv_algorithm *a, const struct conv_shape *s, int sm_count)
{
    struct extent e = extent_of(s, a->pass);
    double length = (double)e.length;
    uint64_t blocks = tiles_of(a, &e);
    if (a->pass == CONV_BACKWARD_WEIGHTS) {
        length = (double)split_pixels(a, &e, sm_count);
        blocks *= splits_of(a, &e, sm_count);
    }
    double rounds = conv_ceil_div(blocks, (uint64_t)(sm_count > 0 ? sm_count : 1));
    return rounds * a->tile_m * a->tile_n * length * 100 / a->fma_floor;
}

static int run_gather(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    const struct conv_algorithm *a = job->algorithm;
    const struct extent e = extent_of(s, a->pass);
    bool backward = a->pass == CONV_BACKWARD_DATA;
    int out_h = conv_out_h(s), out_w = conv_out_w(s), taps = s->r * s->s;
    int in_group = s->c / s->groups, out_group = s->k / s->groups;
    int in_area = s->h * s->w, out_area = out_h * out_w;

    struct conv_gather_args g = {
        .rows = backward ? in_group : out_group,
        .slow = backward ? out_group : in_group,
        .filter_h = s->r,
        .filter_w = s->s,
        .weight_row = backward ? taps : in_group * taps,
        .weight_slow = backward ? in_group * taps : taps,
        .weight_group = out_group * in_group * taps,
        .source_h = backward ? out_h : s->h,
        .source_w = backward ? out_w : s->w,
        .source_image = backward ? s->k * out_area : s->c * in_area,
        .source_group = backward ? out_group * out_area : in_group * in_area,
        .images = s->n,
        .dest_h = backward ? s->h : out_h,
        .dest_w = backward ? s->w : out_w,
        .dest_image = backward ? s->c * in_area : s->k * out_area,
        .dest_group = backward ? in_group * in_area : out_group * out_area,
        .stride_h = s->stride_h,
        .stride_w = s->stride_w,
        .pad_h = s->pad_h,
        .pad_w = s->pad_w,
        .dilation_h = s->dilation_h,
        .dilation_w = s->dilation_w,
        .bias = job->options.bias,
        .relu = job->options.relu,
    };
    g.vector =
        g.dest_h * g.dest_w % 4 == 0 && (!backward || (s->stride_h == 1 && s->stride_w == 1));

    uint64_t dest = backward ? job->buffers->input : job->buffers->output;
    uint64_t source = backward ? job->buffers->output : job->buffers->input;
    uint64_t weights = job->buffers->weights, bias = job->buffers->bias;
    void *arguments[] = { &dest, &weights, &source, &bias, &g };
    const unsigned grid[3] = { conv_ceil_div(e.columns, (uint64_t)a->tile_n),
                               conv_ceil_div(e.rows, (uint64_t)a->tile_m), (unsigned)e.count };
    return conv_launch(job, a->kernel, grid, (unsigned)a->threads, arguments, err);
}

static int run_weights(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    const struct conv_algorithm *a = job->algorithm;
    const struct extent e = extent_of(s, a->pass);
    int sm_count = job->gpu->device.sm_count;
    int splits = (int)splits_of(a, &e, sm_count);
    struct conv_weights_args g =
        conv_weights_arguments(s, splits, (int)split_pixels(a, &e, sm_count));
    uint64_t weights = job->buffers->weights, partial = job->buffers->workspace;
    uint64_t output = job->buffers->output, input = job->buffers->input;
    void *arguments[] = { &weights, &partial, &output, &input, &g };
    const unsigned grid[3] = { conv_ceil_div(e.columns, (uint64_t)a->tile_n),
                               conv_ceil_div(e.rows, (uint64_t)a->tile_m),
                               (unsigned)(s->groups * splits) };
    if (conv_launch(job, a->kernel, grid, (unsigned)a->threads, arguments, err))
        return -1;
    return splits > 1 ? conv_launch_sum(job, "conv_weights_sum", splits, err) : 0;
}

int conv_implicit_run(const struct conv_job *job, struct err *err)
{
    return job->algorithm->pass == CONV_BACKWARD_WEIGHTS ? run_weights(job, err)
                                                         : run_gather(job, err);
}
