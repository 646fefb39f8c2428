/* The layers between convolutions in a plan. */
#include "bench/layers.h"
#include "bench/plan_parts.h"

/* Each kernel once, on ResNet's first maps; as many images as take about this long. */
#define LAYER_MS 1.0
enum { IMAGES_MAX = 64 };

static const int rows[][CASE_LAYER_NUMBERS] = {
    { LAYER_BIAS_RELU, 1, 64, 56, 56 },
    { LAYER_BATCH_NORM_RELU, 1, 64, 56, 56 },
    { LAYER_ADD_RELU, 1, 64, 56, 56 },
    { LAYER_MAX_POOL, 1, 64, 112, 112, 3, 3, 2, 2, 1, 1 },
    { LAYER_AVERAGE_POOL, 1, 128, 56, 56, 2, 2, 2, 2 },
    { LAYER_GLOBAL_POOL, 1, 512, 14, 14 },
};

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
    static const enum bench_precision classes[] = { BENCH_FP32, BENCH_FP16S };
    const struct plan_options *o = p->options;
    if (!o->gpu || o->shape_count || o->nets_only || (o->extent == PLAN_QUICK && !o->pattern_count))
        return 0;
    for (size_t k = 0; k < sizeof classes / sizeof classes[0]; k++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (plan_has_precision(o, classes[k]) && add(p, rows[i], classes[k]))
                return -1;
    return 0;
}
