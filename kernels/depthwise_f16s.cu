/* Depthwise convolution, fp16 in memory, fp32 arithmetic: depthwise_family.h has the
 * kernels, conv_depthwise.h how they work. */
#include "conv_store.h"

typedef half_bits element;

#include "depthwise_family.h"
