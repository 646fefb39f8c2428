#include "cli/size_view.h"

#include <stdlib.h>
#include <string.h>

#include "data/data.h"
#include "doctor/stack.h"

#define PRECISION_FIRST PRECISION_FP32

const struct size_mode *size_view_asked(const struct size_view *v)
{
    return &v->modes[v->training];
}

const struct choice_point *size_view_chosen(const struct size_mode *mode)
{
    return &mode->choice.points[mode->choice.chosen];
}

/* ---- the card -------------------------------------------------------------------------------------- */

static double card_figure(const struct target *t, const char *column)
{
    const struct table *cards = data_table(DATA_CARDS);
    double value = 0;
    if (t->is_card && t->card.card_row >= 0)
        table_number(cards, (size_t)t->card.card_row, table_column(cards, column), &value);
    return value;
}

/* Figures that nobody has a source for are no ground for advice. */
static bool sourced(const struct target *t)
{
    static const char *const sources[] = { "source_chip", "source_clocks", "source_memory" };
    const struct table *cards = data_table(DATA_CARDS);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (!t->is_card || t->card.card_row < 0 ||
            table_blank(table_field(cards, (size_t)t->card.card_row, sources[i])))
            return false;
    return true;
}

static int find_memory(struct size_view *v, struct err *err)
{
    double memory = v->memory_bytes > 0 ? v->memory_bytes
                                        : card_figure(v->target, "memory_mib") * 1048576;
    double budget = v->request->budget_bytes;
    if (budget > 0 && memory > 0 && budget > memory)
        return err_set(err, ERR_USAGE, "a budget of %.0f MB is more than %s has (%.0f MB)", budget / 1e6,
                       v->target->name, memory / 1e6);
    v->card_bytes = budget > 0 ? budget : memory;
    if (v->card_bytes <= 0)
        return err_set(err, ERR_USAGE, "how much memory '%s' has is not in the tables: say --budget",
                       v->target->name);
    return 0;
}

/* The newest PyTorch whose own kernels run on the card. */
static void find_framework(struct size_view *v)
{
    size_t count, others;
    struct stack_answer *list = stack_find("torch", &v->target->rule, &count, &others);
    for (size_t i = 0; i < count && !v->framework[0]; i++)
        if (list[i].status == STACK_WORKS || list[i].status == STACK_WORKS_BY_JIT)
            str_copy(v->framework, sizeof v->framework,
                     table_field(data_table(DATA_BUILDS), list[i].build, "version"));
    free(list);
    v->card.framework = v->framework;
}

static bool has_dp4a(const struct target *t)
{
    const struct arch_facts *facts = facts_arch(t->rule.cc);
    return facts && strcmp(table_field(data_table(DATA_ARCHS), facts->row, "dp4a"), "yes") == 0;
}

static int describe_card(struct size_view *v, struct err *err)
{
    if (find_memory(v, err))
        return -1;
    v->card = (struct offer_card){ .dp4a = has_dp4a(v->target),
                                   .windows = v->target->rule.os == ARCH_WINDOWS };
    if (v->target->is_card)
        time_card_load(&v->card.card, &v->target->card);
    v->card.card.cc = v->target->rule.cc;
    v->transfer_gbps = card_figure(v->target, "h2d_gbps");
    v->no_times = !v->target->is_card  ? "size.no_times.arch"
                  : !sourced(v->target) ? "size.no_times.source"
                                        : NULL;
    for (int p = PRECISION_FIRST; p < PRECISION_COUNT; p++)
        time_model_init(&v->models[p], &v->card.card,
                        pace_arithmetic(&v->card.card, (enum precision)p), NULL);
    if (!v->no_times)
        v->no_times = v->models[PRECISION_FP32].reason;
    find_framework(v);
    return 0;
}

/* ---- one mode ------------------------------------------------------------------------------------------ */

static void ask(const struct size_view *v, bool training, enum precision precision,
                struct choice_ask *a)
{
    const struct size_request *r = v->request;
    *a = (struct choice_ask){ .net = &v->net->net,
                              .kept = &v->net->kept[training],
                              .model = v->no_times ? NULL : &v->models[precision],
                              .measured = v->measured,
                              .batch = training == v->training ? r->batch : 0,
                              .target = training ? r->target_batch : 0,
                              .most = training ? r->target_batch : 0,
                              .limit = v->most };
    a->memory = (struct memory_ask){ .training = training,
                                     .checkpoint = training && r->options->checkpoint,
                                     .optimizer = r->optimizer,
                                     .precision = precision,
                                     .card_bytes = v->card_bytes,
                                     .budget = r->budget_bytes > 0,
                                     .context_bytes = v->used_bytes,
                                     .display_bytes = v->used_bytes < 0 && !v->target->headless ? -1 : 0,
                                     .framework = true,
                                     .windows = v->card.windows };
}

/* Every precision beside fp32, at the batch that fp32 would take (1 where it does not fit at all). */
static void compare_precisions(const struct size_view *v, bool training, struct size_mode *m)
{
    struct choice_point fp32, own;
    struct choice_ask a;
    struct choice choice;
    ask(v, training, PRECISION_FP32, &a);
    choice_make(&a, &choice);
    int batch = choice.points[choice.chosen].batch;
    choice_point_at(&a, batch, &fp32);
    for (int p = PRECISION_FIRST; p < PRECISION_COUNT; p++) {
        bool possible = !training || precision_trains((enum precision)p);
        ask(v, training, possible ? (enum precision)p : PRECISION_FP32, &a);
        choice_point_at(&a, batch, &own);
        offer_make(&v->card, (enum precision)p, training, &fp32, &own, &m->offers[p]);
    }
}

