/* Convolutions on the device, by our kernels or cuDNN. */
#include <stdlib.h>
#include <string.h>

#include "bench/conv.h"
#include "bench/gemm.h"
#include "bench/op.h"
#include "bench/op_array.h"
#include "bench/op_check.h"
#include "bench/op_race.h"
#include "core/str.h"

enum { SEED_X = 1, SEED_W = 2, SEED_Y = 3 };

/* In the order of the passes: what each writes. The other two are read. */
enum { X, W, Y, ARRAYS };
static const int written[] = {
    [CONV_FORWARD] = Y, [CONV_BACKWARD_DATA] = X, [CONV_BACKWARD_WEIGHTS] = W
};

struct conv_state {
    struct op_array arrays[ARRAYS];
    uint64_t workspace;
    uint64_t workspace_bytes;
    const struct conv_algorithm *algorithm; /* of ours */
    struct vendor_conv *vendor;
};

static struct vendor_conv_buffers vendor_buffers(const struct conv_state *s, unsigned turn)
{
    return (struct vendor_conv_buffers){ .x = op_array_at(&s->arrays[X], turn),
                                         .w = op_array_at(&s->arrays[W], turn),
                                         .y = op_array_at(&s->arrays[Y], turn) };
}

static int run(struct op *op, unsigned turn, struct err *err)
{
    static const struct conv_options plain = { false, false };
    struct conv_state *s = op->state;
    struct vendor_conv_buffers v = vendor_buffers(s, turn);
    struct conv_buffers b = { .input = v.x,
                              .weights = v.w,
                              .output = v.y,
                              .workspace = s->workspace,
                              .workspace_bytes = s->workspace_bytes };
    if (s->vendor)
        return vendor_conv_run(s->vendor, &v, err);
    return conv_run(op->place->gpu, s->algorithm, &op->c.conv, &b, &plain, err);
}

static void release(struct op *op)
{
    struct conv_state *s = op->state;
    vendor_conv_free(s->vendor);
    for (int i = 0; i < ARRAYS; i++)
        op_array_free(&s->arrays[i]);
    gpu_free(op->place->gpu, s->workspace);
    free(s);
}

static int make_arrays(struct op *op, struct conv_state *s, struct err *err)
{
    static const uint64_t seeds[ARRAYS] = { SEED_X, SEED_W, SEED_Y };
    const struct conv_shape *c = &op->c.conv;
    const uint64_t counts[ARRAYS] = { conv_input_count(c), conv_weight_count(c),
                                      conv_output_count(c) };
    for (int i = 0; i < ARRAYS; i++) {
        bool result = i == written[op->c.pass];
        bool ours = op->c.engine == ENGINE_SMFIT;
        enum number number =
            result && !ours ? vendor_output(op->c.precision) : number_of(op->c.precision);
        if (op_array_new(&s->arrays[i], op->place->gpu, number, counts[i], op->turns, err) ||
            (!result && op_array_fill(&s->arrays[i], seeds[i], err)))
            return -1;
    }
    return 0;
}

/* ---- choice of an algorithm ---- */

static int take_workspace(struct op *op, struct conv_state *s, struct err *err)
{
    const struct gpu *gpu = op->place->gpu;
    gpu_free(gpu, s->workspace);
    s->workspace = 0;
    s->workspace_bytes = conv_workspace_bytes(s->algorithm, &op->c.conv, gpu->device.sm_count);
    return s->workspace_bytes ? gpu_alloc(gpu, s->workspace_bytes, &s->workspace, err) : 0;
}

static bool may_run(const struct op *op, const struct conv_algorithm *a)
{
    const struct device *d = &op->place->gpu->device;
    return a->precision == op->c.precision && a->pass == op->c.pass &&
           (unsigned)a->lowest <= d->cc && !conv_unsupported(a, &op->c.conv) &&
           conv_workspace_bytes(a, &op->c.conv, d->sm_count) <= op->place->workspace_max;
}

static void race(struct op *op, struct conv_state *s, const struct conv_algorithm **best)
{
    struct op_race r;
    struct err err;
    size_t count;
    const struct conv_algorithm *all = conv_algorithms(&count);
    err_clear(&err);
    if (op_race_open(&r, op, &err))
        return;
    for (size_t i = 0; i < count; i++) {
        s->algorithm = &all[i];
        err_clear(&err);
        if (may_run(op, &all[i]) && take_workspace(op, s, &err) == 0 && op_race_run(&r, &err))
            *best = &all[i];
    }
    op_race_close(&r);
}

static int choose(struct op *op, struct conv_state *s, struct err *err)
{
    const struct bench_case *c = &op->c;
    const struct conv_algorithm *best =
        conv_choose(&c->conv, c->pass, c->precision, op->place->gpu->device.sm_count);
    const char *known = op_race_known(op);
    const struct conv_algorithm *cached = known ? conv_find(known, c->pass, c->precision) : NULL;
    if (!best)
        return err_set(err, ERR_MISSING, "no kernel of this build does this convolution in %s",
                       bench_precision_name(c->precision));
    if (cached && may_run(op, cached)) {
        best = cached;
        str_copy(op->chosen, sizeof op->chosen, "cached");
    } else if (op->place->tune) {
        race(op, s, &best);
        op_race_keep(op, best->name);
        str_copy(op->chosen, sizeof op->chosen, "tuned");
    } else {
        str_copy(op->chosen, sizeof op->chosen, "default");
    }
    s->algorithm = best;
    str_copy(op->variant, sizeof op->variant, best->name);
    return take_workspace(op, s, err);
}

