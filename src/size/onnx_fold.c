/* Constants of an ONNX graph: exporters compute shapes with nodes of their own (Shape, Gather, Concat ...), and those
 * numbers decide what Reshape does. Only small tensors are computed; of the others the shape alone is kept. */
#include <math.h>
#include <string.h>

#include "size/onnx_graph.h"

static void put_count(struct value *out, int count, bool vector)
{
    out->number_count = count;
    out->folded = out->known = true;
    out->dims = vector ? (struct dims){ 1, { count } } : (struct dims){ 0, { 0 } };
}

static void fold_constant(struct node *n)
{
    struct value *out = n->out;
    const Onnx__AttributeProto *a;
    if ((a = node_attribute(n, "value")) && a->t) {
        node_tensor(n, a->t);
    } else if ((a = node_attribute(n, "value_int")) && a->has_i) {
        out->numbers[0] = (double)a->i;
        out->integer = true;
        put_count(out, 1, false);
    } else if ((a = node_attribute(n, "value_float")) && a->has_f) {
        out->numbers[0] = (double)a->f;
        put_count(out, 1, false);
    } else if ((a = node_attribute(n, "value_ints")) && a->n_ints <= VALUE_NUMBERS_MAX) {
        for (size_t i = 0; i < a->n_ints; i++)
            out->numbers[i] = (double)a->ints[i];
        out->integer = true;
        put_count(out, (int)a->n_ints, true);
    } else if ((a = node_attribute(n, "value_floats")) && a->n_floats <= VALUE_NUMBERS_MAX) {
        for (size_t i = 0; i < a->n_floats; i++)
            out->numbers[i] = (double)a->floats[i];
        put_count(out, (int)a->n_floats, true);
    }
}

static void fold_shape(struct node *n)
{
    const struct value *in = n->in[0];
    if (!in || !in->known)
        return;
    int64_t begin = node_int(n, "start", 0), end = node_int(n, "end", in->dims.count);
    begin = begin < 0 ? begin + in->dims.count : begin;
    end = end < 0 ? end + in->dims.count : end;
    int count = 0;
    for (int64_t i = 0; i < in->dims.count; i++)
        if (i >= begin && i < end)
            n->out->numbers[count++] = (double)in->dims.size[i];
    n->out->integer = true;
    put_count(n->out, count, true);
}

static void fold_size(struct node *n)
{
    if (!n->in[0] || !n->in[0]->known)
        return;
    n->out->numbers[0] = (double)dims_elements(&n->in[0]->dims);
    n->out->integer = true;
    put_count(n->out, 1, false);
}

static bool is(const struct node *n, const char *op)
{
    return strcmp(n->proto->op_type, op) == 0;
}

static void shape_reshaped(struct node *n)
{
    int64_t elements = dims_elements(&n->in[0]->dims), rest = 1;
    struct dims d;
    int open = -1;
    d.count = node_input_ints(n, 1, d.size, DIMS_MAX);
    for (int i = 0; i < d.count; i++) {
        if (d.size[i] == -1)
            open = i;
        else if (d.size[i] < 1 || !dims_grow(&rest, d.size[i]))
            return;
    }
    if (d.count < 0 || elements < 1)
        return;
    if (open >= 0)
        d.size[open] = elements / rest;
    n->out->dims = d;
    n->out->known = dims_elements(&d) == elements;
}

/* One axis taken away or put in: exporters do no more with numbers. */
static void shape_squeezed(struct node *n)
{
    const struct dims *in = &n->in[0]->dims;
    struct dims d = { 0, { 0 } };
    int64_t axes[DIMS_MAX];
    bool grows = is(n, "Unsqueeze"), at[DIMS_MAX] = { false };
    int count = node_ints(n, "axes", axes, DIMS_MAX);
    if (count < 0)
        count = node_input_ints(n, 1, axes, DIMS_MAX);
    int rank = in->count + (grows ? count : 0);
    if (rank > DIMS_MAX || (grows && count < 0))
        return;
    for (int i = 0; i < count; i++) {
        int axis = node_axis(axes[i], rank);
        if (axis < 0)
            return;
        at[axis] = true;
    }
    for (int i = 0, from = 0; i < rank && from <= in->count; i++)
        if (grows && at[i])
            d.size[d.count++] = 1;
        else if (grows || (count < 0 ? in->size[i] != 1 : !at[i]))
            d.size[d.count++] = in->size[grows ? from++ : i];
    n->out->dims = d;
    n->out->known = true;
}

