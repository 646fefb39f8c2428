/* cuBLAS without a card: a stub library (tests/stubs/cublas.c) that keeps what it is given and computes on
 * the CPU. Results are held against the exact ones, layouts and types against what the documentation wants;
 * then libraries that are missing, too old, or broken in several ways. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/reference.h"
#include "vendor_stubs.h"

/* Values in the storage of a class; small integers, so that any of them holds every sum exactly. */
static void *stored(enum number number, size_t count, uint64_t seed, float *values)
{
    void *array = malloc(count * number_bytes(number));
    cr_assert_not_null(array);
    reference_fill(values, count, NUMBER_S8, seed);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((int)values[i] % 4);
    number_pack(number, values, count, array);
    return array;
}

/* Runs a shape in a class, and compares every element with the exact result. */
static void check_gemm(struct vendor *v, enum bench_precision precision, const struct gemm_shape *s,
                       double alpha, double beta)
{
    enum { ROOM = 4096 };
    float a[ROOM], b[ROOM], before[ROOM];
    size_t batch = (size_t)s->batch, index[ROOM], count = reference_gemm_count(s);
    enum number in = number_of(precision), out = vendor_output(precision);
    struct err err;
    err_clear(&err);
    void *pa = stored(in, (size_t)s->m * (size_t)s->k * batch, 1, a);
    void *pb = stored(in, (size_t)s->k * (size_t)s->n * batch, 2, b);
    void *pc = stored(out, count, 3, before);
    cr_assert_eq(vendor_gemm(v, precision, s, alpha, beta, address(pa), address(pb), address(pc), &err), 0,
                 "%s", err.msg);
    struct reference_gemm want = { *s, alpha, beta, a, b, before };
    struct reference_bound exact = { 0 };
    struct reference_error error = { 0 };
    reference_samples(count, 1, 1, index, ROOM);
    reference_check_gemm(&want, &exact, out, pc, index, count, &error);
    cr_assert_eq(error.wrong, 0, "%s: element %zu is %g, not %g", bench_precision_name(precision),
                 error.worst, error.got, error.want);
    free(pa), free(pb), free(pc);
}

Test(bench_vendor, fp32_has_the_layout_of_BLAS_in_NN_NT_and_TN)
{
    struct vendor *v = open_stubs(35);
    for (int layout = 0; layout < 4; layout++) {
        struct gemm_shape s = { 5, 7, 3, layout & 1, layout & 2, 1 };
        check_gemm(v, BENCH_FP32, &s, 2, 0);
        check_gemm(v, BENCH_FP32, &s, 1, -3);
        struct blas_call *last = last_blas();
        cr_assert_str_eq(last->name, "cublasSgemm_v2");
        cr_assert_eq(last->trans_a, s.trans_a);
        cr_assert_eq(last->trans_b, s.trans_b);
        cr_assert(last->m == 5 && last->n == 7 && last->k == 3);
        cr_assert_eq(last->lda, layout & 1 ? 3 : 5, "rows of A as stored");
        cr_assert_eq(last->ldb, layout & 2 ? 7 : 3, "rows of B as stored");
        cr_assert_eq(last->ldc, 5);
    }
    vendor_close(v);
    cr_assert(allocated == 0 && last_blas()->handles == 0);
}

Test(bench_vendor, matrices_of_a_batch_lie_behind_each_other)
{
    struct vendor *v = open_stubs(80);
    struct gemm_shape s = { 4, 8, 12, false, true, 3 };
    check_gemm(v, BENCH_FP32, &s, 1, 2);
    struct blas_call *last = last_blas();
    cr_assert_str_eq(last->name, "cublasSgemmStridedBatched");
    cr_assert(last->stride_a == 48 && last->stride_b == 96 && last->stride_c == 32 && last->batch == 3);
    check_gemm(v, BENCH_TC_FP16, &s, 1, 2);
    cr_assert_str_eq(last->name, "cublasGemmStridedBatchedEx");
    cr_assert(last->stride_a == 48 && last->stride_b == 96 && last->stride_c == 32 && last->batch == 3);
    vendor_close(v);
}

/* Numbers of library_types.h and cublas_api.h: 0 fp32, 2 fp16, 14 bf16, 3 int8, 10 int32; 64 half, 68 fp32,
 * 69 fp32 and pedantic, 72 int32, 77 fast TF32. In CUDA 10 the arithmetic is a data type. */
