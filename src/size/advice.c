#include "size/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "size/nets.h"

int advice_steps(int target_batch, int batch)
{
    return target_batch > batch ? (target_batch + batch - 1) / batch : 1;
}

double advice_dense_share(const struct net *net)
{
    double dense = 0, all = 0;
    for (size_t i = 0; i < net->count; i++) {
        const struct layer *l = &net->layers[i];
        all += (double)l->macs;
        if (l->op == LAYER_CONV && l->conv.groups == 1 && l->conv.r * l->conv.s > 1 && l->conv.c > 3)
            dense += (double)l->macs;
    }
    return all > 0 ? dense / all : 0;
}

double advice_head_share(const struct net *net)
{
    double linear = 0, all = 0;
    for (size_t i = 0; i < net->count; i++) {
        all += (double)net->layers[i].params;
        if (net->layers[i].op == LAYER_LINEAR)
            linear += (double)net->layers[i].params;
    }
    return all > 0 ? linear / all : 0;
}

/* ---- the list ---------------------------------------------------------------------------------------- */

static struct advice *begin(struct advice_list *a, const char *id)
{
    if (a->count == ADVICE_MAX)
        return NULL;
    a->list[a->count] = (struct advice){ .id = id };
    return &a->list[a->count++];
}

__attribute__((format(printf, 3, 4))) static void word(struct advice *a, const char *name,
                                                       const char *fmt, ...)
{
    if (!a || a->word_count == ADVICE_WORDS)
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(a->words[a->word_count].value, sizeof a->words[0].value, fmt, args);
    va_end(args);
    a->words[a->word_count++].name = name;
}

static const struct choice_point *chosen(const struct advice_ask *ask)
{
    return &ask->choice->points[ask->choice->chosen];
}

static bool training(const struct advice_ask *ask)
{
    return ask->choice_ask->memory.training;
}

/* ---- what would make it fit, or more of it ------------------------------------------------------------ */

static int largest_with(const struct advice_ask *ask, enum precision precision, bool checkpoint,
                        enum memory_optimizer optimizer)
{
    struct memory_ask m = ask->choice_ask->memory;
    m.precision = precision;
    m.checkpoint = checkpoint;
    m.optimizer = optimizer;
    return memory_largest_batch(ask->choice_ask->kept, &m);
}

static void say_larger(struct advice_list *a, const char *id, int batch, int before)
{
    if (batch <= before)
        return;
    struct advice *s = begin(a, id);
    word(s, "batch", "%d", batch);
    word(s, "before", "%d", before);
}

static void memory_savers(const struct advice_ask *ask, struct advice_list *a)
{
    const struct memory_ask *m = &ask->choice_ask->memory;
    int before = ask->choice->largest;
    bool tight = before < 8 || (ask->target_batch && before < ask->target_batch);
    if (!tight || !training(ask))
        return;
    if (!m->checkpoint)
        say_larger(a, before ? "advice.checkpoint" : "advice.fits_checkpoint",
                   largest_with(ask, m->precision, true, m->optimizer), before);
    if (m->optimizer != MEMORY_SGD)
        say_larger(a, before ? "advice.optimizer" : "advice.fits_optimizer",
                   largest_with(ask, m->precision, m->checkpoint, MEMORY_SGD), before);
    enum precision half = PRECISION_AMP;
    if (m->precision == PRECISION_FP32 && ask->offers[half].works == OFFER_YES)
        say_larger(a, before ? "advice.half" : "advice.fits_half",
                   largest_with(ask, half, m->checkpoint, m->optimizer), before);
}

/* The same network with a smaller image: 3/4 of the side, in steps of 32. */
static void smaller_image(const struct advice_ask *ask, struct advice_list *a)
{
    int side = ask->image.height * 3 / 4 / 32 * 32;
    struct net net;
    struct kept kept;
    if (!ask->built_in || side < 64 || ask->image.height != ask->image.width ||
        nets_find(&net, ask->choice_ask->net->name, (struct net_image){ side, side }, NULL))
        return;
    if (kept_init(&kept, &net, training(ask), NULL) == 0) {
        struct choice_ask c = *ask->choice_ask;
        struct choice_point p;
        c.net = &net;
        c.kept = &kept;
        choice_point_at(&c, chosen(ask)->batch, &p);
        int largest = memory_largest_batch(&kept, &c.memory);
        double gain = chosen(ask)->rate.mid > 0 ? p.rate.mid / chosen(ask)->rate.mid : 0;
        if (largest > ask->choice->largest) {
            struct advice *s = begin(a, gain > 0 ? "advice.image" : "advice.image_memory");
            word(s, "side", "%d", side);
            word(s, "batch", "%d", largest);
            if (gain > 0)
                word(s, "gain", "%.1f", gain);
        }
        kept_free(&kept);
    }
    net_free(&net);
}

/* ---- other networks --------------------------------------------------------------------------------------- */

struct lighter {
    const char *name;
    double gain;
    int largest;
};

