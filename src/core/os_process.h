/* Runs a program to its end, with a time limit, feeding it bytes and collecting what it writes.
 *
 * The child dies with its parent (also on SIGKILL) and takes its own children along when it is
 * ended. It inherits no descriptor but 0, 1, 2 and, when asked for, the report pipe. */
#ifndef CORE_OS_PROCESS_H
#define CORE_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/str.h"

/* The child's descriptor for its report: apart from stdout, on which foreign libraries may print.
 */
#define OS_REPORT_FD 3

struct os_process {
    const char *const *argv; /* NULL-terminated; argv[0] is the path of the program */
    const char *const
        *environment;  /* NULL-terminated changes: "NAME=value" sets, "NAME" removes; may be NULL */
    const void *input; /* given on standard input; may be NULL */
    size_t input_size;
    size_t output_max;   /* bytes kept of each stream; the rest is read and dropped */
    uint64_t timeout_ms; /* 0: none */
    bool report;         /* open OS_REPORT_FD */
    /* Each whole line of the report as it comes, without its newline; false ends the child. Then the
     * result keeps no report, and the time limit counts from the last line on. NULL: the result
     * keeps it. */
    bool (*report_line)(void *self, const char *line, size_t length);
    void *report_self;
};

enum os_process_end {
    OS_EXITED,
    OS_SIGNALLED,
    OS_TIMED_OUT,
    OS_STOPPED, /* because report_line wanted no more */
};

struct os_process_result {
    enum os_process_end end;
    int status; /* exit status or signal number */
    struct str out, err, report;
};

/* 0 when the program was started and waited for, whatever became of it; -1 when it could not be
 * started (err). Free the result in both cases. */
int os_process_run(const struct os_process *process, struct os_process_result *result,
                   struct err *err);
void os_process_result_free(struct os_process_result *result);

/* For handlers of signals that end this program: ends the child that os_process_run() waits for, if any, with its own
 * children, and waits a second at most until it is gone. */
void os_process_end_running(void);

/* Path of the running program, for starting copies of itself. */
int os_self_path(char *path, size_t size, struct err *err);

#endif
