/* Which official builds of a framework work on a card, by the tables builds.tsv and archs.tsv and
 * the rules: kernels for the card, a CUDA runtime that a driver of the card accepts, a Python. */
#ifndef DOCTOR_STACK_H
#define DOCTOR_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/rules.h"

enum stack_status {
    STACK_WORKS,
    STACK_WORKS_BY_JIT,
    STACK_WORKS_BY_FLOOR, /* only a least capability is known, or its kernels are compiled there */
    STACK_UNKNOWN,        /* the table has the build, not what it holds */
    STACK_NO_KERNELS,
    STACK_DRIVER_TOO_OLD, /* the driver that was named; a newer one would do */
    STACK_DRIVER_NEVER,   /* the card's last driver is older than its CUDA */
    STACK_DRIVER_WITHOUT_CARD,
    STACK_CUDNN_FLOOR, /* the cuDNN that was named asks for a newer card */
    STACK_NO_PYTHON,   /* not built for that Python */
    STACK_CPU_BUILD,
    STACK_NO_BUILD,        /* the release is known, and was not built for that CUDA or system */
    STACK_UNKNOWN_RELEASE, /* the tables know nothing of it; it may well work */
    STACK_STATUS_COUNT
};

/* "works", "works_by_jit", ...: the stable names used in JSON and in text ids. */
const char *stack_status_name(enum stack_status status);

/* Works, whatever is known about it. */
bool stack_works(enum stack_status status);

/* Neither works nor does not: nobody knows here. */
bool stack_is_unknown(enum stack_status status);

/* An answer for one build (a row of builds.tsv) and one card. */
struct stack_answer {
    size_t build;
    enum stack_status status;
    struct arch_verdict image;   /* of what it holds; not with a floor */
    struct arch_verdict runtime; /* of its CUDA against the driver */
    char chosen[24];             /* the image that the driver takes, "sm_35"; "" none */
};

/* `python` ("3.7") may be "". */
struct stack_answer stack_judge(size_t build, const struct arch_target *target, const char *python);

/* A CUDA runtime by itself, "10.2": STACK_WORKS, STACK_DRIVER_...; STACK_UNKNOWN_RELEASE when
 * it is no version, or newer than every driver in the tables; STACK_UNKNOWN on a Jetson. */
enum stack_status stack_judge_cuda(const char *cuda, const struct arch_target *target,
                                   struct arch_verdict *runtime);

/* The least driver for a CUDA, and for that of a build on its system; not known: all 0. */
struct driver_version stack_cuda_driver(const char *cuda, enum arch_os os);
struct driver_version stack_least_driver(size_t build);

/* "torch" for pytorch, "tensorflow" for tensorflow-gpu, "cupy" for cupy-cuda11x. */
const char *stack_framework(const char *package, char to[32]);

/* All builds of this framework ("" every one) for the target's system that work, newest first, and
 * how many do not. The list is the caller's to free; NULL with `*count` 0 when there is none or no
 * memory. */
struct stack_answer *stack_find(const char *framework, const struct arch_target *target,
                                size_t *count, size_t *others);

/* The newest Python of "2.7 3.5-3.7": "3.7"; of "3.10-3.15 (3.15 experimental)": "3.14"; "" not
 * known. */
const char *stack_last_python(const char *ranges, char to[8]);

/* The name of this wheel of torch says its CUDA behind the version, "+cu92". */
bool stack_has_suffix(size_t build);

/* How it is installed, a command a line. `which` 0 is pip (or the build's own channel), 1 conda, 2
 * an image; false: there is none of the kind. */
struct str;
bool stack_command(size_t build, size_t which, struct str *to);

/* <0, 0, >0 as version a is older than, the same as, newer than b ("1.12.1", "1.8.2-LTS"). */
int stack_compare(const char *a, const char *b);

#endif
