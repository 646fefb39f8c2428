/* Any bytes as an ONNX model: refused with a reason, or a network whose layers read earlier ones and whose memory can be
 * worked out. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "size/memory.h"
#include "size/onnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_order(const struct net *net)
{
    for (size_t i = 0; i < net->count; i++)
        for (size_t k = 0; k < net->layers[i].input_count; k++)
            if (net->inputs[net->layers[i].first_input + k] >= i)
                abort();
}

static void check_memory(const struct net *net, bool training)
{
    struct kept kept;
    struct memory_bill bill;
    struct memory_ask ask = { .training = training, .batch = 3, .card_bytes = 2e9 };
    if (kept_init(&kept, net, training, NULL))
        return;
    memory_bill(&kept, &ask, &bill);
    for (int i = 0; i < MEMORY_ITEM_COUNT; i++)
        if (!isfinite(bill.items[i].high) || bill.items[i].low < 0)
            abort();
    if (training && !isfinite(kept_checkpointed_bytes(&kept, PRECISION_AMP, 3, NULL)))
        abort();
    kept_free(&kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err;
    struct net net;
    err_clear(&err);
    if (onnx_read(&net, data, size, size % 3 ? (struct net_image){ 0 } : (struct net_image){ 32, 48 }, &err)) {
        if (err.code == ERR_NONE || !err.msg[0])
            abort();
        return 0;
    }
    check_order(&net);
    check_memory(&net, true);
    check_memory(&net, false);
    net_free(&net);
    return 0;
}
