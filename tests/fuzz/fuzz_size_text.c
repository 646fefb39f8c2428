/* Any text as a layer file: refused with a reason, or a network whose layers read earlier ones. */
#include <stdint.h>
#include <stdlib.h>

#include "size/net_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err;
    struct net net;
    err_clear(&err);
    if (net_text_read(&net, (const char *)data, size, size % 2 ? (struct net_image){ 0 } : (struct net_image){ 64, 80 }, &err)) {
        if (err.code == ERR_NONE || !err.msg[0])
            abort();
        return 0;
    }
    for (size_t i = 0; i < net.count; i++)
        for (size_t k = 0; k < net.layers[i].input_count; k++)
            if (net.inputs[net.layers[i].first_input + k] >= i)
                abort();
    net_free(&net);
    return 0;
}
