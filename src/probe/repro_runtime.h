/* What the CUDA runtime says about the same cause: programs with static cudart (fatbin/runtime.mk),
 * run where there is a driver that they can use, else the documented codes with the texts that the
 * same cudart has for them. */
#ifndef PROBE_REPRO_RUNTIME_H
#define PROBE_REPRO_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

#define REPRO_CALLS_MAX 16

enum repro_runtime_how {
    REPRO_RUNTIME_NONE,       /* the runtime has no part in this case */
    REPRO_RUNTIME_NOT_BUILT,  /* this build has no such programs: the codes stand without text */
    REPRO_RUNTIME_DOCUMENTED, /* codes of the table, text from cudart, not run here */
    REPRO_RUNTIME_RUN,
    REPRO_RUNTIME_FAILED, /* the program ended without a result */
};

struct repro_call {
    char call[64];
    int code;
    char text[160];
    bool alternative; /* another code that the call before may give instead */
    bool has_expected, as_expected;
};

struct repro_runtime {
    enum repro_runtime_how how;
    bool below_floor; /* this runtime refuses the driver, whatever the images are */
    char program[64]; /* that ran or gave the texts; "" none */
    char note[160];   /* of FAILED */
    struct repro_call calls[REPRO_CALLS_MAX];
    size_t count;
};

/* A program of the build to run: its name in the folder of programs, and its arguments. */
struct repro_program {
    const char *name;
    const char *arguments[4];       /* up to the first NULL */
    const char *const *environment; /* may be NULL */
    const char *prefix;             /* put before each call's name; NULL: none */
};

/* The folder beside this program in which the build puts what repro needs. */
int repro_folder(char *path, size_t size, struct err *err);

/* Runs it and appends its calls. `how` becomes RUN, FAILED or NOT_BUILT. */
void repro_runtime_run(struct repro_runtime *runtime, const struct repro_program *program);

/* The documented codes of a case for a driver of that CUDA version. */
void repro_runtime_document(struct repro_runtime *runtime, const char *name, int cuda);

/* Holds the calls against the table. */
void repro_runtime_judge(struct repro_runtime *runtime, const char *name, int cuda);

#endif
