#include "size/memory.h"

#include <math.h>
#include <string.h>

#include "data/data.h"

#define MIB        1048576.0
#define SMALL_CARD (2100 * MIB)

static const char *const item_words[] = {
#define MEMORY_ITEM(id, word) [MEMORY_##id] = word,
#include "size/memory.def"
#undef MEMORY_ITEM
};

static const struct {
    const char *name;
    double states; /* numbers kept a weight */
} optimizers[MEMORY_OPTIMIZER_COUNT] = {
    [MEMORY_SGD] = { "sgd", 0 },
    [MEMORY_MOMENTUM] = { "momentum", 1 },
    [MEMORY_ADAM] = { "adam", 2 },
};

const char *memory_item_word(enum memory_item item)
{
    return item_words[item];
}

const char *memory_optimizer_name(enum memory_optimizer optimizer)
{
    return optimizers[optimizer].name;
}

int memory_optimizer_find(const char *name)
{
    for (int i = 0; i < MEMORY_OPTIMIZER_COUNT; i++)
        if (strcmp(optimizers[i].name, name) == 0)
            return i;
    return -1;
}

static struct memory_range exactly(double bytes)
{
    return (struct memory_range){ bytes, bytes, bytes };
}

static void add_range(struct memory_range *to, struct memory_range more)
{
    to->low += more.low;
    to->mid += more.mid;
    to->high += more.high;
}

struct memory_range memory_overhead(const char *item)
{
    const struct table *t = data_table(DATA_OVERHEADS);
    struct memory_range r = { 0, 0, 0 };
    for (size_t row = 0; row < t->row_count; row++) {
        if (strcmp(table_get(t, row, 0), item) != 0)
            continue;
        table_number(t, row, 1, &r.low);
        table_number(t, row, 2, &r.mid);
        table_number(t, row, 3, &r.high);
    }
    return r;
}

static struct memory_range overhead(const char *item)
{
    struct memory_range r = memory_overhead(item);
    return (struct memory_range){ r.low * 1e6, r.mid * 1e6, r.high * 1e6 };
}

/* ---- the allocator ----------------------------------------------------------------------------
 * PyTorch's rounds every tensor up to 512 bytes. What is below 1 MiB shares segments of 2 MiB, what is
 * below 10 MiB segments of 20 MiB, and larger tensors have segments of their own in steps of 2 MiB. */

struct blocks {
    double exact, rounded, small, middle, large;
};

static void take(void *self, double bytes)
{
    struct blocks *b = self;
    double rounded = ceil(bytes / 512) * 512;
    b->exact += bytes;
    b->rounded += rounded;
    if (rounded < MIB)
        b->small += rounded;
    else if (rounded < 10 * MIB)
        b->middle += rounded;
    else
        b->large += ceil(rounded / (2 * MIB)) * 2 * MIB;
}

static double reserved(const struct blocks *b)
{
    return ceil(b->small / (2 * MIB)) * 2 * MIB + ceil(b->middle / (20 * MIB)) * 20 * MIB +
           b->large;
}

static void take_weights(struct blocks *b, const struct layer *l, double element)
{
    double bias = !l->bias             ? 0
                  : l->op == LAYER_CONV   ? (double)l->conv.k
                  : l->op == LAYER_LINEAR ? (double)l->gemm.n
                                          : (double)l->params / 2;
    take(b, ((double)l->params - bias) * element);
    if (bias > 0)
        take(b, bias * element);
}

/* Every tensor of the weights, as often as it is held, with `element` bytes a number in all. */
static void take_state(const struct kept *k, const struct memory_ask *ask, struct blocks *b)
{
    double master = ask->training ? precision_master_bytes(ask->precision)
                                  : precision_weight_bytes(ask->precision);
    double copies = ask->training ? 2 + optimizers[ask->optimizer].states : 1;
    for (size_t i = 0; i < k->net->count; i++) {
        const struct layer *l = &k->net->layers[i];
        if (!l->params)
            continue;
        for (int n = 0; n < (int)copies; n++)
            take_weights(b, l, master);
        if (ask->training && precision_copy_bytes(ask->precision) > 0)
            take_weights(b, l, precision_copy_bytes(ask->precision));
    }
}

static struct memory_range rounding(const struct kept *k, const struct memory_ask *ask)
{
    struct blocks b = { 0, 0, 0, 0, 0 };
    take_state(k, ask, &b);
    if (ask->training && !ask->checkpoint)
        kept_tensors(k, ask->precision, ask->batch, take, &b);
    double most = reserved(&b) - b.exact;
    return (struct memory_range){ b.rounded - b.exact, most, most };
}

/* ---- items -------------------------------------------------------------------------------------- */

