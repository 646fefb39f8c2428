#include "cli/cmd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plot.h"
#include "bench/tune.h"
#include "cli/bench_run.h"
#include "cli/diagnosis.h"
#include "cli/out.h"
#include "cli/target.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/os.h"
#include "core/utf8.h"
#include "doctor/doctor.h"
#include "doctor/envs.h"

/* ---- where ---- */

static void name_device(struct bench_run *r)
{
    const struct device *d = &r->machine.devices[0];
    char version[VERSION_TEXT_MAX] = "";
    r->device = d;
    if (version_known(r->machine.version))
        version_text(r->machine.version, version);
    str_copy(r->driver, sizeof r->driver, version);
    str_copy(r->name, sizeof r->name, d->name);
    /* A driver without UUIDs: the place on the bus and the name are the card. */
    const char *card = *d->uuid ? d->uuid : d->pci_id;
    char both[256];
    snprintf(both, sizeof both, "%s %s", card, d->name);
    tune_hash(both, "", r->card_hash);
    tune_hash(both, version, r->hash);
    char bare[sizeof d->name];
    str_copy(bare, sizeof bare, d->name);
    if (str_ends(bare, " (virtual)"))
        bare[strlen(bare) - strlen(" (virtual)")] = 0;
    roof_of_device(d, bare, &r->roof);
}

static void say_others(const struct bench_run *r)
{
    struct str line = STR_INIT, card = STR_INIT;
    char count[24];
    if (r->machine.count < 2)
        return;
    snprintf(count, sizeof count, "%d", (int)r->machine.count);
    utf8_add_printable(&card, r->name);
    text_add(&line, "bench.one_device", TEXT_ARGS({ "card", card.p }, { "count", count }));
    out_note("%s", line.p);
    str_free(&card);
    str_free(&line);
}

/* --list with --assume: a plan for a card that is not here. */
static int assume(struct bench_run *r, struct err *err)
{
    struct target_list targets;
    int failed = -1;
    if (target_find(r->run->globals, &targets, err))
        return -1;
    const struct target *t = &targets.list[0];
    if (targets.count != 1)
        err_set(err, ERR_USAGE, "a plan is made for one card");
    else if (!t->is_card)
        err_set(err, ERR_USAGE,
                "a plan is made by a card's figures, and '%s' is an architecture; 'smfit cards' names cards",
                t->name);
    else if (!roof_of_card(&t->card, &r->roof))
        err_set(err, ERR_USAGE, "there are no figures for '%s'", t->name);
    else
        failed = 0;
    str_copy(r->name, sizeof r->name, t->name);
    target_free(&targets);
    return failed;
}

static void say_no_device(struct bench_run *r)
{
    struct state state;
    struct str why = STR_INIT, line = STR_INIT, safe = STR_INIT;
    diagnosis_find(&r->machine, &state);
    diagnosis_add(&why, &state);
    text_add(&line, "bench.no_device", TEXT_ARGS({ "why", why.p }));
    utf8_add_printable(&safe, line.p);
    if (r->run->doc) {
        json_put_text(r->run->doc, "why", why.p);
        json_put(r->run->doc, "rows", json_array());
    } else {
        out_wrapped(OUT_BAD, 0, safe.p);
        out_wrapped(OUT_PLAIN, 0, text_get("bench.try_cpu"));
    }
    str_free(&safe);
    str_free(&line);
    str_free(&why);
}

/* site-packages of this machine's Python environments, where wheels put libraries. */
static void find_sites(struct bench_run *r, struct doctor *d)
{
    d->sysroot = "";
    host_read("", &d->host);
    envs_find(d);
    for (size_t i = 0; i < d->env_count && r->site_count < 16; i++)
        r->sites[r->site_count++] = d->envs[i].site;
}

/* ---- progress ---- */

