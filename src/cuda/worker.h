/* Copies of this program that do what can poison a process: load foreign images, provoke faults.
 *
 * The parent starts `smfit --worker NAME`, gives it one JSON document on standard input and reads
 * lines of JSON from its report pipe. What becomes of the copy - crash, time-out, signal - is a
 * result. A worker never uses the user's JIT cache. */
#ifndef CUDA_WORKER_H
#define CUDA_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "core/err.h"
#include "core/os_process.h"

/* What a worker can do. `run` gets the parent's document and writes one JSON object a line to
 * `report`, flushed as it goes, so that a crash loses only what was not written. Returns 0 or -1
 * (err, which the worker adds as {"error": ...}). */
struct worker_task {
    const char *name;
    int (*run)(const json_t *input, FILE *report, struct err *err);
};

/* The worker's side. `tasks` ends with NULL. Reads standard input, runs, and ends the
 * process: 0 done, 1 failed, 2 no such task. */
_Noreturn void worker_main(const struct worker_task *const *tasks, const char *name);

struct worker_result {
    enum os_process_end end;
    int status;
    json_t *lines;     /* array: every whole line of the report; never NULL after worker_call */
    char message[256]; /* last line of the worker's standard error; "" when it said nothing */
};

/* The parent's side. `environment` as in os_process (may be NULL). 0 when the worker was started,
 * whatever it did. Free the result in both cases. */
int worker_call(const char *task, const json_t *input, const char *const *environment,
                uint64_t timeout_ms, struct worker_result *result, struct err *err);
void worker_result_free(struct worker_result *result);

/* As worker_call, but each line goes to `take` as it comes and none is kept; `timeout_ms` is how long the
 * worker may be silent. `take` returns false to end the worker. */
struct worker_sink {
    void *self;
    bool (*take)(void *self, const json_t *line);
};
int worker_stream(const char *task, const json_t *input, const char *const *environment,
                  uint64_t timeout_ms, const struct worker_sink *sink, struct worker_result *result,
                  struct err *err);

/* "ended by signal 11 (Segmentation fault)", "over its time limit", "exit status 1": for people and
 * JSON; "" when the worker ended well. */
void worker_describe(const struct worker_result *result, char *text, size_t size);

#endif
