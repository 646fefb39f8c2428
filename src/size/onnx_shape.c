/* ONNX operators that move or rearrange: what comes out is as large as their attributes say. */
#include <string.h>

#include "size/onnx_graph.h"

static int emit(struct node *n, enum layer_op op, const struct dims *full)
{
    return node_emit(n, 0, &(struct layer){ .op = op }, full);
}

/* Attribute, or in newer files the input of that number. */
static int list(const struct node *n, const char *name, size_t input, int64_t *to, int most)
{
    int count = node_ints(n, name, to, most);
    return count >= 0 ? count : node_input_ints(n, input, to, most);
}

static int identity(struct node *n, enum layer_op op)
{
    return emit(n, op, &n->in[0]->dims);
}

static int flatten(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    int64_t axis = node_int(n, "axis", 1), front = 1, back = 1;
    if (axis < 0)
        axis += in->count;
    for (int i = 0; i < in->count; i++)
        *(i < axis ? &front : &back) *= in->size[i];
    return emit(n, op, &(struct dims){ 2, { front, back } });
}

static int reshape(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    struct dims full;
    int64_t elements = dims_elements(in), rest = 1;
    int open = -1;
    full.count = list(n, "shape", 1, full.size, DIMS_MAX);
    if (full.count < 0)
        return node_emit_other(n, false);
    for (int i = 0; i < full.count; i++) {
        if (full.size[i] == 0 && i < in->count)
            full.size[i] = in->size[i];
        if (full.size[i] == -1 && open < 0)
            open = i;
        else if (full.size[i] < 1 || !dims_grow(&rest, full.size[i]))
            return node_fail(n, "has a shape that makes no sense");
    }
    if (open >= 0)
        full.size[open] = elements / rest;
    if (dims_elements(&full) != elements)
        return node_fail(n, "has a shape that does not match its input");
    return emit(n, op, &full);
}

static int squeeze(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    struct dims full = { 0, { 0 } };
    int64_t axes[DIMS_MAX];
    bool gone[DIMS_MAX] = { false };
    int count = list(n, "axes", 1, axes, DIMS_MAX);
    for (int i = 0; i < count; i++) {
        int axis = node_axis(axes[i], in->count);
        if (axis < 0 || in->size[axis] != 1)
            return node_fail(n, "has an axis that cannot be taken away");
        gone[axis] = true;
    }
    for (int i = 0; i < in->count; i++)
        if (count < 0 ? in->size[i] != 1 : !gone[i])
            full.size[full.count++] = in->size[i];
    return emit(n, op, &full);
}

static int unsqueeze(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    struct dims full = { 0, { 0 } };
    int64_t axes[DIMS_MAX];
    bool new[DIMS_MAX] = { false };
    int count = list(n, "axes", 1, axes, DIMS_MAX);
    if (count < 0)
        return node_emit_other(n, false);
    if (in->count + count > DIMS_MAX)
        return node_fail(n, "makes more dimensions than are read here");
    full.count = in->count + count;
    for (int i = 0; i < count; i++) {
        int axis = node_axis(axes[i], full.count);
        if (axis < 0 || new[axis])
            return node_fail(n, "has an axis that makes no sense");
        new[axis] = true;
    }
    for (int i = 0, from = 0; i < full.count; i++)
        full.size[i] = new[i] ? 1 : in->size[from++];
    return emit(n, op, &full);
}

static int transpose(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    struct dims full = { in->count, { 0 } };
    int64_t order[DIMS_MAX];
    unsigned seen = 0;
    int count = node_ints(n, "perm", order, DIMS_MAX);
    for (int i = 0; i < in->count; i++) {
        int axis = count < 0 ? in->count - 1 - i : i < count ? node_axis(order[i], in->count) : -1;
        if (axis < 0 || seen >> axis & 1)
            return node_fail(n, "has an order of axes that makes no sense");
        seen |= 1u << axis;
        full.size[i] = in->size[axis];
    }
    return emit(n, op, &full);
}

static int concat(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    int axis = node_axis(node_int(n, "axis", 1), full.count);
    if (axis < 0)
        return node_fail(n, "has an axis that its inputs have not");
    for (size_t i = 1; i < n->in_count; i++) {
        if (!n->in[i] || !n->in[i]->known)
            return node_emit_other(n, false);
        struct dims in = n->in[i]->dims;
        if (in.count != full.count)
            return node_fail(n, "reads tensors whose shapes do not match");
        int64_t more = in.size[axis];
        in.size[axis] = full.size[axis];
        if (!dims_equal(&in, &full))
            return node_fail(n, "reads tensors whose shapes do not match");
        full.size[axis] += more;
        if (full.size[axis] > DIM_MOST)
            return node_fail(n, "makes a tensor larger than any real one");
    }
    return emit(n, op, &full);
}

