#include "cli/net_layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/layers.h"

#define NOBODY SIZE_MAX
#define MANY   (SIZE_MAX - 1)

struct gathering {
    const struct net *net;
    size_t *reader; /* the one layer that reads this one; NOBODY, MANY */
    bool *inside;   /* an activation that is part of the launch before it */
    struct plan_layer *layers;
    size_t count;
    int without[LAYER_OP_COUNT], transposed;
};

/* ---- products ---- */

static struct conv_shape conv_of(const struct layer_conv *c)
{
    return (struct conv_shape){ 1,
                                (int)c->c,
                                (int)c->h,
                                (int)c->w,
                                (int)c->k,
                                (int)c->r,
                                (int)c->s,
                                (int)c->pad_h,
                                (int)c->pad_w,
                                (int)c->stride_h,
                                (int)c->stride_w,
                                (int)c->dilation_h,
                                (int)c->dilation_w,
                                (int)c->groups };
}

/* y = x * W^T with rows of m tokens, n features: column by column that is W^T times x, n x m. */
static struct gemm_shape linear_of(const struct layer_gemm *g)
{
    return (struct gemm_shape){ (int)g->n, (int)(g->m * g->count), (int)g->k, true, false, 1 };
}

static struct gemm_shape matmul_of(const struct layer_gemm *g)
{
    return (struct gemm_shape){ (int)g->n, (int)g->m, (int)g->k, false, false, (int)g->count };
}

/* ---- the list ---- */

static bool same(const struct plan_layer *a, const struct plan_layer *b)
{
    return a->kind == b->kind && memcmp(&a->conv, &b->conv, sizeof a->conv) == 0 &&
           memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0 && a->gemm.m == b->gemm.m &&
           a->gemm.n == b->gemm.n && a->gemm.k == b->gemm.k &&
           a->gemm.trans_a == b->gemm.trans_a && a->gemm.batch == b->gemm.batch;
}

static bool add(struct gathering *g, const struct plan_layer *l)
{
    size_t k = 0;
    while (k < g->count && !same(&g->layers[k], l))
        k++;
    if (k == g->count)
        g->layers[g->count++] = *l;
    else
        g->layers[k].count++;
    return true;
}

static bool add_pass(struct gathering *g, enum bench_layer op, const int *numbers)
{
    struct plan_layer l = { .kind = CASE_LAYER, .count = 1 };
    memcpy(l.numbers, numbers, sizeof l.numbers);
    l.numbers[0] = (int)op;
    return add(g, &l);
}

/* Element by element, over a tensor of up to three dimensions: channels come first. */
static bool add_point(struct gathering *g, enum bench_layer op, const struct dims *d)
{
    int numbers[CASE_LAYER_NUMBERS] = { 0, 1, 1, 1, 1 };
    if (d->count > 3)
        return false;
    for (int i = 0; i < d->count; i++)
        numbers[2 + i] = (int)d->size[i];
    return add_pass(g, op, numbers);
}

/* ---- what belongs together ---- */

/* Whether the only reader is this activation; it is then part of the launch. */
static bool takes(struct gathering *g, size_t i, enum layer_op activation)
{
    size_t next = g->reader[i];
    if (next == NOBODY || next == MANY || g->net->layers[next].op != activation)
        return false;
    g->inside[next] = true;
    return true;
}

static bool add_conv(struct gathering *g, size_t i)
{
    const struct layer *l = &g->net->layers[i];
    struct plan_layer conv = { .kind = CASE_CONV, .conv = conv_of(&l->conv), .count = 1 };
    if (l->conv.transposed) {
        g->transposed++;
        return true;
    }
    takes(g, i, LAYER_RELU);
    return add(g, &conv);
}

/* The bias is a feature's: of tokens x features it goes by the last dimension. */
static bool add_linear(struct gathering *g, size_t i)
{
    const struct layer *l = &g->net->layers[i];
    struct plan_layer product = { .kind = CASE_GEMM, .gemm = linear_of(&l->gemm), .count = 1 };
    int bias[CASE_LAYER_NUMBERS] = { 0, product.gemm.n, product.gemm.m, 1, 1 };
    add(g, &product);
    if (!l->bias)
        return true;
    return add_pass(g, takes(g, i, LAYER_RELU) ? BENCH_LAYER_BIAS_RELU : BENCH_LAYER_BIAS, bias);
}

static bool add_norm(struct gathering *g, size_t i)
{
    enum bench_layer op = BENCH_LAYER_BATCH_NORM;
    if (g->net->layers[i].out.count > 3)
        return false;
    if (takes(g, i, LAYER_RELU))
        op = BENCH_LAYER_BATCH_NORM_RELU;
    else if (takes(g, i, LAYER_RELU6))
        op = BENCH_LAYER_BATCH_NORM_RELU6;
    return add_point(g, op, &g->net->layers[i].out);
}

static bool add_sum(struct gathering *g, size_t i)
{
    const struct layer *l = &g->net->layers[i];
    if (l->input_count != 2 || l->out.count > 3)
        return false;
    for (size_t k = 0; k < 2; k++)
        if (!dims_equal(&net_input(g->net, l, k)->out, &l->out))
            return false;
    return add_point(g, takes(g, i, LAYER_RELU) ? BENCH_LAYER_ADD_RELU : BENCH_LAYER_ADD, &l->out);
}

