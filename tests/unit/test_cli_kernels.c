#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kernels.h"
#include "core/str.h"

static void add_ptx(struct kernels *k, unsigned arch, const char *text)
{
    const struct image image = { .kind = IMAGE_PTX, .arch = arch };
    struct err err;
    err_clear(&err);
    cr_assert_eq(kernels_add_image(k, &image, (const uint8_t *)text, strlen(text), &err), 0, "%s",
                 err.msg);
}

#define HEAD ".version 6.0\n.target sm_35\n.address_size 64\n"

static void assert_archs(const struct kernels *k, size_t i, const char *expected)
{
    struct str s = STR_INIT;
    kernels_add_archs(&s, k, i);
    cr_assert_str_eq(s.p, expected, "kernel %zu: %s", i, s.p);
    str_free(&s);
}

Test(kernels, each_name_is_kept_once_with_the_images_that_hold_it)
{
    struct kernels k = { 0 };
    add_ptx(&k, 35, HEAD ".visible .entry alpha(){ret;}\n.visible .entry beta(){ret;}\n");
    add_ptx(&k, 50, HEAD ".visible .entry beta(){ret;}\n");
    cr_assert_eq(k.count, 2);
    cr_assert_eq(k.image_count, 2);
    cr_assert_str_eq(k.list[0].name, "alpha");
    assert_archs(&k, 0, "compute_35");
    assert_archs(&k, 1, "compute_35 compute_50");
    kernels_clear(&k);
    cr_assert_eq(k.count, 0);
    cr_assert_eq(k.image_count, 0);
    add_ptx(&k, 70, HEAD ".visible .entry beta(){ret;}\n");
    cr_assert_eq(k.count, 1);
    assert_archs(&k, 0, "compute_70");
    kernels_free(&k);
}

Test(kernels, thousands_of_names_are_found_again)
{
    struct kernels k = { 0 };
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            char text[160];
            snprintf(text, sizeof text, HEAD ".visible .entry kernel_%d(){ret;}\n", i);
            add_ptx(&k, round ? 50 : 35, text);
        }
    cr_assert_eq(k.count, 5000);
    for (size_t i = 0; i < k.count; i++)
        assert_archs(&k, i, "compute_35 compute_50");
    kernels_free(&k);
}

Test(kernels, more_archs_than_there_is_room_for_share_the_last)
{
    struct kernels k = { 0 };
    for (unsigned arch = 10; arch < 10 + 2 * KERNELS_ARCHS_MAX; arch++)
        add_ptx(&k, arch, HEAD ".visible .entry one(){ret;}\n");
    cr_assert_eq(k.count, 1);
    cr_assert_eq(k.arch_count, KERNELS_ARCHS_MAX);
    kernels_free(&k);
}

/* Names of a megabyte each, more than are kept. */
Test(kernels, names_beyond_the_bound_are_left_out_and_it_is_known)
{
    enum { NAME = 1 << 20, NAMES = KERNELS_BYTES_MAX / NAME };
    struct kernels k = { 0 };
    char *text = malloc(NAME + 100);
    int head = sprintf(text, HEAD ".visible .entry ");
    memset(text + head, 'k', NAME);
    strcpy(text + head + NAME, "(){ret;}\n");
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < NAMES + 5; i++) {
            text[head] = (char)('A' + i % 26);
            text[head + 1] = (char)('A' + i / 26);
            add_ptx(&k, round ? 50 : 35, text);
        }
    cr_assert_eq(k.count, NAMES);
    cr_assert(k.cut);
    for (size_t i = 0; i < k.count; i++) /* what is known is known in later images too */
        assert_archs(&k, i, "compute_35 compute_50");
    kernels_clear(&k);
    cr_assert_not(k.cut);
    add_ptx(&k, 35, text);
    cr_assert_eq(k.count, 1);
    kernels_free(&k);
    free(text);
}

static const struct {
    const char *name, *pattern;
    bool matches;
} patterns[] = {
    { "sgemm_128x64", "gemm", true },   { "sgemm_128x64", "sgemm*", true },
    { "sgemm_128x64", "gemm*", false }, { "sgemm_128x64", "*_128?64", true },
    { "sgemm_128x64", "dgemm", false }, { "_Z3addPf", "_Z3add", true },
};

Test(kernels, a_pattern_is_a_part_of_the_name_or_a_shell_pattern)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        cr_assert_eq(kernels_name_matches(patterns[i].name, patterns[i].pattern),
                     patterns[i].matches, "row %zu", i);
}
