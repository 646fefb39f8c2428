/* Runs CUDA kernels that were compiled for the host: the threads of a block one after another, or,
 * where they meet at barriers and in warps, each on a stack of its own. */
#ifndef DIFFERENTIAL_HOST_H
#define DIFFERENTIAL_HOST_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct host_index {
    unsigned x, y, z;
};
enum host_place { HOST_THREAD, HOST_BLOCK, HOST_BLOCK_SIZE, HOST_GRID_SIZE };

typedef void host_kernel(unsigned long long *out, const unsigned *in, unsigned *work);

struct kernel {
    const char *name;
    host_kernel *run;
    char kind;            /* of results: u bits, f d h single, double, half, p a pair of halves */
    unsigned least, most; /* capabilities that have it */
    unsigned block[3], grid; /* grid.x */
    bool meets;              /* threads wait for each other */
    double ulps;             /* 0: exact; below 0: an absolute error */
};

struct group {
    const char *name;
    const struct kernel *kernels;
    unsigned count;
};
extern const struct group *const groups[];

void host_run(const struct kernel *kernel, unsigned long long *out, const unsigned *in,
              unsigned *work);

/* For running kernels. */
struct host_index host_index(enum host_place place);
unsigned host_lane(void);
unsigned *host_dynamic_shared(void);
/* Waits for all threads that live; the number whose `vote` is true. */
unsigned host_barrier(bool vote);
/* Waits for the lanes of `mask`; values[lane] are what they gave. */
void host_meet(unsigned mask, unsigned long long value, unsigned long long values[32]);

#ifdef __cplusplus
}
#endif
#endif
