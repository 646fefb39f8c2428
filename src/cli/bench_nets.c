#include "cli/bench_nets.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "size/nets.h"

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

static bool convert(const struct layer *l, struct plan_layer *to)
{
    *to = (struct plan_layer){ .count = 1 };
    switch (l->op) {
    case LAYER_CONV:
        to->is_conv = true;
        to->conv = conv_of(&l->conv);
        return !l->conv.transposed;
    case LAYER_LINEAR:
        to->gemm = linear_of(&l->gemm);
        return true;
    case LAYER_MATMUL:
        to->gemm = matmul_of(&l->gemm);
        return true;
    default:
        return false;
    }
}

static bool same(const struct plan_layer *a, const struct plan_layer *b)
{
    return a->is_conv == b->is_conv && memcmp(&a->conv, &b->conv, sizeof a->conv) == 0 &&
           a->gemm.m == b->gemm.m && a->gemm.n == b->gemm.n && a->gemm.k == b->gemm.k &&
           a->gemm.trans_a == b->gemm.trans_a && a->gemm.batch == b->gemm.batch;
}

/* Reading and reshaping take no time of their own that matters. */
static bool is_work(const struct layer *l)
{
    return l->op != LAYER_INPUT && !(layer_flags(l->op) & LAYER_VIEW) && l->op != LAYER_DROPOUT;
}

static size_t gather(const struct net *net, struct plan_layer *layers, int *others)
{
    size_t n = 0;
    for (size_t i = 0; i < net->count; i++) {
        struct plan_layer l;
        size_t k = 0;
        if (!convert(&net->layers[i], &l)) {
            *others += is_work(&net->layers[i]);
            continue;
        }
        while (k < n && !same(&layers[k], &l))
            k++;
        if (k < n)
            layers[k].count++;
        else
            layers[n++] = l;
    }
    return n;
}

int bench_nets_add(struct bench_nets *nets, const struct net *net, struct err *err)
{
    size_t at = nets->count;
    if (at == BENCH_NETS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d networks", BENCH_NETS_MAX);
    struct plan_net *to = &nets->list[at];
    *to = (struct plan_net){ .others = 0 };
    str_copy(nets->names[at], sizeof nets->names[at], net->name);
    nets->layers[at] = calloc(net->count + 1, sizeof *nets->layers[at]);
    if (!nets->layers[at])
        return err_set(err, ERR_MEMORY, "out of memory");
    to->name = nets->names[at];
    to->layers = nets->layers[at];
    to->count = gather(net, nets->layers[at], &to->others);
    nets->count++;
    return 0;
}

static int load(struct bench_nets *nets, const char *name, struct err *err)
{
    struct net net;
    if (nets_find(&net, name, (struct net_image){ 0 }, err))
        return -1;
    int failed = bench_nets_add(nets, &net, err);
    net_free(&net);
    return failed;
}

int bench_nets_load(struct bench_nets *nets, const char *const *names, size_t count,
                    struct err *err)
{
    *nets = (struct bench_nets){ .count = 0 };
    for (size_t i = 0; i < count && i < BENCH_NETS_MAX; i++)
        if (load(nets, names[i], err))
            return -1;
    return 0;
}

void bench_nets_free(struct bench_nets *nets)
{
    for (size_t i = 0; i < nets->count; i++)
        free(nets->layers[i]);
    *nets = (struct bench_nets){ .count = 0 };
}
