#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/sentence.h"
#include "cli/stack_parts.h"
#include "cli/text.h"
#include "core/utf8.h"
#include "data/data.h"

static const char *field(const struct stack_answer *a, const char *name)
{
    return table_field(data_table(DATA_BUILDS), a->build, name);
}

static void print_claims(const struct stack_spec *s)
{
    for (size_t i = 0; i < s->card_count; i++) {
        char cc[16];
        const struct card *card = &s->cards[i].card;
        snprintf(cc, sizeof cc, "%u.%u", card->cc / 10, card->cc % 10);
        stack_wrapped(s->cards[i].right ? OUT_GOOD : OUT_BAD, 0,
                      s->cards[i].right ? "stack.card_right" : "stack.card_wrong",
                      TEXT_ARGS({ "card", card->name }, { "chip", card->chip }, { "cc", cc },
                                { "claimed", s->cards[i].claimed }));
    }
}

static void print_belief(size_t row)
{
    const struct table *t = data_table(DATA_BELIEFS);
    char verdict[64], id[64];
    snprintf(verdict, sizeof verdict, "stack.verdict.%s", table_field(t, row, "verdict"));
    snprintf(id, sizeof id, "belief.%s", table_field(t, row, "id"));
    out_line(OUT_BOLD, text_get(verdict));
    out_wrapped(OUT_PLAIN, 2, text_get(id));
    stack_wrapped(OUT_DIM, 2, "explain.source",
                  TEXT_ARGS({ "source", table_field(t, row, "source") },
                            { "confidence", text_word(table_field(t, row, "confidence")) }));
}

static void add_spec(struct str *to, const struct stack_view *v, const struct stack_check *c)
{
    const struct stack_answer *a = c->answer_count ? &c->answers[0] : NULL;
    if (!a) {
        utf8_add_printable(to, v->spec_text);
        return;
    }
    str_addf(to, "%s %s, CUDA %s, %s, %s", field(a, "package"), field(a, "version"),
             field(a, "cuda"), field(a, "os"), field(a, "channel"));
}

/* The CUDA runtime refuses the driver before any kernel is looked for. */
static void print_end(const struct stack_answer *a)
{
    const struct arch_verdict *v =
        a->runtime.verdict == VERDICT_LIBRARY_FLOOR ? &a->runtime : &a->image;
    struct str error = STR_INIT;
    if (!v->code_count)
        return;
    sentence_error(&error, v);
    stack_wrapped(OUT_PLAIN, 2, "stack.ends_with", TEXT_ARGS({ "error", error.p }));
    str_free(&error);
}

/* pip alone does not find every build that has no CUDA in its name. */
static void print_index(const struct stack_view *v, const struct stack_answer *a)
{
    struct str lines = STR_INIT;
    bool alone = *v->spec.cuda || v->spec.has_os || strcmp(field(a, "channel"), "pip") != 0 ||
                 strcmp(field(a, "pypi"), "yes") == 0;
    if (!alone && stack_command(a->build, 0, &lines)) {
        stack_wrapped(OUT_PLAIN, 2, "stack.not_on_pypi", NULL);
        stack_commands(lines.p);
    }
    str_free(&lines);
}

/* Which sentence: most go by the status, those about a driver or a cuDNN by what was named. */
static const char *status_sentence(const struct stack_view *v, const struct stack_check *c,
                                   struct driver_span span)
{
    bool driver = version_known(c->target.driver), bare = !*v->spec.package;
    if (c->same_name)
        return "same_name";
    if (bare && c->status == STACK_UNKNOWN)
        return "cuda_jetson";
    if (c->status == STACK_DRIVER_WITHOUT_CARD && !version_known(span.last))
        return "driver_before_card";
    if (!bare || !stack_works(c->status))
        return stack_status_name(c->status);
    if (!*v->spec.cuda && *v->spec.cudnn && !version_known(v->spec.driver))
        return "cudnn_floor"; /* what it asks for, and what the card is */
    return driver ? "driver_works" : version_known(span.last) ? "driver_until" : "driver_from";
}

/* The least driver that knows both the CUDA that was named and the card. */
static struct driver_version least_driver(const struct stack_view *v, const struct stack_check *c,
                                          const struct arch_verdict *runtime,
                                          struct driver_span span)
{
    struct driver_version least = stack_cuda_driver(v->spec.cuda, c->target.os);
    if (!stack_works(c->status))
        return runtime->least_driver;
    return version_compare(least, span.first) < 0 ? span.first : least;
}

