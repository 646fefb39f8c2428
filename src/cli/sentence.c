#include "cli/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "data/data.h"

#define ARCHS_SHOWN 20

/* The text of a driver's code, as the driver itself gives it; NULL: not in the table. */
static const char *code_text(int code)
{
    const struct table *t = data_table(DATA_CODES);
    int code_column = table_column(t, "code"), text_column = table_column(t, "text");
    long value;
    for (size_t row = 0; row < t->row_count; row++)
        if (str_number(table_get(t, row, code_column), 0, 100000, &value) && value == code)
            return table_get(t, row, text_column);
    return NULL;
}

static void add_code(struct str *to, int code)
{
    char number[16];
    const char *text = code_text(code);
    snprintf(number, sizeof number, "%d", code);
    text_add(to, "error.code", TEXT_ARGS({ "code", number }, { "text", text ? text : "?" }));
}

void sentence_error(struct str *to, const struct arch_verdict *v)
{
    bool any = false;
    for (size_t i = 0; i < v->code_count; i++) {
        if (!v->codes[i])
            continue;
        if (any)
            str_add(to, text_get("error.or"));
        add_code(to, v->codes[i]);
        any = true;
    }
    if (!any)
        str_add(to, text_get("error.none"));
}

/* The different archs of the rows marked, in the order of reading; PTX with its ISA. */
static void add_archs(struct str *to, const struct tally *t, const bool *marked)
{
    size_t *order = calloc(t->row_count + 1, sizeof *order);
    char arch[24], last[24] = "";
    size_t shown = 0;
    if (!order)
        return;
    tally_order(t, order);
    for (size_t i = 0; i < t->row_count; i++) {
        if (!marked[order[i]])
            continue;
        image_arch_name(&t->rows[order[i]].image, arch, sizeof arch);
        if (strcmp(arch, last) == 0)
            continue;
        if (shown++ == ARCHS_SHOWN) {
            str_add(to, " ...");
            break;
        }
        str_addf(to, "%s%s", shown > 1 ? " " : "", arch);
        str_copy(last, sizeof last, arch);
    }
    free(order);
}

const char *sentence_verdict_id(const struct sentence_file *f)
{
    const struct arch_summary *sum = &f->v->sum;
    switch (f->v->verdict) {
    case VERDICT_RUNS:
        if (sum->without)
            return "verdict.partly";
        return sum->counts[VERDICT_RUNS_BY_JIT] ? "verdict.runs_mixed" : "verdict.runs";
    case VERDICT_RUNS_BY_JIT:
        return sum->without ? "verdict.partly" : "verdict.runs_by_jit";
    case VERDICT_NO_IMAGE:
        return "verdict.no_image";
    case VERDICT_DRIVER_TOO_OLD:
        return "verdict.driver_too_old";
    case VERDICT_DRIVER_DROPPED_CARD:
        return "verdict.driver_dropped_card";
    case VERDICT_LIBRARY_FLOOR:
        return "verdict.library_floor";
    case VERDICT_UNCERTAIN:
        return f->v->first[VERDICT_UNCERTAIN].code_count ? "verdict.uncertain"
                                                         : "verdict.uncertain_no_code";
    case VERDICT_NO_GPU_CODE:
    case VERDICT_COUNT:
        break;
    }
    return "verdict.no_gpu_code";
}

void sentence_verdict(struct str *to, const struct sentence_file *f)
{
    const struct arch_summary *sum = &f->v->sum;
    struct str archs = STR_INIT, error = STR_INIT;
    char usable[24], all[24], runs[24], jit[24], driver[VERSION_TEXT_MAX];
    snprintf(usable, sizeof usable, "%zu", sum->usable);
    snprintf(all, sizeof all, "%zu", sum->usable + sum->without);
    snprintf(runs, sizeof runs, "%zu", sum->counts[VERDICT_RUNS]);
    snprintf(jit, sizeof jit, "%zu", sum->counts[VERDICT_RUNS_BY_JIT]);
    add_archs(&archs, f->tally, f->v->used);
    sentence_error(&error, &f->v->first[f->v->verdict]);
    text_add(to, sentence_verdict_id(f),
             TEXT_ARGS({ "archs", archs.p }, { "error", error.p }, { "usable", usable },
                       { "all", all }, { "runs", runs }, { "jit", jit },
                       { "driver", version_text(target_driver(f->target), driver) }));
    str_free(&archs);
    str_free(&error);
}

static void add_space(struct str *to)
{
    /* Chinese sentences end in a wide full stop and need no blank. */
    if (to->len && to->p[to->len - 1] == '.')
        str_add(to, " ");
}

static void add_sentence(struct str *to, const char *id, const struct text_arg *args)
{
    add_space(to);
    text_add(to, id, args);
}

/* The containers that have nothing for the card, beside others that do. */
static void add_missing(struct str *to, const struct sentence_file *f)
{
    const struct arch_summary *sum = &f->v->sum;
    struct str others = STR_INIT, error = STR_INIT;
    char count[24];
    snprintf(count, sizeof count, "%zu", sum->counts[VERDICT_NO_IMAGE]);
    add_archs(&others, f->tally, f->v->without);
    sentence_error(&error, &f->v->first[VERDICT_NO_IMAGE]);
    add_sentence(to, sum->counts[VERDICT_NO_IMAGE] == 1 ? "why.partly_one" : "why.partly",
                 TEXT_ARGS({ "without", count }, { "others", others.p }, { "error", error.p }));
    add_sentence(to, "why.partly_kernels", NULL);
    str_free(&others);
    str_free(&error);
}

