#include "bench/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/judge.h"

/* How long a worker may be silent: it speaks before every sample. The longest silence is the
 * driver's compiler at work on a slow processor, or a virtual card that simulates a large launch.
 */
enum { SILENCE_MS = 180000, SIMULATED_SILENCE_MS = 900000 };

struct group {
    struct campaign *campaign;
    const struct bench_case **cases; /* what the worker was given */
    bool *done;
    size_t count;
    size_t at; /* the case that it is at; count: none yet */
    double seconds;
    struct err *err;
    char told[320]; /* its own error line */
};

static int keep(struct campaign *c, struct row *row, struct err *err)
{
    if (c->stream && stream_add(c->stream, row, err))
        return -1;
    if (row_list_add(c->rows, row, err))
        return -1;
    if (c->on_row)
        c->on_row(c->self, &c->rows->list[c->rows->count - 1]);
    return 0;
}

static bool is_done(const struct campaign *c, const struct bench_case *one)
{
    struct row like;
    case_row(one, false, &like);
    return row_list_find(c->rows, &like) != NULL;
}

/* ---- what a worker says ---- */

static bool take_row(struct group *g, size_t i, const json_t *data)
{
    struct row row;
    if (row_parse(&row, data, g->err))
        return false;
    judge_row(g->campaign->rows, g->cases[i], &row);
    g->done[i] = true;
    g->seconds += plan_case_seconds(&g->campaign->plan->settings, g->cases[i]);
    if (keep(g->campaign, &row, g->err)) {
        row_free(&row);
        return false;
    }
    return true;
}

static bool index_of(const json_t *line, const char *key, const struct group *g, size_t *index)
{
    const json_t *value = json_object_get(line, key);
    *index = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && *index < g->count;
}

static bool take_line(void *self, const json_t *line)
{
    struct group *g = self;
    size_t i;
    const json_t *error = json_object_get(line, "error");
    const char *message = json_string_value(json_object_get(error, "message"));
    if (message)
        snprintf(g->told, sizeof g->told, "%s", message);
    if (index_of(line, "row", g, &i))
        return g->done[i] || take_row(g, i, json_object_get(line, "data"));
    if (index_of(line, "begin", g, &i) || index_of(line, "at", g, &i)) {
        g->at = i;
        if (g->campaign->on_progress)
            g->campaign->on_progress(g->campaign->self, g->cases[i]->name, g->seconds);
    }
    return true;
}

/* ---- what became of it ---- */

static int fail_case(struct group *g, size_t i, const char *why)
{
    struct row row;
    case_row(g->cases[i], g->campaign->plan->settings.simulated, &row);
    row_fail(&row, ROW_ERROR, "%s", why);
    g->done[i] = true;
    if (keep(g->campaign, &row, g->err) == 0)
        return 0;
    row_free(&row);
    return -1;
}

/* A worker that ended before it had begun with anything would do so again. */
static int fail_all(struct group *g, const char *why)
{
    for (size_t i = 0; i < g->count; i++)
        if (!g->done[i] && fail_case(g, i, why))
            return -1;
    return 0;
}

static bool all_done(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (!g->done[i])
            return false;
    return true;
}

static int account(struct group *g, const struct worker_result *ran)
{
    char how[128], why[512];
    bool any = false;
    worker_describe(ran, how, sizeof how);
    if (*g->told)
        snprintf(why, sizeof why, "%s", g->told);
    else
        snprintf(why, sizeof why, "%s%s%s", *how ? how : "the worker stopped",
                 *ran->message ? ": " : "", ran->message);
    for (size_t i = 0; i < g->count; i++)
        any = any || g->done[i];
    if (all_done(g))
        return 0;
    /* It died at this one; the next worker goes on with the rest. */
    if (*how && g->at < g->count && !g->done[g->at])
        return fail_case(g, g->at, why);
    return any ? 0 : fail_all(g, why);
}

