#include "size/kept.h"

#include <stdlib.h>

static const struct layer *layer_at(const struct kept *k, size_t i)
{
    return &k->net->layers[i];
}

static size_t input_index(const struct kept *k, const struct layer *l, size_t i)
{
    return k->net->inputs[l->first_input + i];
}

/* ---- what reads what ------------------------------------------------------------------------ */

static void mark_inputs(struct kept *k, const struct layer *l, size_t count)
{
    for (size_t i = 0; i < count && i < l->input_count; i++)
        k->saved[k->storage[input_index(k, l, i)]] = true;
}

static void mark_saved(struct kept *k, size_t i)
{
    const struct layer *l = layer_at(k, i);
    switch (layer_keeps(l->op)) {
    case LAYER_KEEPS_OUTPUT:
        k->saved[k->storage[i]] = true;
        break;
    case LAYER_KEEPS_INPUT:
    case LAYER_KEEPS_INDICES:
    case LAYER_KEEPS_INPUT_OR_OUTPUT: /* in place both are one storage */
        mark_inputs(k, l, 1);
        break;
    case LAYER_KEEPS_INPUT_COPY:
        if (!l->inplace)
            mark_inputs(k, l, 1);
        break;
    case LAYER_KEEPS_BOTH:
        mark_inputs(k, l, l->input_count);
        break;
    case LAYER_KEEPS_NOTHING:
    case LAYER_KEEPS_MASK:
        break;
    }
}

/* Behind layer i nothing but i's own output is read: all later readers of earlier layers are gone. */
static void find_cuts(struct kept *k)
{
    size_t reach = 0;
    k->cut_count = 0;
    for (size_t i = 0; i + 1 < k->net->count; i++) {
        if (i && reach <= i)
            k->cuts[k->cut_count++] = i;
        if (k->last_reader[i] > reach)
            reach = k->last_reader[i];
    }
}

static void find_readers(struct kept *k)
{
    for (size_t i = 0; i < k->net->count; i++) {
        const struct layer *l = layer_at(k, i);
        for (size_t n = 0; n < l->input_count; n++)
            k->last_reader[input_index(k, l, n)] = i;
    }
}

static void lives_until(struct kept *k, size_t storage, size_t layer)
{
    if (k->death[storage] < layer)
        k->death[storage] = layer;
}

static void find_deaths(struct kept *k)
{
    for (size_t i = 0; i < k->net->count; i++) {
        const struct layer *l = layer_at(k, i);
        lives_until(k, k->storage[i], i);
        lives_until(k, k->storage[i], l->held_until);
        for (size_t n = 0; n < l->input_count; n++)
            lives_until(k, k->storage[input_index(k, l, n)], i);
    }
    k->death[k->storage[k->net->count - 1]] = k->net->count;
}

int kept_init(struct kept *k, const struct net *net, bool training, struct err *err)
{
    size_t n = net->count;
    *k = (struct kept){ .net = net };
    k->storage = calloc(n, sizeof *k->storage);
    k->saved = calloc(n, sizeof *k->saved);
    k->death = calloc(n, sizeof *k->death);
    k->cuts = calloc(n, sizeof *k->cuts);
    k->last_reader = calloc(n, sizeof *k->last_reader);
    if (!k->storage || !k->saved || !k->death || !k->cuts || !k->last_reader) {
        kept_free(k);
        return err_set(err, ERR_MEMORY, "out of memory");
    }
    net_storages(net, training, k->storage);
    for (size_t i = 0; i < n; i++)
        mark_saved(k, i);
    find_readers(k);
    find_deaths(k);
    find_cuts(k);
    return 0;
}

void kept_free(struct kept *k)
{
    free(k->storage);
    free(k->saved);
    free(k->death);
    free(k->cuts);
    free(k->last_reader);
    *k = (struct kept){ .net = NULL };
}

/* ---- bytes ------------------------------------------------------------------------------------ */

/* Mixed precision computes these in fp32 whatever comes in; token numbers are int64. */
static double element_bytes(const struct kept *k, size_t i, enum precision precision)
{
    const struct layer *l = layer_at(k, i);
    if (l->op == LAYER_INPUT)
        return l->out.count == 1 ? 8 : 4;
    if (precision == PRECISION_AMP && (l->op == LAYER_SOFTMAX || l->op == LAYER_LAYERNORM))
        return 4;
    return precision_activation_bytes(precision);
}

static double output_bytes(const struct kept *k, size_t i, enum precision precision, double batch)
{
    return (double)dims_elements(&layer_at(k, i)->out) * element_bytes(k, i, precision) * batch;
}

