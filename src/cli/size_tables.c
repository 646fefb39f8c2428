/* `smfit size` for people: throughput over batch, precisions, GPU or CPU, and the layers one by one. */
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/size_parts.h"

/* ---- throughput over batch -------------------------------------------------------------------------- */

static const char *mark_of(const struct choice *c, size_t i)
{
    if (i == c->knee)
        return text_get("size.mark.knee");
    if (c->points[i].batch > c->largest)
        return text_get("size.mark.unfit");
    if (c->points[i].batch > c->sure)
        return text_get("size.mark.tight");
    return "";
}

static void print_curve(const struct size_view *v)
{
    static const struct grid_column columns[] = {
        { "col.batch", true }, { "col.rate", false }, { "col.ms_batch", false },
        { "col.memory", true }, { NULL, false },
    };
    const struct choice *c = &size_view_asked(v)->choice;
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    if (!g)
        return;
    size_heading(v->training ? "size.curve.train" : "size.curve.infer");
    for (size_t i = 0; i < c->count; i++) {
        const struct choice_point *p = &c->points[i];
        struct str rate = STR_INIT, ms = STR_INIT, bytes = STR_INIT;
        if (p->rate.mid > 0) {
            size_add_span(&rate, &p->rate);
            size_add_span(&ms, &p->pace.total);
        }
        size_add_bytes(&bytes, p->memory.mid);
        grid_cellf(g, "%d", p->batch);
        grid_cell(g, rate.p);
        grid_cell(g, ms.p);
        grid_cell(g, bytes.p);
        grid_cell(g, mark_of(c, i));
        str_free(&rate);
        str_free(&ms);
        str_free(&bytes);
    }
    grid_print(g, 2);
    grid_free(g);
}

/* ---- precisions ----------------------------------------------------------------------------------------- */

static const char *answer(enum offer_answer a)
{
    static const char *const ids[] = { "size.no",   "size.yes",    "size.unlikely",
                                       "size.same", "size.likely", "size.not_known" };
    return text_get(ids[a]);
}

static void offer_row(struct grid *g, const struct offer *o)
{
    struct str ratio = STR_INIT;
    grid_cell(g, precision_name(o->precision));
    grid_cell(g, answer(o->works));
    grid_cell(g, answer(o->framework));
    if (o->works == OFFER_NO) {
        grid_cell(g, "");
        grid_cell(g, "");
        return;
    }
    grid_cellf(g, "%.0f %%", 100 * o->bytes / o->fp32_bytes);
    if (o->ratio.mid > 0) {
        str_add(&ratio, answer(o->faster));
        str_add(&ratio, ": ");
        size_add_span(&ratio, &o->ratio);
    } else {
        str_add(&ratio, answer(o->faster));
    }
    grid_cell(g, ratio.p);
    str_free(&ratio);
}

/* Sentences in Chinese follow each other without a blank. */
static void join(struct str *text)
{
    if (strcmp(text_language(), "zh") != 0)
        str_add(text, " ");
}

static void explain(const struct size_view *v, const struct offer *o)
{
    char share[16];
    struct str text = STR_INIT;
    snprintf(share, sizeof share, "%.0f", 100 * o->memory_share);
    str_addf(&text, "%s: %s", precision_name(o->precision), text_get(o->works_why));
    if (o->works != OFFER_NO) {
        join(&text);
        text_add(&text, o->faster_why, TEXT_ARGS({ "share", share }));
    }
    join(&text);
    text_add(&text, o->framework_why,
             TEXT_ARGS({ "release", v->framework }, { "since", o->since }, { "how", o->how }));
    out_wrapped(OUT_PLAIN, 2, text.p);
    str_free(&text);
}

static void print_precisions(const struct size_view *v)
{
    static const struct grid_column columns[] = {
        { "col.precision", false }, { "col.works", false },  { "col.pytorch", false },
        { "col.memory", true },     { "col.faster", false },
    };
    const struct size_mode *m = size_view_asked(v);
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    char batch[16];
    if (!g)
        return;
    snprintf(batch, sizeof batch, "%d", m->offers[0].batch);
    out_line(OUT_PLAIN, "");
    size_sentence(OUT_BOLD, 0, "size.precisions", TEXT_ARGS({ "batch", batch }));
    for (int p = 0; p < PRECISION_COUNT; p++)
        if (p != PRECISION_FP32)
            offer_row(g, &m->offers[p]);
    grid_print(g, 2);
    grid_free(g);
    for (int p = 0; p < PRECISION_COUNT; p++)
        if (p != PRECISION_FP32)
            explain(v, &m->offers[p]);
}

