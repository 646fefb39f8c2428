#include "bench/gemm.h"

/* In units of one multiply-add on one of a multiprocessor's 128 lanes, of which it starts that many
 * a clock. */
static const double split_fixed = 400e3; /* another launch: about 3 us */
static const double split_element = 64;  /* a sum written and read again, at some bytes a clock */

static double ceil_div(double a, double b)
{
    long long n = (long long)(a / b);
    return (double)n < a / b ? (double)n + 1 : (double)n;
}

/* Warps that a multiprocessor needs to hide latency, with the independent sums that a thread has
 * here. */
static double filled(double warps)
{
    return warps >= 16 ? 1 : 0.25 + 0.75 * warps / 16;
}

static double cost(const struct gemm_card *card, const struct gemm_shape *s,
                   const struct gemm_variant *v, int splits)
{
    double blocks = ceil_div(s->m, v->tile_m) * ceil_div(s->n, v->tile_n) * s->batch * splits;
    double k = ceil_div(ceil_div(s->k, splits), v->tile_k) * v->tile_k;
    double rounds = ceil_div(blocks, card->sms);
    double speed = v->efficiency / 100.0 * filled(rounds * v->threads / 32);
    double cost = rounds * v->tile_m * v->tile_n * (k + 2 * v->tile_k) / speed;
    if (splits > 1)
        cost +=
            split_fixed + split_element * (2.0 * splits + 1) * s->m * s->n * s->batch / card->sms;
    return cost;
}

int gemm_splits_max(const struct gemm_variant *variant, const struct gemm_shape *shape)
{
    int least = variant->tile_k > 32 ? variant->tile_k : 32;
    int most = (shape->k + 4 * least - 1) / (4 * least);
    return most < 1 ? 1 : most > 64 ? 64 : most;
}

bool gemm_choose(const struct gemm_card *card, enum bench_precision precision,
                 const struct gemm_shape *shape, const struct gemm_buffers *buffers,
                 struct gemm_choice *choice)
{
    double best = 0;
    choice->variant = NULL;
    for (size_t i = 0; i < gemm_variant_count; i++) {
        const struct gemm_variant *v = &gemm_variants[i];
        if (v->precision != precision || v->target > card->cc || !gemm_fits(v, shape, buffers))
            continue;
        int most = gemm_splits_max(v, shape);
        for (int splits = 1; splits <= most; splits++) {
            double c = cost(card, shape, v, splits);
            if (choice->variant && c >= best)
                continue;
            best = c;
            *choice = (struct gemm_choice){ v, splits };
        }
    }
    return choice->variant != NULL;
}
