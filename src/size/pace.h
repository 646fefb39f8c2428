/* How long a network takes on a card or on a CPU: the sum over its layers, forward, backward and update of the
 * weights. Each layer becomes the operations of time.h; what only moves memory is counted by the passes that PyTorch
 * makes over it without fusing. */
#ifndef SIZE_PACE_H
#define SIZE_PACE_H

#include "size/host.h"
#include "size/measured.h"
#include "size/memory.h"
#include "size/time.h"

struct pace_span {
    double low, mid, high; /* milliseconds */
};

struct pace_layer {
    struct pace_span forward, backward;
    enum time_bound bound; /* of the forward pass */
    double flop, bytes;    /* of the forward pass */
};

struct pace {
    struct pace_span forward, backward, update, total;
    double memory_bound;  /* share of the total that waits for memory, 0 ... 1 */
    double launch_bound;  /* share that is launches */
    double measured;      /* share that rests on measurements */
    const char *reason;   /* NULL; else the id of a sentence why nothing can be said */
};

struct pace_ask {
    int batch;
    bool training, checkpoint;
    enum memory_optimizer optimizer;
    enum precision precision;
    const struct measured *measured; /* used before the model; NULL: nothing was measured. pace_host: on the processor */
};

/* Which arithmetic a precision means on a card: mixed precision is tensor cores where there are any. */
enum time_precision pace_arithmetic(const struct time_card *card, enum precision precision);

/* `layers` (net->count of them) may be NULL. `model` is of pace_arithmetic(). */
void pace_card(const struct net *net, const struct time_model *model, const struct pace_ask *ask,
               struct pace *pace, struct pace_layer *layers);

/* The same in fp32 on a CPU. */
void pace_host(const struct net *net, const struct host *host, const struct pace_ask *ask,
               struct pace *pace, struct pace_layer *layers);

/* Images a second; low from the high end of the time. */
struct pace_span pace_rate(const struct pace *pace, int batch);

#endif
