/* The benchmark's table for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/op_check.h"
#include "cli/bench_run.h"
#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/utf8.h"

enum { BAR = 20 };

/* Three digits that count, and a unit that suits. */
static void add_time(struct str *to, double ms)
{
    double value = ms >= 1000 ? ms / 1e3 : ms >= 1 ? ms : ms * 1e3;
    const char *unit = ms >= 1000 ? "s" : ms >= 1 ? "ms" : "us";
    str_addf(to, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, unit);
}

static void time_cell(struct grid *g, const struct row *r)
{
    struct str s = STR_INIT;
    if (r->time.count)
        add_time(&s, r->time.median);
    if (r->time.count > 1 && r->time.median > 0)
        str_addf(&s, " +-%.1f%%",
                 100 * fmax(r->time.high - r->time.median, r->time.median - r->time.low) /
                     r->time.median);
    if (r->throttled)
        str_add(&s, " *");
    grid_cell(g, s.p);
    str_free(&s);
}

static void rate_cell(struct grid *g, double value)
{
    if (isfinite(value))
        grid_cellf(g, "%.*f", value >= 100 ? 0 : value >= 10 ? 1 : 2, value);
    else
        grid_cell(g, "");
}

/* "##########          " of the ceiling that was measured. */
static void bar_cell(struct grid *g, double percent)
{
    char bar[BAR + 1];
    int full = isfinite(percent) ? (int)lround(percent / 100 * BAR) : -1;
    for (int i = 0; i < BAR; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR] = 0;
    grid_cell(g, full < 0 ? "" : bar);
}

static void percent_cell(struct grid *g, double percent)
{
    if (isfinite(percent))
        grid_cellf(g, "%.0f%%", percent);
    else
        grid_cell(g, "");
}

static void error_cell(struct grid *g, double error)
{
    if (isfinite(error))
        grid_cellf(g, "%.1e", error);
    else
        grid_cell(g, "");
}

static bool is_shown(const struct row *r, bool verbose)
{
    return r->status == ROW_OK && (verbose || !str_starts(r->name, "load/"));
}

static void print_table(const struct bench_run *r)
{
    static const struct grid_column columns[] = {
        { "col.case", false }, { "col.shape", false },  { "col.precision", false },
        { "col.by", false },   { "col.time", true },    { "col.gflops", true },
        { "col.gbps", true },  { "col.ceiling", true }, { NULL, false },
        { "col.error", true },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; g && i < r->rows.count; i++) {
        const struct row *row = &r->rows.list[i];
        if (!is_shown(row, r->run->globals->verbose))
            continue;
        grid_cell(g, row->name);
        grid_cell(g, row->shape);
        grid_cell(g, row->precision);
        grid_cell(g, row->implementation);
        time_cell(g, row);
        rate_cell(g, row->gflops);
        rate_cell(g, row->gbps);
        percent_cell(g, row->ceiling_percent);
        bar_cell(g, row->ceiling_percent);
        error_cell(g, row->max_rel_error);
    }
    if (g)
        grid_print(g, 2);
    grid_free(g);
}

/* Rows of one status that give the same reason are one line. */
static bool told_before(const struct row_list *rows, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (rows->list[i].status == rows->list[at].status &&
            strcmp(rows->list[i].reason, rows->list[at].reason) == 0)
            return true;
    return false;
}

static void add_known(struct str *to, const char *text)
{
    if (strcmp(text, "-") != 0)
        str_addf(to, " %s", text);
}

static void list_rows(const struct row_list *rows, size_t first, struct str *to)
{
    size_t named = 0, more = 0;
    const struct row *like = &rows->list[first];
    for (size_t i = first; i < rows->count; i++) {
        const struct row *r = &rows->list[i];
        if (r->status != like->status || strcmp(r->reason, like->reason) != 0)
            continue;
        if (named == 3) {
            more++;
            continue;
        }
        str_addf(to, "%s%s", named++ ? "; " : "", r->name);
        add_known(to, r->shape);
        add_known(to, r->precision);
        add_known(to, r->implementation);
    }
    if (more) {
        char count[24];
        snprintf(count, sizeof count, "%zu", more);
        str_add(to, "; ");
        text_add(to, "bench.more", TEXT_ARGS({ "count", count }));
    }
}

static void print_reasons(const struct bench_run *r, enum row_status status, const char *title,
                          enum out_style style)
{
    bool titled = false;
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct row *row = &r->rows.list[i];
        struct str line = STR_INIT, names = STR_INIT, safe = STR_INIT;
        if (row->status != status || !*row->reason || told_before(&r->rows, i))
            continue;
        if (!titled)
            out_line(OUT_BOLD, text_get(title));
        titled = true;
        list_rows(&r->rows, i, &names);
        text_add(&line, "bench.reason", TEXT_ARGS({ "rows", names.p }, { "why", row->reason }));
        utf8_add_printable(&safe, line.p);
        out_wrapped(style, 2, safe.p);
        str_free(&safe);
        str_free(&names);
        str_free(&line);
    }
}

/* Which families came onto the device, in a line. */
static void print_loads(const struct bench_run *r)
{
    size_t loaded = 0, all = 0;
    char ok[24], total[24];
    struct str line = STR_INIT;
    for (size_t i = 0; i < r->rows.count; i++)
        if (str_starts(r->rows.list[i].name, "load/")) {
            all++;
            loaded += r->rows.list[i].status == ROW_OK;
        }
    snprintf(ok, sizeof ok, "%zu", loaded);
    snprintf(total, sizeof total, "%zu", all);
    if (all) {
        text_add(&line, "bench.loads", TEXT_ARGS({ "ok", ok }, { "all", total }));
        out_wrapped(OUT_PLAIN, 2, line.p);
    }
    str_free(&line);
}

