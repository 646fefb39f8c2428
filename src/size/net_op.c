/* The operations of layer files: what a line with its keys makes of its inputs. */
#include <string.h>

#include "size/net_line.h"

/* What an operation works on. */
struct work {
    struct line *line;
    const struct layer *const *inputs;
    size_t count;
    struct layer *layer;
    struct err *err;
};

static const struct dims *input(const struct work *w, size_t i)
{
    return &w->inputs[i]->out;
}

static int refuse(const struct work *w, const char *what)
{
    char dims[96];
    return err_set(w->err, ERR_FORMAT, "'%s' %s; it gets %s", w->line->op, what,
                   dims_text(input(w, 0), dims, sizeof dims));
}

static int need_image(const struct work *w)
{
    return input(w, 0)->count == 3 ? 0 : refuse(w, "reads C x H x W");
}

/* kernel, stride, pad, dilation; then the output's extent. */
static int window(const struct work *w, int64_t default_stride, bool ceil)
{
    struct layer_conv *c = &w->layer->conv;
    const struct dims *in = input(w, 0);
    int64_t kernel[2], stride[2], pad[2], dilation[2];
    if (need_image(w) || line_pair(w->line, "kernel", 1, 0, kernel, w->err) ||
        line_pair(w->line, "stride", 1, default_stride ? default_stride : kernel[0], stride,
                  w->err) ||
        line_pair(w->line, "pad", 0, 0, pad, w->err) ||
        line_pair(w->line, "dilation", 1, 1, dilation, w->err))
        return -1;
    *c = (struct layer_conv){
        .c = in->size[0], .h = in->size[1], .w = in->size[2],
        .r = kernel[0], .s = kernel[1], .pad_h = pad[0], .pad_w = pad[1],
        .stride_h = stride[0], .stride_w = stride[1],
        .dilation_h = dilation[0], .dilation_w = dilation[1],
    };
    c->p = layer_window(c->h, c->r, c->stride_h, c->pad_h, c->dilation_h, ceil);
    c->q = layer_window(c->w, c->s, c->stride_w, c->pad_w, c->dilation_w, ceil);
    if (c->p < 1 || c->q < 1)
        return refuse(w, "does not fit into its input: the image is too small");
    return 0;
}

static void put_image(struct layer *l)
{
    l->out = (struct dims){ 3, { l->conv.k, l->conv.p, l->conv.q } };
}

static int conv(const struct work *w)
{
    struct layer *l = w->layer;
    int64_t k, groups;
    bool depthwise = strcmp(w->line->op, "dwconv") == 0;
    if (window(w, 1, false) ||
        line_number(w->line, "out", 1, depthwise ? l->conv.c : 0, &k, w->err) ||
        line_number(w->line, "groups", 1, depthwise ? l->conv.c : 1, &groups, w->err) ||
        line_flag(w->line, "bias", true, &l->bias, w->err))
        return -1;
    if (l->conv.c % groups || k % groups)
        return refuse(w, "has channels that its groups do not divide");
    l->conv.k = k;
    l->conv.groups = groups;
    put_image(l);
    return 0;
}

static int pool(const struct work *w)
{
    bool ceil;
    if (line_flag(w->line, "ceil", false, &ceil, w->err) || window(w, 0, ceil))
        return -1;
    w->layer->conv.k = w->layer->conv.groups = w->layer->conv.c;
    put_image(w->layer);
    return 0;
}

static int adaptive(const struct work *w)
{
    int64_t side[2];
    const struct dims *in = input(w, 0);
    if (need_image(w) || line_pair(w->line, "out", 1, 0, side, w->err))
        return -1;
    struct layer_conv *c = &w->layer->conv;
    *c = (struct layer_conv){ .c = in->size[0], .h = in->size[1], .w = in->size[2],
                              .k = in->size[0], .p = side[0], .q = side[1], .groups = in->size[0],
                              .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1 };
    c->r = (c->h + c->p - 1) / c->p;
    c->s = (c->w + c->q - 1) / c->q;
    put_image(w->layer);
    return 0;
}

/* Over the positions of an image, or over tokens. */
static int mean(const struct work *w)
{
    const struct dims *in = input(w, 0);
    if (in->count == 2)
        w->layer->out = (struct dims){ 1, { in->size[1] } };
    else if (need_image(w))
        return -1;
    else
        w->layer->out = (struct dims){ 3, { in->size[0], 1, 1 } };
    return 0;
}

