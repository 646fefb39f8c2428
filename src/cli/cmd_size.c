#include <string.h>

#include "cli/cmd.h"
#include "cli/size_operations.h"
#include "cli/target.h"

struct size_options {
    const char *precision;
    struct size_operations operations;
};

#define OPTION(field) offsetof(struct size_options, field)

static const struct opt options[] = {
    SIZE_OPERATIONS_OPTIONS(struct size_options, operations),
    { 0, "precision", OPTS_TEXT, "PRECISION", NULL, "opt.size_precision", OPTION(precision) },
    OPTS_END,
};

static int find_card(const struct cmd_run *run, struct target_list *targets, struct err *err)
{
    if (target_find(run->globals, targets, err))
        return -1;
    if (!targets->count)
        return err_set(err, ERR_MISSING, "no NVIDIA GPU found; --assume CARD names one");
    if (targets->count > 1)
        return err_set(err, ERR_USAGE, "%zu cards: --assume CARD names the one to answer for",
                       targets->count);
    target_note(targets);
    return 0;
}

static int run(struct cmd_run *run, struct err *err)
{
    const struct size_options *o = run->options;
    struct target_list targets = { 0 };
    int rc = -1;
    if (!size_operations_asked(&o->operations))
        return err_set(err, ERR_USAGE, "nothing to size: --gemm, --conv or --shapes");
    if (!find_card(run, &targets, err)) {
        if (run->doc)
            target_put_json(run->doc, &targets);
        rc = size_operations_run(run, &o->operations, o->precision, &targets.list[0], err);
    }
    target_free(&targets);
    return rc;
}

const struct cmd cmd_size = {
    .name = "size",
    .operands = "",
    .summary_id = "cmd.size",
    .about_id = "about.size",
    .options = options,
    .options_size = sizeof(struct size_options),
    .uses = CMD_USES_CARD | CMD_USES_SYSROOT,
    .basis = "modelled",
    .examples = { { "size --assume 920m --gemm 1760,16,1760 --gemm 1760,32,1760",
                    "example.size_gemm" },
                  { "size --assume 'gtx 1050' --conv 56,56,64,8,64,3,3,1,1,1,1",
                    "example.size_conv" } },
    .statuses = { { CMD_DONE, "exit.size_done" },
                  { CMD_FAILED, "exit.size_failed" },
                  { CMD_NOT_FIT, "exit.size_unfit" } },
    .run = run,
};
