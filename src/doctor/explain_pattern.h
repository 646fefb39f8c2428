/* The patterns of errors.tsv, and all places in a text where one of them stands. A text is read
 * once, whatever the number of patterns. */
#ifndef DOCTOR_EXPLAIN_PATTERN_H
#define DOCTOR_EXPLAIN_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "doctor/explain_text.h"

struct explain_pattern {
    const char *text; /* not terminated */
    size_t length;
    size_t weight;       /* letters that must be there: the more, the more it says */
    uint64_t head, mask; /* its first letters, up to eight, as they lie in memory */
    int error, code;     /* its row in errors.tsv or in codes.tsv; the other is -1 */
};

struct explain_patterns;

/* Compiled from the tables. NULL when out of memory. */
struct explain_patterns *explain_patterns_new(void);
void explain_patterns_free(struct explain_patterns *patterns);

size_t explain_patterns_count(const struct explain_patterns *patterns);
const struct explain_pattern *explain_patterns_get(const struct explain_patterns *patterns,
                                                   size_t i);

/* The end of the pattern at this place of `lower`, or 0. */
size_t explain_pattern_match(const struct explain_pattern *pattern, const struct explain_text *text,
                             size_t offset);

/* Calls `found` for each place, from the start to the end of the text; of places that overlap only
 * the pattern that says most. */
void explain_patterns_scan(const struct explain_patterns *patterns, const struct explain_text *text,
                           void (*found)(void *self, const struct explain_pattern *pattern,
                                         size_t start, size_t end),
                           void *self);

#endif
