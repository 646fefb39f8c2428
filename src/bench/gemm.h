/* Matrix products on a device: which kernels there are, which of them suits a shape, and one run.
 *
 * Results are stored as gemm_result says; alpha and beta are fp32, for integer classes whole
 * numbers. With beta 0 C is not read. The same call gives the same bits: splits of k are added in
 * order. */
#ifndef BENCH_GEMM_H
#define BENCH_GEMM_H

#include "bench/gpu.h"
#include "bench/number.h"
#include "bench/shape.h"

/* Layouts, for the mask in gemm_variant. */
enum { GEMM_NN = 1, GEMM_TN = 2, GEMM_NT = 4, GEMM_TT = 8 };

/* One kernel: a block of `threads` computes tile_m x tile_n of C, tile_k along k at a time. */
struct gemm_variant {
    const char *family; /* kernels/<family>.cu */
    const char
        *kernel; /* <family>_<tile_m>x<tile_n>[_<layout>][_any]; <family>_reduce adds splits */
    enum bench_precision precision;
    unsigned target; /* the lowest it is built for: 35 */
    int tile_m, tile_n, tile_k;
    int threads;
    int static_shared_bytes; /* the kernel's own, per block */
    unsigned layouts;        /* GEMM_NN | ... that it takes */
    int align; /* elements: lengths of columns as stored and addresses must be multiples; 1: any */
    int efficiency; /* percent: share of multiply-adds among the instructions of its loop, about */
};

extern const struct gemm_variant gemm_variants[];
extern const size_t gemm_variant_count;

/* Every variant takes any m, n, k >= 1 within its alignment, and any number of splits. */
struct gemm_choice {
    const struct gemm_variant *variant;
    int splits; /* of the sum over k; 1: none */
};

struct gemm_buffers {
    uint64_t a, b, c;
    uint64_t workspace;    /* gemm_workspace bytes; 0 when that is 0 */
    bool share_a, share_b; /* one matrix for the whole batch */
};

/* What C is stored as. */
enum number gemm_result(enum bench_precision precision);

/* Whether the kernel can do it; `buffers` NULL: addresses as gpu_alloc gives them. */
bool gemm_fits(const struct gemm_variant *variant, const struct gemm_shape *shape,
               const struct gemm_buffers *buffers);
/* Splits that make sense for a shape: 1 up to this. */
int gemm_splits_max(const struct gemm_variant *variant, const struct gemm_shape *shape);

/* What a card is to the choice. */
struct gemm_card {
    unsigned cc; /* 35 */
    int sms;
};

/* The fastest by a model of tiles, multiprocessors and splits; false when no variant of the class
 * runs on the card. For what is really fastest the candidates can be timed. */
bool gemm_choose(const struct gemm_card *card, enum bench_precision precision,
                 const struct gemm_shape *shape, const struct gemm_buffers *buffers,
                 struct gemm_choice *choice);

/* Bytes of device memory that a run needs besides its matrices. */
size_t gemm_workspace(const struct gemm_choice *choice, const struct gemm_shape *shape);

/* Queues all launches of one product. ERR_LIMIT: too large for a grid. */
int gemm_run(struct gpu *gpu, const struct gemm_choice *choice, const struct gemm_shape *shape,
             float alpha, float beta, const struct gemm_buffers *buffers, struct err *err);

#endif
