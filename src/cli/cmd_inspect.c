#include <stdlib.h>
#include <string.h>

#include "cli/inspect.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/os.h"

#define OPTION(field) offsetof(struct inspect_options, field)

static const struct opt options[] = {
    { 0, "containers", OPTS_FLAG, NULL, NULL, "opt.containers", OPTION(containers) },
    { 0, "kernels", OPTS_FLAG, NULL, NULL, "opt.kernels", OPTION(kernels) },
    { 0, "kernel", OPTS_TEXT, "NAME", NULL, "opt.kernel", OPTION(kernel) },
    { 0, "verify", OPTS_FLAG, NULL, NULL, "opt.verify", OPTION(verify) },
    OPTS_END,
};

static void add(struct inspect_sum *to, const struct inspect_sum *from)
{
    to->files += from->files;
    to->gpu_files += from->gpu_files;
    to->containers += from->containers;
    to->images += from->images;
    to->bytes += from->bytes;
    for (size_t i = 0; i < TARGETS_MAX; i++) {
        to->on[i].whole += from->on[i].whole;
        to->on[i].partly += from->on[i].partly;
        to->on[i].none += from->on[i].none;
        to->on[i].uncertain += from->on[i].uncertain;
    }
}

static void tell_sum(struct inspect *in, const char *path, const struct inspect_sum *sum)
{
    if (in->run->doc)
        json_array_append_new(in->packages, inspect_json_sum(in, path, sum));
    else
        inspect_text_sum(in, path, sum);
}

/* One file, which is a package of its own if it turns out to be an archive. */
static int on_path(void *self, const char *path, struct err *err)
{
    struct inspect *in = self;
    struct err problem;
    err_clear(&problem);
    in->archive = (struct inspect_sum){ 0 };
    in->package = &in->archive;
    in->titled = in->is_archive = false;
    if (inspect_path(in, path, &problem)) {
        if (problem.code == ERR_MEMORY) {
            *err = problem;
            return -1;
        }
        cmd_problem(in->run, path, &problem);
    }
    if (in->is_archive && (in->archive.gpu_files || in->shows_plain))
        tell_sum(in, path, &in->archive);
    add(&in->operand, &in->archive);
    return 0;
}

static void on_folder_problem(void *self, const char *path, const struct err *problem)
{
    struct inspect *in = self;
    cmd_problem(in->run, path, problem);
}

/* Only memory that runs out in on_path ends the walk of a folder. */
static int inspect_folder(struct inspect *in, const char *path, struct err *err)
{
    const struct os_walk_sink sink = { in, on_path, on_folder_problem };
    struct err problem;
    err_clear(&problem);
    if (os_walk(path, &sink, &problem) == 0) {
        tell_sum(in, path, &in->operand);
        return 0;
    }
    if (problem.code == ERR_MEMORY) {
        *err = problem;
        return -1;
    }
    cmd_problem(in->run, path, &problem);
    return 0;
}

static int inspect_operand(struct inspect *in, const char *path, struct err *err)
{
    bool folder = strcmp(path, "-") != 0 && os_file_kind(path) == OS_FILE_FOLDER;
    in->operand = (struct inspect_sum){ 0 };
    in->shows_plain = !folder || in->run->globals->verbose;
    int rc = folder ? inspect_folder(in, path, err) : on_path(in, path, err);
    add(&in->total, &in->operand);
    return rc;
}

static void start_document(struct inspect *in)
{
    json_t *doc = in->run->doc;
    if (!doc)
        return;
    target_put_json(doc, &in->targets);
    in->files = json_array();
    in->verdicts = json_array();
    in->packages = json_array();
    json_put(doc, "files", in->files);
    json_put(doc, "verdicts", in->verdicts);
    json_put(doc, "packages", in->packages);
}

static void finish(struct inspect *in)
{
    if (in->run->doc)
        json_put(in->run->doc, "total", inspect_json_sum(in, NULL, &in->total));
    else if (in->run->operand_count > 1)
        inspect_text_sum(in, text_get("inspect.total"), &in->total);
    if (!in->targets.count && in->total.gpu_files)
        out_note("%s", text_get("inspect.no_card"));
    if (in->options->kernel && !in->matched && (in->run->doc || !in->shows_plain))
        out_note("%s", text_get("inspect.no_match"));
}

static int run(struct cmd_run *run, struct err *err)
{
    struct inspect in = { .run = run, .options = run->options };
    int status = -1;
    if (target_find(run->globals, &in.targets, err))
        goto fail;
    target_note(&in.targets);
    start_document(&in);
    for (size_t i = 0; i < run->operand_count; i++)
        if (inspect_operand(&in, run->operands[i], err))
            goto fail;
    status = in.unfit ? CMD_NOT_FIT : CMD_DONE;
fail:
    if (status >= 0 || in.files)
        finish(&in);
    target_free(&in.targets);
    return status;
}

const struct cmd cmd_inspect = {
    .name = "inspect",
    .operands = "FILE|DIR|-...",
    .summary_id = "cmd.inspect",
    .about_id = "about.inspect",
    .options = options,
    .options_size = sizeof(struct inspect_options),
    .uses = CMD_USES_CARD | CMD_USES_SYSROOT,
    .operands_least = 1,
    .operands_most = (size_t)-1,
    .basis = "documented",
    .examples = {
        { "inspect --assume 920m /usr/lib/x86_64-linux-gnu/libcublas.so.11", "example.inspect" },
        { "inspect --assume sm_35 --assume 1050,driver=580 torch-1.3.1-cp37-cp37m-manylinux1_x86_64.whl",
          "example.inspect_wheel" },
        { "inspect --assume 920m --kernel at6native torch-1.3.1-cp37-cp37m-manylinux1_x86_64.whl", "example.inspect_kernel" },
    },
    .statuses = {
        { CMD_DONE, "exit.inspected" },
        { CMD_FAILED, "exit.inspect_failed" },
        { CMD_NOT_FIT, "exit.inspect_unfit" },
    },
    .run = run,
};
