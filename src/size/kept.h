/* Which activations are alive: kept for the backward pass, or at once in inference. */
#ifndef SIZE_KEPT_H
#define SIZE_KEPT_H

#include "size/net.h"
#include "size/precision.h"

/* What a network keeps, worked out once for training or for inference. */
struct kept {
    const struct net *net;
    size_t *storage; /* as net_storages */
    bool *saved;     /* by storage: the backward pass reads it */
    size_t *death;   /* by storage: the last layer that reads it */
    size_t *last_reader; /* by layer; 0: none */
    size_t *cuts;    /* layers behind which nothing but their output is needed, in order */
    size_t cut_count;
};

int kept_init(struct kept *kept, const struct net *net, bool training, struct err *err);
void kept_free(struct kept *kept);

/* Calls `each` with the bytes of every tensor that is kept for the backward pass of `batch` images. */
typedef void kept_tensor(void *self, double bytes);
void kept_tensors(const struct kept *kept, enum precision precision, double batch,
                  kept_tensor *each, void *self);

/* Their sum. As PyTorch counts: each storage once, parameters and buffers left out, the image counted. */
double kept_bytes(const struct kept *kept, enum precision precision, double batch);

/* With checkpoints behind the best set of cuts: what stays at the cuts and the largest part between
 * two of them. `segments` (may be NULL) is the number of parts. */
double kept_checkpointed_bytes(const struct kept *kept, enum precision precision, double batch,
                               size_t *segments);

/* Inference: most bytes alive at once, the image not counted. A module's argument lives until the module
 * is done, because Python's frames hold it. */
double kept_live_bytes(const struct kept *kept, enum precision precision, double batch);

/* Largest gradient of an output and of its inputs together, which a backward pass needs besides. */
double kept_gradient_bytes(const struct kept *kept, enum precision precision, double batch);

#endif
