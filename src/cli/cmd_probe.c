#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diagnosis.h"
#include "cli/grid.h"
#include "cli/machine.h"
#include "cli/out.h"
#include "cli/probe_file.h"
#include "cli/probe_jit.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/utf8.h"
#include "fatbin/images.h"
#include "probe/probe.h"

#define WORKER_TIMEOUT_MS 60000

struct probe_options {
    bool jit;
};

/* One device with its rows. */
struct probed {
    const struct device *device;
    struct arch_target target;
    struct probe_result_set set;
    struct err failure; /* the workers could not do it */
};

struct probe_run {
    struct cmd_run *run;
    struct machine machine;
    struct probe_images images;
    struct probed *devices;
    size_t count;
};

static bool is_usable(const struct probe_row *row)
{
    return row->fact.started && !row->fact.code && row->fact.ran && row->fact.right;
}

static void count_rows(const struct probed *p, size_t *usable, size_t *disagree)
{
    *usable = *disagree = 0;
    for (size_t i = 0; i < p->set.count; i++) {
        *disagree += p->set.rows[i].agreement == PROBE_DISAGREES ||
                     p->set.rows[i].agreement == PROBE_UNKNOWN;
        *usable += i < p->set.image_rows && is_usable(&p->set.rows[i]);
    }
}

static void image_name(const struct probe_run *r, size_t index, struct str *to)
{
    char arch[32];
    image_arch_name(&r->images.list[index].info, arch, sizeof arch);
    str_add(to, arch);
}

static void row_name(const struct probe_run *r, const struct probe_row *row, struct str *to)
{
    if (!row->item.whole_container) {
        image_name(r, row->item.index, to);
        return;
    }
    text_add(to, "probe.container",
             TEXT_ARGS({ "name", embedded_images[row->item.index].container }));
}

/* "runs", "runs (sm_50)", "209", "crash": the fact in a cell of the matrix. */
static void fact_cell(const struct probe_run *r, const struct probe_row *row, struct str *to)
{
    const struct load_fact *fact = &row->fact;
    if (!fact->started)
        str_add(to, "-");
    else if (fact->crashed)
        str_add(to, fact->note);
    else if (fact->code)
        str_addf(to, "%d", fact->code);
    else if (fact->run_code)
        str_addf(to, "%s %d", fact->run_call, fact->run_code);
    else if (!fact->right)
        text_add(to, "probe.wrong", NULL);
    else
        text_add(to,
                 fact->ptx_version != fact->binary_version ||
                         row->predicted.verdict == VERDICT_RUNS_BY_JIT
                     ? "probe.runs_jit"
                     : "probe.runs",
                 NULL);
    if (row->item.whole_container && row->ran_image != SIZE_MAX) {
        str_add(to, " (");
        image_name(r, row->ran_image, to);
        str_add(to, ")");
    }
    if (row->agreement == PROBE_DISAGREES)
        str_add(to, " !");
}

static void device_title(const struct device *device, struct grid *g)
{
    char ordinal[16];
    struct str title = STR_INIT;
    snprintf(ordinal, sizeof ordinal, "%d", device->ordinal);
    text_add(&title, "probe.device_title", TEXT_ARGS({ "ordinal", ordinal }));
    grid_cell(g, title.p);
    str_free(&title);
}

static void print_matrix(const struct probe_run *r)
{
    struct grid_column columns[DEVICES_MAX + 1] = { { NULL, false } };
    struct grid *g = grid_new(columns, r->count + 1);
    if (!g)
        return;
    grid_cell(g, text_get("col.image"));
    for (size_t d = 0; d < r->count; d++)
        device_title(r->devices[d].device, g);
    for (size_t i = 0; i < r->devices[0].set.count; i++) {
        struct str cell = STR_INIT;
        row_name(r, &r->devices[0].set.rows[i], &cell);
        grid_cell(g, cell.p);
        for (size_t d = 0; d < r->count; d++) {
            str_clear(&cell);
            if (i < r->devices[d].set.count)
                fact_cell(r, &r->devices[d].set.rows[i], &cell);
            grid_cell(g, cell.p);
        }
        str_free(&cell);
    }
    grid_print(g, 2);
    grid_free(g);
}

