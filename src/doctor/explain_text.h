/* A text as people paste it, made comparable: colours off, blanks and line ends single, quotes
 * plain, letters of ASCII small. UTF-16 (what PowerShell writes) is read as well. */
#ifndef DOCTOR_EXPLAIN_TEXT_H
#define DOCTOR_EXPLAIN_TEXT_H

#include <stddef.h>

#include "core/err.h"
#include "core/str.h"

/* `shown` and `lower` have the same length, so that a place in one is that in the other. A line end
 * is '\n' in `shown` and a blank in `lower`. EXPLAIN_TEXT_PAD zeros follow each. */
#define EXPLAIN_TEXT_PAD 8
struct explain_text {
    char *shown, *lower;
    size_t size;
};

/* Appends the bytes to `to` as UTF-8: UTF-16 by its first two bytes, all else as it is. -1: no memory. */
int explain_text_decode(const char *bytes, size_t size, struct str *to, struct err *err);

/* Frees with explain_text_free, also after -1 (no memory). */
int explain_text_make(const char *bytes, size_t size, struct explain_text *text, struct err *err);
void explain_text_free(struct explain_text *text);

/* Appends the line around `offset` as it was, at most `most` bytes of it. */
void explain_text_line(const struct explain_text *text, size_t offset, size_t most, struct str *to);

/* The end of a number at `p`: digits with dots between them, or what stands for one ("%d", "<n>",
 * "{}", "xx"); NULL when there is none. */
const char *explain_text_number(const char *p, const char *end);

#endif
