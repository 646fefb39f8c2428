/* Convolution as implicit GEMM, fp16 in memory, fp32 arithmetic: conv_family.h has the
 * kernels, conv_gather.h, conv_weights.h how they work. */
#include "conv_store.h"

typedef half_bits element;

#include "conv_family.h"