/* The numbers stay; of the shape at most ones come or go. */
static void fold_same(struct node *n)
{
    const struct value *in = n->in[0];
    struct value *out = n->out;
    if (!in->known)
        return;
    if (is(n, "Reshape")) {
        shape_reshaped(n);
    } else if (is(n, "Squeeze") || is(n, "Unsqueeze")) {
        shape_squeezed(n);
    } else {
        out->dims = in->dims;
        out->known = true;
    }
    if (!in->folded || !out->known)
        return;
    memcpy(out->numbers, in->numbers, (size_t)in->number_count * sizeof in->numbers[0]);
    out->number_count = in->number_count;
    out->folded = true;
    out->integer = in->integer;
    if (is(n, "Cast")) {
        int64_t to = node_int(n, "to", 0);
        out->integer = to == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
                       to == ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
        for (int i = 0; out->integer && i < out->number_count; i++)
            out->numbers[i] = trunc(out->numbers[i]);
    }
}

static void fold_gather(struct node *n)
{
    const struct value *in = n->in[0], *at = n->in_count > 1 ? n->in[1] : NULL;
    if (!in || !at || !in->folded || !at->folded || in->dims.count != 1)
        return;
    for (int i = 0; i < at->number_count; i++) {
        double where = at->numbers[i] < 0 ? at->numbers[i] + in->number_count : at->numbers[i];
        if (!(where >= 0 && where < in->number_count))
            return;
        n->out->numbers[i] = in->numbers[(int)where];
    }
    n->out->integer = in->integer;
    put_count(n->out, at->number_count, at->dims.count > 0);
}

static void fold_concat(struct node *n)
{
    int count = 0;
    n->out->integer = true;
    for (size_t i = 0; i < n->in_count; i++) {
        const struct value *in = n->in[i];
        if (!in || !in->folded || count + in->number_count > VALUE_NUMBERS_MAX)
            return;
        memcpy(n->out->numbers + count, in->numbers, (size_t)in->number_count * sizeof(double));
        count += in->number_count;
        n->out->integer = n->out->integer && in->integer;
    }
    put_count(n->out, count, true);
}

static void fold_slice(struct node *n)
{
    const struct value *in = n->in[0];
    int64_t begin = 0, end = 0, step = 1;
    if (!in || !in->folded || in->dims.count > 1)
        return;
    if (node_ints(n, "starts", &begin, 1) < 0 && node_input_ints(n, 1, &begin, 1) < 0)
        return;
    if (node_ints(n, "ends", &end, 1) < 0 && node_input_ints(n, 2, &end, 1) < 0)
        return;
    if (node_input_ints(n, 4, &step, 1) >= 0 && step == 0)
        return;
    int size = in->number_count, count = 0;
    begin = begin < 0 ? begin + size : begin;
    end = end < 0 && end >= -size ? end + size : end;
    if (step < 0 && begin >= size)
        begin = size - 1;
    if (step > size || step < -size - 1)
        step = step > 0 ? size + 1 : -size - 1;
    for (int64_t i = begin < 0 ? 0 : begin; i >= 0 && i < size && (step > 0 ? i < end : i > end);
         i += step)
        n->out->numbers[count++] = in->numbers[i];
    n->out->integer = in->integer;
    put_count(n->out, count, true);
}

static double apply(const char *op, double a, double b, bool integer, bool *known)
{
    if (strcmp(op, "Add") == 0)
        return a + b;
    if (strcmp(op, "Sub") == 0)
        return a - b;
    if (strcmp(op, "Mul") == 0)
        return a * b;
    if (strcmp(op, "Div") == 0 && b != 0)
        return integer ? trunc(a / b) : a / b;
    if (strcmp(op, "Mod") == 0 && b != 0)
        return fmod(a, b);
    if (strcmp(op, "Min") == 0)
        return a < b ? a : b;
    if (strcmp(op, "Max") == 0)
        return a > b ? a : b;
    if (strcmp(op, "Equal") == 0)
        return a == b;
    if (strcmp(op, "Greater") == 0)
        return a > b;
    if (strcmp(op, "Less") == 0)
        return a < b;
    *known = false;
    return 0;
}

