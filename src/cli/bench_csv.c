/* Rows as comma-separated values: RFC 4180, a line a row, numbers that are not known left empty. */
#include <math.h>
#include <string.h>

#include "cli/bench_run.h"
#include "cli/out.h"

static void add_text(struct str *to, const char *text)
{
    bool quote = strpbrk(text, ",\"\r\n") != NULL;
    str_add(to, quote ? "\"" : "");
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            str_add(to, "\"");
        str_add_bytes(to, p, 1);
    }
    str_add(to, quote ? "\"," : ",");
}

static void add_number(struct str *to, double value)
{
    if (isfinite(value))
        str_addf(to, "%.9g", value);
    str_add(to, ",");
}

static void add_row(struct str *to, const struct row *r)
{
    const char *const texts[] = {
        r->name,   r->shape, r->precision, r->implementation, row_status_name(r->status),
        r->reason, r->basis
    };
    bool timed = r->time.count > 0, spread = r->time.count > 1;
    const double values[] = { timed ? r->time.median : (double)NAN,
                              spread ? r->time.low : (double)NAN,
                              spread ? r->time.high : (double)NAN,
                              r->gflops,
                              r->gbps,
                              r->ceiling_percent,
                              r->max_rel_error };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        add_text(to, texts[i]);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        add_number(to, values[i]);
    str_addf(to, "%zu,%zu,", r->sample_count, r->throttled);
    add_text(to, r->image);
    add_text(to, r->variant);
    to->len--; /* the last comma */
    to->p[to->len] = 0;
}

void bench_csv_rows(const struct row_list *rows)
{
    out_line(OUT_PLAIN, "case,shape,precision,implementation,status,reason,basis,time_ms,low_ms,"
                        "high_ms,gflops,gbps,ceiling_percent,max_rel_error,samples,"
                        "throttled_samples,image,variant");
    for (size_t i = 0; i < rows->count; i++) {
        struct str line = STR_INIT;
        add_row(&line, &rows->list[i]);
        out_line(OUT_PLAIN, line.p);
        str_free(&line);
    }
}
