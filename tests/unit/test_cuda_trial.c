/* A driver is opened in a copy of the program first: what becomes of the copy is a result. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "cuda/trial.h"

static const struct worker_task *const table[] = { &trial_task, NULL };

/* Before Criterion's main: this copy is a worker. */
__attribute__((constructor)) static void become_worker(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--worker") == 0)
        worker_main(table, argv[2]);
}

static struct trial try_with(const char *library, const char *init)
{
    struct trial trial;
    struct err err;
    err_clear(&err);
    setenv("STUB_INIT", init, 1);
    cr_assert_eq(trial_run(library, false, &trial, &err), 0, "%s", err.msg);
    return trial;
}

static const char *stub(void)
{
    return beside("stubs/cuda-9.0/libcuda.so.1");
}

Test(trial, a_driver_that_works_or_refuses_survives)
{
    cr_expect(try_with(stub(), "0").survived);
    cr_expect(try_with(stub(), "999").survived);
    cr_expect(try_with("/nonexistent/libcuda.so.1", "0").survived);
}

Test(trial, a_driver_that_crashes_is_told_with_the_signal)
{
    struct trial trial = try_with(stub(), "abort");
    cr_expect_not(trial.survived);
    cr_expect(strstr(trial.how, "signal 6") != NULL, "%s", trial.how);
    cr_expect(strstr(trial.how, "libcuda.so.1") != NULL, "%s", trial.how);
}

Test(trial, a_driver_that_ends_the_process_as_if_all_were_well_is_told)
{
    struct trial trial = try_with(stub(), "exit");
    cr_expect_not(trial.survived);
    cr_expect(strstr(trial.how, "without a word") != NULL, "%s", trial.how);
}
