/* What is between the reader of an ONNX graph (onnx.c) and its operators (onnx_op.c, onnx_shape.c, onnx_fold.c). */
#ifndef SIZE_ONNX_GRAPH_H
#define SIZE_ONNX_GRAPH_H

#include <onnx.pb-c.h>

#include "size/net.h"

#define VALUE_NUMBERS_MAX 64
#define NODE_INPUTS_MAX   1024

/* A tensor of the graph. Dimensions include the batch. */
struct value {
    const char *name;
    bool known;       /* dims hold */
    bool constant;    /* no image goes into it */
    bool folded;      /* numbers hold: a small constant */
    bool integer;     /* of folded numbers: divisions round */
    struct dims dims;
    int64_t params;   /* an initializer's elements that no layer has claimed yet */
    size_t layer;     /* that makes it; SIZE_MAX: constant */
    int number_count;
    double numbers[VALUE_NUMBERS_MAX];
};

struct graph {
    struct net *net;
    const Onnx__GraphProto *proto;
    struct value *values;
    size_t value_count;
    size_t *slots; /* hash table of indices + 1 */
    size_t slot_count;
    int64_t batch;
    int stated_left; /* how often stated shapes are still looked for; a hostile file has too many */
    struct err *err;
};

/* The node at hand. Inputs that are left out are NULL. */
struct node {
    struct graph *graph;
    const Onnx__NodeProto *proto;
    struct value *in[NODE_INPUTS_MAX];
    size_t in_count;
    struct value *out; /* the first */
    bool constant;     /* reads constants alone: shapes are worked out, and no layer is made */
    struct err *err;
};

/* The i-th number of a small tensor; false where its bytes are not in the file. */
bool onnx_number(const Onnx__TensorProto *t, size_t i, double *number);
/* Makes the first output the constant `t`; a tensor that makes no sense leaves it unknown. */
void node_tensor(struct node *n, const Onnx__TensorProto *t);

/* Room for every value that the graph names. */
int graph_init(struct graph *g, const Onnx__GraphProto *proto);
/* NULL: there is one already. */
struct value *graph_add(struct graph *g, const char *name);
struct value *graph_find(const struct graph *g, const char *name);
/* The weights and other constants of the file. */
int graph_initializers(struct graph *g, const Onnx__GraphProto *proto);

const Onnx__AttributeProto *node_attribute(const struct node *n, const char *name);
int64_t node_int(const struct node *n, const char *name, int64_t missing);
double node_float(const struct node *n, const char *name, double missing);
/* Integers of an attribute, or of a folded input; returns how many, -1: not there or not folded. */
int node_ints(const struct node *n, const char *name, int64_t *to, int most);
int node_input_ints(const struct node *n, size_t input, int64_t *to, int most);
/* -3 ... 2 of a rank of 3; -1: outside. */
int node_axis(int64_t axis, int rank);
struct value *node_output(const struct node *n, size_t i);

/* "node 'Conv_3' (Conv) ": all failures of a node begin so. Returns -1. */
int node_fail(const struct node *n, const char *what);

/* Appends the layer that makes output `i`, of the shape `full` (with batch), reading all inputs that are not constant;
 * weights among the inputs are counted with it. */
int node_emit(struct node *n, size_t i, struct layer *layer, const struct dims *full);

/* The same for a node whose operator is unknown, or else whose shapes are. */
int node_emit_other(struct node *n, bool unknown);

/* How an operator becomes layers and shapes. */
struct onnx_op {
    const char *name;
    int (*read)(struct node *n, enum layer_op op);
    enum layer_op op;
};

/* NULL: not there. */
const struct onnx_op *onnx_op_find(const char *name);       /* onnx_op.c: computes */
const struct onnx_op *onnx_shape_find(const char *name);    /* onnx_shape.c: moves */

/* The node on constants alone: computes small ones. What it cannot do stays unknown. */
void onnx_fold(struct node *n);

/* Dimensions of a broadcast of all inputs; -1: they do not match. */
int onnx_broadcast(struct node *n, struct dims *full);

#endif
