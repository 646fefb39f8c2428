#include "bench/measure_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"

enum { FOLDERS_MAX = 32 };
#define WORKSPACE_MAX   ((size_t)256 << 20)
#define WORKSPACE_SMALL ((size_t)32 << 20) /* on cards of 2 GiB and less */
#define SMALL_CARD      ((uint64_t)2 << 30)

static bool uses(const struct bench_case *cases, size_t count, enum case_engine engine)
{
    for (size_t i = 0; i < count; i++)
        if (cases[i].engine == engine)
            return true;
    return false;
}

static size_t read_names(const json_t *list, const char **names)
{
    size_t n = json_array_size(list) < FOLDERS_MAX ? json_array_size(list) : FOLDERS_MAX;
    for (size_t i = 0; i < n; i++)
        names[i] = json_string_value(json_array_get(list, i));
    return n;
}

static void miss(struct measure_place *p, enum case_engine engine, const char *why)
{
    str_copy(p->uses[engine], sizeof p->uses[engine], why);
    p->op.missing[engine] = p->uses[engine];
}

static void open_vendor(struct measure_place *p, const struct bench_case *cases, size_t count)
{
    static const struct {
        enum case_engine engine;
        enum vendor_library library;
    } engines[] = { { ENGINE_CUBLAS, VENDOR_CUBLAS }, { ENGINE_CUDNN, VENDOR_CUDNN } };
    struct vendor_options options = { .where = &p->where,
                                      .cc_major = (int)p->gpu.device.cc / 10,
                                      .cc_minor = (int)p->gpu.device.cc % 10,
                                      .workspace_max = p->op.workspace_max };
    for (size_t i = 0; i < 2; i++)
        options.leave[engines[i].library] = !uses(cases, count, engines[i].engine);
    struct err err;
    err_clear(&err);
    p->op.vendor = vendor_open(&p->gpu.driver, &options, &err);
    for (size_t i = 0; i < 2; i++) {
        const struct vendor_state *s =
            p->op.vendor ? vendor_state(p->op.vendor, engines[i].library) : NULL;
        if (!s || *s->reason)
            miss(p, engines[i].engine, s ? s->reason : err.msg);
    }
}

static void open_cpu_gemm(struct measure_place *p, enum case_engine engine)
{
    struct err err;
    err_clear(&err);
    bool onednn = engine == ENGINE_ONEDNN;
    struct cpu_gemm *gemm = &p->cpu_gemm[onednn];
    if (cpu_gemm_open(gemm, onednn ? CPU_GEMM_ONEDNN : CPU_GEMM_OPENBLAS, &p->where, 0, &err))
        miss(p, engine, err.msg);
    else
        p->op.cpu_gemm[engine] = gemm;
}

static void open_cpu(struct measure_place *p, const struct bench_case *cases, size_t count)
{
    struct err err;
    err_clear(&err);
    for (size_t i = 0; i < count; i++) {
        enum case_engine engine = cases[i].engine;
        if (!case_is_cpu(&cases[i]) || p->op.missing[engine])
            continue;
        if (cases[i].kind == CASE_GEMM && !p->op.cpu_gemm[engine])
            open_cpu_gemm(p, engine);
        else if (cases[i].kind == CASE_CONV && !p->op.onednn &&
                 !(p->op.onednn = cpu_onednn_open(&p->where, 0, &err)))
            miss(p, engine, err.msg);
    }
}

static int open_device(struct measure_place *p, const json_t *input, struct err *err)
{
    char ordinal[16];
    const char *library = json_string_value(json_object_get(input, "library"));
    snprintf(ordinal, sizeof ordinal, "%d",
             (int)json_integer_value(json_object_get(input, "ordinal")));
    if (gpu_open(&p->gpu, library, ordinal, err))
        return -1;
    p->has_gpu = true;
    p->op.gpu = &p->gpu;
    p->op.workspace_max =
        p->gpu.device.memory_bytes <= SMALL_CARD ? WORKSPACE_SMALL : WORKSPACE_MAX;
    return 0;
}

int measure_place_open(struct measure_place *p, const json_t *input, const struct bench_case *cases,
                       size_t count, const struct plan_settings *settings, struct err *err)
{
    const char *hash = json_string_value(json_object_get(input, "tune"));
    *p = (struct measure_place){ .op.simulated = settings->simulated,
                                 .op.launch_ms = settings->launch_ms };
    p->nvml = json_string_value(json_object_get(input, "nvml"));
    size_t dirs = read_names(json_object_get(input, "lib_dirs"), p->names);
    size_t sites = read_names(json_object_get(input, "sites"), p->names + dirs);
    p->where = (struct search){ p->names, dirs, p->names + dirs, sites, false };
    bool on_device = false;
    for (size_t i = 0; i < count; i++)
        on_device = on_device || !case_is_cpu(&cases[i]);
    if (on_device && open_device(p, input, err))
        return -1;
    if (uses(cases, count, ENGINE_CUBLAS) || uses(cases, count, ENGINE_CUDNN))
        open_vendor(p, cases, count);
    open_cpu(p, cases, count);
    if (hash && on_device) {
        tune_open(&p->tune, hash);
        p->op.tune = &p->tune;
    }
    return 0;
}

void measure_place_close(struct measure_place *p)
{
    if (p->op.tune)
        tune_close(&p->tune);
    if (p->op.vendor)
        vendor_close(p->op.vendor);
    if (p->op.onednn)
        cpu_onednn_close(p->op.onednn);
    for (int i = 0; i < 2; i++)
        if (p->op.cpu_gemm[i ? ENGINE_ONEDNN : ENGINE_OPENBLAS])
            cpu_gemm_close(&p->cpu_gemm[i]);
    if (p->has_gpu)
        gpu_close(&p->gpu);
}
