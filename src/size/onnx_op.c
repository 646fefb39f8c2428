/* ONNX operators that compute: convolutions, matrix products, pools, normalisations, functions of each element. */
#include <string.h>

#include "size/onnx_graph.h"

/* ---- windows ----------------------------------------------------------------------------------- */

/* One spatial direction of a convolution or pool. */
struct side {
    int64_t in, window, stride, dilation, begin, end, out;
};

static int bounded(const struct node *n, const int64_t *values, int count, int64_t least)
{
    for (int i = 0; i < count; i++)
        if (values[i] < least || values[i] > DIM_MOST)
            return node_fail(n, "has a kernel, stride, dilation or padding that makes no sense");
    return 0;
}

/* An attribute with a number for each direction; `missing` where it is not there. */
static int directions(const struct node *n, const char *name, int count, int64_t missing,
                      int64_t least, int64_t *to)
{
    int got = node_ints(n, name, to, count);
    if (got >= 0 && got != count)
        return node_fail(n, "has attributes for another number of dimensions");
    for (int i = 0; i < count && got < 0; i++)
        to[i] = missing;
    return bounded(n, to, count, least);
}

static bool auto_pad(const struct node *n, const char *kind)
{
    const Onnx__AttributeProto *a = node_attribute(n, "auto_pad");
    return a && a->has_s && a->s.len >= strlen(kind) && memcmp(a->s.data, kind, strlen(kind)) == 0;
}

static int read_windows(const struct node *n, struct side *sides, int count)
{
    int64_t stride[2], dilation[2], pads[4];
    if (directions(n, "strides", count, 1, 1, stride) ||
        directions(n, "dilations", count, 1, 1, dilation) ||
        directions(n, "pads", 2 * count, 0, 0, pads))
        return -1;
    for (int i = 0; i < count; i++) {
        struct side *s = &sides[i];
        s->stride = stride[i];
        s->dilation = dilation[i];
        s->begin = pads[i];
        s->end = pads[count + i];
        if (auto_pad(n, "VALID"))
            s->begin = s->end = 0;
    }
    return 0;
}

/* Input and window are in `sides` already. */
static int place_windows(const struct node *n, struct side *sides, int count, bool ceil)
{
    for (int i = 0; i < count; i++) {
        struct side *s = &sides[i];
        int64_t left = s->in + s->begin + s->end - s->dilation * (s->window - 1) - 1;
        s->out = left < 0 ? 0 : left / s->stride + 1;
        if (ceil && left >= 0 && left % s->stride && s->out * s->stride < s->in + s->begin)
            s->out++;
        if (auto_pad(n, "SAME")) {
            s->out = (s->in + s->stride - 1) / s->stride;
            s->begin = s->dilation * (s->window - 1) / 2;
        }
        if (s->out < 1)
            return node_fail(n, "does not fit into its input: the image is too small");
    }
    return 0;
}

static void put_sides(struct layer_conv *c, const struct side *sides, int count)
{
    static const struct side one = { 1, 1, 1, 1, 0, 0, 1 };
    const struct side *h = count == 2 ? &sides[0] : &one, *w = &sides[count - 1];
    c->h = h->in;
    c->w = w->in;
    c->r = h->window;
    c->s = w->window;
    c->p = h->out;
    c->q = w->out;
    c->pad_h = h->begin;
    c->pad_w = w->begin;
    c->stride_h = h->stride;
    c->stride_w = w->stride;
    c->dilation_h = h->dilation;
    c->dilation_w = w->dilation;
}

static void put_dims(struct dims *full, const struct value *in, int64_t channels,
                     const struct side *sides, int count)
{
    *full = (struct dims){ 2 + count, { in->dims.size[0], channels } };
    for (int i = 0; i < count; i++)
        full->size[2 + i] = sides[i].out;
}

/* How many directions the input has: images and signals are read, volumes are not. */
static int spatial(const struct value *in)
{
    return in ? in->dims.count - 2 : 0;
}

