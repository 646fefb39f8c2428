/* How the containers of a file are weighed, on made-up groups; expectations are the rules of
 * NVIDIA's compatibility guides and measured packages (results/packages), not this code's output.
 */
#include <criterion/criterion.h>

#include "doctor/judge.h"

#define SM(n)                                                                                      \
    {                                                                                              \
        .kind = ARCH_CUBIN, .arch = (n), .toolkit_major = 10, .toolkit_minor = 1                   \
    }
#define PTX(n, s)                                                                                  \
    {                                                                                              \
        .kind = ARCH_PTX, .arch = (n), .suffix = (s), .ptx_major = 6, .ptx_minor = 4               \
    }

static struct arch_target on(unsigned cc)
{
    return (struct arch_target){ .cc = cc };
}

static struct judge judged(struct holds_group *groups, size_t count, unsigned cc)
{
    const struct holds holds = { .groups = groups, .group_count = count };
    struct arch_target target = on(cc);
    struct judge j;
    judge_file(&holds, &target, &j);
    return j;
}

Test(judge, nvidias_part_of_a_pytorch_file_does_not_speak_for_it)
{
    struct arch_image own[] = { SM(37), SM(50), SM(60), SM(70), SM(75), PTX(37, 0) };
    struct arch_image theirs[] = { SM(35), SM(50), SM(60) };
    struct holds_group groups[] = {
        { .images = own, .image_count = 6, .containers = 283, .origin = HOLDS_OWN },
        { .images = theirs, .image_count = 3, .containers = 232, .origin = HOLDS_NVIDIA },
    };
    cr_assert_eq(judged(groups, 2, 35).verdict, VERDICT_NO_IMAGE);
    cr_assert_eq(judged(groups, 2, 37).verdict, VERDICT_RUNS);
    cr_assert_eq(judged(groups, 2, 75).verdict, VERDICT_RUNS);
    cr_assert_eq(judged(groups, 2, 35).without, 283);
}

Test(judge, a_few_special_containers_do_not_save_the_general_ones)
{
    struct arch_image general[] = { SM(52), SM(61), SM(75), SM(86) };
    struct arch_image special[] = { SM(70) };
    struct holds_group groups[] = {
        { .images = general, .image_count = 4, .containers = 150 },
        { .images = special, .image_count = 1, .containers = 40 },
    };
    cr_assert_eq(judged(groups, 2, 70).verdict, VERDICT_NO_IMAGE);
    cr_assert_eq(judged(groups, 2, 75).verdict, VERDICT_RUNS);
}

Test(judge, one_container_for_the_card_is_enough_where_each_is_for_one_architecture)
{
    struct arch_image a[] = { SM(50) }, b[] = { SM(70) };
    struct holds_group groups[] = { { .images = a, .image_count = 1, .containers = 1 },
                                    { .images = b, .image_count = 1, .containers = 500 } };
    cr_assert_eq(judged(groups, 2, 50).verdict, VERDICT_RUNS);
    cr_assert_eq(judged(groups, 2, 60).verdict, VERDICT_NO_IMAGE);
}

Test(judge, ptx_for_one_architecture_alone_is_told)
{
    struct arch_image images[] = { SM(60), SM(90), PTX(90, 'a') };
    struct holds_group group = { .images = images, .image_count = 3, .containers = 1 };
    struct judge j = judged(&group, 1, 120);
    cr_assert_eq(j.verdict, VERDICT_NO_IMAGE);
    cr_assert(j.special_ptx);
    cr_assert_eq(j.lowest, 60);
    cr_assert_eq(j.highest, 90);
}

Test(judge, a_few_containers_with_such_ptx_say_nothing_about_the_others)
{
    struct arch_image plain[] = { SM(60), SM(90) };
    struct arch_image special[] = { SM(80), SM(90), PTX(90, 'a') };
    struct holds_group groups[] = { { .images = plain, .image_count = 2, .containers = 250 },
                                    { .images = special, .image_count = 3, .containers = 5 } };
    struct judge j = judged(groups, 2, 120);
    cr_assert_eq(j.verdict, VERDICT_NO_IMAGE);
    cr_assert_not(j.special_ptx);
}

Test(judge, ptx_that_the_driver_compiles_is_no_failure)
{
    struct arch_image images[] = { SM(60), PTX(30, 0) };
    struct holds_group group = { .images = images, .image_count = 2, .containers = 1 };
    struct judge j = judged(&group, 1, 35);
    cr_assert_eq(j.verdict, VERDICT_RUNS_BY_JIT);
    cr_assert_not(judge_fails(&j));
}

Test(judge, input_of_the_device_linker_counts_only_where_there_is_nothing_else)
{
    struct arch_image a[] = { SM(35) }, b[] = { SM(50), SM(60) };
    struct holds_group groups[] = {
        { .images = a, .image_count = 1, .containers = 9, .linked = true },
        { .images = b, .image_count = 2, .containers = 1 },
    };
    cr_assert_eq(judged(groups, 2, 35).verdict, VERDICT_NO_IMAGE);
    cr_assert_eq(judged(groups, 1, 35).verdict, VERDICT_RUNS);
}

Test(judge, a_file_without_groups_has_no_gpu_code)
{
    struct judge j = judged(NULL, 0, 35);
    cr_assert_eq(j.verdict, VERDICT_NO_GPU_CODE);
    cr_assert_not(judge_fails(&j));
}
