#include "bench/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/layers.h"
#include "bench/op_check.h"
#include "core/str.h"

/* The least time of a run whose rate is the card's: what starting it takes is a twentieth then. A
 * large virtual card has shorter ones, cut to what a processor simulates. */
static double least_ms(const struct row_list *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->list[i].status == ROW_OK && strcmp(rows->list[i].name, "ceiling/launch") == 0)
            return JUDGE_LAUNCHES * rows->list[i].time.median;
    return 0;
}

/* The best rate that any size of this ceiling reached; 0: none was measured. */
static double rate_of(const struct row_list *rows, const char *ceiling, bool bytes)
{
    char name[80];
    double best = 0, least = least_ms(rows);
    snprintf(name, sizeof name, "ceiling/%s", ceiling);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *r = &rows->list[i];
        double rate = bytes ? r->gbps : r->gflops;
        if (r->status == ROW_OK && strcmp(r->name, name) == 0 && r->time.median >= least &&
            rate > best)
            best = rate;
    }
    return best;
}

/* Copy, triad: the memory's ceiling is the better of them, under its own name. */
static double memory_rate(const struct row_list *rows, const char **which)
{
    double best = 0;
    for (size_t i = 0; i < ceiling_count(); i++) {
        const struct ceiling *c = ceiling_at(i);
        double rate = c->kind == CEILING_MEMORY ? rate_of(rows, c->name, true) : 0;
        if (rate > best) {
            best = rate;
            *which = c->name;
        }
    }
    return best;
}

/* Winograd's algorithm and Fourier transforms multiply less often than the definition, whose
 * operations are counted, and a network may have layers that were done so. */
static bool does_all_multiplications(const struct bench_case *c, const struct row *row)
{
    return c->kind != CASE_NET && !op_check_transforms(row->variant);
}

static void refuse(struct row *row, double percent, const char *ceiling)
{
    row_fail(row, ROW_ERROR,
             "%.0f %% of ceiling/%s: faster than this card was measured to be, so that "
             "one of the two is wrong",
             percent, ceiling);
}

void judge_row(const struct row_list *rows, const struct bench_case *c, struct row *row)
{
    const char *arithmetic = plan_ceiling(c), *memory = NULL;
    if (row->status != ROW_OK || !row->time.count || !(row->time.median > 0) || case_is_cpu(c) ||
        c->kind == CASE_CEILING || c->kind == CASE_LOAD)
        return;
    double peak = arithmetic ? rate_of(rows, arithmetic, false) : 0;
    double gbps = memory_rate(rows, &memory);
    double compute_ms = peak > 0 && isfinite(row->flop) ? row->flop / peak / 1e6 : 0;
    double memory_ms = gbps > 0 && isfinite(row->bytes) ? row->bytes / gbps / 1e6 : 0;
    double least = fmax(compute_ms, memory_ms);
    if (!(least > 0))
        return;
    snprintf(row->ceiling, sizeof row->ceiling, "ceiling/%s",
             compute_ms >= memory_ms ? arithmetic : memory);
    row->ceiling_percent = 100 * least / row->time.median;
    double compute = 100 * compute_ms / row->time.median,
           moved = 100 * memory_ms / row->time.median;
    if (compute > JUDGE_MOST_PERCENT && does_all_multiplications(c, row))
        refuse(row, compute, arithmetic);
    else if (moved > JUDGE_MOST_MEMORY_PERCENT)
        refuse(row, moved, memory);
}

/* ---- networks ---- */

static const struct row *layer_row(const struct row_list *rows, const struct bench_case *layer)
{
    struct row like;
    case_row(layer, false, &like);
    return row_list_find(rows, &like);
}

/* What lies between convolutions and products is smfit's own beside cuDNN, too. */
static struct bench_case layer_case(const struct plan_layer *layer, const struct bench_case *net)
{
    struct plan_layer l = plan_layer_of(layer, net->batch);
    enum case_engine gemms = net->engine == ENGINE_CUDNN ? ENGINE_CUBLAS : net->engine;
    return l.kind == CASE_CONV   ? case_conv(net->engine, net->precision, &l.conv, CONV_FORWARD)
           : l.kind == CASE_GEMM ? case_gemm(gemms, net->precision, &l.gemm)
                                 : case_layer(net->precision, l.numbers);
}

/* How many layers between convolutions there are of a kind, named once, at the first of them. */
static int count_alike(const struct plan_net *net, size_t first)
{
    int n = 0;
    for (size_t i = 0; i < net->count; i++)
        if (net->layers[i].kind == CASE_LAYER &&
            net->layers[i].numbers[0] == net->layers[first].numbers[0]) {
            if (i < first)
                return 0;
            n += net->layers[i].count;
        }
    return n;
}

/* What the sum is without: on a processor all that lies between convolutions. */
static void say_without(const struct plan_net *net, const struct bench_case *c, struct row *row)
{
    size_t n =
        (size_t)snprintf(row->reason, sizeof row->reason, "%s%s",
                         *net->without ? "without, for want of a kernel: " : "", net->without);
    for (size_t i = 0; i < net->count && case_is_cpu(c) && n < sizeof row->reason; i++) {
        int alike = net->layers[i].kind == CASE_LAYER ? count_alike(net, i) : 0;
        if (alike)
            n += (size_t)snprintf(row->reason + n, sizeof row->reason - n, "%s%d %s",
                                  n ? ", " : "without, for want of a kernel: ", alike,
                                  layer_name((enum bench_layer)net->layers[i].numbers[0]));
    }
}

void judge_net(const struct row_list *rows, const struct plan_net *net, const struct bench_case *c,
               struct row *row)
{
    double ms = 0, low = 0, high = 0, coverage = 1;
    int launches = 0;
    bool spread = true;
    row->flop = row->bytes = 0;
    for (size_t i = 0; i < net->count; i++) {
        struct bench_case layer = layer_case(&net->layers[i], c);
        const struct row *r = layer_row(rows, &layer);
        double n = net->layers[i].count;
        if (layer.kind == CASE_LAYER && case_is_cpu(c))
            continue;
        if (!r || r->status != ROW_OK || !r->time.count) {
            row->flop = row->bytes = NAN;
            row_fail(row, ROW_SKIPPED, "layer %s %s: %.200s", layer.name, layer.shape,
                     r ? r->reason : "not measured");
            return;
        }
        ms += n * r->time.median;
        low += n * r->time.low;
        high += n * r->time.high;
        coverage = fmin(coverage, r->time.coverage);
        row->throttled += r->throttled;
        spread = spread && r->time.count > 1;
        row->flop += isfinite(layer.flop) ? n * layer.flop : 0;
        row->bytes += n * layer.bytes;
        launches += net->layers[i].count;
    }
    /* The sum of the intervals' ends: no narrower than an interval of the sum. */
    row->time = (struct stats){ spread ? 2 : 1, ms, low, high, spread ? coverage : 0 };
    row->gflops = row->flop / ms / 1e6;
    row->gbps = row->bytes / ms / 1e6;
    snprintf(row->variant, sizeof row->variant, "sum of %d launches", launches);
    say_without(net, c, row);
}