static bool fits(const struct size_view *v, bool training, enum precision precision)
{
    struct choice_ask a;
    ask(v, training, precision, &a);
    return memory_largest_batch(a.kept, &a.memory) > 0;
}

/* fp32, unless another that a framework offers there is clearly faster, or the only one that fits. Training in
 * fp16 throughout loses small gradients, and int8 needs a network made for it: neither is chosen unasked. */
static enum precision choose_precision(const struct size_view *v, bool training,
                                       const struct size_mode *m)
{
    enum precision best = PRECISION_FP32;
    double gain = 1.1;
    for (int p = PRECISION_FIRST; p < PRECISION_INT8; p++) {
        const struct offer *o = &m->offers[p];
        bool offered = o->works == OFFER_YES && o->framework == OFFER_YES;
        if (!offered || p == PRECISION_FP32 || (training && p != PRECISION_AMP))
            continue;
        if (o->ratio.mid >= gain) {
            best = (enum precision)p;
            gain = o->ratio.mid;
        } else if (best == PRECISION_FP32 && !fits(v, training, best) &&
                   fits(v, training, (enum precision)p)) {
            best = (enum precision)p;
        }
    }
    return best;
}

static void compare_host(const struct size_view *v, bool training, struct size_mode *m)
{
    const struct choice_point *p = size_view_chosen(m);
    const struct memory_ask *memory = &m->ask.memory;
    const struct pace_ask a = { p->batch, training, false, memory->optimizer, PRECISION_FP32,
                                v->host_measured };
    pace_host(&v->net->net, v->host, &a, &m->host, NULL);
    m->host_rate = pace_rate(&m->host, p->batch);
    if (p->rate.mid <= 0 || m->host_rate.mid <= 0)
        return;
    m->times_host = (struct pace_span){ p->rate.low / m->host_rate.high,
                                        p->rate.mid / m->host_rate.mid,
                                        p->rate.high / m->host_rate.low };
    double saved = 1 / m->host_rate.mid - 1 / p->rate.mid; /* seconds an image */
    m->break_even = saved > 0 ? memory_overhead("start").mid / saved : 0;
}

static void make_mode(struct size_view *v, bool training)
{
    struct size_mode *m = &v->modes[training];
    int wanted = v->request->precision;
    compare_precisions(v, training, m);
    bool possible = wanted >= 0 && (!training || precision_trains((enum precision)wanted));
    enum precision precision = possible ? (enum precision)wanted : choose_precision(v, training, m);
    ask(v, training, precision, &m->ask);
    choice_make(&m->ask, &m->choice);
    struct memory_ask at = m->ask.memory;
    at.batch = size_view_chosen(m)->batch;
    memory_bill(m->ask.kept, &at, &m->bill);
    compare_host(v, training, m);
}

static void find_latency(struct size_view *v)
{
    struct choice_ask a;
    ask(v, false, v->modes[0].ask.memory.precision, &a);
    choice_point_at(&a, 1, &v->latency);
}

static void find_advice(struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    const struct advice_ask a = { .choice_ask = &m->ask,
                                  .choice = &m->choice,
                                  .offers = m->offers,
                                  .target_batch = v->request->target_batch,
                                  .dataset = v->request->dataset,
                                  .image = v->net->image,
                                  .built_in = v->net->built_in,
                                  .transfer_gbps = v->transfer_gbps };
    advice_make(&a, &v->advice);
}

int size_view_make(struct size_view *v, struct err *err)
{
    const struct size_options *o = v->request->options;
    v->training = !o->infer;
    if (!v->basis)
        v->basis = "modelled";
    if (describe_card(v, err))
        return -1;
    if (v->training && v->request->precision == PRECISION_INT8)
        return err_set(err, ERR_USAGE, "nothing trains in int8; --infer asks about inference");
    make_mode(v, false);
    make_mode(v, true);
    find_latency(v);
    find_advice(v);
    return 0;
}

/* ---- layers -------------------------------------------------------------------------------------------- */

static void time_layers(const struct size_view *v, struct size_layers *t)
{
    const struct size_mode *m = size_view_asked(v);
    struct pace pace;
    struct pace_ask a = { size_view_chosen(m)->batch, v->training, false, m->ask.memory.optimizer,
                          PRECISION_FP32, v->measured };
    if (!v->no_times) {
        pace_card(&v->net->net, &v->models[PRECISION_FP32], &a, &pace, t->fp32);
        a.precision = PRECISION_FP16_STORAGE;
        pace_card(&v->net->net, &v->models[PRECISION_FP16_STORAGE], &a, &pace, t->half);
    }
    a.precision = PRECISION_FP32;
    a.measured = v->host_measured;
    if (v->host->known)
        pace_host(&v->net->net, v->host, &a, &pace, t->host);
}

int size_layers_open(const struct size_view *v, struct size_layers *t)
{
    size_t count = v->net->net.count;
    *t = (struct size_layers){ calloc(count, sizeof *t->fp32), calloc(count, sizeof *t->half),
                               calloc(count, sizeof *t->host) };
    if (!t->fp32 || !t->half || !t->host)
        return -1;
    time_layers(v, t);
    return 0;
}

void size_layers_close(struct size_layers *t)
{
    free(t->fp32);
    free(t->half);
    free(t->host);
}
