/* How a plan is put together: plan.c's own half. Each adds the cases of one kind, in the order in
 * which they are measured. */
#ifndef BENCH_PLAN_PARTS_H
#define BENCH_PLAN_PARTS_H

#include "bench/plan.h"

struct planning {
    const struct plan_options *options;
    const struct roof *roof;
    struct plan *plan;
    bool in_net; /* layers of networks are added */
    struct err *err;
};

int plan_add_loads(struct planning *p);
int plan_add_ceilings(struct planning *p);
int plan_add_gemms(struct planning *p);
int plan_add_convs(struct planning *p);
int plan_add_layers(struct planning *p);
/* A network's layer between products, in each class of arithmetic that has kernels. */
int plan_add_layer(struct planning *p, const int *numbers, const char *owner);
int plan_add_nets(struct planning *p);

/* Appends a copy unless the plan has it; fills expected_ms and what is not to be run. */
int plan_add(struct planning *p, const struct bench_case *c);

bool plan_has_precision(const struct plan_options *options, enum bench_precision precision);
bool plan_wants(const struct plan_options *options, const char *name, const char *owner);

/* A guess for the forecast: two cores with AVX2. */
double plan_cpu_ms(const struct bench_case *c);

#endif
