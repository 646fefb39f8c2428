/* The layers between convolutions on the device: they move memory and compute little. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/layers.h"
#include "bench/op.h"
#include "bench/op_array.h"
#include "bench/op_check.h"
#include "core/str.h"

enum { INPUT, OTHER, OUTPUT, SCALE, SHIFT, ARRAYS };

struct layer_state {
    enum bench_layer op;
    struct layer_shape shape;
    struct op_array arrays[ARRAYS];
};

static struct layer_shape shape_of(const int n[CASE_LAYER_NUMBERS])
{
    return (struct layer_shape){ n[1], n[2], n[3], n[4],  n[5],      n[6],
                                 n[7], n[8], n[9], n[10], n[11] != 0 };
}

/* " 3x3 s2 p1", and where rows and columns differ " 3x1 s2x1 p1x0". */
static void name_window(const struct layer_shape *s, char *to, size_t size)
{
    size_t n = (size_t)snprintf(to, size, " %dx%d s%d", s->window_h, s->window_w, s->stride_h);
    if (s->stride_w != s->stride_h)
        n += (size_t)snprintf(to + n, size - n, "x%d", s->stride_w);
    n += (size_t)snprintf(to + n, size - n, " p%d", s->pad_h);
    if (s->pad_w != s->pad_h)
        snprintf(to + n, size - n, "x%d", s->pad_w);
}

struct bench_case case_layer(enum bench_precision precision, const int numbers[CASE_LAYER_NUMBERS])
{
    struct bench_case c = { .kind = CASE_LAYER, .precision = precision };
    struct layer_shape s = shape_of(numbers);
    for (int i = 0; i < CASE_LAYER_NUMBERS; i++)
        c.layer[i] = numbers[i];
    snprintf(c.name, sizeof c.name, "layer/%s", layer_name((enum bench_layer)numbers[0]));
    int n = snprintf(c.shape, sizeof c.shape, "n%d c%d %dx%d", s.n, s.c, s.h, s.w);
    if (s.window_h)
        name_window(&s, c.shape + n, sizeof c.shape - (size_t)n);
    c.flop = NAN;
    c.bytes = (double)layer_bytes((enum bench_layer)numbers[0], precision, &s);
    return c;
}

static int run(struct op *op, unsigned turn, struct err *err)
{
    const struct layer_state *s = op->state;
    struct layer_buffers b = { .input = op_array_at(&s->arrays[INPUT], turn),
                               .other = op_array_at(&s->arrays[OTHER], turn),
                               .output = op_array_at(&s->arrays[OUTPUT], turn),
                               .scale = op_array_at(&s->arrays[SCALE], turn),
                               .shift = op_array_at(&s->arrays[SHIFT], turn) };
    return layer_run(op->place->gpu, s->op, op->c.precision, &s->shape, &b, err);
}

static void release(struct op *op)
{
    struct layer_state *s = op->state;
    for (int i = 0; i < ARRAYS; i++)
        op_array_free(&s->arrays[i]);
    free(s);
}

static int make_arrays(struct op *op, struct layer_state *s, struct err *err)
{
    enum number number = number_of(op->c.precision);
    size_t in = layer_input_count(&s->shape), out = layer_output_count(s->op, &s->shape);
    const struct {
        enum number number;
        size_t count;
    } sizes[ARRAYS] = { [INPUT] = { number, in },
                        [OTHER] = { number, in },
                        [OUTPUT] = { number, out },
                        [SCALE] = { NUMBER_F32, (size_t)s->shape.c },
                        [SHIFT] = { NUMBER_F32, (size_t)s->shape.c } };
    for (int i = 0; i < ARRAYS; i++)
        if (op_array_new(&s->arrays[i], op->place->gpu, sizes[i].number, sizes[i].count, op->turns,
                         err) ||
            (i != OUTPUT && op_array_fill(&s->arrays[i], (uint64_t)i + 1, err)))
            return -1;
    return 0;
}

static int prepare(struct op *op, struct err *err)
{
    struct layer_state *s = calloc(1, sizeof *s);
    struct gpu_function *f;
    if (!s)
        return err_set(err, ERR_MEMORY, "out of memory");
    s->op = (enum bench_layer)op->c.layer[0];
    s->shape = shape_of(op->c.layer);
    op->state = s;
    op->turns = op_turns(op->place, op->c.bytes);
    const char *family = layer_family(op->c.precision);
    if (family && make_arrays(op, s, err) == 0 &&
        gpu_kernel(op->place->gpu, family, layer_kernel(s->op), &f, err) == 0) {
        gpu_image(op->place->gpu, family, f, op->image, sizeof op->image);
        str_copy(op->variant, sizeof op->variant, layer_kernel(s->op));
        return 0;
    }
    release(op);
    op->state = NULL;
    return family ? -1 : err_set(err, ERR_MISSING, "no kernel of this build does this layer");
}

static int poison(struct op *op, struct err *err)
{
    struct layer_state *s = op->state;
    return op_array_poison(&s->arrays[OUTPUT], err);
}

/* ---- what is right ---- */

static struct reference_value relu(struct reference_value v, bool on)
{
    v.value = on && v.value < 0 ? 0 : v.value;
    return v;
}