/* ---- GPU or CPU ----------------------------------------------------------------------------------------- */

static void print_host(const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    const struct choice_point *p = size_view_chosen(m);
    struct str gpu = STR_INIT, cpu = STR_INIT, pays = STR_INIT;
    char cores[16];
    if (!v->host->known || p->rate.mid <= 0 || !m->choice.fits)
        return;
    int faster = choice_compare(&p->rate, &m->host_rate);
    snprintf(cores, sizeof cores, "%d", v->host->cores);
    size_heading("size.host");
    size_add_span(&gpu, &p->rate);
    size_add_span(&cpu, &m->host_rate);
    size_sentence(OUT_PLAIN, 2, m->host.measured > 0.5 ? "size.host.measured" : "size.host.rates",
                  TEXT_ARGS({ "gpu", gpu.p }, { "cpu", cpu.p }, { "name", v->cpu->cpu },
                            { "cores", cores }));
    size_sentence(OUT_PLAIN, 2,
                  faster > 0   ? "size.host.gpu"
                  : faster < 0 ? "size.host.cpu"
                               : "size.host.close",
                  NULL);
    if (m->break_even > 0) {
        str_addf(&pays, "%.0f", m->break_even + 0.5);
        size_sentence(OUT_PLAIN, 2, "size.host.break_even", TEXT_ARGS({ "images", pays.p }));
    }
    str_free(&gpu);
    str_free(&cpu);
    str_free(&pays);
}

void size_tables_print(const struct size_view *v)
{
    if (size_view_asked(v)->choice.largest)
        print_curve(v);
    print_precisions(v);
    print_host(v);
}

/* ---- layers ---------------------------------------------------------------------------------------------- */

static struct pace_span both(const struct pace_layer *l)
{
    return (struct pace_span){ l->forward.low + l->backward.low, l->forward.mid + l->backward.mid,
                               l->forward.high + l->backward.high };
}

static const char *bound_word(enum time_bound bound)
{
    return text_get(bound == TIME_BOUND_COMPUTE  ? "size.bound.compute"
                    : bound == TIME_BOUND_MEMORY ? "size.bound.memory"
                                                 : "size.bound.latency");
}

/* Nothing where there is nothing to say. */
static void optional_cell(struct grid *g, int digits, double value)
{
    if (value > 0)
        grid_cellf(g, "%.*f", digits, value);
    else
        grid_cell(g, "");
}

static void layer_row(struct grid *g, const struct layer *l, const struct size_layers *t, size_t i)
{
    char dims[96];
    grid_cell(g, l->name);
    grid_cell(g, l->op == LAYER_OTHER && l->type[0] ? l->type : layer_op_word(l->op));
    grid_cell(g, dims_text(&l->out, dims, sizeof dims));
    optional_cell(g, 3, (double)l->params / 1e6);
    optional_cell(g, 1, (double)l->macs / 1e6);
    double ms = both(&t->fp32[i]).mid, half = both(&t->half[i]).mid, host = both(&t->host[i]).mid;
    if (ms <= 0) {
        for (int k = 0; k < 4; k++)
            grid_cell(g, "");
        return;
    }
    grid_cellf(g, "%.3f", ms);
    grid_cell(g, bound_word(t->fp32[i].bound));
    optional_cell(g, 2, half > 0 ? ms / half : 0);
    optional_cell(g, 1, host / ms);
}

void size_layers_print(const struct size_view *v)
{
    static const struct grid_column columns[] = {
        { "col.layer", false },      { "col.operation", false }, { "col.output", false },
        { "col.params_m", true },    { "col.macs_m", true },     { "col.ms", true },
        { "col.bound", false },      { "col.fp16_gain", true },  { "col.times_cpu", true },
    };
    struct size_layers t;
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    char batch[16];
    if (size_layers_open(v, &t) == 0 && g) {
        snprintf(batch, sizeof batch, "%d", size_view_chosen(size_view_asked(v))->batch);
        out_line(OUT_PLAIN, "");
        size_sentence(OUT_BOLD, 0, v->training ? "size.layers.train" : "size.layers.infer",
                      TEXT_ARGS({ "batch", batch }));
        for (size_t i = 1; i < v->net->net.count; i++)
            layer_row(g, &v->net->net.layers[i], &t, i);
        grid_print(g, 2);
    }
    grid_free(g);
    size_layers_close(&t);
}
