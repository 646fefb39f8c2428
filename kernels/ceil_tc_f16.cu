/* Ceiling of the tensor instructions on halves with sums in fp32: see ceil_tc.h; K is 16.
 *
 *   tensor_f16(out, a, b, rounds)
 *
 * From 9.0 on the card has a faster way (products of whole warp groups) that needs an image for one card
 * only, so that this is the ceiling of the instructions that a kernel for all cards can use. */
#include <cuda_fp16.h>

#include "ceil_tc.h"

CEIL_KERNEL tensor_f16(float *out, const __half *a, const __half *b, int rounds)
{
    tensor_ceiling<__half, __half, float, 16>(out, a, b, rounds);
}
