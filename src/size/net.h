/* A network: layers in an order in which each comes behind those that it reads. Layer 0 is the input.
 *
 *     struct net net;
 *     nets_find(&net, "resnet18", (struct net_image){ 0 }, &err)  or  net_text_read(...)  or  onnx_read(...)
 *     net_free(&net);
 */
#ifndef SIZE_NET_H
#define SIZE_NET_H

#include "size/layer.h"

#define NET_LAYERS_MAX 20000
#define NET_INPUTS_MAX 200000

struct net {
    char name[64];
    struct layer *layers;
    size_t count, room;
    size_t *inputs; /* indices of layers, all below the reader's own */
    size_t input_count, input_room;
    int64_t loose_params; /* weights of the file that no layer above claims */
};

/* In place of the network's own; 0 x 0 keeps that. */
struct net_image {
    int height, width;
};

struct net_totals {
    int64_t params, buffers, macs;
    size_t weight_tensors;   /* number of trained tensors */
    int64_t activations;     /* elements of all layers' outputs, views left out */
    size_t others;           /* layers that count as passes over memory for want of knowledge */
    size_t unknown;          /* those of them whose operator is the reason */
};

void net_init(struct net *net, const char *name);
void net_free(struct net *net);

/* Appends a copy of `layer` (op, attributes, out filled; name and inputs are set here) and counts it. */
int net_add(struct net *net, const char *name, const struct layer *layer, const size_t *inputs,
            size_t input_count, struct err *err);

const struct layer *net_input(const struct net *net, const struct layer *layer, size_t i);

/* The layer's index by name; SIZE_MAX. */
size_t net_find(const struct net *net, const char *name);

struct net_totals net_totals(const struct net *net);

/* For each layer the layer in whose memory its output lies: itself, or where views and operations in
 * place lead back to. `storage` has net->count places. In inference dropout is nothing at all. */
void net_storages(const struct net *net, bool training, size_t *storage);

#endif
