/* Which cases a plan has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/conv.h"
#include "bench/gemm.h"
#include "bench/plan_parts.h"
#include "core/str.h"
#include "fatbin/images.h"

/* Work of one launch. On a device as long a time as its figures say; a simulated one is cut to what
 * a CPU does in a second or so. */
#define CEILING_MS      5.0
#define SIMULATED_FLOP  4e8
#define SIMULATED_BYTES 16e6
#define SIMULATED_GEMM  1.5e8
#define SIMULATED_CONV  1.2e8
#define CUBLAS_MIXED_CC 50 /* cublasGemmEx refuses below */
#define CPU_GFLOPS      60.0
#define CPU_GBPS        10.0

double plan_cpu_ms(const struct bench_case *c)
{
    double flop = isfinite(c->flop) ? c->flop / CPU_GFLOPS / 1e6 : 0;
    double bytes = isfinite(c->bytes) ? c->bytes / CPU_GBPS / 1e6 : 0;
    return fmax(flop, bytes);
}

/* Not run, and why; the first reason stands. */
static void refuse(struct bench_case *c, enum row_status status, const char *why)
{
    if (c->planned != ROW_OK)
        return;
    c->planned = status;
    str_copy(c->why, sizeof c->why, why);
}

static void refuse_below(struct bench_case *c, unsigned cc, unsigned needed)
{
    char why[96];
    if (cc >= needed)
        return;
    snprintf(why, sizeof why, "needs compute capability %u.%u, this card has %u.%u", needed / 10,
             needed % 10, cc / 10, cc % 10);
    refuse(c, ROW_UNSUPPORTED, why);
}

/* ---- images ---- */

static bool is_measured(const char *family)
{
    return strcmp(family, "probe") != 0; /* which has a command of its own */
}

int plan_add_loads(struct planning *p)
{
    if (!p->options->gpu)
        return 0;
    for (size_t i = 0; i < embedded_image_count; i++) {
        struct bench_case c = case_load(embedded_images[i].family);
        if (is_measured(c.family) && plan_wants(p->options, c.name, NULL) && plan_add(p, &c))
            return -1;
    }
    return 0;
}

/* ---- ceilings ---- */

static double ceiling_amount(const struct planning *p, const struct ceiling *c)
{
    const struct roof *r = p->roof;
    double peak = c->precision < BENCH_PRECISION_COUNT ? r->peak_gflops[c->precision] : 0;
    double work = 0, most = SIMULATED_FLOP;
    switch (c->kind) {
    case CEILING_ARITHMETIC:
    case CEILING_TENSOR:
        work = (peak > 0 ? peak : 100) * CEILING_MS * 1e6;
        break;
    case CEILING_SHARED:
        work = r->peak_gflops[BENCH_FP32] / 2 * CEILING_MS * 1e6;
        break;
    case CEILING_MEMORY: /* each array far beyond the cache, so that no part of it is still there */
        work = fmax(r->bandwidth_gbps * CEILING_MS * 1e6, 16 * r->l2_bytes);
        most = SIMULATED_BYTES;
        break;
    case CEILING_TRANSFER:
        work = (r->transfer_gbps > 0 ? r->transfer_gbps : 5) * CEILING_MS * 1e6;
        most = SIMULATED_BYTES;
        break;
    case CEILING_LAUNCH:
        return 1;
    }
    return p->options->simulated ? fmin(work / 10, most) : work;
}

/* Lowest capability that has kernels of ours for it; 0: there are none. */
static unsigned gemm_needs(enum bench_precision precision)
{
    unsigned least = 0;
    for (size_t i = 0; i < gemm_variant_count; i++)
        if (gemm_variants[i].precision == precision && (!least || gemm_variants[i].target < least))
            least = gemm_variants[i].target;
    return least;
}

/* In a quick run: the arithmetic and the memory that results are held against. */
static bool is_brief(const struct ceiling *c)
{
    bool ours = c->precision < BENCH_PRECISION_COUNT && gemm_needs(c->precision) > 0;
    return ours || c->kind == CEILING_LAUNCH || strcmp(c->name, "copy") == 0 ||
           strcmp(c->name, "h2d-pinned") == 0;
}

