/* What a message, a log or a traceback says about GPU code: which known errors stand in it, and
 * which causes they may have. Offline; looks at nothing but the text.
 * Causes are rows of causes.tsv. */
#ifndef DOCTOR_EXPLAIN_H
#define DOCTOR_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"
#include "core/str.h"
#include "doctor/explain_arch.h"

#define EXPLAIN_BYTES_MAX   ((size_t)16 << 20) /* of a text that are looked at */
#define EXPLAIN_MATCHES_MAX 32                 /* different errors; further ones are left out */
#define EXPLAIN_CAUSES_MAX  32
#define EXPLAIN_LINE_MAX    240

struct explain_match {
    int error;        /* row in errors.tsv; -1: a result code that has no row there */
    int code;         /* row in codes.tsv, -1: none */
    bool by_number;   /* found by its number alone */
    bool before_10_1; /* which is the runtime's old one */
    size_t count;     /* how often it stands there */
    size_t weight;    /* how much the words say by which it was found */
    size_t offset;    /* of the last one, in the text as it is compared (explain_text.h) */
    char line[EXPLAIN_LINE_MAX]; /* the line of the last one, UTF-8 as far as the text was */
};

struct explain {
    struct explain_match matches[EXPLAIN_MATCHES_MAX]; /* what says most first */
    size_t match_count;
    unsigned causes[EXPLAIN_CAUSES_MAX]; /* rows of causes.tsv, the likeliest first */
    size_t cause_count;
    struct explain_archs archs; /* that the text names */
};

/* No match is no failure; -1 only without memory. */
int explain_find(const char *text, size_t size, struct explain *result, struct err *err);

/* Row of causes.tsv for "A13", -1: none. */
int explain_cause_row(const char *id);

/* Reads a file, or standard input where `path` is "-". Of a file that is larger than
 * EXPLAIN_BYTES_MAX the end is taken, of a pipe the beginning; `*cut` says so. */
int explain_read(const char *path, struct str *text, bool *cut, struct err *err);

#endif
