/* A growing string and the few string helpers that several modules need.
 *
 * Start with `struct str s = STR_INIT;`. `s.p` is always a valid NUL-terminated string, also when
 * empty. Running out of memory sets `s.failed`; later additions do nothing, and the owner checks
 * once at the end. */
#ifndef CORE_STR_H
#define CORE_STR_H

#include <stdbool.h>
#include <stddef.h>

struct str {
    char *p;
    size_t len;
    size_t cap; /* 0: p is the static empty string */
    bool failed;
};

extern char str_empty[1];
#define STR_INIT { .p = str_empty }

void str_free(struct str *s);
void str_clear(struct str *s);
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const char *bytes, size_t n);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Like strlcpy: copies what fits, always terminates. Returns false when `text` was cut. */
bool str_copy(char *to, size_t size, const char *text);

bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);

/* Edit distance (insert, delete, replace) capped at 64 characters a word; for "did you mean". */
unsigned str_distance(const char *a, const char *b);

/* Parses a whole decimal number in [min, max]; false on anything else. */
bool str_number(const char *text, long min, long max, long *value);

#endif
