/* OpenBLAS and oneDNN as they are installed here, against the fp64 reference: two ways to one result.
 * Without them the tests of what is missing run alone. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cpu_conv.h"
#include "bench/cpu_gemm.h"
#include "bench/reference.h"
#include "beside.h"
#include "core/os_cpu.h"

/* LeakSanitizer falls over the threads of an OpenMP that came with a library loaded later. */
#ifndef __has_feature
#define __has_feature(what) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define THREADS 1u
#else
#define THREADS 0u
#endif

static float *filled(size_t count, enum number number, uint64_t seed)
{
    float *values = malloc((count ? count : 1) * sizeof *values);
    cr_assert_not_null(values);
    reference_fill(values, count, number, seed);
    return values;
}

static size_t *all_of(size_t count)
{
    size_t *index = malloc(count * sizeof *index);
    cr_assert_not_null(index);
    reference_samples(count, 1, 1, index, count);
    return index;
}

static const struct gemm_shape gemms[] = {
    { 1, 1, 1, false, false, 1 },     { 7, 5, 3, false, false, 2 },
    { 33, 17, 64, true, false, 1 },   { 64, 65, 31, false, true, 3 },
    { 128, 96, 257, true, true, 1 },  { 3, 200, 100, false, false, 1 },
    { 200, 130, 150, false, true, 2 },
};
#define GEMM_COUNT (sizeof gemms / sizeof gemms[0])

static void check_gemm(struct cpu_gemm *gemm, const struct gemm_shape *s)
{
    struct err err;
    err_clear(&err);
    size_t batch = (size_t)s->batch, count = reference_gemm_count(s), *index = all_of(count);
    float *a = filled((size_t)s->m * (size_t)s->k * batch, NUMBER_F32, 1);
    float *b = filled((size_t)s->k * (size_t)s->n * batch, NUMBER_F32, 2);
    float *before = filled(count, NUMBER_F32, 3), *c = filled(count, NUMBER_F32, 3);
    struct reference_gemm want = { *s, 0.75, -2, a, b, before };
    struct reference_bound bound = reference_bound(BENCH_FP32, s->k, NUMBER_F32);
    struct reference_error error = { 0 };
    cr_assert_eq(cpu_gemm_run(gemm, s, 0.75f, a, b, -2, c, &err), 0, "%s", err.msg);
    reference_check_gemm(&want, &bound, NUMBER_F32, c, index, count, &error);
    cr_assert_eq(error.wrong, 0, "%s, %d x %d x %d: element %zu is %g, not %g", gemm->name, s->m,
                 s->n, s->k, error.worst, error.got, error.want);
    free(a), free(b), free(c), free(before), free(index);
}

static void check_library(enum cpu_gemm_library library, const char *name)
{
    struct cpu_gemm gemm;
    struct err err;
    err_clear(&err);
    if (cpu_gemm_open(&gemm, library, NULL, THREADS, &err)) {
        cr_assert_eq(err.code, ERR_MISSING);
        cr_skip("%s", err.msg);
    }
    cr_assert(strncmp(gemm.name, name, strlen(name)) == 0, "'%s'", gemm.name);
    cr_assert_eq(gemm.threads, THREADS ? THREADS : os_cpu_cores());
    for (size_t i = 0; i < GEMM_COUNT; i++)
        check_gemm(&gemm, &gemms[i]);
    cpu_gemm_close(&gemm);
}

Test(bench_cpu, openblas_multiplies_in_every_layout)
{
    check_library(CPU_GEMM_OPENBLAS, "OpenBLAS 0.");
}

Test(bench_cpu, onednn_multiplies_in_every_layout)
{
    check_library(CPU_GEMM_ONEDNN, "oneDNN ");
}

