/* The ceilings that results are held against: what the card reaches when one kind of instruction,
 * one kind of memory or the launch itself is all there is. The table says what is launched and how
 * many operations that is; a job launches it; its check repeats the work on the host. All of it is
 * exact: the numbers are chosen so that a right kernel gives the same bits as the host, whatever
 * the order of its sums.
 *
 *     const struct ceiling *c = ceiling_find("fp32");
 *     struct ceiling_size size = ceiling_size(c, gpu.device.sm_count, 1e9);
 *     ceiling_prepare(&job, &gpu, c, &size, err);
 *     ceiling_run(&job, err);                       as often as wanted, timed by the caller
 *     ceiling_check(&job, &verdict, err);
 *     ceiling_free(&job); */
#ifndef BENCH_CEILING_H
#define BENCH_CEILING_H

#include "bench/gpu.h"
#include "bench/shape.h"

enum ceiling_kind {
    CEILING_ARITHMETIC, /* flop (or operations on integers); a multiply-add counts two */
    CEILING_TENSOR,     /* the same, of tensor instructions */
    CEILING_MEMORY,     /* bytes of device memory, read and written */
    CEILING_SHARED,     /* bytes read from shared memory */
    CEILING_LAUNCH,     /* launches */
    CEILING_TRANSFER,   /* bytes between host and device */
};

struct ceiling {
    char name[16]; /* what the command line, JSON and tables call it */
    enum ceiling_kind kind;
    enum bench_precision precision; /* BENCH_PRECISION_COUNT: of no class of arithmetic */
    const char *family, *kernel;    /* NULL: no kernel */
    unsigned cc;                    /* the lowest compute capability that has it: 61 */
    double per_round; /* operations or bytes of one thread in one round of the kernel's loop; of
                         CEILING_MEMORY: bytes moved for each byte of one array */
    unsigned rounds;  /* at most; beyond, results would not be exact or take the host too long */
    /* Cards that have no such instruction and do one with several others: the figure is of what
     * programs get there, not of a unit. 0: none. */
    unsigned emulated_first, emulated_last, emulated_by; /* capabilities; instructions for one */
};

size_t ceiling_count(void);
const struct ceiling *ceiling_at(size_t index);
/* NULL: no such name. */
const struct ceiling *ceiling_find(const char *name);
/* The one that kernels of a class are held against: of "fp16-storage" that of fp32. */
const struct ceiling *ceiling_of(enum bench_precision precision);
/* How many instructions do the work of one on a card of this capability; more than 1: emulated. */
unsigned ceiling_instructions(const struct ceiling *ceiling, unsigned cc);

/* How much one launch does. Only the fields that the kind has are looked at. */
struct ceiling_size {
    unsigned blocks, threads, rounds; /* ARITHMETIC, TENSOR, SHARED; LAUNCH: blocks and threads */
    size_t bytes;                     /* MEMORY: of one array, a multiple of 16; TRANSFER */
};

/* A size of about `work` operations or bytes that keeps `multiprocessors` evenly busy; below what
 * that takes, as few blocks as do the work. CEILING_LAUNCH: one block, whatever the work. */
struct ceiling_size ceiling_size(const struct ceiling *ceiling, int multiprocessors, double work);
/* Operations or bytes of one launch of that size; launches: 1. */
double ceiling_work(const struct ceiling *ceiling, const struct ceiling_size *size);
/* Device memory that a job of that size takes. */
size_t ceiling_bytes(const struct ceiling *ceiling, const struct ceiling_size *size);

#define CEILING_ARRAYS 3

struct ceiling_job {
    struct gpu *gpu;
    const struct ceiling *ceiling;
    struct ceiling_size size;
    struct gpu_function *function;
    uint64_t arrays[CEILING_ARRAYS]; /* device: the result first, then what is read */
    size_t array_bytes[CEILING_ARRAYS];
    void *host; /* CEILING_TRANSFER */
};

/* Allocates and fills; outputs get NaN poison and guard bands. On failure the job is freed. */
int ceiling_prepare(struct ceiling_job *job, struct gpu *gpu, const struct ceiling *ceiling,
                    const struct ceiling_size *size, struct err *err);
/* Queues one launch or copy on the default stream; a copy of pageable memory returns when it is
 * done. */
int ceiling_run(const struct ceiling_job *job, struct err *err);
void ceiling_free(struct ceiling_job *job);

struct ceiling_verdict {
    size_t checked, wrong; /* elements */
    char first[160];       /* the first wrong one, in words; "" when none is */
};

/* Waits, and looks at the result: all of it up to 16 MiB, else its ends and samples between. -1
 * only when it could not be had (kernels' faults show here); a wrong result is data. */
int ceiling_check(const struct ceiling_job *job, struct ceiling_verdict *verdict, struct err *err);

#endif
