/* Which causes an error text may have, by explain's table of texts. */
#ifndef DOCTOR_DOCTOR_ERROR_H
#define DOCTOR_DOCTOR_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* A1 ... A19, N1 ... N3, in the order of causes.tsv. */
#define DOCTOR_CAUSES(X)                                                                           \
    X(A1)                                                                                          \
    X(A2)                                                                                          \
    X(A3) X(A4) X(A5) X(A6) X(A7) X(A8) X(A9) X(A10) X(A11) X(A12) X(A13) X(A14) X(A15) X(A16)     \
        X(A17) X(A18) X(A19) X(N1) X(N2) X(N3)

enum doctor_cause {
#define X(code) CAUSE_##code,
    DOCTOR_CAUSES(X)
#undef X
        CAUSE_COUNT
};

/* "A1" */
const char *doctor_cause_code(enum doctor_cause cause);

struct doctor_error {
    enum doctor_cause causes[CAUSE_COUNT]; /* the likeliest first */
    size_t count;                          /* 0: an unknown text, or none */
};

/* `text` may be NULL. */
void doctor_error_read(const char *text, struct doctor_error *error);

/* The place in the list, from 0; -1: the text does not point to this cause. */
int doctor_error_place(const struct doctor_error *error, enum doctor_cause cause);

#endif
