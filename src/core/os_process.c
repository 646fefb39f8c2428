#include "core/os_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IN, OUT, ERR, REPORT, START, PIPES };

/* Every end that the parent holds; -1 when closed. */
struct pipes {
    int child[PIPES], parent[PIPES];
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct pipes *p)
{
    for (int i = 0; i < PIPES; i++) {
        close_fd(&p->child[i]);
        close_fd(&p->parent[i]);
    }
}

static int open_pipes(struct pipes *p, bool report, struct err *err)
{
    for (int i = 0; i < PIPES; i++)
        p->child[i] = p->parent[i] = -1;
    for (int i = 0; i < PIPES; i++) {
        if (i == REPORT && !report)
            continue;
        int ends[2];
        if (pipe2(ends, O_CLOEXEC))
            return err_errno(err, "cannot make a pipe");
        p->child[i] = i == IN ? ends[0] : ends[1];
        p->parent[i] = i == IN ? ends[1] : ends[0];
    }
    /* A child that does not read must not keep the parent from reading. */
    fcntl(p->parent[IN], F_SETFL, O_NONBLOCK);
    return 0;
}

static void apply_environment(const char *const *changes)
{
    for (; changes && *changes; changes++) {
        const char *equals = strchr(*changes, '=');
        if (equals)
            putenv((char *)*changes);
        else
            unsetenv(*changes);
    }
}

/* Tells the parent through the START pipe why there will be no program. */
static _Noreturn void give_up(int start_fd)
{
    int why = errno;
    if (write(start_fd, &why, sizeof why) < 0)
        _exit(126);
    _exit(127);
}

/* Moves the pipes' ends above the numbers that they will be given, so that no dup2 closes another.
 * Only those that are in the way: few descriptors may be left. */
static void raise_fds(struct pipes *p)
{
    for (int i = START; i >= 0; i--)
        if (p->child[i] >= 0 && p->child[i] <= OS_REPORT_FD) {
            int raised = fcntl(p->child[i], F_DUPFD_CLOEXEC, OS_REPORT_FD + 1);
            if (raised < 0)
                give_up(p->child[START]);
            p->child[i] = raised;
        }
}

static void place_fd(const struct pipes *p, int which, int fd)
{
    if (dup2(p->child[which], fd) < 0)
        give_up(p->child[START]);
}

/* In the child: never returns. A failed exec is told through the START pipe as an errno. */
static _Noreturn void run_child(const struct os_process *process, struct pipes *p, pid_t parent)
{
    raise_fds(p);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    place_fd(p, IN, 0);
    place_fd(p, OUT, 1);
    place_fd(p, ERR, 2);
    if (process->report)
        place_fd(p, REPORT, OS_REPORT_FD);
    apply_environment(process->environment);
    execv(process->argv[0], (char *const *)process->argv);
    give_up(p->child[START]);
}

/* The child that is being waited for; 0 none. */
static volatile pid_t running;

void os_process_end_running(void)
{
    pid_t pid = running;
    if (pid <= 0)
        return;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    for (int i = 0; i < 1000 && waitpid(pid, NULL, WNOHANG) == 0; i++)
        poll(NULL, 0, 1);
    /* Its own children are another's to wait for. */
    for (int i = 0; i < 200 && kill(-pid, 0) == 0; i++)
        poll(NULL, 0, 1);
    running = 0;
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Reads what is there; keeps up to `max` bytes. */
static void drain(int *fd, struct str *to, size_t max)
{
    char buffer[65536];
    ssize_t n = read(*fd, buffer, sizeof buffer);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        close_fd(fd);
        return;
    }
    size_t room = max - to->len;
    str_add_bytes(to, buffer, (size_t)n < room ? (size_t)n : room);
}

static void feed(int *fd, const struct os_process *process, size_t *sent)
{
    ssize_t n = write(*fd, (const char *)process->input + *sent, process->input_size - *sent);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n >= 0)
        *sent += (size_t)n;
    if (n < 0 || *sent == process->input_size)
        close_fd(fd);
}

/* Milliseconds left, -1 for no limit. */
static int time_left(uint64_t start, uint64_t limit)
{
    if (!limit)
        return -1;
    uint64_t spent = now_ms() - start;
    return spent >= limit ? 0 : (int)(limit - spent > 60000 ? 60000 : limit - spent);
}

/* Hands on the whole lines of the report and keeps the rest. Returns how many there were, -1 when no
 * more are wanted. */
