#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/out.h"
#include "cli/stack_parts.h"
#include "cli/text.h"
#include "core/utf8.h"
#include "data/data.h"

#define ROWS_SHOWN   6
#define OTHERS_MAX   16
#define COMMANDS_MAX 3

static const char *field(const struct stack_answer *a, const char *name)
{
    return table_field(data_table(DATA_BUILDS), a->build, name);
}

static bool verbose(const struct stack_view *v)
{
    return v->run->globals->verbose;
}

void stack_title(const char *id, const struct text_arg *args)
{
    struct str text = STR_INIT;
    text_add(&text, id, args);
    out_line(OUT_PLAIN, "");
    out_line(OUT_BOLD, text.p);
    str_free(&text);
}

void stack_wrapped(enum out_style style, size_t indent, const char *id, const struct text_arg *args)
{
    struct str text = STR_INIT;
    text_add(&text, id, args);
    out_wrapped(style, indent, text.p);
    str_free(&text);
}

/* Commands stand as they are typed, whatever the width. */
void stack_commands(const char *lines)
{
    while (*lines) {
        size_t n = strcspn(lines, "\n");
        struct str line = STR_INIT;
        str_add_bytes(&line, lines, n);
        out_pad(2);
        out_line(OUT_PLAIN, line.p);
        str_free(&line);
        lines += n + (lines[n] == '\n');
    }
}

/* ---- the list ---- */

static void print_head(const struct target *target)
{
    struct str text = STR_INIT, safe = STR_INIT;
    char cuda[16];
    unsigned level = target_cuda(target);
    target_add_label(&text, target);
    utf8_add_printable(&safe, text.p);
    out_line(OUT_BOLD, safe.p);
    snprintf(cuda, sizeof cuda, level >= 1100 ? "%u.x" : "%u.%u", level / 100, level % 100);
    if (level)
        stack_wrapped(OUT_PLAIN, 2, "stack.cuda", TEXT_ARGS({ "cuda", cuda }));
    str_free(&text);
    str_free(&safe);
}

static const char *runs_by(const struct stack_answer *a)
{
    return a->status == STACK_WORKS_BY_FLOOR ? field(a, "archs") : a->chosen;
}

static void add_row(struct grid *g, const struct stack_answer *a)
{
    grid_cell(g, field(a, "package"));
    grid_cell(g, field(a, "version"));
    grid_cell(g, field(a, "cuda"));
    struct driver_version least = stack_least_driver(a->build);
    char driver[VERSION_TEXT_MAX];
    grid_cell(g, version_known(least) ? version_text(least, driver) : "");
    grid_cell(g, table_blank(field(a, "cudnn")) ? "" : field(a, "cudnn"));
    grid_cell(g, field(a, "python"));
    grid_cell(g, field(a, "channel"));
    if (a->status == STACK_WORKS_BY_JIT)
        grid_cellf(g, "%s (JIT)", a->chosen);
    else
        grid_cell(g, runs_by(a));
    grid_cell(g, text_word(field(a, "confidence")));
}

static struct grid *new_grid(void)
{
    static const struct grid_column columns[] = {
        { "col.package", false },      { "col.version", false }, { "col.cuda", false },
        { "col.least_driver", false }, { "col.cudnn", false },   { "col.python", false },
        { "col.channel", false },      { "col.runs_by", false }, { "col.evidence", false },
    };
    return grid_new(columns, sizeof columns / sizeof columns[0]);
}

void stack_why(const struct stack_answer *a)
{
    struct str text = STR_INIT, safe = STR_INIT;
    const char *note = field(a, "note");
    str_addf(&text, "%s %s, CUDA %s, %s: %s", field(a, "package"), field(a, "version"),
             field(a, "cuda"), field(a, "channel"), field(a, "source"));
    if (!table_blank(note))
        str_addf(&text, " (%s)", note);
    utf8_add_printable(&safe, text.p);
    out_wrapped(OUT_DIM, 2, safe.p);
    str_free(&text);
    str_free(&safe);
}

