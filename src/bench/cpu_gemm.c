#include "bench/cpu_gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cpu_onednn.h"
#include "core/os_cpu.h"
#include "core/os_library.h"
#include "core/str.h"

/* Numbers of cblas.h. */
enum { COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112 };

#define OPENBLAS_BYTES ((size_t)128 << 20)

#define SGEMM(integer)                                                                             \
    (unsigned order, unsigned trans_a, unsigned trans_b, integer m, integer n, integer k, float alpha,            \
     const float *a, integer lda, const float *b, integer ldb, float beta, float *c, integer ldc)
typedef void sgemm_narrow SGEMM(int);
typedef void sgemm_wide SGEMM(int64_t);

/* Debian's and conda's names, then those in wheels of NumPy and SciPy, old and new. */
static const struct search_for openblas = {
    .names = (const char *const[]){ "libopenblas.so.0", "libopenblas.so", "libscipy_openblas*.so*",
                                    "libopenblas*.so*", NULL },
    .inside = (const char *const[]){ "../..", "numpy.libs", "scipy.libs", "numpy/.libs",
                                     "scipy/.libs", "scipy_openblas32/lib", "scipy_openblas64/lib",
                                     NULL },
};

/* Wheels rename the functions, so that several copies can live in one process. */
static const struct {
    const char *before, *behind;
    bool wide;
} spellings[] = { { "", "", false },
                  { "scipy_", "", false },
                  { "", "64_", true },
                  { "scipy_", "64_", true } };

static void *named(void *library, size_t spelling, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "%s%s%s", spellings[spelling].before, name,
             spellings[spelling].behind);
    return os_library_symbol(library, full);
}

static void set_threads(struct cpu_gemm *gemm, size_t spelling)
{
    void (*set)(int);
    int (*get)(void);
    void *symbols[] = { named(gemm->library, spelling, "openblas_set_num_threads"),
                        named(gemm->library, spelling, "openblas_get_num_threads") };
    memcpy(&set, &symbols[0], sizeof set);
    memcpy(&get, &symbols[1], sizeof get);
    if (set)
        set((int)gemm->threads);
    gemm->threads = get ? (unsigned)get() : 0;
}

/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH SkylakeX MAX_THREADS=64" and "SkylakeX". */
static void set_name(struct cpu_gemm *gemm, size_t spelling)
{
    char *(*config)(void);
    char *(*core)(void);
    void *symbols[] = { named(gemm->library, spelling, "openblas_get_config"),
                        named(gemm->library, spelling, "openblas_get_corename") };
    memcpy(&config, &symbols[0], sizeof config);
    memcpy(&core, &symbols[1], sizeof core);
    const char *text = config ? config() : "";
    const char *version = strncmp(text, "OpenBLAS ", 9) == 0 ? text + 9 : "";
    snprintf(gemm->name, sizeof gemm->name, "OpenBLAS%s%.*s%s%.32s%s", *version ? " " : "",
             (int)strcspn(version, " "), version, core ? " (" : "", core ? core() : "",
             core ? ")" : "");
}

/* A thread of OpenBLAS that computes takes up to 128 MiB (0.3.21 on AVX-512), and where it gets none,
 * it asks again without end, while it is loaded or later. So whether so much can be had, and as much
 * again for its code and stacks, is tried before. */
static int try_memory(unsigned threads, struct err *err)
{
    unsigned had = 0, wanted = threads + 1;
    void **blocks = calloc(wanted, sizeof *blocks);
    while (blocks && had < wanted && (blocks[had] = malloc(OPENBLAS_BYTES)))
        had++;
    for (unsigned i = 0; i < had; i++)
        free(blocks[i]);
    free(blocks);
    if (had == wanted)
        return 0;
    return err_set(err, ERR_MEMORY, "it may want %zu MiB for each of %u threads, and so much cannot be had",
                   OPENBLAS_BYTES >> 20, threads);
}

static int take_openblas(void *self, const struct search_found *found, struct err *err)
{
    struct cpu_gemm *gemm = self;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        void *symbol = named(found->library, i, "cblas_sgemm");
        if (!symbol)
            continue;
        gemm->library = found->library;
        gemm->wide = spellings[i].wide;
        memcpy(&gemm->plain, &symbol, sizeof symbol);
        set_threads(gemm, i);
        set_name(gemm, i);
        return 0;
    }
    return err_set(err, ERR_MISSING, "'%s' lacks 'cblas_sgemm'", found->path);
}

