/* The built-in networks as the benchmark measures them: each shape of their layers once. */
#ifndef CLI_BENCH_NETS_H
#define CLI_BENCH_NETS_H

#include "bench/plan.h"

#define BENCH_NETS_MAX 16

struct bench_nets {
    struct plan_net list[BENCH_NETS_MAX];
    char names[BENCH_NETS_MAX][64], without[BENCH_NETS_MAX][192];
    struct plan_layer *layers[BENCH_NETS_MAX];
    size_t count;
};

/* ERR_USAGE: no such network, with the nearest. bench_nets_free in both cases. */
int bench_nets_load(struct bench_nets *nets, const char *const *names, size_t count,
                    struct err *err);
/* Any other network. ERR_LIMIT: the list is full. */
struct net;
int bench_nets_add(struct bench_nets *nets, const struct net *net, struct err *err);
void bench_nets_free(struct bench_nets *nets);

#endif
