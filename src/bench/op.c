#include "bench/op.h"

#include <math.h>
#include <string.h>

#include "core/str.h"

/* A cache that the driver does not tell of: larger than that of any card before 2017. */
#define UNKNOWN_L2 (4.0 * 1048576)

enum { TURNS_MAX = 64 };

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

int op_open(struct op *op, const struct op_place *place, const struct bench_case *c,
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
