#include "bench/row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"

static const char *const status_names[] = {
    [ROW_OK] = "ok",
    [ROW_UNSUPPORTED] = "unsupported",
    [ROW_SKIPPED] = "skipped",
    [ROW_ERROR] = "error",
};

const char *row_status_name(enum row_status status)
{
    return status_names[status];
}

bool row_is_exact(const struct row *row)
{
    return strcmp(row->basis, "simulated") == 0 && !str_starts(row->name, "load/");
}

void row_init(struct row *row)
{
    *row = (struct row){ .shape = "-", .precision = "-", .basis = "measured" };
    row->flop = row->bytes = row->gflops = row->gbps = NAN;
    row->ceiling_percent = row->max_rel_error = row->error_bound = row->anchor_ratio = NAN;
}

void row_free(struct row *row)
{
    free(row->samples_ms);
    free(row->clocks_mhz);
    row->samples_ms = row->clocks_mhz = NULL;
    row->sample_count = 0;
}

int row_reserve(struct row *row, size_t count, struct err *err)
{
    row_free(row);
    row->samples_ms = calloc(count ? count : 1, sizeof *row->samples_ms);
    row->clocks_mhz = calloc(count ? count : 1, sizeof *row->clocks_mhz);
    if (!row->samples_ms || !row->clocks_mhz) {
        row_free(row);
        return err_set(err, ERR_MEMORY, "out of memory");
    }
    row->sample_count = count;
    for (size_t i = 0; i < count; i++)
        row->samples_ms[i] = row->clocks_mhz[i] = NAN;
    return 0;
}

void row_fail(struct row *row, enum row_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(row->reason, sizeof row->reason, fmt, args);
    va_end(args);
    row->status = status;
}

void row_summarise(struct row *row)
{
    double *sorted = calloc(row->sample_count ? row->sample_count : 1, sizeof *sorted);
    if (!sorted)
        return;
    if (row->sample_count)
        memcpy(sorted, row->samples_ms, row->sample_count * sizeof *sorted);
    row->time = stats_of(sorted, row->sample_count);
    free(sorted);
    if (row->time.count && row->time.median > 0) {
        row->gflops = row->flop / row->time.median / 1e6;
        row->gbps = row->bytes / row->time.median / 1e6;
    }
}

bool row_same(const struct row *a, const struct row *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->precision, b->precision) == 0 &&
           strcmp(a->implementation, b->implementation) == 0;
}

int row_list_add(struct row_list *rows, struct row *row, struct err *err)
{
    if (rows->count == rows->room) {
        size_t room = rows->room ? rows->room * 2 : 64;
        struct row *list = reallocarray(rows->list, room, sizeof *list);
        if (!list)
            return err_set(err, ERR_MEMORY, "out of memory");
        rows->list = list;
        rows->room = room;
    }
    rows->list[rows->count++] = *row;
    *row = (struct row){ 0 };
    return 0;
}

struct row *row_list_find(const struct row_list *rows, const struct row *like)
{
    for (size_t i = 0; i < rows->count; i++)
        if (row_same(&rows->list[i], like))
            return &rows->list[i];
    return NULL;
}

void row_list_free(struct row_list *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        row_free(&rows->list[i]);
    free(rows->list);
    *rows = (struct row_list){ 0 };
}
