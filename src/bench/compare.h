/* Two runs beside each other: which rows both have, and what their intervals say. Pure. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include "bench/row.h"

/* Changes of this size are not worth a word. */
#define COMPARE_LEAST 0.02

struct comparison {
    const struct row *a, *b; /* NULL: only the other run has it */
    bool timed;              /* both have a time; else there is no verdict */
    enum stats_verdict verdict;
    double ratio; /* time of b over that of a */
};

/* Every row of `a` in its order, then those that only `b` has; to be freed. NULL when out of
 * memory. */
struct comparison *compare_rows(const struct row_list *a, const struct row_list *b, size_t *count);

#endif