static void print_device(const struct probe_run *r, const struct probed *p)
{
    struct str line = STR_INIT;
    char driver[VERSION_TEXT_MAX], cc[16], gib[24], ordinal[16];
    snprintf(cc, sizeof cc, "%u.%u", p->device->cc / 10, p->device->cc % 10);
    snprintf(gib, sizeof gib, "%.1f", (double)p->device->memory_bytes / (1 << 30));
    snprintf(ordinal, sizeof ordinal, "%d", p->device->ordinal);
    text_add(&line, "probe.device",
             TEXT_ARGS({ "ordinal", ordinal }, { "name", p->device->name },
                       { "pci", p->device->pci_id }, { "cc", cc }, { "gib", gib },
                       { "driver", version_text(r->machine.version, driver) }));
    struct str safe = STR_INIT;
    utf8_add_printable(&safe, line.p);
    out_line(OUT_BOLD, safe.p);
    str_free(&safe);
    str_free(&line);
}

/* Every disagreement, loudly: what was expected by which rule, and what came. */
static void print_disagreements(const struct probe_run *r, const struct probed *p)
{
    for (size_t i = 0; i < p->set.count; i++) {
        const struct probe_row *row = &p->set.rows[i];
        if (row->agreement != PROBE_DISAGREES)
            continue;
        struct str name = STR_INIT, line = STR_INIT, log = STR_INIT;
        char code[16];
        row_name(r, row, &name);
        snprintf(code, sizeof code, "%d", row->fact.code);
        text_add(&line, "probe.disagreement",
                 TEXT_ARGS({ "image", name.p }, { "why", row->disagreement },
                           { "rule", row->predicted.rule }, { "code", code },
                           { "name", driver_code_name(row->fact.code) }));
        out_wrapped(OUT_BAD, 2, line.p);
        if (*row->fact.log) {
            utf8_add_printable(&log, row->fact.log);
            out_wrapped(OUT_DIM, 4, log.p);
        }
        str_free(&log);
        str_free(&line);
        str_free(&name);
    }
}

/* -v: the rule and the driver's words for every image. */
static void print_details(const struct probe_run *r, const struct probed *p)
{
    static const struct grid_column columns[] = {
        { "col.image", false }, { "col.predicted", false }, { "col.rule", false },
        { "col.code", true },   { "col.fact", false },      { "col.load_ms", true },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; g && i < p->set.count; i++) {
        const struct probe_row *row = &p->set.rows[i];
        struct str name = STR_INIT, fact = STR_INIT;
        row_name(r, row, &name);
        fact_cell(r, row, &fact);
        grid_cell(g, name.p);
        grid_cell(g, verdict_name(row->predicted.verdict));
        grid_cell(g, row->predicted.rule);
        grid_cellf(g, "%d", row->fact.code);
        grid_cell(g, row->fact.code ? driver_code_name(row->fact.code) : fact.p);
        grid_cellf(g, "%.2f", row->fact.time_ms);
        str_free(&fact);
        str_free(&name);
    }
    if (g)
        grid_print(g, 2);
    grid_free(g);
}

static const struct probe_row *native_row(const struct probed *p)
{
    for (size_t i = p->set.image_rows; i < p->set.count; i++)
        if (p->set.rows[i].ran_image != SIZE_MAX && is_usable(&p->set.rows[i]))
            return &p->set.rows[i];
    return NULL;
}

static void count_codes(const struct probed *p, struct str *to)
{
    for (size_t i = 0; i < p->set.image_rows; i++) {
        int code = p->set.rows[i].fact.code;
        size_t n = 0;
        bool first = code != 0;
        for (size_t k = 0; k < p->set.image_rows; k++) {
            first = first && !(k < i && p->set.rows[k].fact.code == code);
            n += p->set.rows[k].fact.code == code;
        }
        if (first)
            str_addf(to, "%s%zu x %d (%s)", to->len ? ", " : "", n, code, driver_code_name(code));
    }
}

static void print_summary(const struct probe_run *r, const struct probed *p)
{
    size_t usable, disagree;
    count_rows(p, &usable, &disagree);
    struct str line = STR_INIT, taken = STR_INIT, codes = STR_INIT;
    const struct probe_row *row = native_row(p);
    if (row)
        image_name(r, row->ran_image, &taken);
    count_codes(p, &codes);
    char n[24], all[24];
    snprintf(n, sizeof n, "%zu", usable);
    snprintf(all, sizeof all, "%zu", p->set.image_rows);
    const char *id = row ? "probe.summary" : usable ? "probe.summary_bare" : "probe.summary_none";
    text_add(
        &line, id,
        TEXT_ARGS({ "usable", n }, { "all", all }, { "image", taken.p }, { "codes", codes.p }));
    out_wrapped(row ? OUT_GOOD : usable ? OUT_DOUBTFUL : OUT_BAD, 2, line.p);
    str_free(&codes);
    str_free(&taken);
    str_free(&line);
    print_disagreements(r, p);
}

