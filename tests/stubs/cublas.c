/* A cuBLAS that keeps the arguments of its last call and computes on the CPU, on ordinary memory. What a
 * test sets by the environment:
 *
 *   STUB_CUBLAS_CREATE=N   cublasCreate fails with this status
 *   STUB_CUBLAS_GEMM=N     each multiplication does
 *   STUB_CUBLAS_VERSION=N  as cublasGetVersion says (111103)
 *
 * Built with -DOLD it lacks what came after 10; with -DLACKS a call that all have; with -DCRASH it ends the
 * process when it is loaded. Written from the documentation of cuBLAS: column-major, op(A) m x k, op(B)
 * k x n, C = alpha * op(A) * op(B) + beta * C, C not read when beta is 0. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct stub_cublas_call {
    char name[40];
    unsigned trans_a, trans_b, a_type, b_type, c_type, compute;
    int m, n, k, lda, ldb, ldc, algorithm, batch;
    long long stride_a, stride_b, stride_c;
    unsigned mode;
    size_t workspace_bytes;
    int handles; /* created and not destroyed */
};
extern struct stub_cublas_call stub_cublas_last;
struct stub_cublas_call stub_cublas_last;

static int number(const char *name, int other)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : other;
}

#ifdef CRASH
__attribute__((constructor)) static void crash(void)
{
    abort();
}
#endif

unsigned cublasCreate_v2(void **handle);
unsigned cublasDestroy_v2(void *handle);
unsigned cublasGetVersion_v2(void *handle, int *version);
unsigned cublasSetMathMode(void *handle, unsigned mode);
unsigned cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
const char *cublasGetStatusString(unsigned status);

unsigned cublasCreate_v2(void **handle)
{
    unsigned status = (unsigned)number("STUB_CUBLAS_CREATE", 0);
    if (!status) {
        *handle = malloc(1);
        stub_cublas_last.handles++;
        stub_cublas_last.mode = 0;
    }
    return status;
}

unsigned cublasDestroy_v2(void *handle)
{
    free(handle);
    stub_cublas_last.handles--;
    return 0;
}

unsigned cublasGetVersion_v2(void *handle, int *version)
{
    (void)handle;
    *version = number("STUB_CUBLAS_VERSION", 111103);
    return 0;
}

unsigned cublasSetMathMode(void *handle, unsigned mode)
{
    (void)handle;
    stub_cublas_last.mode = mode;
    return 0;
}

#ifndef OLD
unsigned cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes)
{
    (void)handle, (void)workspace;
    stub_cublas_last.workspace_bytes = bytes;
    return 0;
}

const char *cublasGetStatusString(unsigned status)
{
    return status == 1 ? "the library was not initialized" : "something else";
}
#endif

