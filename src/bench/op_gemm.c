/* Matrix products on the device, by our kernels or cuBLAS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gemm.h"
#include "bench/op.h"
#include "bench/op_array.h"
#include "bench/op_check.h"
#include "bench/op_race.h"
#include "core/str.h"

enum { SEED_A = 1, SEED_B = 2, SPLITS_MAX = 32 };

struct gemm_state {
    struct op_array a, b, c;
    uint64_t workspace;
    struct gemm_choice choice; /* of ours */
    enum number result;
};

static struct gemm_buffers buffers_of(const struct gemm_state *s, unsigned turn)
{
    return (struct gemm_buffers){ .a = op_array_at(&s->a, turn),
                                  .b = op_array_at(&s->b, turn),
                                  .c = op_array_at(&s->c, turn),
                                  .workspace = s->workspace };
}

static int run(struct op *op, unsigned turn, struct err *err)
{
    struct gemm_state *s = op->state;
    struct gemm_buffers b = buffers_of(s, turn);
    if (op->c.engine == ENGINE_CUBLAS)
        return vendor_gemm(op->place->vendor, op->c.precision, &op->c.gemm, 1, 0, b.a, b.b, b.c,
                           err);
    return gemm_run(op->place->gpu, &s->choice, &op->c.gemm, 1, 0, &b, err);
}

static void release(struct op *op)
{
    struct gemm_state *s = op->state;
    op_array_free(&s->a);
    op_array_free(&s->b);
    op_array_free(&s->c);
    gpu_free(op->place->gpu, s->workspace);
    free(s);
}

static int make_arrays(struct op *op, struct gemm_state *s, struct err *err)
{
    const struct gemm_shape *g = &op->c.gemm;
    const struct gpu *gpu = op->place->gpu;
    enum number in = number_of(op->c.precision);
    size_t batch = (size_t)g->batch, m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    return op_array_new(&s->a, gpu, in, batch * m * k, op->turns, err) ||
                   op_array_new(&s->b, gpu, in, batch * k * n, op->turns, err) ||
                   op_array_new(&s->c, gpu, s->result, batch * m * n, op->turns, err) ||
                   op_array_fill(&s->a, SEED_A, err) || op_array_fill(&s->b, SEED_B, err)
               ? -1
               : 0;
}

/* ---- choice of a kernel ---- */

static int take_workspace(struct op *op, struct gemm_state *s, struct err *err)
{
    size_t bytes = gemm_workspace(&s->choice, &op->c.gemm);
    gpu_free(op->place->gpu, s->workspace);
    s->workspace = 0;
    return bytes ? gpu_alloc(op->place->gpu, bytes, &s->workspace, err) : 0;
}

static bool may_run(const struct op *op, const struct gemm_state *s, const struct gemm_variant *v)
{
    struct gemm_buffers b = buffers_of(s, 0);
    return v->precision == op->c.precision && v->target <= op->place->gpu->device.cc &&
           gemm_fits(v, &op->c.gemm, &b);
}

static void choice_name(const struct gemm_choice *c, char *text, size_t size)
{
    snprintf(text, size, "%s/%d", c->variant->kernel, c->splits);
}

static bool choice_find(const struct op *op, const struct gemm_state *s, const char *name,
                        struct gemm_choice *choice)
{
    const char *slash = strrchr(name, '/');
    long splits;
    if (!slash || !str_number(slash + 1, 1, SPLITS_MAX, &splits))
        return false;
    for (size_t i = 0; i < gemm_variant_count; i++) {
        const struct gemm_variant *v = &gemm_variants[i];
        if (strlen(v->kernel) != (size_t)(slash - name) ||
            strncmp(v->kernel, name, (size_t)(slash - name)) != 0 || !may_run(op, s, v) ||
            splits > gemm_splits_max(v, &op->c.gemm))
            continue;
        *choice = (struct gemm_choice){ v, (int)splits };
        return true;
    }
    return false;
}

/* More splits than this leave more blocks than the card can hold at once. */
static int splits_worth_trying(const struct op *op, const struct gemm_variant *v)
{
    const struct gemm_shape *g = &op->c.gemm;
    double tiles = (double)((g->m + v->tile_m - 1) / v->tile_m) *
                   ((g->n + v->tile_n - 1) / v->tile_n) * g->batch;
    double room = 8.0 * op->place->gpu->device.sm_count / tiles;
    int most = gemm_splits_max(v, g);
    return most < room ? most : room < 1 ? 1 : (int)room;
}

