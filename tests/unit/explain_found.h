/* What explain_find() says of a text, for tests. */
#ifndef TESTS_EXPLAIN_FOUND_H
#define TESTS_EXPLAIN_FOUND_H

#include <criterion/criterion.h>

#include <string.h>

#include "data/data.h"
#include "doctor/explain.h"

static struct explain found; /* by the last text */

static inline void explain_bytes(const char *text, size_t size)
{
    struct err err;
    err_clear(&err);
    cr_assert_eq(explain_find(text, size, &found, &err), 0, "%s", err.msg);
}

static inline void explain(const char *text)
{
    explain_bytes(text, strlen(text));
}

static inline const char *error_id(const struct explain_match *m)
{
    return m->error < 0 ? "" : table_field(data_table(DATA_ERRORS), (size_t)m->error, "id");
}

static inline const char *first_id(void)
{
    return found.match_count ? error_id(&found.matches[0]) : "";
}

static inline const char *cause_id(size_t i)
{
    return i < found.cause_count ? table_field(data_table(DATA_CAUSES), found.causes[i], "id") : "";
}

static inline bool may_be(const char *id)
{
    for (size_t i = 0; i < found.cause_count; i++)
        if (strcmp(cause_id(i), id) == 0)
            return true;
    return false;
}

#endif