/* ---- convolutions -------------------------------------------------------------------------------- */

static int transposed_sides(const struct node *n, struct side *sides, int count)
{
    int64_t extra[2], shape[4];
    if (directions(n, "output_padding", count, 0, 0, extra))
        return -1;
    int stated = node_ints(n, "output_shape", shape, 4);
    for (int i = 0; i < count; i++) {
        struct side *s = &sides[i];
        int64_t span = s->dilation * (s->window - 1) + 1;
        s->out = s->stride * (s->in - 1) + extra[i] + span - s->begin - s->end;
        if (auto_pad(n, "SAME"))
            s->out = s->in * s->stride;
        if (stated >= count)
            s->out = shape[stated - count + i];
        if (s->out < 1 || s->out > DIM_MOST)
            return node_fail(n, "makes an output of no sensible size");
    }
    return 0;
}

static int conv_with(struct node *n, size_t weight_input, size_t bias_input, bool transposed)
{
    const struct value *in = n->in_count ? n->in[0] : NULL;
    const struct value *w = weight_input < n->in_count ? n->in[weight_input] : NULL;
    int count = spatial(in);
    if (!in || !w)
        return node_fail(n, "lacks an input");
    if (count < 1 || count > 2 || !w->known || w->dims.count != count + 2)
        return node_emit_other(n, false);
    struct side sides[2] = { { .in = 0 }, { .in = 0 } };
    for (int i = 0; i < count; i++) {
        sides[i].in = in->dims.size[2 + i];
        sides[i].window = w->dims.size[2 + i];
    }
    int64_t groups = node_int(n, "group", 1), c = in->dims.size[1];
    int64_t outer = w->dims.size[0], inner = w->dims.size[1];
    if (groups < 1 || groups > DIM_MOST || dims_elements(&w->dims) < 0 || outer % groups ||
        (transposed ? outer != c : inner * groups != c))
        return node_fail(n, "has weights that do not match its input");
    if (read_windows(n, sides, count) ||
        (transposed ? transposed_sides(n, sides, count) : place_windows(n, sides, count, false)))
        return -1;
    struct layer l = { .op = LAYER_CONV, .bias = bias_input < n->in_count && n->in[bias_input] };
    struct dims full;
    l.conv.c = c;
    l.conv.k = transposed ? inner * groups : outer;
    l.conv.groups = groups;
    l.conv.transposed = transposed;
    put_sides(&l.conv, sides, count);
    put_dims(&full, in, l.conv.k, sides, count);
    return node_emit(n, 0, &l, &full);
}

static int conv(struct node *n, enum layer_op op)
{
    (void)op;
    return conv_with(n, 1, 2, false);
}

static int conv_transpose(struct node *n, enum layer_op op)
{
    (void)op;
    return conv_with(n, 1, 2, true);
}

static int conv_quantized(struct node *n, enum layer_op op)
{
    (void)op;
    return conv_with(n, 3, 8, false);
}

/* ---- matrix products ------------------------------------------------------------------------------- */

static int64_t each(const struct node *n, int64_t count)
{
    return count > n->graph->batch ? count / n->graph->batch : 1;
}

static int gemm(struct node *n, enum layer_op op)
{
    (void)op;
    const struct value *a = n->in_count > 1 ? n->in[0] : NULL, *b = a ? n->in[1] : NULL;
    if (!a || !b || !b->known || a->dims.count != 2 || b->dims.count != 2)
        return node_fail(n, "does not read two matrices");
    int ta = node_int(n, "transA", 0) != 0, tb = node_int(n, "transB", 0) != 0;
    int64_t m = a->dims.size[ta], k = a->dims.size[1 - ta];
    if (b->dims.size[tb] != k)
        return node_fail(n, "reads matrices that do not match");
    int64_t out = b->dims.size[1 - tb];
    struct layer l = { .op = b->constant ? LAYER_LINEAR : LAYER_MATMUL,
                       .bias = n->in_count > 2 && n->in[2] };
    l.gemm = (struct layer_gemm){ 1, each(n, m), out, k };
    return node_emit(n, 0, &l, &(struct dims){ 2, { m, out } });
}

