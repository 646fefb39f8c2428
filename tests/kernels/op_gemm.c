/* Matrix products: every kernel, with each dimension once 1, a prime, a tile less one, a tile, a
 * tile and one, two tiles and three; all layouts, alpha and beta, splits, batches, addresses that
 * are no multiples of 16. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gemm.h"
#include "bench/reference.h"
#include "kernels.h"

enum { CLASSES = 6, SHAPES = CLASSES + 2 };

struct gemm_case {
    struct gemm_choice choice;
    struct gemm_shape shape;
    float alpha, beta;
    bool share_a, share_b;
    int shift; /* elements that matrices lie behind an aligned address */
};

static const char *text_of(const struct gemm_case *c)
{
    static char text[256];
    const struct gemm_shape *s = &c->shape;
    snprintf(text, sizeof text,
             "%s %c%c %d x %d x %d, batch %d, %d splits, alpha %g, beta %g, shift %d",
             c->choice.variant->kernel, s->trans_a ? 'T' : 'N', s->trans_b ? 'T' : 'N', s->m, s->n,
             s->k, s->batch, c->choice.splits, (double)c->alpha, (double)c->beta, c->shift);
    return text;
}

/* An operand: its values and their copy on the device. */
static float *operand(struct kernels *k, enum number number, size_t count, int shift, uint64_t seed,
                      struct kernels_buffer *buffer)
{
    float *values = kernels_memory(count, sizeof *values);
    void *packed = kernels_memory(count, number_bytes(number));
    reference_fill(values, count, number, seed);
    number_pack(number, values, count, packed);
    kernels_buffer_new(k, buffer, count * number_bytes(number),
                       (size_t)shift * number_bytes(number), packed);
    free(packed);
    return values;
}

/* The reference has no shared matrices: they are repeated. */
static float *repeated(float *values, size_t count, int times)
{
    float *all = kernels_memory(count * (size_t)times, sizeof *all);
    for (size_t i = 0; i < count * (size_t)times; i++)
        all[i] = values[i % count];
    free(values);
    return all;
}

/* To the nearest number of tf32, ties away from zero: so our kernels round factors themselves, and
 * what is left to be wrong by is what sums lose. */
static void round_tf32(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits = (bits + 0x1000) & 0xffffe000;
        memcpy(&values[i], &bits, sizeof bits);
    }
}

static void compare(struct kernels *k, const struct gemm_case *c, const struct reference_gemm *want,
                    const void *got, bool guards)
{
    enum bench_precision precision = c->choice.variant->precision;
    enum number number = gemm_result(precision);
    size_t count = reference_gemm_count(&c->shape);
    struct reference_bound bound =
        reference_bound(precision == BENCH_TC_TF32 ? BENCH_TC_FP16 : precision,
                        reference_gemm_terms(&c->shape), number);
    struct reference_error error = { 0 };
    size_t *index = kernels_memory(count, sizeof *index);
    for (size_t i = 0; i < count; i++)
        index[i] = i;
    reference_check_gemm(want, &bound, number, got, index, count, &error);
    kernels_result(k, error.wrong == 0 && guards, "%s: %zu of %zu wrong, at %zu %g for %g%s",
                   text_of(c), error.wrong, count, error.worst, error.got, error.want,
                   guards ? "" : ", and written outside");
    free(index);
}

