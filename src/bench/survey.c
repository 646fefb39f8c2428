#include "bench/survey.h"

#include <stdio.h>
#include <string.h>

#include "bench/measure_place.h"
#include "core/json.h"
#include "core/str.h"

enum { TIMEOUT_MS = 120000 };

/* ---- the worker ---- */

static void report(FILE *to, const char *name, const char *version, const char *path,
                   const char *reason, enum case_engine engine, unsigned threads)
{
    json_t *line = json_object();
    json_put_text(line, "name", name);
    json_put_text(line, "version", version);
    json_put_text(line, "path", path);
    json_put_text(line, "reason", reason);
    json_put_number(line, "engine", (uint64_t)engine);
    json_put_number(line, "threads", threads);
    json_dumpf(line, to, JSON_COMPACT);
    fputc('\n', to);
    fflush(to);
    json_decref(line);
}

static void report_vendor(FILE *to, const struct measure_place *p, enum vendor_library library,
                          enum case_engine engine)
{
    const struct vendor_state *s = p->op.vendor ? vendor_state(p->op.vendor, library) : NULL;
    if (s)
        report(to, s->name, s->version, s->path, s->reason, engine, 0);
    else
        report(to, case_engine_name(engine), "", "", p->op.missing[engine], engine, 0);
}

static void report_cpu(FILE *to, const struct measure_place *p, enum case_engine engine,
                       const char *name)
{
    const struct cpu_gemm *g = p->op.cpu_gemm[engine];
    if (g)
        report(to, g->name, "", g->path, "", engine, g->threads);
    else
        report(to, name, "", "", p->op.missing[engine], engine, 0);
}

/* measure_place opens what its cases need: these need everything. */
static size_t cases_for(bool gpu, bool cpu, struct bench_case *cases)
{
    size_t n = 0;
    if (gpu) {
        cases[n++] = (struct bench_case){ .kind = CASE_GEMM, .engine = ENGINE_CUBLAS };
        cases[n++] = (struct bench_case){ .kind = CASE_CONV, .engine = ENGINE_CUDNN };
    }
    if (cpu) {
        cases[n++] = (struct bench_case){ .kind = CASE_GEMM, .engine = ENGINE_OPENBLAS };
        cases[n++] = (struct bench_case){ .kind = CASE_GEMM, .engine = ENGINE_ONEDNN };
    }
    return n;
}

static int run(const json_t *input, FILE *to, struct err *err)
{
    static struct measure_place place; /* large */
    struct plan_settings settings = { .rounds = 1 };
    struct bench_case cases[4];
    bool gpu = json_is_true(json_object_get(input, "gpu"));
    bool cpu = json_is_true(json_object_get(input, "cpu"));
    if (measure_place_open(&place, json_object_get(input, "input"), cases,
                           cases_for(gpu, cpu, cases), &settings, err))
        return -1;
    if (gpu) {
        report_vendor(to, &place, VENDOR_CUBLAS, ENGINE_CUBLAS);
        report_vendor(to, &place, VENDOR_CUDNN, ENGINE_CUDNN);
    }
    if (cpu) {
        report_cpu(to, &place, ENGINE_OPENBLAS, "OpenBLAS");
        report_cpu(to, &place, ENGINE_ONEDNN, "oneDNN");
    }
    measure_place_close(&place);
    return 0;
}

const struct worker_task survey_task = { "bench-libraries", run };

/* ---- the parent ---- */

static void take_text(const json_t *line, const char *key, char *to, size_t size)
{
    const char *text = json_string_value(json_object_get(line, key));
    str_copy(to, size, text ? text : "");
}

static void take_line(struct survey *s, const json_t *line)
{
    json_int_t engine = json_integer_value(json_object_get(line, "engine"));
    if (!json_object_get(line, "engine") || s->count == SURVEY_MAX || engine < 0 ||
        engine >= ENGINE_COUNT)
        return;
    struct survey_library *l = &s->libraries[s->count++];
    take_text(line, "name", l->name, sizeof l->name);
    take_text(line, "version", l->version, sizeof l->version);
    take_text(line, "path", l->path, sizeof l->path);
    take_text(line, "reason", l->reason, sizeof l->reason);
    l->engine = (enum case_engine)engine;
    unsigned threads = (unsigned)json_integer_value(json_object_get(line, "threads"));
    if (threads && !s->cpu_threads)
        s->cpu_threads = threads;
}

static bool was_told(const struct survey *s, enum case_engine engine)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->libraries[i].engine == engine)
            return true;
    return false;
}

/* What the worker did not come to say is missing for the reason that it ended. */
static void fill_up(struct survey *s, bool gpu, bool cpu, const char *why)
{
    for (int e = ENGINE_CUBLAS; e < ENGINE_COUNT; e++) {
        bool asked = e == ENGINE_CUBLAS || e == ENGINE_CUDNN ? gpu : cpu;
        if (!asked || was_told(s, (enum case_engine)e) || s->count == SURVEY_MAX)
            continue;
        struct survey_library *l = &s->libraries[s->count++];
        str_copy(l->name, sizeof l->name, case_engine_name((enum case_engine)e));
        str_copy(l->reason, sizeof l->reason, why);
        l->engine = (enum case_engine)e;
    }
}

int survey_run(const struct measure_input *input, bool gpu, bool cpu, struct survey *s,
               struct err *err)
{
    struct worker_result ran;
    struct measure_input plain = *input;
    static const struct plan_settings none = { .rounds = 1 };
    const char *told = NULL;
    char how[160];
    *s = (struct survey){ .count = 0 };
    plain.settings = &none;
    plain.count = 0;
    json_t *document =
        json_pack("{s:o, s:b, s:b}", "input", measure_document(&plain), "gpu", gpu, "cpu", cpu);
    int failed = worker_call(survey_task.name, document, NULL, TIMEOUT_MS, &ran, err);
    json_decref(document);
    for (size_t i = 0; i < json_array_size(ran.lines); i++) {
        const json_t *line = json_array_get(ran.lines, i);
        const json_t *error = json_object_get(line, "error");
        take_line(s, line);
        if (error)
            told = json_string_value(json_object_get(error, "message"));
    }
    worker_describe(&ran, how, sizeof how);
    fill_up(s, gpu, cpu, told ? told : how);
    worker_result_free(&ran);
    return failed;
}

const char *survey_missing(const struct survey *s, enum case_engine engine)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->libraries[i].engine == engine)
            return *s->libraries[i].reason ? s->libraries[i].reason : NULL;
    return NULL;
}