/* Leading dimensions are broadcast against each other. */
static int leading(const struct node *n, const struct dims *a, const struct dims *b,
                   struct dims *full, int64_t *products)
{
    int count = a->count > b->count ? a->count : b->count;
    *products = 1;
    full->count = count;
    for (int i = 0; i < count - 2; i++) {
        int ia = i - (count - a->count), ib = i - (count - b->count);
        int64_t da = ia < 0 ? 1 : a->size[ia], db = ib < 0 ? 1 : b->size[ib];
        if (da != db && da != 1 && db != 1)
            return node_fail(n, "reads matrices that do not match");
        full->size[i] = da > db ? da : db;
        if (!dims_grow(products, full->size[i]))
            return node_fail(n, "makes a tensor larger than any real one");
    }
    return 0;
}

static int matmul_with(struct node *n, size_t second)
{
    const struct value *a = n->in_count > second ? n->in[0] : NULL, *b = a ? n->in[second] : NULL;
    if (!a || !b || !a->known || !b->known || a->dims.count < 2 || b->dims.count < 2)
        return node_emit_other(n, false);
    int64_t m = a->dims.size[a->dims.count - 2], k = a->dims.size[a->dims.count - 1];
    int64_t out = b->dims.size[b->dims.count - 1], products;
    struct dims full;
    if (b->dims.size[b->dims.count - 2] != k)
        return node_fail(n, "reads matrices that do not match");
    if (leading(n, &a->dims, &b->dims, &full, &products))
        return -1;
    full.size[full.count - 2] = m;
    full.size[full.count - 1] = out;
    bool weights = b->constant && b->dims.count == 2;
    struct layer l = { .op = weights ? LAYER_LINEAR : LAYER_MATMUL };
    int64_t rows = products > DIM_MOST || m > DIM_MOST ? DIM_MOST : products * m;
    if (weights)
        l.gemm = (struct layer_gemm){ 1, each(n, rows), out, k };
    else if (products > 1)
        l.gemm = (struct layer_gemm){ each(n, products), m, out, k };
    else
        l.gemm = (struct layer_gemm){ 1, each(n, m), out, k };
    return node_emit(n, 0, &l, &full);
}

static int matmul(struct node *n, enum layer_op op)
{
    (void)op;
    return matmul_with(n, 1);
}

static int matmul_quantized(struct node *n, enum layer_op op)
{
    (void)op;
    return matmul_with(n, 3);
}

/* ---- pools ------------------------------------------------------------------------------------------- */

static int pool(struct node *n, enum layer_op op)
{
    const struct value *in = n->in[0];
    int count = spatial(in);
    if (count < 1 || count > 2)
        return node_emit_other(n, false);
    struct side sides[2] = { { .in = 0 }, { .in = 0 } };
    int64_t window[2];
    if (directions(n, "kernel_shape", count, 0, 1, window))
        return -1;
    for (int i = 0; i < count; i++) {
        sides[i].in = in->dims.size[2 + i];
        sides[i].window = window[i];
    }
    if (read_windows(n, sides, count) ||
        place_windows(n, sides, count, node_int(n, "ceil_mode", 0) != 0))
        return -1;
    struct layer l = { .op = op };
    struct dims full;
    l.conv.c = l.conv.k = l.conv.groups = in->dims.size[1];
    put_sides(&l.conv, sides, count);
    put_dims(&full, in, l.conv.k, sides, count);
    return node_emit(n, 0, &l, &full);
}

