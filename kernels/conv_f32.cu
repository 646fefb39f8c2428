/* Convolution as implicit GEMM, fp32: conv_family.h has the kernels, conv_gather.h, conv_weights.h how they work. */
typedef float element;

#include "conv_family.h"