static struct reference_value pool_at(const struct layer_state *s, const float *x, size_t plane,
                                      int row, int column)
{
    const struct layer_shape *l = &s->shape;
    const float *source = x + plane * (size_t)l->h * (size_t)l->w;
    double most = -INFINITY, sum = 0, size = 0;
    int seen = 0;
    for (int r = 0; r < l->window_h; r++)
        for (int c = 0; c < l->window_w; c++) {
            int y = row * l->stride_h - l->pad_h + r, z = column * l->stride_w - l->pad_w + c;
            if (y < 0 || y >= l->h || z < 0 || z >= l->w)
                continue;
            double v = (double)source[(size_t)y * (size_t)l->w + (size_t)z];
            most = fmax(most, v);
            sum += v;
            size += fabs(v);
            seen++;
        }
    int divisor = l->count_padding ? l->window_h * l->window_w : seen;
    if (s->op == BENCH_LAYER_MAX_POOL)
        return (struct reference_value){ most, fabs(most) };
    return (struct reference_value){ sum / divisor, size / divisor };
}

static struct reference_value mean_at(const struct layer_state *s, const float *x, size_t plane)
{
    size_t area = (size_t)s->shape.h * (size_t)s->shape.w;
    double sum = 0, size = 0;
    for (size_t i = 0; i < area; i++) {
        sum += (double)x[plane * area + i];
        size += fabs((double)x[plane * area + i]);
    }
    return (struct reference_value){ sum / (double)area, size / (double)area };
}

static struct reference_value value_at(const struct layer_state *s, float *const v[ARRAYS],
                                       size_t i)
{
    const struct layer_shape *l = &s->shape;
    size_t channel = i / ((size_t)l->h * (size_t)l->w) % (size_t)l->c;
    double x = (double)v[INPUT][s->op == BENCH_LAYER_GLOBAL_POOL ? 0 : i % s->arrays[INPUT].count];
    double shift = (double)v[SHIFT][channel], scale = (double)v[SCALE][channel];
    int columns = l->window_w ? (l->w + 2 * l->pad_w - l->window_w) / l->stride_w + 1 : 1;
    int rows = l->window_h ? (l->h + 2 * l->pad_h - l->window_h) / l->stride_h + 1 : 1;
    switch (s->op) {
    case BENCH_LAYER_BIAS:
    case BENCH_LAYER_BIAS_RELU:
        return relu((struct reference_value){ x + shift, fabs(x) + fabs(shift) },
                    s->op == BENCH_LAYER_BIAS_RELU);
    case BENCH_LAYER_BATCH_NORM:
    case BENCH_LAYER_BATCH_NORM_RELU:
    case BENCH_LAYER_BATCH_NORM_RELU6: {
        struct reference_value y = { x * scale + shift, fabs(x * scale) + fabs(shift) };
        if (s->op == BENCH_LAYER_BATCH_NORM_RELU6)
            y.value = fmin(y.value, 6);
        return relu(y, s->op != BENCH_LAYER_BATCH_NORM);
    }
    case BENCH_LAYER_ADD:
    case BENCH_LAYER_ADD_RELU: {
        double other = (double)v[OTHER][i];
        return relu((struct reference_value){ x + other, fabs(x) + fabs(other) },
                    s->op == BENCH_LAYER_ADD_RELU);
    }
    case BENCH_LAYER_GLOBAL_POOL:
        return mean_at(s, v[INPUT], i);
    default:
        return pool_at(s, v[INPUT], i / (size_t)(rows * columns), (int)(i / (size_t)columns) % rows,
                       (int)(i % (size_t)columns));
    }
}

static size_t terms_of(const struct layer_state *s)
{
    const struct layer_shape *l = &s->shape;
    return s->op == BENCH_LAYER_GLOBAL_POOL ? (size_t)l->h * (size_t)l->w
           : l->window_h              ? (size_t)l->window_h * (size_t)l->window_w
                                      : 2;
}

static int compare(const struct op *op, const struct layer_state *s, float *const v[ARRAYS],
                   const void *result, bool intact, struct op_verdict *verdict, struct err *err)
{
    const struct op_array *out = &s->arrays[OUTPUT];
    size_t count = 0, inner = s->op == BENCH_LAYER_GLOBAL_POOL ? 1 : (size_t)s->shape.w;
    struct reference_bound bound = reference_bound(op->c.precision, (int)terms_of(s), out->number);
    struct reference_error error = { 0 };
    size_t *index =
        op_check_elements(out->count, inner < out->count ? inner : 1, terms_of(s), &count);
    if (!index)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        reference_compare(&error, &bound, index[i], value_at(s, v, index[i]),
                          number_read(out->number, result, index[i]));
    op_check_say(&error, &bound, intact, verdict);
    free(index);
    return 0;
}

static int check(struct op *op, struct op_verdict *verdict, struct err *err)
{
    struct layer_state *s = op->state;
    float *v[ARRAYS] = { NULL };
    bool intact = false, whole = true;
    if (gpu_wait(op->place->gpu, err))
        return -1;
    void *result = op_array_read(&s->arrays[OUTPUT], &intact, err);
    for (int i = 0; i < ARRAYS && result; i++)
        if (i != OUTPUT) {
            v[i] = op_array_values(&s->arrays[i], (uint64_t)i + 1);
            whole = whole && v[i];
        }
    int failed = !result  ? -1
                 : !whole ? err_set(err, ERR_MEMORY, "out of memory")
                          : compare(op, s, v, result, intact, verdict, err);
    for (int i = 0; i < ARRAYS; i++)
        free(v[i]);
    free(result);
    return failed;
}

const struct op_kind op_layer = { prepare, run, check, poison, release };
