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

/* How the sum is split among blocks: what it is split into (source channels; pixels of
 * backward-weights), the size of each part, and what that costs. */
struct split {
    unsigned parts;
    int size;
    double cost;
};

static bool is_packed(const struct conv_algorithm *a)
{
    return a->pass == CONV_FORWARD && a->threads == 256;
}

static struct split split_of(const struct conv_algorithm *a, const struct conv_shape *s,
                             int sm_count)
{
    enum { PARTS = 64, LEAST = 64 }; /* no part sums less */
    bool weights = a->pass == CONV_BACKWARD_WEIGHTS;
    const struct extent e = extent_of(s, a->pass);
    uint64_t whole = weights                   ? e.length
                     : a->pass == CONV_FORWARD ? (uint64_t)(s->c / s->groups)
                                               : (uint64_t)(s->k / s->groups);
    uint64_t unit = weights ? (uint64_t)a->tile_k : is_packed(a) ? 4 : 1;
    double each = (double)e.length / (double)whole; /* of the sum, in one of them */
    double elements = (double)(weights                   ? conv_weight_count(s)
                               : a->pass == CONV_FORWARD ? conv_output_count(s)
                                                         : conv_input_count(s));
    struct split best = { 0, 0, 0 };
    for (uint64_t want = 1; want <= PARTS; want++) {
        uint64_t size = conv_ceil_div(conv_ceil_div(whole, want), unit) * unit;
        unsigned parts = conv_ceil_div(whole, size);
        const struct conv_blocks blocks = {
            .tiles = tiles_of(a, &e),
            .parts = parts,
            .threads = a->threads,
            .work = (double)a->tile_m * a->tile_n * ((double)size * each + 2 * a->tile_k) * 100 /
                    a->fma_floor,
            .elements = elements,
        };
        double cost = conv_blocks_cost(&blocks, sm_count);
        if (want > 1 &&
            ((double)size * each < LEAST || parts * e.count > 65535 || parts * elements > 1 << 29))
            break;
        if (want == 1 || cost < best.cost)
            best = (struct split){ parts, (int)size, cost };
    }
    return best;
}

const char *conv_implicit_unsupported(const struct conv_algorithm *a, const struct conv_shape *s)
{
    struct extent e = extent_of(s, a->pass);
    if (s->r > CONV_FILTER_MAX || s->s > CONV_FILTER_MAX)
        return "the filter is larger than 15";
    if (is_packed(a) && e.length % 4)
        return "the weights of an output channel are no multiple of four";
    if (!conv_grid_fits(conv_ceil_div(e.columns, (uint64_t)a->tile_n),
                        conv_ceil_div(e.rows, (uint64_t)a->tile_m), e.count))
        return "too many groups or channels";
    return NULL;
}

uint64_t conv_implicit_workspace(const struct conv_algorithm *a, const struct conv_shape *s,
                                 int sm_count)
{
    struct split split = split_of(a, s, sm_count);
    uint64_t elements = a->pass == CONV_FORWARD         ? conv_output_count(s)
                        : a->pass == CONV_BACKWARD_DATA ? conv_input_count(s)
                                                        : conv_weight_count(s);
    return split.parts > 1 ? split.parts * elements * sizeof(float) : 0;
}

double conv_implicit_cost(const struct conv_algorithm *a, const struct conv_shape *s, int sm_count)
{
    return split_of(a, s, sm_count).cost;
}

static int run_gather(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    const struct conv_algorithm *a = job->algorithm;
    const struct extent e = extent_of(s, a->pass);
    const struct split split = split_of(a, s, job->gpu->device.sm_count);
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
        .taps = taps,
        .step_tap = a->tile_k % taps,
        .splits = (int)split.parts,
        .split_slow = split.size,
        .bias = split.parts == 1 && job->options.bias,
        .relu = split.parts == 1 && job->options.relu,
    };
    unsigned bytes = (unsigned)bench_precision_bytes(a->precision);
    for (unsigned i = 0; i < 2; i++) {
        g.slow_units[i] = (unsigned)(g.source_h * g.source_w) * (i ? bytes : 1);
        g.step_units[i] = g.slow_units[i] * (unsigned)(a->tile_k / taps);
    }
    g.vector =
        g.dest_h * g.dest_w % 4 == 0 && (!backward || (s->stride_h == 1 && s->stride_w == 1));

    uint64_t dest = backward ? job->buffers->input : job->buffers->output;
    uint64_t source = backward ? job->buffers->output : job->buffers->input;
    uint64_t weights = job->buffers->weights, bias = job->buffers->bias;
    uint64_t partial = job->buffers->workspace;
    void *arguments[] = { &dest, &partial, &weights, &source, &bias, &g };
    const unsigned grid[3] = { conv_ceil_div(e.columns, (uint64_t)a->tile_n),
                               conv_ceil_div(e.rows, (uint64_t)a->tile_m),
                               (unsigned)e.count * split.parts };
    if (conv_launch(job, a->kernel, grid, (unsigned)a->threads, arguments, err))
        return -1;
    return split.parts > 1 ? conv_launch_sum(job, "conv_sum", (int)split.parts, err) : 0;
}

static int run_weights(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    const struct conv_algorithm *a = job->algorithm;
    const struct extent e = extent_of(s, a->pass);
    const struct split split = split_of(a, s, job->gpu->device.sm_count);
    struct conv_weights_args g = conv_weights_arguments(s, (int)split.parts, split.size);
    uint64_t weights = job->buffers->weights, partial = job->buffers->workspace;
    uint64_t output = job->buffers->output, input = job->buffers->input;
    void *arguments[] = { &weights, &partial, &output, &input, &g };
    const unsigned grid[3] = { conv_ceil_div(e.columns, (uint64_t)a->tile_n),
                               conv_ceil_div(e.rows, (uint64_t)a->tile_m),
                               (unsigned)s->groups * split.parts };
    if (conv_launch(job, a->kernel, grid, (unsigned)a->threads, arguments, err))
        return -1;
    return split.parts > 1 ? conv_launch_sum(job, "conv_sum", (int)split.parts, err) : 0;
}

int conv_implicit_run(const struct conv_job *job, struct err *err)
{
    return job->algorithm->pass == CONV_BACKWARD_WEIGHTS ? run_weights(job, err)
                                                         : run_gather(job, err);
}