static const struct {
    enum bench_precision precision;
    int cc, version;
    unsigned in, out, compute, mode;
    int algorithm;
} expected[] = {
    { BENCH_TC_TF32, 80, 111103, 0, 0, 77, 0, 99 },   { BENCH_FP16S, 61, 111103, 2, 2, 68, 0, -1 },
    { BENCH_FP16S, 75, 111103, 2, 2, 69, 0, -1 },     { BENCH_FP16S, 61, 10203, 2, 2, 0, 0, -1 },
    { BENCH_HALF2, 60, 111103, 2, 2, 64, 0, -1 },     { BENCH_HALF2, 70, 111103, 2, 2, 65, 0, -1 },
    { BENCH_HALF2, 60, 10203, 2, 2, 2, 0, -1 },       { BENCH_TC_FP16, 70, 111103, 2, 2, 68, 0, 99 },
    { BENCH_TC_FP16, 70, 10203, 2, 2, 0, 1, 99 },     { BENCH_TC_BF16, 86, 120304, 14, 14, 68, 0, 99 },
    { BENCH_DP4A, 61, 111103, 3, 10, 72, 0, -1 },     { BENCH_DP4A, 75, 111103, 3, 10, 73, 0, -1 },
    { BENCH_DP4A, 61, 10203, 3, 10, 10, 0, -1 },      { BENCH_TC_INT8, 75, 111103, 3, 10, 72, 0, 99 },
};

Test(bench_vendor, every_class_has_its_types_and_arithmetic_by_version_and_card)
{
    static const struct gemm_shape s = { 8, 4, 12, true, false, 1 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char version[16];
        snprintf(version, sizeof version, "%d", expected[i].version);
        setenv("STUB_CUBLAS_VERSION", version, 1);
        struct vendor *v = open_stubs(expected[i].cc);
        check_gemm(v, expected[i].precision, &s, 2, -1);
        struct blas_call *last = last_blas();
        cr_assert_str_eq(last->name, "cublasGemmEx");
        cr_assert(last->a_type == expected[i].in && last->b_type == expected[i].in, "row %zu", i);
        cr_assert_eq(last->c_type, expected[i].out, "row %zu", i);
        cr_assert_eq(last->compute, expected[i].compute, "row %zu: %u", i, last->compute);
        cr_assert_eq(last->mode, expected[i].mode, "row %zu", i);
        cr_assert_eq(last->algorithm, expected[i].algorithm, "row %zu", i);
        vendor_close(v);
    }
}

static const struct {
    enum bench_precision precision;
    int cc, version;
    struct gemm_shape shape;
    char says[48];
} unsupported[] = {
    { BENCH_FP16S, 35, 111103, { 4, 4, 4, 0, 0, 1 }, "from capability 5.0 on" },
    { BENCH_HALF2, 52, 111103, { 4, 4, 4, 0, 0, 1 }, "from capability 5.3 on" },
    { BENCH_TC_FP16, 61, 111103, { 4, 4, 4, 0, 0, 1 }, "from capability 7.0 on" },
    { BENCH_TC_TF32, 75, 111103, { 4, 4, 4, 0, 0, 1 }, "from capability 8.0 on" },
    { BENCH_TC_BF16, 80, 10203, { 4, 4, 4, 0, 0, 1 }, "from CUDA 11 on" },
    { BENCH_DP4A, 60, 111103, { 4, 4, 4, 0, 0, 1 }, "from capability 6.1 on" },
    { BENCH_DP4A, 61, 111103, { 5, 4, 4, 0, 0, 1 }, "multiples of 4" },
    { BENCH_TC_INT8, 75, 111103, { 4, 4, 5, 1, 0, 1 }, "multiples of 4" },
    { BENCH_FP64, 80, 111103, { 4, 4, 4, 0, 0, 1 }, "no such class" },
};

Test(bench_vendor, what_cuBLAS_does_not_do_has_a_reason)
{
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++) {
        char version[16];
        struct err err;
        err_clear(&err);
        snprintf(version, sizeof version, "%d", unsupported[i].version);
        setenv("STUB_CUBLAS_VERSION", version, 1);
        struct vendor *v = open_stubs(unsupported[i].cc);
        cr_assert_eq(vendor_gemm(v, unsupported[i].precision, &unsupported[i].shape, 1, 0, 0, 0, 0, &err),
                     -1);
        cr_assert_eq(err.code, ERR_MISSING, "row %zu", i);
        cr_assert(strstr(err.msg, unsupported[i].says), "row %zu: '%s'", i, err.msg);
        vendor_close(v);
    }
}

