#include <criterion/criterion.h>

#include "cli/inspect.h"
#include "cli/tally.h"

static struct image cubin(unsigned arch)
{
    return (struct image){ .kind = IMAGE_CUBIN,
                           .arch = arch,
                           .payload_size = 100,
                           .toolkit_major = 11,
                           .toolkit_minor = 8 };
}

static struct image ptx(unsigned arch, unsigned major, unsigned minor)
{
    return (struct image){ .kind = IMAGE_PTX,
                           .arch = arch,
                           .payload_size = 50,
                           .unpacked_size = 80,
                           .compression = IMAGE_LZ4,
                           .ptx_major = major,
                           .ptx_minor = minor };
}

static size_t end(struct tally *t, bool empty)
{
    const struct scan_container c = { .kind = IMAGE_IN_FATBIN, .size = 500 };
    struct err err;
    size_t group;
    err_clear(&err);
    cr_assert_eq(tally_container(t, &c, empty, &group, &err), 0, "%s", err.msg);
    return group;
}

static void add(struct tally *t, struct image image)
{
    struct err err;
    err_clear(&err);
    cr_assert_eq(tally_image(t, &image, &err), 0, "%s", err.msg);
}

Test(tally, like_images_share_a_row_and_like_containers_a_group)
{
    static struct tally t;
    add(&t, cubin(35));
    add(&t, cubin(50));
    size_t first = end(&t, false);
    add(&t, cubin(50)); /* in another order */
    add(&t, cubin(35));
    cr_assert_eq(end(&t, false), first);
    add(&t, cubin(50));
    cr_assert_neq(end(&t, false), first);
    cr_assert_eq(t.row_count, 2);
    cr_assert_eq(t.group_count, 2);
    cr_assert_eq(t.container_count, 3);
    cr_assert_eq(t.image_count, 5);
    cr_assert_eq(t.rows[1].count, 3);
    cr_assert_eq(t.rows[1].bytes, 300);
    cr_assert_eq(t.groups[first].count, 2);
    cr_assert_eq(t.groups[first].bytes, 1000);
    tally_free(&t);
}

Test(tally, an_image_twice_in_one_container_counts_twice_and_groups_once)
{
    static struct tally t;
    add(&t, cubin(35));
    add(&t, cubin(35));
    end(&t, false);
    cr_assert_eq(t.rows[0].count, 2);
    cr_assert_eq(t.groups[0].row_count, 1);
    tally_free(&t);
}

Test(tally, a_dropped_container_leaves_no_trace_in_the_counts)
{
    static struct tally t;
    add(&t, cubin(35));
    tally_drop(&t);
    add(&t, cubin(50));
    end(&t, false);
    cr_assert_eq(t.image_count, 1);
    cr_assert_eq(t.rows[0].count, 0);
    cr_assert_eq(t.groups[0].row_count, 1);
    cr_assert_eq(t.rows[t.groups[0].rows[0]].image.arch, 50);
    tally_free(&t);
}

Test(tally, stored_and_unpacked_bytes_are_counted_apart)
{
    static struct tally t;
    add(&t, ptx(35, 7, 8));
    end(&t, false);
    cr_assert_eq(t.rows[0].bytes, 50);
    cr_assert_eq(t.rows[0].unpacked_bytes, 80);
    tally_free(&t);
}

Test(tally, people_read_cubins_before_ptx_and_each_by_arch)
{
    static struct tally t;
    size_t order[4];
    const unsigned expected[] = { 35, 100, 35, 90 };
    add(&t, ptx(90, 7, 8));
    add(&t, cubin(100));
    add(&t, ptx(35, 7, 8));
    add(&t, cubin(35));
    end(&t, false);
    tally_order(&t, order);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(t.rows[order[i]].image.arch, expected[i], "place %zu", i);
    cr_assert_eq(t.rows[order[0]].image.kind, IMAGE_CUBIN);
    cr_assert_eq(t.rows[order[2]].image.kind, IMAGE_PTX);
    tally_free(&t);
}