/* The largest image that a convolution would unfold (im2col), for one image of the batch. */
static double largest_unfolded(const struct net *net, double element)
{
    double most = 0;
    for (size_t i = 0; i < net->count; i++) {
        const struct layer *l = &net->layers[i];
        const struct layer_conv *c = &l->conv;
        if (l->op != LAYER_CONV || c->r * c->s == 1 || c->groups > 1)
            continue;
        double bytes = (double)c->c * (double)(c->r * c->s) * (double)c->p * (double)c->q * element;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static struct memory_range workspace(const struct kept *k, const struct memory_ask *ask)
{
    struct memory_range blas = overhead("blas"), conv = overhead("conv");
    double limit = ask->card_bytes > SMALL_CARD ? conv.high : conv.mid;
    double wish = largest_unfolded(k->net, precision_activation_bytes(ask->precision));
    conv.high = fmin(wish * ask->batch, conv.high);
    conv.mid = fmin(fmin(wish, limit), conv.high);
    if (!ask->framework)
        blas = exactly(0);
    add_range(&conv, blas);
    return conv;
}

static void fill_weights(const struct net_totals *t, const struct memory_ask *ask,
                         struct memory_range *items)
{
    double params = (double)t->params, buffers = 4 * (double)t->buffers;
    enum precision p = ask->precision;
    if (!ask->training) {
        items[MEMORY_WEIGHTS] = exactly(params * precision_weight_bytes(p) + buffers);
        return;
    }
    double master = precision_master_bytes(p);
    items[MEMORY_WEIGHTS] = exactly(params * (master + precision_copy_bytes(p)) + buffers);
    items[MEMORY_GRADIENTS] = exactly(params * master);
    items[MEMORY_OPTIMIZER] = exactly(params * master * optimizers[ask->optimizer].states);
}

static void fill_activations(const struct kept *k, const struct memory_ask *ask,
                             struct memory_range *items)
{
    if (!ask->training) {
        double image = 4 * (double)dims_elements(&k->net->layers[0].out) * ask->batch;
        items[MEMORY_ACTIVATIONS] = exactly(kept_live_bytes(k, ask->precision, ask->batch) + image);
        return;
    }
    items[MEMORY_ACTIVATIONS] =
        exactly(ask->checkpoint ? kept_checkpointed_bytes(k, ask->precision, ask->batch, NULL)
                                : kept_bytes(k, ask->precision, ask->batch));
    items[MEMORY_TRANSIENT] = exactly(kept_gradient_bytes(k, ask->precision, ask->batch));
}

static struct memory_range measured_or(double bytes, const char *item)
{
    return bytes >= 0 ? exactly(bytes) : overhead(item);
}

void memory_bill(const struct kept *k, const struct memory_ask *ask, struct memory_bill *bill)
{
    const struct net_totals t = net_totals(k->net);
    *bill = (struct memory_bill){ .total = exactly(0) };
    struct memory_range *items = bill->items;
    items[MEMORY_CONTEXT] = measured_or(ask->context_bytes, "context");
    if (!ask->budget)
        items[MEMORY_DISPLAY] = measured_or(ask->display_bytes, ask->windows ? "display_windows" : "display");
    if (ask->framework)
        items[MEMORY_FRAMEWORK] = overhead("framework");
    fill_weights(&t, ask, items);
    fill_activations(k, ask, items);
    items[MEMORY_WORKSPACE] = workspace(k, ask);
    items[MEMORY_ROUNDING] = rounding(k, ask);
    items[MEMORY_RESERVE] = exactly(fmax(0.05 * ask->card_bytes, 64 * MIB));
    for (int i = 0; i < MEMORY_ITEM_COUNT; i++)
        add_range(&bill->total, items[i]);
}

/* ---- what fits ------------------------------------------------------------------------------------ */

static bool fits(const struct kept *k, const struct memory_ask *ask, int batch, bool surely)
{
    struct memory_ask a = *ask;
    struct memory_bill bill;
    a.batch = batch;
    memory_bill(k, &a, &bill);
    return (surely ? bill.total.high : bill.total.mid) <= ask->card_bytes;
}

/* The bill grows with the batch, but for the allocator's steps, which are small against an image. */
static int largest(const struct kept *k, const struct memory_ask *ask, bool surely)
{
    int low = 0, high = 1;
    while (high <= MEMORY_BATCH_MOST && fits(k, ask, high, surely)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (middle <= MEMORY_BATCH_MOST && fits(k, ask, middle, surely))
            low = middle;
        else
            high = middle;
    }
    return low;
}

int memory_largest_batch(const struct kept *k, const struct memory_ask *ask)
{
    return largest(k, ask, false);
}

int memory_sure_batch(const struct kept *k, const struct memory_ask *ask)
{
    return largest(k, ask, true);
}
