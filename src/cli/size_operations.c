#include "cli/size_operations.h"

#include <stdio.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/out.h"
#include "cli/size_shapes.h"
#include "cli/text.h"
#include "core/json.h"

bool size_operations_asked(const struct size_operations *o)
{
    return o->gemm.count || o->conv.count || o->shapes;
}

/* What all rows share. */
struct asked {
    struct cmd_run *run;
    struct shape_list shapes;
    struct time_model models[TIME_PRECISION_COUNT];
    struct time_calibration calibration;
    int calibrated; /* enum time_precision; -1: not */
    bool some;      /* one row at least was predicted, or there was none */
};

/* ---- what is asked ---- */

static int read_shapes(struct asked *a, const struct size_operations *o, const char *precision,
                       struct err *err)
{
    if (o->shapes && (o->gemm.count || o->conv.count))
        return err_set(err, ERR_USAGE,
                       "--shapes stands alone: put the other operations into the file");
    if (o->shapes)
        return shape_read(o->shapes, precision, &a->shapes, err);
    for (size_t i = 0; i < o->gemm.count; i++)
        if (shape_add_gemm(&a->shapes, o->gemm.items[i], precision, err))
            return err_wrap(err, "--gemm");
    for (size_t i = 0; i < o->conv.count; i++)
        if (shape_add_conv(&a->shapes, o->conv.items[i], precision, err))
            return err_wrap(err, "--conv");
    return 0;
}

/* The precision of all rows; -1 when there are several. */
static int common_precision(const struct shape_list *shapes)
{
    int common = -1;
    for (size_t i = 0; i < shapes->count; i++) {
        int precision = shapes->list[i].precision;
        if (precision >= 0 && common >= 0 && precision != common)
            return -1;
        common = precision >= 0 ? precision : common;
    }
    return common;
}

static int read_calibration(struct asked *a, const struct size_operations *o, const char *precision,
                            struct err *err)
{
    a->calibrated = -1;
    if (precision && shape_precision(precision) < 0)
        return err_set(err, ERR_USAGE, "precision '%s' is none that the model knows", precision);
    if (!o->calibrate)
        return 0;
    if (shape_parse_calibration(o->calibrate, &a->calibration, err))
        return -1;
    a->calibrated = precision ? shape_precision(precision) : common_precision(&a->shapes);
    if (a->calibrated < 0)
        return err_set(
            err, ERR_USAGE,
            "--calibrate: the rows have several precisions; --precision says which it is of");
    return 0;
}

/* A time that no such card can have taken would make every answer wrong. */
static int check_calibration(const struct asked *a, const char *text, const struct time_card *card,
                             struct err *err)
{
    if (a->calibrated < 0)
        return 0;
    enum time_precision precision = (enum time_precision)a->calibrated;
    double sheet = time_sheet_gflops(card, precision);
    double rate = time_calibration_gflops(&a->calibration);
    if (!(sheet > 0) || rate <= TIME_SHEET_MOST * sheet)
        return 0;
    return err_set(err, ERR_USAGE,
                   "--calibrate '%s': in that time the card would do %.0f GFLOP/s, and its data "
                   "sheet has %.0f in %s",
                   text, rate, sheet, time_precision_name(precision));
}

static void make_models(struct asked *a, const struct time_card *card)
{
    for (int p = 0; p < TIME_PRECISION_COUNT; p++)
        time_model_init(&a->models[p], card, (enum time_precision)p,
                        p == a->calibrated ? &a->calibration : NULL);
}

/* ---- answers ---- */

struct answer {
    const char *key; /* "time", "forward": KEY_ms and so on */
    const char *name_id;
    enum time_pass pass;
};

static const struct answer conv_answers[] = {
    { "forward", "size.pass.forward", TIME_FORWARD },
    { "backward_data", "size.pass.backward_data", TIME_BACKWARD_DATA },
    { "backward_weights", "size.pass.backward_weights", TIME_BACKWARD_WEIGHTS },
};
static const struct answer gemm_answer = { "time", "size.pass.product", TIME_FORWARD };

static const char *bound_word(enum time_bound bound)
{
    static const char *const words[] = { "compute", "memory", "latency" };
    return words[bound];
}

static void predict(struct asked *a, const struct shape *s, enum time_pass pass,
                    struct time_result *result)
{
    struct time_op op = { .kind = s->is_conv ? TIME_OP_CONV : TIME_OP_GEMM };
    if (s->precision < 0) {
        *result = (struct time_result){ .reason = "time.unknown_precision" };
        return;
    }
    if (s->is_conv) {
        op.conv = s->conv;
        op.conv.pass = pass;
    } else {
        op.gemm = s->gemm;
    }
    time_predict(&a->models[s->precision], &op, result);
    a->some = a->some || !result->reason;
}

static void put_unknown(json_t *row, const char *key, const char *reason)
{
    json_put(row, key, json_null());
    char name[48];
    snprintf(name, sizeof name, "%s_reason", key);
    json_put_text(row, name, text_get(reason));
}

