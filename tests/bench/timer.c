/* Runs commands in turns and says what they took, as the kernel counted it.
 *
 *   timer ROUNDS COMMAND [-- COMMAND]...
 *
 * One round that warms the caches is not counted. In each of the others every command runs once,
 * one after the other, so that what else the machine does meets all of them alike. Output of the
 * commands is thrown away. A line a command, milliseconds as "median lowest highest", then
 * kilobytes:
 *
 *   time WALL LOW HIGH CPU LOW HIGH PEAK
 *
 * CPU is user and system time together, of children, too, that the command waited for. With two
 * commands also how many times the first one's time the second needed, round by round:
 *
 *   ratio WALL LOW HIGH CPU LOW HIGH
 *
 * A command that ends otherwise than with 0 (or 3: smfit's "a card is known, and nothing runs
 * there") was not measured: it is named, and the exit code is 1. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 4, ROUNDS_MAX = 1000 };

struct command {
    char **argv;
    double wall[ROUNDS_MAX], cpu[ROUNDS_MAX];
    long peak_kb;
};

static struct command commands[COMMANDS_MAX];

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double time_ms(struct timeval t)
{
    return 1e3 * (double)t.tv_sec + 1e-3 * (double)t.tv_usec;
}

static void become(char **argv)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
        _exit(127);
    execvp(argv[0], argv);
    _exit(127);
}

static bool ended_well(const struct command *c, int status)
{
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3))
        return true;
    fprintf(stderr, "timer: '%s' %s %d\n", c->argv[0],
            WIFEXITED(status) ? "ended with" : "was ended by signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return false;
}

/* Round -1 is the one that is not counted. */
static bool measure(struct command *c, int round)
{
    struct rusage use;
    int status = 0;
    double start = now_ms();
    pid_t child = fork();
    if (child == 0)
        become(c->argv);
    if (child < 0 || wait4(child, &status, 0, &use) < 0) {
        fprintf(stderr, "timer: cannot run '%s': %s\n", c->argv[0], strerror(errno));
        return false;
    }
    double wall = now_ms() - start;
    if (!ended_well(c, status))
        return false;
    if (round >= 0) {
        c->wall[round] = wall;
        c->cpu[round] = time_ms(use.ru_utime) + time_ms(use.ru_stime);
    }
    if (use.ru_maxrss > c->peak_kb)
        c->peak_kb = use.ru_maxrss;
    return true;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_spread(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    printf(" %.6g %.6g %.6g", (values[(n - 1) / 2] + values[n / 2]) / 2, values[0], values[n - 1]);
}

static void print_ratio(const struct command *a, const struct command *b, int rounds)
{
    double wall[ROUNDS_MAX], cpu[ROUNDS_MAX];
    for (int i = 0; i < rounds; i++) {
        wall[i] = b->wall[i] / a->wall[i];
        cpu[i] = b->cpu[i] / a->cpu[i];
    }
    printf("ratio");
    print_spread(wall, rounds);
    print_spread(cpu, rounds);
    printf("\n");
}

static void print_time(struct command *c, int rounds)
{
    printf("time");
    print_spread(c->wall, rounds);
    print_spread(c->cpu, rounds);
    printf(" %ld\n", c->peak_kb);
}

/* How many commands the arguments hold; 0: they are wrong. */
static int split(char **argv)
{
    int count = 0;
    while (*argv && strcmp(*argv, "--") != 0 && count < COMMANDS_MAX) {
        commands[count++].argv = argv;
        while (*argv && strcmp(*argv, "--") != 0)
            argv++;
        if (*argv)
            *argv++ = NULL;
    }
    return *argv ? 0 : count;
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[1]) : 0, count = argc > 2 ? split(argv + 2) : 0;
    if (rounds < 1 || rounds > ROUNDS_MAX || count == 0) {
        fprintf(stderr, "usage: timer ROUNDS COMMAND [-- COMMAND]...\n");
        return 2;
    }
    for (int round = -1; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            if (!measure(&commands[i], round))
                return 1;
        }
    }
    if (count == 2)
        print_ratio(&commands[0], &commands[1], rounds);
    for (int i = 0; i < count; i++)
        print_time(&commands[i], rounds);
    return 0;
}