static json_t *row_json(const struct probe_run *r, const struct probe_row *row)
{
    json_t *j = json_object();
    struct str name = STR_INIT, ran = STR_INIT;
    row_name(r, row, &name);
    if (row->item.whole_container) {
        json_put_text(j, "container", embedded_images[row->item.index].container);
    } else {
        const struct probe_image *image = &r->images.list[row->item.index];
        json_put_text(j, "arch", name.p);
        json_put_text(j, "kind", image_kind_name(image->info.kind));
        json_put_number(j, "image_id", image->id);
    }
    json_put_text(j, "predicted", verdict_name(row->predicted.verdict));
    json_put_text(j, "rule", row->predicted.rule);
    json_put_text(j, "confidence", row->predicted.confidence);
    json_t *codes = json_array();
    for (size_t i = 0; i < row->predicted.code_count; i++)
        json_array_append_new(codes, json_integer(row->predicted.codes[i]));
    json_put(j, "expected_codes", codes);
    if (row->fact.started && !row->fact.crashed) {
        json_put(j, "code", json_integer(row->fact.code));
        json_put_text(j, "error_name", driver_code_name(row->fact.code));
        json_put(j, "load_ms", json_real(row->fact.time_ms));
    } else {
        json_put_unknown(j, "code", *row->fact.note ? row->fact.note : "not reached");
    }
    if (row->ran_image != SIZE_MAX)
        image_name(r, row->ran_image, &ran);
    json_put_filled(j, "ran_image", ran.p);
    if (row->fact.ran) {
        json_put_number(j, "ran_image_id", row->fact.image_id);
        json_put_number(j, "cuda_arch", row->fact.cuda_arch);
        json_put_number(j, "binary_version", (uint64_t)row->fact.binary_version);
        json_put_number(j, "ptx_version", (uint64_t)row->fact.ptx_version);
    }
    json_put_bool(j, "results_right", row->fact.right);
    json_put_filled(j, "log", row->fact.log);
    json_put_bool(j, "agrees", row->agreement == PROBE_AGREES || row->agreement == PROBE_RECORDED);
    json_put_text(j, "agreement", probe_agreement_name(row->agreement));
    json_put_filled(j, "disagreement", row->disagreement);
    str_free(&ran);
    str_free(&name);
    return j;
}

static int fill(const struct probe_run *r, json_t *doc, struct err *err)
{
    const struct probe_options *options = r->run->options;
    char text[VERSION_TEXT_MAX];
    json_put_filled(doc, "driver",
                    version_known(r->machine.version) ? version_text(r->machine.version, text)
                                                      : "");
    json_t *devices = json_array();
    for (size_t d = 0; d < r->count; d++) {
        const struct probed *p = &r->devices[d];
        json_t *j = machine_device_json(p->device), *images = json_array(),
               *containers = json_array();
        for (size_t i = 0; i < p->set.count; i++)
            json_array_append_new(i < p->set.image_rows ? images : containers,
                                  row_json(r, &p->set.rows[i]));
        json_put(j, "images", images);
        json_put(j, "containers", containers);
        json_array_append_new(devices, j);
        if (options->jit && probe_jit(&r->machine, p->device, &r->images, j, err)) {
            json_decref(devices);
            return -1;
        }
    }
    json_put(doc, "devices", devices);
    return 0;
}

static int print(const struct probe_run *r, struct err *err)
{
    const struct probe_options *options = r->run->options;
    for (size_t d = 0; d < r->count; d++)
        print_device(r, &r->devices[d]);
    print_matrix(r);
    for (size_t d = 0; d < r->count; d++) {
        if (r->count > 1)
            print_device(r, &r->devices[d]);
        if (r->run->globals->verbose)
            print_details(r, &r->devices[d]);
        print_summary(r, &r->devices[d]);
        if (options->jit && probe_jit(&r->machine, r->devices[d].device, &r->images, NULL, err))
            return -1;
    }
    if (r->machine.simulated)
        out_wrapped(OUT_DOUBTFUL, 0, text_get("probe.simulated"));
    return 0;
}

