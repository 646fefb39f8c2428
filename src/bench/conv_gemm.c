/* Convolutions whose arithmetic is left to the kernels of bench/gemm.h. Images are NCHW, and so, as
 * BLAS has it, matrices of pixels x channels; weights are those of inputs x outputs. */
#include <math.h>

#include "bench/conv_parts.h"
#include "bench/gemm.h"
#include "kernels/layers_args.h"

/* What is written out at once, at most, unless one image needs more. */
enum { CHUNK_BYTES = 32 << 20, ALIGN = 256 };

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* ---- one product
 * --------------------------------------------------------------------------------- */

/* The choice must not need more than what conv_workspace_bytes said, which knows no capability: the
 * lowest is taken, whose kernels run on all. */
static bool choose(enum bench_precision precision, const struct gemm_shape *shape,
                   const struct gemm_buffers *buffers, int sm_count, struct gemm_choice *choice)
{
    const struct gemm_card card = { .cc = 35, .sms = sm_count > 0 ? sm_count : 1 };
    return gemm_choose(&card, precision, shape, buffers, choice);
}

/* Addresses that are good for the kernels without alignment only. */
static const struct gemm_buffers unaligned = { .a = 4, .b = 4, .c = 4 };

uint64_t conv_gemm_workspace(enum bench_precision precision, const struct gemm_shape *shape,
                             int sm_count)
{
    struct gemm_choice aligned, other;
    uint64_t bytes = 0;
    if (choose(precision, shape, NULL, sm_count, &aligned))
        bytes = gemm_workspace(&aligned, shape);
    if (choose(precision, shape, &unaligned, sm_count, &other) &&
        gemm_workspace(&other, shape) > bytes)
        bytes = gemm_workspace(&other, shape);
    return bytes;
}

double conv_gemm_cost(enum bench_precision precision, const struct gemm_shape *s, int sm_count)
{
    struct gemm_choice choice;
    if (!choose(precision, s, NULL, sm_count, &choice))
        return 1e300;
    const struct gemm_variant *v = choice.variant;
    const struct conv_blocks blocks = {
        .tiles = (uint64_t)conv_ceil_div((uint64_t)s->m, (uint64_t)v->tile_m) *
                 conv_ceil_div((uint64_t)s->n, (uint64_t)v->tile_n) * (uint64_t)s->batch,
        .parts = (unsigned)choice.splits,
        .threads = v->threads,
        .work = (double)v->tile_m * v->tile_n * ((double)s->k / choice.splits + 2 * v->tile_k) *
                100 / v->efficiency,
        .elements = (double)s->m * s->n * s->batch,
    };
    return conv_blocks_cost(&blocks, sm_count);
}

bool conv_gemm_possible(enum bench_precision precision, const struct gemm_shape *shape)
{
    struct gemm_choice choice;
    return choose(precision, shape, &unaligned, 1, &choice);
}

int conv_gemm_run(const struct conv_job *job, const struct gemm_shape *shape, float beta,
                  const struct gemm_buffers *buffers, struct err *err)
{
    enum bench_precision precision = job->algorithm->precision;
    struct gemm_choice choice;
    if (!choose(precision, shape, buffers, job->gpu->device.sm_count, &choice))
        return err_set(err, ERR_MISSING, "no kernel for a product of %d x %d x %d", shape->m,
                       shape->n, shape->k);
    return gemm_run(job->gpu, &choice, shape, 1, beta, buffers, err);
}

/* The output's bias and ReLU in a pass of their own. */
int conv_gemm_finish(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    uint64_t count = conv_output_count(s), output = job->buffers->output, scale = 0;
    uint64_t shift = job->options.bias ? job->buffers->bias : 0;
    int area = conv_out_h(s) * conv_out_w(s);
    struct layers_point_args a = { .count = (int)count,
                                   .channels = s->k,
                                   .area = area,
                                   .packed = area % LAYERS_EACH == 0,
                                   .relu = job->options.relu,
                                   .most = INFINITY };
    void *arguments[] = { &output, &output, &scale, &shift, &a };
    const unsigned grid[3] = { conv_ceil_div(count, LAYERS_THREADS * LAYERS_EACH), 1, 1 };
    if (!job->options.bias && !job->options.relu)
        return 0;
    return conv_launch_of(job,
                          job->algorithm->precision == BENCH_FP32 ? "layers_f32" : "layers_f16s",
                          "layers_affine", grid, LAYERS_THREADS, arguments, err);
}

