#include "cuda/cublas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/os_library.h"
#include "core/str.h"

/* Numbers of cublas_api.h and library_types.h. */
enum {
    OP_N = 0,
    OP_T = 1,
    TYPE_F32 = 0,
    TYPE_F16 = 2,
    TYPE_S8 = 3,
    TYPE_S32 = 10,
    TYPE_BF16 = 14,
    COMPUTE_16F = 64,
    COMPUTE_16F_PEDANTIC = 65,
    COMPUTE_32F = 68,
    COMPUTE_32F_PEDANTIC = 69,
    COMPUTE_32I = 72,
    COMPUTE_32I_PEDANTIC = 73,
    COMPUTE_32F_FAST_TF32 = 77,
    MATH_DEFAULT = 0,
    MATH_TENSOR = 1,
    ALGORITHM_DEFAULT = -1,
    ALGORITHM_TENSOR = 99,
    STATUS_ARCH_MISMATCH = 8,
    STATUS_NOT_SUPPORTED = 15,
};

enum need { OPTIONAL, REQUIRED };

static const struct {
    enum need need;
    const char *name;
    size_t offset;
} symbols[] = {
#define X(need, member, result, name, arguments) { need, name, offsetof(struct cublas_calls, member) },
#include "cuda/cublas.def"
#undef X
};

/* Which releases have code for which capabilities, and the least driver's CUDA version. A release that
 * has none for a card fails when it first computes, not when it is created. Lowest and highest
 * capability: offline targets of each toolkit in data/toolkits.tsv; PTX is not counted on. */
static const struct {
    const char *name;
    int major, lowest, highest;
} releases[] = {
    { "libcublas.so.13", 13, 75, 999 },
    { "libcublas.so.12", 12, 50, 999 },
    { "libcublas.so.11", 11, 35, 90 },
    { "libcublas.so.10", 10, 30, 75 },
};
enum { RELEASES = sizeof releases / sizeof releases[0] };

static const char *const inside[] = { "nvidia/*/lib", "torch/lib", "../..", NULL };

static bool serves(size_t release, int cc, int driver_version)
{
    return cc >= releases[release].lowest && cc <= releases[release].highest &&
           (!driver_version || driver_version / 1000 >= releases[release].major);
}

const char *cublas_status_name(unsigned status)
{
    static const struct {
        unsigned status;
        const char *name;
    } names[] = {
        { 0, "CUBLAS_STATUS_SUCCESS" },           { 1, "CUBLAS_STATUS_NOT_INITIALIZED" },
        { 3, "CUBLAS_STATUS_ALLOC_FAILED" },      { 7, "CUBLAS_STATUS_INVALID_VALUE" },
        { 8, "CUBLAS_STATUS_ARCH_MISMATCH" },     { 11, "CUBLAS_STATUS_MAPPING_ERROR" },
        { 13, "CUBLAS_STATUS_EXECUTION_FAILED" }, { 14, "CUBLAS_STATUS_INTERNAL_ERROR" },
        { 15, "CUBLAS_STATUS_NOT_SUPPORTED" },    { 16, "CUBLAS_STATUS_LICENSE_ERROR" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].status == status)
            return names[i].name;
    return "unknown status";
}

/* "cublasCreate failed with status 1 (CUBLAS_STATUS_NOT_INITIALIZED: the library was not initialized)" */
static int check(const struct cublas *cublas, unsigned status, const char *call, struct err *err)
{
    if (!status)
        return 0;
    const char *name = cublas_status_name(status);
    const char *text = cublas->call.text ? cublas->call.text(status) : NULL;
    bool more = text && *text && strcmp(text, name) != 0;
    bool missing = status == STATUS_ARCH_MISMATCH || status == STATUS_NOT_SUPPORTED;
    err_set(err, missing ? ERR_MISSING : ERR_DRIVER, "%s failed with status %u (%s%s%s)", call, status,
            name, more ? ": " : "", more ? text : "");
    if (err && !err->native)
        err->native = (int)status;
    return -1;
}