static int hand_on(const struct os_process *process, struct str *report)
{
    size_t start = 0;
    int lines = 0;
    for (char *end; (end = memchr(report->p + start, '\n', report->len - start)); lines++) {
        size_t at = (size_t)(end - report->p);
        if (!process->report_line(process->report_self, report->p + start, at - start))
            return -1;
        start = at + 1;
    }
    if (start) {
        memmove(report->p, report->p + start, report->len - start + 1);
        report->len -= start;
    }
    return lines;
}

enum exchanged { DONE, TIME_UP, STOPPED };

/* Feeds and drains until every stream is closed, the time is up or no more lines are wanted. */
static enum exchanged exchange(const struct os_process *process, struct pipes *p,
                               struct os_process_result *result)
{
    struct str *to[PIPES] = {
        [OUT] = &result->out, [ERR] = &result->err, [REPORT] = &result->report
    };
    uint64_t start = now_ms();
    size_t sent = 0;
    if (!process->input_size)
        close_fd(&p->parent[IN]);
    while (p->parent[OUT] >= 0 || p->parent[ERR] >= 0 || p->parent[REPORT] >= 0) {
        struct pollfd polls[START];
        for (int i = 0; i < START; i++)
            polls[i] = (struct pollfd){ .fd = p->parent[i], .events = i == IN ? POLLOUT : POLLIN };
        int left = time_left(start, process->timeout_ms);
        if (left == 0)
            return TIME_UP;
        if (poll(polls, START, left) <= 0)
            continue;
        if (polls[IN].revents)
            feed(&p->parent[IN], process, &sent);
        for (int i = OUT; i < START; i++)
            if (polls[i].revents)
                drain(&p->parent[i], to[i], process->output_max);
        int lines = process->report_line ? hand_on(process, &result->report) : 0;
        if (lines < 0)
            return STOPPED;
        if (lines)
            start = now_ms();
    }
    return DONE;
}

/* Waits for the child, within what is left of its time; false when it had to be ended. */
static bool wait_child(pid_t pid, bool in_time, uint64_t timeout_ms, int *status)
{
    uint64_t start = now_ms();
    while (in_time) {
        pid_t got = waitpid(pid, status, timeout_ms ? WNOHANG : 0);
        if (got == pid)
            return true;
        if (got < 0 && errno != EINTR)
            return false; /* not ours any more: its number may be another's by now */
        in_time = !timeout_ms || now_ms() - start < timeout_ms;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
    return false;
}

/* 0 once the program runs; the errno of exec otherwise. */
static int started(struct pipes *p)
{
    int why = 0;
    ssize_t n;
    do
        n = read(p->parent[START], &why, sizeof why);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof why ? why : 0;
}

int os_process_run(const struct os_process *process, struct os_process_result *result,
                   struct err *err)
{
    *result = (struct os_process_result){ .out = STR_INIT, .err = STR_INIT, .report = STR_INIT };
    struct pipes p;
    int code = -1, status = 0;
    /* Whoever started us may have had SIGCHLD ignored, which lets children vanish unwaited. */
    void (*old_chld)(int) = signal(SIGCHLD, SIG_DFL);
    if (open_pipes(&p, process->report, err))
        goto done;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        run_child(process, &p, parent);
    if (pid < 0) {
        err_errno(err, "cannot start '%s'", process->argv[0]);
        goto done;
    }
    running = pid;
    for (int i = 0; i < PIPES; i++)
        close_fd(&p.child[i]);
    errno = started(&p);
    if (errno) {
        err_errno(err, "cannot start '%s'", process->argv[0]);
        wait_child(pid, true, 0, &status);
        goto done;
    }
    /* A child that never reads must not end the parent by SIGPIPE. */
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);
    enum exchanged how = exchange(process, &p, result);
    signal(SIGPIPE, old);
    bool in_time = wait_child(pid, how == DONE, process->timeout_ms, &status);
    result->end = how == STOPPED        ? OS_STOPPED
                  : !in_time            ? OS_TIMED_OUT
                  : WIFSIGNALED(status) ? OS_SIGNALLED
                                        : OS_EXITED;
    result->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    code = 0;
done:
    running = 0;
    signal(SIGCHLD, old_chld);
    close_all(&p);
    return code;
}

void os_process_result_free(struct os_process_result *result)
{
    str_free(&result->out);
    str_free(&result->err);
    str_free(&result->report);
}

int os_self_path(char *path, size_t size, struct err *err)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n < 0)
        return err_errno(err, "cannot find this program's own file");
    path[n] = 0;
    return 0;
}
