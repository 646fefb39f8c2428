/* Trying out which of several kernels is the fastest for an operation, and remembering it. */
#ifndef BENCH_OP_RACE_H
#define BENCH_OP_RACE_H

#include "bench/op.h"

struct op_race {
    struct op *op;
    struct gpu_timer timer;
    double best_ms; /* 0: none ran yet */
};

int op_race_open(struct op_race *race, struct op *op, struct err *err);
void op_race_close(struct op_race *race);

/* Times what op_run would run now: at most three times, once when it is far behind. True: it is the
 * fastest so far. A kernel that fails is no candidate. */
bool op_race_run(struct op_race *race, struct err *err);

/* What the cache says for the operation; NULL: nothing, or there is no cache. */
const char *op_race_known(const struct op *op);
void op_race_keep(const struct op *op, const char *name);

#endif
