#include <criterion/criterion.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/os_process.h"

TestSuite(os_process, .timeout = 30);

static struct os_process_result result;
static struct err err;

static int run_shell(const char *script, const char *const *environment, const char *input,
                     uint64_t timeout_ms, bool report)
{
    const char *const argv[] = { "/bin/sh", "-c", script, NULL };
    struct os_process process = {
        .argv = argv,
        .environment = environment,
        .input = input,
        .input_size = input ? strlen(input) : 0,
        .output_max = 1 << 20,
        .timeout_ms = timeout_ms,
        .report = report,
    };
    err_clear(&err);
    return os_process_run(&process, &result, &err);
}

Test(os_process, streams_and_report_are_kept_apart)
{
    cr_assert_eq(run_shell("cat; echo two >&2; echo three >&3; exit 5", NULL, "one\n", 5000, true), 0);
    cr_expect_eq(result.end, OS_EXITED);
    cr_expect_eq(result.status, 5);
    cr_expect_str_eq(result.out.p, "one\n");
    cr_expect_str_eq(result.err.p, "two\n");
    cr_expect_str_eq(result.report.p, "three\n");
    os_process_result_free(&result);
}

Test(os_process, the_environment_is_set_and_unset_in_the_child_alone)
{
    setenv("SMFIT_TEST_OLD", "1", 1);
    const char *const changes[] = { "SMFIT_TEST_NEW=2", "SMFIT_TEST_OLD", NULL };
    cr_assert_eq(run_shell("echo ${SMFIT_TEST_NEW-no} ${SMFIT_TEST_OLD-no}", changes, NULL, 5000, false), 0);
    cr_expect_str_eq(result.out.p, "2 no\n");
    cr_expect_str_eq(getenv("SMFIT_TEST_OLD"), "1");
    cr_expect_null(getenv("SMFIT_TEST_NEW"));
    os_process_result_free(&result);
}

Test(os_process, a_child_over_its_time_is_ended_with_its_own_children)
{
    cr_assert_eq(run_shell("sleep 60 & sleep 60; wait", NULL, NULL, 200, false), 0);
    cr_expect_eq(result.end, OS_TIMED_OUT);
    os_process_result_free(&result);
    cr_assert_eq(run_shell("pgrep -f '^sleep 60$' | wc -l", NULL, NULL, 5000, false), 0);
    cr_expect_str_eq(result.out.p, "0\n");
    os_process_result_free(&result);
}

Test(os_process, a_signal_is_told_from_an_exit)
{
    cr_assert_eq(run_shell("kill -SEGV $$", NULL, NULL, 5000, false), 0);
    cr_expect_eq(result.end, OS_SIGNALLED);
    cr_expect_eq(result.status, SIGSEGV);
    os_process_result_free(&result);
}

Test(os_process, a_program_that_is_not_there_is_an_error)
{
    const char *const argv[] = { "/nonexistent/program", NULL };
    struct os_process process = { .argv = argv, .output_max = 10 };
    err_clear(&err);
    cr_assert_eq(os_process_run(&process, &result, &err), -1);
    cr_expect_eq(err.code, ERR_IO);
    cr_expect_eq(err.native, ENOENT);
    os_process_result_free(&result);
}

Test(os_process, output_above_the_cap_is_dropped_and_input_nobody_reads_does_no_harm)
{
    static char input[1 << 20];
    memset(input, 'x', sizeof input - 1);
    cr_assert_eq(run_shell("head -c 3000000 /dev/zero | tr '\\0' y", NULL, input, 20000, false), 0);
    cr_expect_eq(result.end, OS_EXITED);
    cr_expect_eq(result.out.len, 1 << 20);
    os_process_result_free(&result);
}

Test(os_process, hundreds_of_runs_leave_no_descriptor_open)
{
    for (int i = 0; i < 300; i++) {
        cr_assert_eq(run_shell("exit 0", NULL, NULL, 5000, true), 0);
        os_process_result_free(&result);
    }
    cr_assert_eq(run_shell("ls /proc/$PPID/fd | wc -l", NULL, NULL, 5000, false), 0);
    cr_expect_lt(atoi(result.out.p), 40, "open descriptors: %s", result.out.p);
    os_process_result_free(&result);
}