static void on_progress(void *self, const char *what, double seconds)
{
    struct bench_run *r = self;
    struct str line = STR_INIT;
    char left[24];
    double all = r->plan.seconds, done = seconds < all ? seconds : all;
    double spent = (double)(os_now_ns() - r->start_ns) / 1e9;
    double here = done - r->done_before_s, rate = here > 1 ? spent / here : 1;
    snprintf(left, sizeof left, "%d:%02d", (int)((all - done) * rate) / 60,
             (int)((all - done) * rate) % 60);
    text_add(&line, "bench.left", TEXT_ARGS({ "what", what }, { "left", left }));
    out_progress(line.p, (uint64_t)(done * 1000), (uint64_t)(all * 1000) + 1);
    str_free(&line);
}

/* ---- the run ---- */

static struct measure_input input_of(const struct bench_run *r)
{
    struct measure_input in = { .library = r->machine.library,
                                .nvml = r->machine.nvml,
                                .ordinal = r->device ? r->device->ordinal : 0,
                                .lib_dirs = r->options.lib_dirs.items,
                                .lib_dir_count = r->options.lib_dirs.count,
                                .sites = r->sites,
                                .site_count = r->site_count };
    if (r->device && !r->machine.simulated)
        in.tune_hash = r->hash;
    return in;
}

static int make_plan(struct bench_run *r, struct err *err)
{
    struct plan_options *wanted = &r->wanted;
    wanted->gpu = !r->options.cpu;
    wanted->cpu = r->options.cpu || !r->machine.simulated;
    wanted->simulated = r->machine.simulated;
    for (int e = 0; e < ENGINE_COUNT; e++)
        wanted->missing[e] = survey_missing(&r->survey, (enum case_engine)e);
    return plan_build(wanted, &r->roof, &r->plan, err) ||
                   plan_check_precisions(&r->plan, wanted, err)
               ? -1
               : 0;
}

static int check_same(const struct bench_run *r, struct err *err)
{
    const char *on = json_string_value(json_object_get(r->header, "on"));
    const char *name = json_string_value(json_object_get(r->header, "name"));
    bool same = on && strcmp(on, r->device ? r->hash : "cpu") == 0;
    if (!r->device) /* a processor has no more than its name */
        same = same && name && strcmp(name, r->host.cpu) == 0;
    if (same)
        return 0;
    return err_set(err, ERR_USAGE, "'%s' is of another %s: %s", r->options.resume,
                   r->device ? "card or driver" : "processor", name ? name : "unknown");
}

/* The file that rows go to: new, or an earlier one whose rows stand. */
static int open_stream(struct bench_run *r, struct err *err)
{
    const struct bench_options *o = &r->options;
    int failed = 0;
    if (!o->out && !o->resume)
        return 0;
    if (o->resume && r->header)
        return check_same(r, err);
    json_t *header = bench_options_header(r);
    if (o->resume)
        failed = stream_begin(&r->stream, header, err);
    else
        failed = stream_create(&r->stream, o->out, header, err);
    json_decref(header);
    return failed;
}

static int write_plot(const struct bench_run *r, struct err *err)
{
    struct str svg = STR_INIT;
    struct plot_labels labels = {
        .title = r->device ? r->name : r->host.cpu,
        .subtitle = text_get(r->machine.simulated ? "plot.simulated" : "plot.measured"),
        .x_axis = text_get("plot.x"),
        .y_axis = text_get("plot.y"),
        .nothing = text_get("plot.nothing"),
    };
    plot_svg(&r->rows, &labels, &svg);
    FILE *file = svg.failed ? NULL : fopen(r->options.plot, "w");
    if (!file) {
        str_free(&svg);
        return err_errno(err, "cannot create '%s'", r->options.plot);
    }
    bool failed = fwrite(svg.p, 1, svg.len, file) != svg.len;
    failed = fclose(file) != 0 || failed;
    str_free(&svg);
    return failed ? err_errno(err, "cannot write '%s'", r->options.plot) : 0;
}

static double done_before(const struct bench_run *r)
{
    double seconds = 0;
    for (size_t i = 0; i < r->plan.count; i++) {
        struct row like;
        case_row(&r->plan.cases[i], false, &like);
        if (row_list_find(&r->rows, &like))
            seconds += plan_case_seconds(&r->plan.settings, &r->plan.cases[i]);
    }
    return seconds;
}

static void show(struct bench_run *r)
{
    if (r->run->doc)
        bench_json_fill(r);
    else if (r->options.csv)
        bench_csv_rows(&r->rows);
    else
        bench_text_rows(r);
}

