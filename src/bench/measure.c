#include "bench/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure_place.h"
#include "bench/sample.h"
#include "core/json.h"
#include "core/str.h"

/* Of the device's free memory for one batch of cases; of the promised clock below which a sample
 * counts as throttled; of the limit of a launch beyond which a case is given up. */
#define MEMORY_SHARE    0.4
#define THROTTLED       0.8
#define LAUNCH_TOO_LONG 2.0

struct measuring {
    struct measure_place place;
    struct plan_settings settings;
    struct sampler sampler;
    struct bench_case *cases;
    size_t count;
    struct sample_op *batch; /* those that are open; index into cases beside */
    size_t *index;
    size_t batch_count;
    FILE *report;
    bool dead; /* a fault has made the device unusable for this process */
};

static void write_line(FILE *report, json_t *line)
{
    json_dumpf(line, report, JSON_COMPACT | JSON_REAL_PRECISION(12));
    fputc('\n', report);
    fflush(report);
    json_decref(line);
}

static void say(struct measuring *m, const char *what, size_t index)
{
    write_line(m->report, json_pack("{s:I}", what, (json_int_t)index));
}

static void give_row(struct measuring *m, size_t index, struct row *row)
{
    write_line(m->report, json_pack("{s:I, s:o}", "row", (json_int_t)index, "data", row_json(row)));
    row_free(row);
}

/* The case is given up: its row is what `err` says, unless it says something already. */
static void drop(struct measuring *m, struct sample_op *s, const struct err *err)
{
    if (s->row.status == ROW_OK)
        op_fail(&s->row, err);
    s->row.time = (struct stats){ 0 };
    op_close(&s->op);
    s->alive = false;
    m->dead = m->dead || (m->place.has_gpu && device_is_poisoned(&m->place.gpu.driver));
}

/* ---- rounds ---- */

/* A first look at its time; longer than a display's watchdog allows is given up. */
static int calibrate(struct measuring *m, struct sample_op *s, struct err *err)
{
    double ms = 0, mhz;
    s->repeats = 1;
    if (m->settings.simulated)
        return 0;
    if (sampler_take(&m->sampler, s, &ms, &mhz, err))
        return -1;
    if (!case_is_cpu(&s->op.c) && ms > LAUNCH_TOO_LONG * m->settings.launch_ms) {
        row_fail(&s->row, ROW_SKIPPED, "one launch took %.0f ms, and %.0f ms is the limit", ms,
                 m->settings.launch_ms);
        return err_set(err, ERR_LIMIT, "%s", s->row.reason);
    }
    return sampler_calibrate(&m->sampler, s, err);
}

static int rounds_of(const struct measuring *m, const struct sample_op *s)
{
    int rounds = s->op.c.rounds;
    return rounds > 0 && rounds < m->settings.rounds ? rounds : m->settings.rounds;
}

static void sample(struct measuring *m, size_t i, int round)
{
    struct sample_op *s = &m->batch[i];
    struct err err;
    err_clear(&err);
    if (!s->alive || m->dead || round >= rounds_of(m, s))
        return;
    say(m, "at", m->index[i]);
    if (sampler_take(&m->sampler, s, &s->row.samples_ms[round], &s->row.clocks_mhz[round], &err))
        drop(m, s, &err);
}

static size_t anchor_of(const struct measuring *m)
{
    size_t i = 0;
    while (i < m->batch_count && !m->batch[i].alive)
        i++;
    return i;
}

/* The anchor comes first in each round, the others in an order of chance. */
static void run_rounds(struct measuring *m)
{
    size_t order[PLAN_BATCH_MOST];
    size_t anchor = anchor_of(m);
    for (int round = 0; round < m->settings.rounds; round++) {
        if (anchor < m->batch_count)
            sample(m, anchor, round);
        sampler_shuffle(&m->sampler, order, m->batch_count);
        for (size_t i = 0; i < m->batch_count; i++)
            if (order[i] != anchor)
                sample(m, order[i], round);
    }
}

