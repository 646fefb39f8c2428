/* The CPU baselines against calling the libraries directly, in turns.
 *
 *   cpu [PAIRS [THREADS [wall|CPU]]]
 *
 * Each pair runs a case once through smfit's code (library loaded at run time) and once through calls
 * written here against the library's header, in alternating order; one line a case with the medians and,
 * of the pairs' ratios, median and interval: of wall-clock time, and of CPU time (which other work on the
 * machine disturbs less, with one thread). Both must give the same result to the bit. Exit code 1: some
 * did not, or a median ratio of the judged clock (wall) is above 1.05 or below 0.95. */
#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/cpu_conv.h"
#include "bench/cpu_gemm.h"
#include "bench/reference.h"
#include "core/os.h"
#include "core/stats.h"

enum { PAIRS_MAX = 1000 };
enum clocks { WALL, CPU, CLOCKS };
typedef int work(void *self, struct err *err);
static size_t pairs = 25;
static enum clocks judged = WALL;
static int failed;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        dnnl_status_t status_ = call;                                                              \
        if (status_ != dnnl_success) {                                                             \
            fprintf(stderr, "%s: %d\n", #call, (int)status_);                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void check(int result, const struct err *err)
{
    if (result) {
        fprintf(stderr, "%s\n", err->msg);
        exit(1);
    }
}

static float *filled(size_t count, uint64_t seed)
{
    float *values = aligned_alloc(64, (count * sizeof *values + 63) / 64 * 64);
    if (!values)
        exit(1);
    reference_fill(values, count, NUMBER_F32, seed);
    return values;
}

/* One sample of both clocks, milliseconds of one run. */
static void sample(work *run, void *self, unsigned repeats, double ms[CLOCKS])
{
    struct timespec from, to;
    struct err err;
    err_clear(&err);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    uint64_t start = os_now_ns();
    for (unsigned i = 0; i < repeats; i++)
        check(run(self, &err), &err);
    ms[WALL] = (double)(os_now_ns() - start) * 1e-6 / repeats;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    ms[CPU] = (1e3 * (double)(to.tv_sec - from.tv_sec) + 1e-6 * (double)(to.tv_nsec - from.tv_nsec)) /
              repeats;
}

/* Runs it until a sample is 20 ms long, and for a second at most to warm it up. */
static unsigned warm(work *run, void *self)
{
    unsigned repeats = 1;
    uint64_t start = os_now_ns();
    double ms[CLOCKS];
    while (os_now_ns() - start < 1000000000) {
        sample(run, self, repeats, ms);
        if (ms[WALL] * repeats >= 20)
            break;
        repeats *= 2;
    }
    return repeats;
}

static void in_turns(const char *name, work *ours, work *direct, void *self)
{
    static double times[2][PAIRS_MAX], ratios[CLOCKS][PAIRS_MAX];
    struct stats ratio[CLOCKS];
    unsigned repeats = warm(ours, self);
    warm(direct, self);
    for (size_t i = 0; i < pairs; i++) {
        double a[CLOCKS], b[CLOCKS];
        if (i % 2)
            sample(ours, self, repeats, a);
        sample(direct, self, repeats, b);
        if (i % 2 == 0)
            sample(ours, self, repeats, a);
        times[0][i] = a[WALL], times[1][i] = b[WALL];
        for (int c = 0; c < CLOCKS; c++)
            ratios[c][i] = a[c] / b[c];
    }
    for (int c = 0; c < CLOCKS; c++)
        ratio[c] = stats_of(ratios[c], pairs);
    printf("%-40s %9.4f %9.4f  %.3f (%.3f..%.3f)  %.3f (%.3f..%.3f)\n", name,
           stats_of(times[0], pairs).median, stats_of(times[1], pairs).median, ratio[WALL].median,
           ratio[WALL].low, ratio[WALL].high, ratio[CPU].median, ratio[CPU].low, ratio[CPU].high);
    fflush(stdout);
    if (ratio[judged].median > 1.05 || ratio[judged].median < 0.95)
        failed = 1;
}

static void same(const char *name, const float *a, const float *b, size_t count)
{
    if (memcmp(a, b, count * sizeof *a) != 0) {
        printf("%s: results differ\n", name);
        failed = 1;
    }
}

/* ---- GEMM ---------------------------------------------------------------------------------------- */

struct gemm_pair {
    struct cpu_gemm *gemm;
    struct gemm_shape shape;
    float *a, *b, *c, *d;
};

static int gemm_ours(void *self, struct err *err)
{
    struct gemm_pair *g = self;
    return cpu_gemm_run(g->gemm, &g->shape, 1, g->a, g->b, 0, g->c, err);
}

static int gemm_direct(void *self, struct err *err)
{
    struct gemm_pair *g = self;
    const struct gemm_shape *s = &g->shape;
    (void)err;
    cblas_sgemm(CblasColMajor, s->trans_a ? CblasTrans : CblasNoTrans,
                s->trans_b ? CblasTrans : CblasNoTrans, s->m, s->n, s->k, 1, g->a,
                s->trans_a ? s->k : s->m, g->b, s->trans_b ? s->n : s->k, 0, g->d, s->m);
    return 0;
}

static void compare_gemm(struct cpu_gemm *gemm, int m, int n, int k, bool ta, bool tb)
{
    size_t sm = (size_t)m, sn = (size_t)n, sk = (size_t)k;
    struct gemm_pair pair = { gemm,
                              { m, n, k, ta, tb, 1 },
                              filled(sm * sk, 1),
                              filled(sk * sn, 2),
                              filled(sm * sn, 3),
                              filled(sm * sn, 4) };
    char name[96];
    snprintf(name, sizeof name, "gemm %d x %d x %d %c%c", m, n, k, ta ? 'T' : 'N', tb ? 'T' : 'N');
    in_turns(name, gemm_ours, gemm_direct, &pair);
    same(name, pair.c, pair.d, sm * sn);
    free(pair.a), free(pair.b), free(pair.c), free(pair.d);
}

/* ---- convolution --------------------------------------------------------------------------------- */

struct conv_pair {
    struct cpu_conv *conv;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[3];
};

static int conv_ours(void *self, struct err *err)
{
    return cpu_conv_run(((struct conv_pair *)self)->conv, err);
}

static int conv_direct(void *self, struct err *err)
{
    struct conv_pair *c = self;
    (void)err;
    CHECK(dnnl_primitive_execute(c->primitive, c->stream, 3, c->arguments));
    CHECK(dnnl_stream_wait(c->stream));
    return 0;
}

#if DNNL_VERSION_MAJOR == 2
typedef dnnl_memory_desc_t layout_t;
#define AT(layout) (&(layout))
static layout_t layout(int n, const dnnl_dim_t *dims, dnnl_format_tag_t tag)
{
    layout_t made;
    CHECK(dnnl_memory_desc_init_by_tag(&made, n, dims, dnnl_f32, tag));
    return made;
}
#else
typedef dnnl_memory_desc_t layout_t;
#define AT(layout) (layout)
static layout_t layout(int n, const dnnl_dim_t *dims, dnnl_format_tag_t tag)
{
    layout_t made;
    CHECK(dnnl_memory_desc_create_with_tag(&made, n, dims, dnnl_f32, tag));
    return made;
}
#endif

static void copy(dnnl_engine_t engine, dnnl_stream_t stream, const_dnnl_primitive_desc_t unused,
                 dnnl_memory_t from, dnnl_memory_t to)
{
    dnnl_primitive_desc_t plan;
    dnnl_primitive_t primitive;
#if DNNL_VERSION_MAJOR == 2
    const dnnl_memory_desc_t *a, *b;
#else
    const_dnnl_memory_desc_t a, b;
#endif
    (void)unused;
    CHECK(dnnl_memory_get_memory_desc(from, &a));
    CHECK(dnnl_memory_get_memory_desc(to, &b));
    CHECK(dnnl_reorder_primitive_desc_create(&plan, a, engine, b, engine, NULL));
    CHECK(dnnl_primitive_create(&primitive, plan));
    dnnl_exec_arg_t arguments[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };
    CHECK(dnnl_primitive_execute(primitive, stream, 2, arguments));
    CHECK(dnnl_stream_wait(stream));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(plan);
}

/* A forward convolution as oneDNN's own examples do it; x and w are copied in, and y out. */
static void compare_conv(struct cpu_onednn *onednn, const char *name, const struct conv_shape *s)
{
    dnnl_engine_t engine;
    struct conv_pair pair = { 0 };
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&pair.stream, engine, dnnl_stream_default_flags));

    dnnl_dims_t x_dims = { s->n, s->c, s->h, s->w }, w4 = { s->k, s->c, s->r, s->s };
    dnnl_dims_t w5 = { s->groups, s->k / s->groups, s->c / s->groups, s->r, s->s };
    dnnl_dims_t y_dims = { s->n, s->k, conv_out_h(s), conv_out_w(s) };
    dnnl_dims_t strides = { s->stride_h, s->stride_w }, pad = { s->pad_h, s->pad_w };
    dnnl_dims_t none = { 0, 0 };
    int wn = s->groups > 1 ? 5 : 4;
    const dnnl_dim_t *w_dims = s->groups > 1 ? w5 : w4;
    layout_t any[] = { layout(4, x_dims, dnnl_format_tag_any), layout(wn, w_dims, dnnl_format_tag_any),
                       layout(4, y_dims, dnnl_format_tag_any) };
    layout_t plain[] = { layout(4, x_dims, dnnl_nchw), layout(wn, w_dims, wn == 5 ? dnnl_goihw : dnnl_oihw),
                         layout(4, y_dims, dnnl_nchw) };
    dnnl_primitive_desc_t plan;
#if DNNL_VERSION_MAJOR == 2
    dnnl_convolution_desc_t operation;
    CHECK(dnnl_dilated_convolution_forward_desc_init(
        &operation, dnnl_forward_training, dnnl_convolution_auto, &any[0], &any[1], NULL, &any[2],
        strides, none, pad, pad));
    CHECK(dnnl_primitive_desc_create(&plan, &operation, NULL, engine, NULL));
#else
    CHECK(dnnl_convolution_forward_primitive_desc_create(
        &plan, engine, dnnl_forward_training, dnnl_convolution_auto, any[0], any[1], NULL, any[2],
        strides, none, pad, pad, NULL));
#endif
    CHECK(dnnl_primitive_create(&pair.primitive, plan));

    static const dnnl_query_t queries[] = { dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md };
    static const int names[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
    static const enum conv_pass which[] = { CONV_BACKWARD_DATA, CONV_BACKWARD_WEIGHTS, CONV_FORWARD };
    float *values[3];
    dnnl_memory_t user[3];
    for (int i = 0; i < 3; i++) {
        values[i] = filled(reference_conv_count(s, which[i]), (uint64_t)i + 1);
        CHECK(dnnl_memory_create(&user[i], AT(plain[i]), engine, values[i]));
        pair.arguments[i].arg = names[i];
        CHECK(dnnl_memory_create(&pair.arguments[i].memory,
                                 dnnl_primitive_desc_query_md(plan, queries[i], 0), engine,
                                 DNNL_MEMORY_ALLOCATE));
        if (i < 2)
            copy(engine, pair.stream, plan, user[i], pair.arguments[i].memory);
    }

    struct err err;
    err_clear(&err);
    pair.conv = cpu_conv_new(onednn, s, &(struct cpu_conv_options){ CONV_FORWARD, false, false }, &err);
    check(pair.conv ? 0 : -1, &err);
    check(cpu_conv_put(pair.conv, CPU_CONV_X, values[0], &err), &err);
    check(cpu_conv_put(pair.conv, CPU_CONV_W, values[1], &err), &err);
    in_turns(name, conv_ours, conv_direct, &pair);

    size_t count = reference_conv_count(s, CONV_FORWARD);
    float *ours = filled(count, 9);
    check(cpu_conv_get(pair.conv, ours, &err), &err);
    copy(engine, pair.stream, plan, pair.arguments[2].memory, user[2]);
    same(name, ours, values[2], count);

    cpu_conv_free(pair.conv);
    free(ours);
    for (int i = 0; i < 3; i++) {
        dnnl_memory_destroy(user[i]);
        dnnl_memory_destroy(pair.arguments[i].memory);
        free(values[i]);
    }
    dnnl_primitive_destroy(pair.primitive);
    dnnl_primitive_desc_destroy(plan);
    dnnl_stream_destroy(pair.stream);
    dnnl_engine_destroy(engine);
}

int main(int argc, char **argv)
{
    struct cpu_gemm gemm;
    struct err err;
    err_clear(&err);
    unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (argc > 1)
        pairs = strtoul(argv[1], NULL, 10);
    if (argc > 3 && strcmp(argv[3], "CPU") == 0)
        judged = CPU;
    if (pairs < 1 || pairs > PAIRS_MAX)
        return 2;
    check(cpu_gemm_open(&gemm, CPU_GEMM_OPENBLAS, NULL, threads, &err), &err);
    struct cpu_onednn *onednn = cpu_onednn_open(NULL, threads, &err);
    check(onednn ? 0 : -1, &err);
    printf("%s, %u threads; %s, %u threads; %zu pairs, %s time is judged\n", gemm.name, gemm.threads, onednn->name,
           onednn->threads, pairs, judged == CPU ? "CPU" : "wall");
    printf("%-40s %9s %9s  %s\n", "", "ours ms", "direct ms", "ratio of wall time   of CPU time");
    compare_gemm(&gemm, 64, 64, 64, false, false);
    compare_gemm(&gemm, 256, 256, 256, false, true);
    compare_gemm(&gemm, 512, 512, 512, true, false);
    compare_gemm(&gemm, 1024, 1024, 1024, false, false);
    compare_gemm(&gemm, 1000, 32, 1024, true, false);
    compare_conv(onednn, "conv 3x3 64 -> 64 at 56 x 56",
                 &(struct conv_shape){ 1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1 });
    compare_conv(onednn, "conv 1x1 512 -> 512 at 14 x 14, 4 images",
                 &(struct conv_shape){ 4, 512, 14, 14, 512, 1, 1, 0, 0, 1, 1, 1, 1, 1 });
    compare_conv(onednn, "conv 7x7 / 2, 3 -> 64 at 224 x 224",
                 &(struct conv_shape){ 1, 3, 224, 224, 64, 7, 7, 3, 3, 2, 2, 1, 1, 1 });
    compare_conv(onednn, "depthwise 3x3, 144 at 56 x 56",
                 &(struct conv_shape){ 1, 144, 56, 56, 144, 3, 3, 1, 1, 1, 1, 1, 1, 144 });
    cpu_onednn_close(onednn);
    cpu_gemm_close(&gemm);
    return failed;
}
