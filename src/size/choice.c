#include "size/choice.h"

static const int usual[] = { 1,  2,  3,  4,  6,   8,   12,  16,  24,
                             32, 48, 64, 96, 128, 192, 256, 384, 512 };

void choice_point_at(const struct choice_ask *ask, int batch, struct choice_point *point)
{
    struct memory_ask m = ask->memory;
    struct memory_bill bill;
    const struct pace_ask p = { batch, m.training, m.checkpoint, m.optimizer, m.precision,
                                ask->measured };
    m.batch = batch;
    memory_bill(ask->kept, &m, &bill);
    *point = (struct choice_point){ .batch = batch, .memory = bill.total };
    if (!ask->model)
        return;
    pace_card(ask->net, ask->model, &p, &point->pace, NULL);
    point->rate = pace_rate(&point->pace, batch);
}

static void add(const struct choice_ask *ask, int batch, struct choice *c)
{
    if (c->count < CHOICE_POINTS_MAX)
        choice_point_at(ask, batch, &c->points[c->count++]);
}

/* The usual batches that fit, and the user's own, in order. */
static void add_points(const struct choice_ask *ask, struct choice *c)
{
    int most = ask->most ? ask->most : CHOICE_BATCH_MOST;
    most = c->largest < most ? c->largest : most;
    bool own = ask->batch == 0;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (!own && ask->batch <= usual[i]) {
            if (ask->batch < usual[i])
                add(ask, ask->batch, c);
            own = true;
            if (ask->batch == usual[i] && usual[i] > most)
                add(ask, usual[i], c);
        }
        if (usual[i] <= most)
            add(ask, usual[i], c);
    }
    if (!own)
        add(ask, ask->batch, c);
    if (!c->count)
        add(ask, 1, c);
}

/* A model's error is common to all batches and decides nothing between them; what was measured is known as far as its
 * samples agree. */
static struct knee_point knee_point_of(const struct choice_point *p)
{
    const struct pace_span *r = &p->rate;
    bool measured = p->pace.measured > 0.5;
    return (struct knee_point){ p->batch, measured ? r->low : r->mid, r->mid,
                                measured ? r->high : r->mid };
}

static size_t find_knee(const struct choice *c, int limit)
{
    struct knee_point points[CHOICE_POINTS_MAX] = { { .batch = 0 } };
    struct knee knee;
    size_t count = 0;
    for (size_t i = 0; i < c->count && c->points[i].batch <= limit; i++)
        points[count++] = knee_point_of(&c->points[i]);
    if (knee_find(points, count, &knee) == 0)
        return knee.chosen;
    return count ? count - 1 : 0;
}

/* A batch that makes up the target without a rest, where it costs nothing against the best. */
static size_t dividing(const struct choice *c, int target)
{
    double best = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->points[i].batch <= c->largest && c->points[i].rate.mid > best)
            best = c->points[i].rate.mid;
    for (size_t i = c->knee; i < c->count && c->points[i].batch <= c->largest; i++)
        if (target % c->points[i].batch == 0 && c->points[i].rate.mid >= KNEE_SHARE * best)
            return i;
    return c->knee;
}

void choice_make(const struct choice_ask *ask, struct choice *c)
{
    *c = (struct choice){ .largest = memory_largest_batch(ask->kept, &ask->memory),
                          .sure = memory_sure_batch(ask->kept, &ask->memory) };
    if (ask->limit && c->largest > ask->limit)
        c->largest = ask->limit;
    if (c->sure > c->largest)
        c->sure = c->largest;
    add_points(ask, c);
    c->reason = ask->model ? c->points[0].pace.reason : NULL;
    c->knee = find_knee(c, c->largest);
    c->chosen = ask->target ? dividing(c, ask->target) : c->knee;
    for (size_t i = 0; i < c->count; i++)
        if (ask->batch && c->points[i].batch == ask->batch)
            c->chosen = i;
    c->fits = c->points[c->chosen].batch <= c->largest;
}

int choice_compare(const struct pace_span *a, const struct pace_span *b)
{
    if (a->mid <= 0 || b->mid <= 0)
        return 0;
    if (a->low > b->high)
        return 1;
    return b->low > a->high ? -1 : 0;
}
