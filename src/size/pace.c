#include "size/pace.h"

#include <math.h>

/* ---- passes over memory --------------------------------------------------------------------------
 * How often an operation reads or writes as many numbers as its output has, per direction; kernels. Eager PyTorch:
 * one kernel an operation, normalisations read twice. 0 passes: nothing is done (views; gradients that are passed on). */

struct passes {
    double train, infer, backward;
    int kernels, backward_kernels;
};

static struct passes passes_of(const struct layer *l)
{
    switch (l->op) {
    case LAYER_BATCHNORM:
    case LAYER_LAYERNORM:
        return (struct passes){ 3, 2, 5, 1, 1 };
    case LAYER_ADD:
        return (struct passes){ 3, 3, 3, 1, 1 };
    case LAYER_MUL:
    case LAYER_LRN:
        return (struct passes){ 3, 3, 5, 1, 2 };
    case LAYER_DROPOUT:
        return (struct passes){ 2.25, 0, 2.25, 1, 1 };
    case LAYER_INPUT:
    case LAYER_SLICE:
    case LAYER_FLATTEN:
    case LAYER_RESHAPE:
        return (struct passes){ 0, 0, 0, 0, 0 };
    case LAYER_CONCAT:
    case LAYER_SHUFFLE:
    case LAYER_PERMUTE:
    case LAYER_PAD:
    case LAYER_RESIZE:
    case LAYER_EMBEDDING:
        return (struct passes){ 2, 2, 2, 1, 1 };
    default:
        return (struct passes){ 2, 2, 3, 1, 1 };
    }
}

/* Pools read more than they write; all else is counted by its output. */
static double moved_elements(const struct net *net, const struct layer *l, double passes)
{
    double out = (double)dims_elements(&l->out);
    bool pool = l->op == LAYER_MAXPOOL || l->op == LAYER_AVGPOOL || l->op == LAYER_ADAPTIVEPOOL ||
                l->op == LAYER_MEAN || l->op == LAYER_OTHER;
    if (!pool || passes <= 0)
        return passes * out;
    double in = 0;
    for (size_t i = 0; i < l->input_count; i++)
        in += (double)dims_elements(&net_input(net, l, i)->out);
    return passes / 2 * (in + out);
}

/* ---- operations ------------------------------------------------------------------------------------- */

static int narrow(double value)
{
    return value > 2e9 ? 2000000000 : (int)value;
}

static struct time_op gemm_op(double m, double n, double k, double count)
{
    return (struct time_op){ .kind = TIME_OP_GEMM,
                             .gemm = { .m = narrow(m), .n = narrow(n), .k = narrow(k),
                                       .count = narrow(count) } };
}

/* As BLAS sees it, a linear layer of m tokens is out x tokens = weights (out x in) * tokens. */
static struct time_op gemm_of(const struct layer *l, enum time_pass pass, int batch)
{
    const struct layer_gemm *g = &l->gemm;
    double rows = (double)g->m, in = (double)g->k, out = (double)g->n, count = (double)g->count;
    if (l->op == LAYER_LINEAR)
        rows *= batch;
    else
        count *= batch;
    if (pass == TIME_BACKWARD_DATA)
        return gemm_op(in, rows, out, count);
    if (pass == TIME_BACKWARD_WEIGHTS)
        return gemm_op(out, in, rows, count);
    return gemm_op(out, rows, in, count);
}

/* A transposed convolution is the backward pass of the one that leads from its output to its input. */
static struct time_op conv_of(const struct layer *l, enum time_pass pass, int batch)
{
    const struct layer_conv *c = &l->conv;
    struct time_op op = { .kind = TIME_OP_CONV };
    op.conv = (struct time_conv){
        .w = narrow((double)c->w), .h = narrow((double)c->h), .c = narrow((double)c->c), .n = batch,
        .k = narrow((double)c->k), .r = narrow((double)c->r), .s = narrow((double)c->s),
        .pad_w = narrow((double)c->pad_w), .pad_h = narrow((double)c->pad_h),
        .stride_w = narrow((double)c->stride_w), .stride_h = narrow((double)c->stride_h),
        .dilation_w = narrow((double)c->dilation_w), .dilation_h = narrow((double)c->dilation_h),
        .groups = narrow((double)c->groups), .pass = pass,
    };
    if (c->transposed) {
        op.conv.w = narrow((double)c->q);
        op.conv.h = narrow((double)c->p);
        op.conv.c = narrow((double)c->k);
        op.conv.k = narrow((double)c->c);
        op.conv.pass = pass == TIME_FORWARD         ? TIME_BACKWARD_DATA
                       : pass == TIME_BACKWARD_DATA ? TIME_FORWARD
                                                    : pass;
    }
    return op;
}

