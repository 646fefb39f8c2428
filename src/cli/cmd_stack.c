#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/stack_view.h"
#include "cli/text.h"
#include "data/data.h"

#define WORDS_MAX 32

struct stack_options {
    const char *os, *framework;
    bool why;
};

#define OPTION(field) offsetof(struct stack_options, field)

static const struct opt options[] = {
    { 0, "os", OPTS_CHOICE, "linux|windows", "linux|windows", "opt.stack_os", OPTION(os) },
    { 0, "framework", OPTS_TEXT, "NAME", NULL, "opt.stack_framework", OPTION(framework) },
    { 0, "why", OPTS_FLAG, NULL, NULL, "opt.stack_why", OPTION(why) },
    OPTS_END,
};

/* ---- facts that both outputs show ---- */

static const char *framework_of(const struct stack_answer *a, char to[32])
{
    return stack_framework(table_field(data_table(DATA_BUILDS), a->build, "package"), to);
}

size_t stack_view_others(const struct stack_card *card, const struct stack_answer **list,
                         size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < card->count && count < max; i++) {
        char name[32], before[32] = "torch";
        if (i)
            framework_of(&card->builds[i - 1], before);
        framework_of(&card->builds[i], name);
        /* the list is sorted by framework */
        if (strcmp(name, "torch") != 0 && (i == 0 || strcmp(name, before) != 0))
            list[count++] = &card->builds[i];
    }
    return count;
}

bool stack_view_is_tegra(const struct target *target)
{
    const struct arch_facts *facts = facts_arch(target->rule.cc);
    return facts && facts->class == ARCH_TEGRA;
}

void stack_view_branch(const struct target *target, char to[16])
{
    struct driver_span span = target_span(target);
    const struct branch_facts *branch = NULL;
    if (version_known(span.last))
        branch = facts_branch(span.last, target->rule.os);
    if (version_known(span.last) && !branch)
        *to = 0;
    else if (branch)
        snprintf(to, 16, "%u", branch->branch);
    else
        str_copy(to, 16, version_known(span.first) ? "current" : "");
}

const char *stack_view_toolkit(const struct target *target)
{
    const struct arch_facts *facts = facts_arch(target->rule.cc);
    const char *last = facts ? table_field(data_table(DATA_ARCHS), facts->row, "last_toolkit") : "";
    return table_blank(last) || strcmp(last, "current") == 0 ? "" : last;
}

void stack_view_alternatives(const struct stack_card *card, const char *ids[8])
{
    /* the architectures that its author built for */
    static const unsigned rebuilt[] = { 35, 37, 50, 60, 70 };
    const struct arch_target *rule = &card->target->rule;
    size_t count = 0;
    for (size_t i = 0; i < sizeof rebuilt / sizeof rebuilt[0]; i++)
        if (rule->os == ARCH_LINUX && rule->cc == rebuilt[i] && rule->cc <= 37)
            ids[count++] = "stack.alternative.rebuilt";
    if (*stack_view_toolkit(card->target))
        ids[count++] = "stack.alternative.source";
    ids[count++] = "stack.alternative.cpu";
    ids[count++] = "stack.alternative.int8";
    ids[count++] = "stack.alternative.cloud";
    ids[count] = NULL;
}

/* ---- the command ---- */

static void apply_os(struct target_list *targets, const char *os)
{
    for (size_t i = 0; os && i < targets->count; i++)
        targets->list[i].rule.os = strcmp(os, "windows") == 0 ? ARCH_WINDOWS : ARCH_LINUX;
}

static int find_cards(const struct cmd_run *run, struct target_list *targets, struct err *err)
{
    const struct stack_options *o = run->options;
    if (target_find(run->globals, targets, err))
        return -1;
    if (!targets->count)
        return err_set(err, ERR_MISSING, "no NVIDIA GPU found; --assume CARD names one");
    apply_os(targets, o->os);
    target_note(targets);
    return 0;
}

static bool knows_framework(const char *name)
{
    const struct table *t = data_table(DATA_BUILDS);
    char wanted[32], have[32];
    stack_framework(name, wanted);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(stack_framework(table_field(t, row, "package"), have), wanted) == 0)
            return true;
    return false;
}

