/* Which batch: memory and throughput over batch, and the point to take. */
#ifndef SIZE_CHOICE_H
#define SIZE_CHOICE_H

#include "size/knee.h"
#include "size/pace.h"

#define CHOICE_POINTS_MAX 32

struct choice_ask {
    const struct net *net;
    const struct kept *kept;        /* of the same mode */
    const struct time_model *model; /* of the precision; NULL: no times */
    const struct measured *measured; /* NULL: nothing */
    struct memory_ask memory;       /* its batch is not read */
    int batch;                      /* the user's; 0: to be chosen */
    int target;                     /* batch to be reached by accumulation; 0: none */
    int most;                       /* no point above it; 0: CHOICE_BATCH_MOST */
    int limit;                      /* larger batches were seen not to fit; 0: none was */
};

#define CHOICE_BATCH_MOST 512

struct choice_point {
    int batch;
    struct memory_range memory;
    struct pace pace;
    struct pace_span rate; /* images a second; 0 when not known */
};

struct choice {
    struct choice_point points[CHOICE_POINTS_MAX]; /* rising batches that fit, and the user's own */
    size_t count;
    int largest, sure;  /* batches: by the middle and by the high end of the bill; 0: not even one */
    size_t knee;        /* smallest point that is as good as the best; of those that fit */
    size_t chosen;      /* the user's batch, or the knee, or as good a point that divides the target */
    bool fits;          /* the chosen one does */
    const char *reason; /* NULL, or the id of a sentence why there are no times */
};

void choice_make(const struct choice_ask *ask, struct choice *choice);

/* The point at this batch, worked out anew. */
void choice_point_at(const struct choice_ask *ask, int batch, struct choice_point *point);

/* Which of two rates is higher: 1 the first, -1 the second, 0 the ranges overlap or one is not known. */
int choice_compare(const struct pace_span *a, const struct pace_span *b);

#endif
