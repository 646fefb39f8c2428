#include "bench/plan.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan_parts.h"
#include "core/str.h"
#include "fatbin/images.h"

/* Worker, context and the first module; data, check and choice of a kernel; reading the clock.
 * Guesses of a slow notebook's, for the forecast alone. */
#define GROUP_SECONDS  0.4
#define CASE_SECONDS   0.05
#define LOAD_SECONDS   0.02
#define SAMPLE_SECONDS 0.002
/* A product of a shape that was asked for, on the processor: some twenty of them are two minutes. */
#define CPU_ASKED_MS 5000

bool plan_matches(const char *name, const char *pattern)
{
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, 0) == 0;
    return strstr(name, pattern) != NULL;
}

bool plan_has_precision(const struct plan_options *o, enum bench_precision precision)
{
    bool any = false;
    for (int i = 0; i < BENCH_PRECISION_COUNT; i++)
        any = any || o->precisions[i];
    return !any || o->precisions[precision];
}

/* Whether --case wants it, by its own name or by that of the network that it is a layer of. */
bool plan_wants(const struct plan_options *o, const char *name, const char *owner)
{
    for (size_t i = 0; i < o->pattern_count; i++)
        if (plan_matches(name, o->patterns[i]) || (owner && plan_matches(owner, o->patterns[i])))
            return true;
    return !o->pattern_count;
}

static bool is_there(const struct plan *plan, const struct bench_case *c)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct bench_case *p = &plan->cases[i];
        if (p->engine == c->engine && p->precision == c->precision &&
            strcmp(p->name, c->name) == 0 && strcmp(p->shape, c->shape) == 0)
            return true;
    }
    return false;
}

/* A processor has no watchdog: there the bound keeps a plan short, unless a shape was asked for. */
static void skip_long(const struct planning *p, struct bench_case *c)
{
    bool cpu = case_is_cpu(c);
    double most = cpu && p->options->shape_count ? CPU_ASKED_MS : p->plan->settings.launch_ms;
    if (c->planned != ROW_OK || p->options->simulated || c->kind == CASE_NET || c->expected_ms <= most)
        return;
    c->planned = ROW_SKIPPED;
    snprintf(c->why, sizeof c->why, "one launch would take about %.0f ms here, more than the %.0f ms that %s",
             c->expected_ms, most,
             cpu ? "are waited for on a processor" : "a display's watchdog and its user are spared");
}

int plan_add(struct planning *p, const struct bench_case *c)
{
    struct plan *plan = p->plan;
    if (is_there(plan, c))
        return 0;
    if (plan->count == plan->room) {
        size_t room = plan->room ? plan->room * 2 : 64;
        struct bench_case *cases = reallocarray(plan->cases, room, sizeof *cases);
        if (!cases)
            return err_set(p->err, ERR_MEMORY, "out of memory");
        plan->cases = cases;
        plan->room = room;
    }
    struct bench_case *to = &plan->cases[plan->count++];
    *to = *c;
    to->rounds = p->in_net ? plan->settings.net_rounds : plan->settings.rounds;
    const char *missing = p->options->missing[c->engine];
    if (missing && to->planned == ROW_OK) {
        to->planned = ROW_SKIPPED;
        str_copy(to->why, sizeof to->why, missing);
    }
    to->expected_ms = case_is_cpu(c) ? plan_cpu_ms(c) : roof_expect_ms(p->roof, c);
    skip_long(p, to);
    return 0;
}

static struct plan_settings settings_of(const struct plan_options *o)
{
    static const struct plan_settings by_extent[] = {
        [PLAN_QUICK] = { 6, 6, 3, 500, 50, false },
        [PLAN_DEFAULT] = { 9, 6, 10, 5000, 50, false },
        [PLAN_FULL] = { 21, 21, 10, 5000, 50, false },
    };
    struct plan_settings s = by_extent[o->extent];
    if (o->simulated && o->gpu) {
        s.rounds = s.net_rounds = 1;
        s.warm_ms = 0;
        s.simulated = true;
    }
    return s;
}

double plan_case_seconds(const struct plan_settings *s, const struct bench_case *c)
{
    if (c->planned != ROW_OK || c->kind == CASE_NET)
        return 0;
    if (c->kind == CASE_LOAD)
        return LOAD_SECONDS;
    /* One sample is thrown away as warm-up; the check and the choice of a kernel launch a few
     * times. */
    double sample = fmax(s->sample_ms, c->expected_ms) / 1e3 + SAMPLE_SECONDS;
    int rounds = c->rounds > 0 && c->rounds < s->rounds ? c->rounds : s->rounds;
    return CASE_SECONDS + (rounds + 1) * sample + 10 * c->expected_ms / 1e3;
}