static bool computes(const struct layer *l)
{
    return l->op == LAYER_CONV || l->op == LAYER_LINEAR || l->op == LAYER_MATMUL;
}

static struct time_op op_of(const struct layer *l, enum time_pass pass, int batch)
{
    return l->op == LAYER_CONV ? conv_of(l, pass, batch) : gemm_of(l, pass, batch);
}

/* The first layer has nobody to hand a gradient of its input to. */
static bool reads_input(const struct net *net, const struct layer *l)
{
    return l->input_count && net_input(net, l, 0)->op == LAYER_INPUT;
}

/* ---- sums --------------------------------------------------------------------------------------------- */

static void add_span(struct pace_span *to, const struct pace_span *more)
{
    to->low += more->low;
    to->mid += more->mid;
    to->high += more->high;
}

struct sum {
    const struct time_model *model;
    const struct measured *measured; /* NULL: nothing */
    struct pace *pace;
    struct pace_span span;
    struct time_result last;
};

/* What was measured of the layer's forward pass holds for its backward passes in proportion. */
static bool by_forward(const struct sum *s, const struct time_op *op, struct measured_span *ms)
{
    struct time_op forward = *op;
    struct time_result model;
    if (op->kind != TIME_OP_CONV || op->conv.pass == TIME_FORWARD)
        return false;
    forward.conv.pass = TIME_FORWARD;
    time_predict(s->model, &forward, &model);
    if (model.reason || model.ms <= 0 || !measured_find(s->measured, s->model, &forward, ms))
        return false;
    double factor = s->last.ms / model.ms;
    *ms = (struct measured_span){ ms->low * factor, ms->mid * factor, ms->high * factor };
    return true;
}

/* Passes over memory go at the rate of a measured copy. */
static bool by_copy(const struct sum *s, const struct time_op *op, struct measured_span *ms)
{
    const struct measured *m = s->measured;
    if (op->kind != TIME_OP_TRAFFIC || m->copy_gbps <= 0 || s->last.ms <= 0)
        return false;
    double mid = op->traffic.bytes / m->copy_gbps / 1e6 + op->traffic.launches * m->launch_us / 1e3;
    double factor = mid / s->last.ms;
    *ms = (struct measured_span){ s->last.low_ms * factor, mid, s->last.high_ms * factor };
    return true;
}

static bool is_measured(const struct sum *s, const struct time_op *op, struct measured_span *ms)
{
    return s->measured && (measured_find(s->measured, s->model, op, ms) || by_forward(s, op, ms) ||
                           by_copy(s, op, ms));
}

static void add_op(struct sum *s, const struct time_op *op)
{
    struct measured_span ms;
    time_predict(s->model, op, &s->last);
    if (s->last.reason) {
        s->pace->reason = s->last.reason;
        return;
    }
    if (is_measured(s, op, &ms)) {
        s->last.low_ms = ms.low;
        s->last.ms = ms.mid;
        s->last.high_ms = ms.high;
        s->pace->measured += ms.mid;
    }
    add_span(&s->span, &(struct pace_span){ s->last.low_ms, s->last.ms, s->last.high_ms });
    if (s->last.bound == TIME_BOUND_MEMORY)
        s->pace->memory_bound += s->last.ms;
    if (s->last.bound == TIME_BOUND_LATENCY)
        s->pace->launch_bound += s->last.ms;
}

static void add_traffic(struct sum *s, double bytes, int launches)
{
    struct time_op op = { .kind = TIME_OP_TRAFFIC };
    op.traffic = (struct time_traffic){ bytes, launches };
    if (launches > 0 && bytes > 0)
        add_op(s, &op);
}

