#include "size/precision.h"

#include <string.h>

static const struct {
    const char *name;
    double activation, master, copy, weight;
    bool trains;
} precisions[PRECISION_COUNT] = {
    [PRECISION_FP32] = { "fp32", 4, 4, 0, 4, true },
    [PRECISION_FP16_STORAGE] = { "fp16-storage", 2, 4, 2, 2, true },
    [PRECISION_FP16] = { "fp16", 2, 2, 0, 2, true },
    [PRECISION_AMP] = { "amp", 2, 4, 2, 6, true }, /* fp32 weights and the fp16 copies beside them */
    [PRECISION_INT8] = { "int8", 1, 0, 0, 1, false },
};

const char *precision_name(enum precision precision)
{
    return precisions[precision].name;
}

int precision_find(const char *name)
{
    for (int i = 0; i < PRECISION_COUNT; i++)
        if (strcmp(precisions[i].name, name) == 0)
            return i;
    return -1;
}

double precision_activation_bytes(enum precision precision)
{
    return precisions[precision].activation;
}

double precision_master_bytes(enum precision precision)
{
    return precisions[precision].master;
}

double precision_copy_bytes(enum precision precision)
{
    return precisions[precision].copy;
}

double precision_weight_bytes(enum precision precision)
{
    return precisions[precision].weight;
}

bool precision_trains(enum precision precision)
{
    return precisions[precision].trains;
}
