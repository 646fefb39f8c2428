/* Operations without data of their own: an image onto the device, and the ceilings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/op.h"
#include "core/str.h"

/* ---- a family onto the device: it runs once, when it is prepared ---- */

static int load_prepare(struct op *op, struct err *err)
{
    return gpu_load(op->place->gpu, op->c.family, &op->once_ms, err);
}

static int load_run(struct op *op, unsigned turn, struct err *err)
{
    (void)op, (void)turn, (void)err;
    return 0;
}

static void load_release(struct op *op)
{
    (void)op;
}

const struct op_kind op_load = {
    .prepare = load_prepare,
    .run = load_run,
    .release = load_release,
};

/* ---- ceilings ---- */

static int ceiling_op_prepare(struct op *op, struct err *err)
{
    const struct ceiling *c = ceiling_find(op->c.ceiling);
    struct ceiling_job *job = calloc(1, sizeof *job);
    if (!c || !job) {
        free(job);
        return c ? err_set(err, ERR_MEMORY, "out of memory")
                 : err_set(err, ERR_MISSING, "this build has no ceiling '%s'", op->c.ceiling);
    }
    if (ceiling_prepare(job, op->place->gpu, c, &op->c.size, err)) {
        free(job);
        return -1;
    }
    if (c->family)
        gpu_image(op->place->gpu, c->family, job->function, op->image, sizeof op->image);
    if (c->kernel)
        str_copy(op->variant, sizeof op->variant, c->kernel);
    op->state = job;
    return 0;
}

static int ceiling_op_run(struct op *op, unsigned turn, struct err *err)
{
    (void)turn;
    return ceiling_run(op->state, err);
}

static int ceiling_op_check(struct op *op, struct op_verdict *verdict, struct err *err)
{
    struct ceiling_verdict v;
    if (ceiling_check(op->state, &v, err))
        return -1;
    verdict->checked = v.checked;
    verdict->wrong = v.wrong;
    verdict->max_rel_error = v.wrong ? INFINITY : 0; /* the same bits as the host, or wrong */
    verdict->bound = 0;
    str_copy(verdict->first, sizeof verdict->first, v.first);
    return 0;
}

static void ceiling_op_release(struct op *op)
{
    ceiling_free(op->state);
    free(op->state);
}

const struct op_kind op_ceiling = {
    .prepare = ceiling_op_prepare,
    .run = ceiling_op_run,
    .check = ceiling_op_check,
    .release = ceiling_op_release,
};
