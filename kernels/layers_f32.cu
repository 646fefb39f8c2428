/* The layers between convolutions, fp32: layers_family.h has the kernels, layers_body.h how they work. */
typedef float element;

#include "layers_family.h"
