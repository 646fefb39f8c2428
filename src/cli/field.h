/* Rows of the built-in tables as JSON: which column becomes a member of what type. */
#ifndef CLI_FIELD_H
#define CLI_FIELD_H

#include <jansson.h>
#include <stddef.h>

#include "core/table.h"

enum field_type {
    FIELD_TEXT,
    FIELD_NUMBER,
    FIELD_BOOL, /* "yes", "no" */
    FIELD_LIST, /* words between blanks */
};

struct field {
    const char *column;
    const char *key; /* NULL: as the column */
    enum field_type type;
};

/* Adds the row's fields to `object`. "?" is null with the reason "not known", "-" null with "does
 * not apply". A column that the table lacks is not known, either. `fields` ends with column NULL.
 */
void field_put_row(json_t *object, const struct table *t, size_t row, const struct field *fields);

#endif