/* Types by number: 0 fp32, 2 fp16, 3 int8, 10 int32, 14 bf16. */
static double get(unsigned type, const void *array, long long i)
{
    if (type == 0)
        return (double)((const float *)array)[i];
    if (type == 3)
        return ((const int8_t *)array)[i];
    if (type == 10)
        return ((const int32_t *)array)[i];
    if (type == 14) {
        uint32_t bits = (uint32_t)((const uint16_t *)array)[i] << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    uint16_t half = ((const uint16_t *)array)[i];
    int e = half >> 10 & 31;
    double value = (half & 1023) / 1024.0 + (e ? 1 : 0);
    for (int p = e ? e : 1; p < 15; p++)
        value /= 2;
    for (int p = 15; p < e; p++)
        value *= 2;
    return half & 0x8000 ? -value : value;
}

/* Results are stored as fp32 would be, in the type's width; halves and bfloats are cut off, which test data
 * made of small integers do not notice. */
static void put(unsigned type, void *array, long long i, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (type == 0)
        ((float *)array)[i] = single;
    else if (type == 10)
        ((int32_t *)array)[i] = (int32_t)value;
    else if (type == 14)
        ((uint16_t *)array)[i] = (uint16_t)(bits >> 16);
    else
        ((uint16_t *)array)[i] =
            (uint16_t)(value == 0 ? 0 : (bits >> 16 & 0x8000) | (((bits >> 13) - (112u << 10)) & 0x7fff));
}

/* alpha and beta: half with a compute type of 16 bits, int32 with one of integers, else float. */
static double scalar(const void *value)
{
    unsigned compute = stub_cublas_last.compute;
    int v10 = compute < 64;
    if (v10 ? compute == 2 : compute == 64 || compute == 65)
        return get(2, value, 0);
    if (v10 ? compute == 10 : compute == 72 || compute == 73)
        return get(10, value, 0);
    return get(0, value, 0);
}

static unsigned multiply(const void *alpha, const void *a, const void *b, const void *beta, void *c)
{
    const struct stub_cublas_call *s = &stub_cublas_last;
    unsigned status = (unsigned)number("STUB_CUBLAS_GEMM", 0);
    if (status)
        return status;
    if (s->lda < (s->trans_a ? s->k : s->m) || s->ldb < (s->trans_b ? s->n : s->k) || s->ldc < s->m)
        return 7; /* invalid value */
    for (int z = 0; z < s->batch; z++)
        for (int j = 0; j < s->n; j++)
            for (int i = 0; i < s->m; i++) {
                double sum = 0;
                long long at = i + (long long)j * s->ldc + z * s->stride_c;
                for (int l = 0; l < s->k; l++)
                    sum += get(s->a_type, a,
                               z * s->stride_a + (s->trans_a ? l + (long long)i * s->lda
                                                             : i + (long long)l * s->lda)) *
                           get(s->b_type, b,
                               z * s->stride_b + (s->trans_b ? j + (long long)l * s->ldb
                                                             : l + (long long)j * s->ldb));
                sum *= scalar(alpha);
                if (scalar(beta) != 0)
                    sum += scalar(beta) * get(s->c_type, c, at);
                put(s->c_type, c, at, sum);
            }
    return 0;
}

static void keep(const char *name, unsigned ta, unsigned tb, int m, int n, int k, int lda, int ldb,
                 int ldc)
{
    struct stub_cublas_call *s = &stub_cublas_last;
    strncpy(s->name, name, sizeof s->name - 1);
    s->trans_a = ta, s->trans_b = tb;
    s->m = m, s->n = n, s->k = k;
    s->lda = lda, s->ldb = ldb, s->ldc = ldc;
    s->a_type = s->b_type = s->c_type = 0;
    s->compute = 68;
    s->algorithm = 0;
    s->batch = 1;
    s->stride_a = s->stride_b = s->stride_c = 0;
}

static void keep_types(unsigned a, unsigned b, unsigned c, unsigned compute, int algorithm)
{
    stub_cublas_last.a_type = a, stub_cublas_last.b_type = b, stub_cublas_last.c_type = c;
    stub_cublas_last.compute = compute;
    stub_cublas_last.algorithm = algorithm;
}

static void keep_batch(long long a, long long b, long long c, int batch)
{
    stub_cublas_last.stride_a = a, stub_cublas_last.stride_b = b, stub_cublas_last.stride_c = c;
    stub_cublas_last.batch = batch;
}

unsigned cublasSgemm_v2(void *handle, unsigned ta, unsigned tb, int m, int n, int k, const float *alpha,
                        const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                        int ldc);
unsigned cublasSgemm_v2(void *handle, unsigned ta, unsigned tb, int m, int n, int k, const float *alpha,
                        const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                        int ldc)
{
    (void)handle;
    keep("cublasSgemm_v2", ta, tb, m, n, k, lda, ldb, ldc);
    return multiply(alpha, a, b, beta, c);
}

unsigned cublasSgemmStridedBatched(void *handle, unsigned ta, unsigned tb, int m, int n, int k,
                                   const float *alpha, const float *a, int lda, long long sa,
                                   const float *b, int ldb, long long sb, const float *beta, float *c,
                                   int ldc, long long sc, int batch);
unsigned cublasSgemmStridedBatched(void *handle, unsigned ta, unsigned tb, int m, int n, int k,
                                   const float *alpha, const float *a, int lda, long long sa,
                                   const float *b, int ldb, long long sb, const float *beta, float *c,
                                   int ldc, long long sc, int batch)
{
    (void)handle;
    keep("cublasSgemmStridedBatched", ta, tb, m, n, k, lda, ldb, ldc);
    keep_batch(sa, sb, sc, batch);
    return multiply(alpha, a, b, beta, c);
}

#ifndef LACKS
unsigned cublasGemmEx(void *handle, unsigned ta, unsigned tb, int m, int n, int k, const void *alpha,
                      const void *a, unsigned at, int lda, const void *b, unsigned bt, int ldb,
                      const void *beta, void *c, unsigned ct, int ldc, unsigned compute, int algorithm);
unsigned cublasGemmEx(void *handle, unsigned ta, unsigned tb, int m, int n, int k, const void *alpha,
                      const void *a, unsigned at, int lda, const void *b, unsigned bt, int ldb,
                      const void *beta, void *c, unsigned ct, int ldc, unsigned compute, int algorithm)
{
    (void)handle;
    keep("cublasGemmEx", ta, tb, m, n, k, lda, ldb, ldc);
    keep_types(at, bt, ct, compute, algorithm);
    return multiply(alpha, a, b, beta, c);
}
#endif

unsigned cublasGemmStridedBatchedEx(void *handle, unsigned ta, unsigned tb, int m, int n, int k,
                                    const void *alpha, const void *a, unsigned at, int lda,
                                    long long sa, const void *b, unsigned bt, int ldb, long long sb,
                                    const void *beta, void *c, unsigned ct, int ldc, long long sc,
                                    int batch, unsigned compute, int algorithm);
unsigned cublasGemmStridedBatchedEx(void *handle, unsigned ta, unsigned tb, int m, int n, int k,
                                    const void *alpha, const void *a, unsigned at, int lda,
                                    long long sa, const void *b, unsigned bt, int ldb, long long sb,
                                    const void *beta, void *c, unsigned ct, int ldc, long long sc,
                                    int batch, unsigned compute, int algorithm)
{
    (void)handle;
    keep("cublasGemmStridedBatchedEx", ta, tb, m, n, k, lda, ldb, ldc);
    keep_types(at, bt, ct, compute, algorithm);
    keep_batch(sa, sb, sc, batch);
    return multiply(alpha, a, b, beta, c);
}
