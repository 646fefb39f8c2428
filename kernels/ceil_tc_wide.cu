/* Ceilings of the tensor instructions on bf16 (K is 16) and tf32 (K is 8; fp32 in memory, of which the
 * instruction reads the upper 19 bits), sums in fp32: see ceil_tc.h.
 *
 *   tensor_bf16(out, a, b, rounds)
 *   tensor_tf32(out, a, b, rounds) */
#include <cuda_bf16.h>

#include "ceil_tc.h"

CEIL_KERNEL tensor_bf16(float *out, const __nv_bfloat16 *a, const __nv_bfloat16 *b, int rounds)
{
    tensor_ceiling<__nv_bfloat16, __nv_bfloat16, float, 16>(out, a, b, rounds);
}

struct tf32 {
    static __device__ void add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

CEIL_KERNEL tensor_tf32(float *out, const unsigned *a, const unsigned *b, int rounds)
{
    tensor_ceiling_narrow<tf32>(out, a, b, rounds);
}