Test(tally, a_file_with_endless_kinds_of_images_keeps_its_bounds)
{
    static struct tally t;
    for (unsigned i = 0; i < 3 * TALLY_ROWS_MAX; i++)
        add(&t, cubin(i + 10));
    end(&t, false);
    for (unsigned i = 0; i < 2 * TALLY_GROUPS_MAX; i++) {
        add(&t, cubin(10 + i % 100));
        add(&t, cubin(200 + i / 100));
        end(&t, false);
    }
    cr_assert(t.overflowed);
    cr_assert_leq(t.row_count, TALLY_ROWS_MAX);
    cr_assert_leq(t.group_count, TALLY_GROUPS_MAX);
    cr_assert_eq(t.image_count, 3 * TALLY_ROWS_MAX + 4 * TALLY_GROUPS_MAX);
    cr_assert_eq(t.container_count, 2 * TALLY_GROUPS_MAX + 1);
    tally_free(&t);
}

/* ---- verdicts over containers ---- */

static struct inspect_verdict judge(const struct tally *t, unsigned cc)
{
    static struct inspect_verdict v;
    const struct target target = { .rule.cc = cc };
    inspect_judge(t, &target, &v);
    return v;
}

Test(tally, a_file_runs_as_soon_as_one_container_does_and_the_others_are_counted)
{
    static struct tally t;
    add(&t, cubin(35));
    end(&t, false);
    add(&t, cubin(50));
    end(&t, false);
    struct inspect_verdict v = judge(&t, 35);
    cr_assert_eq(v.verdict, VERDICT_RUNS);
    cr_assert_eq(v.sum.usable, 1);
    cr_assert_eq(v.sum.without, 1);
    cr_assert(v.used[0] && !v.used[1]);
    cr_assert(v.without[1] && !v.without[0]);
    cr_assert_not(inspect_is_unfit(&v));
    v = judge(&t, 70);
    cr_assert_eq(v.verdict, VERDICT_NO_IMAGE);
    cr_assert(inspect_is_unfit(&v));
    tally_free(&t);
}

Test(tally, a_container_without_kernels_is_nothing_to_miss)
{
    static struct tally t;
    add(&t, ptx(75, 7, 8));
    end(&t, false);
    add(&t, cubin(75)); /* the stub of a program built for 7.5 */
    end(&t, true);
    struct inspect_verdict v = judge(&t, 80);
    cr_assert_eq(v.verdict, VERDICT_RUNS_BY_JIT);
    cr_assert_eq(v.sum.without, 0);
    tally_free(&t);
}

Test(tally, what_the_device_linker_was_given_counts_only_where_its_product_is_missing)
{
    static struct tally t;
    struct image relocatable = cubin(35);
    relocatable.relocatable = true;
    add(&t, relocatable);
    end(&t, false);
    cr_assert_eq(judge(&t, 35).verdict, VERDICT_RUNS, "an object file");
    add(&t, cubin(50));
    end(&t, false);
    cr_assert_eq(judge(&t, 35).verdict, VERDICT_NO_IMAGE, "a program, linked for 5.0 only");
    cr_assert_eq(t.linked_count, 1);
    tally_free(&t);
}

Test(tally, a_file_without_gpu_code_is_never_at_fault)
{
    static struct tally t;
    struct inspect_verdict v = judge(&t, 35);
    cr_assert_eq(v.verdict, VERDICT_NO_GPU_CODE);
    cr_assert_not(inspect_is_unfit(&v));
    add(&t, (struct image){ .kind = IMAGE_LTO, .arch = 80 });
    end(&t, false);
    v = judge(&t, 35);
    cr_assert_eq(v.verdict, VERDICT_NO_GPU_CODE);
    cr_assert_not(inspect_is_unfit(&v));
    tally_free(&t);
}