/* ---- 1x1: an image is a matrix already
 * ----------------------------------------------------------- */

/* The product of one image and group. */
static struct gemm_shape pointwise(const struct conv_shape *s, enum conv_pass pass)
{
    int pixels = s->h * s->w, inputs = s->c / s->groups, outputs = s->k / s->groups;
    struct gemm_shape g = { .m = pixels, .n = outputs, .k = inputs, .batch = 1 };
    if (pass == CONV_BACKWARD_DATA)
        g = (struct gemm_shape){
            .m = pixels, .n = inputs, .k = outputs, .trans_b = true, .batch = 1
        };
    if (pass == CONV_BACKWARD_WEIGHTS)
        g = (struct gemm_shape){
            .m = inputs, .n = outputs, .k = pixels, .trans_a = true, .batch = 1
        };
    return g;
}

/* Images can be a batch when they share the weights and nothing is summed over them. */
static bool images_at_once(const struct conv_shape *s, enum conv_pass pass)
{
    return s->groups == 1 && pass != CONV_BACKWARD_WEIGHTS;
}

static struct gemm_shape pointwise_batch(const struct conv_shape *s, enum conv_pass pass)
{
    struct gemm_shape g = pointwise(s, pass);
    g.batch = images_at_once(s, pass) ? s->n : s->groups;
    return g;
}

const char *conv_pointwise_unsupported(const struct conv_algorithm *a, const struct conv_shape *s)
{
    const struct gemm_shape g = pointwise(s, a->pass);
    if (s->r != 1 || s->s != 1 || s->stride_h != 1 || s->stride_w != 1 || s->pad_h || s->pad_w)
        return "it is not 1x1 with stride 1 and without padding";
    if (a->pass == CONV_BACKWARD_WEIGHTS && s->n > 1 && a->precision != BENCH_FP32)
        return "sums over images would be rounded each time";
    return conv_gemm_possible(a->precision, &g) ? NULL : "there is no kernel for the product";
}

uint64_t conv_pointwise_workspace(const struct conv_algorithm *a, const struct conv_shape *s,
                                  int sm_count)
{
    const struct gemm_shape g = pointwise_batch(s, a->pass);
    return conv_gemm_workspace(a->precision, &g, sm_count);
}

double conv_pointwise_cost(const struct conv_algorithm *a, const struct conv_shape *s, int sm_count)
{
    const struct gemm_shape g = pointwise_batch(s, a->pass);
    int times = images_at_once(s, a->pass) ? 1 : s->n;
    return conv_gemm_cost(a->precision, &g, sm_count) * times;
}

int conv_pointwise_run(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    enum conv_pass pass = job->algorithm->pass;
    const struct gemm_shape g = pointwise_batch(s, pass);
    const struct conv_buffers *b = job->buffers;
    uint64_t bytes = (uint64_t)bench_precision_bytes(job->algorithm->precision);
    uint64_t input = bytes * (uint64_t)s->c * (uint64_t)s->h * (uint64_t)s->w; /* of an image */
    uint64_t output = bytes * (uint64_t)s->k * (uint64_t)s->h * (uint64_t)s->w;
    bool together = images_at_once(s, pass);
    for (uint64_t i = 0; i < (together ? 1 : (uint64_t)s->n); i++) {
        struct gemm_buffers m = { .workspace = b->workspace, .share_b = together };
        m.a = pass == CONV_BACKWARD_DATA ? b->output + i * output : b->input + i * input;
        m.b = pass == CONV_BACKWARD_WEIGHTS ? b->output + i * output : b->weights;
        m.c = pass == CONV_FORWARD         ? b->output + i * output
              : pass == CONV_BACKWARD_DATA ? b->input + i * input
                                           : b->weights;
        bool add = pass == CONV_BACKWARD_WEIGHTS && i > 0;
        if (conv_gemm_run(job, &g, add ? 1 : 0, &m, err))
            return -1;
    }
    return conv_gemm_finish(job, err);
}

/* ---- im2col
 * -------------------------------------------------------------------------------------- */

static uint64_t column_bytes(const struct conv_shape *s) /* of an image */
{
    return sizeof(float) * (uint64_t)s->c * (uint64_t)s->r * (uint64_t)s->s *
           (uint64_t)conv_out_h(s) * (uint64_t)conv_out_w(s);
}