static bool ceiling_wanted(const struct planning *p, const struct ceiling *c, const char *name)
{
    const struct plan_options *o = p->options;
    if (c->precision < BENCH_PRECISION_COUNT && !plan_has_precision(o, c->precision) &&
        !(c->precision == BENCH_FP32 && plan_has_precision(o, BENCH_FP16S)))
        return false;
    if (o->pattern_count && plan_wants(o, name, NULL))
        return true;
    if (o->nets_only || o->shape_count || o->pattern_count || o->extent == PLAN_QUICK)
        return is_brief(c);
    return true;
}

int plan_add_ceilings(struct planning *p)
{
    if (!p->options->gpu)
        return 0;
    for (size_t i = 0; i < ceiling_count(); i++) {
        const struct ceiling *ceiling = ceiling_at(i);
        struct ceiling_size size = ceiling_size(ceiling, p->roof->sms, ceiling_amount(p, ceiling));
        struct bench_case c = case_ceiling(ceiling, &size);
        refuse_below(&c, p->roof->cc, ceiling->cc);
        if (ceiling_wanted(p, ceiling, c.name) && plan_add(p, &c))
            return -1;
    }
    return 0;
}

/* ---- whose code, in which arithmetic ---- */

static unsigned conv_needs(enum bench_precision precision, enum conv_pass pass)
{
    size_t count;
    unsigned least = 0;
    const struct conv_algorithm *all = conv_algorithms(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i].precision == precision && all[i].pass == pass &&
            (!least || (unsigned)all[i].lowest < least))
            least = (unsigned)all[i].lowest;
    return least;
}

/* A card that cannot do a class gets one row of it that says so, not one for every shape. */
struct said {
    bool classes[BENCH_PRECISION_COUNT];
};

static bool say_once(struct said *said, const struct bench_case *c)
{
    bool before = said->classes[c->precision];
    if (c->planned != ROW_UNSUPPORTED)
        return true;
    said->classes[c->precision] = true;
    return !before;
}

static int add_gemm(struct planning *p, struct said *said, const struct gemm_shape *shape,
                    const char *owner, bool any_precision)
{
    const struct plan_options *o = p->options;
    for (int i = 0; i < BENCH_PRECISION_COUNT && o->gpu; i++) {
        unsigned needs = gemm_needs((enum bench_precision)i);
        if (!needs || !plan_has_precision(o, (enum bench_precision)i) ||
            (!any_precision && i != BENCH_FP32 && i != BENCH_FP16S))
            continue;
        struct bench_case c = case_gemm(ENGINE_SMFIT, (enum bench_precision)i, shape);
        refuse_below(&c, p->roof->cc, needs);
        if (!plan_wants(o, c.name, owner) || !say_once(said, &c))
            continue;
        if (plan_add(p, &c))
            return -1;
        c.engine = ENGINE_CUBLAS;
        if (i != BENCH_FP32)
            refuse_below(&c, p->roof->cc, CUBLAS_MIXED_CC);
        if (needs <= p->roof->cc && !o->simulated && plan_add(p, &c))
            return -1;
    }
    /* Two libraries do the processor's products; a quick run has time for one. */
    int last = o->extent == PLAN_QUICK && o->gpu ? ENGINE_OPENBLAS : ENGINE_ONEDNN;
    for (int e = ENGINE_OPENBLAS; e <= last; e++) {
        struct bench_case c = case_gemm((enum case_engine)e, BENCH_FP32, shape);
        if (o->cpu && plan_has_precision(o, BENCH_FP32) && plan_wants(o, c.name, owner) &&
            plan_add(p, &c))
            return -1;
    }
    return 0;
}

/* ---- matrix products ---- */

/* Square ones show the kernel, thin ones what networks ask for: "out features x batch x in
 * features". The larger a card, the more of them; a launch is bounded by plan_add. */
static const struct shape_row {
    int m, n, k;
    bool trans_a, trans_b;
    enum plan_extent from;
} shapes[] = {
    { 1024, 1024, 1024, false, false, PLAN_QUICK },
    { 1000, 32, 2048, true, false, PLAN_QUICK },
    { 256, 256, 256, false, false, PLAN_DEFAULT },
    { 512, 512, 512, false, false, PLAN_DEFAULT },
    { 1536, 1536, 1536, false, false, PLAN_DEFAULT },
    { 2048, 2048, 2048, false, false, PLAN_DEFAULT },
    { 4096, 4096, 4096, false, false, PLAN_DEFAULT },
    { 1000, 1, 2048, true, false, PLAN_DEFAULT },
    { 512, 3136, 64, false, false, PLAN_DEFAULT },
    { 8192, 8192, 8192, false, false, PLAN_FULL },
    { 1024, 1024, 1024, false, true, PLAN_FULL },
    { 1024, 1024, 1024, true, false, PLAN_FULL },
    { 1024, 1024, 1024, true, true, PLAN_FULL },
    { 1021, 1019, 1013, false, false, PLAN_FULL },
    { 64, 64, 16384, false, false, PLAN_FULL },
    { 4096, 16, 4096, true, false, PLAN_FULL },
    { 4096, 64, 4096, true, false, PLAN_FULL },
    { 3072, 128, 768, true, false, PLAN_FULL },
};