Test(os_process, few_descriptors_are_either_enough_or_an_error)
{
    for (rlim_t most = 4; most < 40; most++) {
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){ most, 4096 });
        if (run_shell("cat; echo two >&2; echo three >&3", NULL, "one\n", 5000, true) == 0) {
            cr_expect_str_eq(result.out.p, "one\n", "with %d", (int)most);
            cr_expect_str_eq(result.err.p, "two\n", "with %d", (int)most);
            cr_expect_str_eq(result.report.p, "three\n", "with %d", (int)most);
        } else {
            cr_expect_eq(err.native, EMFILE, "with %d: %s", (int)most, err.msg);
            cr_expect_lt(most, 30);
        }
        os_process_result_free(&result);
    }
}

Test(os_process, pipes_that_lie_where_the_child_wants_them_are_moved)
{
    int kept = dup(2);
    for (int fd = 0; fd <= 2; fd++)
        close(fd);
    int failed = run_shell("cat; echo two >&2; echo three >&3", NULL, "one\n", 5000, true);
    dup2(kept, 2);
    cr_assert_eq(failed, 0);
    cr_expect_str_eq(result.out.p, "one\n");
    cr_expect_str_eq(result.err.p, "two\n");
    cr_expect_str_eq(result.report.p, "three\n");
    os_process_result_free(&result);
}

Test(os_process, an_ignored_SIGCHLD_does_not_hide_how_a_child_ended)
{
    signal(SIGCHLD, SIG_IGN);
    cr_assert_eq(run_shell("exit 5", NULL, NULL, 5000, false), 0);
    cr_expect_eq(result.end, OS_EXITED);
    cr_expect_eq(result.status, 5);
    os_process_result_free(&result);
    cr_expect_eq(signal(SIGCHLD, SIG_DFL), SIG_IGN);
}

struct seen {
    char text[256];
    int lines, most;
};

static bool note_line(void *self, const char *line, size_t length)
{
    struct seen *seen = self;
    size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "[%.*s]", (int)length, line);
    return ++seen->lines != seen->most;
}

static void run_lines(const char *script, struct seen *seen, uint64_t timeout_ms)
{
    const char *const argv[] = { "/bin/sh", "-c", script, NULL };
    struct os_process process = { .argv = argv,
                                  .output_max = 1 << 20,
                                  .timeout_ms = timeout_ms,
                                  .report = true,
                                  .report_line = note_line,
                                  .report_self = seen };
    err_clear(&err);
    cr_assert_eq(os_process_run(&process, &result, &err), 0);
}

Test(os_process, lines_of_the_report_are_handed_on_whole)
{
    struct seen seen = { .lines = 0 };
    run_lines("printf 'on' >&3; sleep 0.1; printf 'e\\n\\nthree\\ntorn' >&3; exit 3", &seen, 5000);
    cr_expect_str_eq(seen.text, "[one][][three]");
    cr_expect_eq(result.end, OS_EXITED);
    cr_expect_eq(result.status, 3);
    os_process_result_free(&result);
}

Test(os_process, whoever_wants_no_more_lines_ends_the_child)
{
    struct seen seen = { .most = 2 };
    run_lines("while echo x >&3; do sleep 0.01; done", &seen, 20000);
    cr_expect_str_eq(seen.text, "[x][x]");
    cr_expect_eq(result.end, OS_STOPPED);
    os_process_result_free(&result);
}

Test(os_process, with_lines_the_time_limit_is_one_of_silence)
{
    struct seen seen = { .lines = 0 };
    run_lines("for i in 1 2 3 4 5 6 7 8; do echo $i >&3; sleep 0.2; done", &seen, 1000);
    cr_expect_eq(result.end, OS_EXITED);
    cr_expect_eq(seen.lines, 8);
    os_process_result_free(&result);
    seen = (struct seen){ .lines = 0 };
    run_lines("echo 1 >&3; sleep 60", &seen, 300);
    cr_expect_eq(result.end, OS_TIMED_OUT);
    os_process_result_free(&result);
}
