/* `smfit bench --compare A B`: documents of --json, or files of --out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "cli/bench_run.h"
#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/os.h"
#include "core/utf8.h"

#define SIZE_MOST ((size_t)256 << 20)

static int read_document(const char *path, const char *text, size_t size, struct row_list *rows,
                         struct err *err)
{
    json_error_t why;
    json_t *doc = json_loadb(text, size, 0, &why);
    const json_t *list = json_object_get(doc, "rows");
    const char *schema = json_string_value(json_object_get(doc, "schema"));
    int failed = 0;
    if (!schema || strcmp(schema, "smfit.bench") != 0 || !json_is_array(list))
        failed = err_set(err, ERR_FORMAT, "it holds no benchmark");
    else
        failed = stream_check_version(doc, err);
    for (size_t i = 0; i < json_array_size(list) && !failed; i++) {
        struct row row;
        failed = row_parse(&row, json_array_get(list, i), err) || row_list_add(rows, &row, err);
    }
    json_decref(doc);
    return failed ? err_wrap(err, "'%s'", path) : 0;
}

/* A file of --out has a line with its own schema first. */
static int read_rows(const char *path, struct row_list *rows, struct err *err)
{
    static const char stream[] = "{\"schema\":\"smfit.bench.stream\"";
    struct str text = STR_INIT;
    json_t *header = NULL;
    if (os_read_file(path, SIZE_MOST, &text, err))
        return -1;
    int failed = str_starts(text.p, stream) ? stream_read(path, &header, rows, err)
                                            : read_document(path, text.p, text.len, rows, err);
    json_decref(header);
    str_free(&text);
    return failed;
}

static const char *verdict_of(const struct comparison *c)
{
    return !c->a       ? "only_b"
           : !c->b     ? "only_a"
           : !c->timed ? "no_time"
                       : stats_verdict_name(c->verdict);
}

static void put_time(json_t *j, const char *key, const struct row *r)
{
    if (r && r->time.count)
        json_put(j, key, json_real(r->time.median));
    else
        json_put_unknown(j, key, !r ? "the file has no such row" : r->reason);
}

static json_t *comparison_json(const struct comparison *c)
{
    const struct row *r = c->a ? c->a : c->b;
    json_t *j = json_object();
    json_put_text(j, "case", r->name);
    json_put_text(j, "shape", r->shape);
    json_put_text(j, "precision", r->precision);
    json_put_text(j, "implementation", r->implementation);
    json_put_text(j, "verdict", verdict_of(c));
    put_time(j, "a_ms", c->a);
    put_time(j, "b_ms", c->b);
    if (c->timed)
        json_put(j, "ratio", json_real(c->ratio));
    else
        json_put_unknown(j, "ratio", "there are no two times");
    return j;
}

static bool has_simulated(const struct row_list *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->list[i].basis, "simulated") == 0)
            return true;
    return false;
}

static void say(enum out_style style, const char *id, const struct text_arg *args)
{
    struct str s = STR_INIT;
    text_add(&s, id, args);
    out_wrapped(style, 0, s.p);
    str_free(&s);
}

static void say_simulated(const char *path, const struct row_list *rows)
{
    struct str safe = STR_INIT;
    utf8_add_printable(&safe, path);
    if (has_simulated(rows))
        say(OUT_DOUBTFUL, "bench.simulated_file", TEXT_ARGS({ "file", safe.p }));
    str_free(&safe);
}

static void time_cell(struct grid *g, const struct row *r)
{
    if (r && r->time.count)
        grid_cellf(g, r->time.median >= 1000 ? "%.0f" : "%.4g", r->time.median);
    else
        grid_cell(g, r ? row_status_name(r->status) : "-");
}

static void print(const struct comparison *list, size_t count)
{
    static const struct grid_column columns[] = {
        { "col.case", false }, { "col.shape", false },   { "col.precision", false },
        { "col.by", false },   { "col.a_ms", true },     { "col.b_ms", true },
        { "col.ratio", true }, { "col.verdict", false },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    size_t tally[4] = { 0 };
    for (size_t i = 0; g && i < count; i++) {
        const struct comparison *c = &list[i];
        const struct row *r = c->a ? c->a : c->b;
        char id[40];
        grid_cell(g, r->name);
        grid_cell(g, r->shape);
        grid_cell(g, r->precision);
        grid_cell(g, r->implementation);
        time_cell(g, c->a);
        time_cell(g, c->b);
        if (c->timed)
            grid_cellf(g, "%.3f", c->ratio);
        else
            grid_cell(g, "");
        snprintf(id, sizeof id, "bench.verdict_%s", verdict_of(c));
        grid_cell(g, text_get(id));
        if (c->timed)
            tally[c->verdict]++;
    }
    if (g)
        grid_print(g, 2);
    grid_free(g);
    char n[4][24];
    for (int i = 0; i < 4; i++)
        snprintf(n[i], sizeof n[i], "%zu", tally[i]);
    say(OUT_BOLD, "bench.compared",
        TEXT_ARGS({ "same", n[STATS_SAME] }, { "faster", n[STATS_FASTER] },
                  { "slower", n[STATS_SLOWER] }, { "ambiguous", n[STATS_AMBIGUOUS] }));
}

int bench_compare(struct cmd_run *run, struct err *err)
{
    struct row_list a = { 0 }, b = { 0 };
    struct comparison *list = NULL;
    size_t count = 0;
    int status = -1;
    if (run->operand_count != 2) {
        err_set(err, ERR_USAGE, "'--compare' needs two files");
        return -1;
    }
    if (read_rows(run->operands[0], &a, err) || read_rows(run->operands[1], &b, err))
        goto done;
    list = compare_rows(&a, &b, &count);
    if (!list) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    if (run->doc) {
        json_t *all = json_array();
        for (size_t i = 0; i < count; i++)
            json_array_append_new(all, comparison_json(&list[i]));
        json_put(run->doc, "comparisons", all);
        if (has_simulated(&a) || has_simulated(&b))
            json_put_text(run->doc, "basis", "simulated");
    } else {
        print(list, count);
        say_simulated(run->operands[0], &a);
        say_simulated(run->operands[1], &b);
    }
    status = CMD_DONE;
done:
    free(list);
    row_list_free(&a);
    row_list_free(&b);
    return status;
}
