/* The layers between convolutions, fp16 in memory, fp32 arithmetic: layers_family.h has the
 * kernels, layers_body.h how they work. */
#include "conv_store.h"

typedef half_bits element;

#include "layers_family.h"
