/* Depthwise convolution, fp32: depthwise_family.h has the kernels, conv_depthwise.h how they work. */
typedef float element;

#include "depthwise_family.h"
