#include "size/onnx.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "size/onnx_graph.h"
#include "size/onnx_wire.h"

bool onnx_likely(const void *data, size_t size)
{
    const unsigned char *p = data;
    /* a model begins with its IR version: field 1, a small number */
    return size > 2 && p[0] == 0x08 && p[1] < 0x40;
}

/* ---- inputs ---------------------------------------------------------------------------------------- */

static const Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *info)
{
    const Onnx__TypeProto *type = info->type;
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type)
        return NULL;
    return type->tensor_type->shape;
}

static int64_t dim_of(const Onnx__TensorShapeProto *shape, size_t i)
{
    const Onnx__TensorShapeProto__Dimension *d = shape->dim[i];
    return d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ? d->dim_value : 0;
}

/* N x C x H x W, or N x length ...; the first dimension is the batch. */
static int input_dims(struct graph *g, const Onnx__ValueInfoProto *info, struct net_image image,
                      struct dims *dims)
{
    const Onnx__TensorShapeProto *shape = shape_of(info);
    if (!shape || shape->n_dim < 1 || shape->n_dim > DIMS_MAX)
        return err_set(g->err, ERR_FORMAT, "input '%s' has no shape", info->name);
    dims->count = (int)shape->n_dim;
    for (int i = 0; i < dims->count; i++) {
        int64_t d = dim_of(shape, (size_t)i);
        if (dims->count == 4 && i >= 2 && image.height)
            d = i == 2 ? image.height : image.width;
        if (i == 0 && d <= 0)
            d = 1;
        if (d <= 0)
            return err_set(g->err, ERR_USAGE, "input '%s' leaves its size open: say --image",
                           info->name);
        if (d > DIM_MOST)
            return err_set(g->err, ERR_LIMIT, "input '%s' is larger than any real one", info->name);
        dims->size[i] = d;
    }
    return 0;
}

/* Without the batch. Where that is not in front, only the number of elements is kept. */
static struct dims per_image(const struct graph *g, const struct dims *full)
{
    struct dims each = { 0, { 0 } };
    if (full->count && full->size[0] == g->batch) {
        each.count = full->count - 1;
        memcpy(each.size, full->size + 1, (size_t)each.count * sizeof each.size[0]);
    } else if (full->count) {
        int64_t elements = dims_elements(full);
        each = (struct dims){ 1, { elements < g->batch ? elements : elements / g->batch } };
    }
    return each;
}

static int read_inputs(struct graph *g, const Onnx__GraphProto *proto, struct net_image image)
{
    bool images = false;
    for (size_t i = 0; i < proto->n_input; i++) {
        const Onnx__ValueInfoProto *info = proto->input[i];
        if (!info->name || graph_find(g, info->name))
            continue; /* old files name their weights here too */
        struct value *v = graph_add(g, info->name);
        if (!v || input_dims(g, info, image, &v->dims))
            return -1;
        if (!g->net->count)
            g->batch = v->dims.size[0];
        struct layer layer = { .op = LAYER_INPUT, .out = per_image(g, &v->dims) };
        v->known = true;
        v->layer = g->net->count;
        images = images || v->dims.count == 4;
        if (net_add(g->net, info->name, &layer, NULL, 0, g->err))
            return -1;
    }
    if (!g->net->count)
        return err_set(g->err, ERR_FORMAT, "the graph has no input");
    if (image.height && !images)
        return err_set(g->err, ERR_USAGE, "the network reads no images");
    return 0;
}

/* ---- layers ------------------------------------------------------------------------------------------ */

/* What the weights among the inputs have that no layer has counted yet. */
static void claim_weights(struct node *n, struct layer *l)
{
    for (size_t i = 0; i < n->in_count; i++) {
        struct value *v = n->in[i];
        if (!v || !v->constant)
            continue;
        if (l->op == LAYER_BATCHNORM && (i == 3 || i == 4))
            l->buffers += v->params;
        else
            l->params += v->params;
        v->params = 0;
    }
}

