#include "bench/case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/str.h"

static const char *const kinds[CASE_KIND_COUNT] = {
    [CASE_LOAD] = "load", [CASE_CEILING] = "ceiling", [CASE_GEMM] = "gemm",
    [CASE_CONV] = "conv", [CASE_LAYER] = "layer",     [CASE_NET] = "net",
};

static const char *const engines[ENGINE_COUNT] = {
    [ENGINE_SMFIT] = "smfit",       [ENGINE_CUBLAS] = "cublas", [ENGINE_CUDNN] = "cudnn",
    [ENGINE_OPENBLAS] = "openblas", [ENGINE_ONEDNN] = "onednn",
};

const char *case_kind_name(enum case_kind kind)
{
    return kinds[kind];
}

const char *case_engine_name(enum case_engine engine)
{
    return engines[engine];
}

bool case_is_cpu(const struct bench_case *c)
{
    return c->engine == ENGINE_OPENBLAS || c->engine == ENGINE_ONEDNN;
}

struct bench_case case_load(const char *family)
{
    struct bench_case c = { .kind = CASE_LOAD, .precision = BENCH_PRECISION_COUNT };
    str_copy(c.family, sizeof c.family, family);
    snprintf(c.name, sizeof c.name, "load/%s", family);
    str_copy(c.shape, sizeof c.shape, "-");
    c.flop = c.bytes = NAN;
    return c;
}

static void describe_size(struct bench_case *c, const struct ceiling *ceiling)
{
    const struct ceiling_size *s = &c->size;
    switch (ceiling->kind) {
    case CEILING_MEMORY:
    case CEILING_TRANSFER:
        snprintf(c->shape, sizeof c->shape, "%zu bytes", s->bytes);
        break;
    case CEILING_LAUNCH:
        snprintf(c->shape, sizeof c->shape, "%u threads", s->threads);
        break;
    case CEILING_ARITHMETIC:
    case CEILING_TENSOR:
    case CEILING_SHARED:
        snprintf(c->shape, sizeof c->shape, "%ux%u threads, %u rounds", s->blocks, s->threads,
                 s->rounds);
        break;
    }
}

struct bench_case case_ceiling(const struct ceiling *ceiling, const struct ceiling_size *size)
{
    struct bench_case c = { .kind = CASE_CEILING, .precision = ceiling->precision, .size = *size };
    bool arithmetic = ceiling->kind == CEILING_ARITHMETIC || ceiling->kind == CEILING_TENSOR;
    double work = ceiling_work(ceiling, size);
    str_copy(c.ceiling, sizeof c.ceiling, ceiling->name);
    snprintf(c.name, sizeof c.name, "ceiling/%s", ceiling->name);
    describe_size(&c, ceiling);
    c.flop = arithmetic ? work : NAN;
    c.bytes = arithmetic || ceiling->kind == CEILING_LAUNCH ? NAN : work;
    return c;
}

/* Integer sums are stored as int32, half ones as halves; the others as fp32. */
static double result_bytes(enum bench_precision precision)
{
    return precision == BENCH_DP4A || precision == BENCH_TC_INT8 ? 4
                                                                 : bench_precision_bytes(precision);
}

struct bench_case case_gemm(enum case_engine engine, enum bench_precision precision,
                            const struct gemm_shape *s)
{
    struct bench_case c = { CASE_GEMM, engine, precision, .gemm = *s };
    double element = bench_precision_bytes(precision), batch = s->batch;
    str_copy(c.name, sizeof c.name, s->batch > 1 ? "gemm/batched" : "gemm");
    int n = snprintf(c.shape, sizeof c.shape, "%c%c %dx%dx%d", s->trans_a ? 'T' : 'N',
                     s->trans_b ? 'T' : 'N', s->m, s->n, s->k);
    if (s->batch > 1)
        snprintf(c.shape + n, sizeof c.shape - (size_t)n, " x%d", s->batch);
    c.flop = gemm_flop(s);
    c.bytes = batch * (element * ((double)s->m * s->k + (double)s->k * s->n) +
                       result_bytes(precision) * s->m * s->n);
    return c;
}