static double element_bytes(enum precision precision)
{
    return precision_activation_bytes(precision);
}

static void forward(const struct net *net, const struct layer *l, const struct pace_ask *ask,
                    struct sum *s, struct pace_layer *to)
{
    s->span = (struct pace_span){ 0, 0, 0 };
    s->last = (struct time_result){ .bound = TIME_BOUND_MEMORY };
    if (computes(l)) {
        struct time_op op = op_of(l, TIME_FORWARD, ask->batch);
        add_op(s, &op);
    } else {
        struct passes p = passes_of(l);
        double moved = moved_elements(net, l, ask->training ? p.train : p.infer);
        add_traffic(s, moved * ask->batch * element_bytes(ask->precision), p.kernels);
    }
    to->forward = s->span;
    to->bound = s->last.bound;
    to->flop = s->last.flop;
    to->bytes = s->last.bytes;
}

static void backward(const struct net *net, const struct layer *l, const struct pace_ask *ask,
                     struct sum *s, struct pace_layer *to)
{
    s->span = (struct pace_span){ 0, 0, 0 };
    if (computes(l)) {
        struct time_op op = op_of(l, TIME_BACKWARD_WEIGHTS, ask->batch);
        add_op(s, &op);
        op = op_of(l, TIME_BACKWARD_DATA, ask->batch);
        if (!reads_input(net, l))
            add_op(s, &op);
    } else {
        struct passes p = passes_of(l);
        double moved = moved_elements(net, l, p.backward);
        add_traffic(s, moved * ask->batch * element_bytes(ask->precision), p.backward_kernels);
    }
    to->backward = s->span;
}

/* Reads and writes of weights, gradients and states. PyTorch updates many tensors with one kernel: 64 or so. */
static void update(const struct net *net, const struct pace_ask *ask, struct sum *s)
{
    static const double touched[MEMORY_OPTIMIZER_COUNT] = { 3, 5, 7 };
    static const int kernels[MEMORY_OPTIMIZER_COUNT] = { 1, 2, 6 };
    const struct net_totals t = net_totals(net);
    double bytes = (double)t.params * touched[ask->optimizer] * precision_master_bytes(ask->precision);
    s->span = (struct pace_span){ 0, 0, 0 };
    add_traffic(s, bytes, kernels[ask->optimizer] * (int)(t.weight_tensors / 64 + 1));
}

enum time_precision pace_arithmetic(const struct time_card *card, enum precision precision)
{
    switch (precision) {
    case PRECISION_FP16_STORAGE:
        return TIME_FP16_STORAGE;
    case PRECISION_FP16:
        return card->tensor_ratio > 0 ? TIME_FP16_MIXED : TIME_FP16;
    case PRECISION_AMP:
        return card->tensor_ratio > 0 ? TIME_FP16_MIXED : TIME_FP16_STORAGE;
    case PRECISION_INT8:
        return TIME_INT8;
    default:
        return TIME_FP32;
    }
}

static void total(struct pace *pace, const struct pace_ask *ask)
{
    add_span(&pace->total, &pace->forward);
    if (ask->training) {
        if (ask->checkpoint)
            add_span(&pace->total, &pace->forward); /* once more, part by part */
        add_span(&pace->total, &pace->backward);
        add_span(&pace->total, &pace->update);
    }
    double all = pace->forward.mid + pace->backward.mid + pace->update.mid;
    pace->memory_bound = all > 0 ? pace->memory_bound / all : 0;
    pace->launch_bound = all > 0 ? pace->launch_bound / all : 0;
    pace->measured = all > 0 ? pace->measured / all : 0;
}