/* What the sentence of a status may name. */
static void print_status(const struct stack_view *v, const struct stack_check *c,
                         const struct target *target)
{
    const struct stack_answer *a = c->answer_count ? &c->answers[0] : NULL;
    for (size_t i = 0; i < c->answer_count; i++)
        if (c->answers[i].status == c->status) {
            a = &c->answers[i];
            break;
        }
    const struct arch_verdict *runtime = a ? &a->runtime : &c->runtime;
    const struct branch_facts *branch = facts_branch(c->target.driver, c->target.os);
    char id[64], cc[16], driver[VERSION_TEXT_MAX], least[VERSION_TEXT_MAX], last[VERSION_TEXT_MAX],
        first[VERSION_TEXT_MAX], cuda[16] = "?", floor[16];
    struct target with = *target;
    with.rule = c->target;
    struct driver_span span = target_span(&with);
    struct driver_version needs = least_driver(v, c, runtime, span);
    snprintf(cc, sizeof cc, "%u.%u", c->target.cc / 10, c->target.cc % 10);
    snprintf(floor, sizeof floor, "%u.%u", c->cudnn_floor / 10, c->cudnn_floor % 10);
    if (branch)
        snprintf(cuda, sizeof cuda, "%u.%u", branch->cuda / 100, branch->cuda % 100);
    const struct text_arg args[] = {
        { "cc", cc },
        { "archs", a ? field(a, "archs") : "" },
        { "chosen", a ? a->chosen : "" },
        { "cuda", a               ? field(a, "cuda")
                  : *v->spec.cuda ? v->spec.cuda
                                  : cuda },
        { "knows", cuda },
        { "driver",
          version_known(c->target.driver) ? version_text(c->target.driver, driver) : "?" },
        { "least", version_known(needs) ? version_text(needs, least) : "?" },
        { "first", version_known(span.first) ? version_text(span.first, first) : "?" },
        { "last", version_known(span.last) ? version_text(span.last, last) : "?" },
        { "python", v->spec.python },
        { "cudnn", v->spec.cudnn },
        { "floor", floor },
        { "pythons", a ? field(a, "python") : "" },
        { NULL, NULL },
    };
    snprintf(id, sizeof id, "stack.status.%s", status_sentence(v, c, span));
    stack_wrapped(OUT_PLAIN, 2, id, args);
    if (c->status == STACK_NO_KERNELS && a)
        print_end(a);
    if (a)
        stack_why(a);
    if (a && stack_works(c->status))
        print_index(v, a);
}

/* The same release for another CUDA, else the newest that works. */
static void print_instead(const struct stack_view *v, const struct stack_check *c)
{
    size_t count, others;
    struct arch_target target = c->target;
    target.driver = (struct driver_version){ 0 };
    struct stack_answer *list = stack_find(v->spec.package, &target, &count, &others);
    const struct stack_answer *best = NULL;
    for (size_t i = 0; i < count; i++) {
        bool same = strcmp(field(&list[i], "version"), v->spec.version) == 0;
        if (same || !best || (!stack_is_sure(best) && stack_is_sure(&list[i])))
            best = &list[i];
        if (same)
            break;
    }
    if (best) {
        struct str lines = STR_INIT;
        size_t which = strcmp(field(best, "channel"), "conda") == 0;
        stack_title("stack.instead", TEXT_ARGS({ "package", field(best, "package") },
                                               { "version", field(best, "version") },
                                               { "cuda", field(best, "cuda") }));
        if (stack_command(best->build, which, &lines))
            stack_commands(lines.p);
        str_free(&lines);
    } else
        stack_wrapped(OUT_PLAIN, 2, "stack.nothing_instead", NULL);
    free(list);
}

static void print_cure(const struct stack_view *v, const struct stack_check *c,
                       const struct target *target)
{
    if (c->status == STACK_DRIVER_TOO_OLD || c->status == STACK_DRIVER_WITHOUT_CARD)
        stack_span(target);
    else if (!stack_works(c->status) && *v->spec.package && c->status != STACK_UNKNOWN_RELEASE)
        print_instead(v, c);
}

static void print_check(const struct stack_view *v, size_t i)
{
    const struct stack_check *c = &v->checks[i];
    bool works = stack_works(c->status), unsure = stack_is_unknown(c->status);
    struct target with = *v->cards[i].target;
    struct str text = STR_INIT, label = STR_INIT, safe = STR_INIT;
    with.rule = c->target;
    target_add_label(&label, &with);
    utf8_add_printable(&safe, label.p);
    add_spec(&text, v, c);
    out_line(OUT_BOLD, text.p);
    out_pad(2);
    out_text(OUT_PLAIN, safe.p);
    out_text(OUT_PLAIN, ": ");
    out_line(works    ? OUT_GOOD
             : unsure ? OUT_DOUBTFUL
                      : OUT_BAD,
             text_get(works    ? "stack.yes"
                      : unsure ? "stack.unsure"
                               : "stack.no"));
    print_status(v, c, v->cards[i].target);
    print_cure(v, c, &with);
    str_free(&text);
    str_free(&label);
    str_free(&safe);
}

void stack_text_check(const struct stack_view *v)
{
    print_claims(&v->spec);
    if (v->spec.belief >= 0)
        print_belief((size_t)v->spec.belief);
    for (size_t i = 0; i < v->card_count; i++) {
        if (i)
            out_line(OUT_PLAIN, "");
        print_check(v, i);
    }
}
