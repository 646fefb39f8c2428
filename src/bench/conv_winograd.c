/* Winograd F(2x2,3x3): kernels/winograd_f32.cu around sixteen products of bench/gemm.h. */
#include "bench/conv_parts.h"

enum { PRODUCTS = 16, CHUNK_BYTES = 64 << 20, ALIGN = 256 };

static uint64_t tiles_h(const struct conv_shape *s)
{
    return (uint64_t)(conv_out_h(s) + 1) / 2;
}

static uint64_t tiles_w(const struct conv_shape *s)
{
    return (uint64_t)(conv_out_w(s) + 1) / 2;
}

static uint64_t aligned(uint64_t floats)
{
    return (floats * sizeof(float) + ALIGN - 1) / ALIGN * ALIGN;
}

/* The parts of the workspace, of so many images at once; then what the products need. */
struct parts {
    uint64_t weights, input, output; /* bytes */
};

static struct parts parts_of(const struct conv_shape *s, int images)
{
    uint64_t tiles = PRODUCTS * (uint64_t)images * tiles_h(s) * tiles_w(s);
    return (struct parts){ aligned(PRODUCTS * (uint64_t)s->c * (uint64_t)s->k),
                           aligned(tiles * (uint64_t)s->c), aligned(tiles * (uint64_t)s->k) };
}

/* Images that are transformed at once: as many as fit a bound, at least one. */
static int images_of(const struct conv_shape *s)
{
    struct parts one = parts_of(s, 1);
    uint64_t images = CHUNK_BYTES / (one.input + one.output);
    return images < 1 ? 1 : images < (uint64_t)s->n ? (int)images : s->n;
}

static struct gemm_shape product_of(const struct conv_shape *s, int images)
{
    return (struct gemm_shape){
        .m = images * (int)(tiles_h(s) * tiles_w(s)), .n = s->k, .k = s->c, .batch = PRODUCTS
    };
}

const char *conv_winograd_unsupported(const struct conv_algorithm *a, const struct conv_shape *s)
{
    struct parts p = parts_of(s, images_of(s));
    const struct gemm_shape g = product_of(s, 1);
    if (s->r != 3 || s->s != 3 || s->stride_h != 1 || s->stride_w != 1 || s->dilation_h != 1 ||
        s->dilation_w != 1)
        return "it is not 3x3 with stride 1 and without dilation";
    if (s->groups != 1)
        return "it has groups";
    if ((p.weights | p.input | p.output) >> 32)
        return "a transform has 2^30 elements or more";
    if (!conv_grid_fits(1, (uint64_t)s->c, 1) || !conv_grid_fits(1, (uint64_t)s->k, 1))
        return "too many channels";
    return conv_gemm_possible(a->precision, &g) ? NULL : "there is no kernel for the product";
}

uint64_t conv_winograd_workspace(const struct conv_algorithm *a, const struct conv_shape *s,
                                 int sm_count)
{
    const struct gemm_shape g = product_of(s, images_of(s));
    struct parts p = parts_of(s, images_of(s));
    return p.weights + p.input + p.output + conv_gemm_workspace(a->precision, &g, sm_count);
}

/* The products, and what the transforms move: each element is written and read once. */
double conv_winograd_cost(const struct conv_algorithm *a, const struct conv_shape *s, int sm_count)
{
    const struct gemm_shape g = product_of(s, images_of(s));
    double passes = conv_ceil_div((uint64_t)s->n, (uint64_t)images_of(s));
    double tiles = (double)s->n * (double)(tiles_h(s) * tiles_w(s));
    double moved = 2 * PRODUCTS * (tiles * (s->c + s->k) + (double)s->c * s->k);
    return (conv_gemm_cost(a->precision, &g, sm_count) + 2 * CONV_LAUNCH_COST) * passes +
           CONV_LAUNCH_COST + moved * CONV_ELEMENT_COST / (sm_count > 0 ? sm_count : 1);
}

static int transform_weights(const struct conv_job *job, uint64_t to, struct err *err)
{
    uint64_t weights = job->buffers->weights;
    int count = job->shape->c * job->shape->k;
    void *arguments[] = { &to, &weights, &count };
    const unsigned grid[3] = { conv_ceil_div((uint64_t)count, CONV_POINT_THREADS), 1, 1 };
    return conv_launch(job, "winograd_weights", grid, CONV_POINT_THREADS, arguments, err);
}

static struct conv_winograd_args arguments_of(const struct conv_job *job, int images)
{
    const struct conv_shape *s = job->shape;
    return (struct conv_winograd_args){ .images = images,
                                        .inputs = s->c,
                                        .outputs = s->k,
                                        .input_h = s->h,
                                        .input_w = s->w,
                                        .output_h = conv_out_h(s),
                                        .output_w = conv_out_w(s),
                                        .pad_h = s->pad_h,
                                        .pad_w = s->pad_w,
                                        .tiles_h = (int)tiles_h(s),
                                        .tiles_w = (int)tiles_w(s),
                                        .bias = job->options.bias,
                                        .relu = job->options.relu };
}

/* Images from number `first` on: there, products, and back. `u` are the transformed weights. */
static int run_images(const struct conv_job *job, uint64_t u, int first, int images,
                      struct err *err)
{
    const struct conv_shape *s = job->shape;
    const struct parts p = parts_of(s, images_of(s));
    const struct gemm_shape g = product_of(s, images);
    struct conv_winograd_args a = arguments_of(job, images);
    uint64_t v = u + p.weights, m = v + p.input, bias = job->buffers->bias;
    uint64_t in = (uint64_t)first * (uint64_t)s->c * (uint64_t)(s->h * s->w);
    uint64_t out = (uint64_t)first * (uint64_t)s->k * (uint64_t)(a.output_h * a.output_w);
    uint64_t input = job->buffers->input + in * sizeof(float);
    uint64_t output = job->buffers->output + out * sizeof(float);
    const struct gemm_buffers product = { .a = v, .b = u, .c = m, .workspace = m + p.output };
    void *there[] = { &v, &input, &a }, *back[] = { &output, &m, &bias, &a };
    const unsigned tiles = conv_ceil_div((uint64_t)g.m, CONV_POINT_THREADS);
    const unsigned in_grid[3] = { tiles, (unsigned)s->c, 1 };
    const unsigned out_grid[3] = { tiles, (unsigned)s->k, 1 };
    if (conv_launch(job, "winograd_input", in_grid, CONV_POINT_THREADS, there, err) ||
        conv_gemm_run(job, &g, 0, &product, err))
        return -1;
    return conv_launch(job, "winograd_output", out_grid, CONV_POINT_THREADS, back, err);
}

int conv_winograd_run(const struct conv_job *job, struct err *err)
{
    int most = images_of(job->shape), n = job->shape->n;
    uint64_t u = job->buffers->workspace;
    if (transform_weights(job, u, err))
        return -1;
    for (int first = 0; first < n; first += most)
        if (run_images(job, u, first, n - first < most ? n - first : most, err))
            return -1;
    return 0;
}