static int list(struct stack_view *v, struct target_list *targets, struct err *err)
{
    int status = CMD_DONE;
    if (v->framework && !knows_framework(v->framework))
        return err_set(
            err, ERR_USAGE,
            "no framework '%s' is known; torch, tensorflow, cupy, onnxruntime and others",
            v->framework);
    for (size_t i = 0; i < targets->count; i++) {
        struct stack_card *card = &v->cards[v->card_count++];
        card->target = &targets->list[i];
        if (!stack_view_is_tegra(card->target))
            card->builds = stack_find(v->framework ? v->framework : "", &targets->list[i].rule,
                                      &card->count, &card->others);
        if (!card->count)
            status = CMD_NOT_FIT;
    }
    if (v->run->doc)
        stack_json_fill(v->run->doc, v);
    else
        stack_text_print(v);
    return status;
}

static int check(struct stack_view *v, struct target_list *targets)
{
    bool right = true;
    for (size_t i = 0; i < v->spec.card_count; i++)
        right = right && v->spec.cards[i].right;
    if (v->spec.belief >= 0)
        right = strcmp(table_field(data_table(DATA_BELIEFS), (size_t)v->spec.belief, "verdict"),
                       "true") == 0;
    for (size_t i = 0; i < targets->count; i++) {
        v->cards[v->card_count].target = &targets->list[i];
        stack_spec_check(&v->spec, &targets->list[i].rule, &v->checks[v->card_count]);
        right = right && stack_works(v->checks[v->card_count++].status);
    }
    if (v->run->doc)
        stack_json_fill(v->run->doc, v);
    else
        stack_text_check(v);
    return right ? CMD_DONE : CMD_NOT_FIT;
}

static int join(const struct cmd_run *run, struct str *text, struct err *err)
{
    if (strcmp(run->operands[0], "check") != 0)
        return err_set(err, ERR_USAGE,
                       "'%s' is no part of stack; 'smfit stack check SPEC' asks "
                       "about a version",
                       run->operands[0]);
    for (size_t i = 1; i < run->operand_count; i++)
        str_addf(text, "%s%s", i > 1 ? " " : "", run->operands[i]);
    if (run->operand_count < 2)
        return err_set(err, ERR_USAGE, "'stack check' needs SPEC; see 'smfit stack --help'");
    return text->failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

static int run(struct cmd_run *run, struct err *err)
{
    const struct stack_options *o = run->options;
    struct target_list targets = { 0 };
    struct str text = STR_INIT;
    struct stack_view *v = calloc(1, sizeof *v);
    int status = -1;
    if (!v) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto out;
    }
    v->run = run;
    v->targets = &targets;
    v->framework = o->framework;
    v->why = o->why;
    v->words = run->globals->assume.count ? run->globals->assume.items[0] : NULL;
    if (!run->operand_count) {
        status = find_cards(run, &targets, err) ? -1 : list(v, &targets, err);
        goto out;
    }
    if (join(run, &text, err) || stack_spec_parse(text.p, &v->spec, err))
        goto out;
    v->spec_text = text.p;
    bool needs_card = !v->spec.card_count && v->spec.belief < 0;
    if (!needs_card || find_cards(run, &targets, err) == 0)
        status = check(v, &targets);
out:
    for (size_t i = 0; v && i < v->card_count; i++)
        free(v->cards[i].builds);
    free(v);
    str_free(&text);
    target_free(&targets);
    return status;
}

const struct cmd cmd_stack = {
    .name = "stack",
    .operands = "[check SPEC]",
    .summary_id = "cmd.stack",
    .about_id = "about.stack",
    .options = options,
    .options_size = sizeof(struct stack_options),
    .uses = CMD_USES_CARD | CMD_USES_SYSROOT,
    .operands_most = WORDS_MAX,
    .basis = "documented",
    .examples = { { "stack --assume 920m", "example.stack" },
                  { "stack --assume 920m,os=windows --why", "example.stack_windows" },
                  { "stack check torch==1.12.1+cu102 --assume 920m", "example.stack_check" },
                  { "stack check driver 441.22 cuda 10.2 --assume 'GTX 1050,os=windows'",
                    "example.stack_driver" } },
    .statuses = { { CMD_DONE, "exit.stack_found" },
                  { CMD_FAILED, "exit.stack_failed" },
                  { CMD_NOT_FIT, "exit.stack_none" } },
    .run = run,
};
