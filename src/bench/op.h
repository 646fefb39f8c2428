/* An operation with its data, ready to be run any number of times: what the sampler times,
 * whoever's code it is. Each kind is an op_*.c with a struct op_kind; op.c picks it by the case. */
#ifndef BENCH_OP_H
#define BENCH_OP_H

#include "bench/case.h"
#include "bench/cpu_conv.h"
#include "bench/cpu_gemm.h"
#include "bench/gpu.h"
#include "bench/reference.h"
#include "bench/tune.h"
#include "bench/vendor.h"

/* Where operations run. What is not there is NULL, and why is said. */
struct op_place {
    struct gpu *gpu;
    struct vendor *vendor;
    const struct cpu_gemm *cpu_gemm[ENGINE_COUNT]; /* by engine */
    struct cpu_onednn *onednn;
    const char *missing[ENGINE_COUNT];
    struct tune *tune; /* NULL: kernels are chosen by their model alone */
    size_t workspace_max;
    double launch_ms; /* no launch may take longer */
    bool simulated;
};

/* What a look at the result says. */
struct op_verdict {
    size_t checked, wrong;
    double max_rel_error, bound;
    char first[200]; /* what is wrong, for people; "" nothing */
};

struct op;

struct op_kind {
    /* Allocates, fills, chooses a kernel. On failure nothing is left. ERR_MISSING: there is no such
     * operation here. */
    int (*prepare)(struct op *op, struct err *err);
    /* Queues one run on the set of data `turn`; on the CPU it is finished when it returns. */
    int (*run)(struct op *op, unsigned turn, struct err *err);
    /* Waits, and compares the result of set 0, which was run before, with fp64. */
    int (*check)(struct op *op, struct op_verdict *verdict, struct err *err);
    /* Before a check: the result of set 0 becomes poison. NULL: run() needs none. */
    int (*poison)(struct op *op, struct err *err);
    void (*release)(struct op *op);
};

struct op {
    const struct op_place *place;
    struct bench_case c;
    const struct op_kind *kind;
    void *state;    /* the kind's own */
    unsigned turns; /* sets of data, so many that none is still in the cache when its turn comes */
    char image[32], variant[48], chosen[16]; /* as in the row */
    double once_ms;                          /* kinds that run only once: the time; else 0 */
};

/* Prepares, runs once and checks. 0: it can be timed. -1 with err: it cannot; `row` (with the
 * case's texts) has the status and the reason, also of a wrong result. */
int op_open(struct op *op, const struct op_place *place, const struct bench_case *c,
            struct row *row, struct err *err);
int op_run(struct op *op, unsigned turn, struct err *err);
/* Once more after many runs: is the result still right? As op_open. */
int op_check(struct op *op, struct row *row, struct err *err);
void op_close(struct op *op);

/* Device memory that op_open will want, about; 0 on the CPU. */
double op_bytes(const struct op_place *place, const struct bench_case *c);

/* Sets `row` from an error: unsupported, skipped or error, and the reason. */
void op_fail(struct row *row, const struct err *err);

/* How many sets of `bytes` are more than twice the cache. */
unsigned op_turns(const struct op_place *place, double bytes);

extern const struct op_kind op_load, op_ceiling, op_gemm, op_conv, op_layer, op_cpu_gemm,
    op_cpu_conv;

#endif