static void prepare_samples(struct measuring *m)
{
    for (size_t i = 0; i < m->batch_count && !m->dead; i++) {
        struct sample_op *s = &m->batch[i];
        struct err err;
        err_clear(&err);
        if (!s->alive)
            continue;
        say(m, "at", m->index[i]);
        if (row_reserve(&s->row, (size_t)rounds_of(m, s), &err) || calibrate(m, s, &err))
            drop(m, s, &err);
    }
    size_t anchor = anchor_of(m);
    struct err err;
    err_clear(&err);
    if (anchor < m->batch_count && !m->dead) {
        say(m, "at", m->index[anchor]);
        if (sampler_warm(&m->sampler, &m->batch[anchor], &err))
            drop(m, &m->batch[anchor], &err);
    }
}

/* Time of the case over the anchor's in the same round: drifts of the clock fall out of it. */
static double ratio_to(const struct row *row, const struct row *anchor)
{
    double ratios[64];
    size_t n = 0;
    for (size_t i = 0; i < row->sample_count && i < anchor->sample_count && i < 64; i++)
        if (isfinite(row->samples_ms[i]) && anchor->samples_ms[i] > 0)
            ratios[n++] = row->samples_ms[i] / anchor->samples_ms[i];
    return n ? stats_of(ratios, n).median : NAN;
}

static void finish(struct measuring *m, size_t i, const struct row *anchor)
{
    struct sample_op *s = &m->batch[i];
    struct err err;
    err_clear(&err);
    double promised = m->place.has_gpu ? m->place.gpu.device.clock_khz / 1e3 : 0;
    for (size_t k = 0; k < s->row.sample_count; k++)
        s->row.throttled += s->row.clocks_mhz[k] < THROTTLED * promised;
    row_summarise(&s->row);
    if (m->settings.rounds > 1 && anchor)
        s->row.anchor_ratio = ratio_to(&s->row, anchor);
    /* Heat and wear show late: is it still right? Once more on a simulated device adds nothing. */
    if (!m->settings.simulated && op_check(&s->op, &s->row, &err))
        drop(m, s, &err);
}

static void forget_batch(struct measuring *m)
{
    for (size_t i = 0; i < m->batch_count; i++) {
        op_close(&m->batch[i].op);
        row_free(&m->batch[i].row);
    }
    m->batch_count = 0;
}

/* Measures what is open and closes it. A device that died leaves the others to the next worker. */
static void flush(struct measuring *m)
{
    prepare_samples(m);
    if (!m->dead)
        run_rounds(m);
    size_t anchor = anchor_of(m);
    const struct row *anchor_row = anchor < m->batch_count ? &m->batch[anchor].row : NULL;
    for (size_t i = 0; i < m->batch_count && !m->dead; i++)
        if (m->batch[i].alive)
            finish(m, i, anchor_row);
    for (size_t i = 0; i < m->batch_count; i++)
        if (!m->batch[i].alive || !m->dead)
            give_row(m, m->index[i], &m->batch[i].row);
    forget_batch(m);
}

/* ---- cases ---- */

static double batch_bytes(const struct measuring *m)
{
    double bytes = 0;
    for (size_t i = 0; i < m->batch_count; i++)
        bytes += op_bytes(&m->place.op, &m->batch[i].op.c);
    return bytes;
}

static double free_bytes(const struct measuring *m)
{
    size_t free_now = 0, total = 0;
    if (!m->place.has_gpu || m->place.gpu.driver.call.mem_info(&free_now, &total))
        return INFINITY;
    return (double)free_now + batch_bytes(m);
}

/* Some run only once, and their time is that of the run. */
static bool finish_once(struct measuring *m, size_t index, struct sample_op *s)
{
    struct err unused;
    err_clear(&unused);
    if (s->op.kind != &op_load)
        return false;
    if (row_reserve(&s->row, 1, &unused) == 0) {
        s->row.samples_ms[0] = s->op.once_ms;
        row_summarise(&s->row);
    }
    op_close(&s->op);
    give_row(m, index, &s->row);
    return true;
}

static int open_case(struct measuring *m, size_t index, struct sample_op *s, struct err *err)
{
    case_row(&m->cases[index], m->place.op.simulated, &s->row);
    return op_open(&s->op, &m->place.op, &m->cases[index], &s->row, err);
}

/* Out of memory with others open may be their fault: they are measured and closed, then once more.
 */