/* Images that are written out at once. */
static int im2col_images(const struct conv_shape *s)
{
    uint64_t images = CHUNK_BYTES / column_bytes(s);
    return s->groups > 1 || images < 1 ? 1 : images < (uint64_t)s->n ? (int)images : s->n;
}

static struct gemm_shape im2col_product(const struct conv_shape *s, int images)
{
    return (struct gemm_shape){ .m = conv_out_h(s) * conv_out_w(s),
                                .n = s->k / s->groups,
                                .k = s->c / s->groups * s->r * s->s,
                                .batch = s->groups > 1 ? s->groups : images };
}

const char *conv_im2col_unsupported(const struct conv_algorithm *a, const struct conv_shape *s)
{
    const struct gemm_shape g = im2col_product(s, 1);
    if (column_bytes(s) >= UINT64_C(1) << 32)
        return "the matrix has 2^30 elements or more";
    if (!conv_grid_fits(1, (uint64_t)s->c * (uint64_t)s->r * (uint64_t)s->s,
                        (uint64_t)im2col_images(s)))
        return "the matrix has too many rows";
    return conv_gemm_possible(a->precision, &g) ? NULL : "there is no kernel for the product";
}

uint64_t conv_im2col_workspace(const struct conv_algorithm *a, const struct conv_shape *s,
                               int sm_count)
{
    const struct gemm_shape g = im2col_product(s, im2col_images(s));
    return align_up((uint64_t)im2col_images(s) * column_bytes(s)) +
           conv_gemm_workspace(a->precision, &g, sm_count);
}

double conv_im2col_cost(const struct conv_algorithm *a, const struct conv_shape *s, int sm_count)
{
    const struct gemm_shape g = im2col_product(s, im2col_images(s));
    double passes = conv_ceil_div((uint64_t)s->n, (uint64_t)im2col_images(s));
    double moved = 2 * (double)s->n * (double)column_bytes(s) / sizeof(float);
    return (conv_gemm_cost(a->precision, &g, sm_count) + CONV_LAUNCH_COST) * passes +
           moved * CONV_ELEMENT_COST / (sm_count > 0 ? sm_count : 1);
}

static int write_columns(const struct conv_job *job, int first, int images, struct err *err)
{
    const struct conv_shape *s = job->shape;
    uint64_t column = job->buffers->workspace, image = (uint64_t)s->c * (uint64_t)(s->h * s->w);
    uint64_t input = job->buffers->input + sizeof(float) * image * (uint64_t)first;
    struct conv_im2col_args a = { .images = images,
                                  .channels = s->c,
                                  .input_h = s->h,
                                  .input_w = s->w,
                                  .output_h = conv_out_h(s),
                                  .output_w = conv_out_w(s),
                                  .filter_h = s->r,
                                  .filter_w = s->s,
                                  .stride_h = s->stride_h,
                                  .stride_w = s->stride_w,
                                  .pad_h = s->pad_h,
                                  .pad_w = s->pad_w,
                                  .dilation_h = s->dilation_h,
                                  .dilation_w = s->dilation_w };
    void *arguments[] = { &column, &input, &a };
    const unsigned grid[3] = { conv_ceil_div((uint64_t)(a.output_h * a.output_w),
                                             CONV_POINT_THREADS),
                               (unsigned)(s->c * s->r * s->s), (unsigned)images };
    return conv_launch(job, "im2col", grid, CONV_POINT_THREADS, arguments, err);
}

int conv_im2col_run(const struct conv_job *job, struct err *err)
{
    const struct conv_shape *s = job->shape;
    int most = im2col_images(s);
    uint64_t image = sizeof(float) * (uint64_t)s->k * (uint64_t)(conv_out_h(s) * conv_out_w(s));
    for (int first = 0; first < s->n; first += most) {
        int images = s->n - first < most ? s->n - first : most;
        const struct gemm_shape g = im2col_product(s, images);
        const struct gemm_buffers m = {
            .a = job->buffers->workspace,
            .b = job->buffers->weights,
            .c = job->buffers->output + image * (uint64_t)first,
            .workspace = job->buffers->workspace + align_up((uint64_t)most * column_bytes(s)),
            .share_b = s->groups == 1,
        };
        if (write_columns(job, first, images, err) || conv_gemm_run(job, &g, 0, &m, err))
            return -1;
    }
    return conv_gemm_finish(job, err);
}