static int open_onednn(struct cpu_gemm *gemm, const struct search *where, struct err *err)
{
    gemm->onednn = cpu_onednn_open(where, gemm->threads, err);
    if (!gemm->onednn)
        return -1;
    gemm->threads = gemm->onednn->threads;
    str_copy(gemm->name, sizeof gemm->name, gemm->onednn->name);
    str_copy(gemm->path, sizeof gemm->path, gemm->onednn->found.path);
    return 0;
}

int cpu_gemm_open(struct cpu_gemm *gemm, enum cpu_gemm_library library, const struct search *where,
                  unsigned threads, struct err *err)
{
    struct search_found found;
    memset(gemm, 0, sizeof *gemm);
    gemm->threads = threads ? threads : os_cpu_cores();
    if (library == CPU_GEMM_ONEDNN)
        return open_onednn(gemm, where, err);
    if (try_memory(gemm->threads, err))
        return -1;
    int result = search_open(where, &openblas, take_openblas, gemm, &found, err);
    str_copy(gemm->path, sizeof gemm->path, found.path);
    return result;
}

/* The library stays loaded: its threads wait in its code. */
void cpu_gemm_close(struct cpu_gemm *gemm)
{
    cpu_onednn_close(gemm->onednn);
    memset(gemm, 0, sizeof *gemm);
}

/* Leading dimensions, and the length of one matrix of each operand. */
struct layout {
    int lda, ldb, ldc;
    size_t a, b, c;
};

static struct layout layout_of(const struct gemm_shape *s)
{
    return (struct layout){ s->trans_a ? s->k : s->m,
                            s->trans_b ? s->n : s->k,
                            s->m,
                            (size_t)s->m * (size_t)s->k,
                            (size_t)s->k * (size_t)s->n,
                            (size_t)s->m * (size_t)s->n };
}

static void run_openblas(const struct cpu_gemm *gemm, const struct gemm_shape *s, float alpha,
                         const float *a, const float *b, float beta, float *c)
{
    struct layout l = layout_of(s);
    unsigned trans_a = s->trans_a ? TRANS : NO_TRANS, trans_b = s->trans_b ? TRANS : NO_TRANS;
    if (gemm->wide)
        ((sgemm_wide *)gemm->plain)(COLUMN_MAJOR, trans_a, trans_b, s->m, s->n, s->k, alpha, a,
                                    l.lda, b, l.ldb, beta, c, l.ldc);
    else
        ((sgemm_narrow *)gemm->plain)(COLUMN_MAJOR, trans_a, trans_b, s->m, s->n, s->k, alpha, a,
                                      l.lda, b, l.ldb, beta, c, l.ldc);
}

/* oneDNN's matrices are row-major: what it takes for C is our C transposed, op(B)' * op(A)'. */
static unsigned run_onednn(const struct cpu_gemm *gemm, const struct gemm_shape *s, float alpha,
                      const float *a, const float *b, float beta, float *c)
{
    struct layout l = layout_of(s);
    return gemm->onednn->call.sgemm(s->trans_b ? 'T' : 'N', s->trans_a ? 'T' : 'N', s->n, s->m,
                                    s->k, alpha, b, l.ldb, a, l.lda, beta, c, l.ldc);
}

int cpu_gemm_run(const struct cpu_gemm *gemm, const struct gemm_shape *shape, float alpha,
                 const float *a, const float *b, float beta, float *c, struct err *err)
{
    struct layout l = layout_of(shape);
    for (size_t i = 0; i < (size_t)shape->batch; i++) {
        unsigned status = 0;
        if (gemm->onednn)
            status = run_onednn(gemm, shape, alpha, a + i * l.a, b + i * l.b, beta, c + i * l.c);
        else
            run_openblas(gemm, shape, alpha, a + i * l.a, b + i * l.b, beta, c + i * l.c);
        if (cpu_onednn_check(err, status, "dnnl_sgemm"))
            return -1;
    }
    return 0;
}

int cpu_gemm_run_int8(const struct cpu_gemm *gemm, const struct gemm_shape *s, const int8_t *a,
                      const int8_t *b, int32_t *c, struct err *err)
{
    struct layout l = layout_of(s);
    static const int32_t offset;
    if (!gemm->onednn)
        return err_set(err, ERR_MISSING, "%s has no int8 multiplication", gemm->name);
    for (size_t i = 0; i < (size_t)s->batch; i++) {
        unsigned status = gemm->onednn->call.gemm_s8(s->trans_b ? 'T' : 'N', s->trans_a ? 'T' : 'N',
                                                'F', s->n, s->m, s->k, 1, b + i * l.b, l.ldb, 0,
                                                a + i * l.a, l.lda, 0, 0, c + i * l.c, l.ldc,
                                                &offset);
        if (cpu_onednn_check(err, status, "dnnl_gemm_s8s8s32"))
            return -1;
    }
    return 0;
}
