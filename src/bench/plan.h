/* What will be measured, in which order, and how long that should take. Pure: the same options,
 * card and libraries give the same plan, in this process and in the next (which is what resuming
 * rests on). */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/case.h"
#include "bench/roof.h"

#define PLAN_GROUP_MOST 48 /* cases of one worker */
#define PLAN_BATCH_MOST 12 /* of those, measured in turn with each other */

enum plan_extent { PLAN_QUICK, PLAN_DEFAULT, PLAN_FULL };

/* What is measured of a network, for one image: CASE_CONV, CASE_GEMM, or CASE_LAYER for what lies
 * between them. One of these is one launch: an activation behind a convolution is in it, one behind
 * batch norm or a sum in that pass. */
struct plan_layer {
    enum case_kind kind;
    struct conv_shape conv;
    struct gemm_shape gemm;
    int numbers[CASE_LAYER_NUMBERS]; /* as case_layer takes them */
    int count;                       /* how often it occurs */
};

struct plan_net {
    const char *name;
    const struct plan_layer *layers;
    size_t count;
    const char *without; /* layers that no kernel does: "2 concat, 1 softmax"; "": there are none */
};

struct plan_options {
    enum plan_extent extent;
    const char *const *patterns; /* --case: parts of names, or with *, ? and [: whole names */
    size_t pattern_count;
    bool precisions[BENCH_PRECISION_COUNT]; /* none set: all */
    const struct gemm_shape *shapes;        /* --shape */
    size_t shape_count;
    const struct plan_net *nets; /* all that may be asked for */
    size_t net_count;
    bool nets_only;                    /* --net: these, and what they need */
    bool products_only;                /* of them convolutions and matrix products alone, no sums */
    bool cpu, gpu;                     /* where */
    bool simulated;                    /* sizes are cut to what a CPU can simulate */
    const char *missing[ENGINE_COUNT]; /* why there is no such engine; NULL: there is */
    int batches[4];                    /* of the networks; ends with 0. None: 1 */
};

struct plan_settings {
    int rounds;       /* each visits every case of a group once */
    int net_rounds;   /* of them for the layers of networks, which are many */
    double sample_ms; /* a sample is as many launches as take about this long */
    double warm_ms;   /* at most, until the medians agree */
    double launch_ms; /* no launch may be expected to take longer, but on the processor for --shape */
    bool simulated;
};

struct plan {
    struct bench_case *cases;
    size_t count, room;
    struct plan_settings settings;
    double seconds; /* all of it, as foreseen */
};

/* ERR_USAGE: a pattern fits nothing. */
int plan_build(const struct plan_options *options, const struct roof *roof, struct plan *plan,
               struct err *err);
void plan_free(struct plan *plan);

/* ERR_USAGE: a precision was asked for that nothing of the plan is in. A ceiling is what shapes and
 * networks are held against, and no answer to them. */
int plan_check_precisions(const struct plan *plan, const struct plan_options *options,
                          struct err *err);

/* How long one case should take with all its samples, in seconds. */
double plan_case_seconds(const struct plan_settings *settings, const struct bench_case *c);

/* Cases that one worker runs: of the same kind, processor and precision, and PLAN_GROUP_MOST of
 * them at most. Returns how many from `first` on belong together. */
size_t plan_group(const struct plan *plan, size_t first);

/* The layer for so many images at once. */
struct plan_layer plan_layer_of(const struct plan_layer *layer, int batch);

/* The row of the case's own ceilings: arithmetic of its class, and memory. NULL: has none. */
const char *plan_ceiling(const struct bench_case *c);

/* Whether `name` has `pattern` in it, or fits it when that has wildcards. */
bool plan_matches(const char *name, const char *pattern);

#endif