static int measure(struct bench_run *r, struct err *err)
{
    struct campaign c = { .plan = &r->plan,
                          .nets = r->nets.list,
                          .net_count = r->nets.count,
                          .input = input_of(r),
                          .stream = &r->stream,
                          .rows = &r->rows,
                          .self = r,
                          .on_progress = on_progress };
    bool gpu = r->device && !r->machine.simulated;
    bool cpu = r->options.cpu || gpu;
    if (survey_run(&c.input, gpu, cpu, &r->survey, err))
        return -1;
    if (r->machine.simulated)
        survey_without(&r->survey, "a virtual card runs no vendor's library");
    if (make_plan(r, err) || open_stream(r, err))
        return -1;
    c.plan = &r->plan;
    c.nets = r->nets.list;
    c.net_count = r->nets.count;
    r->start_ns = os_now_ns();
    r->done_before_s = done_before(r);
    int failed = campaign_run(&c, err);
    out_progress(NULL, 0, 0);
    show(r); /* what there is, also when the disk is full */
    if (failed || (r->options.plot && write_plot(r, err)))
        return -1;
    return campaign_all_well(&r->rows) ? CMD_DONE : CMD_FAILED;
}

static int list(struct bench_run *r, struct err *err)
{
    if (make_plan(r, err))
        return -1;
    /* Nothing runs: the times are those of a roofline. */
    if (r->run->doc && !r->machine.simulated)
        json_put_text(r->run->doc, "basis", "modelled");
    if (r->run->doc)
        bench_json_list(r);
    else
        bench_text_list(r);
    return CMD_DONE;
}

static int check_options(const struct bench_run *r, struct err *err)
{
    const struct bench_options *o = &r->options;
    if (r->run->globals->assume.count && !o->list)
        return err_set(err, ERR_USAGE,
                       "'--assume' is for '--list'; '--virtual' runs on a card that "
                       "is not here");
    if (o->cpu && (r->run->globals->virtual_cards || r->run->globals->device))
        return err_set(err, ERR_USAGE, "'--cpu' measures on no device");
    if (r->run->globals->assume.count &&
        (o->cpu || r->run->globals->virtual_cards || r->run->globals->device))
        return err_set(err, ERR_USAGE,
                       "a plan is made for one place: '--assume' excludes '--cpu', "
                       "'--virtual' and '--device'");
    for (size_t i = 0; i < o->lib_dirs.count; i++)
        if (os_file_kind(o->lib_dirs.items[i]) != OS_FILE_FOLDER)
            return err_set(err, ERR_USAGE, "'--lib-dir' takes a folder, not '%s'", o->lib_dirs.items[i]);
    if (o->out && o->resume)
        return err_set(err, ERR_USAGE, "options '--out' and '--resume' exclude each other");
    if (o->csv && r->run->doc)
        return err_set(err, ERR_USAGE, "options '--csv' and '--json' exclude each other");
    if (o->list && (o->out || o->resume || o->plot || o->csv))
        return err_set(err, ERR_USAGE, "'--list' measures nothing that could be written");
    if (r->run->operand_count)
        return err_set(err, ERR_USAGE, "'bench' has no use for '%s' without '--compare'",
                       r->run->operands[0]);
    return 0;
}

static int begin_resume(struct bench_run *r, struct err *err)
{
    if (stream_resume(&r->stream, r->options.resume, &r->header, &r->rows, err))
        return -1;
    return r->header ? bench_options_resume(r, err) : 0;
}

static int run_bench(struct bench_run *r, struct doctor *doctor, struct err *err)
{
    const struct cmd_globals *globals = r->run->globals;
    if (check_options(r, err) || (r->options.resume && begin_resume(r, err)) ||
        bench_options_read(r, &r->wanted, err))
        return -1;
    bench_host_read("", &r->host);
    if (globals->assume.count)
        return assume(r, err) ? -1 : list(r, err);
    if (!r->options.cpu) {
        int failed = machine_open(&r->machine, globals, err);
        if (r->run->doc && r->machine.simulated)
            json_put_text(r->run->doc, "basis", "simulated");
        if (failed)
            return -1;
        if (!r->machine.count) {
            say_no_device(r);
            return CMD_NOT_FIT;
        }
        name_device(r);
        say_others(r);
    }
    if (r->options.list)
        return list(r, err);
    find_sites(r, doctor);
    return measure(r, err);
}

