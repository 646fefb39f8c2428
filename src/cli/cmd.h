/* What a command is. Each cmd_*.c exports one const descriptor; cmd.c lists their addresses. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/opts.h"
#include "core/err.h"

/* Exit codes of every command; usage errors are EXIT_USAGE everywhere. */
enum cmd_exit { CMD_DONE = 0, CMD_FAILED = 1, CMD_USAGE = 2, CMD_NOT_FIT = 3 };

/* The options that stand before or after any command. */
struct cmd_globals {
    bool json, verbose, quiet, help, version;
    const char *lang, *color, *sysroot, *device, *virtual_cards;
    struct opts_list assume;
};

/* What a command needs of the global options: those it has no use for are refused, not ignored. */
enum cmd_uses {
    CMD_USES_CARD = 1,    /* --assume, and the cards of the machine */
    CMD_USES_SYSROOT = 2, /* --sysroot */
    CMD_USES_DEVICE = 4,  /* --device and --virtual */
};

struct cmd_example {
    const char *line;    /* behind "smfit " */
    const char *text_id; /* what it does */
};

struct cmd_status {
    enum cmd_exit code;
    const char *text_id;
};

#define CMD_EXAMPLES_MAX 4
#define CMD_STATUS_MAX   4

/* One run of a command. */
struct cmd_run {
    const struct cmd_globals *globals;
    const void *options; /* the struct of the command's own options */
    char **operands;
    size_t operand_count;
    json_t *doc;    /* with --json: the document, to be filled; else NULL */
    json_t *errors; /* its list of errors */
    bool failed;    /* a problem was reported: exit code 1 */
};

struct cmd {
    const char *name;     /* "" is smfit without a command */
    const char *operands; /* as the usage line shows them, "" for none */
    const char *summary_id;
    const char *about_id;      /* a paragraph for the help; NULL: none */
    const struct opt *options; /* NULL: none of its own */
    size_t options_size;
    unsigned uses; /* enum cmd_uses */
    size_t operands_least, operands_most;
    const char *basis; /* of its JSON: "documented", "measured", ... */
    struct cmd_example examples[CMD_EXAMPLES_MAX];
    struct cmd_status statuses[CMD_STATUS_MAX];
    /* The exit code, or -1 with err set: ERR_USAGE becomes 2, all else 1. */
    int (*run)(struct cmd_run *run, struct err *err);
};

/* NULL-terminated; those with a name in the order in which the help lists them. */
extern const struct cmd *const cmd_list[];
extern const struct cmd cmd_home;
extern const struct opt cmd_global_options[];

const struct cmd *cmd_find(const char *name);

/* What a command must use so that this global option has a meaning for it; 0: any command. */
unsigned cmd_option_uses(const char *name);

/* Reports a problem that does not end the command: a line on stderr, an entry of errors[]. `path`
 * may be NULL. */
void cmd_problem(struct cmd_run *run, const char *path, const struct err *err);

#endif
