#include "bench/gemm.h"

enum { ANY_LAYOUT = GEMM_NN | GEMM_TN | GEMM_NT | GEMM_TT };

/* The kernels in kernels/gemm_*.cu, by class, large tiles first. */
const struct gemm_variant gemm_variants[] = {
#define V(family, suffix, ...)                                                                     \
    {                                                                                              \
        family, family "_" suffix, __VA_ARGS__                                                     \
    }
    V("gemm_f32", "128x128_nn", BENCH_FP32, 35, 128, 128, 8, 256, 16640, GEMM_NN, 4, 90),
    V("gemm_f32", "128x128_nt", BENCH_FP32, 35, 128, 128, 8, 256, 16384, GEMM_NT, 4, 91),
    V("gemm_f32", "128x128_tn", BENCH_FP32, 35, 128, 128, 8, 256, 16896, GEMM_TN, 4, 90),
    V("gemm_f32", "64x64_aligned", BENCH_FP32, 35, 64, 64, 8, 128, 8704, ANY_LAYOUT, 4, 84),
    V("gemm_f32", "64x64", BENCH_FP32, 35, 64, 64, 8, 128, 8704, ANY_LAYOUT, 1, 77),
    V("gemm_f32", "32x32", BENCH_FP32, 35, 32, 32, 8, 64, 4608, ANY_LAYOUT, 1, 65),

    V("gemm_f16s", "128x128_nn", BENCH_FP16S, 35, 128, 128, 8, 256, 16640, GEMM_NN, 4, 89),
    V("gemm_f16s", "128x128_nt", BENCH_FP16S, 35, 128, 128, 8, 256, 16384, GEMM_NT, 4, 89),
    V("gemm_f16s", "128x128_tn", BENCH_FP16S, 35, 128, 128, 8, 256, 16896, GEMM_TN, 4, 89),
    V("gemm_f16s", "64x64_aligned", BENCH_FP16S, 35, 64, 64, 8, 128, 8704, ANY_LAYOUT, 4, 81),
    V("gemm_f16s", "64x64", BENCH_FP16S, 35, 64, 64, 8, 128, 8704, ANY_LAYOUT, 1, 71),
    V("gemm_f16s", "32x32", BENCH_FP16S, 35, 32, 32, 8, 64, 4608, ANY_LAYOUT, 1, 57),

    V("gemm_half2", "128x128_nn", BENCH_HALF2, 53, 128, 128, 8, 128, 8448, GEMM_NN, 8, 90),
    V("gemm_half2", "128x128_nt", BENCH_HALF2, 53, 128, 128, 8, 128, 8192, GEMM_NT, 8, 92),
    V("gemm_half2", "128x128_tn", BENCH_HALF2, 53, 128, 128, 8, 128, 8704, GEMM_TN, 8, 89),
    V("gemm_half2", "64x64", BENCH_HALF2, 53, 64, 64, 8, 64, 4608, ANY_LAYOUT, 1, 60),
    V("gemm_half2", "32x32", BENCH_HALF2, 53, 32, 32, 8, 32, 2560, ANY_LAYOUT, 1, 43),

    V("gemm_dp4a", "128x128_nn", BENCH_DP4A, 61, 128, 128, 32, 256, 16640, GEMM_NN, 16, 87),
    V("gemm_dp4a", "128x128_nt", BENCH_DP4A, 61, 128, 128, 32, 256, 16384, GEMM_NT, 16, 85),
    V("gemm_dp4a", "128x128_tn", BENCH_DP4A, 61, 128, 128, 32, 256, 16896, GEMM_TN, 16, 91),
    V("gemm_dp4a", "64x64", BENCH_DP4A, 61, 64, 64, 32, 128, 8704, ANY_LAYOUT, 1, 60),
    V("gemm_dp4a", "32x32", BENCH_DP4A, 61, 32, 32, 32, 64, 4608, ANY_LAYOUT, 1, 45),

    V("gemm_tc_f16", "128x128_nn", BENCH_TC_FP16, 70, 128, 128, 16, 128, 20992, GEMM_NN, 8, 90),
    V("gemm_tc_f16", "128x128_nt", BENCH_TC_FP16, 70, 128, 128, 16, 128, 17408, GEMM_NT, 8, 90),
    V("gemm_tc_f16", "128x128_tn", BENCH_TC_FP16, 70, 128, 128, 16, 128, 24576, GEMM_TN, 8, 90),
    V("gemm_tc_f16", "64x64_nn", BENCH_TC_FP16, 70, 64, 64, 16, 128, 10752, GEMM_NN, 8, 70),
    V("gemm_tc_f16", "64x64_nt", BENCH_TC_FP16, 70, 64, 64, 16, 128, 9216, GEMM_NT, 8, 70),
    V("gemm_tc_f16", "64x64_tn", BENCH_TC_FP16, 70, 64, 64, 16, 128, 12288, GEMM_TN, 8, 70),
    V("gemm_tc_f16", "64x64", BENCH_TC_FP16, 70, 64, 64, 16, 128, 12288, ANY_LAYOUT, 1, 40),
    V("gemm_tc_f16", "32x32", BENCH_TC_FP16, 70, 32, 32, 16, 128, 6144, ANY_LAYOUT, 1, 20),

    V("gemm_tc_bf16", "128x128_nn", BENCH_TC_BF16, 80, 128, 128, 16, 128, 20992, GEMM_NN, 8, 90),
    V("gemm_tc_bf16", "128x128_nt", BENCH_TC_BF16, 80, 128, 128, 16, 128, 17408, GEMM_NT, 8, 90),
    V("gemm_tc_bf16", "128x128_tn", BENCH_TC_BF16, 80, 128, 128, 16, 128, 24576, GEMM_TN, 8, 90),
    V("gemm_tc_bf16", "64x64_nn", BENCH_TC_BF16, 80, 64, 64, 16, 128, 10752, GEMM_NN, 8, 70),
    V("gemm_tc_bf16", "64x64_nt", BENCH_TC_BF16, 80, 64, 64, 16, 128, 9216, GEMM_NT, 8, 70),
    V("gemm_tc_bf16", "64x64_tn", BENCH_TC_BF16, 80, 64, 64, 16, 128, 12288, GEMM_TN, 8, 70),
    V("gemm_tc_bf16", "64x64", BENCH_TC_BF16, 80, 64, 64, 16, 128, 12288, ANY_LAYOUT, 1, 40),
    V("gemm_tc_bf16", "32x32", BENCH_TC_BF16, 80, 32, 32, 16, 128, 6144, ANY_LAYOUT, 1, 20),

    V("gemm_tc_tf32", "128x128_nn", BENCH_TC_TF32, 80, 128, 128, 8, 128, 20992, GEMM_NN, 4, 90),
    V("gemm_tc_tf32", "128x128_nt", BENCH_TC_TF32, 80, 128, 128, 8, 128, 17408, GEMM_NT, 4, 90),
    V("gemm_tc_tf32", "128x128_tn", BENCH_TC_TF32, 80, 128, 128, 8, 128, 24576, GEMM_TN, 4, 90),
    V("gemm_tc_tf32", "64x64_nn", BENCH_TC_TF32, 80, 64, 64, 8, 128, 10752, GEMM_NN, 4, 70),
    V("gemm_tc_tf32", "64x64_nt", BENCH_TC_TF32, 80, 64, 64, 8, 128, 9216, GEMM_NT, 4, 70),
    V("gemm_tc_tf32", "64x64_tn", BENCH_TC_TF32, 80, 64, 64, 8, 128, 12288, GEMM_TN, 4, 70),
    V("gemm_tc_tf32", "64x64", BENCH_TC_TF32, 80, 64, 64, 8, 128, 12288, ANY_LAYOUT, 1, 40),
    V("gemm_tc_tf32", "32x32", BENCH_TC_TF32, 80, 32, 32, 8, 128, 6144, ANY_LAYOUT, 1, 20),

    V("gemm_tc_s8", "128x128_nn", BENCH_TC_INT8, 72, 128, 128, 32, 128, 16896, GEMM_NN, 16, 90),
    V("gemm_tc_s8", "128x128_nt", BENCH_TC_INT8, 72, 128, 128, 32, 128, 16896, GEMM_NT, 16, 90),
    V("gemm_tc_s8", "128x128_tn", BENCH_TC_INT8, 72, 128, 128, 32, 128, 16896, GEMM_TN, 16, 90),
    V("gemm_tc_s8", "64x64", BENCH_TC_INT8, 72, 64, 64, 32, 128, 8704, ANY_LAYOUT, 1, 40),
    V("gemm_tc_s8", "32x32", BENCH_TC_INT8, 72, 32, 32, 32, 128, 4608, ANY_LAYOUT, 1, 20),
#undef V
};
const size_t gemm_variant_count = sizeof gemm_variants / sizeof gemm_variants[0];
