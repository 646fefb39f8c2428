#include "bench/gemm.h"

enum { ALL_LAYOUTS = GEMM_NN | GEMM_TN | GEMM_NT | GEMM_TT };

/* The kernels in kernels/gemm_*.cu, by class, large tiles first. */
const struct gemm_variant gemm_variants[] = {
#define V(family, suffix, ...)                                                                     \
    {                                                                                              \
        family, family "_" suffix, __VA_ARGS__                                                     \
    }
    V("gemm_f32", "128x128_nn", BENCH_FP32, 35, 128, 128, 8, 256, 16640, GEMM_NN, 4, 90),
    V("gemm_f32", "128x128_nt", BENCH_FP32, 35, 128, 128, 8, 256, 16384, GEMM_NT, 4, 91),
    V("gemm_f32", "128x128_tn", BENCH_FP32, 35, 128, 128, 8, 256, 16896, GEMM_TN, 4, 90),
    V("gemm_f32", "64x64", BENCH_FP32, 35, 64, 64, 8, 128, 8704, ALL_LAYOUTS, 1, 77),
    V("gemm_f32", "32x32", BENCH_FP32, 35, 32, 32, 8, 64, 4608, ALL_LAYOUTS, 1, 65),
#undef V
};
const size_t gemm_variant_count = sizeof gemm_variants / sizeof gemm_variants[0];