static bool is_listed(const struct stack_view *v, const struct stack_answer *a)
{
    char name[32];
    return v->framework || strcmp(stack_framework(field(a, "package"), name), "torch") == 0;
}

/* What is measured or documented is recommended before what somebody inferred. */
bool stack_is_sure(const struct stack_answer *a)
{
    const char *confidence = field(a, "confidence");
    return strcmp(confidence, "measured") == 0 || strcmp(confidence, "documented") == 0;
}

/* Returns the one to install: the newest that is sure; NULL: none works. */
static const struct stack_answer *print_list(const struct stack_view *v,
                                             const struct stack_card *card)
{
    const struct stack_answer *first = NULL;
    struct grid *g = new_grid();
    size_t shown = 0, more = 0;
    char count[24];
    for (size_t i = 0; g && i < card->count; i++) {
        if (!is_listed(v, &card->builds[i]))
            continue;
        if (!first || (!stack_is_sure(first) && stack_is_sure(&card->builds[i])))
            first = &card->builds[i];
        if (shown == ROWS_SHOWN && !verbose(v)) {
            more++;
            continue;
        }
        add_row(g, &card->builds[i]);
        shown++;
    }
    if (g && shown)
        grid_print(g, 2);
    grid_free(g);
    snprintf(count, sizeof count, "%zu", more);
    if (more)
        stack_wrapped(OUT_DIM, 2, "stack.more", TEXT_ARGS({ "count", count }));
    for (size_t i = 0, told = 0; v->why && i < card->count && told < shown; i++)
        if (is_listed(v, &card->builds[i])) {
            stack_why(&card->builds[i]);
            told++;
        }
    return first;
}

static void print_install(const struct stack_answer *a)
{
    static const char *const ids[] = { "stack.install", "stack.install_conda",
                                       "stack.install_image" };
    char framework[32], check[64];
    bool any = false;
    for (size_t which = 0; which < COMMANDS_MAX; which++) {
        struct str lines = STR_INIT;
        if (stack_command(a->build, which, &lines)) {
            stack_title(ids[which], TEXT_ARGS({ "package", field(a, "package") },
                                              { "version", field(a, "version") }));
            stack_commands(lines.p);
            any = true;
        }
        str_free(&lines);
    }
    snprintf(check, sizeof check, "stack.check.%s",
             stack_framework(field(a, "package"), framework));
    if (!any || !text_exists(check))
        return;
    stack_title("stack.then_check", NULL);
    stack_commands(text_get(check));
}

static void print_others(const struct stack_view *v, const struct stack_card *card)
{
    const struct stack_answer *list[OTHERS_MAX];
    size_t count = v->framework ? 0 : stack_view_others(card, list, OTHERS_MAX);
    struct grid *g = count ? new_grid() : NULL;
    if (!g)
        return;
    stack_title("stack.others", NULL);
    for (size_t i = 0; i < count; i++)
        add_row(g, list[i]);
    grid_print(g, 2);
    grid_free(g);
}

/* ---- toolkit, driver, ways out ---- */

static void print_toolkit(const struct target *target)
{
    char dash[16], cc[16];
    const char *toolkit = stack_view_toolkit(target);
    struct text_arg args[] = { { "toolkit", toolkit }, { "dash", dash }, { "cc", cc }, { 0 } };
    str_copy(dash, sizeof dash, toolkit);
    for (char *p = dash; *p; p++)
        *p = *p == '.' ? '-' : *p;
    snprintf(cc, sizeof cc, "%u.%u", target->rule.cc / 10, target->rule.cc % 10);
    stack_title("stack.toolkit_title", NULL);
    stack_wrapped(OUT_PLAIN, 2, "stack.toolkit_none", NULL);
    if (!*toolkit)
        stack_wrapped(OUT_PLAIN, 2, "stack.toolkit_any", args);
    else
        stack_wrapped(OUT_PLAIN, 2,
                      target->rule.os == ARCH_WINDOWS ? "stack.toolkit_windows"
                                                      : "stack.toolkit_linux",
                      args);
}

