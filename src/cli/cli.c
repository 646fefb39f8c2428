#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/tasks.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/os.h"
#include "core/str.h"

/* What the words on the command line say. */
struct line {
    struct cmd_globals globals;
    const struct cmd *cmd;
    void *options;   /* of cmd */
    char **operands; /* count words at most */
    size_t operand_count;
};

static int unknown_command(const char *word, struct err *err)
{
    const char *nearest = NULL;
    unsigned least = 3;
    for (size_t i = 0; cmd_list[i]; i++) {
        unsigned distance = str_distance(word, cmd_list[i]->name);
        if (distance < least || (!nearest && str_starts(cmd_list[i]->name, word))) {
            least = distance < least ? distance : least;
            nearest = cmd_list[i]->name;
        }
    }
    if (nearest)
        return err_set(err, ERR_USAGE, "unknown command '%s'; did you mean '%s'?", word, nearest);
    return err_set(err, ERR_USAGE, "unknown command '%s'; 'smfit --help' lists the commands", word);
}

static int take_command(struct line *line, const char *word, struct err *err)
{
    if (strcmp(word, "help") == 0) {
        line->globals.help = true;
        return 0;
    }
    line->cmd = cmd_find(word);
    if (!line->cmd)
        return unknown_command(word, err);
    if (!line->cmd->options_size)
        return 0;
    line->options = calloc(1, line->cmd->options_size);
    return line->options ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

static int parse(struct line *line, int argc, char **argv, struct err *err)
{
    bool only_operands = false;
    line->operands = calloc((size_t)argc + 1, sizeof *line->operands);
    if (!line->operands)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (int i = 1; i < argc; i++) {
        const struct opts_set sets[] = {
            { line->cmd ? line->cmd->options : NULL, line->options },
            { cmd_global_options, &line->globals },
        };
        if (!only_operands && strcmp(argv[i], "--") == 0)
            only_operands = true;
        else if (!only_operands && opts_is_option(argv[i])) {
            if (opts_take(sets, 2, argv, argc, &i, err))
                return -1;
        } else if (!line->cmd) {
            if (take_command(line, argv[i], err))
                return -1;
        } else
            line->operands[line->operand_count++] = argv[i];
    }
    return 0;
}

/* A tree that is not there would pass for a machine with nothing in it. */
static int check_sysroot(const char *sysroot, struct err *err)
{
    if (!sysroot || os_file_kind(sysroot) == OS_FILE_FOLDER)
        return 0;
    return err_set(err, ERR_IO, "no folder '%s' (--sysroot)", sysroot);
}

static int check(const struct line *line, struct err *err)
{
    const struct cmd *cmd = line->cmd;
    const struct cmd_globals *g = &line->globals;
    const struct {
        const char *name;
        bool given;
    } optional[] = { { "assume", g->assume.count > 0 },
                     { "sysroot", g->sysroot },
                     { "device", g->device },
                     { "virtual", g->virtual_cards } };
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        if (optional[i].given && !(cmd->uses & cmd_option_uses(optional[i].name)))
            return err_set(err, ERR_USAGE, "'%s' has no use for option '--%s'",
                           *cmd->name ? cmd->name : "smfit", optional[i].name);
    if (line->operand_count < cmd->operands_least)
        return err_set(err, ERR_USAGE, "'%s' needs %s; see 'smfit %s --help'", cmd->name,
                       cmd->operands, cmd->name);
    if (line->operand_count > cmd->operands_most)
        return err_set(err, ERR_USAGE, "'%s' has no use for '%s'", cmd->name,
                       line->operands[cmd->operands_most]);
    return check_sysroot(g->sysroot, err);
}

/* The document of a run that got as far as a command, or of one that did not ("smfit.usage"). */
static int start_document(struct cmd_run *run, const struct cmd *cmd, struct err *err)
{
    char schema[64];
    snprintf(schema, sizeof schema, "smfit.%s", !cmd ? "usage" : *cmd->name ? cmd->name : "home");
    run->doc = json_doc_new(schema, CLI_VERSION, cmd ? cmd->basis : "documented");
    run->errors = json_array();
    return run->doc && run->errors ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

static int finish_document(struct cmd_run *run, struct err *err)
{
    if (!run->doc)
        return 0;
    json_put(run->doc, "errors", run->errors);
    int rc = json_doc_write(run->doc, stdout, err);
    json_decref(run->doc);
    run->doc = run->errors = NULL;
    return rc;
}

static int status_of(const struct err *err)
{
    return err->code == ERR_USAGE ? CMD_USAGE : CMD_FAILED;
}

static int run_command(struct line *line, struct err *err)
{
    struct cmd_run run = {
        .globals = &line->globals,
        .options = line->options,
        .operands = line->operands,
        .operand_count = line->operand_count,
    };
    if (line->globals.json && start_document(&run, line->cmd, err))
        return -1;
    int status = check(line, err) ? -1 : line->cmd->run(&run, err);
    if (status < 0) {
        status = status_of(err);
        cmd_problem(&run, NULL, err);
    } else if (run.failed)
        status = CMD_FAILED;
    err_clear(err);
    return finish_document(&run, err) ? -1 : status;
}

/* A usage error before any command was known, or in the words behind it. */
static int refuse(struct line *line, bool json, struct err *err)
{
    struct cmd_run run = { 0 };
    struct err problem = *err;
    err_clear(err);
    if (json && start_document(&run, line->cmd, err))
        return -1;
    cmd_problem(&run, NULL, &problem);
    return finish_document(&run, err) ? -1 : status_of(&problem);
}

static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

static void apply_globals(const struct cmd_globals *globals)
{
    if (globals->lang)
        text_set_language(globals->lang);
    out_set_color(globals->color ? globals->color : "auto");
    out_set_quiet(globals->quiet);
}

static int run_line(struct line *line, int argc, char **argv, struct err *err)
{
    if (parse(line, argc, argv, err))
        return refuse(line, wants_json(argc, argv), err);
    apply_globals(&line->globals);
    if (line->globals.version) {
        printf("smfit %s\n", CLI_VERSION);
        return CMD_DONE;
    }
    if (line->globals.help) {
        line->cmd ? help_command(line->cmd) : help_program();
        return CMD_DONE;
    }
    if (!line->cmd)
        line->cmd = &cmd_home;
    return run_command(line, err);
}

int cli_main(int argc, char **argv)
{
    struct line line = { 0 };
    struct err err;
    err_clear(&err);
    out_start();
    if (argc == 3 && strcmp(argv[1], "--worker") == 0)
        worker_main(cli_tasks, argv[2]);
    text_language_from_locale();
    int status = run_line(&line, argc, argv, &err);
    bool told = status < 0;
    if (told) {
        out_error("%s", err.msg);
        status = CMD_FAILED;
    }
    err_clear(&err);
    if (out_finish(&err)) {
        if (!told) /* a full disk is said once */
            out_error("%s", err.msg);
        status = CMD_FAILED;
    }
    free(line.options);
    free(line.operands);
    return status;
}
