/* Matrix multiplication on the CPU as an installed library does it. */
#ifndef BENCH_CPU_GEMM_H
#define BENCH_CPU_GEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/shape.h"
#include "core/search.h"

enum cpu_gemm_library { CPU_GEMM_OPENBLAS, CPU_GEMM_ONEDNN };

struct cpu_gemm {
    char name[96]; /* "OpenBLAS 0.3.21 (SkylakeX)" */
    char path[1024];
    unsigned threads; /* that it uses; 0: it does not tell */
    /* Private: */
    void *library;
    bool wide;           /* its integers have 64 bits */
    void (*plain)(void); /* OpenBLAS's function, of a type that depends on `wide` */
    struct cpu_onednn *onednn;
};

/* `threads` 0: as many as there are physical cores; it holds for the calling thread. -1 with ERR_MISSING
 * and what is missing (path: of the file that did not do, or ""); with ERR_MEMORY where OpenBLAS could not
 * get what it works in, for which it would wait for ever. */
int cpu_gemm_open(struct cpu_gemm *gemm, enum cpu_gemm_library library, const struct search *where,
                  unsigned threads, struct err *err);
void cpu_gemm_close(struct cpu_gemm *gemm);

/* C = alpha * op(A) * op(B) + beta * C in fp32, with the layout of shape.h. */
int cpu_gemm_run(const struct cpu_gemm *gemm, const struct gemm_shape *shape, float alpha,
                 const float *a, const float *b, float beta, float *c, struct err *err);

/* C = op(A) * op(B), int8 to int32. oneDNN only; on a processor without VNNI (or AMX) its sums of pairs
 * saturate at 16 bits when both operands are near -128 or 127. */
int cpu_gemm_run_int8(const struct cpu_gemm *gemm, const struct gemm_shape *shape,
                      const int8_t *a, const int8_t *b, int32_t *c, struct err *err);

#endif
