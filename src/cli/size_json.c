/* `smfit size --json`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/size_measure.h"
#include "cli/size_view.h"
#include "core/json.h"

static void put_span(json_t *o, const char *stem, const char *unit, const struct pace_span *s,
                     const char *reason)
{
    static const char *const suffixes[] = { "", "_low", "_high" };
    const double values[] = { s->mid, s->low, s->high };
    for (int i = 0; i < 3; i++) {
        struct str key = STR_INIT;
        str_addf(&key, "%s%s%s", stem, suffixes[i], unit);
        if (s->mid > 0)
            json_put(o, key.p, json_real(values[i]));
        else
            json_put_unknown(o, key.p, reason ? reason : "not known");
        str_free(&key);
    }
}

/* What does not fit into an integer of the file is no memory that anybody has, but is said. */
static void put_bytes(json_t *o, const char *key, double bytes)
{
    bool fits = bytes < 9e18;
    json_put(o, key, fits ? json_integer((json_int_t)llround(bytes)) : json_real(round(bytes)));
}

/* ---- the network ------------------------------------------------------------------------------------ */

static json_t *unknown_operators(const struct net *net)
{
    json_t *list = json_array();
    for (size_t i = 0; i < net->count; i++) {
        const struct layer *l = &net->layers[i];
        bool known = l->op != LAYER_OTHER || !l->unknown;
        for (size_t k = 0; k < json_array_size(list) && !known; k++)
            known = strcmp(json_string_value(json_array_get(list, k)), l->type) == 0;
        if (!known)
            json_array_append_new(list, json_text(l->type));
    }
    return list;
}

