#include "bench/survey.h"

#include <stdio.h>
#include <string.h>

#include "bench/measure_place.h"
#include "core/json.h"
#include "core/str.h"
#include "cuda/nvml.h"

enum { TIMEOUT_MS = 120000 };

/* ---- the worker ---- */

/* "engines" is a list of their numbers. */
static bool asks(const json_t *asked, int engine)
{
    for (size_t i = 0; i < json_array_size(asked); i++)
        if (json_integer_value(json_array_get(asked, i)) == engine)
            return true;
    return false;
}

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

/* What the card says of itself at this moment: clocks, temperature, power. */
static void report_readings(FILE *to, const struct measure_place *p)
{
    struct nvml_reading reading;
    struct err err;
    err_clear(&err);
    struct nvml *nvml = nvml_open(p->nvml, &err);
    json_t *all = json_object();
    nvml_read(nvml, p->gpu.device.pci_id, &reading);
    for (int i = 0; i < NVML_FIELD_COUNT; i++) {
        const struct nvml_value *v = &reading.field[i];
        const char *why = nvml ? v->why : err.msg;
        json_put(all, nvml_field_name((enum nvml_field)i),
                 v->known ? json_pack("{s:I, s:s}", "value", (json_int_t)v->value, "unit",
                                      nvml_field_unit((enum nvml_field)i))
                          : json_pack("{s:s}", "why", why));
    }
    nvml_close(nvml);
    json_t *line = json_pack("{s:o}", "readings", all);
    json_dumpf(line, to, JSON_COMPACT);
    fputc('\n', to);
    json_decref(line);
}

/* measure_place opens what its cases need: these need each engine that is asked for. */
static size_t cases_for(const json_t *asked, struct bench_case *cases)
{
    size_t n = 0;
    for (int e = ENGINE_CUBLAS; e < ENGINE_COUNT; e++)
        if (asks(asked, e))
            cases[n++] = (struct bench_case){ .kind = e == ENGINE_CUDNN ? CASE_CONV : CASE_GEMM,
                                              .engine = (enum case_engine)e };
    return n;
}

static int run(const json_t *input, FILE *to, struct err *err)
{
    static struct measure_place place; /* large */
    struct plan_settings settings = { .rounds = 1 };
    struct bench_case cases[ENGINE_COUNT];
    const json_t *asked = json_object_get(input, "engines");
    if (measure_place_open(&place, json_object_get(input, "input"), cases, cases_for(asked, cases),
                           &settings, err))
        return -1;
    if (place.has_gpu)
        report_readings(to, &place);
    if (asks(asked, ENGINE_CUBLAS))
        report_vendor(to, &place, VENDOR_CUBLAS, ENGINE_CUBLAS);
    if (asks(asked, ENGINE_CUDNN))
        report_vendor(to, &place, VENDOR_CUDNN, ENGINE_CUDNN);
    if (asks(asked, ENGINE_OPENBLAS))
        report_cpu(to, &place, ENGINE_OPENBLAS, "OpenBLAS");
    if (asks(asked, ENGINE_ONEDNN))
        report_cpu(to, &place, ENGINE_ONEDNN, "oneDNN");
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

static void miss(struct survey *s, enum case_engine engine, const char *why)
{
    if (s->count == SURVEY_MAX)
        return;
    struct survey_library *l = &s->libraries[s->count++];
    str_copy(l->name, sizeof l->name, case_engine_name(engine));
    str_copy(l->reason, sizeof l->reason, why);
    l->engine = engine;
}

static json_t *document_for(const struct measure_input *input, const bool asked[ENGINE_COUNT])
{
    static const struct plan_settings none = { .rounds = 1 };
    struct measure_input plain = *input;
    json_t *engines = json_array();
    plain.settings = &none;
    plain.count = 0;
    for (int e = 0; e < ENGINE_COUNT; e++)
        if (asked[e])
            json_array_append_new(engines, json_integer(e));
    return json_pack("{s:o, s:o}", "input", measure_document(&plain), "engines", engines);
}

/* Asks one worker. `how`: what kept it from telling of all of them, "" nothing; `*died`: it did not
 * end of its own accord. */
static int ask(const struct measure_input *input, const bool asked[ENGINE_COUNT], struct survey *s,
               char *how, size_t size, bool *died, struct err *err)
{
    struct worker_result ran;
    json_t *document = document_for(input, asked);
    int failed = worker_call(survey_task.name, document, NULL, TIMEOUT_MS, &ran, err);
    json_decref(document);
    worker_describe(&ran, how, size);
    for (size_t i = 0; i < json_array_size(ran.lines); i++) {
        const json_t *line = json_array_get(ran.lines, i);
        const json_t *error = json_object_get(line, "error");
        take_line(s, line);
        if (json_object_get(line, "readings"))
            json_object_update(s->readings, json_object_get(line, "readings"));
        if (error)
            take_text(error, "message", how, size);
    }
    *died = ran.end != OS_EXITED;
    worker_result_free(&ran);
    return failed;
}

/* Where one library takes the worker along, the others are asked for by themselves. */
int survey_run(const struct measure_input *input, bool gpu, bool cpu, struct survey *s,
               struct err *err)
{
    bool asked[ENGINE_COUNT] = {
        [ENGINE_CUBLAS] = gpu, [ENGINE_CUDNN] = gpu, [ENGINE_OPENBLAS] = cpu, [ENGINE_ONEDNN] = cpu
    };
    char how[160];
    bool died;
    *s = (struct survey){ .readings = gpu ? json_object() : NULL };
    if (ask(input, asked, s, how, sizeof how, &died, err))
        return -1;
    for (int e = ENGINE_CUBLAS; e < ENGINE_COUNT; e++) {
        bool one[ENGINE_COUNT] = { false }, unused;
        one[e] = true;
        if (!asked[e] || was_told(s, (enum case_engine)e))
            continue;
        if (died && ask(input, one, s, how, sizeof how, &unused, err))
            return -1;
        if (!was_told(s, (enum case_engine)e))
            miss(s, (enum case_engine)e, how);
    }
    return 0;
}

void survey_free(struct survey *s)
{
    json_decref(s->readings);
    s->readings = NULL;
}

void survey_without(struct survey *s, const char *why)
{
    miss(s, ENGINE_CUBLAS, why);
    miss(s, ENGINE_CUDNN, why);
}

const char *survey_missing(const struct survey *s, enum case_engine engine)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->libraries[i].engine == engine)
            return *s->libraries[i].reason ? s->libraries[i].reason : NULL;
    return NULL;
}