static bool try_lighter(const struct advice_ask *ask, const char *name, struct lighter *to)
{
    struct net net;
    struct kept kept;
    bool good = false;
    if (nets_find(&net, name, ask->image, NULL))
        return false;
    if (net.layers[0].out.size[0] == ask->choice_ask->net->layers[0].out.size[0] &&
        kept_init(&kept, &net, training(ask), NULL) == 0) {
        struct choice_ask c = *ask->choice_ask;
        struct choice_point p;
        c.net = &net;
        c.kept = &kept;
        choice_point_at(&c, chosen(ask)->batch, &p);
        *to = (struct lighter){ name, 0, memory_largest_batch(&kept, &c.memory) };
        if (chosen(ask)->rate.mid > 0)
            to->gain = p.rate.mid / chosen(ask)->rate.mid;
        good = to->largest > ask->choice->largest && (to->gain == 0 || to->gain > 1.3);
        kept_free(&kept);
    }
    net_free(&net);
    return good;
}

/* The two that gain most, of those that also take less memory. */
static void lighter_networks(const struct advice_ask *ask, struct advice_list *a)
{
    struct lighter best[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
    if (ask->image.height < 64 || ask->image.width < 64)
        return;
    for (size_t i = 0; i < nets_count(); i++) {
        struct lighter l;
        if (!try_lighter(ask, nets_name(i), &l))
            continue;
        double score = l.gain > 0 ? l.gain : l.largest;
        double first = best[0].gain > 0 ? best[0].gain : best[0].largest;
        double second = best[1].gain > 0 ? best[1].gain : best[1].largest;
        if (!best[0].name || score > first) {
            best[1] = best[0];
            best[0] = l;
        } else if (!best[1].name || score > second) {
            best[1] = l;
        }
    }
    if (!best[0].name)
        return;
    bool timed = best[0].gain > 0;
    struct advice *s = begin(a, timed ? "advice.lighter" : "advice.lighter_memory");
    char names[2][32] = { "", "" };
    for (int i = 0; i < 2 && best[i].name; i++)
        snprintf(names[i], sizeof names[i], timed ? "%s%s (%.1fx)" : "%s%s", i ? ", " : "",
                 best[i].name, best[i].gain);
    word(s, "names", "%s%s", names[0], names[1]);
}

static void structure(const struct advice_ask *ask, struct advice_list *a)
{
    const struct net *net = ask->choice_ask->net;
    double dense = advice_dense_share(net), head = advice_head_share(net);
    const struct pace *pace = &chosen(ask)->pace;
    bool computes = chosen(ask)->rate.mid > 0 && pace->memory_bound < 0.5;
    if (dense > 0.5)
        word(begin(a, "advice.depthwise"), "share", "%.0f", 100 * dense);
    if (head > 0.5)
        word(begin(a, "advice.head"), "share", "%.0f", 100 * head);
    if (computes)
        word(begin(a, "advice.prune"), "share", "%.0f", 100 * (1 - pace->memory_bound));
}

/* ---- the run itself ------------------------------------------------------------------------------------------ */

static void transfers(const struct advice_ask *ask, struct advice_list *a)
{
    const struct choice_point *p = chosen(ask);
    double bytes = 4 * (double)dims_elements(&ask->choice_ask->net->layers[0].out) * p->batch;
    if (ask->transfer_gbps <= 0 || p->rate.mid <= 0)
        return;
    double ms = bytes / ask->transfer_gbps / 1e6, share = ms / p->pace.total.mid;
    if (share < 0.05)
        return;
    struct advice *s = begin(a, "advice.transfer");
    word(s, "ms", "%.1f", ms);
    word(s, "share", "%.0f", 100 * share);
}

static void add_duration(struct advice *s, const char *name, double seconds)
{
    if (seconds >= 5400)
        word(s, name, "%.1f h", seconds / 3600);
    else if (seconds >= 90)
        word(s, name, "%.0f min", seconds / 60);
    else
        word(s, name, "%.0f s", seconds);
}

static void epoch(const struct advice_ask *ask, struct advice_list *a)
{
    const struct pace_span *rate = &chosen(ask)->rate;
    if (!ask->dataset || rate->mid <= 0)
        return;
    struct advice *s = begin(a, training(ask) ? "advice.epoch" : "advice.pass");
    word(s, "images", "%ld", ask->dataset);
    add_duration(s, "time", (double)ask->dataset / rate->mid);
    add_duration(s, "low", (double)ask->dataset / rate->high);
    add_duration(s, "high", (double)ask->dataset / rate->low);
}

static bool normalises(const struct net *net)
{
    for (size_t i = 0; i < net->count; i++)
        if (net->layers[i].op == LAYER_BATCHNORM)
            return true;
    return false;
}

static void steps(const struct advice_ask *ask, struct advice_list *a)
{
    int batch = chosen(ask)->batch, count = advice_steps(ask->target_batch, batch);
    if (!training(ask))
        return;
    if (count > 1) {
        struct advice *s = begin(a, "advice.steps");
        word(s, "batch", "%d", batch);
        word(s, "steps", "%d", count);
        word(s, "target", "%d", batch * count);
    }
    if (batch < 8 && normalises(ask->choice_ask->net))
        word(begin(a, "advice.norm"), "batch", "%d", batch);
}

void advice_make(const struct advice_ask *ask, struct advice_list *a)
{
    a->count = 0;
    if (ask->choice->fits) {
        steps(ask, a);
        epoch(ask, a);
        transfers(ask, a);
    }
    memory_savers(ask, a);
    smaller_image(ask, a);
    lighter_networks(ask, a);
    structure(ask, a);
}
