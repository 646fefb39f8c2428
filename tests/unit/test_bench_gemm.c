/* The table of matrix kernels and the choice among them; what they compute is tested in
 * tests/kernels. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "bench/gemm.h"

static const struct gemm_card small = { 35, 2 }, large = { 80, 108 };

static struct gemm_choice choose(const struct gemm_card *card, struct gemm_shape shape)
{
    struct gemm_choice choice;
    cr_assert(gemm_choose(card, BENCH_FP32, &shape, NULL, &choice));
    return choice;
}

Test(bench_gemm, kernels_are_named_after_their_family_and_tile)
{
    for (size_t i = 0; i < gemm_variant_count; i++) {
        const struct gemm_variant *v = &gemm_variants[i];
        char begin[96];
        snprintf(begin, sizeof begin, "%s_%dx%d", v->family, v->tile_m, v->tile_n);
        cr_expect_eq(strncmp(v->kernel, begin, strlen(begin)), 0, "%s", v->kernel);
        cr_expect_eq(v->threads % 32, 0);
        cr_expect(v->align == 1 || (v->align & (v->align - 1)) == 0);
    }
}

Test(bench_gemm, each_class_has_a_kernel_for_any_layout_and_alignment)
{
    for (int p = 0; p < BENCH_PRECISION_COUNT; p++) {
        bool any = false, odd = false;
        for (size_t i = 0; i < gemm_variant_count; i++) {
            const struct gemm_variant *v = &gemm_variants[i];
            if (v->precision != (enum bench_precision)p)
                continue;
            any = true;
            odd = odd || (v->align == 1 && v->layouts == (GEMM_NN | GEMM_TN | GEMM_NT | GEMM_TT));
        }
        cr_expect(!any || odd, "%s", bench_precision_name((enum bench_precision)p));
    }
}

Test(bench_gemm, what_is_not_aligned_takes_no_kernel_that_wants_it)
{
    struct gemm_shape shape = { .m = 4095, .n = 4096, .k = 4096, .batch = 1 };
    struct gemm_buffers shifted = { .a = 4096, .b = 4100, .c = 8192 };
    cr_expect_eq(choose(&large, shape).variant->align, 1);
    shape.m = 4096;
    cr_expect_gt(choose(&large, shape).variant->align, 1);

    struct gemm_choice choice;
    cr_assert(gemm_choose(&large, BENCH_FP32, &shape, &shifted, &choice));
    cr_expect_eq(choice.variant->align, 1);
}

Test(bench_gemm, a_large_product_takes_large_tiles_and_no_splits)
{
    struct gemm_choice c =
        choose(&large, (struct gemm_shape){ .m = 4096, .n = 4096, .k = 4096, .batch = 1 });
    cr_expect_eq(c.variant->tile_m, 128);
    cr_expect_eq(c.splits, 1);
    c = choose(&small, (struct gemm_shape){ .m = 1024, .n = 1024, .k = 1024, .batch = 1 });
    cr_expect_eq(c.variant->tile_m, 128);
    cr_expect_eq(c.splits, 1);
}

Test(bench_gemm, few_tiles_and_a_long_sum_are_split)
{
    struct gemm_shape shape = { .m = 64, .n = 64, .k = 100000, .batch = 1 };
    struct gemm_choice c = choose(&large, shape);
    cr_expect_gt(c.splits, 8);
    cr_expect_eq(gemm_workspace(&c, &shape) % (4 * 64 * 64), 0);
    cr_expect_leq(gemm_workspace(&c, &shape), (size_t)c.splits * 4 * 64 * 64);
    c.splits = 1;
    cr_expect_eq(gemm_workspace(&c, &shape), 0);
}

Test(bench_gemm, small_products_use_tiles_that_leave_no_multiprocessor_idle)
{
    struct gemm_choice c =
        choose(&large, (struct gemm_shape){ .m = 256, .n = 256, .k = 64, .batch = 1 });
    cr_expect_leq(c.variant->tile_m, 64);
    c = choose(&large, (struct gemm_shape){ .m = 16, .n = 16, .k = 16, .batch = 1 });
    cr_expect_eq(c.variant->tile_m, 32);
    cr_expect_eq(c.splits, 1);
}

Test(bench_gemm, a_class_that_the_card_has_no_instruction_for_has_no_kernel)
{
    struct gemm_shape shape = { .m = 64, .n = 64, .k = 64, .batch = 1 };
    struct gemm_choice choice;
    cr_expect_not(gemm_choose(&small, BENCH_DP4A, &shape, NULL, &choice));
    cr_expect_not(gemm_choose(&small, BENCH_FP64, &shape, NULL, &choice));
}
