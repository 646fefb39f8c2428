/* One result of the benchmark, and its form in JSON: what files hold, documents list and tables
 * print. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"
#include "core/stats.h"

enum row_status {
    ROW_OK,
    ROW_UNSUPPORTED, /* this card, driver or build cannot do it, and never could */
    ROW_SKIPPED,     /* it could, but was not tried: too large, or a library is not installed */
    ROW_ERROR,       /* it was tried and failed, or its result was wrong */
};

/* A number that is not known is NAN. A row is identified by its first four texts. */
struct row {
    char name[80];           /* `case`: "gemm", "conv/3x3", "ceiling/copy" */
    char shape[96];          /* "1024x1024x1024"; "-" has none */
    char precision[16];      /* bench_precision_name, or "-" */
    char implementation[24]; /* "smfit", "cublas", "cudnn", "openblas", "onednn" */
    enum row_status status;
    char reason[320];    /* of any status but ok; with ok: what to know about the number, or "" */
    char basis[16];      /* "measured", "simulated" */
    struct stats time;   /* milliseconds of one launch; count 0: none */
    double flop, bytes;  /* of one launch: arithmetic, and traffic that cannot be avoided */
    double gflops, gbps; /* those over the median time */
    double ceiling_percent; /* of what `ceiling` was measured to give */
    char ceiling[64];       /* the row's name, "" none */
    double max_rel_error;   /* the largest, of `checked` elements beside fp64 */
    double error_bound;     /* largest that is right */
    size_t checked;
    double *samples_ms; /* in the order in which they were taken */
    double *clocks_mhz; /* the processor's clock beside each; NAN where not known */
    size_t sample_count;
    size_t throttled;    /* how many ran at less than 80 % of the clock that the card promises */
    double anchor_ratio; /* median of the time over the anchor case's in the same round */
    char image[32];      /* that ran: "sm_35" */
    char variant[48];    /* which of several kernels or algorithms */
    char chosen[16];     /* how it was picked: "tuned", "cached", "default" */
};

void row_init(struct row *row);
void row_free(struct row *row);

/* Room for `count` samples, filled with NAN. */
int row_reserve(struct row *row, size_t count, struct err *err);

/* Sets status and reason. */
void row_fail(struct row *row, enum row_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether one sample is as good as many: a virtual card's clock is a model's. Images are loaded by
 * the computer's own clock even there. */
bool row_is_exact(const struct row *row);

/* From samples_ms, flop and bytes: time, gflops, gbps. */
void row_summarise(struct row *row);

bool row_same(const struct row *a, const struct row *b);

const char *row_status_name(enum row_status status);

/* Every number that is null has its reason beside it. */
json_t *row_json(const struct row *row);
/* ERR_FORMAT for what is no row. Keys that it does not know are passed over. */
int row_parse(struct row *row, const json_t *json, struct err *err);

struct row_list {
    struct row *list;
    size_t count, room;
};

/* Takes the row over. */
int row_list_add(struct row_list *rows, struct row *row, struct err *err);
/* The one with the same four texts, or NULL. */
struct row *row_list_find(const struct row_list *rows, const struct row *like);
void row_list_free(struct row_list *rows);

#endif
