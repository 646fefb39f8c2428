/* From measurements to the answer: a first round at small batches, then fresh rounds at the batch that came out and at the
 * one above it, until it comes out again; and the memory that it needs is taken from the device once. */
#include <math.h>
#include <string.h>

#include "cli/out.h"
#include "cli/size_confirm.h"

enum { ROUNDS_MOST = 3 };

/* ---- rounds ------------------------------------------------------------------------------------------- */

static int first_round(struct size_view *v, struct size_measure *m, struct err *err)
{
    static const int simulated[] = { 1, 2, 0 }, real[] = { 1, 4, 16 };
    int batches[4] = { 0 }, count = 0, most = v->modes[0].choice.largest;
    for (int i = 0; i < 3; i++) {
        int batch = m->machine.simulated ? simulated[i] : real[i];
        if (batch && (batch <= most || batch == 1))
            batches[count++] = batch;
    }
    return size_measure_round(m, batches, true, err);
}

/* The batch, and the next point of its curve. A virtual card computes everything on this machine's processor, and what is
 * measured there is the same again: the first batches once more. */
static void next_batches(const struct size_view *v, const struct size_measure *m, int *batches)
{
    const struct choice *c = &size_view_asked(v)->choice;
    memset(batches, 0, 4 * sizeof batches[0]);
    if (m->machine.simulated) {
        batches[0] = 1;
        batches[1] = 2;
        return;
    }
    batches[0] = c->points[c->chosen].batch;
    if (c->chosen + 1 < c->count && c->points[c->chosen + 1].batch <= c->largest)
        batches[1] = c->points[c->chosen + 1].batch;
}

static int make(struct size_view *v, const struct size_measure *m, struct err *err)
{
    v->memory_bytes = m->room.total_bytes;
    v->used_bytes = m->room.total_bytes - m->room.free_bytes + v->short_bytes;
    v->measured = m->measured.count ? &m->measured : NULL;
    v->host_measured = m->host.count ? &m->host : NULL;
    v->most = m->out_of_memory ? m->out_of_memory - 1 : 0;
    return size_view_make(v, err);
}

static int confirm(struct size_view *v, struct size_measure *m, struct err *err)
{
    for (int round = 0; round < ROUNDS_MOST && !m->confirmed; round++) {
        int batches[4], before = size_view_chosen(size_view_asked(v))->batch;
        if (!size_view_asked(v)->choice.fits)
            return 0;
        next_batches(v, m, batches);
        if (size_measure_round(m, batches, false, err) || make(v, m, err))
            return -1;
        const struct choice_point *now = size_view_chosen(size_view_asked(v));
        m->confirmed = now->batch == before && now->pace.measured > 0.5;
    }
    return 0;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static double tensor_bytes(const struct memory_bill *bill)
{
    static const enum memory_item items[] = { MEMORY_WEIGHTS,     MEMORY_GRADIENTS, MEMORY_OPTIMIZER,
                                              MEMORY_ACTIVATIONS, MEMORY_TRANSIENT,
                                              MEMORY_WORKSPACE,   MEMORY_ROUNDING };
    double bytes = 0;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        bytes += bill->items[items[i]].mid;
    return bytes;
}

/* What the device does not give although it said that it was free counts as held by others. */
static int try_memory(struct size_view *v, struct size_measure *m, struct err *err)
{
    for (int round = 0; round < ROUNDS_MOST && size_view_asked(v)->choice.fits; round++) {
        double bytes = tensor_bytes(&size_view_asked(v)->bill);
        if (size_measure_room(m, bytes, err))
            return -1;
        v->tried_bytes = bytes;
        if (m->room.got_bytes >= bytes - 1)
            return 0;
        v->short_bytes += fmax(m->room.free_bytes - m->room.got_bytes, 0);
        if (make(v, m, err))
            return -1;
    }
    return 0;
}

int size_confirm(struct size_view *v, struct size_measure *m, struct err *err)
{
    v->basis = m->machine.simulated ? "simulated" : "measured";
    v->measurement = m;
    if (size_measure_room(m, 0, err) || make(v, m, err) || first_round(v, m, err) || make(v, m, err))
        return -1;
    return confirm(v, m, err) || try_memory(v, m, err) ? -1 : 0;
}