/* The containers whose images a newer driver would take. */
static void add_waiting(struct str *to, const struct sentence_file *f)
{
    const struct arch_verdict *v = &f->v->first[VERDICT_DRIVER_TOO_OLD];
    struct str error = STR_INIT;
    char count[24], least[VERSION_TEXT_MAX];
    snprintf(count, sizeof count, "%zu", f->v->sum.counts[VERDICT_DRIVER_TOO_OLD]);
    sentence_error(&error, v);
    add_sentence(to, "why.partly_driver",
                 TEXT_ARGS({ "count", count }, { "least", version_text(v->least_driver, least) },
                           { "error", error.p }));
    str_free(&error);
}

static void add_doubtful(struct str *to, const struct sentence_file *f)
{
    char count[24];
    snprintf(count, sizeof count, "%zu", f->v->sum.counts[VERDICT_UNCERTAIN]);
    add_sentence(to, "why.partly_uncertain", TEXT_ARGS({ "count", count }));
    add_sentence(to, f->v->first[VERDICT_UNCERTAIN].text, NULL);
}

static void add_partly(struct str *to, const struct sentence_file *f)
{
    const struct arch_summary *sum = &f->v->sum;
    if (sum->counts[VERDICT_NO_IMAGE])
        add_missing(to, f);
    if (sum->counts[VERDICT_DRIVER_TOO_OLD])
        add_waiting(to, f);
    if (sum->counts[VERDICT_UNCERTAIN])
        add_doubtful(to, f);
}

static void add_build(struct str *to, const struct target *target)
{
    char arch[16], isa[16];
    unsigned level = target_ptx_isa(target);
    snprintf(arch, sizeof arch, "%u", target->rule.cc);
    snprintf(isa, sizeof isa, "%u.%u", level / 100, level % 100);
    add_sentence(to, level ? "cure.build" : "cure.build_plain",
                 TEXT_ARGS({ "arch", arch }, { "isa", isa }));
}

static void add_newer_driver(struct str *to, const struct target *target,
                             const struct arch_verdict *v)
{
    char least[VERSION_TEXT_MAX], last[VERSION_TEXT_MAX];
    struct driver_version end = target_span(target).last;
    if (!version_known(v->least_driver))
        return;
    add_sentence(to, version_known(end) ? "cure.driver" : "cure.driver_open",
                 TEXT_ARGS({ "least", version_text(v->least_driver, least) },
                           { "last", version_text(end, last) }));
}

static void add_span(struct str *to, const struct target *target, const struct arch_verdict *v)
{
    struct str error = STR_INIT;
    char first[VERSION_TEXT_MAX], last[VERSION_TEXT_MAX];
    struct driver_span span = target_span(target);
    sentence_error(&error, v);
    add_sentence(to, version_known(span.last) ? "cure.driver_span" : "cure.driver_from",
                 TEXT_ARGS({ "first", version_text(span.first, first) },
                           { "last", version_text(span.last, last) }, { "error", error.p }));
    str_free(&error);
}

static void add_holds(struct str *to, const struct sentence_file *f)
{
    struct str archs = STR_INIT;
    add_archs(&archs, f->tally, f->v->without);
    add_sentence(to, "why.holds", TEXT_ARGS({ "archs", archs.p }));
    str_free(&archs);
}

/* The rule in words. Of a container with many images the verdict names one rule only; where any of
 * these may have been it, the sentence that holds for all of them is the better answer. */
static void add_rule(struct str *to, const struct target *target, const struct arch_verdict *v)
{
    static const char *const covered[] = { "cubin-other-major", "cubin-minor-above", "cubin-tegra",
                                           "ptx-target-above-card" };
    const struct arch_facts *arch = facts_arch(target->rule.cc);
    bool plain = arch && arch->class == ARCH_DESKTOP;
    for (size_t i = 0; plain && i < sizeof covered / sizeof covered[0]; i++)
        if (strcmp(v->rule, covered[i]) == 0) {
            add_sentence(to, "why.rules", NULL);
            return;
        }
    add_sentence(to, v->text, NULL);
}

void sentence_reasons(struct str *to, const struct sentence_file *f)
{
    enum verdict verdict = f->v->verdict;
    const struct arch_verdict *v = &f->v->first[verdict];
    if (f->v->sum.usable && f->v->sum.without)
        add_partly(to, f);
    if (f->v->sum.usable)
        return;
    if (verdict == VERDICT_NO_IMAGE)
        add_holds(to, f);
    add_rule(to, f->target, v);
    if (verdict == VERDICT_NO_IMAGE)
        add_build(to, f->target);
    else if (verdict == VERDICT_DRIVER_DROPPED_CARD)
        add_span(to, f->target, v);
    else
        add_newer_driver(to, f->target, v);
}
