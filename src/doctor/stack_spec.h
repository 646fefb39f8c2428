/* What somebody asks about: "torch==1.12.1+cu102", a wheel's file name, a docker tag, "driver
 * 441.22 cuda 10.2", "python 3.8", or a sentence of a guide such as "K620 is 3.x". */
#ifndef DOCTOR_STACK_SPEC_H
#define DOCTOR_STACK_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/cards.h"
#include "doctor/stack.h"

#define STACK_SPEC_BUILDS_MAX 24
#define STACK_SPEC_CARDS_MAX  4

struct stack_spec {
    char package[64]; /* "torch", "tensorflow-gpu"; "" none */
    char version[32]; /* "1.12.1", "1.5" */
    char cuda[8];     /* "10.2"; "" not said */
    char python[8];   /* "3.8" */
    char cudnn[16];
    struct driver_version driver;
    bool cpu;         /* "+cpu" */
    bool other_maker; /* "+rocm5.2": not for NVIDIA */
    bool conda;       /* the build of conda is meant: conda's words, or an image */
    bool image;       /* a docker tag */
    bool pip;         /* a wheel, or "==" as pip writes it */
    bool has_os;      /* from the wheel's name */
    enum arch_os os;
    bool index_wheel; /* "linux_x86_64": from PyTorch's index; PyPI's are "manylinux" */
    bool foreign;     /* a wheel for another system or processor */
    /* "NAME is X.Y" instead of all that */
    struct {
        struct card card;
        char claimed[8]; /* "3.x" */
        bool right;
    } cards[STACK_SPEC_CARDS_MAX];
    size_t card_count;
    int belief; /* row of beliefs.tsv, -1 none */

    char local[32];          /* "cu102", "cpu": behind the version's "+" */
    char contradiction[100]; /* "'1.3.0' and '1.4.0'", for the message of stack_spec_parse */
};

/* ERR_USAGE when nothing in the text is understood, when a package has no version, and when two
 * packages, versions, CUDAs, Pythons, drivers or systems are named. */
int stack_spec_parse(const char *text, struct stack_spec *spec, struct err *err);

/* The answer to one spec on one card. */
struct stack_check {
    enum stack_status status;
    struct stack_answer answers[STACK_SPEC_BUILDS_MAX]; /* builds that are meant */
    size_t answer_count;
    struct arch_target target;   /* with the spec's driver and system */
    struct arch_verdict runtime; /* of a CUDA that was named without a package */
    bool knows_version;          /* the tables have that release at all */
    bool same_name;       /* STACK_UNKNOWN: wheels of several CUDAs, or of none, have that name */
    unsigned cudnn_floor; /* 50: the cuDNN that was named asks for 5.0; 0 none */
};

void stack_spec_check(const struct stack_spec *spec, const struct arch_target *target,
                      struct stack_check *check);

#endif