static int resolve(void *self, const struct search_found *found, struct err *err)
{
    struct cublas *cublas = self;
    memset(&cublas->call, 0, sizeof cublas->call);
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = os_library_symbol(found->library, symbols[i].name);
        if (!symbol && symbols[i].need == REQUIRED)
            return err_set(err, ERR_MISSING, "'%s' lacks '%s'", found->path, symbols[i].name);
        memcpy((char *)&cublas->call + symbols[i].offset, &symbol, sizeof symbol);
    }
    return 0;
}

static int create(void *self, const struct search_found *found, struct err *err)
{
    struct cublas *cublas = self;
    if (resolve(cublas, found, err))
        return -1;
    cublas->handle = NULL;
    unsigned status = cublas->call.create(&cublas->handle);
    if (check(cublas, status, "cublasCreate", err))
        return err_wrap(err, "%s", found->path);
    if (cublas->call.version(cublas->handle, &cublas->version))
        cublas->version = 0;
    return 0;
}

static int search(struct cublas *cublas, const struct search *where, int driver_version,
                  int (*accept)(void *self, const struct search_found *found, struct err *err),
                  struct err *err)
{
    const char *names[RELEASES + 1];
    size_t count = 0;
    for (size_t i = 0; i < RELEASES; i++)
        if (serves(i, cublas->cc, driver_version))
            names[count++] = releases[i].name;
    names[count] = NULL;
    if (!count)
        return err_set(err, ERR_MISSING,
                       "no cuBLAS from 10 on serves capability %d.%d with a driver for CUDA %d.%d",
                       cublas->cc / 10, cublas->cc % 10, driver_version / 1000,
                       driver_version % 1000 / 10);
    struct search_for what = { names, inside, "libcublasLt" };
    return search_open(where, &what, accept, cublas, &cublas->found, err);
}

int cublas_load(struct cublas *cublas, const struct search *where, int cc, int driver_version,
                struct err *err)
{
    *cublas = (struct cublas){ .cc = cc };
    return search(cublas, where, driver_version, resolve, err);
}

/* Its own would be allocated at the first call, of a size that no one chose. */
static void give_workspace(struct cublas *cublas, size_t bytes)
{
    const struct driver_calls *call = &cublas->driver->call;
    if (!bytes || !cublas->call.workspace || call->mem_alloc(&cublas->workspace, bytes))
        cublas->workspace = 0;
    else if (cublas->call.workspace(cublas->handle, (void *)(uintptr_t)cublas->workspace, bytes)) {
        call->mem_free(cublas->workspace);
        cublas->workspace = 0;
    }
}

int cublas_open(struct cublas *cublas, const struct driver *driver, const struct search *where, int cc,
                size_t workspace_bytes, struct err *err)
{
    *cublas = (struct cublas){ .cc = cc, .driver = driver };
    if (search(cublas, where, driver->version, create, err)) {
        cublas->handle = NULL;
        return -1;
    }
    give_workspace(cublas, workspace_bytes);
    return 0;
}

/* A library that was used stays loaded: its runtime is told when the process ends. */
void cublas_close(struct cublas *cublas)
{
    if (cublas->handle)
        cublas->call.destroy(cublas->handle);
    else
        search_close(&cublas->found);
    if (cublas->workspace)
        cublas->driver->call.mem_free(cublas->workspace);
    cublas->handle = NULL;
    cublas->workspace = 0;
}

