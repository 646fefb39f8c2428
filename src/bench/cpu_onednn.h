/* oneDNN (libdnnl.so.3 or .2), loaded at run time. */
#ifndef BENCH_CPU_ONEDNN_H
#define BENCH_CPU_ONEDNN_H

#include <stddef.h>
#include <stdint.h>

#include "core/search.h"

struct onednn_engine;
struct onednn_stream;
struct onednn_memory;
struct onednn_plan; /* dnnl_primitive_desc */
struct onednn_primitive;
struct onednn_options; /* dnnl_primitive_attr */
struct onednn_after;   /* dnnl_post_ops */

struct onednn_version {
    int major, minor, patch;
    const char *hash;
    unsigned cpu_runtime, gpu_runtime;
};

struct onednn_argument {
    int name;
    struct onednn_memory *memory;
};

/* Numbers of dnnl_types.h, the same in versions 2 and 3 where no version is named. */
enum onednn_number {
    ONEDNN_OK = 0,
    ONEDNN_UNIMPLEMENTED = 3,
    ONEDNN_CPU = 1,
    ONEDNN_STREAM_DEFAULT = 1,
    ONEDNN_F32 = 3,
    ONEDNN_ANY_LAYOUT = 1,
    ONEDNN_FORWARD_TRAINING = 64,
    ONEDNN_ALGORITHM_AUTO = 3,
    ONEDNN_RELU_V2 = 31,
    ONEDNN_RELU_V3 = 32,
    ONEDNN_QUERY_NAME = 8,
    ONEDNN_QUERY_SRC = 129,
    ONEDNN_QUERY_DIFF_SRC = 130,
    ONEDNN_QUERY_WEIGHTS = 131,
    ONEDNN_QUERY_DIFF_WEIGHTS = 132,
    ONEDNN_QUERY_DST = 133,
    ONEDNN_QUERY_DIFF_DST = 134,
    ONEDNN_ARG_FROM = 1,
    ONEDNN_ARG_TO = 17,
    ONEDNN_ARG_SRC = 1,
    ONEDNN_ARG_DST = 17,
    ONEDNN_ARG_WEIGHTS = 33,
    ONEDNN_ARG_BIAS = 41,
    ONEDNN_ARG_DIFF_SRC = 129,
    ONEDNN_ARG_DIFF_DST = 145,
    ONEDNN_ARG_DIFF_WEIGHTS = 161,
};

/* What a caller holds in version 2, by sizeof in dnnl_types.h: 696 and 5976 bytes. */
#define ONEDNN_V2_DESC_BYTES        1024
#define ONEDNN_V2_CONVOLUTION_BYTES 8192

struct cpu_onednn {
    struct search_found found;
    int major;
    char name[64];    /* "oneDNN 2.6.3" */
    unsigned threads; /* 0: not under our control (built without OpenMP) */
    struct onednn_engine *engine;
    struct onednn_stream *stream;
    struct {
#define X(version, member, name, result, arguments) result(*member) arguments;
#include "bench/cpu_onednn.def"
#undef X
    } call;
};

/* `threads` 0: as many as there are physical cores; it holds for the calling thread, which must be the
 * one that runs. NULL with ERR_MISSING and what is missing. */
struct cpu_onednn *cpu_onednn_open(const struct search *where, unsigned threads, struct err *err);
/* NULL is allowed. */
void cpu_onednn_close(struct cpu_onednn *onednn);

/* Sets `err` from a failed call: ERR_MISSING when it says "unimplemented". Returns -1; 0 for success. */
int cpu_onednn_check(struct err *err, unsigned status, const char *call);

#endif
