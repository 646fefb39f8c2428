#include "bench/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_time(const struct row *r)
{
    return r && r->status == ROW_OK && r->time.count && r->time.median > 0;
}

static struct comparison compare(const struct row *a, const struct row *b)
{
    struct comparison c = { .a = a, .b = b, .ratio = NAN };
    c.timed = has_time(a) && has_time(b);
    if (!c.timed)
        return c;
    c.ratio = b->time.median / a->time.median;
    c.verdict = stats_compare(&a->time, &b->time, COMPARE_LEAST, row_is_exact(a) && row_is_exact(b));
    return c;
}

struct comparison *compare_rows(const struct row_list *a, const struct row_list *b, size_t *count)
{
    struct comparison *list = calloc(a->count + b->count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < a->count; i++)
        list[(*count)++] = compare(&a->list[i], row_list_find(b, &a->list[i]));
    for (size_t i = 0; list && i < b->count; i++)
        if (!row_list_find(a, &b->list[i]))
            list[(*count)++] = compare(NULL, &b->list[i]);
    return list;
}
