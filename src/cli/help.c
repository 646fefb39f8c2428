#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/utf8.h"

#define INDENT 2

static const struct grid_column two_columns[] = { { NULL, false }, { NULL, false } };

static void title(const char *id)
{
    out_line(OUT_PLAIN, "");
    out_line(OUT_BOLD, text_get(id));
}

/* "  -v, --verbose" or "      --lang en|zh" */
static void option_cell(struct grid *g, const struct opt *o)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    grid_cellf(g, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
               o->argument ? o->argument : "");
}

/* An option whose need no command of the table has is of no use to it. */
static bool is_offered(const struct opt *o, unsigned uses)
{
    if (strcmp(o->name, "assume") == 0)
        return (uses & CMD_USES_CARD) != 0;
    if (strcmp(o->name, "sysroot") == 0)
        return (uses & CMD_USES_SYSROOT) != 0;
    return true;
}

static void print_options(const char *title_id, const struct opt *table, unsigned uses)
{
    struct grid *g = grid_new(two_columns, 2);
    if (!g || !table)
        goto done;
    for (const struct opt *o = table; o->name; o++) {
        if (!is_offered(o, uses))
            continue;
        option_cell(g, o);
        grid_cell(g, text_get(o->help_id));
    }
    title(title_id);
    grid_print(g, INDENT);
done:
    grid_free(g);
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
    for (size_t i = 0; i < CMD_STATUS_MAX && cmd->statuses[i].text_id; i++)
        if ((int)cmd->statuses[i].code == code)
            return cmd->statuses[i].text_id;
    return NULL;
}

static void print_statuses(const struct cmd *cmd)
{
    struct grid *g = grid_new(two_columns, 2);
    if (!g)
        return;
    title("help.exit_codes");
    for (int code = 0; code <= CMD_NOT_FIT; code++) {
        const char *id = code == CMD_USAGE ? "exit.usage" : status_text(cmd, code);
        if (!id)
            continue;
        grid_cellf(g, "%d", code);
        grid_cell(g, text_get(id));
    }
    grid_print(g, INDENT);
    grid_free(g);
}

static void print_usage(const struct cmd *cmd)
{
    struct str line = STR_INIT;
    str_addf(&line, "%s: smfit", text_get("help.usage"));
    if (*cmd->name)
        str_addf(&line, " %s", cmd->name);
    str_addf(&line, " [%s...]", text_get("help.option"));
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
    struct grid *g = grid_new(two_columns, 2);
    if (!g)
        return;
    title("help.commands");
    for (size_t i = 0; cmd_list[i]; i++) {
        const struct cmd *cmd = cmd_list[i];
        grid_cellf(g, "%s%s%s", cmd->name, *cmd->operands ? " " : "", cmd->operands);
        grid_cell(g, text_get(cmd->summary_id));
    }
    grid_cell(g, text_get("help.none"));
    grid_cell(g, text_get(cmd_home.summary_id));
    grid_print(g, INDENT);
    grid_free(g);
}

void help_program(void)
{
    out_wrapped(OUT_BOLD, 0, text_get("help.what"));
    out_line(OUT_PLAIN, "");
    out_line(OUT_PLAIN, text_get("help.usage_line"));
    print_commands();
    print_options("help.global_options", cmd_global_options, CMD_USES_CARD | CMD_USES_SYSROOT);
    print_examples(&cmd_home);
    print_statuses(&cmd_home);
    out_line(OUT_PLAIN, "");
    out_wrapped(OUT_PLAIN, 0, text_get("help.more"));
}
