/* probe: which image ran, and does it compute?
 *
 *   probe(out, count, seed)   out: count x struct probe_result, device memory
 *
 * One thread an element, any grid and block shape in x; threads past `count` do nothing. Each image of
 * this kernel is compiled with its own SMFIT_IMAGE_ID: __CUDA_ARCH__ alone cannot tell a cubin from the
 * PTX of the same target, nor that PTX compiled by the driver for a later card.
 *
 * The work for thread t, with x = seed + t in 32 bits (all operations wrap, or round to nearest even;
 * fma is one rounding; nothing is left to the compiler's choice, so a host gets the same bits):
 *
 *   integer   32 times: x = x * 1664525 + 1013904223; x = x ^ (x >> 15); sum += high32(x * 2654435769)
 *   single    f = (x & 0xffff) / 65536; 32 times: f = fma(f, 0.75, 0.3125); f = 1 / sqrt(1 + f)
 *   double    the same as single in double precision
 *
 * single and double start from the x that the integer part ends with. All of it exists in every PTX
 * ISA from 3.1 on, so that the PTX of this family loads on the oldest driver that knows an sm_35. */
#include "probe.h"

#ifndef SMFIT_IMAGE_ID
#error "each image of probe needs its own SMFIT_IMAGE_ID"
#endif

extern "C" __global__ void probe(struct probe_result *out, unsigned count, unsigned seed)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;

    unsigned x = seed + t, sum = 0;
#pragma unroll 1
    for (int i = 0; i < 32; i++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 15;
        sum += __umulhi(x, 2654435769u);
    }

    float f = __fmul_rn((float)(x & 0xffffu), 1.0f / 65536.0f);
    double d = __dmul_rn((double)(x & 0xffffu), 1.0 / 65536.0);
#pragma unroll 1
    for (int i = 0; i < 32; i++) {
        f = __fdiv_rn(1.0f, __fsqrt_rn(__fadd_rn(1.0f, __fmaf_rn(f, 0.75f, 0.3125f))));
        d = __ddiv_rn(1.0, __dsqrt_rn(__dadd_rn(1.0, __fma_rn(d, 0.75, 0.3125))));
    }

    out[t].image_id = SMFIT_IMAGE_ID;
    out[t].cuda_arch = __CUDA_ARCH__;
    out[t].integer = sum;
    out[t].single_precision = f;
    out[t].double_precision = d;
}
