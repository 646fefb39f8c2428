#include "cli/cmd.h"

#include <stdlib.h>

#include "cli/out.h"
#include "cli/size_confirm.h"
#include "cli/size_view.h"
#include "core/os.h"

#define OPTION(field) offsetof(struct size_options, field)

static const struct opt options[] = {
    { 0, "net", OPTS_TEXT, "NAME|FILE", NULL, "opt.size_net", OPTION(net) },
    { 0, "train", OPTS_FLAG, NULL, NULL, "opt.size_train", OPTION(train) },
    { 0, "infer", OPTS_FLAG, NULL, NULL, "opt.size_infer", OPTION(infer) },
    { 0, "batch", OPTS_TEXT, "N", NULL, "opt.size_batch", OPTION(batch) },
    { 0, "image", OPTS_TEXT, "SIDE|HxW", NULL, "opt.size_image", OPTION(image) },
    { 0, "optimizer", OPTS_CHOICE, "sgd|momentum|adam", "sgd|momentum|adam", "opt.size_optimizer",
      OPTION(optimizer) },
    { 0, "precision", OPTS_TEXT, "PRECISION", NULL, "opt.size_precision", OPTION(precision) },
    { 0, "target-batch", OPTS_TEXT, "N", NULL, "opt.size_target", OPTION(target_batch) },
    { 0, "checkpoint", OPTS_FLAG, NULL, NULL, "opt.size_checkpoint", OPTION(checkpoint) },
    { 0, "budget", OPTS_TEXT, "SIZE", NULL, "opt.size_budget", OPTION(budget) },
    { 0, "dataset", OPTS_TEXT, "IMAGES", NULL, "opt.size_dataset", OPTION(dataset) },
    { 0, "measure", OPTS_FLAG, NULL, NULL, "opt.size_measure", OPTION(measure) },
    { 0, "layers", OPTS_FLAG, NULL, NULL, "opt.size_layers", OPTION(layers) },
    { 0, "plot", OPTS_TEXT, "FILE", NULL, "opt.size_plot", OPTION(plot) },
    SIZE_OPERATIONS_OPTIONS(struct size_options, operations),
    OPTS_END,
};

/* ---- the card and the processor --------------------------------------------------------------------- */

static int find_card(const struct cmd_run *run, struct target_list *targets, struct err *err)
{
    int bad = run->globals->virtual_cards ? target_assume(targets, run->globals->virtual_cards, err)
                                          : target_find(run->globals, targets, err);
    if (bad)
        return -1;
    if (!targets->count)
        return err_set(err, ERR_MISSING, "no NVIDIA GPU found; --assume CARD names one");
    if (targets->count > 1)
        return err_set(err, ERR_USAGE, "%zu cards: --assume CARD names the one to answer for",
                       targets->count);
    target_note(targets);
    return 0;
}

static void read_host(const struct cmd_run *run, struct bench_host *cpu, struct host *host)
{
    struct str path = STR_INIT, text = STR_INIT;
    struct err err;
    const char *root = run->globals->sysroot ? run->globals->sysroot : "";
    err_clear(&err);
    bench_host_read(root, cpu);
    str_addf(&path, "%s/proc/cpuinfo", root);
    if (os_read_file(path.p, 1 << 20, &text, &err))
        *host = (struct host){ .known = false };
    else
        host_model(text.p, cpu->cores, host);
    str_free(&path);
    str_free(&text);
}

/* ---- the command ------------------------------------------------------------------------------------------ */

static int show(const struct size_view *v, struct err *err)
{
    const struct size_options *o = v->request->options;
    if (v->run->doc) {
        size_json_fill(v->run->doc, v);
    } else {
        size_text_print(v);
        size_tables_print(v);
        if (o->layers)
            size_layers_print(v);
        size_advice_print(v);
    }
    return o->plot ? size_plot_write(v, o->plot, err) : 0;
}

/* What was asked for fits and works. */
static enum cmd_exit status_of(const struct size_view *v)
{
    const struct size_mode *m = size_view_asked(v);
    bool works = m->offers[m->ask.memory.precision].works != OFFER_NO;
    return m->choice.fits && works ? CMD_DONE : CMD_NOT_FIT;
}

/* The card that measurements are made on, as the tables know it. */
static int find_device(const struct size_measure *m, struct target_list *targets, struct err *err)
{
    char name[128];
    size_measure_card(m, name, sizeof name);
    if (target_assume(targets, name, err))
        return -1;
    targets->list[0].rule.driver = m->machine.version;
    targets->list[0].rule.os = m->machine.os;
    targets->list[0].how = m->machine.simulated ? TARGET_ASSUMED : TARGET_PCI;
    return 0;
}