/* What a layer keeps beside whole activations. */
static double side_bytes(const struct kept *k, size_t i, enum precision precision, double batch)
{
    const struct layer *l = layer_at(k, i);
    double elements = (double)dims_elements(&l->out) * batch, bytes = 0;
    if (layer_keeps(l->op) == LAYER_KEEPS_INDICES)
        bytes = 8 * elements;
    if (layer_keeps(l->op) == LAYER_KEEPS_MASK)
        bytes = elements;
    if (layer_keeps(l->op) == LAYER_KEEPS_INPUT_COPY && l->inplace)
        bytes = elements * element_bytes(k, i, precision);
    if (layer_flags(l->op) & LAYER_STATS)
        bytes += 8 * (double)l->rows * (l->op == LAYER_BATCHNORM ? 1 : batch);
    return bytes;
}

static void tensors_of(const struct kept *k, size_t i, enum precision precision, double batch,
                       kept_tensor *each, void *self)
{
    if (k->storage[i] == i && k->saved[i]) {
        each(self, output_bytes(k, i, precision, batch));
        /* autocast also keeps the image as the arithmetic reads it */
        if (i == 0 && precision == PRECISION_AMP && layer_at(k, 0)->out.count != 1)
            each(self, output_bytes(k, i, precision, batch) / 2);
    }
    double side = side_bytes(k, i, precision, batch);
    if (side > 0)
        each(self, side);
}

void kept_tensors(const struct kept *k, enum precision precision, double batch, kept_tensor *each,
                  void *self)
{
    for (size_t i = 0; i < k->net->count; i++)
        tensors_of(k, i, precision, batch, each, self);
}

static void add_up(void *self, double bytes)
{
    *(double *)self += bytes;
}

double kept_bytes(const struct kept *k, enum precision precision, double batch)
{
    double sum = 0;
    kept_tensors(k, precision, batch, add_up, &sum);
    return sum;
}

/* Cuts as soon as a part would be above `most`; returns what stays plus the largest part. */
static double cut_at(const struct kept *k, enum precision precision, double batch, double most,
                     size_t *segments)
{
    double stays = 0, part = 0, largest = 0, since_cut = 0;
    size_t next = 0, count = 1, last_cut = SIZE_MAX;
    for (size_t i = 0; i < k->net->count; i++) {
        double bytes = 0;
        tensors_of(k, i, precision, batch, add_up, &bytes);
        if (part + bytes > most && last_cut != SIZE_MAX && i) {
            double done = part - since_cut;
            largest = done > largest ? done : largest;
            stays += output_bytes(k, last_cut, precision, batch);
            part = since_cut;
            last_cut = SIZE_MAX;
            count++;
        }
        part += bytes;
        since_cut += bytes;
        if (next < k->cut_count && k->cuts[next] == i) {
            last_cut = i;
            since_cut = 0;
            next++;
        }
    }
    *segments = count;
    return stays + (part > largest ? part : largest);
}

double kept_checkpointed_bytes(const struct kept *k, enum precision precision, double batch,
                               size_t *segments)
{
    double all = kept_bytes(k, precision, batch), best = all;
    size_t best_segments = 1;
    for (double most = all / 2; most > all / 200; most *= 0.85) {
        size_t count;
        double bytes = cut_at(k, precision, batch, most, &count);
        if (bytes < best) {
            best = bytes;
            best_segments = count;
        }
    }
    if (segments)
        *segments = best_segments;
    return best;
}

double kept_live_bytes(const struct kept *k, enum precision precision, double batch)
{
    double live = 0, most = 0;
    double *freed = calloc(k->net->count + 1, sizeof *freed);
    if (!freed)
        return 0;
    for (size_t i = 1; i < k->net->count; i++) {
        if (k->storage[i] == i) {
            double bytes = output_bytes(k, i, precision, batch);
            live += bytes;
            freed[k->death[i]] += bytes;
        }
        /* PyTorch's pooling makes its indices whether or not somebody wants them */
        double besides = layer_at(k, i)->op == LAYER_MAXPOOL ? side_bytes(k, i, precision, batch) : 0;
        most = live + besides > most ? live + besides : most;
        live -= freed[i];
    }
    free(freed);
    return most;
}

double kept_gradient_bytes(const struct kept *k, enum precision precision, double batch)
{
    double most = 0;
    for (size_t i = 1; i < k->net->count; i++) {
        const struct layer *l = layer_at(k, i);
        double bytes = output_bytes(k, i, precision, batch);
        for (size_t n = 0; n < l->input_count; n++)
            if (input_index(k, l, n))
                bytes += output_bytes(k, input_index(k, l, n), precision, batch);
        most = bytes > most ? bytes : most;
    }
    return most;
}