static json_t *document_for(const struct group *g, size_t *given, size_t *count)
{
    struct measure_input input = g->campaign->input;
    struct bench_case *cases = calloc(g->count, sizeof *cases);
    if (!cases)
        return NULL;
    *count = 0;
    for (size_t i = 0; i < g->count; i++)
        if (!g->done[i]) {
            given[*count] = i;
            cases[(*count)++] = *g->cases[i];
        }
    input.settings = &g->campaign->plan->settings;
    input.cases = cases;
    input.count = *count;
    json_t *document = measure_document(&input);
    free(cases);
    return document;
}

/* One worker for what is left of the group: it sees a group of its own, without what is done. */
static int run_worker(struct group *all)
{
    const struct bench_case *cases[PLAN_GROUP_MOST];
    bool done[PLAN_GROUP_MOST] = { false };
    size_t given[PLAN_GROUP_MOST], count = 0;
    json_t *document = document_for(all, given, &count);
    if (!document)
        return err_set(all->err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        cases[i] = all->cases[given[i]];
    struct group g = { all->campaign, cases, done, count, count, all->seconds, all->err, "" };
    struct worker_sink sink = { &g, take_line };
    struct worker_result ran;
    bool simulated = all->campaign->plan->settings.simulated;
    int failed =
        worker_stream(measure_task.name, document, NULL,
                      simulated ? SIMULATED_SILENCE_MS : SILENCE_MS, &sink, &ran, all->err);
    json_decref(document);
    if (!failed)
        failed = ran.end == OS_STOPPED ? -1 : account(&g, &ran);
    worker_result_free(&ran);
    for (size_t i = 0; i < count; i++)
        all->done[given[i]] = done[i];
    all->seconds = g.seconds;
    return failed;
}

/* ---- groups ---- */

static const struct plan_net *net_of(const struct campaign *c, const char *name)
{
    for (size_t i = 0; i < c->net_count; i++)
        if (strcmp(c->nets[i].name, name) == 0)
            return &c->nets[i];
    return NULL;
}

/* Those that need no worker: sums, and what is not to be run. */
static int settle(struct campaign *c, const struct bench_case *one, bool *settled, struct err *err)
{
    struct row row;
    const struct plan_net *net = one->kind == CASE_NET ? net_of(c, one->net) : NULL;
    *settled = net || one->planned != ROW_OK;
    if (!*settled)
        return 0;
    case_row(one, c->plan->settings.simulated, &row);
    if (one->planned != ROW_OK)
        row_fail(&row, one->planned, "%s", one->why);
    else
        judge_net(c->rows, net, one, &row);
    judge_row(c->rows, one, &row);
    if (keep(c, &row, err) == 0)
        return 0;
    row_free(&row);
    return -1;
}

static int run_group(struct campaign *c, size_t first, size_t count, double *seconds,
                     struct err *err)
{
    const struct bench_case *cases[PLAN_GROUP_MOST];
    bool done[PLAN_GROUP_MOST] = { false };
    struct group g = { c, cases, done, 0, 0, *seconds, err, "" };
    for (size_t i = first; i < first + count; i++) {
        bool settled = is_done(c, &c->plan->cases[i]);
        if (!settled && settle(c, &c->plan->cases[i], &settled, err))
            return -1;
        if (!settled)
            cases[g.count++] = &c->plan->cases[i];
        else
            g.seconds += plan_case_seconds(&c->plan->settings, &c->plan->cases[i]);
    }
    while (!all_done(&g))
        if (run_worker(&g))
            return -1;
    *seconds = g.seconds;
    return 0;
}

int campaign_run(struct campaign *c, struct err *err)
{
    double seconds = 0;
    for (size_t i = 0, n; i < c->plan->count; i += n) {
        n = plan_group(c->plan, i);
        if (run_group(c, i, n, &seconds, err))
            return -1;
    }
    return 0;
}

bool campaign_all_well(const struct row_list *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->list[i].status == ROW_ERROR)
            return false;
    return true;
}