static void add_case(struct measuring *m, size_t index)
{
    struct sample_op s = { .alive = true };
    struct err err;
    err_clear(&err);
    if (m->batch_count &&
        batch_bytes(m) + op_bytes(&m->place.op, &m->cases[index]) > MEMORY_SHARE * free_bytes(m))
        flush(m);
    if (m->dead)
        return;
    say(m, "begin", index);
    int failed = open_case(m, index, &s, &err);
    if (failed && err.native == GPU_OUT_OF_MEMORY && m->batch_count) {
        flush(m);
        err_clear(&err);
        failed = m->dead ? -1 : open_case(m, index, &s, &err);
    }
    if (failed) {
        m->dead = m->dead || (m->place.has_gpu && device_is_poisoned(&m->place.gpu.driver));
        give_row(m, index, &s.row);
    } else if (!finish_once(m, index, &s)) {
        m->index[m->batch_count] = index;
        m->batch[m->batch_count++] = s;
    }
}

static int measure(struct measuring *m, struct err *err)
{
    if (sampler_open(&m->sampler, &m->place.op, &m->settings, m->place.nvml, err))
        return -1;
    for (size_t i = 0; i < m->count && !m->dead; i++) {
        if (m->batch_count == PLAN_BATCH_MOST)
            flush(m);
        if (!m->dead)
            add_case(m, i);
    }
    if (!m->dead)
        flush(m);
    forget_batch(m);
    sampler_close(&m->sampler);
    return 0;
}

/* ---- the document ---- */

json_t *measure_document(const struct measure_input *in)
{
    const struct plan_settings *s = in->settings;
    json_t *cases = json_array(), *dirs = json_array(), *sites = json_array();
    for (size_t i = 0; i < in->count; i++)
        json_array_append_new(cases, case_json(&in->cases[i]));
    for (size_t i = 0; i < in->lib_dir_count; i++)
        json_array_append_new(dirs, json_string(in->lib_dirs[i]));
    for (size_t i = 0; i < in->site_count; i++)
        json_array_append_new(sites, json_string(in->sites[i]));
    return json_pack("{s:s*, s:s*, s:i, s:s*, s:o, s:o, s:o, s:{s:i, s:f, s:f, s:f, s:b}}",
                     "library", in->library, "nvml", in->nvml, "ordinal", in->ordinal, "tune",
                     in->tune_hash, "cases", cases, "lib_dirs", dirs, "sites", sites, "settings",
                     "rounds", s->rounds, "sample_ms", s->sample_ms, "warm_ms", s->warm_ms,
                     "launch_ms", s->launch_ms, "simulated", s->simulated);
}

static int read_settings(struct plan_settings *s, const json_t *input, struct err *err)
{
    int simulated;
    if (json_unpack((json_t *)json_object_get(input, "settings"), "{s:i, s:F, s:F, s:F, s:b}",
                    "rounds", &s->rounds, "sample_ms", &s->sample_ms, "warm_ms", &s->warm_ms,
                    "launch_ms", &s->launch_ms, "simulated", &simulated) ||
        s->rounds < 1)
        return err_set(err, ERR_FORMAT, "the worker's input has no settings");
    s->simulated = simulated;
    return 0;
}

static int read_cases(struct measuring *m, const json_t *input, struct err *err)
{
    const json_t *cases = json_object_get(input, "cases");
    m->count = json_array_size(cases);
    m->cases = calloc(m->count + 1, sizeof *m->cases);
    m->batch = calloc(PLAN_BATCH_MOST, sizeof *m->batch);
    m->index = calloc(PLAN_BATCH_MOST, sizeof *m->index);
    if (!m->cases || !m->batch || !m->index)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < m->count; i++)
        if (case_parse(&m->cases[i], json_array_get(cases, i), err))
            return -1;
    return 0;
}

static int run(const json_t *input, FILE *report, struct err *err)
{
    struct measuring m = { .report = report };
    int failed = -1;
    if (read_settings(&m.settings, input, err) == 0 && read_cases(&m, input, err) == 0 &&
        measure_place_open(&m.place, input, m.cases, m.count, &m.settings, err) == 0) {
        failed = measure(&m, err);
        measure_place_close(&m.place);
    }
    free(m.cases);
    free(m.batch);
    free(m.index);
    return failed;
}

const struct worker_task measure_task = { "bench", run };