Test(bench_cpu, onednn_multiplies_int8_exactly)
{
    struct cpu_gemm gemm;
    struct err err;
    err_clear(&err);
    if (cpu_gemm_open(&gemm, CPU_GEMM_ONEDNN, NULL, 1, &err))
        cr_skip("%s", err.msg);
    cr_assert_eq(gemm.threads, 1);
    for (size_t i = 0; i < GEMM_COUNT; i++) {
        const struct gemm_shape *s = &gemms[i];
        size_t batch = (size_t)s->batch, count = reference_gemm_count(s), *index = all_of(count);
        size_t counts[] = { (size_t)s->m * (size_t)s->k * batch, (size_t)s->k * (size_t)s->n * batch };
        float *values[2];
        int8_t *packed[2];
        int32_t *c = malloc(count * sizeof *c);
        for (uint64_t j = 0; j < 2; j++) {
            values[j] = filled(counts[j], NUMBER_S8, j);
            for (size_t e = 0; e < counts[j]; e++) /* within what cannot saturate without VNNI */
                values[j][e] = (float)((int)values[j][e] / 2);
            packed[j] = malloc(counts[j]);
            cr_assert(c && packed[j]);
            number_pack(NUMBER_S8, values[j], counts[j], packed[j]);
        }
        struct reference_gemm want = { *s, 1, 0, values[0], values[1], NULL };
        struct reference_bound bound = reference_bound(BENCH_DP4A, s->k, NUMBER_S32);
        struct reference_error error = { 0 };
        cr_assert_eq(cpu_gemm_run_int8(&gemm, s, packed[0], packed[1], c, &err), 0, "%s", err.msg);
        reference_check_gemm(&want, &bound, NUMBER_S32, c, index, count, &error);
        cr_assert_eq(error.wrong, 0, "shape %zu: element %zu is %g, not %g", i, error.worst,
                     error.got, error.want);
        free(values[0]), free(values[1]), free(packed[0]), free(packed[1]), free(c), free(index);
    }
    cpu_gemm_close(&gemm);
}

static const struct conv_shape convs[] = {
    { 2, 3, 14, 13, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1 },    { 1, 16, 9, 8, 32, 1, 1, 0, 0, 1, 1, 1, 1, 1 },
    { 2, 32, 10, 10, 32, 3, 3, 1, 1, 2, 2, 1, 1, 32 }, { 1, 8, 17, 19, 16, 5, 3, 2, 1, 2, 1, 1, 1, 2 },
    { 1, 6, 15, 15, 4, 3, 3, 2, 2, 1, 1, 2, 2, 1 },    { 1, 3, 32, 32, 16, 7, 7, 3, 3, 2, 2, 1, 1, 1 },
};
#define CONV_COUNT (sizeof convs / sizeof convs[0])

static void check_conv(struct cpu_onednn *onednn, const struct conv_shape *s, enum conv_pass pass,
                       bool fused)
{
    struct err err;
    err_clear(&err);
    size_t count = reference_conv_count(s, pass), *index = all_of(count);
    float *x = filled(reference_conv_count(s, CONV_BACKWARD_DATA), NUMBER_F32, 1);
    float *w = filled(reference_conv_count(s, CONV_BACKWARD_WEIGHTS), NUMBER_F32, 2);
    float *y = filled(reference_conv_count(s, CONV_FORWARD), NUMBER_F32, 3);
    float *bias = filled((size_t)s->k, NUMBER_F32, 4), *got = filled(count, NUMBER_F32, 5);
    struct reference_conv want = { *s, pass, x, w, y, fused ? bias : NULL, fused };
    /* It may choose Winograd, whose transforms cost digits. */
    struct reference_bound bound = reference_bound(BENCH_FP32, reference_conv_terms(s, pass), NUMBER_F32);
    bound.relative *= 8;
    struct reference_error error = { 0 };
    struct cpu_conv *conv =
        cpu_conv_new(onednn, s, &(struct cpu_conv_options){ pass, fused, fused }, &err);
    cr_assert_not_null(conv, "%s", err.msg);
    const float *operands[] = { x, w, y, bias };
    for (int i = 0; i < CPU_CONV_ARRAYS - !fused; i++)
        cr_assert_eq(cpu_conv_put(conv, (enum cpu_conv_array)i, operands[i], &err), 0, "%s", err.msg);
    cr_assert(fused || cpu_conv_put(conv, CPU_CONV_BIAS, bias, NULL) == -1);
    cr_assert_eq(cpu_conv_run(conv, &err), 0, "%s", err.msg);
    cr_assert_eq(cpu_conv_get(conv, got, &err), 0, "%s", err.msg);
    cr_assert(strlen(cpu_conv_kernel(conv)) > 2);
    reference_check_conv(&want, &bound, NUMBER_F32, got, index, count, &error);
    cr_assert_eq(error.wrong, 0, "pass %d with %s: element %zu is %g, not %g", pass,
                 cpu_conv_kernel(conv), error.worst, error.got, error.want);
    cpu_conv_free(conv);
    free(x), free(w), free(y), free(bias), free(got), free(index);
}

