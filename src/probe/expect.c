#include "probe/expect.h"

#include <math.h>
#include <stdint.h>

/* Every step is one IEEE operation with one rounding, as the kernel's intrinsics are: a compiler
 * that joins a product and a sum would change the bits. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

struct probe_result expect_result(unsigned seed, unsigned index)
{
    uint32_t x = seed + index, sum = 0;
    for (int i = 0; i < 32; i++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 15;
        sum += (uint32_t)((uint64_t)x * 2654435769u >> 32);
    }
    float f = (float)(x & 0xffffu) * (1.0f / 65536.0f);
    double d = (double)(x & 0xffffu) * (1.0 / 65536.0);
    for (int i = 0; i < 32; i++) {
        f = 1.0f / sqrtf(1.0f + fmaf(f, 0.75f, 0.3125f));
        d = 1.0 / sqrt(1.0 + fma(d, 0.75, 0.3125));
    }
    return (struct probe_result){ .integer = sum, .single_precision = f, .double_precision = d };
}