static void race(struct op *op, struct gemm_state *s, struct gemm_choice *best)
{
    struct op_race r;
    struct err err;
    err_clear(&err);
    if (op_race_open(&r, op, &err))
        return;
    for (size_t i = 0; i < gemm_variant_count; i++) {
        const struct gemm_variant *v = &gemm_variants[i];
        if (!may_run(op, s, v))
            continue;
        int most = splits_worth_trying(op, v);
        for (int splits = 1; splits <= most && splits <= SPLITS_MAX; splits *= 2) {
            s->choice = (struct gemm_choice){ v, splits };
            err_clear(&err);
            if (take_workspace(op, s, &err) == 0 && op_race_run(&r, &err))
                *best = s->choice;
        }
    }
    op_race_close(&r);
}

/* What the cache says, else what a race says, else the model's. */
static int choose(struct op *op, struct gemm_state *s, struct err *err)
{
    const struct gpu *gpu = op->place->gpu;
    struct gemm_card card = { gpu->device.cc, gpu->device.sm_count };
    struct gemm_buffers b = buffers_of(s, 0);
    struct gemm_choice choice;
    char name[80];
    if (!gemm_choose(&card, op->c.precision, &op->c.gemm, &b, &choice))
        return err_set(err, ERR_MISSING, "no kernel of this build multiplies %s in %s", op->c.shape,
                       bench_precision_name(op->c.precision));
    const char *known = op_race_known(op);
    if (known && choice_find(op, s, known, &choice)) {
        str_copy(op->chosen, sizeof op->chosen, "cached");
    } else if (op->place->tune) {
        s->choice = choice;
        race(op, s, &choice);
        choice_name(&choice, name, sizeof name);
        op_race_keep(op, name);
        str_copy(op->chosen, sizeof op->chosen, "tuned");
    } else {
        str_copy(op->chosen, sizeof op->chosen, "default");
    }
    s->choice = choice;
    choice_name(&choice, op->variant, sizeof op->variant);
    return take_workspace(op, s, err);
}

static int prepare_ours(struct op *op, struct gemm_state *s, struct err *err)
{
    struct gpu *gpu = op->place->gpu;
    struct gpu_function *function;
    if (choose(op, s, err) ||
        gpu_kernel(gpu, s->choice.variant->family, s->choice.variant->kernel, &function, err))
        return -1;
    gpu_image(gpu, s->choice.variant->family, function, op->image, sizeof op->image);
    return 0;
}

static int prepare(struct op *op, struct err *err)
{
    struct gemm_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ERR_MEMORY, "out of memory");
    bool ours = op->c.engine == ENGINE_SMFIT;
    op->state = s;
    op->turns = op_turns(op->place, op->c.bytes);
    s->result = ours ? gemm_result(op->c.precision) : vendor_output(op->c.precision);
    if (make_arrays(op, s, err) == 0 && (!ours || prepare_ours(op, s, err) == 0))
        return 0;
    release(op);
    op->state = NULL;
    return -1;
}

static int poison(struct op *op, struct err *err)
{
    struct gemm_state *s = op->state;
    return op_array_poison(&s->c, err);
}

static int check(struct op *op, struct op_verdict *verdict, struct err *err)
{
    struct gemm_state *s = op->state;
    const struct gemm_shape *g = &op->c.gemm;
    struct reference_error error = { 0 };
    bool intact = false;
    size_t terms = (size_t)reference_gemm_terms(g), count = 0;
    struct reference_bound bound = reference_bound(op->c.precision, (int)terms, s->result);
    if (gpu_wait(op->place->gpu, err))
        return -1;
    void *result = op_array_read(&s->c, &intact, err);
    float *a = op_array_values(&s->a, SEED_A), *b = op_array_values(&s->b, SEED_B);
    size_t *index = op_check_elements(s->c.count, (size_t)g->m, terms, &count);
    int failed = result && a && b && index ? 0 : err_set(err, ERR_MEMORY, "out of memory");
    if (!failed) {
        struct reference_gemm reference = { .shape = *g, .alpha = 1, .a = a, .b = b };
        reference_check_gemm(&reference, &bound, s->result, result, index, count, &error);
        op_check_say(&error, &bound, intact, verdict);
    }
    free(index);
    free(b);
    free(a);
    free(result);
    return failed;
}

const struct op_kind op_gemm = { prepare, run, check, poison, release };
