/* The values of an ONNX graph by name, its initializers, and what nodes say of themselves. */
#include "size/onnx_graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"

/* ---- values by name ---------------------------------------------------------------------------- */

static size_t hash(const char *name)
{
    uint64_t h = 1469598103934665603u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 29);
}

static size_t *slot(const struct graph *g, const char *name)
{
    size_t i = hash(name) % g->slot_count;
    while (g->slots[i] && strcmp(g->values[g->slots[i] - 1].name, name) != 0)
        i = (i + 1) % g->slot_count;
    return &g->slots[i];
}

struct value *graph_find(const struct graph *g, const char *name)
{
    size_t index = *slot(g, name);
    return index ? &g->values[index - 1] : NULL;
}

struct value *graph_add(struct graph *g, const char *name)
{
    size_t *s = slot(g, name);
    if (*s)
        return NULL;
    struct value *v = &g->values[g->value_count++];
    *s = g->value_count;
    *v = (struct value){ .name = name, .layer = SIZE_MAX };
    return v;
}

int graph_init(struct graph *g, const Onnx__GraphProto *proto)
{
    size_t names = proto->n_input + proto->n_initializer + proto->n_sparse_initializer;
    for (size_t i = 0; i < proto->n_node; i++)
        names += proto->node[i]->n_output;
    if (names > 4 * (size_t)NET_LAYERS_MAX)
        return err_set(g->err, ERR_LIMIT, "the graph has %zu values, more than any real one", names);
    g->slot_count = 2 * names + 1;
    g->values = calloc(names + 1, sizeof *g->values);
    g->slots = calloc(g->slot_count, sizeof *g->slots);
    return g->values && g->slots ? 0 : err_set(g->err, ERR_MEMORY, "out of memory");
}

/* ---- initializers -------------------------------------------------------------------------------- */

static bool is_weight(int type)
{
    switch (type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
        return true;
    default:
        return false;
    }
}

bool onnx_number(const Onnx__TensorProto *t, size_t i, double *number)
{
    struct bytes raw = bytes_of(t->raw_data.data, t->has_raw_data ? t->raw_data.len : 0);
    if (t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64) {
        bytes_seek(&raw, 8 * i);
        *number = i < t->n_int64_data ? (double)t->int64_data[i] : (double)(int64_t)bytes_u64(&raw);
        return i < t->n_int64_data || !raw.failed;
    }
    if (t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32) {
        bytes_seek(&raw, 4 * i);
        *number = i < t->n_int32_data ? (double)t->int32_data[i] : (double)(int32_t)bytes_u32(&raw);
        return i < t->n_int32_data || !raw.failed;
    }
    if (t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT) {
        bytes_seek(&raw, 4 * i);
        uint32_t bits = bytes_u32(&raw);
        float f;
        memcpy(&f, &bits, sizeof f);
        *number = i < t->n_float_data ? (double)t->float_data[i] : (double)f;
        return i < t->n_float_data || !raw.failed;
    }
    return false;
}

static int read_tensor(struct graph *g, struct value *v, const Onnx__TensorProto *t)
{
    v->constant = true;
    if (t->n_dims > DIMS_MAX)
        return err_set(g->err, ERR_LIMIT, "tensor '%s' has %zu dimensions", v->name, t->n_dims);
    int64_t elements = 1;
    v->dims.count = (int)t->n_dims;
    for (size_t i = 0; i < t->n_dims; i++) {
        int64_t d = t->dims[i];
        if (!dims_grow(&elements, d))
            return err_set(g->err, ERR_LIMIT, "tensor '%s' is larger than any real one", v->name);
        v->dims.size[i] = d;
    }
    v->known = true;
    v->integer = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
                 t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    v->params = is_weight(t->data_type) && t->n_dims ? elements : 0;
    v->folded = elements <= VALUE_NUMBERS_MAX;
    for (int64_t i = 0; i < elements && v->folded; i++)
        v->folded = onnx_number(t, (size_t)i, &v->numbers[i]);
    v->number_count = v->folded ? (int)elements : 0;
    return 0;
}

void node_tensor(struct node *n, const Onnx__TensorProto *t)
{
    struct err ignored;
    struct graph quiet = *n->graph;
    err_clear(&ignored);
    quiet.err = &ignored;
    read_tensor(&quiet, n->out, t);
    int64_t elements = n->out->known ? dims_elements(&n->out->dims) : 0;
    if (elements <= 1)
        n->out->params = 0;
}

int graph_initializers(struct graph *g, const Onnx__GraphProto *proto)
{
    for (size_t i = 0; i < proto->n_initializer; i++) {
        const Onnx__TensorProto *t = proto->initializer[i];
        struct value *v = t->name ? graph_add(g, t->name) : NULL;
        if (!v)
            return err_set(g->err, ERR_FORMAT, "initializer '%s' comes twice",
                           t->name ? t->name : "");
        if (read_tensor(g, v, t))
            return -1;
    }
    return 0;
}

/* ---- nodes ----------------------------------------------------------------------------------------- */

const Onnx__AttributeProto *node_attribute(const struct node *n, const char *name)
{
    for (size_t i = 0; i < n->proto->n_attribute; i++)
        if (n->proto->attribute[i]->name && strcmp(n->proto->attribute[i]->name, name) == 0)
            return n->proto->attribute[i];
    return NULL;
}

int64_t node_int(const struct node *n, const char *name, int64_t missing)
{
    const Onnx__AttributeProto *a = node_attribute(n, name);
    return a && a->has_i ? a->i : missing;
}

double node_float(const struct node *n, const char *name, double missing)
{
    const Onnx__AttributeProto *a = node_attribute(n, name);
    return a && a->has_f ? (double)a->f : missing;
}

int node_ints(const struct node *n, const char *name, int64_t *to, int most)
{
    const Onnx__AttributeProto *a = node_attribute(n, name);
    if (!a || !a->n_ints || a->n_ints > (size_t)most)
        return -1;
    memcpy(to, a->ints, a->n_ints * sizeof to[0]);
    return (int)a->n_ints;
}

int node_input_ints(const struct node *n, size_t input, int64_t *to, int most)
{
    const struct value *v = input < n->in_count ? n->in[input] : NULL;
    if (!v || !v->folded || v->number_count > most)
        return -1;
    for (int i = 0; i < v->number_count; i++) {
        double d = v->numbers[i];
        to[i] = d != d ? 0 : d > 1e15 ? (int64_t)1e15 : d < -1e15 ? -(int64_t)1e15 : (int64_t)d;
    }
    return v->number_count;
}

int node_axis(int64_t axis, int rank)
{
    if (axis < 0)
        axis += rank;
    return axis < 0 || axis >= rank ? -1 : (int)axis;
}

int node_fail(const struct node *n, const char *what)
{
    const char *name = n->proto->name && *n->proto->name ? n->proto->name : n->out->name;
    return err_set(n->err, ERR_FORMAT, "node '%.96s' (%.32s) %s", name, n->proto->op_type, what);
}

struct value *node_output(const struct node *n, size_t i)
{
    const char *name = i < n->proto->n_output ? n->proto->output[i] : "";
    return *name ? graph_find(n->graph, name) : NULL;
}

