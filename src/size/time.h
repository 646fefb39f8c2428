/* How long a matrix product, a convolution or a pass over memory takes on a card, from the card's figures and
 * at most one time that was measured on it. A model of what vendor libraries do (tiles, waves, split sums,
 * algorithms of convolutions), not of one kernel; its constants are in time_constants.c, each with what it means.
 *
 *     struct time_model model;
 *     time_model_init(&model, &card, TIME_FP32, &calibration or NULL);
 *     time_predict(&model, &op, &result);
 *
 * All times are of one call on an idle card, without transfers, in milliseconds. Nothing here allocates or fails:
 * what cannot be predicted says why in the result. */
#ifndef SIZE_TIME_H
#define SIZE_TIME_H

#include <stdbool.h>

#include "arch/cards.h"

/* Storage and arithmetic. */
enum time_precision {
    TIME_FP32,         /* "fp32" */
    TIME_FP16_STORAGE, /* "fp16-storage": fp16 in memory, fp32 arithmetic */
    TIME_FP16,         /* "fp16": packed half arithmetic */
    TIME_FP16_MIXED,   /* "fp16-mixed", "tc-fp16": tensor cores, fp32 sums; without them as fp16-storage */
    TIME_BF16_MIXED,   /* "bf16-mixed", "tc-bf16" */
    TIME_TF32,         /* "tf32", "tc-tf32": fp32 in memory */
    TIME_INT8,         /* "int8": tensor cores where the card has them for it, else dp4a */
    TIME_PRECISION_COUNT
};

/* What is needed of a card. 0: not known, but for fp16_ratio. */
struct time_card {
    unsigned cc; /* 35 */
    unsigned sms, cores;
    double clock_mhz; /* the highest that the data sheet promises: boost, else base */
    double bandwidth_gbps;
    double launch_us;
    double fp16_ratio;   /* of half2 arithmetic to fp32; 0: none */
    double tensor_ratio; /* of tensor cores (fp16, fp32 sums) to fp32; 0: has none */
};

/* C = op(A) * op(B), column-major as in BLAS: op(A) is m x k, op(B) is k x n. */
struct time_gemm {
    int m, n, k;
    bool trans_a, trans_b;
    int count; /* independent products of this shape in one call; 0 is 1 */
};

enum time_pass { TIME_FORWARD, TIME_BACKWARD_DATA, TIME_BACKWARD_WEIGHTS, TIME_PASS_COUNT };

/* NCHW; input n x c x h x w, weights k x (c / groups) x r x s with r rows and s columns. */
struct time_conv {
    int w, h, c, n, k, s, r;
    int pad_w, pad_h, stride_w, stride_h;
    int dilation_w, dilation_h; /* 0 is 1 */
    int groups;                 /* 0 is 1: dense; c: depthwise */
    enum time_pass pass;
};

/* Passes over memory: activations, normalisations, additions, updates of weights. */
struct time_traffic {
    double bytes; /* read and written in all */
    int launches; /* kernels that do it; 0 is 1 */
};

enum time_op_kind { TIME_OP_GEMM, TIME_OP_CONV, TIME_OP_TRAFFIC };

struct time_op {
    enum time_op_kind kind;
    union {
        struct time_gemm gemm;
        struct time_conv conv;
        struct time_traffic traffic;
    };
};

/* What by itself would take half of the time or more: the arithmetic of the definition at the peak, or its bytes at
 * the data sheet's bandwidth (the longer one of both). Neither: waiting, for launches, memory or the last block. */
enum time_bound { TIME_BOUND_COMPUTE, TIME_BOUND_MEMORY, TIME_BOUND_LATENCY };

struct time_result {
    double ms;
    double low_ms, high_ms; /* where 80 % of the published rows lie around what a model says that has not seen their card */
    enum time_bound bound;
    double flop, bytes;     /* of the definition: a multiply-add is two, every element moves once */
    const char *reason;     /* NULL: predicted. Else the id of a sentence in text.tsv, and all numbers are 0 */
};

struct time_calibration {
    struct time_gemm shape;
    double ms;
};

struct time_model {
    struct time_card card;
    enum time_precision precision;
    double peak_gflops; /* what large products reach: calibrated, else of the data sheet times a usual share */
    bool calibrated;
    const char *reason; /* NULL, or why nothing of this precision can be predicted here */
};

/* "fp32"; never NULL. */
const char *time_precision_name(enum time_precision precision);
/* Takes the names above; -1: no such name. */
int time_precision_find(const char *name);
/* Bytes of one element of A, B, inputs and weights. */
int time_precision_bytes(enum time_precision precision);

/* From cards.tsv; figures that it lacks stay 0. Without one of multiprocessors, cores, clock and bandwidth nothing
 * is predicted. */
void time_card_load(struct time_card *to, const struct card *card);

/* What the card's arithmetic does by its data sheet, in GFLOP/s; of a precision that it has none for, that of fp32.
 * 0: not known. */
double time_sheet_gflops(const struct time_card *card, enum time_precision precision);

/* A measured rate beyond that many times the data sheet's is a mistake: factory overclocking adds a quarter. */
#define TIME_SHEET_MOST 1.5

/* GFLOP/s of the calibrating product by its definition. */
double time_calibration_gflops(const struct time_calibration *calibration);

/* `calibration` may be NULL: then the peak is cores * clock * 2 times what its generation reaches. It must be a
 * positive time of a positive shape, of the same precision. Best is a large product without transposes: one that waits for
 * memory, or with many rows of a transposed A on a card before Volta, says less, and then the peak stays near the usual
 * one. */
void time_model_init(struct time_model *model, const struct time_card *card, enum time_precision precision,
                     const struct time_calibration *calibration);

/* Shapes need not be sensible: one that is not gives a reason. */
void time_predict(const struct time_model *model, const struct time_op *op, struct time_result *result);

#endif
