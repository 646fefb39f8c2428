#include "bench/reference.h"

#include <math.h>
#include <stdlib.h>

/* splitmix64 (Steele, Lea, Flood 2014): the value at a position needs no state but the seed. */
static uint64_t scramble(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Odd multiples of 2^-25, so never zero; what is too small is drawn again. */
static float uniform(uint64_t *state)
{
    float value;
    do {
        *state = scramble(*state);
        value = ((float)(*state >> 40) - 0x1p23f + 0.5f) * 0x1p-23f;
    } while (fabsf(value) < 0x1p-13f);
    return value;
}

void reference_fill(float *values, size_t count, enum number number, uint64_t seed)
{
    uint64_t state = scramble(seed);
    for (size_t i = 0; i < count; i++) {
        float value = uniform(&state);
        if (number == NUMBER_S8 || number == NUMBER_S32)
            value = copysignf(1.0f + truncf(fabsf(value) * 126.99f), value);
        values[i] = number_round(number, value);
    }
}

size_t reference_gemm_count(const struct gemm_shape *shape)
{
    return (size_t)shape->m * (size_t)shape->n * (size_t)shape->batch;
}

int reference_gemm_terms(const struct gemm_shape *shape)
{
    return shape->k;
}

/* Adds count products, `step` elements apart. */
static void add_products(struct reference_value *sum, const float *a, size_t step_a, const float *b,
                         size_t step_b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double product = (double)a[i * step_a] * (double)b[i * step_b];
        sum->value += product;
        sum->scale += fabs(product);
    }
}

struct reference_value reference_gemm_at(const struct reference_gemm *gemm, size_t index)
{
    const struct gemm_shape *s = &gemm->shape;
    size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    size_t row = index % m, column = index / m % n, matrix = index / m / n;
    const float *a = gemm->a + matrix * m * k + row * (s->trans_a ? k : 1);
    const float *b = gemm->b + matrix * k * n + column * (s->trans_b ? 1 : k);
    struct reference_value sum = { 0 };
    add_products(&sum, a, s->trans_a ? 1 : m, b, s->trans_b ? n : 1, k);
    sum.value *= gemm->alpha;
    sum.scale *= fabs(gemm->alpha);
    if (gemm->beta != 0) {
        sum.value += gemm->beta * (double)gemm->c[index];
        sum.scale += fabs(gemm->beta * (double)gemm->c[index]);
    }
    return sum;
}

static size_t conv_x_count(const struct conv_shape *s)
{
    return (size_t)s->n * (size_t)s->c * (size_t)s->h * (size_t)s->w;
}

static size_t conv_w_count(const struct conv_shape *s)
{
    return (size_t)s->k * (size_t)(s->c / s->groups) * (size_t)s->r * (size_t)s->s;
}

static size_t conv_y_count(const struct conv_shape *s)
{
    return (size_t)s->n * (size_t)s->k * (size_t)conv_out_h(s) * (size_t)conv_out_w(s);
}

size_t reference_conv_count(const struct conv_shape *shape, enum conv_pass pass)
{
    if (pass == CONV_FORWARD)
        return conv_y_count(shape);
    return pass == CONV_BACKWARD_DATA ? conv_x_count(shape) : conv_w_count(shape);
}

int reference_conv_terms(const struct conv_shape *shape, enum conv_pass pass)
{
    if (pass == CONV_FORWARD)
        return shape->c / shape->groups * shape->r * shape->s;
    if (pass == CONV_BACKWARD_DATA)
        return shape->k / shape->groups * shape->r * shape->s;
    return shape->n * conv_out_h(shape) * conv_out_w(shape);
}

/* Offset of (a, b, c, d) in an array whose last three extents are nb, nc, nd. */
static size_t at(int a, int b, int c, int d, int nb, int nc, int nd)
{
    return (((size_t)a * (size_t)nb + (size_t)b) * (size_t)nc + (size_t)c) * (size_t)nd + (size_t)d;
}

/* The four indices of an element, which `at` puts together. */
static void split(size_t index, int nb, int nc, int nd, int of[4])
{
    of[3] = (int)(index % (size_t)nd);
    of[2] = (int)(index / (size_t)nd % (size_t)nc);
    of[1] = (int)(index / (size_t)nd / (size_t)nc % (size_t)nb);
    of[0] = (int)(index / (size_t)nd / (size_t)nc / (size_t)nb);
}

static void add(struct reference_value *sum, float a, float b)
{
    sum->value += (double)a * (double)b;
    sum->scale += fabs((double)a * (double)b);
}