static int cut(int length, int to)
{
    return length < to ? length : to;
}

/* What a CPU can simulate, in the same proportions as far as that goes. */
static struct gemm_shape cut_gemm(struct gemm_shape s)
{
    for (int to = 4096; to >= 64 && gemm_flop(&s) > SIMULATED_GEMM; to /= 2) {
        s.m = cut(s.m, to);
        s.n = cut(s.n, to);
        s.k = cut(s.k, to);
    }
    return s;
}

int plan_add_gemms(struct planning *p)
{
    const struct plan_options *o = p->options;
    struct said said = { { false } };
    for (size_t i = 0; i < o->shape_count; i++)
        if (add_gemm(p, &said, &o->shapes[i], NULL, true))
            return -1;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct shape_row *r = &shapes[i];
        struct gemm_shape s = { r->m, r->n, r->k, r->trans_a, r->trans_b, 1 };
        if (o->shape_count || o->nets_only || r->from > o->extent)
            continue;
        s = o->simulated ? cut_gemm(s) : s;
        if (add_gemm(p, &said, &s, NULL, true))
            return -1;
    }
    return 0;
}

/* ---- convolutions ---- */

/* Layers of networks are many and a quick run is short: unless asked for, the vendor's are measured
 * in fp32 alone. */
static bool is_compared(const struct plan_options *o, const char *owner, enum bench_precision p)
{
    bool few = owner ? o->extent != PLAN_FULL : o->extent == PLAN_QUICK;
    return p == BENCH_FP32 || o->nets_only || !few;
}

static int add_conv(struct planning *p, struct said *said, const struct conv_shape *shape,
                    enum conv_pass pass, const char *owner)
{
    const struct plan_options *o = p->options;
    for (int i = 0; i < BENCH_PRECISION_COUNT && o->gpu; i++) {
        unsigned needs = conv_needs((enum bench_precision)i, pass);
        if (!needs || !plan_has_precision(o, (enum bench_precision)i))
            continue;
        struct bench_case c = case_conv(ENGINE_SMFIT, (enum bench_precision)i, shape, pass);
        refuse_below(&c, p->roof->cc, needs);
        if (!plan_wants(o, c.name, owner) || !say_once(said, &c))
            continue;
        if (plan_add(p, &c))
            return -1;
        c.engine = ENGINE_CUDNN;
        if (c.planned == ROW_OK && !o->simulated &&
            is_compared(o, owner, (enum bench_precision)i) && plan_add(p, &c))
            return -1;
    }
    struct bench_case c = case_conv(ENGINE_ONEDNN, BENCH_FP32, shape, pass);
    if (o->cpu && plan_has_precision(o, BENCH_FP32) && plan_wants(o, c.name, owner))
        return plan_add(p, &c);
    return 0;
}

/* One of each kind that networks are made of: ResNet's 3x3 and 1x1, the first layer, MobileNet's
 * depthwise, ResNeXt's grouped. */
static const struct conv_row {
    int c, h, k, r, stride, groups;
    enum plan_extent from;
} layers[] = {
    { 64, 56, 64, 3, 1, 1, PLAN_QUICK },    { 256, 14, 256, 3, 1, 1, PLAN_DEFAULT },
    { 64, 56, 256, 1, 1, 1, PLAN_QUICK },   { 144, 56, 144, 3, 1, 144, PLAN_QUICK },
    { 3, 224, 64, 7, 2, 1, PLAN_DEFAULT },  { 128, 28, 128, 3, 1, 1, PLAN_DEFAULT },
    { 512, 7, 512, 3, 1, 1, PLAN_DEFAULT }, { 512, 14, 512, 1, 1, 1, PLAN_DEFAULT },
    { 576, 14, 576, 3, 2, 576, PLAN_FULL }, { 128, 28, 128, 3, 1, 32, PLAN_FULL },
    { 32, 112, 32, 5, 1, 32, PLAN_FULL },   { 64, 56, 128, 3, 2, 1, PLAN_FULL },
};