static bool is_system(const char *system, enum arch_os os)
{
    return (strcmp(system, "windows") == 0) == (os == ARCH_WINDOWS);
}

static void print_steps(const struct target *target)
{
    const struct table *t = data_table(DATA_INSTALL);
    char branch[16], before[32] = "";
    stack_view_branch(target, branch);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *system = table_field(t, row, "system"), *wanted = table_field(t, row, "branch");
        if (!is_system(system, target->rule.os) ||
            (strcmp(wanted, branch) != 0 && strcmp(wanted, "any") != 0))
            continue;
        if (strcmp(system, before) != 0) {
            str_copy(before, sizeof before, system);
            out_pad(2);
            out_line(OUT_PLAIN, system);
        }
        out_pad(4);
        out_line(OUT_PLAIN, table_field(t, row, "command"));
    }
}

void stack_span(const struct target *target)
{
    char first[VERSION_TEXT_MAX], last[VERSION_TEXT_MAX];
    struct driver_span span = target_span(target);
    bool bounded = version_known(span.last);
    if (bounded || version_known(span.first))
        stack_wrapped(
            OUT_PLAIN, 2, bounded ? "stack.driver_last" : "stack.driver_open",
            TEXT_ARGS(
                { "first", version_known(span.first) ? version_text(span.first, first) : "?" },
                { "last", bounded ? version_text(span.last, last) : "" }));
}

static void print_driver(const struct stack_view *v, const struct target *target)
{
    struct driver_span span = target_span(target);
    if (!version_known(span.last) && !version_known(span.first))
        return;
    stack_title("stack.driver_title", NULL);
    stack_span(target);
    if (verbose(v))
        print_steps(target);
    else
        stack_wrapped(OUT_DIM, 2, "stack.driver_more", NULL);
}

static void print_alternatives(const struct stack_card *card)
{
    const char *ids[8];
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", card->target->rule.cc / 10, card->target->rule.cc % 10);
    stack_view_alternatives(card, ids);
    stack_title("stack.alternatives", NULL);
    for (size_t i = 0; ids[i]; i++)
        stack_wrapped(OUT_PLAIN, 2, ids[i],
                      TEXT_ARGS({ "cc", cc }, { "toolkit", stack_view_toolkit(card->target) }));
}

static void print_card(const struct stack_view *v, const struct stack_card *card)
{
    char cc[16], others[24];
    const char *name = v->framework ? v->framework : "PyTorch";
    snprintf(cc, sizeof cc, "%u.%u", card->target->rule.cc / 10, card->target->rule.cc % 10);
    snprintf(others, sizeof others, "%zu", card->others);
    print_head(card->target);
    stack_title("stack.title", TEXT_ARGS({ "framework", name }, { "cc", cc }));
    const struct stack_answer *first = print_list(v, card);
    if (stack_view_is_tegra(card->target))
        stack_wrapped(OUT_BAD, 2, "stack.tegra", TEXT_ARGS({ "cc", cc }));
    else if (!first)
        stack_wrapped(OUT_BAD, 2, "stack.none", TEXT_ARGS({ "framework", name }, { "cc", cc }));
    if (card->others)
        stack_wrapped(OUT_DIM, 2, "stack.not_listed", TEXT_ARGS({ "count", others }));
    if (first)
        print_install(first);
    print_others(v, card);
    print_toolkit(card->target);
    print_driver(v, card->target);
    if (!first || verbose(v) || card->target->rule.cc < 50)
        print_alternatives(card);
}

void stack_text_print(const struct stack_view *v)
{
    for (size_t i = 0; i < v->card_count; i++) {
        if (i)
            out_line(OUT_PLAIN, "");
        print_card(v, &v->cards[i]);
    }
}
