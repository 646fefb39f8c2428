/* What the kernels of the ceilings (ceil_*.cu) and the host that checks them agree on. */
#ifndef KERNELS_CEIL_H
#define KERNELS_CEIL_H

/* Threads of a block, at most. */
#define CEIL_THREADS 256
#define CEIL_KERNEL extern "C" __global__ void __launch_bounds__(CEIL_THREADS)

/* Arithmetic: independent chains a thread, and steps of each in one round of the loop. */
#define CEIL_CHAINS 8
#define CEIL_STEPS 32

/* Tensor instructions: steps in one round of the loop. */
#define CEIL_TC_STEPS 8

/* copy and triad: elements of 16 bytes a thread. */
#define CEIL_VECTORS 4

/* Shared memory: half the words that a block has there, loads of a thread in one round, and words between two
 * of them. */
#define CEIL_SHARED_WORDS 256
#define CEIL_SHARED_LOADS 16
#define CEIL_SHARED_APART 16

/* What `stamp` writes for one block; 24 bytes, little-endian, no padding. */
struct ceil_stamp {
    unsigned long long clock;       /* the multiprocessor's cycle counter */
    unsigned long long globaltimer; /* nanoseconds; steps of up to some microseconds */
    unsigned multiprocessor;        /* whose counter it is: no two have the same */
    unsigned seed;                  /* as given: that the block ran in this launch */
};

#endif