/* What sorts the cases: those that belong together follow each other. Data of one class are shared
 * by nothing in the ceilings, so that one worker may do all of them. */
static int rank(const struct bench_case *c)
{
    bool mixed = c->kind == CASE_LOAD || c->kind == CASE_CEILING;
    return ((int)c->kind * 2 + case_is_cpu(c)) * (BENCH_PRECISION_COUNT + 1) +
           (mixed ? 0 : (int)c->precision);
}

/* Stable: within a group the order is that of the lists. */
static int sort(struct plan *plan, struct err *err)
{
    struct bench_case *sorted = calloc(plan->count + 1, sizeof *sorted);
    size_t n = 0;
    if (!sorted)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (int r = 0; r < CASE_KIND_COUNT * 2 * (BENCH_PRECISION_COUNT + 1); r++)
        for (size_t i = 0; i < plan->count; i++)
            if (rank(&plan->cases[i]) == r)
                sorted[n++] = plan->cases[i];
    free(plan->cases);
    plan->cases = sorted;
    plan->room = plan->count;
    return 0;
}

size_t plan_group(const struct plan *plan, size_t first)
{
    size_t n = 1;
    while (first + n < plan->count && n < PLAN_GROUP_MOST &&
           rank(&plan->cases[first]) == rank(&plan->cases[first + n]))
        n++;
    return n;
}

/* Three medians of three: only the first of a run meets a cold card and takes longer. */
static double warm_seconds(const struct plan_settings *s)
{
    return fmin(s->warm_ms, 9 * s->sample_ms + 50) / 1e3;
}

/* Of a group that nothing is measured in, no worker is started; images are loaded without warming up. */
static double group_seconds(const struct plan *plan, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        if (plan->cases[i].planned == ROW_OK && plan->cases[i].kind != CASE_NET)
            return GROUP_SECONDS +
                   (plan->cases[i].kind == CASE_LOAD ? 0 : warm_seconds(&plan->settings));
    return 0;
}

static double foresee(const struct plan *plan)
{
    double seconds = 0;
    for (size_t i = 0; i < plan->count; i++)
        seconds += plan_case_seconds(&plan->settings, &plan->cases[i]);
    for (size_t i = 0, n; i < plan->count; i += n) {
        n = plan_group(plan, i);
        seconds += group_seconds(plan, i, n);
    }
    return seconds;
}

const char *plan_ceiling(const struct bench_case *c)
{
    const struct ceiling *ceiling =
        c->precision < BENCH_PRECISION_COUNT ? ceiling_of(c->precision) : NULL;
    return ceiling ? ceiling->name : NULL;
}

/* Shapes and networks that are asked for: ceilings and images are what they are held against and rest
 * on, and no answer. */
static bool answers(const struct bench_case *c, const struct plan_options *o)
{
    if (o->shape_count)
        return c->kind == CASE_GEMM;
    return !o->nets_only || (c->kind != CASE_LOAD && c->kind != CASE_CEILING);
}

static int check_patterns(const struct plan_options *o, const struct plan *plan, struct err *err)
{
    for (size_t i = 0; i < o->pattern_count; i++) {
        bool fits = false;
        for (size_t k = 0; k < plan->count && !fits; k++)
            fits = answers(&plan->cases[k], o) &&
                   plan_matches(plan->cases[k].name, o->patterns[i]);
        if (!fits)
            return err_set(err, ERR_USAGE, "no case fits '%s'; --list shows all", o->patterns[i]);
    }
    return 0;
}

int plan_check_precisions(const struct plan *plan, const struct plan_options *options,
                          struct err *err)
{
    for (int p = 0; p < BENCH_PRECISION_COUNT; p++) {
        bool found = !options->precisions[p];
        for (size_t i = 0; i < plan->count && !found; i++)
            found = (int)plan->cases[i].precision == p && answers(&plan->cases[i], options);
        if (!found)
            return err_set(err, ERR_USAGE,
                           "nothing of what was asked for is measured in '%s'; --list shows all",
                           bench_precision_name((enum bench_precision)p));
    }
    return 0;
}

int plan_build(const struct plan_options *options, const struct roof *roof, struct plan *plan,
               struct err *err)
{
    *plan = (struct plan){ .settings = settings_of(options) };
    struct planning p = { .options = options, .roof = roof, .plan = plan, .err = err };
    if (plan_add_loads(&p) || plan_add_ceilings(&p) || plan_add_gemms(&p) || plan_add_convs(&p) ||
        plan_add_layers(&p) || plan_add_nets(&p) || check_patterns(options, plan, err) ||
        sort(plan, err)) {
        plan_free(plan);
        return -1;
    }
    plan->seconds = foresee(plan);
    return 0;
}

void plan_free(struct plan *plan)
{
    free(plan->cases);
    *plan = (struct plan){ 0 };
}