int node_emit(struct node *n, size_t i, struct layer *layer, const struct dims *full)
{
    struct graph *g = n->graph;
    struct value *out = node_output(n, i);
    size_t inputs[NODE_INPUTS_MAX], count = 0;
    if (!out)
        return 0;
    if (dims_elements(full) < 0)
        return node_fail(n, "makes a tensor larger than any real one, or an empty one");
    if (n->constant) {
        out->dims = *full;
        out->known = true;
        return 0;
    }
    for (size_t k = 0; k < n->in_count; k++)
        if (n->in[k] && n->in[k]->layer != SIZE_MAX)
            inputs[count++] = n->in[k]->layer;
    layer->out = per_image(g, full);
    out->dims = *full;
    out->known = true;
    out->layer = g->net->count;
    if (net_add(g->net, out->name, layer, inputs, count, n->err))
        return -1;
    struct layer *added = &g->net->layers[g->net->count - 1];
    added->params = added->buffers = 0;
    claim_weights(n, added);
    return 0;
}

/* The shape that the file itself states for a value. */
static bool stated_dims(struct graph *g, const char *name, struct dims *dims)
{
    if (!g->stated_left)
        return false;
    g->stated_left--;
    for (size_t i = 0; i < g->proto->n_value_info; i++) {
        const Onnx__ValueInfoProto *info = g->proto->value_info[i];
        const Onnx__TensorShapeProto *shape = shape_of(info);
        if (!shape || !info->name || strcmp(info->name, name) != 0 || shape->n_dim > DIMS_MAX)
            continue;
        dims->count = (int)shape->n_dim;
        for (int d = 0; d < dims->count; d++)
            dims->size[d] = dim_of(shape, (size_t)d);
        if (dims->count && dims->size[0] <= 0)
            dims->size[0] = g->batch;
        return dims_elements(dims) > 0;
    }
    return false;
}

/* An operator that is not known, or whose inputs have no known shape: its outputs are as large as the
 * first input where the file does not say. */
int node_emit_other(struct node *n, bool unknown)
{
    struct layer layer = { .op = LAYER_OTHER, .unknown = unknown };
    struct dims like_input = { 1, { n->graph->batch } };
    if (n->constant)
        return 0;
    str_copy(layer.type, sizeof layer.type, n->proto->op_type);
    for (size_t i = n->in_count; i-- > 0;)
        if (n->in[i] && n->in[i]->layer != SIZE_MAX)
            like_input = n->in[i]->dims;
    for (size_t i = 0; i < n->proto->n_output; i++) {
        struct value *out = node_output(n, i);
        if (!out)
            continue;
        struct dims dims = like_input;
        bool known = stated_dims(n->graph, out->name, &dims);
        if (node_emit(n, i, &layer, known ? &dims : &like_input))
            return -1;
        out->known = known;
    }
    return 0;
}

/* The shapes that operators work on: of the first input, and of all that are not constant. A constant of unknown
 * shape that is added or multiplied is taken to be no larger than the rest. */
static bool all_known(const struct node *n, const struct onnx_op *op)
{
    bool spread = op->op == LAYER_ADD || op->op == LAYER_MUL;
    for (size_t i = 0; i < n->in_count; i++)
        if (n->in[i] && !n->in[i]->known && (!n->in[i]->constant || (i == 0 && !spread)))
            return false;
    return n->in_count && n->in[0];
}

static bool all_constant(const struct node *n)
{
    for (size_t i = 0; i < n->in_count; i++)
        if (n->in[i] && !n->in[i]->constant)
            return false;
    return true;
}

/* The shape of a tensor is a constant, even where the tensor is not. */
static bool foldable(const struct node *n)
{
    return all_constant(n) || strcmp(n->proto->op_type, "Shape") == 0 ||
           strcmp(n->proto->op_type, "Size") == 0;
}

static const struct onnx_op *find_op(const struct node *n)
{
    const char *type = n->proto->op_type, *domain = n->proto->domain;
    const struct onnx_op *op = onnx_op_find(type);
    if (domain && *domain && strcmp(domain, "ai.onnx") != 0)
        return NULL;
    return op ? op : onnx_shape_find(type);
}

/* Small constants are computed; of the others the shape is found as for any tensor, and a failure only
 * means that it stays unknown. */
static void read_constant(struct node *n)
{
    struct err ignored;
    const struct onnx_op *op = find_op(n);
    for (size_t i = 0; i < n->proto->n_output; i++) {
        struct value *out = node_output(n, i);
        if (out)
            out->constant = true;
    }
    onnx_fold(n);
    if (n->out->known || !op || !all_known(n, op))
        return;
    err_clear(&ignored);
    n->constant = true;
    n->err = &ignored;
    op->read(n, op->op);
}