static int work_out(struct size_view *v, struct target_list *targets, struct size_measure *m,
                    struct err *err)
{
    bool measure = v->request->options->measure;
    if (measure && v->run->globals->assume.count)
        return err_set(err, ERR_USAGE, "nothing can be measured on an assumed card; --virtual simulates one");
    if (measure && size_measure_open(m, v->run, &v->net->net, err))
        return -1;
    if (measure ? find_device(m, targets, err) : find_card(v->run, targets, err))
        return -1;
    v->target = &targets->list[0];
    v->used_bytes = -1;
    return measure ? size_confirm(v, m, err) : size_view_make(v, err);
}

static int answer(struct cmd_run *run, const struct size_request *request,
                  const struct size_net *net, struct err *err)
{
    struct target_list targets = { NULL, 0 };
    struct bench_host cpu;
    struct host host;
    int status = -1;
    struct size_view *v = calloc(1, sizeof *v);
    struct size_measure *m = calloc(1, sizeof *m);
    if (v && m) {
        read_host(run, &cpu, &host);
        v->run = run;
        v->request = request;
        v->net = net;
        v->cpu = &cpu;
        v->host = &host;
        if (work_out(v, &targets, m, err) == 0 && show(v, err) == 0)
            status = (int)status_of(v);
        size_measure_close(m);
        target_free(&targets);
    } else {
        err_set(err, ERR_MEMORY, "out of memory");
    }
    free(m);
    free(v);
    return status;
}

/* An option that says something about a network and nothing about single operations; NULL: none was given. */
static const char *option_of_networks(const struct size_options *o)
{
    const struct {
        const char *name;
        bool given;
    } list[] = {
        { "train", o->train },           { "infer", o->infer },         { "batch", o->batch },
        { "image", o->image },           { "optimizer", o->optimizer }, { "target-batch", o->target_batch },
        { "checkpoint", o->checkpoint }, { "budget", o->budget },       { "dataset", o->dataset },
        { "layers", o->layers },         { "plot", o->plot },           { "measure", o->measure },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (list[i].given)
            return list[i].name;
    return NULL;
}

/* Single operations instead of a network. */
static int operations(struct cmd_run *run, const struct size_options *o, struct err *err)
{
    struct target_list targets = { NULL, 0 };
    int rc = -1;
    if (o->net)
        return err_set(err, ERR_USAGE, "a network and single operations exclude each other");
    if (option_of_networks(o))
        return err_set(err, ERR_USAGE, "option '--%s' is for networks, not for single operations",
                       option_of_networks(o));
    if (!find_card(run, &targets, err)) {
        if (run->doc)
            target_put_json(run->doc, &targets);
        rc = size_operations_run(run, &o->operations, o->precision, &targets.list[0], err);
    }
    target_free(&targets);
    return rc;
}

static int run(struct cmd_run *run, struct err *err)
{
    const struct size_options *o = run->options;
    if (size_operations_asked(&o->operations))
        return operations(run, o, err);
    struct size_request request;
    struct size_net net;
    if (size_request_read(run->options, &request, err) || size_net_open(&net, &request, err))
        return -1;
    int status = answer(run, &request, &net, err);
    size_net_close(&net);
    return status;
}

const struct cmd cmd_size = {
    .name = "size",
    .operands = "",
    .summary_id = "cmd.size",
    .about_id = "about.size",
    .options = options,
    .options_size = sizeof(struct size_options),
    .uses = CMD_USES_CARD | CMD_USES_SYSROOT | CMD_USES_DEVICE,
    .basis = "modelled",
    .examples = { { "size --net resnet18 --assume 920m --target-batch 64", "example.size" },
                  { "size --net model.onnx --infer --assume mx150 --layers", "example.size_onnx" },
                  { "size --assume 920m --gemm 1760,16,1760 --gemm 1760,32,1760",
                    "example.size_gemm" },
                  { "size --assume 'gtx 1050' --conv 56,56,64,8,64,3,3,1,1,1,1",
                    "example.size_conv" } },
    .statuses = { { CMD_DONE, "exit.size_done" },
                  { CMD_FAILED, "exit.size_failed" },
                  { CMD_NOT_FIT, "exit.size_unfit" } },
    .run = run,
};
