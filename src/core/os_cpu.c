#include "core/os_cpu.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/os.h"

#define CPUS_MAX 4096

static cpu_set_t *allowed(size_t *size)
{
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    *size = CPU_ALLOC_SIZE(CPUS_MAX);
    if (set && sched_getaffinity(0, *size, set)) {
        CPU_FREE(set);
        set = NULL;
    }
    return set;
}

unsigned os_cpu_threads(void)
{
    size_t size;
    cpu_set_t *set = allowed(&size);
    int count = set ? CPU_COUNT_S(size, set) : 1;
    if (set)
        CPU_FREE(set);
    return count > 1 ? (unsigned)count : 1;
}

static long number_in(const char *path, long other)
{
    struct str text = STR_INIT;
    struct err err;
    err_clear(&err);
    long value = os_read_file(path, 4096, &text, &err) ? other : strtol(text.p, NULL, 10);
    str_free(&text);
    return value;
}

/* The lowest of the processors that share a core with `cpu`, itself where the system does not tell. */
static long core_of(int cpu)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    return number_in(path, cpu);
}

/* "200000 100000" or "max 100000" in version 2 of control groups: two processors' time. */
static unsigned quota(void)
{
    struct str text = STR_INIT;
    struct err err;
    unsigned processors = CPUS_MAX;
    char *end;
    err_clear(&err);
    if (!os_read_file("/sys/fs/cgroup/cpu.max", 4096, &text, &err)) {
        double time = strtod(text.p, &end), period = strtod(end, NULL);
        if (time > 0 && period > 0 && time / period < CPUS_MAX)
            processors = (unsigned)ceil(time / period);
    }
    str_free(&text);
    return processors;
}

unsigned os_cpu_cores(void)
{
    unsigned char seen[CPUS_MAX] = { 0 };
    size_t size;
    unsigned cores = 0, most = quota();
    cpu_set_t *set = allowed(&size);
    if (!set)
        return 1;
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!CPU_ISSET_S((size_t)cpu, size, set))
            continue;
        long core = core_of(cpu);
        if (core < 0 || core >= CPUS_MAX || seen[core]++)
            continue;
        cores++;
    }
    CPU_FREE(set);
    cores = cores < most ? cores : most;
    return cores ? cores : 1;
}

static double used_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

void os_cpu_quiet(unsigned limit_ms)
{
    const struct timespec nap = { 0, 2000000 };
    uint64_t start = os_now_ns();
    for (double before = used_ms(); (os_now_ns() - start) / 1000000 < limit_ms;) {
        nanosleep(&nap, NULL);
        double after = used_ms();
        if (after - before < 0.1) /* of 2 ms */
            return;
        before = after;
    }
}