static int linear(const struct work *w)
{
    struct layer *l = w->layer;
    const struct dims *in = input(w, 0);
    int64_t out, rows = 1;
    if (line_number(w->line, "out", 1, 0, &out, w->err) ||
        line_flag(w->line, "bias", true, &l->bias, w->err))
        return -1;
    if (in->count < 1 || in->count > 2)
        return refuse(w, "reads features, or tokens x features");
    l->out = *in;
    l->out.size[in->count - 1] = out;
    if (in->count == 2)
        rows = in->size[0];
    l->gemm = (struct layer_gemm){ 1, rows, out, in->size[in->count - 1] };
    return 0;
}

static int embedding(const struct work *w)
{
    int64_t out, rows;
    if (line_number(w->line, "out", 1, 0, &out, w->err) ||
        line_number(w->line, "rows", 1, 0, &rows, w->err))
        return -1;
    if (input(w, 0)->count != 1)
        return refuse(w, "reads tokens");
    w->layer->out = (struct dims){ 2, { input(w, 0)->size[0], out } };
    w->layer->params = out * rows;
    return 0;
}

/* a: tokens x features, seen as heads x tokens x part, or heads x m x k already. */
static int heads_of(const struct work *w, size_t i, int64_t heads, int64_t form[3])
{
    const struct dims *in = input(w, i);
    if (in->count == 3) {
        memcpy(form, in->size, 3 * sizeof form[0]);
        return in->size[0] == heads ? 0 : refuse(w, "reads another number of heads");
    }
    if (in->count != 2 || in->size[1] % heads)
        return refuse(w, "reads tokens x features that its heads divide");
    form[0] = heads;
    form[1] = in->size[0];
    form[2] = in->size[1] / heads;
    return 0;
}

static int matmul(const struct work *w)
{
    int64_t heads, a[3], b[3];
    bool transpose;
    if (line_number(w->line, "heads", 1, 1, &heads, w->err) ||
        line_flag(w->line, "transpose", false, &transpose, w->err) ||
        heads_of(w, 0, heads, a) || heads_of(w, 1, heads, b))
        return -1;
    int64_t k = transpose ? b[2] : b[1], n = transpose ? b[1] : b[2];
    if (a[2] != k)
        return refuse(w, "reads matrices that do not match");
    w->layer->gemm = (struct layer_gemm){ heads, a[1], n, k };
    w->layer->out = transpose ? (struct dims){ 3, { heads, a[1], n } }
                              : (struct dims){ 2, { a[1], heads * n } };
    return 0;
}

static int same(const struct work *w)
{
    w->layer->out = *input(w, 0);
    return line_flag(w->line, "inplace", false, &w->layer->inplace, w->err);
}

static int norm(const struct work *w)
{
    struct layer *l = w->layer;
    const struct dims *in = input(w, 0);
    if (in->count < 1)
        return refuse(w, "reads no number by itself");
    l->out = *in;
    l->bias = true;
    bool batch = l->op == LAYER_BATCHNORM;
    int64_t width = batch ? in->size[0] : in->size[in->count - 1];
    l->params = 2 * width;
    l->buffers = batch ? 2 * width + 1 : 0;
    l->rows = batch ? width : dims_elements(in) / width;
    return 0;
}

/* A smaller operand is spread over the larger one: its sizes are the same, or 1. */
static int broadcast(const struct work *w)
{
    struct layer *l = w->layer;
    l->out = *input(w, 0);
    for (size_t i = 1; i < w->count; i++) {
        const struct dims *in = input(w, i);
        if (in->count != l->out.count)
            return refuse(w, "reads layers of different shapes");
        for (int d = 0; d < in->count; d++) {
            if (l->out.size[d] != in->size[d] && l->out.size[d] != 1 && in->size[d] != 1)
                return refuse(w, "reads layers of different shapes");
            if (in->size[d] > l->out.size[d])
                l->out.size[d] = in->size[d];
        }
    }
    return line_flag(w->line, "inplace", false, &l->inplace, w->err);
}

static int concat(const struct work *w)
{
    struct layer *l = w->layer;
    l->out = *input(w, 0);
    for (size_t i = 1; i < w->count; i++) {
        struct dims in = *input(w, i);
        int64_t channels = in.count ? in.size[0] : 0;
        if (in.count)
            in.size[0] = l->out.size[0];
        if (!in.count || !dims_equal(&in, &l->out))
            return refuse(w, "reads layers that differ in more than channels");
        l->out.size[0] += channels;
    }
    return 0;
}

