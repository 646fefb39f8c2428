#include "size/net.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"

/* Grows `*list` to hold `need` elements. */
static int reserve(void **list, size_t *room, size_t need, size_t size, struct err *err)
{
    if (need <= *room)
        return 0;
    size_t more = *room ? *room * 2 : 64;
    while (more < need)
        more *= 2;
    void *grown = realloc(*list, more * size);
    if (!grown)
        return err_set(err, ERR_MEMORY, "out of memory");
    *list = grown;
    *room = more;
    return 0;
}

void net_init(struct net *net, const char *name)
{
    *net = (struct net){ .layers = NULL };
    str_copy(net->name, sizeof net->name, name);
}

void net_free(struct net *net)
{
    free(net->layers);
    free(net->inputs);
    *net = (struct net){ .layers = NULL };
}

int net_add(struct net *net, const char *name, const struct layer *layer, const size_t *inputs,
            size_t input_count, struct err *err)
{
    if (net->count >= NET_LAYERS_MAX || net->input_count + input_count > NET_INPUTS_MAX)
        return err_set(err, ERR_LIMIT, "the network has more than %d layers", NET_LAYERS_MAX);
    if (reserve((void **)&net->layers, &net->room, net->count + 1, sizeof *net->layers, err) ||
        reserve((void **)&net->inputs, &net->input_room, net->input_count + input_count,
                sizeof *net->inputs, err))
        return -1;
    struct layer *l = &net->layers[net->count];
    *l = *layer;
    str_copy(l->name, sizeof l->name, name);
    l->first_input = net->input_count;
    l->input_count = input_count;
    if (layer_count(l, err))
        return -1;
    for (size_t i = 0; i < input_count; i++)
        net->inputs[net->input_count++] = inputs[i];
    net->count++;
    return 0;
}

const struct layer *net_input(const struct net *net, const struct layer *layer, size_t i)
{
    return &net->layers[net->inputs[layer->first_input + i]];
}

size_t net_find(const struct net *net, const char *name)
{
    for (size_t i = net->count; i-- > 0;)
        if (strcmp(net->layers[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

struct net_totals net_totals(const struct net *net)
{
    struct net_totals t = { .params = net->loose_params };
    for (size_t i = 0; i < net->count; i++) {
        const struct layer *l = &net->layers[i];
        t.params += l->params;
        t.buffers += l->buffers;
        t.macs += l->macs;
        t.weight_tensors += l->params ? (l->bias ? 2 : 1) : 0;
        if (i && !(layer_flags(l->op) & LAYER_VIEW))
            t.activations += dims_elements(&l->out);
        t.others += l->op == LAYER_OTHER;
        t.unknown += l->op == LAYER_OTHER && l->unknown;
    }
    return t;
}

void net_storages(const struct net *net, bool training, size_t *storage)
{
    for (size_t i = 0; i < net->count; i++) {
        const struct layer *l = &net->layers[i];
        bool shares = l->input_count && (l->inplace || (layer_flags(l->op) & LAYER_VIEW) ||
                                         (l->op == LAYER_DROPOUT && !training));
        storage[i] = shares ? storage[net->inputs[l->first_input]] : i;
    }
}
