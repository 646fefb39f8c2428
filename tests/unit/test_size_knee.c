#include <criterion/criterion.h>

#include "size/knee.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A point without a range. */
#define EXACT(batch, rate) { batch, rate, rate, rate }

static int batch_of(const struct knee_point *points, size_t index)
{
    return points[index].batch;
}

/* The published times of a Tesla M40 for 1760 x N x 1760 (benchmark notes, section 5): 0.192 ms at 16 and 32,
 * 0.261 at 64, 0.336 at 128; so 83, 167, 245 and 381 columns a millisecond. */
Test(size_knee, the_largest_batch_wins_while_it_gains)
{
    struct knee_point points[] = { EXACT(16, 83), EXACT(32, 167), EXACT(64, 245), EXACT(128, 381) };
    struct knee knee;
    cr_assert_eq(knee_find(points, COUNT(points), &knee), 0);
    cr_assert_eq(batch_of(points, knee.best), 128);
    cr_assert_eq(batch_of(points, knee.chosen), 128);
    cr_assert_eq(batch_of(points, knee.sure), 128);
}

Test(size_knee, the_smallest_batch_within_five_percent_of_the_best_is_chosen)
{
    struct knee_point points[] = { EXACT(1, 60), EXACT(2, 94.9), EXACT(4, 95), EXACT(8, 99), EXACT(16, 100) };
    struct knee knee;
    cr_assert_eq(knee_find(points, COUNT(points), &knee), 0);
    cr_assert_eq(batch_of(points, knee.best), 16);
    cr_assert_eq(batch_of(points, knee.chosen), 4);
}

Test(size_knee, a_dip_between_good_batches_does_not_matter)
{
    struct knee_point points[] = { EXACT(1, 40), EXACT(2, 98), EXACT(3, 55), EXACT(4, 100), EXACT(6, 70) };
    struct knee knee;
    cr_assert_eq(knee_find(points, COUNT(points), &knee), 0);
    cr_assert_eq(batch_of(points, knee.best), 4);
    cr_assert_eq(batch_of(points, knee.chosen), 2);
}

Test(size_knee, points_may_come_in_any_order)
{
    struct knee_point points[] = { EXACT(16, 100), EXACT(2, 97), EXACT(8, 100), EXACT(1, 50), EXACT(4, 99) };
    struct knee knee;
    cr_assert_eq(knee_find(points, COUNT(points), &knee), 0);
    cr_assert_eq(batch_of(points, knee.best), 8, "of equal ones the smaller batch");
    cr_assert_eq(batch_of(points, knee.chosen), 2);
}

Test(size_knee, what_cannot_be_told_apart_is_decided_for_the_smaller_batch)
{
    struct knee_point points[] = { { 2, 80, 90, 94 }, { 4, 93, 96, 98 }, { 8, 96, 98, 99 }, { 16, 97, 100, 101 } };
    struct knee knee;
    cr_assert_eq(knee_find(points, COUNT(points), &knee), 0);
    cr_assert_eq(batch_of(points, knee.sure), 8, "the first whose lower bound reaches 95");
    cr_assert_eq(batch_of(points, knee.chosen), 4);
}

Test(size_knee, where_no_lower_bound_reaches_it_the_best_is_the_sure_one)
{
    struct knee_point points[] = { { 1, 10, 50, 90 }, { 2, 20, 97, 120 }, { 4, 20, 100, 130 } };
    struct knee knee;
    cr_assert_eq(knee_find(points, COUNT(points), &knee), 0);
    cr_assert_eq(batch_of(points, knee.sure), 4);
    cr_assert_eq(batch_of(points, knee.chosen), 2);
}

Test(size_knee, one_point_is_the_answer_and_none_is_no_answer)
{
    struct knee_point one[] = { EXACT(3, 7) }, nothing[] = { EXACT(1, 0), EXACT(2, 0) };
    struct knee knee;
    cr_assert_eq(knee_find(one, 1, &knee), 0);
    cr_assert_eq(batch_of(one, knee.chosen), 3);
    cr_assert_eq(knee_find(nothing, COUNT(nothing), &knee), -1);
    cr_assert_eq(knee_find(one, 0, &knee), -1);
}