static int split(struct node *n, enum layer_op op)
{
    const struct dims *in = &n->in[0]->dims;
    int axis = node_axis(node_int(n, "axis", 0), in->count);
    int64_t parts[VALUE_NUMBERS_MAX], outputs = (int64_t)n->proto->n_output;
    int count = list(n, "split", 1, parts, VALUE_NUMBERS_MAX);
    if (axis < 0)
        return node_fail(n, "has an axis that its input has not");
    if (count >= 0 && count != outputs)
        return node_fail(n, "has another number of parts than of outputs");
    int64_t step = (in->size[axis] + outputs - 1) / outputs, left = in->size[axis];
    for (size_t i = 0; i < n->proto->n_output; i++) {
        struct dims full = *in;
        int64_t part = count >= 0 ? parts[i] : step < left ? step : left;
        if (part < 1 || part > left)
            return node_fail(n, "has parts that do not match its input");
        left -= part;
        full.size[axis] = part;
        if (node_emit(n, i, &(struct layer){ .op = op }, &full))
            return -1;
    }
    return 0;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Elements of begin, begin + step ... before end, which count from the back when negative. */
static int64_t slice_length(int64_t size, int64_t begin, int64_t end, int64_t step)
{
    if (begin < 0)
        begin += size;
    if (end < 0)
        end += size;
    if (step > 0) {
        begin = clamp(begin, 0, size);
        end = clamp(end, 0, size);
        return end > begin ? (end - begin + step - 1) / step : 0;
    }
    begin = clamp(begin, -1, size - 1);
    end = clamp(end, -1, size - 1);
    return begin > end ? (begin - end - step - 1) / -step : 0;
}

static int slice(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    int64_t begins[DIMS_MAX], ends[DIMS_MAX], axes[DIMS_MAX], steps[DIMS_MAX];
    int count = list(n, "starts", 1, begins, DIMS_MAX);
    if (count < 0 || list(n, "ends", 2, ends, DIMS_MAX) != count)
        return node_emit_other(n, false);
    bool have_axes = list(n, "axes", 3, axes, DIMS_MAX) == count;
    bool have_steps = list(n, "steps", 4, steps, DIMS_MAX) == count;
    for (int i = 0; i < count; i++) {
        int axis = node_axis(have_axes ? axes[i] : i, full.count);
        int64_t step = have_steps ? steps[i] : 1;
        if (axis < 0 || step == 0 || step < -DIM_MOST || step > DIM_MOST)
            return node_fail(n, "has an axis or a step that makes no sense");
        full.size[axis] = slice_length(full.size[axis], begins[i], ends[i], step);
    }
    return emit(n, op, &full);
}

static int pad(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    int64_t pads[2 * DIMS_MAX], axes[DIMS_MAX];
    int count = list(n, "pads", 1, pads, 2 * DIMS_MAX);
    bool some = node_input_ints(n, 3, axes, DIMS_MAX) * 2 == count;
    if (count < 0 || (!some && count != 2 * full.count))
        return node_emit_other(n, false);
    for (int i = 0; i < count / 2; i++) {
        int axis = some ? node_axis(axes[i], full.count) : i;
        if (axis < 0)
            return node_fail(n, "has an axis that its input has not");
        full.size[axis] += clamp(pads[i], -DIM_MOST, DIM_MOST) +
                           clamp(pads[count / 2 + i], -DIM_MOST, DIM_MOST);
    }
    return emit(n, op, &full);
}

/* sizes, or scales times the input: which input has them depends on the operator's age. */
static int resize(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    int64_t sizes[DIMS_MAX];
    if (node_input_ints(n, 3, sizes, DIMS_MAX) == full.count) {
        memcpy(full.size, sizes, (size_t)full.count * sizeof sizes[0]);
        return emit(n, op, &full);
    }
    const struct value *scales = n->in_count > 2 ? n->in[2] : n->in_count > 1 ? n->in[1] : NULL;
    const Onnx__AttributeProto *a = node_attribute(n, "scales");
    for (int i = 0; i < full.count; i++) {
        double scale;
        if (a && a->n_floats == (size_t)full.count)
            scale = (double)a->floats[i];
        else if (scales && scales->folded && scales->number_count == full.count)
            scale = scales->numbers[i];
        else
            return node_emit_other(n, false);
        if (!(scale > 0 && scale < 1e6))
            return node_fail(n, "has a scale that makes no sense");
        full.size[i] = (int64_t)((double)full.size[i] * scale);
    }
    return emit(n, op, &full);
}

static int expand(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims, to;
    to.count = node_input_ints(n, 1, to.size, DIMS_MAX);
    if (to.count < 0)
        return node_emit_other(n, false);
    for (int i = 1; i <= full.count && i <= to.count; i++) {
        int64_t mine = full.size[full.count - i], *its = &to.size[to.count - i];
        if (*its == 1)
            *its = mine;
        if (mine != 1 && mine != *its)
            return node_fail(n, "has a shape that does not match its input");
    }
    for (int i = to.count; i < full.count; i++)
        return node_emit_other(n, false);
    return emit(n, op, &to);
}

static int tile(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    int64_t times[DIMS_MAX];
    if (node_input_ints(n, 1, times, DIMS_MAX) != full.count)
        return node_emit_other(n, false);
    for (int i = 0; i < full.count; i++)
        full.size[i] *= clamp(times[i], 0, DIM_MOST);
    return emit(n, op, &full);
}

/* An embedding where a table of weights is looked up. */
static int gather(struct node *n, enum layer_op op)
{
    const struct value *table = n->in[0], *at = n->in_count > 1 ? n->in[1] : NULL;
    struct dims full = { 0, { 0 } };
    int axis = node_axis(node_int(n, "axis", 0), table->dims.count);
    if (!at || !at->known || axis < 0)
        return node_emit_other(n, false);
    if (table->dims.count + at->dims.count - 1 > DIMS_MAX)
        return node_fail(n, "makes more dimensions than are read here");
    for (int i = 0; i < table->dims.count; i++) {
        if (i != axis)
            full.size[full.count++] = table->dims.size[i];
        for (int k = 0; i == axis && k < at->dims.count; k++)
            full.size[full.count++] = at->dims.size[k];
    }
    return emit(n, table->constant ? LAYER_EMBEDDING : op, &full);
}

static int one_hot(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    int64_t depth;
    if (node_input_ints(n, 1, &depth, 1) != 1)
        return node_emit_other(n, false);
    int axis = node_axis(node_int(n, "axis", -1), full.count + 1);
    if (axis < 0 || full.count == DIMS_MAX)
        return node_fail(n, "has an axis that makes no sense");
    memmove(full.size + axis + 1, full.size + axis, (size_t)(full.count - axis) * sizeof full.size[0]);
    full.size[axis] = depth;
    full.count++;
    return emit(n, op, &full);
}

static int depth_to_space(struct node *n, enum layer_op op)
{
    struct dims full = n->in[0]->dims;
    int64_t block = node_int(n, "blocksize", 0);
    bool grows = strcmp(n->proto->op_type, "DepthToSpace") == 0;
    if (full.count != 4 || block < 1 || block > 1024)
        return node_fail(n, "has a block size or an input that makes no sense");
    int64_t square = block * block;
    if (grows ? full.size[1] % square : full.size[2] % block || full.size[3] % block)
        return node_fail(n, "has a block size that does not divide its input");
    full.size[1] = grows ? full.size[1] / square : full.size[1] * square;
    for (int i = 2; i < 4; i++)
        full.size[i] = grows ? full.size[i] * block : full.size[i] / block;
    return emit(n, op, &full);
}

static const struct onnx_op ops[] = {
    { "Identity", identity, LAYER_RESHAPE },
    { "Flatten", flatten, LAYER_FLATTEN },
    { "Reshape", reshape, LAYER_RESHAPE },
    { "Squeeze", squeeze, LAYER_RESHAPE },
    { "Unsqueeze", unsqueeze, LAYER_RESHAPE },
    { "Transpose", transpose, LAYER_PERMUTE },
    { "Concat", concat, LAYER_CONCAT },
    { "Split", split, LAYER_SLICE },
    { "Slice", slice, LAYER_SLICE },
    { "Pad", pad, LAYER_PAD },
    { "Resize", resize, LAYER_RESIZE },
    { "Upsample", resize, LAYER_RESIZE },
    { "Expand", expand, LAYER_POINTWISE },
    { "Tile", tile, LAYER_POINTWISE },
    { "Gather", gather, LAYER_POINTWISE },
    { "OneHot", one_hot, LAYER_POINTWISE },
    { "DepthToSpace", depth_to_space, LAYER_PERMUTE },
    { "SpaceToDepth", depth_to_space, LAYER_PERMUTE },
};

const struct onnx_op *onnx_shape_find(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}
