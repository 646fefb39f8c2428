/* Matrix products as the vendor's library computes them. Libraries for cards before Volta cut along
 * k only where k is huge, so that a small product runs on a few multiprocessors and waits for
 * memory at every step. */
#include <math.h>

#include "size/time_constants.h"
#include "size/time_parts.h"

#define TILES 7

static double tile_speed(int rows, int columns)
{
    const struct time_constants *c = &time_constants;
    double speed = columns == 16 ? c->gemm_thin_tile : columns == 32 ? c->gemm_narrow_tile : 1;
    return rows == 128 ? speed : speed * c->gemm_low_tile;
}

static double tile_step(int columns)
{
    const struct time_constants *c = &time_constants;
    return columns == 16 ? c->gemm_thin_step : columns == 32 ? c->gemm_narrow_step : 1;
}

static void list_tiles(struct time_tile tiles[TILES])
{
    static const int sizes[TILES][2] = { { 128, 128 }, { 128, 64 }, { 64, 64 }, { 128, 32 },
                                         { 128, 16 },  { 64, 32 },  { 64, 16 } };
    for (int i = 0; i < TILES; i++)
        tiles[i] =
            (struct time_tile){ sizes[i][0], sizes[i][1], tile_speed(sizes[i][0], sizes[i][1]),
                                tile_step(sizes[i][1]) };
}

/* Rows of a transposed A begin K elements apart. Where that distance is no multiple of 1024,
 * reading them costs more: seen on all cards of the rows. */
static bool odd_pitch(const struct time_gemm *g)
{
    return g->trans_a && g->k % 1024 != 0;
}

double time_gemm_slowdown(const struct time_card *card, const struct time_gemm *g)
{
    const struct time_constants *c = &time_constants;
    if (!g->trans_a || !time_is_old(card) || card->cc < 50)
        return 1;
    double half = c->gemm_tall_rows / 2;
    double share = fmin(fmax((g->m - half) / half, 0), 1);
    return 1 + c->gemm_tall_transposed * share * (odd_pitch(g) ? 1 : c->gemm_tall_even_pitch);
}

static double step_ms(const struct time_card *card, const struct time_gemm *g)
{
    const struct time_constants *c = &time_constants;
    if (!time_is_old(card))
        return c->gemm_step_new_ns * 1e-6;
    return c->gemm_step_old_ns * 1e-6 * (g->trans_a && g->n > 32 ? c->gemm_transposed_step : 1);
}

/* The library has a tile for few columns and none for few rows: it computes the transpose of those.
 */
static struct time_gemm upright(const struct time_gemm *g)
{
    if (g->m >= 32 || g->n <= g->m)
        return *g;
    return (struct time_gemm){ g->n, g->m, g->k, !g->trans_b, !g->trans_a, g->count };
}

static double count(const struct time_gemm *g)
{
    return g->count > 0 ? g->count : 1;
}

double time_gemm_flop(const struct time_gemm *g)
{
    return 2.0 * g->m * g->n * g->k * count(g);
}

double time_gemm_bytes(const struct time_model *model, const struct time_gemm *g)
{
    double m = g->m, n = g->n, k = g->k;
    return (m * k + k * n + m * n) * count(g) * time_precision_bytes(model->precision);
}

double time_gemm_ms(const struct time_model *model, const struct time_gemm *gemm)
{
    const struct time_constants *c = &time_constants;
    const struct time_card *card = &model->card;
    struct time_gemm g = upright(gemm);
    struct time_tile tiles[TILES];
    double launch_ms = card->launch_us * 1e-3;
    bool old = time_is_old(card);
    list_tiles(tiles);
    struct time_work work = {
        .m = g.m,
        .n = g.n,
        .k = g.k,
        .count = count(&g),
        .sms = card->sms,
        .flop_per_ms = model->peak_gflops * 1e6 / card->sms / time_gemm_slowdown(card, &g),
        .step_ms = step_ms(card, &g),
        .bytes = time_gemm_bytes(model, &g) * (odd_pitch(&g) ? 1 + c->gemm_pitch_traffic : 1),
        .bytes_per_ms = c->gemm_bandwidth * time_bytes_per_ms(card),
        .tiles = tiles,
        .tile_count = TILES,
        .most_splits = 256,
        .least_k = old ? c->gemm_split_old_k : 64,
        .split_bytes = 2 * 4 * c->gemm_split_traffic,
        .split_ms = launch_ms / 2,
        .overlaps = true,
    };
    return time_tile_fastest(&work) + launch_ms;
}