static int global_pool(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    if (full.count < 3)
        return node_fail(n, "reads no image");
    for (int i = 2; i < full.count; i++)
        full.size[i] = 1;
    return node_emit(n, 0, &(struct layer){ .op = op }, &full);
}

static int reduce(struct node *n, enum layer_op op)
{
    struct dims in = n->in[0]->dims, full = { 0, { 0 } };
    int64_t axes[DIMS_MAX];
    bool gone[DIMS_MAX] = { false }, keep = node_int(n, "keepdims", 1) != 0;
    int count = node_ints(n, "axes", axes, DIMS_MAX);
    if (count < 0)
        count = node_input_ints(n, 1, axes, DIMS_MAX);
    if (count < 0 && n->in_count > 1 && n->in[1])
        return node_emit_other(n, false);
    for (int i = 0; i < count; i++) {
        int axis = node_axis(axes[i], in.count);
        if (axis < 0)
            return node_fail(n, "has an axis that its input has not");
        gone[axis] = true;
    }
    for (int i = 0; i < in.count; i++)
        if (!gone[i] && count >= 0)
            full.size[full.count++] = in.size[i];
        else if (keep)
            full.size[full.count++] = 1;
    return node_emit(n, 0, &(struct layer){ .op = op }, &full);
}

/* ---- normalisations and functions of each element ------------------------------------------------- */

static int norm(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    struct layer l = { .op = op, .bias = n->in_count > 2 && n->in[2] };
    if (in->count < 2)
        return node_fail(n, "reads no channels");
    int64_t elements = dims_elements(in);
    if (elements < 1)
        return node_fail(n, "reads an empty tensor");
    l.rows = op == LAYER_BATCHNORM ? in->size[1] : each(n, elements / in->size[in->count - 1]);
    return node_emit(n, 0, &l, in);
}

/* Channels are the rows: one mean and variance each. */
static int norm_instance(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    struct layer l = { .op = op, .bias = true, .rows = in->count > 1 ? in->size[1] : 1 };
    return node_emit(n, 0, &l, in);
}

static int same(struct node *n, enum layer_op op)
{
    return node_emit(n, 0, &(struct layer){ .op = op }, &n->in[0]->dims);
}

int onnx_broadcast(struct node *n, struct dims *full)
{
    *full = (struct dims){ 0, { 0 } };
    for (size_t i = 0; i < n->in_count; i++)
        if (n->in[i] && n->in[i]->known && n->in[i]->dims.count > full->count)
            full->count = n->in[i]->dims.count;
    for (int d = 0; d < full->count; d++)
        full->size[d] = 1;
    for (size_t i = 0; i < n->in_count; i++) {
        if (!n->in[i] || !n->in[i]->known)
            continue;
        const struct dims *in = &n->in[i]->dims;
        for (int d = 0; d < in->count; d++) {
            int64_t *to = &full->size[full->count - in->count + d];
            if (*to != in->size[d] && *to != 1 && in->size[d] != 1)
                return node_fail(n, "reads tensors whose shapes do not match");
            if (*to == 1)
                *to = in->size[d];
        }
    }
    return 0;
}

static int broadcast(struct node *n, enum layer_op op)
{
    struct dims full;
    if (onnx_broadcast(n, &full))
        return -1;
    return node_emit(n, 0, &(struct layer){ .op = op }, &full);
}

