/* `smfit size` for people: the short answer, the three answers, the memory bill. */
#include <math.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/out.h"
#include "cli/size_measure.h"
#include "cli/size_parts.h"
#include "cli/text.h"
#include "core/utf8.h"

/* ---- numbers ------------------------------------------------------------------------------------ */

void size_add_number(struct str *to, double value)
{
    str_addf(to, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", value);
}

void size_add_span(struct str *to, const struct pace_span *span)
{
    size_add_number(to, span->mid);
    struct str low = STR_INIT, high = STR_INIT;
    size_add_number(&low, span->low);
    size_add_number(&high, span->high);
    text_add(to, "size.span", TEXT_ARGS({ "low", low.p }, { "high", high.p }));
    str_free(&low);
    str_free(&high);
}

/* "640 MiB", "1.95 GiB" */
void size_add_bytes(struct str *to, double bytes)
{
    double mib = bytes / 1048576;
    if (mib >= 1023.5)
        str_addf(to, "%.2f GiB", mib / 1024);
    else
        str_addf(to, mib >= 9.95 || mib == 0 ? "%.0f MiB" : "%.1f MiB", mib);
}

void size_heading(const char *id)
{
    out_line(OUT_PLAIN, "");
    out_line(OUT_BOLD, text_get(id));
}

void size_sentence(enum out_style style, size_t indent, const char *id, const struct text_arg *args)
{
    struct str text = STR_INIT, safe = STR_INIT;
    text_add(&text, id, args);
    utf8_add_printable(&safe, text.p);
    out_wrapped(style, indent, safe.p);
    str_free(&text);
    str_free(&safe);
}

/* ---- what was asked ------------------------------------------------------------------------------- */

/* "1.81 billion"; Chinese counts in ten thousands and hundred millions. */
static void add_count(struct str *to, double value)
{
    static const struct {
        double from;
        const char *id;
    } west[] = { { 1e9, "size.count.billion" }, { 1e6, "size.count.million" },
                 { 1e3, "size.count.thousand" }, { 0, "size.count.one" } },
      east[] = { { 1e8, "size.count.yi" }, { 1e4, "size.count.wan" }, { 0, "size.count.one" } };
    bool zh = strcmp(text_language(), "zh") == 0;
    struct str number = STR_INIT;
    size_t i = 0;
    while (value < (zh ? east[i].from : west[i].from))
        i++;
    double unit = zh ? east[i].from : west[i].from;
    size_add_number(&number, unit > 0 ? value / unit : value);
    text_add(to, zh ? east[i].id : west[i].id, TEXT_ARGS({ "n", number.p }));
    str_free(&number);
}

static void print_network(const struct size_view *v)
{
    const struct net_totals t = net_totals(&v->net->net);
    struct str params = STR_INIT, macs = STR_INIT;
    char image[96];
    add_count(&params, (double)t.params);
    add_count(&macs, (double)t.macs);
    dims_text(&v->net->net.layers[0].out, image, sizeof image);
    size_sentence(OUT_PLAIN, 0, "size.network",
                  TEXT_ARGS({ "net", v->net->net.name }, { "params", params.p },
                            { "macs", macs.p }, { "image", image }));
    str_free(&params);
    str_free(&macs);
}

static bool seen_before(const struct net *net, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (net->layers[i].op == LAYER_OTHER && net->layers[i].unknown &&
            strcmp(net->layers[i].type, net->layers[index].type) == 0)
            return true;
    return false;
}

/* Names what was not understood, so that nobody takes the figures for more than they are. */
static void print_unknown(const struct size_view *v)
{
    const struct net *net = &v->net->net;
    const struct net_totals t = net_totals(net);
    struct str names = STR_INIT, count = STR_INIT;
    if (!t.others)
        return;
    for (size_t i = 0; i < net->count; i++)
        if (net->layers[i].op == LAYER_OTHER && net->layers[i].unknown && !seen_before(net, i))
            str_addf(&names, "%s%s", names.len ? ", " : "", net->layers[i].type);
    str_addf(&count, "%zu", t.others);
    size_sentence(OUT_DOUBTFUL, 2, names.len ? "size.unknown" : "size.others",
                  TEXT_ARGS({ "names", names.p }, { "count", count.p }));
    str_free(&names);
    str_free(&count);
}

/* ---- the short answer -------------------------------------------------------------------------------- */

static void add_rate(struct str *to, const struct size_view *v, const struct choice_point *p)
{
    struct str low = STR_INIT, high = STR_INIT, mid = STR_INIT;
    if (p->rate.mid <= 0) {
        str_add(to, text_get("size.short.no_rate"));
        return;
    }
    size_add_number(&mid, p->rate.mid);
    size_add_number(&low, p->rate.low);
    size_add_number(&high, p->rate.high);
    text_add(to, "size.short.rate",
             TEXT_ARGS({ "rate", mid.p }, { "low", low.p }, { "high", high.p },
                       { "basis", text_word(v->basis) }));
    str_free(&low);
    str_free(&high);
    str_free(&mid);
}

static void add_times_host(struct str *to, const struct size_mode *m)
{
    const struct choice_point *p = size_view_chosen(m);
    struct str times = STR_INIT;
    if (m->times_host.mid <= 0)
        return;
    int faster = choice_compare(&p->rate, &m->host_rate);
    size_add_span(&times, &m->times_host);
    str_add(to, text_get("size.short.sep"));
    text_add(to,
             faster > 0   ? "size.short.gpu"
             : faster < 0 ? "size.short.cpu"
                          : "size.short.close",
             TEXT_ARGS({ "times", times.p }));
    str_free(&times);
}

static void print_short(const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    const struct choice_point *p = size_view_chosen(m);
    int steps = v->training ? advice_steps(v->request->target_batch, p->batch) : 1;
    struct str text = STR_INIT, of = STR_INIT, bytes = STR_INIT;
    char batch[16], count[16];
    snprintf(batch, sizeof batch, "%d", p->batch);
    snprintf(count, sizeof count, "%d", steps);
    text_add(&text, v->training ? "size.short.train" : "size.short.infer",
             TEXT_ARGS({ "batch", batch }, { "precision", precision_name(m->ask.memory.precision) }));
    if (steps > 1)
        text_add(&text, "size.short.steps", TEXT_ARGS({ "steps", count }));
    str_add(&text, text_get("size.short.sep"));
    add_rate(&text, v, p);
    size_add_bytes(&bytes, p->memory.mid);
    size_add_bytes(&of, v->card_bytes);
    str_add(&text, text_get("size.short.sep"));
    text_add(&text, "size.short.memory", TEXT_ARGS({ "bytes", bytes.p }, { "of", of.p }));
    add_times_host(&text, m);
    out_wrapped(OUT_BOLD, 0, text.p);
    str_free(&text);
    str_free(&of);
    str_free(&bytes);
}

static void print_unfit(const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    struct str needs = STR_INIT, has = STR_INIT;
    char batch[16];
    snprintf(batch, sizeof batch, "%d", size_view_chosen(m)->batch);
    size_add_bytes(&needs, size_view_chosen(m)->memory.mid);
    size_add_bytes(&has, v->card_bytes);
    size_sentence(OUT_BAD, 0, m->choice.largest ? "size.unfit.batch" : "size.unfit.all",
                  TEXT_ARGS({ "batch", batch }, { "needs", needs.p }, { "has", has.p }));
    str_free(&needs);
    str_free(&has);
}

/* ---- the three answers ---------------------------------------------------------------------------------- */

static void answer_row(struct grid *g, const char *id, const struct size_mode *m,
                       const struct choice_point *p, bool fits)
{
    struct str rate = STR_INIT, ms = STR_INIT, bytes = STR_INIT;
    grid_cell(g, text_get(id));
    if (!fits) {
        grid_cell(g, text_get("size.does_not_fit"));
        for (int i = 0; i < 4; i++)
            grid_cell(g, "");
        return;
    }
    if (p->rate.mid > 0) {
        size_add_span(&rate, &p->rate);
        size_add_span(&ms, &p->pace.total);
    }
    size_add_bytes(&bytes, p->memory.mid);
    grid_cellf(g, "%d", p->batch);
    grid_cell(g, precision_name(m->ask.memory.precision));
    grid_cell(g, rate.p);
    grid_cell(g, ms.p);
    grid_cell(g, bytes.p);
    str_free(&rate);
    str_free(&ms);
    str_free(&bytes);
}

static void print_answers(const struct size_view *v)
{
    static const struct grid_column columns[] = {
        { "col.answer", false }, { "col.batch", true },    { "col.precision", false },
        { "col.rate", false },   { "col.ms_batch", false }, { "col.memory", true },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    if (!g)
        return;
    out_line(OUT_PLAIN, "");
    const struct size_mode *train = &v->modes[1], *infer = &v->modes[0];
    answer_row(g, "size.answer.train", train, size_view_chosen(train), train->choice.fits);
    answer_row(g, "size.answer.infer", infer, size_view_chosen(infer), infer->choice.fits);
    answer_row(g, "size.answer.latency", infer, &v->latency, infer->choice.largest > 0);
    grid_print(g, 0);
    grid_free(g);
}

/* ---- the bill ---------------------------------------------------------------------------------------------- */

static void bill_row(struct grid *g, const char *name, const struct memory_range *r)
{
    struct str mid = STR_INIT, range = STR_INIT;
    size_add_bytes(&mid, r->mid);
    if (r->high > r->low * 1.001) {
        size_add_bytes(&range, r->low);
        str_add(&range, " - ");
        size_add_bytes(&range, r->high);
    }
    grid_cell(g, name);
    grid_cell(g, mid.p);
    grid_cell(g, range.p);
    str_free(&mid);
    str_free(&range);
}

static void print_largest(const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    struct memory_ask half = m->ask.memory, checkpoint = m->ask.memory;
    char plain[16], sure[16], amp[16], with[16];
    half.precision = v->training ? PRECISION_AMP : PRECISION_FP16;
    if (m->offers[half.precision].works != OFFER_YES)
        half.precision = PRECISION_FP16_STORAGE;
    checkpoint.checkpoint = true;
    snprintf(plain, sizeof plain, "%d", m->choice.largest);
    snprintf(sure, sizeof sure, "%d", m->choice.sure);
    snprintf(amp, sizeof amp, "%d", memory_largest_batch(m->ask.kept, &half));
    snprintf(with, sizeof with, "%d", memory_largest_batch(m->ask.kept, &checkpoint));
    size_sentence(OUT_PLAIN, 2, v->training ? "size.largest.train" : "size.largest.infer",
                  TEXT_ARGS({ "batch", plain }, { "sure", sure }, { "half", amp },
                            { "precision", precision_name(half.precision) }, { "checkpoint", with }));
}

static void print_bill(const struct size_view *v)
{
    static const struct grid_column columns[] = {
        { "col.item", false }, { "col.usual", true }, { "col.range", true }
    };
    const struct size_mode *m = size_view_asked(v);
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    struct str id = STR_INIT;
    if (!g)
        return;
    char batch[16];
    snprintf(batch, sizeof batch, "%d", size_view_chosen(m)->batch);
    out_line(OUT_PLAIN, "");
    size_sentence(OUT_BOLD, 0, "size.bill", TEXT_ARGS({ "batch", batch }));
    for (int i = 0; i < MEMORY_ITEM_COUNT; i++) {
        if (m->bill.items[i].high <= 0)
            continue;
        str_clear(&id);
        str_addf(&id, "size.item.%s", memory_item_word((enum memory_item)i));
        bill_row(g, text_get(id.p), &m->bill.items[i]);
    }
    bill_row(g, text_get("size.item.total"), &m->bill.total);
    grid_print(g, 2);
    grid_free(g);
    str_free(&id);
    print_largest(v);
}

/* A precision that was asked for and that the card does not have. */
static void print_off(const struct offer *o)
{
    size_sentence(OUT_BAD, 0, "size.precision_off",
                  TEXT_ARGS({ "precision", precision_name(o->precision) },
                            { "why", text_get(o->works_why) }));
}

/* What the answer rests on, and what went wrong on the way. */
static void print_measurement(const struct size_view *v)
{
    const struct size_measure *m = v->measurement;
    const struct choice_point *p = size_view_chosen(size_view_asked(v));
    struct str tried = STR_INIT;
    char share[16], rows[24], failed[24], throttled[24], batch[16];
    if (!m)
        return;
    snprintf(share, sizeof share, "%.0f", 100 * p->pace.measured);
    snprintf(rows, sizeof rows, "%zu", m->layers);
    snprintf(failed, sizeof failed, "%zu", m->failed);
    snprintf(throttled, sizeof throttled, "%zu", m->throttled);
    snprintf(batch, sizeof batch, "%d", m->out_of_memory);
    size_sentence(OUT_PLAIN, 0, m->machine.simulated ? "size.measured.simulated" : "size.measured",
                  TEXT_ARGS({ "rows", rows }, { "share", share }));
    size_sentence(m->confirmed ? OUT_PLAIN : OUT_DOUBTFUL, 0,
                  m->confirmed ? "size.measured.confirmed" : "size.measured.unconfirmed", NULL);
    size_add_bytes(&tried, v->tried_bytes);
    if (v->tried_bytes > 0 && v->short_bytes <= 0)
        size_sentence(OUT_PLAIN, 0, "size.measured.fits", TEXT_ARGS({ "bytes", tried.p }));
    if (v->short_bytes > 0)
        size_sentence(OUT_BAD, 0, "size.measured.short", TEXT_ARGS({ "bytes", tried.p }));
    if (m->out_of_memory)
        size_sentence(OUT_BAD, 0, "size.measured.memory", TEXT_ARGS({ "batch", batch }));
    if (m->failed)
        size_sentence(OUT_DOUBTFUL, 0, "size.measured.failed",
                      TEXT_ARGS({ "failed", failed }, { "rows", rows }));
    if (m->throttled)
        size_sentence(OUT_DOUBTFUL, 0, "size.measured.throttled",
                      TEXT_ARGS({ "throttled", throttled }, { "rows", rows }));
    str_free(&tried);
}

void size_text_print(const struct size_view *v)
{
    struct str label = STR_INIT, safe = STR_INIT, memory = STR_INIT;
    const struct size_mode *m = size_view_asked(v);
    target_add_label(&label, v->target);
    utf8_add_printable(&safe, label.p);
    size_add_bytes(&memory, v->card_bytes);
    str_addf(&safe, ", %s", memory.p);
    out_line(OUT_BOLD, safe.p);
    print_network(v);
    print_unknown(v);
    const struct offer *offer = &m->offers[m->ask.memory.precision];
    if (offer->works == OFFER_NO)
        print_off(offer);
    else if (m->choice.fits)
        print_short(v);
    else
        print_unfit(v);
    print_measurement(v);
    if (v->no_times)
        size_sentence(OUT_DOUBTFUL, 0, v->no_times, NULL);
    print_answers(v);
    print_bill(v);
    str_free(&label);
    str_free(&safe);
    str_free(&memory);
}
