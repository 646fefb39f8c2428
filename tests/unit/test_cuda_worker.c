/* Workers: copies of this test program, which do what their task says before the tests begin. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/worker.h"

static int answer(const json_t *input, FILE *report, struct err *err)
{
    (void)err;
    const char *cache = getenv("CUDA_CACHE_DISABLE"), *extra = getenv("EXTRA");
    puts("noise on standard output that is no report");
    json_t *line = json_pack("{s:O, s:s, s:s}", "input", input, "cache", cache ? cache : "",
                             "extra", extra ? extra : "");
    json_dumpf(line, report, JSON_COMPACT);
    fputc('\n', report);
    json_decref(line);
    return 0;
}

static int refuse(const json_t *input, FILE *report, struct err *err)
{
    (void)input, (void)report;
    err_set(err, ERR_DRIVER, "the call failed");
    err->native = 700;
    return -1;
}

static int crash(const json_t *input, FILE *report, struct err *err)
{
    (void)input, (void)err;
    fputs("{\"step\":1}\n{\"step\":2", report);
    fflush(report);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return 0;
}

static int hang(const json_t *input, FILE *report, struct err *err)
{
    (void)input, (void)err;
    fputs("{\"step\":1}\n", report);
    fflush(report);
    for (;;)
        pause();
    return 0;
}

static const struct worker_task tasks[] = {
    { "answer", answer }, { "refuse", refuse }, { "crash", crash }, { "hang", hang }
};

static const struct worker_task *const table[] = { &tasks[0], &tasks[1], &tasks[2], &tasks[3],
                                                   NULL };

/* Before Criterion's main: this copy is a worker. */
__attribute__((constructor)) static void become_worker(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--worker") == 0)
        worker_main(table, argv[2]);
}

static void call(const char *task, const char *const *environment, uint64_t timeout_ms,
                 struct worker_result *result)
{
    struct err err;
    err_clear(&err);
    json_t *input = json_pack("{s:i}", "number", 42);
    int failed = worker_call(task, input, environment, timeout_ms, result, &err);
    json_decref(input);
    cr_assert_eq(failed, 0, "%s", err.msg);
}

Test(worker, gets_its_document_and_answers_on_the_report_alone)
{
    struct worker_result r;
    const char *const environment[] = { "EXTRA=more", NULL };
    call("answer", environment, 10000, &r);
    cr_assert_eq(r.end, OS_EXITED);
    cr_assert_eq(r.status, 0);
    cr_assert_eq(json_array_size(r.lines), 1);
    const json_t *line = json_array_get(r.lines, 0);
    cr_assert_eq(json_integer_value(json_object_get(json_object_get(line, "input"), "number")), 42);
    cr_assert_str_eq(json_string_value(json_object_get(line, "cache")), "1",
                     "a worker must not use the user's JIT cache");
    cr_assert_str_eq(json_string_value(json_object_get(line, "extra")), "more");
    worker_result_free(&r);
}

Test(worker, a_task_that_fails_reports_its_error)
{
    struct worker_result r;
    call("refuse", NULL, 10000, &r);
    const json_t *error = json_object_get(json_array_get(r.lines, 0), "error");
    cr_assert_eq(r.status, 1);
    cr_assert_str_eq(json_string_value(json_object_get(error, "message")), "the call failed");
    cr_assert_eq(json_integer_value(json_object_get(error, "native")), 700);
    worker_result_free(&r);
}

Test(worker, a_crash_is_a_result_and_loses_only_the_line_it_was_at)
{
    struct worker_result r;
    char text[128];
    call("crash", NULL, 10000, &r);
    cr_assert_eq(r.end, OS_SIGNALLED);
    cr_assert_eq(r.status, SIGSEGV);
    cr_assert_eq(json_array_size(r.lines), 1);
    worker_describe(&r, text, sizeof text);
    cr_assert(strstr(text, "signal 11"), "%s", text);
    worker_result_free(&r);
}

Test(worker, one_over_its_time_is_ended)
{
    struct worker_result r;
    char text[128];
    call("hang", NULL, 300, &r);
    cr_assert_eq(r.end, OS_TIMED_OUT);
    cr_assert_eq(json_array_size(r.lines), 1);
    worker_describe(&r, text, sizeof text);
    cr_assert_str_eq(text, "over its time limit");
    worker_result_free(&r);
}

Test(worker, an_unknown_task_is_refused)
{
    struct worker_result r;
    call("nonsense", NULL, 10000, &r);
    cr_assert_eq(r.status, 2);
    cr_assert(strstr(r.message, "a worker is started by smfit itself"), "%s", r.message);
    worker_result_free(&r);
}

static size_t open_files(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

Test(worker, many_in_a_row_leave_no_descriptor_behind)
{
    size_t before = open_files();
    for (int i = 0; i < 50; i++) {
        struct worker_result r;
        call(i % 2 ? "answer" : "crash", NULL, 10000, &r);
        worker_result_free(&r);
    }
    cr_assert_eq(open_files(), before);
}

static bool count_lines(void *self, const json_t *line)
{
    int *sum = self;
    *sum += (int)json_integer_value(json_object_get(line, "step"));
    return true;
}

Test(worker, lines_are_handed_on_as_they_come_and_a_crash_loses_the_torn_one_alone)
{
    struct err err;
    err_clear(&err);
    int sum = 0;
    struct worker_result r;
    const struct worker_sink sink = { &sum, count_lines };
    json_t *input = json_object();
    cr_assert_eq(worker_stream("crash", input, NULL, 10000, &sink, &r, &err), 0, "%s", err.msg);
    json_decref(input);
    cr_expect_eq(sum, 1);
    cr_expect_eq(r.end, OS_SIGNALLED);
    cr_expect_eq(json_array_size(r.lines), 0);
    worker_result_free(&r);
}
