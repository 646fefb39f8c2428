/* One thing to measure: an operation, its shape, its class of arithmetic and whose code does it. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include <jansson.h>

#include "bench/ceiling.h"
#include "bench/row.h"
#include "bench/shape.h"

enum case_kind {
    CASE_LOAD, /* a kernel family onto the device: what is there to measure at all */
    CASE_CEILING,
    CASE_GEMM,
    CASE_CONV,
    CASE_LAYER, /* what lies between convolutions and moves memory */
    CASE_NET,   /* a sum of the rows of its layers */
    CASE_KIND_COUNT
};

#define CASE_LAYER_NUMBERS 12

enum case_engine {
    ENGINE_SMFIT,
    ENGINE_CUBLAS,
    ENGINE_CUDNN,
    ENGINE_OPENBLAS,
    ENGINE_ONEDNN,
    ENGINE_COUNT
};

struct bench_case {
    enum case_kind kind;
    enum case_engine engine;
    enum bench_precision precision; /* BENCH_PRECISION_COUNT: none */
    char name[80], shape[96];       /* as in the row */
    char family[32];                /* LOAD */
    char ceiling[16];               /* CEILING: its name in bench/ceiling.h */
    struct ceiling_size size;       /* CEILING */
    struct gemm_shape gemm;
    struct conv_shape conv;
    enum conv_pass pass;
    int layer[CASE_LAYER_NUMBERS]; /* LAYER: as case_layer takes them */
    char net[64];
    int batch;               /* NET */
    double flop, bytes;      /* of one launch; bytes that must move at least once */
    double expected_ms;      /* one launch, by the card's figures; 0: not known */
    int rounds;              /* samples; 0, and at most: as the settings say */
    enum row_status planned; /* anything but ok: it is not run, and `why` says why */
    char why[256];
};

const char *
case_kind_name(enum case_kind kind); /* "load", "ceiling", "gemm", "conv", "layer", "net" */
const char *case_engine_name(enum case_engine engine); /* "smfit", "cublas", ... */
bool case_is_cpu(const struct bench_case *c);

/* Each fills name, shape, flop and bytes. The others are zero. */
struct bench_case case_load(const char *family);
struct bench_case case_ceiling(const struct ceiling *ceiling, const struct ceiling_size *size);
struct bench_case case_gemm(enum case_engine engine, enum bench_precision precision,
                            const struct gemm_shape *shape);
struct bench_case case_conv(enum case_engine engine, enum bench_precision precision,
                            const struct conv_shape *shape, enum conv_pass pass);
/* Of bench/layers.h: the operation, n, c, h, w, then of pools window, stride and padding of both
 * sides and whether padding counts. */
struct bench_case case_layer(enum bench_precision precision, const int numbers[CASE_LAYER_NUMBERS]);
struct bench_case case_net(enum case_engine engine, enum bench_precision precision, const char *net,
                           int batch);

/* A row with the case's texts, flop and bytes, and nothing measured. */
void case_row(const struct bench_case *c, bool simulated, struct row *row);

/* For workers. */
json_t *case_json(const struct bench_case *c);
int case_parse(struct bench_case *c, const json_t *json, struct err *err);

#endif