static const struct onnx_op ops[] = {
    { "Conv", conv, LAYER_CONV },
    { "ConvInteger", conv, LAYER_CONV },
    { "QLinearConv", conv_quantized, LAYER_CONV },
    { "ConvTranspose", conv_transpose, LAYER_CONV },
    { "Gemm", gemm, LAYER_LINEAR },
    { "MatMul", matmul, LAYER_MATMUL },
    { "MatMulInteger", matmul, LAYER_MATMUL },
    { "QLinearMatMul", matmul_quantized, LAYER_MATMUL },
    { "MaxPool", pool, LAYER_MAXPOOL },
    { "AveragePool", pool, LAYER_AVGPOOL },
    { "LpPool", pool, LAYER_AVGPOOL },
    { "GlobalAveragePool", global_pool, LAYER_MEAN },
    { "GlobalMaxPool", global_pool, LAYER_MEAN },
    { "ReduceMean", reduce, LAYER_MEAN },
    { "ReduceSum", reduce, LAYER_MEAN },
    { "ReduceMax", reduce, LAYER_MEAN },
    { "ReduceMin", reduce, LAYER_MEAN },
    { "ReduceL2", reduce, LAYER_MEAN },
    { "BatchNormalization", norm, LAYER_BATCHNORM },
    { "LayerNormalization", norm, LAYER_LAYERNORM },
    { "InstanceNormalization", norm_instance, LAYER_LAYERNORM },
    { "GroupNormalization", norm_instance, LAYER_LAYERNORM },
    { "LRN", same, LAYER_LRN },
    { "Relu", same, LAYER_RELU },
    { "LeakyRelu", same, LAYER_LEAKYRELU },
    { "PRelu", same, LAYER_PRELU },
    { "Clip", same, LAYER_RELU6 },
    { "Sigmoid", same, LAYER_SIGMOID },
    { "Tanh", same, LAYER_TANH },
    { "HardSwish", same, LAYER_HARDSWISH },
    { "HardSigmoid", same, LAYER_HARDSIGMOID },
    { "Gelu", same, LAYER_GELU },
    { "Softmax", same, LAYER_SOFTMAX },
    { "LogSoftmax", same, LAYER_SOFTMAX },
    { "Dropout", same, LAYER_DROPOUT },
    { "Elu", same, LAYER_POINTWISE },
    { "Selu", same, LAYER_POINTWISE },
    { "Celu", same, LAYER_POINTWISE },
    { "Softplus", same, LAYER_POINTWISE },
    { "Softsign", same, LAYER_POINTWISE },
    { "Mish", same, LAYER_POINTWISE },
    { "ThresholdedRelu", same, LAYER_POINTWISE },
    { "Erf", same, LAYER_POINTWISE },
    { "Exp", same, LAYER_POINTWISE },
    { "Log", same, LAYER_POINTWISE },
    { "Sqrt", same, LAYER_POINTWISE },
    { "Abs", same, LAYER_POINTWISE },
    { "Neg", same, LAYER_POINTWISE },
    { "Reciprocal", same, LAYER_POINTWISE },
    { "Floor", same, LAYER_POINTWISE },
    { "Ceil", same, LAYER_POINTWISE },
    { "Round", same, LAYER_POINTWISE },
    { "Sin", same, LAYER_POINTWISE },
    { "Cos", same, LAYER_POINTWISE },
    { "Not", same, LAYER_POINTWISE },
    { "Cast", same, LAYER_POINTWISE },
    { "QuantizeLinear", same, LAYER_POINTWISE },
    { "DequantizeLinear", same, LAYER_POINTWISE },
    { "LpNormalization", same, LAYER_POINTWISE },
    { "Add", broadcast, LAYER_ADD },
    { "Sub", broadcast, LAYER_ADD },
    { "Sum", broadcast, LAYER_ADD },
    { "Mean", broadcast, LAYER_ADD },
    { "Max", broadcast, LAYER_ADD },
    { "Min", broadcast, LAYER_ADD },
    { "Mul", broadcast, LAYER_MUL },
    { "Div", broadcast, LAYER_MUL },
    { "Pow", broadcast, LAYER_MUL },
    { "Where", broadcast, LAYER_MUL },
    { "Equal", broadcast, LAYER_ADD },
    { "Less", broadcast, LAYER_ADD },
    { "Greater", broadcast, LAYER_ADD },
    { "And", broadcast, LAYER_ADD },
    { "Or", broadcast, LAYER_ADD },
};

const struct onnx_op *onnx_op_find(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}