Test(bench_vendor, a_call_that_fails_has_its_status)
{
    static const struct gemm_shape s = { 1, 1, 1, false, false, 1 };
    struct vendor *v = open_stubs(35);
    struct err err;
    err_clear(&err);
    setenv("STUB_CUBLAS_GEMM", "13", 1);
    cr_assert_eq(vendor_gemm(v, BENCH_FP32, &s, 1, 0, 0, 0, 0, &err), -1);
    cr_assert(err.code == ERR_DRIVER && err.native == 13);
    cr_assert_str_eq(err.msg,
                     "cublasSgemm failed with status 13 (CUBLAS_STATUS_EXECUTION_FAILED: something else)");
    err_clear(&err);
    setenv("STUB_CUBLAS_GEMM", "15", 1);
    cr_assert_eq(vendor_gemm(v, BENCH_FP32, &s, 1, 0, 0, 0, 0, &err), -1);
    cr_assert_eq(err.code, ERR_MISSING, "not supported is no failure");
    vendor_close(v);
}

Test(bench_vendor, creation_that_fails_is_a_reason_with_status_and_words)
{
    setenv("STUB_CUBLAS_CREATE", "1", 1);
    setenv("STUB_CUDNN_CREATE", "1", 1);
    struct vendor *v = open_with("stubs/cublas-11", "stubs/cudnn-7", 35);
    cr_assert(strstr(reason(v, VENDOR_CUBLAS), "/libcublas.so.11: cublasCreate failed with status 1 "
                                               "(CUBLAS_STATUS_NOT_INITIALIZED: the library was not initialized)"),
              "'%s'", reason(v, VENDOR_CUBLAS));
    cr_assert(strstr(reason(v, VENDOR_CUDNN),
                     "/libcudnn.so.7: cudnnCreate failed with status 1 (CUDNN_STATUS_NOT_INITIALIZED)"),
              "'%s'", reason(v, VENDOR_CUDNN));
    cr_assert_str_eq(vendor_state(v, VENDOR_CUBLAS)->version, "");
    struct err err;
    err_clear(&err);
    static const struct gemm_shape s = { 1, 1, 1, false, false, 1 };
    cr_assert_eq(vendor_gemm(v, BENCH_FP32, &s, 1, 0, 0, 0, 0, &err), -1);
    cr_assert_eq(err.code, ERR_MISSING);
    cr_assert(strncmp(err.msg, "cuBLAS: ", 8) == 0, "'%s'", err.msg);
    vendor_close(v);
    cr_assert_eq(allocated, 0);
}

Test(bench_vendor, when_the_newer_library_fails_the_older_is_taken)
{
    struct vendor *v = open_with("stubs/cublas-lacks", "stubs/cublas-10", 35);
    cr_assert_str_eq(reason(v, VENDOR_CUBLAS), "");
    cr_assert(strstr(vendor_state(v, VENDOR_CUBLAS)->path, "/cublas-10/libcublas.so.10"));
    vendor_close(v);
}

Test(bench_vendor, a_library_without_a_call_is_named_with_it)
{
    struct vendor *v = open_with("stubs/cublas-lacks", "stubs/cudnn-7", 35);
    cr_assert(strstr(reason(v, VENDOR_CUBLAS), "/cublas-lacks/libcublas.so.11' lacks 'cublasGemmEx'"), "'%s'",
              reason(v, VENDOR_CUBLAS));
    cr_assert(strstr(vendor_state(v, VENDOR_CUBLAS)->path, "/cublas-lacks/"));
    vendor_close(v);
}

Test(bench_vendor, only_releases_for_card_and_driver_are_looked_for)
{
    struct vendor *v = open_with("stubs/cublas-11", "stubs/cudnn-7", 120);
    cr_assert_str_eq(reason(v, VENDOR_CUBLAS),
                     "no cuBLAS from 10 on serves capability 12.0 with a driver for CUDA 11.4");
    vendor_close(v);
    v = open_with("stubs/cudnn-7", "stubs/cudnn-7", 35); /* 13 and 12 have no code for it */
    cr_assert_str_eq(reason(v, VENDOR_CUBLAS), "not installed: found none of libcublas.so.11, libcublas.so.10");
    vendor_close(v);
    driver = driver_of(10010);
    v = open_with("stubs/cublas-11", "stubs/cublas-10", 35);
    cr_assert(strstr(vendor_state(v, VENDOR_CUBLAS)->path, "libcublas.so.10"), "this driver is too old for 11");
    vendor_close(v);
}