/* ---- pools ---- */

static bool add_global(struct gathering *g, const struct dims *in)
{
    return in->count == 3 && add_point(g, BENCH_LAYER_GLOBAL_POOL, in);
}

/* Windows that end in the padding: the kernels have no others. */
static bool add_pool(struct gathering *g, enum bench_layer op, const struct layer_conv *c)
{
    const int numbers[CASE_LAYER_NUMBERS] = {
        0,        1,        (int)c->c,         (int)c->h,         (int)c->w,     (int)c->r,
        (int)c->s, (int)c->stride_h, (int)c->stride_w, (int)c->pad_h, (int)c->pad_w,
        op == BENCH_LAYER_AVERAGE_POOL && (c->pad_h || c->pad_w)
    };
    bool plain = c->dilation_h == 1 && c->dilation_w == 1 && c->pad_h < c->r && c->pad_w < c->s &&
                 c->p == layer_window(c->h, c->r, c->stride_h, c->pad_h, 1, false) &&
                 c->q == layer_window(c->w, c->s, c->stride_w, c->pad_w, 1, false);
    return plain && add_pass(g, op, numbers);
}

/* Where the output's sides divide the input's, the windows lie side by side. */
static bool add_adaptive(struct gathering *g, const struct layer *l, const struct dims *in)
{
    struct layer_conv c = l->conv;
    if (c.p == 1 && c.q == 1)
        return add_global(g, in);
    if (c.p < 1 || c.q < 1 || c.h % c.p || c.w % c.q)
        return false;
    c.r = c.stride_h = c.h / c.p;
    c.s = c.stride_w = c.w / c.q;
    c.pad_h = c.pad_w = 0;
    c.dilation_h = c.dilation_w = 1;
    return add_pool(g, BENCH_LAYER_AVERAGE_POOL, &c);
}

/* ---- all of them ---- */

/* False: no kernel does it. */
static bool gather(struct gathering *g, size_t i)
{
    const struct layer *l = &g->net->layers[i];
    struct plan_layer matmul = { .kind = CASE_GEMM, .count = 1 };
    if (g->inside[i] || (layer_flags(l->op) & LAYER_VIEW))
        return true;
    switch (l->op) {
    case LAYER_INPUT:
    case LAYER_DROPOUT:
        return true;
    case LAYER_CONV:
        return add_conv(g, i);
    case LAYER_LINEAR:
        return add_linear(g, i);
    case LAYER_MATMUL:
        matmul.gemm = matmul_of(&l->gemm);
        return add(g, &matmul);
    case LAYER_BATCHNORM:
        return add_norm(g, i);
    case LAYER_ADD:
        return add_sum(g, i);
    case LAYER_RELU:
        return add_point(g, BENCH_LAYER_BIAS_RELU, &l->out);
    case LAYER_MAXPOOL:
        return add_pool(g, BENCH_LAYER_MAX_POOL, &l->conv);
    case LAYER_AVGPOOL:
        return add_pool(g, BENCH_LAYER_AVERAGE_POOL, &l->conv);
    case LAYER_ADAPTIVEPOOL:
        return add_adaptive(g, l, &net_input(g->net, l, 0)->out);
    case LAYER_MEAN:
        return add_global(g, &net_input(g->net, l, 0)->out);
    default:
        return false;
    }
}

static void find_readers(struct gathering *g)
{
    const struct net *net = g->net;
    for (size_t i = 0; i < net->count; i++)
        g->reader[i] = NOBODY;
    for (size_t i = 0; i < net->count; i++)
        for (size_t k = 0; k < net->layers[i].input_count; k++) {
            size_t *reader = &g->reader[net->inputs[net->layers[i].first_input + k]];
            *reader = *reader == NOBODY ? i : MANY;
        }
}

static void name_rest(const struct gathering *g, char *to, size_t size)
{
    size_t n = 0;
    *to = 0;
    if (g->transposed)
        n += (size_t)snprintf(to, size, "%d transposed conv", g->transposed);
    for (int op = 0; op < LAYER_OP_COUNT; op++)
        if (g->without[op] && n < size)
            n += (size_t)snprintf(to + n, size - n, "%s%d %s", n ? ", " : "", g->without[op],
                                  layer_op_word((enum layer_op)op));
}

int net_layers_gather(const struct net *net, struct plan_layer *layers, size_t *count, char *without,
                      size_t size, struct err *err)
{
    struct gathering g = { .net = net, .layers = layers };
    g.reader = calloc(net->count + 1, sizeof *g.reader);
    g.inside = calloc(net->count + 1, sizeof *g.inside);
    bool enough = g.reader && g.inside;
    if (enough) {
        find_readers(&g);
        for (size_t i = 0; i < net->count; i++)
            if (!gather(&g, i))
                g.without[net->layers[i].op]++;
        name_rest(&g, without, size);
    }
    *count = g.count;
    free(g.reader);
    free(g.inside);
    return enough ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}