/* Where the kernels of the matrix product do the work: all of a family come from one image. */
static void product_kernel(const struct op *op, const char **family, const char **kernel)
{
    *family = *kernel = NULL;
    for (size_t i = 0; i < gemm_variant_count && !*family; i++)
        if (gemm_variants[i].precision == op->c.precision) {
            *family = gemm_variants[i].family;
            *kernel = gemm_variants[i].kernel;
        }
}

static int prepare_ours(struct op *op, struct conv_state *s, struct err *err)
{
    struct gpu_function *f;
    if (choose(op, s, err))
        return -1;
    const char *family = s->algorithm->family, *kernel = s->algorithm->kernel;
    if (!*family)
        product_kernel(op, &family, &kernel);
    if (!family)
        return 0;
    if (gpu_kernel(op->place->gpu, family, kernel, &f, err))
        return -1;
    gpu_image(op->place->gpu, family, f, op->image, sizeof op->image);
    return 0;
}

static int prepare_vendor(struct op *op, struct conv_state *s, struct err *err)
{
    struct vendor_conv_buffers b = vendor_buffers(s, 0);
    s->vendor =
        vendor_conv_new(op->place->vendor, op->c.precision, &op->c.conv, op->c.pass, &b, err);
    if (!s->vendor)
        return -1;
    str_copy(op->variant, sizeof op->variant, vendor_conv_algorithm(s->vendor));
    str_copy(op->chosen, sizeof op->chosen, "tuned");
    return 0;
}

static int prepare(struct op *op, struct err *err)
{
    struct conv_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ERR_MEMORY, "out of memory");
    op->state = s;
    op->turns = op_turns(op->place, op->c.bytes);
    if (make_arrays(op, s, err) == 0 &&
        (op->c.engine == ENGINE_SMFIT ? prepare_ours(op, s, err) : prepare_vendor(op, s, err)) == 0)
        return 0;
    release(op);
    op->state = NULL;
    return -1;
}

static int poison(struct op *op, struct err *err)
{
    struct conv_state *s = op->state;
    return op_array_poison(&s->arrays[written[op->c.pass]], err);
}

/* Length of the result's rows, where tiles end. */
static size_t row_length(const struct bench_case *c)
{
    return (size_t)(c->pass == CONV_FORWARD         ? conv_out_w(&c->conv)
                    : c->pass == CONV_BACKWARD_DATA ? c->conv.w
                                                    : c->conv.s);
}

static int compare(struct op *op, const struct conv_state *s, float *const values[ARRAYS],
                   const void *result, bool intact, struct op_verdict *verdict, struct err *err)
{
    const struct bench_case *c = &op->c;
    const struct op_array *out = &s->arrays[written[c->pass]];
    size_t terms = (size_t)reference_conv_terms(&c->conv, c->pass), count = 0;
    struct reference_bound bound = reference_bound(c->precision, (int)terms, out->number);
    struct reference_error error = { 0 };
    struct reference_conv reference = { c->conv,   c->pass, values[X], values[W],
                                        values[Y], NULL,    false };
    if (s->algorithm)
        bound.relative *= conv_error_factor(s->algorithm);
    else
        op_check_widen(&bound, op->variant);
    size_t *index = op_check_elements(out->count, row_length(c), terms, &count);
    if (!index)
        return err_set(err, ERR_MEMORY, "out of memory");
    reference_check_conv(&reference, &bound, out->number, result, index, count, &error);
    op_check_say(&error, &bound, intact, verdict);
    free(index);
    return 0;
}

static int check(struct op *op, struct op_verdict *verdict, struct err *err)
{
    static const uint64_t seeds[ARRAYS] = { SEED_X, SEED_W, SEED_Y };
    struct conv_state *s = op->state;
    float *values[ARRAYS] = { NULL };
    bool intact = false, whole = true;
    if (gpu_wait(op->place->gpu, err))
        return -1;
    void *result = op_array_read(&s->arrays[written[op->c.pass]], &intact, err);
    for (int i = 0; i < ARRAYS && result; i++)
        if (i != written[op->c.pass]) {
            values[i] = op_array_values(&s->arrays[i], seeds[i]);
            whole = whole && values[i];
        }
    int failed = !result  ? -1
                 : !whole ? err_set(err, ERR_MEMORY, "out of memory")
                          : compare(op, s, values, result, intact, verdict, err);
    for (int i = 0; i < ARRAYS; i++)
        free(values[i]);
    free(result);
    return failed;
}

const struct op_kind op_conv = { prepare, run, check, poison, release };
