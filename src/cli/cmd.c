#include "cli/cmd.h"

#include <inttypes.h>
#include <string.h>

#include "cli/out.h"
#include "core/json.h"

extern const struct cmd cmd_inspect, cmd_probe, cmd_repro, cmd_bench, cmd_size, cmd_doctor,
    cmd_explain, cmd_stack, cmd_cards, cmd_archs;

const struct cmd *const cmd_list[] = { &cmd_inspect, &cmd_probe,  &cmd_repro, &cmd_bench,
                                       &cmd_size,    &cmd_doctor, &cmd_stack, &cmd_explain,
                                       &cmd_cards,   &cmd_archs,  NULL };

#define GLOBAL(field) offsetof(struct cmd_globals, field)

const struct opt cmd_global_options[] = {
    { 0, "assume", OPTS_LIST, "CARD|sm_XY[,driver=V][,os=windows]", NULL, "opt.assume",
      GLOBAL(assume) },
    { 0, "device", OPTS_TEXT, "N|UUID|PCI", NULL, "opt.device", GLOBAL(device) },
    { 0, "virtual", OPTS_TEXT, "CARD[,CARD...][,driver=V]", NULL, "opt.virtual",
      GLOBAL(virtual_cards) },
    { 0, "sysroot", OPTS_TEXT, "DIR", NULL, "opt.sysroot", GLOBAL(sysroot) },
    { 0, "json", OPTS_FLAG, NULL, NULL, "opt.json", GLOBAL(json) },
    { 0, "lang", OPTS_CHOICE, "en|zh", "en|zh", "opt.lang", GLOBAL(lang) },
    { 0, "color", OPTS_CHOICE, "auto|always|never", "auto|always|never", "opt.color",
      GLOBAL(color) },
    { 'v', "verbose", OPTS_FLAG, NULL, NULL, "opt.verbose", GLOBAL(verbose) },
    { 'q', "quiet", OPTS_FLAG, NULL, NULL, "opt.quiet", GLOBAL(quiet) },
    { 'h', "help", OPTS_FLAG, NULL, NULL, "opt.help", GLOBAL(help) },
    { 0, "version", OPTS_FLAG, NULL, NULL, "opt.version", GLOBAL(version) },
    OPTS_END,
};

const struct cmd *cmd_find(const char *name)
{
    for (size_t i = 0; cmd_list[i]; i++)
        if (strcmp(cmd_list[i]->name, name) == 0)
            return cmd_list[i];
    return NULL;
}

unsigned cmd_option_uses(const char *name)
{
    static const struct {
        const char *name;
        unsigned uses;
    } needs[] = {
        { "assume", CMD_USES_CARD },
        { "sysroot", CMD_USES_SYSROOT },
        { "device", CMD_USES_DEVICE },
        { "virtual", CMD_USES_DEVICE },
    };
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (strcmp(needs[i].name, name) == 0)
            return needs[i].uses;
    return 0;
}

/* Whether the message already quotes the path. */
static bool names(const char *message, const char *path)
{
    size_t length = strlen(path);
    for (const char *p = message; (p = strchr(p, '\'')); p++)
        if (strncmp(p + 1, path, length) == 0 && p[1 + length] == '\'')
            return true;
    return false;
}

void cmd_problem(struct cmd_run *run, const char *path, const struct err *err)
{
    bool named = !path || names(err->msg, path);
    const char *subject = named ? "" : path, *sep = named ? "" : ": ";
    run->failed = true;
    if (err->offset == ERR_NO_OFFSET)
        out_error("%s%s%s", subject, sep, err->msg);
    else
        out_error("%s%sat byte %" PRIu64 ": %s", subject, sep, err->offset, err->msg);
    if (run->errors)
        json_array_append_new(run->errors, json_doc_error(err, path));
}