static void put_answer(struct asked *a, json_t *row, const struct shape *s,
                       const struct answer *answer)
{
    struct time_result r;
    char key[32], low[32], high[32], bound[32];
    snprintf(key, sizeof key, "%s_ms", answer->key);
    snprintf(low, sizeof low, "%s_low_ms", answer->key);
    snprintf(high, sizeof high, "%s_high_ms", answer->key);
    snprintf(bound, sizeof bound, "%s_bound", answer->key);
    predict(a, s, answer->pass, &r);
    if (r.reason) {
        put_unknown(row, key, r.reason);
        return;
    }
    json_put(row, key, json_real(r.ms));
    json_put(row, low, json_real(r.low_ms));
    json_put(row, high, json_real(r.high_ms));
    json_put_text(row, bound, bound_word(r.bound));
}

static void put_calibration(const struct asked *a, json_t *doc)
{
    if (a->calibrated < 0) {
        json_put_unknown(doc, "calibration", "--calibrate was not given");
        return;
    }
    const struct time_model *model = &a->models[a->calibrated];
    const struct time_gemm *g = &a->calibration.shape;
    json_t *o = json_object();
    json_put_text(o, "precision", time_precision_name((enum time_precision)a->calibrated));
    json_put_number(o, "m", (uint64_t)g->m);
    json_put_number(o, "n", (uint64_t)g->n);
    json_put_number(o, "k", (uint64_t)g->k);
    json_put_text(o, "trans_a", g->trans_a ? "T" : "N");
    json_put_text(o, "trans_b", g->trans_b ? "T" : "N");
    json_put(o, "time_ms", json_real(a->calibration.ms));
    if (model->reason)
        put_unknown(o, "peak_gflops", model->reason);
    else
        json_put(o, "peak_gflops", json_real(model->peak_gflops));
    json_put(doc, "calibration", o);
}

static void fill(struct asked *a, json_t *doc)
{
    json_t *rows = json_array();
    put_calibration(a, doc);
    for (size_t i = 0; i < a->shapes.count; i++) {
        const struct shape *s = &a->shapes.list[i];
        json_t *row = shape_json(&a->shapes, s);
        if (!s->is_conv)
            put_answer(a, row, s, &gemm_answer);
        for (size_t pass = 0; s->is_conv && pass < TIME_PASS_COUNT; pass++)
            put_answer(a, row, s, &conv_answers[pass]);
        json_array_append_new(rows, row);
    }
    json_put(doc, "rows", rows);
}

/* ---- text ---- */

static void add_line(struct asked *a, struct grid *g, const struct shape *s,
                     const struct answer *answer)
{
    struct time_result r;
    char text[96], id[32];
    shape_text(s, text, sizeof text);
    predict(a, s, answer->pass, &r);
    grid_cell(g, text);
    grid_cell(g, s->precision >= 0 ? time_precision_name((enum time_precision)s->precision) : "?");
    grid_cell(g, text_get(answer->name_id));
    if (r.reason) {
        grid_cell(g, "-");
        grid_cell(g, "");
        grid_cell(g, text_get(r.reason));
        return;
    }
    grid_cellf(g, "%.3g", r.ms);
    grid_cellf(g, "%.3g ... %.3g", r.low_ms, r.high_ms);
    snprintf(id, sizeof id, "size.bound.%s", bound_word(r.bound));
    grid_cell(g, text_get(id));
}

static int print(struct asked *a, const struct target *target, struct err *err)
{
    static const struct grid_column columns[] = {
        { "col.operation", false }, { "col.precision", false }, { "col.pass", false },
        { "col.time_ms", true },    { "col.range", false },     { "col.bound", false },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof *columns);
    if (!g)
        return err_set(err, ERR_MEMORY, "out of memory");
    out_sentence(OUT_PLAIN, a->calibrated < 0 ? "size.operations" : "size.operations_calibrated",
                 TEXT_ARGS({ "card", target->name }));
    out_line(OUT_PLAIN, "");
    for (size_t i = 0; i < a->shapes.count; i++) {
        const struct shape *s = &a->shapes.list[i];
        if (!s->is_conv)
            add_line(a, g, s, &gemm_answer);
        for (size_t pass = 0; s->is_conv && pass < TIME_PASS_COUNT; pass++)
            add_line(a, g, s, &conv_answers[pass]);
    }
    grid_print(g, 0);
    grid_free(g);
    return 0;
}

int size_operations_run(struct cmd_run *run, const struct size_operations *operations,
                        const char *precision, const struct target *target, struct err *err)
{
    struct asked a = { .run = run };
    struct time_card card = { .cc = target->rule.cc };
    if (target->is_card)
        time_card_load(&card, &target->card);
    int rc = read_shapes(&a, operations, precision, err);
    if (!rc)
        rc = read_calibration(&a, operations, precision, err);
    if (!rc)
        rc = check_calibration(&a, operations->calibrate, &card, err);
    if (!rc) {
        make_models(&a, &card);
        if (run->doc)
            fill(&a, run->doc);
        else
            rc = print(&a, target, err);
        a.some = a.some || a.shapes.count == 0;
    }
    shape_free(&a.shapes);
    if (rc)
        return -1;
    return a.some ? CMD_DONE : CMD_NOT_FIT;
}