static void print_notes(const struct bench_run *r)
{
    bool throttled = false, sums = false, fewer = false;
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct row *row = &r->rows.list[i];
        throttled = throttled || row->throttled;
        sums = sums || (row->status == ROW_OK && str_starts(row->name, "net/"));
        fewer = fewer || (row->status == ROW_OK && row->ceiling_percent > 100 &&
                          op_check_transforms(row->variant));
    }
    if (throttled)
        out_wrapped(OUT_DOUBTFUL, 0, text_get("bench.throttled"));
    if (fewer)
        out_wrapped(OUT_DIM, 0, text_get("bench.fewer"));
    if (sums)
        out_wrapped(OUT_DIM, 0, text_get("bench.sums"));
    if (r->machine.simulated && r->device)
        out_wrapped(OUT_DOUBTFUL, 0, text_get("bench.simulated"));
}

static void add_or(struct str *to, const char *text)
{
    if (*text)
        utf8_add_printable(to, text);
    else
        str_add(to, "n/a");
}

static void print_head(const struct bench_run *r)
{
    struct str line = STR_INIT, cpu = STR_INIT, governor = STR_INIT, power = STR_INIT;
    char cores[16], cc[16], clock[32];
    if (r->device) {
        snprintf(cc, sizeof cc, "%u.%u", r->device->cc / 10, r->device->cc % 10);
        snprintf(clock, sizeof clock, r->device->clock_khz ? "%.0f MHz" : "n/a",
                 r->device->clock_khz / 1e3);
        text_add(&line, "bench.card",
                 TEXT_ARGS({ "name", r->name }, { "cc", cc },
                           { "driver", *r->driver ? r->driver : "n/a" }, { "clock", clock }));
        out_line(OUT_BOLD, line.p);
        str_clear(&line);
    }
    snprintf(cores, sizeof cores, r->host.cores ? "%d" : "n/a", r->host.cores);
    add_or(&cpu, r->host.cpu);
    add_or(&governor, r->host.governor);
    add_or(&power, r->host.power);
    text_add(&line, "bench.host",
             TEXT_ARGS({ "cpu", cpu.p }, { "cores", cores }, { "governor", governor.p },
                       { "power", power.p }));
    out_line(OUT_PLAIN, line.p);
    str_free(&line);
    str_free(&cpu);
    str_free(&governor);
    str_free(&power);
}

void bench_text_libraries(const struct bench_run *r)
{
    for (size_t i = 0; i < r->survey.count; i++) {
        const struct survey_library *l = &r->survey.libraries[i];
        struct str line = STR_INIT, safe = STR_INIT;
        text_add(&line, *l->reason ? "bench.library_missing" : "bench.library",
                 TEXT_ARGS({ "name", l->name }, { "version", l->version }, { "path", l->path },
                           { "why", l->reason }));
        utf8_add_printable(&safe, line.p);
        out_wrapped(*l->reason ? OUT_DOUBTFUL : OUT_PLAIN, 0, safe.p);
        str_free(&safe);
        str_free(&line);
    }
}

void bench_text_rows(const struct bench_run *r)
{
    print_head(r);
    bench_text_libraries(r);
    print_loads(r);
    print_table(r);
    print_reasons(r, ROW_ERROR, "bench.errors", OUT_BAD);
    print_reasons(r, ROW_UNSUPPORTED, "bench.unsupported", OUT_PLAIN);
    print_reasons(r, ROW_SKIPPED, "bench.skipped", OUT_PLAIN);
    print_reasons(r, ROW_OK, "bench.remarks", OUT_PLAIN);
    print_notes(r);
}

void bench_text_list(const struct bench_run *r)
{
    static const struct grid_column columns[] = {
        { "col.case", false }, { "col.shape", false }, { "col.precision", false },
        { "col.by", false },   { "col.one", true },    { "col.seconds", true },
        { NULL, false },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    struct str line = STR_INIT;
    char seconds[24], cases[24];
    for (size_t i = 0; g && i < r->plan.count; i++) {
        const struct bench_case *c = &r->plan.cases[i];
        struct row row;
        struct str one = STR_INIT;
        case_row(c, false, &row);
        if (c->expected_ms > 0)
            add_time(&one, c->expected_ms);
        grid_cell(g, row.name);
        grid_cell(g, row.shape);
        grid_cell(g, row.precision);
        grid_cell(g, row.implementation);
        grid_cell(g, one.p);
        grid_cellf(g, "%.2f", plan_case_seconds(&r->plan.settings, c));
        grid_cell(g, c->why);
        str_free(&one);
    }
    if (g)
        grid_print(g, 2);
    grid_free(g);
    snprintf(seconds, sizeof seconds, "%.0f", ceil(r->plan.seconds));
    snprintf(cases, sizeof cases, "%zu", r->plan.count);
    text_add(&line, "bench.planned",
             TEXT_ARGS({ "cases", cases }, { "seconds", seconds },
                       { "card", *r->name ? r->name : r->host.cpu }));
    out_wrapped(OUT_BOLD, 0, line.p);
    str_free(&line);
}
