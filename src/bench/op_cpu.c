/* The same operations on the CPU, by the libraries that are installed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/op.h"
#include "bench/op_check.h"
#include "core/str.h"

enum { SEED_A = 1, SEED_B = 2 };

/* 64-byte lines, as the libraries like their data. */
static float *new_array(size_t count, uint64_t seed)
{
    size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
    float *values = aligned_alloc(64, bytes ? bytes : 64);
    if (values && seed)
        reference_fill(values, count, NUMBER_F32, seed);
    return values;
}

static void fill_nan(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = NAN;
}

/* ---- matrix products ---- */

struct cpu_gemm_state {
    float *a, *b, *c;
    size_t count; /* of c */
};

static void gemm_release(struct op *op)
{
    struct cpu_gemm_state *s = op->state;
    free(s->a);
    free(s->b);
    free(s->c);
    free(s);
}

static int gemm_prepare(struct op *op, struct err *err)
{
    const struct gemm_shape *g = &op->c.gemm;
    size_t batch = (size_t)g->batch, m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    struct cpu_gemm_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ERR_MEMORY, "out of memory");
    op->state = s;
    s->count = reference_gemm_count(g);
    s->a = new_array(batch * m * k, SEED_A);
    s->b = new_array(batch * k * n, SEED_B);
    s->c = new_array(s->count, 0);
    str_copy(op->variant, sizeof op->variant, op->place->cpu_gemm[op->c.engine]->name);
    if (s->a && s->b && s->c)
        return 0;
    gemm_release(op);
    op->state = NULL;
    return err_set(err, ERR_MEMORY, "out of memory");
}

static int gemm_run_cpu(struct op *op, unsigned turn, struct err *err)
{
    struct cpu_gemm_state *s = op->state;
    (void)turn;
    return cpu_gemm_run(op->place->cpu_gemm[op->c.engine], &op->c.gemm, 1, s->a, s->b, 0, s->c, err);
}

static int gemm_poison(struct op *op, struct err *err)
{
    struct cpu_gemm_state *s = op->state;
    (void)err;
    fill_nan(s->c, s->count);
    return 0;
}

static int gemm_check(struct op *op, struct op_verdict *verdict, struct err *err)
{
    struct cpu_gemm_state *s = op->state;
    const struct gemm_shape *g = &op->c.gemm;
    size_t terms = (size_t)reference_gemm_terms(g), count = 0;
    struct reference_bound bound = reference_bound(BENCH_FP32, (int)terms, NUMBER_F32);
    struct reference_gemm reference = { .shape = *g, .alpha = 1, .a = s->a, .b = s->b };
    struct reference_error error = { 0 };
    size_t *index = op_check_elements(s->count, (size_t)g->m, terms, &count);
    if (!index)
        return err_set(err, ERR_MEMORY, "out of memory");
    reference_check_gemm(&reference, &bound, NUMBER_F32, s->c, index, count, &error);
    op_check_say(&error, &bound, true, verdict);
    free(index);
    return 0;
}

const struct op_kind op_cpu_gemm = { gemm_prepare, gemm_run_cpu, gemm_check, gemm_poison,
                                     gemm_release };

/* ---- convolutions ---- */

static const enum cpu_conv_array written[] = { [CONV_FORWARD] = CPU_CONV_Y,
                                               [CONV_BACKWARD_DATA] = CPU_CONV_X,
                                               [CONV_BACKWARD_WEIGHTS] = CPU_CONV_W };

static size_t elements(const struct conv_shape *c, enum cpu_conv_array array)
{
    static const enum conv_pass writes[] = { [CPU_CONV_X] = CONV_BACKWARD_DATA,
                                             [CPU_CONV_W] = CONV_BACKWARD_WEIGHTS,
                                             [CPU_CONV_Y] = CONV_FORWARD };
    return reference_conv_count(c, writes[array]);
}

static int put(struct op *op, enum cpu_conv_array array, struct err *err)
{
    float *values = new_array(elements(&op->c.conv, array), (uint64_t)array + 1);
    int failed = values ? cpu_conv_put(op->state, array, values, err)
                        : err_set(err, ERR_MEMORY, "out of memory");
    free(values);
    return failed;
}

static void conv_release(struct op *op)
{
    cpu_conv_free(op->state);
}

static int conv_prepare(struct op *op, struct err *err)
{
    struct cpu_conv_options options = { .pass = op->c.pass };
    op->state = cpu_conv_new(op->place->onednn, &op->c.conv, &options, err);
    if (!op->state)
        return -1;
    str_copy(op->variant, sizeof op->variant, cpu_conv_kernel(op->state));
    for (int a = CPU_CONV_X; a <= CPU_CONV_Y; a++)
        if (a != (int)written[op->c.pass] && put(op, (enum cpu_conv_array)a, err)) {
            conv_release(op);
            op->state = NULL;
            return -1;
        }
    return 0;
}

static int conv_run_cpu(struct op *op, unsigned turn, struct err *err)
{
    (void)turn;
    return cpu_conv_run(op->state, err);
}

static int conv_compare(struct op *op, const float *const values[3], const float *result,
                        struct op_verdict *verdict, struct err *err)
{
    const struct bench_case *c = &op->c;
    size_t terms = (size_t)reference_conv_terms(&c->conv, c->pass), count = 0;
    size_t inner = (size_t)(c->pass == CONV_FORWARD ? conv_out_w(&c->conv) : c->conv.s);
    struct reference_bound bound = reference_bound(BENCH_FP32, (int)terms, NUMBER_F32);
    struct reference_conv reference = { c->conv,   c->pass, values[0], values[1],
                                        values[2], NULL,    false };
    struct reference_error error = { 0 };
    op_check_widen(&bound, op->variant);
    size_t *index =
        op_check_elements(reference_conv_count(&c->conv, c->pass), inner, terms, &count);
    if (!index)
        return err_set(err, ERR_MEMORY, "out of memory");
    reference_check_conv(&reference, &bound, NUMBER_F32, result, index, count, &error);
    op_check_say(&error, &bound, true, verdict);
    free(index);
    return 0;
}

static int conv_check(struct op *op, struct op_verdict *verdict, struct err *err)
{
    const struct conv_shape *c = &op->c.conv;
    float *values[3] = { NULL };
    bool whole = true;
    float *result = new_array(elements(c, written[op->c.pass]), 0);
    for (int a = CPU_CONV_X; a <= CPU_CONV_Y; a++)
        if (a != (int)written[op->c.pass]) {
            values[a] = new_array(elements(c, (enum cpu_conv_array)a), (uint64_t)a + 1);
            whole = whole && values[a];
        }
    int failed = !result || !whole ? err_set(err, ERR_MEMORY, "out of memory")
                                   : cpu_conv_get(op->state, result, err);
    if (!failed)
        failed = conv_compare(op, (const float *const *)values, result, verdict, err);
    for (int a = 0; a < 3; a++)
        free(values[a]);
    free(result);
    return failed;
}

const struct op_kind op_cpu_conv = { conv_prepare, conv_run_cpu, conv_check, NULL, conv_release };