void pace_card(const struct net *net, const struct time_model *model, const struct pace_ask *ask,
               struct pace *pace, struct pace_layer *layers)
{
    struct sum s = { .model = model, .measured = ask->measured, .pace = pace };
    *pace = (struct pace){ .reason = model->reason };
    for (size_t i = 0; i < net->count && !pace->reason; i++) {
        const struct layer *l = &net->layers[i];
        struct pace_layer here = { .flop = 0 };
        forward(net, l, ask, &s, &here);
        if (ask->training)
            backward(net, l, ask, &s, &here);
        add_span(&pace->forward, &here.forward);
        add_span(&pace->backward, &here.backward);
        if (layers)
            layers[i] = here;
    }
    if (ask->training && !pace->reason) {
        update(net, ask, &s);
        pace->update = s.span;
    }
    total(pace, ask);
}

/* ---- the processor -------------------------------------------------------------------------------------- */

/* A roof over arithmetic and memory, layer by layer; each has a start of 5 us (threads are woken). */
static struct pace_span on_host(const struct host *h, double flop, double bytes)
{
    double low = fmax(flop / h->gflops.high, bytes / h->gbps.high) / 1e6;
    double mid = fmax(flop / h->gflops.mid, bytes / h->gbps.mid) / 1e6;
    double high = fmax(flop / h->gflops.low, bytes / h->gbps.low) / 1e6;
    return (struct pace_span){ low + 0.001, mid + 0.005, high + 0.02 };
}

/* Its backward passes in proportion. */
static void put_measured(const struct layer *l, const struct pace_ask *ask, struct pace *pace,
                         struct pace_layer *to)
{
    struct time_op op = op_of(l, TIME_FORWARD, ask->batch);
    struct measured_span ms;
    if (!ask->measured || !measured_find(ask->measured, NULL, &op, &ms) || to->forward.mid <= 0)
        return;
    double factor = ms.mid / to->forward.mid;
    to->forward = (struct pace_span){ ms.low, ms.mid, ms.high };
    to->backward.low *= factor;
    to->backward.mid *= factor;
    to->backward.high *= factor;
    pace->measured += ms.mid + to->backward.mid;
}

static void host_layer(const struct net *net, const struct layer *l, const struct host *h,
                       const struct pace_ask *ask, struct pace *pace, struct pace_layer *to)
{
    double flop = 2 * (double)l->macs * ask->batch, bytes = 0;
    struct passes p = passes_of(l);
    if (!computes(l) && p.kernels == 0)
        return;
    if (computes(l)) {
        bytes = (double)dims_elements(&l->out) * ask->batch + (double)l->params;
        for (size_t i = 0; i < l->input_count; i++)
            bytes += (double)dims_elements(&net_input(net, l, i)->out) * ask->batch;
    } else {
        bytes = moved_elements(net, l, ask->training ? p.train : p.infer) * ask->batch;
    }
    to->flop = flop;
    to->bytes = 4 * bytes;
    to->forward = on_host(h, flop, to->bytes);
    to->bound = flop / h->gflops.mid > to->bytes / h->gbps.mid ? TIME_BOUND_COMPUTE
                                                               : TIME_BOUND_MEMORY;
    if (ask->training)
        to->backward = on_host(h, 2 * flop, (computes(l) ? 2 : p.backward / p.train) * to->bytes);
    if (computes(l))
        put_measured(l, ask, pace, to);
}

void pace_host(const struct net *net, const struct host *h, const struct pace_ask *ask,
               struct pace *pace, struct pace_layer *layers)
{
    *pace = (struct pace){ .reason = h->known ? NULL : "size.no_host" };
    for (size_t i = 0; i < net->count && !pace->reason; i++) {
        struct pace_layer here = { .flop = 0 };
        host_layer(net, &net->layers[i], h, ask, pace, &here);
        add_span(&pace->forward, &here.forward);
        add_span(&pace->backward, &here.backward);
        if (layers)
            layers[i] = here;
    }
    if (ask->training && !pace->reason)
        pace->update = on_host(h, 0, 5 * 4 * (double)net_totals(net).params);
    total(pace, ask);
}

struct pace_span pace_rate(const struct pace *pace, int batch)
{
    struct pace_span r = { 0, 0, 0 };
    if (pace->reason || pace->total.low <= 0)
        return r;
    r.low = 1000.0 * batch / pace->total.high;
    r.mid = 1000.0 * batch / pace->total.mid;
    r.high = 1000.0 * batch / pace->total.low;
    return r;
}
