/* What else decides how fast a measurement is: the processor, its governor, where the power comes
 * from. */
#ifndef BENCH_BENCH_HOST_H
#define BENCH_BENCH_HOST_H

struct bench_host {
    char cpu[128]; /* "Intel(R) Core(TM) i5-5200U CPU @ 2.20GHz"; "" not told, as the others */
    int cores;     /* physical, that this process may use */
    char governor[32];
    char power[16]; /* "mains", "battery" */
};

/* `sysroot`: "" for this machine. */
void bench_host_read(const char *sysroot, struct bench_host *host);

#endif