/* From 11 on 10000 for a major version, before that 1000. */
void cublas_version_text(int version, char text[32])
{
    if (version >= 100000)
        snprintf(text, 32, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    else
        snprintf(text, 32, "%d.%d.%d", version / 1000, version / 100 % 10, version % 100);
}

/* One row a class. In CUDA 10 the compute type is a data type and the math mode decides about tensor
 * instructions; from 11 on they are used wherever they can be, unless the compute type is "pedantic",
 * which is taken from `pedantic_from` on only, where there are such instructions. */
static const struct {
    unsigned in, out;
    int compute_10; /* -1: not in CUDA 10 */
    unsigned compute, pedantic;
    int pedantic_from, least_cc;
    bool tensor;
} classes[CUBLAS_CLASS_COUNT] = {
    [CUBLAS_CLASS_FP32] = { TYPE_F32, TYPE_F32, TYPE_F32, COMPUTE_32F, COMPUTE_32F, 999, 30, false },
    [CUBLAS_CLASS_TF32] = { TYPE_F32, TYPE_F32, -1, COMPUTE_32F_FAST_TF32, COMPUTE_32F_FAST_TF32, 999,
                            80, true },
    [CUBLAS_CLASS_FP16S] = { TYPE_F16, TYPE_F16, TYPE_F32, COMPUTE_32F, COMPUTE_32F_PEDANTIC, 70, 50,
                             false },
    [CUBLAS_CLASS_HALF] = { TYPE_F16, TYPE_F16, TYPE_F16, COMPUTE_16F, COMPUTE_16F_PEDANTIC, 70, 53,
                            false },
    [CUBLAS_CLASS_TC_FP16] = { TYPE_F16, TYPE_F16, TYPE_F32, COMPUTE_32F, COMPUTE_32F, 999, 70, true },
    [CUBLAS_CLASS_TC_BF16] = { TYPE_BF16, TYPE_BF16, -1, COMPUTE_32F, COMPUTE_32F, 999, 80, true },
    [CUBLAS_CLASS_INT8] = { TYPE_S8, TYPE_S32, TYPE_S32, COMPUTE_32I, COMPUTE_32I_PEDANTIC, 72, 61,
                            false },
    [CUBLAS_CLASS_TC_INT8] = { TYPE_S8, TYPE_S32, TYPE_S32, COMPUTE_32I, COMPUTE_32I, 999, 72, true },
};

struct scalars {
    union {
        float f32;
        int32_t s32;
        uint16_t f16;
    } alpha, beta;
};

/* alpha and beta as half: small integers and halves of them are all that is asked for. Values that fp16
 * does not have are cut off. */
static uint16_t half_of(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* from 0.5 */
    unsigned sign = value < 0 ? 0x8000u : 0;
    if (value == 0 || exponent < -13)
        return (uint16_t)sign;
    return (uint16_t)(sign | (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 0x3ffu));
}

static void set_scalars(struct scalars *to, const struct cublas_gemm *g)
{
    memset(to, 0, sizeof *to);
    if (classes[g->class].in == TYPE_S8) {
        to->alpha.s32 = (int32_t)g->alpha;
        to->beta.s32 = (int32_t)g->beta;
    } else if (g->class == CUBLAS_CLASS_HALF) {
        to->alpha.f16 = half_of(g->alpha);
        to->beta.f16 = half_of(g->beta);
    } else {
        to->alpha.f32 = (float)g->alpha;
        to->beta.f32 = (float)g->beta;
    }
}

static int check_class(const struct cublas *cublas, const struct cublas_gemm *g, int lda, int ldb,
                       struct err *err)
{
    int least = classes[g->class].least_cc;
    if (cublas->cc < least)
        return err_set(err, ERR_MISSING, "cuBLAS does this from capability %d.%d on", least / 10,
                       least % 10);
    if (cublas->version < 11000 && classes[g->class].compute_10 < 0)
        return err_set(err, ERR_MISSING, "cuBLAS does this from CUDA 11 on");
    if (classes[g->class].in == TYPE_S8 && (lda % 4 || ldb % 4))
        return err_set(err, ERR_MISSING,
                       "cuBLAS multiplies int8 with leading dimensions that are multiples of 4 only");
    return 0;
}

static int set_mode(struct cublas *cublas, unsigned mode, struct err *err)
{
    if (cublas->mode == mode)
        return 0;
    if (check(cublas, cublas->call.math_mode(cublas->handle, mode), "cublasSetMathMode", err))
        return -1;
    cublas->mode = mode;
    return 0;
}

static int run_fp32(struct cublas *cublas, const struct cublas_gemm *g, int lda, int ldb,
                    struct err *err)
{
    unsigned trans_a = g->trans_a ? OP_T : OP_N, trans_b = g->trans_b ? OP_T : OP_N;
    float alpha = (float)g->alpha, beta = (float)g->beta;
    const float *a = (const float *)(uintptr_t)g->a, *b = (const float *)(uintptr_t)g->b;
    float *c = (float *)(uintptr_t)g->c;
    if (g->batch == 1)
        return check(cublas,
                     cublas->call.sgemm(cublas->handle, trans_a, trans_b, g->m, g->n, g->k, &alpha, a,
                                        lda, b, ldb, &beta, c, g->m),
                     "cublasSgemm", err);
    return check(cublas,
                 cublas->call.sgemm_batch(cublas->handle, trans_a, trans_b, g->m, g->n, g->k, &alpha, a,
                                          lda, (long long)g->m * g->k, b, ldb, (long long)g->k * g->n,
                                          &beta, c, g->m, (long long)g->m * g->n, g->batch),
                 "cublasSgemmStridedBatched", err);
}

static int run_typed(struct cublas *cublas, const struct cublas_gemm *g, int lda, int ldb,
                     struct err *err)
{
    unsigned trans_a = g->trans_a ? OP_T : OP_N, trans_b = g->trans_b ? OP_T : OP_N;
    unsigned in = classes[g->class].in, out = classes[g->class].out;
    bool pedantic = cublas->cc >= classes[g->class].pedantic_from;
    unsigned compute = cublas->version < 11000 ? (unsigned)classes[g->class].compute_10
                       : pedantic              ? classes[g->class].pedantic
                                               : classes[g->class].compute;
    int algorithm = classes[g->class].tensor ? ALGORITHM_TENSOR : ALGORITHM_DEFAULT;
    const void *a = (const void *)(uintptr_t)g->a, *b = (const void *)(uintptr_t)g->b;
    void *c = (void *)(uintptr_t)g->c;
    struct scalars s;
    set_scalars(&s, g);
    if (g->batch == 1)
        return check(cublas,
                     cublas->call.gemm(cublas->handle, trans_a, trans_b, g->m, g->n, g->k, &s.alpha, a,
                                       in, lda, b, in, ldb, &s.beta, c, out, g->m, compute, algorithm),
                     "cublasGemmEx", err);
    return check(cublas,
                 cublas->call.gemm_batch(cublas->handle, trans_a, trans_b, g->m, g->n, g->k, &s.alpha,
                                         a, in, lda, (long long)g->m * g->k, b, in, ldb,
                                         (long long)g->k * g->n, &s.beta, c, out, g->m,
                                         (long long)g->m * g->n, g->batch, compute, algorithm),
                 "cublasGemmStridedBatchedEx", err);
}

int cublas_gemm(struct cublas *cublas, const struct cublas_gemm *gemm, struct err *err)
{
    int lda = gemm->trans_a ? gemm->k : gemm->m, ldb = gemm->trans_b ? gemm->n : gemm->k;
    bool tensor_10 = cublas->version < 11000 && classes[gemm->class].tensor;
    if (check_class(cublas, gemm, lda, ldb, err) ||
        set_mode(cublas, tensor_10 ? MATH_TENSOR : MATH_DEFAULT, err))
        return -1;
    return gemm->class == CUBLAS_CLASS_FP32 ? run_fp32(cublas, gemm, lda, ldb, err)
                                            : run_typed(cublas, gemm, lda, ldb, err);
}
