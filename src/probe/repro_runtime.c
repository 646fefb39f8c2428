#include "probe/repro_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os_process.h"
#include "core/str.h"
#include "probe/repro_table.h"

enum {
    TIMEOUT_MS = 60000,
    OUTPUT_MAX = 65536,
    FLOOR_CUDA = 11000, /* least driver of the runtime that the programs are linked with (11.8) */
    FLOOR_CODE = 35,
};

/* Any of the programs knows the texts. */
#define TEXT_PROGRAM "rt_sm_35"

int repro_folder(char *path, size_t size, struct err *err)
{
    char self[4096];
    if (os_self_path(self, sizeof self, err))
        return -1;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    int n = snprintf(path, size, "%s/repro", self);
    return n < 0 || (size_t)n >= size ? err_set(err, ERR_LIMIT, "path of the program is too long")
                                      : 0;
}

/* "CALL<TAB>CODE<TAB>TEXT"; false for anything else. */
static bool parse_line(const char *line, size_t length, const char *prefix, struct repro_call *call)
{
    const char *tab = memchr(line, '\t', length);
    const char *second = tab ? memchr(tab + 1, '\t', length - (size_t)(tab + 1 - line)) : NULL;
    if (!second)
        return false;
    *call = (struct repro_call){ .code = atoi(tab + 1) };
    snprintf(call->call, sizeof call->call, "%s%s%.*s", prefix ? prefix : "", prefix ? " " : "",
             (int)(tab - line), line);
    snprintf(call->text, sizeof call->text, "%.*s", (int)(line + length - second - 1), second + 1);
    return true;
}

static void parse_output(struct repro_runtime *runtime, const char *text, const char *prefix)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        if (runtime->count < REPRO_CALLS_MAX &&
            parse_line(text, (size_t)(end - text), prefix, &runtime->calls[runtime->count]))
            runtime->count++;
}

static void fail(struct repro_runtime *runtime, const char *why)
{
    runtime->how = REPRO_RUNTIME_FAILED;
    str_copy(runtime->note, sizeof runtime->note, why);
}

static void take_result(struct repro_runtime *runtime, const struct repro_program *program,
                        const struct os_process_result *ran)
{
    char why[160];
    parse_output(runtime, ran->out.p, program->prefix);
    runtime->how = REPRO_RUNTIME_RUN;
    if (ran->end == OS_EXITED && ran->status == 0)
        return;
    snprintf(why, sizeof why, "%s: %s %d", program->name,
             ran->end == OS_TIMED_OUT   ? "over its time limit"
             : ran->end == OS_SIGNALLED ? "ended by signal"
                                        : "exit status",
             ran->status);
    fail(runtime, why);
}

void repro_runtime_run(struct repro_runtime *runtime, const struct repro_program *program)
{
    char folder[4096], path[4200];
    struct err err;
    err_clear(&err);
    str_copy(runtime->program, sizeof runtime->program, program->name);
    if (repro_folder(folder, sizeof folder, &err)) {
        fail(runtime, err.msg);
        return;
    }
    snprintf(path, sizeof path, "%s/%s", folder, program->name);
    if (access(path, X_OK)) {
        runtime->how = REPRO_RUNTIME_NOT_BUILT;
        return;
    }
    const char *argv[6] = { path };
    for (size_t i = 0; i < 4 && program->arguments[i]; i++)
        argv[i + 1] = program->arguments[i];
    struct os_process process = { .argv = argv,
                                  .environment = program->environment,
                                  .output_max = OUTPUT_MAX,
                                  .timeout_ms = TIMEOUT_MS };
    struct os_process_result ran = { .out = STR_INIT, .err = STR_INIT, .report = STR_INIT };
    if (os_process_run(&process, &ran, &err))
        fail(runtime, err.msg);
    else
        take_result(runtime, program, &ran);
    os_process_result_free(&ran);
}

/* The texts of the codes that are in the list, from the same cudart; false: no program. */
static bool fetch_texts(struct repro_runtime *runtime)
{
    bool ok = true;
    for (size_t i = 0; i < runtime->count && ok; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", runtime->calls[i].code);
        struct repro_runtime one = { 0 };
        repro_runtime_run(&one, &(struct repro_program){ TEXT_PROGRAM, { code }, NULL, NULL });
        ok = one.how == REPRO_RUNTIME_RUN && one.count == 1;
        if (ok)
            str_copy(runtime->calls[i].text, sizeof runtime->calls[i].text, one.calls[0].text);
    }
    return ok;
}

static void add_expected(struct repro_runtime *runtime, const struct repro_expected *expected)
{
    for (size_t i = 0; i < expected->code_count && runtime->count < REPRO_CALLS_MAX; i++) {
        struct repro_call *call = &runtime->calls[runtime->count++];
        *call = (struct repro_call){ .code = expected->codes[i], .alternative = i > 0 };
        str_copy(call->call, sizeof call->call, expected->path);
        if (runtime->below_floor) {
            call->code = FLOOR_CODE;
            return;
        }
    }
}

void repro_runtime_document(struct repro_runtime *runtime, const char *name, int cuda)
{
    struct repro_expected rows[REPRO_CALLS_MAX];
    size_t n = repro_runtime_rows(name, cuda, rows, REPRO_CALLS_MAX);
    *runtime = (struct repro_runtime){ .how = REPRO_RUNTIME_NONE };
    runtime->below_floor = cuda && cuda < FLOOR_CUDA;
    for (size_t i = 0; i < n; i++)
        add_expected(runtime, &rows[i]);
    if (!n)
        return;
    runtime->how = fetch_texts(runtime) ? REPRO_RUNTIME_DOCUMENTED : REPRO_RUNTIME_NOT_BUILT;
    if (runtime->how == REPRO_RUNTIME_DOCUMENTED)
        str_copy(runtime->program, sizeof runtime->program, TEXT_PROGRAM);
}

void repro_runtime_judge(struct repro_runtime *runtime, const char *name, int cuda)
{
    struct repro_expected rows[REPRO_CALLS_MAX];
    size_t n = repro_runtime_rows(name, cuda, rows, REPRO_CALLS_MAX);
    bool floor = cuda && cuda < FLOOR_CUDA;
    for (size_t i = 0; i < runtime->count; i++)
        for (size_t k = 0; k < n; k++) {
            struct repro_call *call = &runtime->calls[i];
            if (strcmp(call->call, rows[k].path) != 0)
                continue;
            call->has_expected = true;
            call->as_expected =
                floor ? call->code == FLOOR_CODE : repro_expects(&rows[k], call->code);
        }
    runtime->below_floor = floor;
}
