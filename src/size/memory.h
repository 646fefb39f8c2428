/* The memory bill of a network on a card, item by item.
 *
 * Weights, gradients, optimizer and activations follow from the network (against PyTorch: exact within
 * a few parts in a thousand, tests/size/memory.tsv). Context, framework, workspace and display are
 * ranges from public reports (src/data/overheads.tsv) until they are measured. */
#ifndef SIZE_MEMORY_H
#define SIZE_MEMORY_H

#include "size/kept.h"

enum memory_item {
#define MEMORY_ITEM(id, word) MEMORY_##id,
#include "size/memory.def"
#undef MEMORY_ITEM
    MEMORY_ITEM_COUNT
};

enum memory_optimizer { MEMORY_SGD, MEMORY_MOMENTUM, MEMORY_ADAM, MEMORY_OPTIMIZER_COUNT };

#define MEMORY_BATCH_MOST 65536

struct memory_ask {
    bool training, checkpoint;
    enum memory_optimizer optimizer;
    enum precision precision;
    int batch;
    double card_bytes;    /* the whole card, or the budget that the user gave */
    bool budget;          /* the latter: display and context are not taken off it twice */
    double context_bytes; /* measured; < 0: from the table */
    double display_bytes; /* measured: what others hold; < 0: from the table */
    bool framework;       /* PyTorch's, else this program's own kernels */
    bool windows;         /* whose desktop takes more */
};

struct memory_range {
    double low, mid, high; /* bytes */
};

struct memory_bill {
    struct memory_range items[MEMORY_ITEM_COUNT];
    struct memory_range total;
};

const char *memory_item_word(enum memory_item item);
const char *memory_optimizer_name(enum memory_optimizer optimizer);
/* -1: no such name. */
int memory_optimizer_find(const char *name);

/* `kept` is of the mode that is asked about. */
void memory_bill(const struct kept *kept, const struct memory_ask *ask, struct memory_bill *bill);

/* A row of src/data/overheads.tsv as it stands there, in megabytes or seconds; zeros for an unknown one. */
struct memory_range memory_overhead(const char *item);

/* The largest batch whose bill is within the card: by the middle of the ranges. 0: not even one image;
 * at most MEMORY_BATCH_MOST. */
int memory_largest_batch(const struct kept *kept, const struct memory_ask *ask);

/* The same when all ranges are at their high end: this one surely fits. */
int memory_sure_batch(const struct kept *kept, const struct memory_ask *ask);

#endif