static int read_node(struct node *n)
{
    if (foldable(n)) {
        read_constant(n);
        return 0;
    }
    const struct onnx_op *op = find_op(n);
    if (!op)
        return node_emit_other(n, true);
    if (!all_known(n, op))
        return node_emit_other(n, false);
    return op->read(n, op->op);
}

/* ---- order ------------------------------------------------------------------------------------------- */

static int add_outputs(struct graph *g, const Onnx__NodeProto *p)
{
    for (size_t i = 0; i < p->n_output; i++)
        if (*p->output[i] && !graph_add(g, p->output[i]))
            return err_set(g->err, ERR_FORMAT, "value '%.96s' is made twice", p->output[i]);
    return 0;
}

/* 1: an input is not there yet. */
static int prepare(struct node *n)
{
    n->in_count = n->proto->n_input;
    for (size_t i = 0; i < n->in_count; i++) {
        const char *name = n->proto->input[i];
        n->in[i] = *name ? graph_find(n->graph, name) : NULL;
        if (*name && !n->in[i])
            return 1;
    }
    return 0;
}

static int run_node(struct graph *g, struct node *n, const Onnx__NodeProto *p, bool *ready)
{
    n->proto = p;
    if (!p->op_type || !p->n_output || p->n_input > NODE_INPUTS_MAX)
        return err_set(g->err, ERR_FORMAT, "a node has no operator, no output or too many inputs");
    *ready = prepare(n) == 0;
    if (!*ready)
        return 0;
    if (add_outputs(g, p))
        return -1;
    n->out = node_output(n, 0);
    if (!n->out)
        return err_set(g->err, ERR_FORMAT, "a node has no output");
    return read_node(n);
}

/* In the order of the file, which should do; what is left is tried again while that helps. */
static int run_nodes(struct graph *g, const Onnx__GraphProto *proto)
{
    struct node *n = calloc(1, sizeof *n);
    bool *done = calloc(proto->n_node + 1, sizeof *done);
    size_t left = proto->n_node, before;
    int bad = n && done ? 0 : err_set(g->err, ERR_MEMORY, "out of memory");
    for (int round = 0; !bad && left && round < 100; round++) {
        before = left;
        for (size_t i = 0; i < proto->n_node && !bad; i++) {
            if (done[i])
                continue;
            *n = (struct node){ .graph = g, .err = g->err };
            bad = run_node(g, n, proto->node[i], &done[i]);
            left -= done[i];
        }
        if (left == before)
            break;
    }
    for (size_t i = 0; !bad && i < proto->n_node; i++)
        if (!done[i])
            bad = err_set(g->err, ERR_FORMAT,
                          "node '%.96s' waits for a value that nothing makes, or the graph has a cycle",
                          proto->node[i]->n_output ? proto->node[i]->output[0] : "");
    free(n);
    free(done);
    return bad;
}

static int read_graph(struct graph *g, const Onnx__GraphProto *proto, struct net_image image)
{
    if (proto->n_node > NET_LAYERS_MAX)
        return err_set(g->err, ERR_LIMIT, "the graph has more than %d nodes", NET_LAYERS_MAX);
    if (graph_init(g, proto) || graph_initializers(g, proto) || read_inputs(g, proto, image) ||
        run_nodes(g, proto))
        return -1;
    if (g->net->count < 2)
        return err_set(g->err, ERR_FORMAT, "the graph computes nothing");
    for (size_t i = 0; i < g->value_count; i++)
        g->net->loose_params += g->values[i].params;
    return 0;
}

int onnx_read(struct net *net, const void *data, size_t size, struct net_image image, struct err *err)
{
    net_init(net, "");
    if (size > ONNX_SIZE_MAX)
        return err_set(err, ERR_LIMIT, "larger than 2 GiB");
    if (wire_check(&onnx__model_proto__descriptor, data, size, err))
        return -1;
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, size, data);
    if (!model)
        return err_set(err, ERR_FORMAT, "no ONNX model");
    struct graph g = { .net = net, .proto = model->graph, .batch = 1, .stated_left = 1000, .err = err };
    int bad = model->graph ? read_graph(&g, model->graph, image)
                           : err_set(err, ERR_FORMAT, "no ONNX model: it has no graph");
    if (!bad)
        str_copy(net->name, sizeof net->name, model->graph->name ? model->graph->name : "");
    free(g.values);
    free(g.slots);
    onnx__model_proto__free_unpacked(model, NULL);
    if (bad)
        net_free(net);
    return bad ? -1 : 0;
}