static const char *const passes[] = {
    [CONV_FORWARD] = "conv",
    [CONV_BACKWARD_DATA] = "conv-data",
    [CONV_BACKWARD_WEIGHTS] = "conv-weights",
};

static void name_conv(struct bench_case *c)
{
    const struct conv_shape *s = &c->conv;
    char what[24];
    if (s->groups > 1 && s->groups == s->c)
        str_copy(what, sizeof what, "depthwise");
    else
        snprintf(what, sizeof what, "%dx%d%s", s->r, s->s, s->groups > 1 ? "-grouped" : "");
    snprintf(c->name, sizeof c->name, "%s/%s", passes[c->pass], what);
    int n = snprintf(c->shape, sizeof c->shape, "n%d c%d %dx%d k%d %dx%d", s->n, s->c, s->h, s->w,
                     s->k, s->r, s->s);
    const struct {
        char letter;
        int y, x, usual;
    } more[] = { { 's', s->stride_h, s->stride_w, 1 },
                 { 'p', s->pad_h, s->pad_w, 0 },
                 { 'd', s->dilation_h, s->dilation_w, 1 },
                 { 'g', s->groups, s->groups, 1 } };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        if (more[i].y == more[i].usual && more[i].x == more[i].usual)
            continue;
        n +=
            snprintf(c->shape + n, sizeof c->shape - (size_t)n, " %c%d", more[i].letter, more[i].y);
        if (more[i].x != more[i].y)
            n += snprintf(c->shape + n, sizeof c->shape - (size_t)n, "x%d", more[i].x);
    }
}

/* How many of `in` rows (or columns) of the input some filter meets: where the stride is longer
 * than the filter, or at an end that no output reaches, not all. */
static double positions_read(int in, int out, int pad, int dilation, int filter, int stride)
{
    int n = 0;
    for (int i = 0; i < in; i++) {
        bool met = false;
        for (int r = 0; r < filter && !met; r++) {
            int from = i + pad - r * dilation;
            met = from >= 0 && from % stride == 0 && from / stride < out;
        }
        n += met;
    }
    return n;
}

/* Elements of the input that must move: a gradient is written whole, with its zeros. */
static double input_moved(const struct conv_shape *s, enum conv_pass pass)
{
    if (pass == CONV_BACKWARD_DATA)
        return (double)s->n * s->c * s->h * s->w;
    return (double)s->n * s->c *
           positions_read(s->h, conv_out_h(s), s->pad_h, s->dilation_h, s->r, s->stride_h) *
           positions_read(s->w, conv_out_w(s), s->pad_w, s->dilation_w, s->s, s->stride_w);
}

struct bench_case case_conv(enum case_engine engine, enum bench_precision precision,
                            const struct conv_shape *s, enum conv_pass pass)
{
    struct bench_case c = { CASE_CONV, engine, precision, .conv = *s, .pass = pass };
    double out = (double)s->n * s->k * conv_out_h(s) * conv_out_w(s);
    double in = input_moved(s, pass);
    double weights = (double)s->k * (s->c / s->groups) * s->r * s->s;
    name_conv(&c);
    c.flop = conv_flop(s);
    c.bytes = bench_precision_bytes(precision) * (in + weights + out);
    return c;
}

struct bench_case case_net(enum case_engine engine, enum bench_precision precision, const char *net,
                           int batch)
{
    struct bench_case c = { CASE_NET, engine, precision, .batch = batch };
    str_copy(c.net, sizeof c.net, net);
    snprintf(c.name, sizeof c.name, "net/%s", net);
    snprintf(c.shape, sizeof c.shape, "batch %d", batch);
    c.flop = c.bytes = NAN;
    return c;
}

void case_row(const struct bench_case *c, bool simulated, struct row *row)
{
    row_init(row);
    str_copy(row->name, sizeof row->name, c->name);
    str_copy(row->shape, sizeof row->shape, c->shape);
    if (c->precision != BENCH_PRECISION_COUNT)
        str_copy(row->precision, sizeof row->precision, bench_precision_name(c->precision));
    str_copy(row->implementation, sizeof row->implementation, engines[c->engine]);
    str_copy(row->basis, sizeof row->basis,
             simulated && !case_is_cpu(c) ? "simulated" : "measured");
    row->flop = c->flop;
    row->bytes = c->bytes;
}