static void fold_binary(struct node *n)
{
    const struct value *a = n->in[0], *b = n->in_count > 1 ? n->in[1] : NULL;
    if (!a || !b || !a->folded || !b->folded || !a->number_count || !b->number_count)
        return;
    int count = a->number_count > b->number_count ? a->number_count : b->number_count;
    if ((a->number_count != count && a->number_count != 1) ||
        (b->number_count != count && b->number_count != 1))
        return;
    bool known = true;
    n->out->integer = a->integer && b->integer;
    for (int i = 0; i < count; i++)
        n->out->numbers[i] =
            apply(n->proto->op_type, a->numbers[a->number_count == 1 ? 0 : i],
                  b->numbers[b->number_count == 1 ? 0 : i], n->out->integer, &known);
    if (!known)
        return;
    bool first = a->number_count > b->number_count ||
                 (a->number_count == b->number_count && a->dims.count >= b->dims.count);
    n->out->dims = first ? a->dims : b->dims;
    n->out->number_count = count;
    n->out->folded = n->out->known = true;
}

static void fold_unary(struct node *n)
{
    const struct value *in = n->in[0];
    if (!in || !in->folded)
        return;
    char kind = n->proto->op_type[0];
    for (int i = 0; i < in->number_count; i++) {
        double v = in->numbers[i];
        n->out->numbers[i] = kind == 'F'   ? floor(v)
                             : kind == 'C' ? ceil(v)
                             : kind == 'N' ? -v
                                           : sqrt(v < 0 ? 0 : v);
    }
    n->out->integer = in->integer;
    n->out->dims = in->dims;
    n->out->number_count = in->number_count;
    n->out->folded = n->out->known = true;
}

static void fold_where(struct node *n)
{
    if (n->in_count != 3)
        return;
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (!n->in[i] || !n->in[i]->folded || !n->in[i]->number_count)
            return;
        count = n->in[i]->number_count > count ? n->in[i]->number_count : count;
    }
    for (int i = 0; i < count; i++) {
        double v[3];
        for (int k = 0; k < 3; k++) {
            int own = n->in[k]->number_count;
            if (own != 1 && own != count)
                return;
            v[k] = n->in[k]->numbers[own == 1 ? 0 : i];
        }
        n->out->numbers[i] = v[0] != 0 ? v[1] : v[2];
    }
    n->out->integer = n->in[1]->integer;
    put_count(n->out, count, true);
}

static void fold_filled(struct node *n)
{
    int64_t dims[DIMS_MAX], elements = 1;
    int count = node_input_ints(n, 0, dims, DIMS_MAX);
    if (count < 0)
        return;
    for (int i = 0; i < count; i++) {
        if (!dims_grow(&elements, dims[i]))
            return;
        n->out->dims.size[i] = dims[i];
    }
    n->out->dims.count = count;
    n->out->known = true;
    const Onnx__AttributeProto *a = node_attribute(n, "value");
    double value = 0;
    if (a && (!a->t || !onnx_number(a->t, 0, &value)))
        return;
    if (elements > VALUE_NUMBERS_MAX)
        return;
    for (int i = 0; i < (int)elements; i++)
        n->out->numbers[i] = value;
    n->out->integer = true;
    n->out->folded = true;
    n->out->number_count = (int)elements;
}

static const struct {
    const char *name;
    void (*fold)(struct node *n);
} folds[] = {
    { "Constant", fold_constant }, { "Shape", fold_shape },     { "Size", fold_size },
    { "Identity", fold_same },     { "Cast", fold_same },       { "Squeeze", fold_same },
    { "Unsqueeze", fold_same },    { "Reshape", fold_same },    { "Gather", fold_gather },
    { "Concat", fold_concat },     { "Slice", fold_slice },     { "Add", fold_binary },
    { "Sub", fold_binary },        { "Mul", fold_binary },      { "Div", fold_binary },
    { "Mod", fold_binary },        { "Min", fold_binary },      { "Max", fold_binary },
    { "Equal", fold_binary },      { "Greater", fold_binary },  { "Less", fold_binary },
    { "Floor", fold_unary },       { "Ceil", fold_unary },      { "Neg", fold_unary },
    { "Sqrt", fold_unary },        { "Where", fold_where },     { "ConstantOfShape", fold_filled },
};

/* Weights that pass through constant nodes are counted where they arrive. */
static void hand_on_weights(struct node *n)
{
    for (size_t i = 0; i < n->in_count; i++)
        if (n->in[i] && n->in[i]->params) {
            n->out->params += n->in[i]->params;
            n->in[i]->params = 0;
        }
}

void onnx_fold(struct node *n)
{
    bool reads_shape_alone = n->in_count && n->in[0] && !n->in[0]->constant;
    if (!reads_shape_alone)
        hand_on_weights(n);
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++)
        if (strcmp(folds[i].name, n->proto->op_type) == 0) {
            bool ok = strcmp(n->proto->op_type, "Constant") == 0 || (n->in_count && n->in[0]);
            if (ok)
                folds[i].fold(n);
        }
}
