/* What this machine's processor should be able to do, from /proc/cpuinfo: a model for want of a measurement. */
#ifndef SIZE_HOST_H
#define SIZE_HOST_H

#include <stdbool.h>

struct host_range {
    double low, mid, high;
};

struct host {
    bool known;
    int cores;               /* physical */
    double ghz;
    int flop_per_cycle;      /* fp32, one core: by the widest instructions that it has */
    struct host_range gflops; /* what products of usual size reach: 0.4, 0.6, 0.8 of the peak */
    struct host_range gbps;   /* memory: one channel of DDR3-1600, two of them, two of DDR4-3200, at 70 % */
};

/* `cpuinfo`: the text of /proc/cpuinfo. `cores`: physical, 0 takes the processors that it lists. */
void host_model(const char *cpuinfo, int cores, struct host *host);

#endif