static int run(struct cmd_run *run, struct err *err)
{
    const struct bench_options *o = run->options;
    if (o->compare && bench_options_measure(o))
        return err_set(err, ERR_USAGE, "'--compare' measures nothing: it takes two files alone");
    if (o->compare)
        return bench_compare(run, err);
    struct bench_run *r = calloc(1, sizeof *r);
    struct doctor *doctor = calloc(1, sizeof *doctor);
    int status = -1;
    if (r && doctor) {
        r->run = run;
        r->options = *o;
        r->stream.fd = -1;
        status = run_bench(r, doctor, err);
        stream_close(&r->stream);
        plan_free(&r->plan);
        bench_nets_free(&r->nets);
        survey_free(&r->survey);
        row_list_free(&r->rows);
        machine_close(&r->machine);
        json_decref(r->header);
        host_free(&doctor->host);
    } else {
        err_set(err, ERR_MEMORY, "out of memory");
    }
    free(doctor);
    free(r);
    return status;
}

#define AT(field) offsetof(struct bench_options, field)

static const struct opt options[] = {
    { 0, "list", OPTS_FLAG, NULL, NULL, "opt.bench_list", AT(list) },
    { 0, "quick", OPTS_FLAG, NULL, NULL, "opt.bench_quick", AT(quick) },
    { 0, "full", OPTS_FLAG, NULL, NULL, "opt.bench_full", AT(full) },
    { 0, "case", OPTS_LIST, "PATTERN", NULL, "opt.bench_case", AT(cases) },
    { 0, "precision", OPTS_LIST, "NAME", NULL, "opt.bench_precision", AT(precisions) },
    { 0, "shape", OPTS_LIST, "M,N,K", NULL, "opt.bench_shape", AT(shapes) },
    { 0, "net", OPTS_LIST, "NAME", NULL, "opt.bench_net", AT(nets) },
    { 0, "batch", OPTS_LIST, "N", NULL, "opt.bench_batch", AT(batches) },
    { 0, "cpu", OPTS_FLAG, NULL, NULL, "opt.bench_cpu", AT(cpu) },
    { 0, "lib-dir", OPTS_LIST, "DIR", NULL, "opt.bench_lib_dir", AT(lib_dirs) },
    { 0, "out", OPTS_TEXT, "FILE", NULL, "opt.bench_out", AT(out) },
    { 0, "resume", OPTS_TEXT, "FILE", NULL, "opt.bench_resume", AT(resume) },
    { 0, "compare", OPTS_FLAG, NULL, NULL, "opt.bench_compare", AT(compare) },
    { 0, "csv", OPTS_FLAG, NULL, NULL, "opt.bench_csv", AT(csv) },
    { 0, "plot", OPTS_TEXT, "FILE", NULL, "opt.bench_plot", AT(plot) },
    { 0, "uuid", OPTS_FLAG, NULL, NULL, "opt.bench_uuid", AT(uuid) },
    OPTS_END,
};

const struct cmd cmd_bench = {
    .name = "bench",
    .operands = "[--compare A.json B.json]",
    .operands_most = 2,
    .summary_id = "cmd.bench",
    .about_id = "about.bench",
    .options = options,
    .options_size = sizeof(struct bench_options),
    .uses = CMD_USES_DEVICE | CMD_USES_CARD,
    .basis = "measured",
    .examples = { { "bench --out results.jsonl", "example.bench" },
                  { "--virtual 920m bench --quick", "example.bench_virtual" },
                  { "bench --list --assume 920m", "example.bench_list" },
                  { "bench --compare before.json after.json", "example.bench_compare" } },
    .statuses = { { CMD_DONE, "exit.bench_fine" },
                  { CMD_FAILED, "exit.bench_wrong" },
                  { CMD_NOT_FIT, "exit.bench_none" } },
    .run = run,
};
