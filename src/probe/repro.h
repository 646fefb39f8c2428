/* `smfit repro`: provokes an error in a worker, looks at what came, and shows the cure. */
#ifndef PROBE_REPRO_H
#define PROBE_REPRO_H

#include "arch/rules.h"
#include "cuda/device.h"
#include "probe/repro_runtime.h"
#include "probe/repro_table.h"

#define REPRO_STEPS_MAX 24

enum repro_status {
    REPRO_SEEN,   /* an expected error and the cure */
    REPRO_WRONG,  /* another error, or the cure did not work */
    REPRO_UNABLE, /* cannot be provoked on this machine */
    REPRO_FAILED, /* a worker ended or a call failed before it came to the point */
};

enum repro_role { REPRO_FAULT, REPRO_CHECK, REPRO_CURE };

/* One call that matters, as the worker reports it. */
struct repro_step {
    enum repro_role role;
    char path[32], call[64], image[160], log[1024];
    int code;
    bool ran, right; /* the kernel's results */
    bool has_expected, as_expected;
    struct repro_expected expected;
};

struct repro_result {
    const char *name;
    enum repro_status status;
    struct repro_step steps[REPRO_STEPS_MAX];
    size_t step_count;
    char unable[32], virtual_card[64]; /* REPRO_UNABLE: reason, and the --virtual that can */
    struct err failure;                /* REPRO_FAILED */
    struct repro_runtime runtime;      /* the same cause as the CUDA runtime tells it */
};

struct repro_plan {
    const char *library;         /* NULL: the system's */
    bool is_virtual;             /* it is the virtual GPU */
    bool has_driver;             /* one is loaded, with a device or without */
    int cuda;                    /* as cuDriverGetVersion: 11040; 0 without a driver */
    const struct device *device; /* NULL: none */
    struct arch_target target;   /* the device for the rules */
    bool allow_timeout;          /* a launch without end on a card that drives a display */
};

/* Plays case `index` of the table. Always fills the result; -1 only when no worker or program can
 * be started at all. */
int repro_play(const struct repro_plan *plan, size_t index, struct repro_result *result,
               struct err *err);

/* "as_expected", "unexpected", "not_provokable", "failed" */
const char *repro_status_name(enum repro_status status);
const char *repro_role_name(enum repro_role role);

#endif
