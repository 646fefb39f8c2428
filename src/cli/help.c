#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/out.h"
#include "cli/text.h"
#include "core/utf8.h"

#define INDENT    2
#define GAP       2
#define LEFT_MAX  27 /* a longer left part has its explanation on the next line */
#define LINES_MAX 32

/* Two columns: what to type, and what it does. */
struct lines {
    struct {
        char left[96];
        const char *text;
    } list[LINES_MAX];
    size_t count;
};

static void add(struct lines *lines, const char *left, const char *text)
{
    if (lines->count == LINES_MAX)
        return;
    str_copy(lines->list[lines->count].left, sizeof lines->list[0].left, left);
    lines->list[lines->count++].text = text;
}

static void print(const struct lines *lines)
{
    size_t left = 0;
    for (size_t i = 0; i < lines->count; i++) {
        size_t width = utf8_width(lines->list[i].left);
        left = width > left && width <= LEFT_MAX ? width : left;
    }
    for (size_t i = 0; i < lines->count; i++) {
        size_t width = utf8_width(lines->list[i].left), used = INDENT + width;
        out_pad(INDENT);
        out_text(OUT_PLAIN, lines->list[i].left);
        if (width > left) {
            out_line(OUT_PLAIN, "");
            used = 0;
        }
        out_hanging(OUT_PLAIN, INDENT + left + GAP, used, lines->list[i].text);
    }
}

static void title(const char *id)
{
    out_line(OUT_PLAIN, "");
    out_line(OUT_BOLD, text_get(id));
}

/* "-v, --verbose" or "    --lang en|zh" */
static void add_option(struct lines *lines, const struct opt *o)
{
    char letter[8] = "    ", left[96];
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    add(lines, left, text_get(o->help_id));
}

/* An option whose need no command of the table has is of no use to it. */
static bool is_offered(const struct opt *o, unsigned uses)
{
    unsigned needed = cmd_option_uses(o->name);
    return !needed || (needed & uses);
}

static void print_options(const char *title_id, const struct opt *table, unsigned uses)
{
    struct lines lines = { 0 };
    if (!table)
        return;
    for (const struct opt *o = table; o->name; o++)
        if (is_offered(o, uses))
            add_option(&lines, o);
    title(title_id);
    print(&lines);
}

static void print_examples(const struct cmd *cmd)
{
    title("help.examples");
    for (size_t i = 0; i < CMD_EXAMPLES_MAX && cmd->examples[i].line; i++) {
        out_pad(INDENT);
        out_text(OUT_PLAIN, "smfit");
        if (*cmd->examples[i].line)
            out_text(OUT_PLAIN, " ");
        out_line(OUT_PLAIN, cmd->examples[i].line);
        out_wrapped(OUT_PLAIN, (size_t)INDENT * 3, text_get(cmd->examples[i].text_id));
    }
}

static const char *status_text(const struct cmd *cmd, int code)
{
    if (code == CMD_USAGE)
        return text_get("exit.usage");
    for (size_t i = 0; i < CMD_STATUS_MAX && cmd->statuses[i].text_id; i++)
        if ((int)cmd->statuses[i].code == code)
            return text_get(cmd->statuses[i].text_id);
    return NULL;
}

static void print_statuses(const struct cmd *cmd)
{
    struct lines lines = { 0 };
    title("help.exit_codes");
    for (int code = CMD_DONE; code <= CMD_NOT_FIT; code++) {
        char number[12];
        const char *text = status_text(cmd, code);
        snprintf(number, sizeof number, "%d", code);
        if (text)
            add(&lines, number, text);
    }
    print(&lines);
}

static void print_usage(const struct cmd *cmd)
{
    struct str line = STR_INIT;
    str_addf(&line, "%s smfit %s [%s...]", text_get("help.usage"), cmd->name,
             text_get("help.option"));
    if (*cmd->operands)
        str_addf(&line, " %s", cmd->operands);
    out_line(OUT_PLAIN, line.p);
    str_free(&line);
}

void help_command(const struct cmd *cmd)
{
    print_usage(cmd);
    out_line(OUT_PLAIN, "");
    out_wrapped(OUT_PLAIN, 0, text_get(cmd->summary_id));
    if (cmd->about_id) {
        out_line(OUT_PLAIN, "");
        out_wrapped(OUT_PLAIN, 0, text_get(cmd->about_id));
    }
    print_options("help.options", cmd->options, cmd->uses);
    print_options("help.global_options", cmd_global_options, cmd->uses);
    print_examples(cmd);
    print_statuses(cmd);
}

static void print_commands(void)
{
    struct lines lines = { 0 };
    char left[96];
    title("help.commands");
    add(&lines, text_get("help.none"), text_get(cmd_home.summary_id));
    for (size_t i = 0; cmd_list[i]; i++) {
        const struct cmd *cmd = cmd_list[i];
        snprintf(left, sizeof left, "%s%s%s", cmd->name, *cmd->operands ? " " : "", cmd->operands);
        add(&lines, left, text_get(cmd->summary_id));
    }
    print(&lines);
}

static unsigned all_uses(void)
{
    unsigned uses = cmd_home.uses;
    for (size_t i = 0; cmd_list[i]; i++)
        uses |= cmd_list[i]->uses;
    return uses;
}

void help_program(void)
{
    out_wrapped(OUT_BOLD, 0, text_get("help.what"));
    out_line(OUT_PLAIN, "");
    out_line(OUT_PLAIN, text_get("help.usage_line"));
    print_commands();
    print_options("help.global_options", cmd_global_options, all_uses());
    print_examples(&cmd_home);
    print_statuses(&cmd_home);
    out_line(OUT_PLAIN, "");
    out_wrapped(OUT_PLAIN, 0, text_get("help.more"));
}
