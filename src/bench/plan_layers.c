/* The layers between convolutions in a plan. */
#include "bench/layers.h"
#include "bench/plan_parts.h"

/* Each kernel once, on ResNet's first maps; as many images as take about this long. */
#define LAYER_MS 1.0
enum { IMAGES_MAX = 64 };

static const int rows[][CASE_LAYER_NUMBERS] = {
    { BENCH_LAYER_BIAS_RELU, 1, 64, 56, 56 },
    { BENCH_LAYER_BATCH_NORM_RELU, 1, 64, 56, 56 },
    { BENCH_LAYER_ADD_RELU, 1, 64, 56, 56 },
    { BENCH_LAYER_MAX_POOL, 1, 64, 112, 112, 3, 3, 2, 2, 1, 1 },
    { BENCH_LAYER_AVERAGE_POOL, 1, 128, 56, 56, 2, 2, 2, 2 },
    { BENCH_LAYER_GLOBAL_POOL, 1, 512, 14, 14 },
};

static const enum bench_precision classes[] = { BENCH_FP32, BENCH_FP16S };
enum { CLASSES = sizeof classes / sizeof classes[0] };

struct plan_layer plan_layer_of(const struct plan_layer *layer, int batch)
{
    struct plan_layer l = *layer;
    l.conv.n *= batch;
    l.numbers[1] *= batch;
    /* A product with weights has more columns; one of two activations is there more often. */
    if (l.gemm.batch > 1)
        l.gemm.batch *= batch;
    else
        l.gemm.n *= batch;
    return l;
}

int plan_add_layer(struct planning *p, const int *numbers, const char *owner)
{
    for (size_t k = 0; k < CLASSES && p->options->gpu; k++) {
        struct bench_case c = case_layer(classes[k], numbers);
        if (plan_has_precision(p->options, classes[k]) && plan_wants(p->options, c.name, owner) &&
            plan_add(p, &c))
            return -1;
    }
    return 0;
}

static int add(struct planning *p, const int *row, enum bench_precision precision)
{
    int numbers[CASE_LAYER_NUMBERS];
    for (int i = 0; i < CASE_LAYER_NUMBERS; i++)
        numbers[i] = row[i];
    struct bench_case c = case_layer(precision, numbers);
    double images = p->roof->bandwidth_gbps * LAYER_MS * 1e6 / c.bytes;
    if (!p->options->simulated)
        numbers[1] = images < 1 ? 1 : images > IMAGES_MAX ? IMAGES_MAX : (int)images;
    c = case_layer(precision, numbers);
    return plan_wants(p->options, c.name, NULL) ? plan_add(p, &c) : 0;
}

int plan_add_layers(struct planning *p)
{
    const struct plan_options *o = p->options;
    bool asked = o->pattern_count || o->extent == PLAN_FULL; /* else those of networks are enough */
    if (!o->gpu || o->shape_count || o->nets_only || !asked)
        return 0;
    for (size_t k = 0; k < CLASSES; k++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (plan_has_precision(o, classes[k]) && add(p, rows[i], classes[k]))
                return -1;
    return 0;
}
