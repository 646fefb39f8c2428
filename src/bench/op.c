#include "bench/op.h"

#include <math.h>
#include <string.h>

#include "core/str.h"

/* A cache that the driver does not tell of: larger than that of any card before 2017. */
#define UNKNOWN_L2 (4.0 * 1048576)

enum { TURNS_MAX = 4096, TINY = 64 };

/* From here on a first launch at a small size is worth its time. */
#define TINY_FLOP 1e8

unsigned op_turns(const struct op_place *place, double bytes)
{
    double l2 =
        place->gpu && place->gpu->device.l2_bytes ? place->gpu->device.l2_bytes : UNKNOWN_L2;
    if (place->simulated || bytes >= 2 * l2)
        return 1;
    double turns = floor(2 * l2 / bytes) + 2;
    return turns < TURNS_MAX ? (unsigned)turns : TURNS_MAX;
}

double op_bytes(const struct op_place *place, const struct bench_case *c)
{
    if (case_is_cpu(c) || c->kind == CASE_LOAD || !isfinite(c->bytes))
        return 0;
    return c->bytes * op_turns(place, c->bytes);
}

static const struct op_kind *kind_of(const struct bench_case *c)
{
    switch (c->kind) {
    case CASE_LOAD:
        return &op_load;
    case CASE_CEILING:
        return &op_ceiling;
    case CASE_GEMM:
        return case_is_cpu(c) ? &op_cpu_gemm : &op_gemm;
    case CASE_CONV:
        return case_is_cpu(c) ? &op_cpu_conv : &op_conv;
    case CASE_LAYER:
        return &op_layer;
    case CASE_NET:
    case CASE_KIND_COUNT:
        break;
    }
    return NULL;
}

/* The driver's ways to say that it has no code for this card. */
static bool says_unsupported(int code)
{
    return code == GPU_NO_BINARY || code == GPU_INVALID_IMAGE || code == GPU_UNSUPPORTED_PTX ||
           code == GPU_INVALID_PTX || code == GPU_NO_JIT_COMPILER || code == 223 ||
           code == GPU_NOT_SUPPORTED;
}

void op_fail(struct row *row, const struct err *err)
{
    bool unsupported =
        err->code == ERR_MISSING || (err->code == ERR_DRIVER && says_unsupported(err->native));
    row_fail(row, unsupported ? ROW_UNSUPPORTED : ROW_ERROR, "%s", err->msg);
}

static int judge(struct op *op, struct row *row, struct err *err)
{
    struct op_verdict v = { .max_rel_error = NAN, .bound = NAN };
    if (op->kind->check(op, &v, err)) {
        op_fail(row, err);
        return -1;
    }
    row->checked = v.checked;
    if (!(v.max_rel_error <= row->max_rel_error)) /* the worse of two looks */
        row->max_rel_error = v.max_rel_error;
    row->error_bound = v.bound;
    if (!v.wrong)
        return 0;
    row_fail(row, ROW_ERROR, "wrong result: %zu of %zu elements; %s", v.wrong, v.checked, v.first);
    return err_set(err, ERR_FORMAT, "%s", row->reason);
}

static int run_once(struct op *op, struct err *err)
{
    if (op->kind->poison && op->kind->poison(op, err))
        return -1;
    return op_run(op, 0, err);
}

static int cut(int length, int most)
{
    return length < most ? length : most;
}

/* The same operation at a size that takes no time: whatever is wrong shows there first. Lengths
 * stay multiples of what kernels want, and of groups. */
static struct bench_case tiny(const struct bench_case *c)
{
    struct gemm_shape g = c->gemm;
    struct conv_shape v = c->conv;
    if (c->kind == CASE_GEMM) {
        g.m = cut(g.m, TINY);
        g.n = cut(g.n, TINY);
        g.k = cut(g.k, TINY);
        g.batch = cut(g.batch, 2);
        return case_gemm(c->engine, c->precision, &g);
    }
    bool depthwise = v.groups > 1 && v.groups == v.c;
    v.n = 1;
    v.h = cut(v.h, TINY / 4);
    v.w = cut(v.w, TINY / 4);
    if (depthwise)
        v.groups = v.c = v.k = cut(v.c, TINY);
    else if (v.groups == 1) {
        v.c = cut(v.c, TINY);
        v.k = cut(v.k, TINY);
    }
    return case_conv(c->engine, c->precision, &v, c->pass);
}

static int open_one(struct op *op, const struct op_place *place, const struct bench_case *c,
                    struct row *row, struct err *err);

static int try_tiny(const struct op_place *place, const struct bench_case *c, struct row *row,
                    struct err *err)
{
    struct op op;
    struct op_place plain = *place;
    struct bench_case small = tiny(c);
    plain.tune = NULL; /* what is fastest there says nothing */
    if (open_one(&op, &plain, &small, row, err))
        return -1;
    op_close(&op);
    return 0;
}

int op_open(struct op *op, const struct op_place *place, const struct bench_case *c,
            struct row *row, struct err *err)
{
    bool large = (c->kind == CASE_GEMM || c->kind == CASE_CONV) && !case_is_cpu(c) &&
                 c->flop > TINY_FLOP && !place->simulated;
    *op = (struct op){ .place = place, .c = *c };
    if (large && try_tiny(place, c, row, err))
        return -1;
    return open_one(op, place, c, row, err);
}

static int open_one(struct op *op, const struct op_place *place, const struct bench_case *c,
                    struct row *row, struct err *err)
{
    *op = (struct op){ .place = place, .c = *c, .kind = kind_of(c), .turns = 1 };
    if (place->missing[c->engine]) {
        row_fail(row, ROW_SKIPPED, "%s", place->missing[c->engine]);
        return err_set(err, ERR_MISSING, "%s", row->reason);
    }
    if (op->kind->prepare(op, err)) {
        op_fail(row, err);
        return -1;
    }
    str_copy(row->image, sizeof row->image, op->image);
    str_copy(row->variant, sizeof row->variant, op->variant);
    str_copy(row->chosen, sizeof row->chosen, op->chosen);
    if (run_once(op, err)) {
        op_fail(row, err);
        op_close(op);
        return -1;
    }
    if (op->kind->check && judge(op, row, err)) {
        op_close(op);
        return -1;
    }
    return 0;
}

int op_run(struct op *op, unsigned turn, struct err *err)
{
    return op->kind->run(op, turn % op->turns, err);
}

int op_check(struct op *op, struct row *row, struct err *err)
{
    if (!op->kind->check)
        return 0;
    if (run_once(op, err)) {
        op_fail(row, err);
        return -1;
    }
    return judge(op, row, err);
}

void op_close(struct op *op)
{
    if (op->kind && op->state)
        op->kind->release(op);
    op->state = NULL;
}
