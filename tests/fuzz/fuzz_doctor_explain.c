/* Any bytes as an error text, in whatever encoding: rows and lines stay within their tables. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"
#include "doctor/explain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct explain found;
    struct err err;
    err_clear(&err);
    if (explain_find((const char *)data, size, &found, &err))
        abort(); /* only memory may be missing */
    if (found.match_count > EXPLAIN_MATCHES_MAX || found.cause_count > EXPLAIN_CAUSES_MAX)
        abort();
    for (size_t i = 0; i < found.match_count; i++) {
        const struct explain_match *m = &found.matches[i];
        if (!m->count || memchr(m->line, 0, sizeof m->line) == NULL || (m->error < 0 && m->code < 0) ||
            m->error >= (int)data_table(DATA_ERRORS)->row_count ||
            m->code >= (int)data_table(DATA_CODES)->row_count)
            abort();
    }
    for (size_t i = 0; i < found.cause_count; i++)
        if (found.causes[i] >= data_table(DATA_CAUSES)->row_count)
            abort();
    return 0;
}
