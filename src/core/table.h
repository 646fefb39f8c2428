/* Read-only tables in TSV: a header line with the columns' names, then a row a line.
 *
 * Fields are separated by single tabs and hold no tabs or newlines; "#" starts a comment line;
 * "?" is a value that nobody knows and "-" one that does not apply. A table borrows its text,
 * which must stay alive. Parsing happens once and keeps one pointer a field. */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

struct table {
    char *text;          /* private copy, cut into fields */
    const char **fields; /* row_count * column_count */
    const char **columns;
    size_t column_count;
    size_t row_count;
};

/* Fails when a row has another number of fields than the header (the message names the line). */
int table_parse(struct table *t, const char *text, size_t size, struct err *err);
void table_free(struct table *t);

/* The column's index, or -1. */
int table_column(const struct table *t, const char *name);

/* The field as written ("?" and "-" included). `column` must exist. */
const char *table_get(const struct table *t, size_t row, int column);

/* The same by name; "" when the table has no such column. For code that runs rarely. */
const char *table_field(const struct table *t, size_t row, const char *column);

/* A number; false for "?", "-", "" or text. */
bool table_number(const struct table *t, size_t row, int column, double *value);

/* True for "?", "-" and "": nothing is known or it does not apply. */
bool table_blank(const char *field);

#endif