static void run_case(struct kernels *k, const struct gemm_case *c)
{
    const struct gemm_shape *s = &c->shape;
    enum bench_precision precision = c->choice.variant->precision;
    enum number in = number_of(precision), out = gemm_result(precision);
    size_t batch = (size_t)s->batch, one_a = (size_t)s->m * (size_t)s->k,
           one_b = (size_t)s->k * (size_t)s->n;
    size_t count = reference_gemm_count(s), bytes = count * number_bytes(out);
    struct kernels_buffer a, b, to, workspace;
    struct err err = { 0 };

    float *va = operand(k, in, one_a * (c->share_a ? 1 : batch), c->shift, 1, &a);
    float *vb = operand(k, in, one_b * (c->share_b ? 1 : batch), c->shift, 2, &b);
    float *vc = NULL;
    if (c->beta != 0)
        vc = operand(k, out, count, c->shift, 3, &to);
    else
        kernels_buffer_new(k, &to, bytes, (size_t)c->shift * number_bytes(out), NULL);
    kernels_buffer_new(k, &workspace, gemm_workspace(&c->choice, s), 0, NULL);
    if (precision == BENCH_TC_TF32) {
        round_tf32(va, one_a * (c->share_a ? 1 : batch));
        round_tf32(vb, one_b * (c->share_b ? 1 : batch));
    }
    if (c->share_a)
        va = repeated(va, one_a, s->batch);
    if (c->share_b)
        vb = repeated(vb, one_b, s->batch);

    struct gemm_buffers buffers = { .a = a.address,
                                    .b = b.address,
                                    .c = to.address,
                                    .workspace = workspace.address,
                                    .share_a = c->share_a,
                                    .share_b = c->share_b };
    if (gemm_run(&k->gpu, &c->choice, s, c->alpha, c->beta, &buffers, &err) ||
        gpu_wait(&k->gpu, &err))
        kernels_give_up(k, &err, text_of(c));

    void *got = kernels_memory(bytes, 1), *sums = kernels_memory(workspace.bytes, 1);
    bool guards = kernels_buffer_read(k, &to, got);
    guards = kernels_buffer_read(k, &workspace, sums) && guards;
    struct reference_gemm want = { *s, (double)c->alpha, (double)c->beta, va, vb, vc };
    compare(k, c, &want, got, guards);

    struct kernels_buffer *all[] = { &a, &b, &to, &workspace };
    for (size_t i = 0; i < 4; i++)
        kernels_buffer_free(k, all[i]);
    free(va), free(vb), free(vc), free(got), free(sums);
}

/* The extent of a class, in units of what the kernel's alignment allows. */
static int extent(int class, int tile, int unit)
{
    static const int primes[] = { 37, 13, 5, 3 };
    tile /= unit;
    switch (class % CLASSES) {
    case 0:
        return unit;
    case 1:
        return unit * (tile > 37   ? primes[0]
                       : tile > 13 ? primes[1]
                       : tile > 5  ? primes[2]
                                   : primes[3]);
    case 2:
        return unit * (tile > 1 ? tile - 1 : 1);
    case 3:
        return unit * tile;
    case 4:
        return unit * (tile + 1);
    default:
        return unit * (2 * tile + 3);
    }
}

/* The first CLASSES shapes have each dimension in each class once; then long sums in several
 * splits. */
static struct gemm_case case_of(const struct gemm_variant *v, int number, int layout)
{
    static const float alphas[] = { 1, 2, -1, 3 }, betas[] = { 0, 1, 0, -2 };
    struct gemm_case c = { .choice = { v, 1 } };
    bool ta = layout & 1, tb = layout & 2, along_m = !ta, along_n = tb, along_k = ta || !tb;
    int mix = number + layout;
    c.shape = (struct gemm_shape){
        .m = extent(number, v->tile_m, along_m ? v->align : 1),
        .n = extent(number + 3 + layout, v->tile_n, along_n ? v->align : 1),
        .k = extent(number + 4 + 2 * layout, v->tile_k, along_k ? v->align : 1),
        .trans_a = ta,
        .trans_b = tb,
        .batch = mix % 5 == 2 ? 3 : 1,
    };
    c.alpha = alphas[mix % 4];
    c.beta = betas[mix % 4];
    c.share_a = mix % 10 == 2;
    c.share_b = mix % 10 == 7;
    c.shift = v->align == 1 && mix % 3 == 1 ? 1 : 0;
    if (number >= CLASSES) {
        int unit = v->tile_k > 32 ? v->tile_k : 32;
        c.shape.m = extent(number, v->tile_m / 2, along_m ? v->align : 1);
        c.shape.n = extent(number, v->tile_n / 2, along_n ? v->align : 1);
        c.shape.k = unit * (number == CLASSES ? 3 : 4) + (along_k ? v->align : 5);
        c.choice.splits = number == CLASSES ? 2 : 5;
        c.alpha = alphas[(mix + 1) % 4];
        c.beta = number == CLASSES ? 2 : 0;
    }
    return c;
}

static void run_variant(struct kernels *k, const struct gemm_variant *v, int turn)
{
    for (int layout = 0; layout < 4; layout++) {
        if (!(v->layouts & (1u << layout)))
            continue;
        for (int number = 0; number < SHAPES; number++) {
            if (!k->full &&
                (number + layout + turn) % (v->layouts & (v->layouts - 1) ? 16 : 8) != 0)
                continue;
            struct gemm_case c = case_of(v, number, layout);
            run_case(k, &c);
        }
    }
}

void kernels_cases(struct kernels *k)
{
    for (size_t i = 0; i < gemm_variant_count; i++)
        if (kernels_family(k, gemm_variants[i].family, gemm_variants[i].target))
            run_variant(k, &gemm_variants[i], (int)(i + k->target));
}