static int shuffle(const struct work *w)
{
    int64_t groups;
    if (need_image(w) || line_number(w->line, "groups", 1, 0, &groups, w->err))
        return -1;
    w->layer->out = *input(w, 0);
    return input(w, 0)->size[0] % groups ? refuse(w, "has channels that its groups do not divide")
                                         : 0;
}

static int slice(const struct work *w)
{
    int64_t of, part;
    struct dims *out = &w->layer->out;
    if (line_number(w->line, "of", 1, 0, &of, w->err) ||
        line_number(w->line, "part", 0, 0, &part, w->err))
        return -1;
    *out = *input(w, 0);
    int last = out->count == 3 ? 0 : out->count - 1;
    if (last < 0 || out->size[last] % of || part >= of)
        return refuse(w, "has no such part");
    out->size[last] /= of;
    return 0;
}

static int flatten(const struct work *w)
{
    int64_t elements = dims_elements(input(w, 0));
    w->layer->out = (struct dims){ 1, { elements } };
    return 0;
}

static int resize(const struct work *w)
{
    int64_t scale;
    if (need_image(w) || line_number(w->line, "scale", 1, 2, &scale, w->err))
        return -1;
    w->layer->out = *input(w, 0);
    w->layer->out.size[1] *= scale;
    w->layer->out.size[2] *= scale;
    return 0;
}

static int permute(const struct work *w)
{
    w->layer->out = *input(w, 0);
    return 0;
}

static const struct {
    const char *word;
    int (*shape)(const struct work *w);
    size_t least, most; /* inputs */
} shapes[] = {
    { "conv", conv, 1, 1 },
    { "dwconv", conv, 1, 1 },
    { "linear", linear, 1, 1 },
    { "matmul", matmul, 2, 2 },
    { "embedding", embedding, 1, 1 },
    { "batchnorm", norm, 1, 1 },
    { "layernorm", norm, 1, 1 },
    { "maxpool", pool, 1, 1 },
    { "avgpool", pool, 1, 1 },
    { "adaptivepool", adaptive, 1, 1 },
    { "globalpool", mean, 1, 1 },
    { "add", broadcast, 2, LINE_INPUTS_MAX },
    { "mul", broadcast, 2, LINE_INPUTS_MAX },
    { "concat", concat, 2, LINE_INPUTS_MAX },
    { "shuffle", shuffle, 1, 1 },
    { "slice", slice, 1, 1 },
    { "flatten", flatten, 1, 1 },
    { "resize", resize, 1, 1 },
    { "permute", permute, 1, 1 },
    { "other", permute, 1, LINE_INPUTS_MAX },
    { "relu", same, 1, 1 },
    { "relu6", same, 1, 1 },
    { "leakyrelu", same, 1, 1 },
    { "hardswish", same, 1, 1 },
    { "silu", same, 1, 1 },
    { "gelu", same, 1, 1 },
    { "hardsigmoid", same, 1, 1 },
    { "sigmoid", same, 1, 1 },
    { "tanh", same, 1, 1 },
    { "softmax", same, 1, 1 },
    { "dropout", same, 1, 1 },
};

static int keys_used(const struct line *line, struct err *err)
{
    for (size_t i = 0; i < line->key_count; i++)
        if (!line->keys[i].used)
            return err_set(err, ERR_FORMAT, "'%s' has no key '%s'", line->op, line->keys[i].key);
    return 0;
}

int line_layer(struct line *line, const struct layer *const *inputs, size_t input_count,
               struct layer *layer, struct err *err)
{
    const struct work w = { line, inputs, input_count, layer, err };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (strcmp(shapes[i].word, line->op) != 0)
            continue;
        if (input_count < shapes[i].least || input_count > shapes[i].most)
            return err_set(err, ERR_FORMAT, "'%s' reads %zu layers", line->op, input_count);
        layer->op = shapes[i].shape == conv ? LAYER_CONV : layer_op_find(line->op);
        return shapes[i].shape(&w) ? -1 : keys_used(line, err);
    }
    return err_set(err, ERR_FORMAT, "no operation '%s' is known", line->op);
}
