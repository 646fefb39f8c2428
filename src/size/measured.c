#include "size/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The batch of an operation, as far as it grows with it: images of a convolution, columns or products. */
static int *batch_of(struct time_op *op)
{
    if (op->kind == TIME_OP_CONV)
        return &op->conv.n;
    return op->gemm.count > 1 ? &op->gemm.count : &op->gemm.n;
}

static int batch(const struct time_op *op)
{
    struct time_op copy = *op;
    return *batch_of(&copy);
}

static bool same_gemm(const struct time_gemm *a, const struct time_gemm *b)
{
    return a->m == b->m && a->k == b->k && a->trans_a == b->trans_a && a->trans_b == b->trans_b &&
           (a->count > 1 ? b->count > 1 && a->n == b->n : b->count <= 1);
}

static bool same_conv(const struct time_conv *a, const struct time_conv *b)
{
    return a->w == b->w && a->h == b->h && a->c == b->c && a->k == b->k && a->s == b->s &&
           a->r == b->r && a->pad_w == b->pad_w && a->pad_h == b->pad_h &&
           a->stride_w == b->stride_w && a->stride_h == b->stride_h &&
           a->dilation_w == b->dilation_w && a->dilation_h == b->dilation_h &&
           a->groups == b->groups && a->pass == b->pass;
}

/* But for the batch. */
static bool same_shape(const struct time_op *a, const struct time_op *b)
{
    if (a->kind != b->kind || a->kind == TIME_OP_TRAFFIC)
        return false;
    return a->kind == TIME_OP_GEMM ? same_gemm(&a->gemm, &b->gemm) : same_conv(&a->conv, &b->conv);
}

static struct measured_op *find(const struct measured *m, const struct measured_op *like)
{
    for (size_t i = 0; i < m->count; i++) {
        struct measured_op *known = &m->list[i];
        if (known->precision == like->precision && same_shape(&known->op, &like->op) &&
            batch(&known->op) == batch(&like->op))
            return known;
    }
    return NULL;
}

static int append(struct measured *m, const struct measured_op *op, struct err *err)
{
    if (m->count == m->room) {
        size_t room = m->room ? 2 * m->room : 64;
        struct measured_op *grown = realloc(m->list, room * sizeof *grown);
        if (!grown)
            return err_set(err, ERR_MEMORY, "out of memory");
        m->list = grown;
        m->room = room;
    }
    m->list[m->count++] = *op;
    return 0;
}

int measured_add(struct measured *m, const struct measured_op *op, struct err *err)
{
    struct measured_op *known = find(m, op);
    if (!known)
        return append(m, op, err);
    if (op->ms.mid < known->ms.mid)
        known->ms = op->ms;
    return 0;
}

int measured_replace(struct measured *m, const struct measured *fresh, struct err *err)
{
    for (size_t i = 0; i < fresh->count; i++) {
        struct measured_op *known = find(m, &fresh->list[i]);
        if (known)
            known->ms = fresh->list[i].ms;
        else if (append(m, &fresh->list[i], err))
            return -1;
    }
    if (fresh->copy_gbps > 0)
        m->copy_gbps = fresh->copy_gbps;
    if (fresh->launch_us > 0)
        m->launch_us = fresh->launch_us;
    return 0;
}

void measured_free(struct measured *m)
{
    free(m->list);
    *m = (struct measured){ .list = NULL };
}

/* The two measured batches to draw the line through: around `wanted`, else the two nearest to it. */
static void neighbours(const struct measured *m, enum time_precision precision,
                       const struct time_op *op, const struct measured_op *found[2])
{
    int wanted = batch(op);
    found[0] = found[1] = NULL;
    for (size_t i = 0; i < m->count; i++) {
        const struct measured_op *one = &m->list[i];
        if (one->precision != precision || !same_shape(&one->op, op))
            continue;
        int away = abs(batch(&one->op) - wanted);
        if (!found[0] || away < abs(batch(&found[0]->op) - wanted)) {
            found[1] = found[0];
            found[0] = one;
        } else if (!found[1] || away < abs(batch(&found[1]->op) - wanted)) {
            found[1] = one;
        }
    }
}

static struct measured_span scaled(const struct measured_span *ms, double factor)
{
    return (struct measured_span){ ms->low * factor, ms->mid * factor, ms->high * factor };
}

/* Never below what the smaller batch took for less work, nor above its time an image. */
static double on_line(double t1, int n1, double t2, int n2, int n)
{
    double t = t1 + (t2 - t1) * (n - n1) / (double)(n2 - n1);
    double least = n >= n1 ? t1 : t1 * n / n1, most = n >= n1 ? t1 * n / n1 : t1;
    return fmin(fmax(t, least), most);
}

bool measured_find(const struct measured *m, const struct time_model *model,
                   const struct time_op *op, struct measured_span *ms)
{
    const struct measured_op *near[2];
    int wanted = batch(op);
    neighbours(m, model ? model->precision : TIME_FP32, op, near);
    if (!near[0])
        return false;
    int have = batch(&near[0]->op);
    *ms = near[0]->ms;
    if (have == wanted)
        return true;
    if (near[1]) {
        int other = batch(&near[1]->op);
        const struct measured_span *a = &near[0]->ms, *b = &near[1]->ms;
        ms->low = on_line(a->low, have, b->low, other, wanted);
        ms->mid = on_line(a->mid, have, b->mid, other, wanted);
        ms->high = on_line(a->high, have, b->high, other, wanted);
        return true;
    }
    struct time_result there = { .ms = 0 }, here = { .ms = 0 };
    if (model) {
        time_predict(model, &near[0]->op, &there);
        time_predict(model, op, &here);
    }
    bool known = model && !there.reason && !here.reason && there.ms > 0;
    *ms = scaled(&near[0]->ms, known ? here.ms / there.ms : (double)wanted / have);
    return true;
}
