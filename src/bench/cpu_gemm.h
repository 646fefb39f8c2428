/* Matrix multiplication on the CPU as an installed library does it: OpenBLAS, else oneDNN. */
#ifndef BENCH_CPU_GEMM_H
#define BENCH_CPU_GEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/shape.h"
#include "core/search.h"

struct cpu_gemm {
    void *library;
    bool onednn;      /* else OpenBLAS */
    bool wide;        /* its integers have 64 bits */
    char name[96];    /* "OpenBLAS 0.3.21 (SkylakeX)" */
    char path[1024];
    unsigned threads; /* that it uses */
    void (*plain)(void); /* the library's function; its type depends on the three above */
    void (*integer)(void); /* for int8; NULL: this library has none */
};

/* `threads` 0: as many as there are physical cores. -1 with ERR_MISSING and what is missing. */
int cpu_gemm_open(struct cpu_gemm *gemm, const struct search *where, unsigned threads,
                  struct err *err);
void cpu_gemm_close(struct cpu_gemm *gemm);

/* C = alpha * op(A) * op(B) + beta * C in fp32, with the layout of shape.h. */
int cpu_gemm_run(const struct cpu_gemm *gemm, const struct gemm_shape *shape, float alpha,
                 const float *a, const float *b, float beta, float *c, struct err *err);

/* C = op(A) * op(B), int8 to int32. oneDNN only. */
int cpu_gemm_run_int8(const struct cpu_gemm *gemm, const struct gemm_shape *shape,
                      const signed char *a, const signed char *b, int32_t *c, struct err *err);

#endif