static struct conv_shape shape_of(const struct conv_row *r, int batch)
{
    int pad = r->r / 2;
    return (struct conv_shape){ batch, r->c, r->h,      r->h,      r->k, r->r, r->r,
                                pad,   pad,  r->stride, r->stride, 1,    1,    r->groups };
}

static struct conv_shape cut_conv(struct conv_shape s)
{
    bool depthwise = s.groups > 1 && s.groups == s.c;
    for (int to = 128; to >= 7 && conv_flop(&s) > SIMULATED_CONV; to /= 2) {
        s.h = cut(s.h, to);
        s.w = cut(s.w, to);
        if (depthwise || s.groups == 1) {
            s.c = cut(s.c, 4 * to);
            s.k = cut(s.k, 4 * to);
            s.groups = depthwise ? s.c : 1;
        }
    }
    return s;
}

int plan_add_convs(struct planning *p)
{
    const struct plan_options *o = p->options;
    struct said said = { { false } };
    if (o->shape_count || o->nets_only)
        return 0;
    int most = o->extent == PLAN_FULL ? CONV_BACKWARD_WEIGHTS : CONV_FORWARD;
    for (int pass = CONV_FORWARD; pass <= most; pass++)
        for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
            if (layers[i].from > o->extent)
                continue;
            struct conv_shape s = shape_of(&layers[i], o->extent == PLAN_FULL ? 8 : 1);
            s = o->simulated ? cut_conv(s) : s;
            if (add_conv(p, &said, &s, (enum conv_pass)pass, NULL))
                return -1;
        }
    return 0;
}

/* ---- networks ---- */

static int add_layers(struct planning *p, const struct plan_net *net, int batch, const char *owner)
{
    struct said said = { { false } };
    for (size_t i = 0; i < net->count; i++) {
        struct plan_layer l = plan_layer_of(&net->layers[i], batch);
        int failed = 0;
        if (l.kind == CASE_CONV)
            failed = add_conv(p, &said, &l.conv, CONV_FORWARD, owner);
        else if (l.kind == CASE_GEMM)
            failed = add_gemm(p, &said, &l.gemm, owner, false);
        else if (!p->options->products_only)
            failed = plan_add_layer(p, l.numbers, owner);
        if (failed)
            return -1;
    }
    return 0;
}

static int add_sums(struct planning *p, const struct plan_net *net, int batch)
{
    static const enum bench_precision classes[] = { BENCH_FP32, BENCH_FP16S };
    static const enum case_engine engines[] = { ENGINE_SMFIT, ENGINE_CUDNN, ENGINE_ONEDNN };
    const struct plan_options *o = p->options;
    for (size_t k = 0; k < 2; k++)
        for (size_t e = 0; e < 3; e++) {
            struct bench_case c = case_net(engines[e], classes[k], net->name, batch);
            bool cpu = case_is_cpu(&c);
            if ((cpu ? !o->cpu || k > 0 : !o->gpu) || (e == 1 && o->simulated) ||
                !plan_has_precision(o, classes[k]) || !plan_wants(o, c.name, NULL) ||
                (e == 1 && !is_compared(o, c.name, classes[k])))
                continue;
            if (plan_add(p, &c))
                return -1;
        }
    return 0;
}

/* First the layers of all, then the sums, which rest on their rows. */
int plan_add_nets(struct planning *p)
{
    static const int one[] = { 1, 0 };
    const struct plan_options *o = p->options;
    const int *batches = o->batches[0] ? o->batches : one;
    if (o->shape_count || (o->extent == PLAN_QUICK && !o->nets_only))
        return 0;
    p->in_net = true;
    for (int sums = 0; sums < (o->products_only ? 1 : 2); sums++)
        for (size_t i = 0; i < o->net_count; i++)
            for (const int *b = batches; *b; b++) {
                char owner[80];
                snprintf(owner, sizeof owner, "net/%s", o->nets[i].name);
                /* Of a network that was asked for single layers may be wanted, too. */
                if (!o->nets_only && !plan_wants(o, owner, NULL))
                    continue;
                if (sums ? add_sums(p, &o->nets[i], *b) : add_layers(p, &o->nets[i], *b, owner))
                    return -1;
            }
    return 0;
}