static json_t *network(const struct size_view *v)
{
    const struct net *net = &v->net->net;
    const struct net_totals t = net_totals(net);
    char dims[96];
    json_t *o = json_object();
    json_put_text(o, "name", net->name);
    json_put_bool(o, "built_in", v->net->built_in);
    json_put_text(o, "input", dims_text(&net->layers[0].out, dims, sizeof dims));
    json_put_number(o, "parameters", (uint64_t)t.params);
    json_put_number(o, "buffers", (uint64_t)t.buffers);
    json_put_number(o, "multiply_adds", (uint64_t)t.macs);
    json_put_number(o, "layer_count", net->count - 1);
    json_put_number(o, "passed_over", t.others);
    json_put(o, "unknown_operators", unknown_operators(net));
    return o;
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static void put_bill(json_t *doc, const struct memory_bill *bill)
{
    json_t *mid = json_object(), *low = json_object(), *high = json_object();
    for (int i = 0; i < MEMORY_ITEM_COUNT; i++) {
        const char *word = memory_item_word((enum memory_item)i);
        put_bytes(mid, word, bill->items[i].mid);
        put_bytes(low, word, bill->items[i].low);
        put_bytes(high, word, bill->items[i].high);
    }
    put_bytes(mid, "total", bill->total.mid);
    put_bytes(low, "total", bill->total.low);
    put_bytes(high, "total", bill->total.high);
    json_put(doc, "memory_bytes", mid);
    json_put(doc, "memory_low_bytes", low);
    json_put(doc, "memory_high_bytes", high);
}

/* ---- throughput -------------------------------------------------------------------------------------------- */

static json_t *point_json(const struct choice_point *p, const char *reason)
{
    json_t *o = json_object();
    json_put_number(o, "batch", (uint64_t)p->batch);
    put_span(o, "images_per_s", "", &p->rate, reason);
    put_span(o, "batch", "_ms", &p->pace.total, reason);
    put_bytes(o, "memory_bytes", p->memory.mid);
    put_bytes(o, "memory_high_bytes", p->memory.high);
    return o;
}

static json_t *curve(const struct size_view *v, const struct choice *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->count; i++) {
        json_t *o = point_json(&c->points[i], v->no_times);
        json_put_bool(o, "fits", c->points[i].batch <= c->largest);
        json_put_bool(o, "knee", i == c->knee);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *answer_json(const struct size_view *v, const char *what, const struct size_mode *m,
                           const struct choice_point *p, bool fits)
{
    json_t *o = point_json(p, v->no_times);
    json_put_text(o, "what", what);
    json_put_text(o, "precision", precision_name(m->ask.memory.precision));
    json_put_bool(o, "fits", fits);
    return o;
}

static json_t *answers(const struct size_view *v)
{
    const struct size_mode *train = &v->modes[1], *infer = &v->modes[0];
    json_t *list = json_array();
    json_array_append_new(
        list, answer_json(v, "training", train, size_view_chosen(train), train->choice.fits));
    json_array_append_new(
        list, answer_json(v, "inference", infer, size_view_chosen(infer), infer->choice.fits));
    json_array_append_new(list,
                          answer_json(v, "latency", infer, &v->latency, infer->choice.largest > 0));
    return list;
}

/* ---- precisions, CPU, advice, layers -------------------------------------------------------------------------- */

static json_t *offer_json(const struct size_view *v, const struct offer *o)
{
    json_t *j = json_object();
    json_put_text(j, "precision", precision_name(o->precision));
    json_put_number(j, "batch", (uint64_t)o->batch);
    json_put_text(j, "works", offer_answer_name(o->works));
    json_put_text(j, "works_why", o->works_why);
    json_put_text(j, "framework", offer_answer_name(o->framework));
    json_put_text(j, "framework_why", o->framework_why);
    json_put_filled(j, "framework_since", o->since);
    json_put_filled(j, "framework_release", v->framework);
    json_put_text(j, "saves_memory", offer_answer_name(o->saves));
    put_bytes(j, "memory_bytes", o->bytes);
    put_bytes(j, "fp32_bytes", o->fp32_bytes);
    json_put_text(j, "faster", offer_answer_name(o->faster));
    json_put_text(j, "faster_why", o->faster_why);
    put_span(j, "speed_ratio", "", &o->ratio, o->faster_why);
    return j;
}

static json_t *offers(const struct size_view *v)
{
    json_t *list = json_array();
    for (int p = 0; p < PRECISION_COUNT; p++)
        json_array_append_new(list, offer_json(v, &size_view_asked(v)->offers[p]));
    return list;
}

static json_t *host_json(const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    const struct choice_point *p = size_view_chosen(m);
    int faster = choice_compare(&p->rate, &m->host_rate);
    bool known = v->host->known && p->rate.mid > 0;
    json_t *o = json_object();
    json_put_filled(o, "cpu", v->cpu->cpu);
    json_put_number(o, "cores", (uint64_t)v->host->cores);
    put_span(o, "images_per_s", "", &m->host_rate, "the processor is not known");
    put_span(o, "gpu_ratio", "", &m->times_host, "one of the two is not known");
    json_put_text(o, "faster", !known      ? "unknown"
                               : faster > 0 ? "gpu"
                               : faster < 0 ? "cpu"
                                            : "close");
    if (m->break_even > 0)
        json_put(o, "break_even_images", json_real(m->break_even));
    else
        json_put_unknown(o, "break_even_images", "the GPU is not faster, or not known to be");
    json_put_text(o, "basis", m->host.measured > 0.5 ? "measured" : "modelled");
    return o;
}

static json_t *advice_json(const struct advice_list *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->count; i++) {
        json_t *o = json_object(), *words = json_object();
        json_put_text(o, "id", a->list[i].id);
        for (size_t k = 0; k < a->list[i].word_count; k++)
            json_put_text(words, a->list[i].words[k].name, a->list[i].words[k].value);
        json_put(o, "words", words);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *layer_json(const struct layer *l, const struct pace_layer *gpu,
                          const struct pace_layer *half, const struct pace_layer *host)
{
    static const char *const bounds[] = { "compute", "memory", "latency" };
    char dims[96];
    const struct pace_span all = { gpu->forward.low + gpu->backward.low,
                                   gpu->forward.mid + gpu->backward.mid,
                                   gpu->forward.high + gpu->backward.high };
    double ms = all.mid, half_ms = half->forward.mid + half->backward.mid;
    double host_ms = host->forward.mid + host->backward.mid;
    json_t *o = json_object();
    json_put_text(o, "name", l->name);
    json_put_text(o, "operation", l->op == LAYER_OTHER && l->type[0] ? l->type : layer_op_word(l->op));
    json_put_text(o, "output", dims_text(&l->out, dims, sizeof dims));
    json_put_number(o, "parameters", (uint64_t)l->params);
    json_put_number(o, "multiply_adds", (uint64_t)l->macs);
    put_span(o, "time", "_ms", &all, "takes no time by itself, or is not known");
    json_put_text(o, "bound", ms > 0 ? bounds[gpu->bound] : "none");
    json_put(o, "fp16_gain", ms > 0 && half_ms > 0 ? json_real(ms / half_ms) : json_null());
    json_put(o, "times_cpu", ms > 0 && host_ms > 0 ? json_real(host_ms / ms) : json_null());
    return o;
}

static json_t *layers_json(const struct size_view *v)
{
    const struct net *net = &v->net->net;
    struct size_layers t;
    json_t *list = json_array();
    if (size_layers_open(v, &t) == 0)
        for (size_t i = 1; i < net->count; i++)
            json_array_append_new(
                list, layer_json(&net->layers[i], &t.fp32[i], &t.half[i], &t.host[i]));
    size_layers_close(&t);
    return list;
}

static json_t *measurement_json(const struct size_view *v)
{
    const struct size_measure *m = v->measurement;
    json_t *o = json_object();
    json_put_number(o, "rows", m->layers);
    json_put_number(o, "failed", m->failed);
    json_put_number(o, "throttled", m->throttled);
    json_put_bool(o, "confirmed", m->confirmed);
    json_put(o, "measured_share", json_real(size_view_chosen(size_view_asked(v))->pace.measured));
    json_put(o, "out_of_memory_batch", m->out_of_memory ? json_integer(m->out_of_memory) : json_null());
    put_bytes(o, "total_bytes", m->room.total_bytes);
    put_bytes(o, "free_bytes", m->room.free_bytes);
    put_bytes(o, "tried_bytes", v->tried_bytes);
    put_bytes(o, "refused_bytes", v->short_bytes);
    return o;
}

void size_json_fill(json_t *doc, const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    const struct choice_point *p = size_view_chosen(m);
    json_put_text(doc, "basis", v->basis);
    json_put(doc, "target", target_json(v->target));
    json_put(doc, "network", network(v));
    json_put_text(doc, "mode", v->training ? "train" : "infer");
    json_put_text(doc, "optimizer",
                  v->training ? memory_optimizer_name(m->ask.memory.optimizer) : NULL);
    json_put_bool(doc, "checkpoint", m->ask.memory.checkpoint);
    json_put_number(doc, "batch", (uint64_t)p->batch);
    json_put_text(doc, "precision", precision_name(m->ask.memory.precision));
    json_put_number(doc, "accumulation_steps",
                    (uint64_t)(v->training ? advice_steps(v->request->target_batch, p->batch) : 1));
    json_put_bool(doc, "fits", m->choice.fits);
    json_put_number(doc, "largest_batch", (uint64_t)m->choice.largest);
    json_put_number(doc, "sure_batch", (uint64_t)m->choice.sure);
    put_bytes(doc, "card_bytes", v->card_bytes);
    put_bill(doc, &m->bill);
    put_span(doc, "images_per_s", "", &p->rate, v->no_times);
    json_put(doc, "curve", curve(v, &m->choice));
    json_put(doc, "answers", answers(v));
    json_put(doc, "precisions", offers(v));
    json_put(doc, "host", host_json(v));
    json_put(doc, "advice", advice_json(&v->advice));
    if (v->measurement)
        json_put(doc, "measurement", measurement_json(v));
    if (v->request->options->layers)
        json_put(doc, "layers", layers_json(v));
}