Test(bench_vendor, a_file_that_is_no_library_is_named)
{
    char folder[] = "/tmp/smfit-vendor-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libcublas.so.11", folder);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs("GROUP ( libcublas.so.11.11 )\n", f);
    fclose(f);
    const char *folders[] = { folder };
    struct search where = { folders, 1, NULL, 0, true };
    struct vendor_options options = { .where = &where, .cc_major = 3, .cc_minor = 5 };
    struct driver d = driver_of(11040);
    struct vendor *v = vendor_open(&d, &options, NULL);
    cr_assert(strstr(reason(v, VENDOR_CUBLAS), path), "'%s'", reason(v, VENDOR_CUBLAS));
    cr_assert_str_eq(vendor_state(v, VENDOR_CUBLAS)->path, path);
    cr_assert_str_eq(reason(v, VENDOR_CUDNN),
                     "not installed: found none of libcudnn.so.8, libcudnn.so.7");
    vendor_close(v);
    remove(path);
    remove(folder);
}

/* Nothing in this process can prevent it: why these libraries are loaded in workers only. */
Test(bench_vendor, a_library_that_crashes_when_loaded_takes_the_process_along, .signal = SIGABRT)
{
    open_with("stubs/cublas-crash", "stubs/cudnn-7", 35);
}

Test(bench_vendor, what_is_not_asked_for_is_not_opened)
{
    char folder[4400];
    const char *folders[] = { folder };
    struct search where = { folders, 1, NULL, 0, true };
    struct vendor_options options = {
        .where = &where, .cc_major = 3, .cc_minor = 5, .leave = { [VENDOR_CUBLAS] = true }
    };
    struct driver d = driver_of(11040);
    snprintf(folder, sizeof folder, "%s", beside("stubs/cublas-crash"));
    struct vendor *v = vendor_open(&d, &options, NULL);
    cr_assert_str_eq(reason(v, VENDOR_CUBLAS), "not asked for");
    cr_assert(strncmp(reason(v, VENDOR_CUDNN), "not installed", 13) == 0);
    vendor_close(v);
}

Test(bench_vendor, a_virtual_gpu_has_none)
{
    driver = driver_of(11040);
    driver.is_virtual = true;
    struct vendor *v = open_with("stubs/cublas-11", "stubs/cudnn-7", 35);
    cr_assert_str_eq(reason(v, VENDOR_CUBLAS), "not on a virtual GPU");
    cr_assert_str_eq(reason(v, VENDOR_CUDNN), "not on a virtual GPU");
    vendor_close(v);
}

Test(bench_vendor, cuBLAS_gets_a_workspace_where_there_is_memory_for_it)
{
    struct vendor *v = open_stubs(75);
    cr_assert_eq(last_blas()->workspace_bytes, 8u << 20);
    cr_assert_eq(allocated, 1);
    vendor_close(v);
    cr_assert_eq(allocated, 0);
    last_blas()->workspace_bytes = 0;
    most = 1 << 20;
    v = open_stubs(75);
    cr_assert_eq(last_blas()->workspace_bytes, 0);
    vendor_close(v);
    v = open_with("stubs/cublas-10", "stubs/cudnn-7", 75); /* 10 has no such call */
    cr_assert_str_eq(reason(v, VENDOR_CUBLAS), "");
    vendor_close(v);
    cr_assert_eq(allocated, 0);
}

Test(bench_vendor, versions_are_read_as_each_release_writes_them)
{
    static const struct {
        char blas[8], blas_text[12], dnn[8], dnn_text[12];
    } rows[] = { { "111103", "11.11.3", "7605", "7.6.5" },
                 { "10203", "10.2.3", "8500", "8.5.0" },
                 { "130200", "13.2.0", "91002", "9.10.2" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("STUB_CUBLAS_VERSION", rows[i].blas, 1);
        setenv("STUB_CUDNN_VERSION", rows[i].dnn, 1);
        struct vendor *v = open_stubs(61);
        cr_assert_str_eq(vendor_state(v, VENDOR_CUBLAS)->version, rows[i].blas_text);
        cr_assert_str_eq(vendor_state(v, VENDOR_CUDNN)->version, rows[i].dnn_text);
        vendor_close(v);
    }
}
