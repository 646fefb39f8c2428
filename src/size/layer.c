#include "size/layer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    enum layer_keeps keeps;
    unsigned flags;
} ops[] = {
#define LAYER_OP(id, word, keeps, flags) [LAYER_##id] = { word, LAYER_KEEPS_##keeps, flags },
#include "size/layer.def"
#undef LAYER_OP
};

const char *layer_op_word(enum layer_op op)
{
    return ops[op].word;
}

enum layer_op layer_op_find(const char *word)
{
    for (int op = 0; op < LAYER_OP_COUNT; op++)
        if (strcmp(ops[op].word, word) == 0)
            return (enum layer_op)op;
    return LAYER_OP_COUNT;
}

enum layer_keeps layer_keeps(enum layer_op op)
{
    return ops[op].keeps;
}

unsigned layer_flags(enum layer_op op)
{
    return ops[op].flags;
}

bool dims_grow(int64_t *elements, int64_t size)
{
    if (size < 0 || size > DIM_MOST || (size && *elements > ELEMENTS_MOST / size))
        return false;
    *elements *= size;
    return true;
}

int64_t dims_elements(const struct dims *dims)
{
    int64_t product = 1;
    for (int i = 0; i < dims->count; i++)
        if (dims->size[i] < 1 || !dims_grow(&product, dims->size[i]))
            return -1;
    return product;
}

bool dims_equal(const struct dims *a, const struct dims *b)
{
    return a->count == b->count &&
           memcmp(a->size, b->size, (size_t)a->count * sizeof a->size[0]) == 0;
}

const char *dims_text(const struct dims *dims, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (int i = 0; i < dims->count && used < size; i++) {
        int n = snprintf(to + used, size - used, "%s%" PRId64, i ? "x" : "", dims->size[i]);
        used += n < 0 ? size : (size_t)n;
    }
    return to;
}

int64_t layer_window(int64_t size, int64_t window, int64_t stride, int64_t pad, int64_t dilation,
                     bool ceil)
{
    int64_t left = size + 2 * pad - dilation * (window - 1) - 1;
    if (left < 0)
        return 0;
    int64_t steps = left / stride;
    if (ceil && left % stride && (steps + 1) * stride < size + pad)
        steps++;
    return steps + 1;
}

/* Each factor is at most DIM_MOST, so one product of two fits; the third is checked before. */
static int64_t times(int64_t a, int64_t b)
{
    const int64_t most = INT64_C(1) << 60;
    if (a < 0 || b < 0 || (b && a > most / b))
        return -1;
    return a * b;
}

static int count_conv(struct layer *l)
{
    const struct layer_conv *c = &l->conv;
    int64_t from = c->transposed ? c->k : c->c, to = c->transposed ? c->c : c->k;
    int64_t each = times(times(c->r, c->s), from / c->groups);
    int64_t positions = c->transposed ? times(c->h, c->w) : times(c->p, c->q);
    l->params = times(each, to) + (l->bias ? c->k : 0);
    l->macs = times(times(each, to), positions);
    return each < 0 || l->params < 0 ? -1 : 0;
}

static void count_gemm(struct layer *l)
{
    const struct layer_gemm *g = &l->gemm;
    l->macs = times(times(times(g->m, g->n), g->k), g->count);
    if (l->op == LAYER_LINEAR)
        l->params = times(g->n, g->k) + (l->bias ? g->n : 0);
}

int layer_count(struct layer *l, struct err *err)
{
    switch (l->op) {
    case LAYER_CONV:
        if (count_conv(l))
            l->macs = -1;
        break;
    case LAYER_LINEAR:
    case LAYER_MATMUL:
        count_gemm(l);
        break;
    default:
        break;
    }
    if (l->macs < 0 || l->macs > MACS_MOST || l->params < 0 || l->params > ELEMENTS_MOST || dims_elements(&l->out) < 0)
        return err_set(err, ERR_LIMIT, "layer '%s' is larger than any real one", l->name);
    return 0;
}
