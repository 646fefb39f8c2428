#include "data/data.h"

#include <stdio.h>
#include <stdlib.h>

#define X(id, file) extern const char data_##file##_start[], data_##file##_end[];
DATA_TABLES(X)
#undef X

static const struct {
    const char *name, *start, *end;
} sources[] = {
#define X(id, file) [DATA_##id] = { #file, data_##file##_start, data_##file##_end },
    DATA_TABLES(X)
#undef X
};

const struct table *data_table(enum data_id id)
{
    static struct table tables[DATA_COUNT];
    struct table *t = &tables[id];
    if (t->text)
        return t;
    struct err err;
    err_clear(&err);
    if (table_parse(t, sources[id].start, (size_t)(sources[id].end - sources[id].start), &err)) {
        fprintf(stderr, "smfit: built-in table '%s': %s\n", sources[id].name, err.msg);
        abort();
    }
    return t;
}

const char *data_name(enum data_id id)
{
    return sources[id].name;
}
