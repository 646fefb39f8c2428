#include "cuda/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    REPORT_MAX = 8 << 20, /* bytes of a report that are kept */
    ENVIRONMENT_MAX = 32,
};

static const struct worker_task *find_task(const struct worker_task *const *tasks, const char *name)
{
    for (; *tasks; tasks++)
        if (strcmp((*tasks)->name, name) == 0)
            return *tasks;
    return NULL;
}

static void report_error(FILE *report, const struct err *err)
{
    json_t *line = json_pack("{s:{s:s, s:i, s:s}}", "error", "code", err_code_name(err->code),
                             "native", err->native, "message", err->msg);
    if (line)
        json_dumpf(line, report, JSON_COMPACT);
    fputc('\n', report);
    json_decref(line);
}

_Noreturn void worker_main(const struct worker_task *const *tasks, const char *name)
{
    const struct worker_task *task = find_task(tasks, name);
    FILE *report = fdopen(OS_REPORT_FD, "w");
    if (!task || !report) {
        fprintf(stderr, "smfit: a worker is started by smfit itself\n");
        exit(2);
    }
    json_error_t why;
    json_t *input = json_loadf(stdin, 0, &why);
    struct err err;
    err_clear(&err);
    int failed = input ? task->run(input, report, &err)
                       : err_set(&err, ERR_FORMAT, "cannot read the worker's input: %s", why.text);
    if (failed)
        report_error(report, &err);
    json_decref(input);
    fclose(report);
    exit(failed ? 1 : 0);
}

/* Whole lines only: what a crash cut off is dropped. */
static void parse_lines(const struct str *report, json_t *lines)
{
    const char *p = report->p;
    for (const char *end; (end = strchr(p, '\n')); p = end + 1) {
        json_t *line = json_loadb(p, (size_t)(end - p), 0, NULL);
        if (line)
            json_array_append_new(lines, line);
    }
}

static void last_line(const struct str *text, char *to, size_t size)
{
    size_t end = text->len;
    while (end && text->p[end - 1] == '\n')
        end--;
    size_t start = end;
    while (start && text->p[start - 1] != '\n')
        start--;
    snprintf(to, size, "%.*s", (int)(end - start), text->p + start);
}

/* The caller's changes behind the default that keeps the user's JIT cache out of it. */
static void join_environment(const char *const *changes, const char **all)
{
    size_t n = 0;
    all[n++] = "CUDA_CACHE_DISABLE=1";
    for (; changes && *changes && n < ENVIRONMENT_MAX - 1; changes++)
        all[n++] = *changes;
    all[n] = NULL;
}

/* What is no JSON is no line of ours. */
static bool hand_line(void *self, const char *text, size_t length)
{
    const struct worker_sink *sink = self;
    json_t *line = json_loadb(text, length, 0, NULL);
    bool more = !line || sink->take(sink->self, line);
    json_decref(line);
    return more;
}

int worker_call(const char *task, const json_t *input, const char *const *environment,
                uint64_t timeout_ms, struct worker_result *result, struct err *err)
{
    return worker_stream(task, input, environment, timeout_ms, NULL, result, err);
}

int worker_stream(const char *task, const json_t *input, const char *const *environment,
                  uint64_t timeout_ms, const struct worker_sink *sink, struct worker_result *result,
                  struct err *err)
{
    *result = (struct worker_result){ .lines = json_array() };
    char self[4096];
    char *text = json_dumps(input, JSON_COMPACT);
    struct os_process_result ran = { .out = STR_INIT, .err = STR_INIT, .report = STR_INIT };
    int code = -1;
    if (!text || !result->lines) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    if (os_self_path(self, sizeof self, err))
        goto done;
    const char *const argv[] = { self, "--worker", task, NULL };
    const char *all[ENVIRONMENT_MAX];
    join_environment(environment, all);
    struct os_process process = { .argv = argv,
                                  .environment = all,
                                  .input = text,
                                  .input_size = strlen(text),
                                  .output_max = REPORT_MAX,
                                  .timeout_ms = timeout_ms,
                                  .report = true,
                                  .report_line = sink ? hand_line : NULL,
                                  .report_self = (void *)sink };
    if (os_process_run(&process, &ran, err))
        goto done;
    result->end = ran.end;
    result->status = ran.status;
    parse_lines(&ran.report, result->lines);
    last_line(&ran.err, result->message, sizeof result->message);
    code = 0;
done:
    os_process_result_free(&ran);
    free(text);
    return code;
}

void worker_result_free(struct worker_result *result)
{
    json_decref(result->lines);
    *result = (struct worker_result){ 0 };
}

void worker_describe(const struct worker_result *result, char *text, size_t size)
{
    switch (result->end) {
    case OS_TIMED_OUT:
        snprintf(text, size, "over its time limit");
        return;
    case OS_STOPPED:
        snprintf(text, size, "ended on purpose");
        return;
    case OS_SIGNALLED:
        snprintf(text, size, "ended by signal %d (%s)", result->status, strsignal(result->status));
        return;
    case OS_EXITED:
        text[0] = 0;
        if (result->status)
            snprintf(text, size, "exit status %d", result->status);
        return;
    }
}
