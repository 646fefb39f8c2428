#include "cli/bench_nets.h"

#include <stdlib.h>
#include <string.h>

#include "cli/net_layers.h"
#include "core/str.h"
#include "size/nets.h"

int bench_nets_add(struct bench_nets *nets, const struct net *net, struct err *err)
{
    size_t at = nets->count;
    if (at == BENCH_NETS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d networks", BENCH_NETS_MAX);
    struct plan_net *to = &nets->list[at];
    *to = (struct plan_net){ .count = 0 };
    str_copy(nets->names[at], sizeof nets->names[at], net->name);
    nets->layers[at] = calloc(2 * net->count + 1, sizeof *nets->layers[at]);
    if (!nets->layers[at])
        return err_set(err, ERR_MEMORY, "out of memory");
    to->name = nets->names[at];
    to->layers = nets->layers[at];
    to->without = nets->without[at];
    nets->count++;
    return net_layers_gather(net, nets->layers[at], &to->count, nets->without[at],
                             sizeof nets->without[at], err);
}

static int load(struct bench_nets *nets, const char *name, struct err *err)
{
    struct net net;
    if (strpbrk(name, "/."))
        return err_set(err, ERR_USAGE,
                       "'--net' takes a built-in network here, not the file '%s', whose layers "
                       "'smfit size --measure --net FILE' measures",
                       name);
    if (nets_find(&net, name, (struct net_image){ 0 }, err))
        return -1;
    int failed = bench_nets_add(nets, &net, err);
    net_free(&net);
    return failed;
}

int bench_nets_load(struct bench_nets *nets, const char *const *names, size_t count,
                    struct err *err)
{
    *nets = (struct bench_nets){ .count = 0 };
    for (size_t i = 0; i < count && i < BENCH_NETS_MAX; i++)
        if (load(nets, names[i], err))
            return -1;
    return 0;
}

void bench_nets_free(struct bench_nets *nets)
{
    for (size_t i = 0; i < nets->count; i++)
        free(nets->layers[i]);
    *nets = (struct bench_nets){ .count = 0 };
}
