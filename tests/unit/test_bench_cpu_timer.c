/* The CPU's timer: how often it runs what it is given, and that samples are of one run. No test here
 * depends on how fast the machine is. */
#include <criterion/criterion.h>

#include "bench/cpu_timer.h"
#include "core/os.h"

struct work {
    unsigned runs, fail_at;
    double wait_ms;
};

static int run(void *self, struct err *err)
{
    struct work *w = self;
    uint64_t start = os_now_ns();
    w->runs++;
    while ((double)(os_now_ns() - start) < w->wait_ms * 1e6)
        ;
    return w->runs == w->fail_at ? err_set(err, ERR_DRIVER, "no more") : 0;
}

Test(bench_cpu_timer, a_sample_is_the_time_of_one_run)
{
    struct work w = { .wait_ms = 2 };
    struct err err;
    double ms;
    err_clear(&err);
    cr_assert_eq(cpu_timer_sample(run, &w, 5, &ms, &err), 0);
    cr_assert_eq(w.runs, 5);
    cr_assert_geq(ms, 2);
}

Test(bench_cpu_timer, short_work_is_repeated_until_a_sample_is_long_enough)
{
    struct work w = { .wait_ms = 0.5 };
    struct err err;
    unsigned repeats;
    err_clear(&err);
    cr_assert_eq(cpu_timer_warm(run, &w, 5, 200, &repeats, &err), 0);
    cr_assert(repeats >= 1 && repeats <= 11, "%u", repeats); /* no run is shorter than it waits */
    cr_assert_geq(w.runs, 3);
}

Test(bench_cpu_timer, work_that_fails_ends_it)
{
    struct work w = { .fail_at = 4 };
    struct err err;
    unsigned repeats;
    double ms;
    err_clear(&err);
    cr_assert_eq(cpu_timer_warm(run, &w, 5, 1000, &repeats, &err), -1);
    cr_assert_eq(w.runs, 4);
    cr_assert_str_eq(err.msg, "no more");
    w.fail_at = 6;
    cr_assert_eq(cpu_timer_sample(run, &w, 10, &ms, &err), -1);
    cr_assert_eq(w.runs, 6);
}