Test(bench_cpu, onednn_convolves_in_every_pass)
{
    struct err err;
    err_clear(&err);
    struct cpu_onednn *onednn = cpu_onednn_open(NULL, THREADS, &err);
    if (!onednn)
        cr_skip("%s", err.msg);
    for (size_t i = 0; i < CONV_COUNT; i++) {
        for (int pass = 0; pass < 3; pass++)
            check_conv(onednn, &convs[i], (enum conv_pass)pass, false);
        check_conv(onednn, &convs[i], CONV_FORWARD, true);
    }
    cpu_onednn_close(onednn);
}

static void make_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

Test(bench_cpu, a_library_that_is_none_is_named_and_the_next_is_taken)
{
    char folder[] = "/tmp/smfit-cpu-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libopenblas.so.0", folder);
    make_file(path, "not a library\n");
    const char *folders[] = { folder };
    struct search where = { folders, 1, NULL, 0, false };
    struct cpu_gemm gemm;
    struct err err;
    err_clear(&err);
    if (cpu_gemm_open(&gemm, CPU_GEMM_OPENBLAS, &where, 1, &err)) {
        cr_assert_eq(err.code, ERR_MISSING);
        cr_assert(strstr(err.msg, path), "'%s'", err.msg);
        cr_assert_str_eq(gemm.path, path);
    } else { /* the system's own */
        cr_assert_null(strstr(gemm.path, folder));
        cpu_gemm_close(&gemm);
    }
    remove(path);
    remove(folder);
}

/* Opens what lies in one folder of stubs, and nothing else. */
static int open_stub(const char *name, struct cpu_gemm *gemm, struct err *err)
{
    char folder[4400];
    const char *folders[] = { folder };
    struct search where = { folders, 1, NULL, 0, true };
    snprintf(folder, sizeof folder, "%s", beside(name));
    err_clear(err);
    return cpu_gemm_open(gemm, CPU_GEMM_OPENBLAS, &where, 3, err);
}

static const struct {
    char folder[32], ending[48];
    bool wide;
} wheels[] = { { "stubs/openblas-scipy", "/libscipy_openblas64_-1a2b3c4d.so", true },
               { "stubs/openblas-old", "/libopenblas-r0-f650aae0.3.3.so", false } };

Test(bench_cpu, copies_in_wheels_are_called_by_their_own_names)
{
    for (size_t w = 0; w < sizeof wheels / sizeof wheels[0]; w++) {
        struct cpu_gemm gemm;
        struct err err;
        cr_assert_eq(open_stub(wheels[w].folder, &gemm, &err), 0, "%s", err.msg);
        cr_assert(strstr(gemm.path, wheels[w].ending), "'%s'", gemm.path);
        cr_assert_str_eq(gemm.name, "OpenBLAS 0.3.99 (Stub)");
        cr_assert_eq(gemm.threads, 3);
        cr_assert_eq(gemm.wide, wheels[w].wide);
        for (size_t i = 0; i < GEMM_COUNT; i++)
            check_gemm(&gemm, &gemms[i]);
        cr_assert_eq(cpu_gemm_run_int8(&gemm, &gemms[0], NULL, NULL, NULL, &err), -1);
        cr_assert_eq(err.code, ERR_MISSING);
        cpu_gemm_close(&gemm);
    }
}

/* Nothing in this process can prevent it: why measurements run in workers. */
Test(bench_cpu, a_library_that_crashes_when_loaded_takes_the_process_along, .signal = SIGABRT)
{
    struct cpu_gemm gemm;
    struct err err;
    open_stub("stubs/openblas-crash", &gemm, &err);
}
