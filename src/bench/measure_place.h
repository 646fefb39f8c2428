/* What a worker opens before it measures: only what its cases need. */
#ifndef BENCH_MEASURE_PLACE_H
#define BENCH_MEASURE_PLACE_H

#include "bench/op.h"
#include "bench/plan.h"

struct measure_place {
    struct op_place op;
    struct gpu gpu;
    struct cpu_gemm cpu_gemm[2]; /* OpenBLAS, oneDNN */
    struct tune tune;
    bool has_gpu;
    char uses[ENGINE_COUNT][320]; /* why an engine is missing */
    const char *nvml;
    const char *names[64];
    struct search where;
};

/* -1 only when the device does not open though a case needs it: a missing library is a reason in
 * place->op.missing. */
int measure_place_open(struct measure_place *place, const json_t *input,
                       const struct bench_case *cases, size_t count,
                       const struct plan_settings *settings, struct err *err);
void measure_place_close(struct measure_place *place);

#endif
