/* Which libraries are there to measure beside our kernels: opened in a worker, since a broken one
 * may take its process along. */
#ifndef BENCH_SURVEY_H
#define BENCH_SURVEY_H

#include "bench/case.h"
#include "bench/measure.h"

extern const struct worker_task survey_task;

struct survey_library {
    char name[64];    /* "cuBLAS", "OpenBLAS 0.3.21 (SkylakeX)" */
    char version[32]; /* "" not told apart from the name */
    char path[1024];
    char reason[320];        /* why it is not used; "" it is */
    enum case_engine engine; /* whose rows rest on it */
};

#define SURVEY_MAX 4

struct survey {
    struct survey_library libraries[SURVEY_MAX];
    size_t count;
    unsigned cpu_threads; /* 0: no library told */
    /* Of the management library, {field: {"value", "unit"} or {"why"}}; NULL: it was not asked. */
    json_t *readings;
};

/* `gpu`: ask for cuBLAS and cuDNN, on the device of `input`; `cpu`: for OpenBLAS and oneDNN. -1
 * only when no worker can be started. */
int survey_run(const struct measure_input *input, bool gpu, bool cpu, struct survey *survey,
               struct err *err);

void survey_free(struct survey *survey);

/* As if asked for cuBLAS and cuDNN, which are not used for this reason. */
void survey_without(struct survey *survey, const char *why);

/* Why an engine is not there; NULL: it is, or nobody asked. */
const char *survey_missing(const struct survey *survey, enum case_engine engine);

#endif