static struct reference_value forward(const struct reference_conv *conv, size_t index)
{
    const struct conv_shape *s = &conv->shape;
    int of[4], cg = s->c / s->groups; /* n, k, p, q */
    split(index, s->k, conv_out_h(s), conv_out_w(s), of);
    int first = of[1] / (s->k / s->groups) * cg;
    struct reference_value sum = { 0 };
    for (int c = 0; c < cg; c++)
        for (int r = 0; r < s->r; r++)
            for (int t = 0; t < s->s; t++) {
                int h = of[2] * s->stride_h - s->pad_h + r * s->dilation_h;
                int w = of[3] * s->stride_w - s->pad_w + t * s->dilation_w;
                if (h >= 0 && h < s->h && w >= 0 && w < s->w)
                    add(&sum, conv->x[at(of[0], first + c, h, w, s->c, s->h, s->w)],
                        conv->w[at(of[1], c, r, t, cg, s->r, s->s)]);
            }
    if (conv->bias)
        add(&sum, conv->bias[of[1]], 1.0f);
    if (conv->relu && sum.value < 0)
        sum.value = 0;
    return sum;
}

/* Which output position reads input position `in` with filter position `filter`; -1: none does. */
static int reader(int in, int filter, int pad, int dilation, int stride, int outputs)
{
    int from = in + pad - filter * dilation;
    return from >= 0 && from % stride == 0 && from / stride < outputs ? from / stride : -1;
}

static struct reference_value backward_data(const struct reference_conv *conv, size_t index)
{
    const struct conv_shape *s = &conv->shape;
    int of[4], cg = s->c / s->groups, kg = s->k / s->groups; /* n, c, h, w */
    int out_h = conv_out_h(s), out_w = conv_out_w(s);
    split(index, s->c, s->h, s->w, of);
    int first = of[1] / cg * kg;
    struct reference_value sum = { 0 };
    for (int k = first; k < first + kg; k++)
        for (int r = 0; r < s->r; r++)
            for (int t = 0; t < s->s; t++) {
                int p = reader(of[2], r, s->pad_h, s->dilation_h, s->stride_h, out_h);
                int q = reader(of[3], t, s->pad_w, s->dilation_w, s->stride_w, out_w);
                if (p >= 0 && q >= 0)
                    add(&sum, conv->y[at(of[0], k, p, q, s->k, out_h, out_w)],
                        conv->w[at(k, of[1] % cg, r, t, cg, s->r, s->s)]);
            }
    return sum;
}

static struct reference_value backward_weights(const struct reference_conv *conv, size_t index)
{
    const struct conv_shape *s = &conv->shape;
    int of[4], cg = s->c / s->groups; /* k, c of the group, r, s */
    int out_h = conv_out_h(s), out_w = conv_out_w(s);
    split(index, cg, s->r, s->s, of);
    int c = of[0] / (s->k / s->groups) * cg + of[1];
    struct reference_value sum = { 0 };
    for (int n = 0; n < s->n; n++)
        for (int p = 0; p < out_h; p++)
            for (int q = 0; q < out_w; q++) {
                int h = p * s->stride_h - s->pad_h + of[2] * s->dilation_h;
                int w = q * s->stride_w - s->pad_w + of[3] * s->dilation_w;
                if (h >= 0 && h < s->h && w >= 0 && w < s->w)
                    add(&sum, conv->x[at(n, c, h, w, s->c, s->h, s->w)],
                        conv->y[at(n, of[0], p, q, s->k, out_h, out_w)]);
            }
    return sum;
}

struct reference_value reference_conv_at(const struct reference_conv *conv, size_t index)
{
    if (conv->pass == CONV_FORWARD)
        return forward(conv, index);
    return conv->pass == CONV_BACKWARD_DATA ? backward_data(conv, index)
                                            : backward_weights(conv, index);
}

void reference_check_gemm(const struct reference_gemm *gemm, const struct reference_bound *bound,
                          enum number number, const void *result, const size_t *index,
                          size_t count, struct reference_error *error)
{
    for (size_t i = 0; i < count; i++)
        reference_compare(error, bound, index[i], reference_gemm_at(gemm, index[i]),
                          number_read(number, result, index[i]));
}

void reference_check_conv(const struct reference_conv *conv, const struct reference_bound *bound,
                          enum number number, const void *result, const size_t *index,
                          size_t count, struct reference_error *error)
{
    for (size_t i = 0; i < count; i++)
        reference_compare(error, bound, index[i], reference_conv_at(conv, index[i]),
                          number_read(number, result, index[i]));
}

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

size_t reference_samples(size_t total, size_t inner, uint64_t seed, size_t *index, size_t room)
{
    size_t outer = total / inner, last = total - inner, kept = 0;
    size_t corners[] = { 0, inner - 1, last, total - 1 };
    uint64_t state = scramble(seed);
    for (size_t i = 0; i < room && (i < total || total > room); i++) {
        state = scramble(state);
        if (total <= room)
            index[i] = i;
        else if (i < sizeof corners / sizeof corners[0])
            index[i] = corners[i];
        else if (i < room / 8) /* last row */
            index[i] = last + (size_t)(state % inner);
        else if (i < room / 4) /* last column */
            index[i] = (size_t)(state % outer) * inner + inner - 1;
        else
            index[i] = (size_t)(state % total);
    }
    size_t count = total < room ? total : room;
    qsort(index, count, sizeof *index, ascending);
    for (size_t i = 0; i < count; i++)
        if (!kept || index[kept - 1] != index[i])
            index[kept++] = index[i];
    return kept;
}