/* 1 over 3 over 0. */
static int exit_code(const struct probe_run *r)
{
    bool none = false, wrong = false;
    for (size_t d = 0; d < r->count; d++) {
        size_t usable, disagree;
        count_rows(&r->devices[d], &usable, &disagree);
        none = none || usable == 0;
        wrong = wrong || disagree;
    }
    return wrong ? CMD_FAILED : none ? CMD_NOT_FIT : CMD_DONE;
}

static int probe_all(struct probe_run *r, struct err *err)
{
    r->devices = calloc(r->machine.count, sizeof *r->devices);
    if (!r->devices)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t d = 0; d < r->machine.count; d++) {
        struct probed *p = &r->devices[d];
        struct load_plan plan = { .library = r->machine.library,
                                  .ordinal = r->machine.devices[d].ordinal,
                                  .timeout_ms = WORKER_TIMEOUT_MS };
        p->device = &r->machine.devices[d];
        p->target = machine_target(&r->machine, p->device);
        if (probe_device(&r->images, &p->target, &plan, &p->set, err))
            return err_wrap(err, "%s", p->device->name);
        r->count++;
    }
    return 0;
}

/* Why there is no device, or why a card is not among them: one sentence with its evidence. */
static void say_why(struct probe_run *r)
{
    struct state state;
    struct str why = STR_INIT, line = STR_INIT, safe = STR_INIT;
    diagnosis_find(&r->machine, &state);
    if (r->machine.count && state.cause == STATE_FINE)
        return;
    diagnosis_add(&why, &state);
    text_add(&line, r->machine.count ? "probe.not_counted" : "probe.no_device",
             TEXT_ARGS({ "why", why.p }));
    utf8_add_printable(&safe, line.p);
    if (r->run->doc)
        json_put_text(r->run->doc, "why", why.p);
    else
        out_wrapped(OUT_BAD, 0, safe.p);
    str_free(&safe);
    str_free(&line);
    str_free(&why);
}

static int no_device(struct probe_run *r)
{
    say_why(r);
    if (r->run->doc) {
        json_put(r->run->doc, "devices", json_array());
        json_put_unknown(r->run->doc, "device", r->machine.why.msg);
    }
    return CMD_NOT_FIT;
}

static int run(struct cmd_run *run, struct err *err)
{
    struct probe_run r = { .run = run };
    int status = -1;
    int failed = machine_open(&r.machine, run->globals, err);
    if (run->doc && r.machine.simulated)
        json_put_text(run->doc, "basis", "simulated");
    if (failed)
        goto done;
    if (!r.machine.count) {
        status = no_device(&r);
        goto done;
    }
    if (run->operand_count) {
        status = probe_file(run, &r.machine, run->operands[0], err);
        goto done;
    }
    say_why(&r);
    if (probe_images_find(&r.images, "probe", err) || probe_all(&r, err))
        goto done;
    if (run->doc ? fill(&r, run->doc, err) : print(&r, err))
        goto done;
    status = exit_code(&r);
done:
    for (size_t d = 0; d < r.count; d++)
        probe_result_set_free(&r.devices[d].set);
    free(r.devices);
    probe_images_free(&r.images);
    machine_close(&r.machine);
    return status;
}

static const struct opt options[] = {
    { 0, "jit", OPTS_FLAG, NULL, NULL, "opt.probe_jit", offsetof(struct probe_options, jit) },
    OPTS_END,
};

const struct cmd cmd_probe = {
    .name = "probe",
    .operands = "[FILE]",
    .operands_most = 1,
    .summary_id = "cmd.probe",
    .about_id = "about.probe",
    .options = options,
    .options_size = sizeof(struct probe_options),
    .uses = CMD_USES_DEVICE,
    .basis = "measured",
    .examples = { { "probe", "example.probe" },
                  { "--virtual 920m,driver=470 probe", "example.probe_virtual" },
                  { "probe libmykernels.so", "example.probe_file" } },
    .statuses = {
        { CMD_DONE, "exit.probe_runs" },
        { CMD_FAILED, "exit.probe_disagrees" },
        { CMD_NOT_FIT, "exit.probe_none" },
    },
    .run = run,
};
