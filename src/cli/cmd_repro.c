#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diagnosis.h"
#include "cli/grid.h"
#include "cli/machine.h"
#include "cli/out.h"
#include "cli/repro_json.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/utf8.h"
#include "cuda/driver.h"
#include "probe/repro.h"

#define LABEL_WIDTH 12

struct repro_options {
    bool all, allow_timeout;
};

struct repro_run {
    struct cmd_run *run;
    struct machine machine;
    struct repro_plan plan;
};

/* "repro.no-image.cause" */
static const char *case_text(const char *name, const char *what)
{
    static char id[96];
    snprintf(id, sizeof id, "repro.%s.%s", name, what);
    return text_get(id);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void code_list(const char *name, char *text, size_t size)
{
    int codes[REPRO_CODES_MAX * 4];
    size_t n = repro_all_codes(name, codes, sizeof codes / sizeof codes[0]), at = 0;
    text[0] = 0;
    for (size_t i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%d", i ? "/" : "", codes[i]);
}

static int list(struct cmd_run *run, struct err *err)
{
    static const struct grid_column columns[] = { { NULL, false },
                                                  { NULL, false },
                                                  { NULL, false } };
    struct grid *g = grid_new(columns, 3);
    if (!g)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < repro_count(); i++) {
        char codes[64];
        code_list(repro_name(i), codes, sizeof codes);
        grid_cell(g, repro_name(i));
        grid_cell(g, codes);
        grid_cell(g, case_text(repro_name(i), "what"));
    }
    if (run->doc)
        repro_json_list(run->doc);
    else
        grid_print(g, 2);
    grid_free(g);
    return CMD_DONE;
}

/* ---- one case -------------------------------------------------------------------------------- */

/* "  cause       The text, wrapped behind the label." */
static void labelled(enum out_style style, const char *label_id, const char *text)
{
    const char *label = label_id ? text_get(label_id) : "";
    const size_t width = utf8_width(label);
    out_pad(2);
    out_text(OUT_DIM, label);
    out_pad(width < LABEL_WIDTH ? LABEL_WIDTH - width : 1);
    struct str safe = STR_INIT;
    utf8_add_printable(&safe, text);
    out_hanging(style, LABEL_WIDTH + 2, width < LABEL_WIDTH ? LABEL_WIDTH + 2 : width + 3, safe.p);
    str_free(&safe);
}

/* "cuModuleLoadDataEx: error 209 (CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image ...)" */
static void add_code(struct str *to, const struct repro_step *step)
{
    char code[16];
    snprintf(code, sizeof code, "%d", step->code);
    text_add(to, step->code ? "repro.error" : "repro.ok",
             TEXT_ARGS({ "call", step->call }, { "code", code },
                       { "name", driver_code_name(step->code) },
                       { "text", driver_code_text(step->code) }));
}

static void add_path(struct str *to, const struct repro_step *step)
{
    char id[64];
    snprintf(id, sizeof id, "repro.path.%s", step->path);
    str_add(to, text_get(id));
    if (*step->image)
        str_addf(to, " [%s]", step->image);
    str_add(to, ": ");
}

static void add_expected(struct str *to, const struct repro_step *step)
{
    struct str codes = STR_INIT;
    for (size_t i = 0; i < step->expected.code_count; i++)
        str_addf(&codes, "%s%d", i ? "/" : "", step->expected.codes[i]);
    text_add(to, "repro.not_expected", TEXT_ARGS({ "codes", step->has_expected ? codes.p : "?" }));
    str_free(&codes);
}

static void print_log(const char *log)
{
    struct str line = STR_INIT;
    for (const char *p = log; *p; p += *p != 0) {
        size_t n = strcspn(p, "\n");
        str_clear(&line);
        str_add_bytes(&line, p, n);
        if (line.len)
            labelled(OUT_DIM, NULL, line.p);
        p += n;
    }
    str_free(&line);
}

static void print_step(const struct repro_step *step, const char *label)
{
    struct str line = STR_INIT;
    add_path(&line, step);
    add_code(&line, step);
    if (step->role == REPRO_CURE && step->ran)
        text_add(&line, step->right ? "repro.ran_right" : "repro.ran_wrong", NULL);
    if (!step->as_expected)
        add_expected(&line, step);
    labelled(!step->as_expected         ? OUT_BAD
             : step->role == REPRO_CURE ? OUT_GOOD
                                        : OUT_PLAIN,
             label, line.p);
    if (*step->log)
        print_log(step->log);
    str_free(&line);
}

static void print_steps(const struct repro_result *result, bool cures)
{
    bool first = true;
    for (size_t i = 0; i < result->step_count; i++) {
        const struct repro_step *step = &result->steps[i];
        if ((step->role == REPRO_CURE) != cures)
            continue;
        print_step(step, !first ? NULL : cures ? "repro.label.shown" : "repro.label.driver");
        first = false;
    }
}

/* "cudaLaunchKernel: 209 (no kernel image ...)", alternatives joined by "or". */
static void print_runtime(const struct repro_runtime *runtime)
{
    const char *label = "repro.label.runtime";
    for (size_t i = 0; i < runtime->count; i++) {
        const struct repro_call *call = &runtime->calls[i];
        struct str line = STR_INIT;
        bool run = runtime->how == REPRO_RUNTIME_RUN || runtime->how == REPRO_RUNTIME_FAILED;
        if ((run && !call->has_expected) || call->alternative)
            continue;
        str_addf(&line, "%s: ", call->call);
        for (size_t k = i; k < runtime->count && (k == i || runtime->calls[k].alternative); k++) {
            str_addf(&line, "%s%d", k > i ? text_get("error.or") : "", runtime->calls[k].code);
            if (*runtime->calls[k].text)
                str_addf(&line, " (%s)", runtime->calls[k].text);
        }
        if (run && !call->as_expected)
            text_add(&line, "repro.not_expected", TEXT_ARGS({ "codes", "?" }));
        labelled(run && !call->as_expected ? OUT_BAD : OUT_PLAIN, label, line.p);
        label = NULL;
        str_free(&line);
    }
    static const char *const notes[] = {
        [REPRO_RUNTIME_NONE] = "repro.runtime.none",
        [REPRO_RUNTIME_NOT_BUILT] = "repro.runtime.not_built",
        [REPRO_RUNTIME_DOCUMENTED] = "repro.runtime.documented",
        [REPRO_RUNTIME_RUN] = "repro.runtime.run",
        [REPRO_RUNTIME_FAILED] = "repro.runtime.failed",
    };
    struct str note = STR_INIT;
    text_add(&note, notes[runtime->how], TEXT_ARGS({ "note", runtime->note }));
    if (runtime->below_floor)
        text_add(&note, "repro.runtime.floor", NULL);
    labelled(OUT_DIM, label, note.p);
    str_free(&note);
}

static void print_end(const struct repro_result *result)
{
    struct str line = STR_INIT;
    if (result->status == REPRO_UNABLE) {
        char id[64];
        snprintf(id, sizeof id, "repro.unable.%s", result->unable);
        str_add(&line, text_get(id));
        if (*result->virtual_card)
            text_add(&line, "repro.unable_virtual",
                     TEXT_ARGS({ "card", result->virtual_card }, { "case", result->name }));
        labelled(OUT_DOUBTFUL, "repro.label.unable", line.p);
    } else if (result->status == REPRO_FAILED) {
        labelled(OUT_BAD, "repro.label.failed", result->failure.msg);
    }
    str_free(&line);
}

static void print_case(const struct repro_result *result)
{
    struct str title = STR_INIT;
    str_addf(&title, "%s   %s", result->name, case_text(result->name, "what"));
    out_line(OUT_BOLD, title.p);
    str_free(&title);
    print_end(result);
    print_steps(result, false);
    print_runtime(&result->runtime);
    labelled(OUT_PLAIN, "repro.label.cause", case_text(result->name, "cause"));
    labelled(OUT_PLAIN, "repro.label.recognise", case_text(result->name, "recognise"));
    labelled(OUT_PLAIN, "repro.label.cure", case_text(result->name, "cure"));
    print_steps(result, true);
    out_line(OUT_PLAIN, "");
}

/* ---- the run --------------------------------------------------------------------------------- */

static void make_plan(struct repro_run *r)
{
    const struct repro_options *options = r->run->options;
    const struct machine *m = &r->machine;
    r->plan = (struct repro_plan){
        .library = m->library,
        .is_virtual = m->library != NULL || m->simulated,
        .has_driver = m->state == DRIVER_READY || m->state == DRIVER_NO_DEVICE,
        .cuda = m->driver.version,
        .device = m->count ? &m->devices[0] : NULL,
        .allow_timeout = options->allow_timeout,
    };
    r->plan.target.os = m->os;
    r->plan.target.driver = m->version;
    if (m->count)
        r->plan.target = machine_target(m, &m->devices[0]);
}

static void print_machine(const struct repro_run *r)
{
    struct str line = STR_INIT, safe = STR_INIT;
    char cc[16], driver[VERSION_TEXT_MAX];
    if (!r->plan.device) {
        struct state state;
        struct str why = STR_INIT;
        diagnosis_find(&r->machine, &state);
        diagnosis_add(&why, &state);
        text_add(&line, "probe.no_device", TEXT_ARGS({ "why", why.p }));
        str_free(&why);
    } else {
        const struct device *d = r->plan.device;
        snprintf(cc, sizeof cc, "%u.%u", d->cc / 10, d->cc % 10);
        text_add(&line, "repro.device",
                 TEXT_ARGS({ "name", d->name }, { "pci", d->pci_id }, { "cc", cc },
                           { "driver", version_text(r->machine.version, driver) }));
    }
    utf8_add_printable(&safe, line.p);
    out_wrapped(OUT_BOLD, 0, safe.p);
    out_line(OUT_PLAIN, "");
    str_free(&safe);
    str_free(&line);
}

/* 1 over 3 over 0; with --all what cannot be provoked here is no fault. */
static int exit_code(const size_t *counts, bool all)
{
    if (counts[REPRO_WRONG] || counts[REPRO_FAILED])
        return CMD_FAILED;
    return counts[REPRO_UNABLE] && !all ? CMD_NOT_FIT : CMD_DONE;
}

static void print_totals(const size_t *counts)
{
    char seen[24], wrong[24], unable[24];
    struct str line = STR_INIT;
    snprintf(seen, sizeof seen, "%zu", counts[REPRO_SEEN]);
    snprintf(wrong, sizeof wrong, "%zu", counts[REPRO_WRONG] + counts[REPRO_FAILED]);
    snprintf(unable, sizeof unable, "%zu", counts[REPRO_UNABLE]);
    text_add(&line, "repro.total",
             TEXT_ARGS({ "seen", seen }, { "wrong", wrong }, { "unable", unable }));
    out_wrapped(counts[REPRO_WRONG] + counts[REPRO_FAILED] ? OUT_BAD : OUT_GOOD, 0, line.p);
    str_free(&line);
}

/* The codes of the faults, each once: "218/209". */
static void seen_codes(const struct repro_result *result, struct str *to)
{
    for (size_t i = 0; i < result->step_count; i++) {
        bool again = result->steps[i].role != REPRO_FAULT;
        for (size_t k = 0; k < i; k++)
            again = again || (result->steps[k].role == REPRO_FAULT &&
                              result->steps[k].code == result->steps[i].code);
        if (!again)
            str_addf(to, "%s%d", to->len ? "/" : "", result->steps[i].code);
    }
}

/* A line of the table that ends --all: the case, what came, and whether that was right. */
static void add_row(struct grid *g, const struct repro_result *result)
{
    static const char *const words[] = {
        [REPRO_SEEN] = "repro.word.seen",
        [REPRO_WRONG] = "repro.word.wrong",
        [REPRO_UNABLE] = "repro.word.unable",
        [REPRO_FAILED] = "repro.word.failed",
    };
    struct str codes = STR_INIT, word = STR_INIT;
    seen_codes(result, &codes);
    bool nowhere = result->status == REPRO_UNABLE && !*result->virtual_card;
    text_add(&word, nowhere ? "repro.unable.build" : words[result->status],
             TEXT_ARGS({ "card", result->virtual_card }, { "why", result->failure.msg }));
    grid_cell(g, result->name);
    grid_cell(g, codes.p);
    grid_cell(g, word.p);
    str_free(&word);
    str_free(&codes);
}

static int play(struct repro_run *r, size_t first, size_t last, struct err *err)
{
    static const struct grid_column columns[] = { { NULL, false },
                                                  { NULL, false },
                                                  { NULL, false } };
    size_t counts[REPRO_FAILED + 1] = { 0 };
    struct repro_result *result = calloc(1, sizeof *result);
    struct grid *g = grid_new(columns, 3);
    json_t *cases = json_array();
    bool short_form = r->run->globals->quiet && last - first > 1;
    int failed = result && g ? 0 : err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = first; i < last && !failed; i++) {
        failed = repro_play(&r->plan, i, result, err);
        if (failed)
            break;
        counts[result->status]++;
        if (r->run->doc)
            json_array_append_new(cases, repro_json_result(result));
        else if (!short_form)
            print_case(result);
        add_row(g, result);
    }
    if (r->run->doc)
        json_put(r->run->doc, "cases", cases);
    else
        json_decref(cases);
    free(result);
    if (!failed && !r->run->doc && last - first > 1) {
        grid_print(g, 2);
        print_totals(counts);
    }
    grid_free(g);
    if (failed)
        return -1;
    if (!r->run->doc && r->machine.simulated)
        out_wrapped(OUT_DOUBTFUL, 0, text_get("probe.simulated"));
    return exit_code(counts, last - first > 1);
}

static int find_case(const char *name, size_t *index, struct err *err)
{
    const char *nearest = NULL;
    unsigned least = 5;
    *index = repro_find(name);
    if (*index < repro_count())
        return 0;
    for (size_t i = 0; i < repro_count(); i++)
        if (str_distance(name, repro_name(i)) < least) {
            least = str_distance(name, repro_name(i));
            nearest = repro_name(i);
        }
    if (nearest)
        return err_set(err, ERR_USAGE, "no case '%s'; did you mean '%s'?", name, nearest);
    return err_set(err, ERR_USAGE, "no case '%s'; 'smfit repro' lists them", name);
}

static int run(struct cmd_run *run, struct err *err)
{
    const struct repro_options *options = run->options;
    struct repro_run r = { .run = run };
    size_t first = 0, last = repro_count();
    if (run->operand_count && options->all)
        return err_set(err, ERR_USAGE, "'--all' and a case exclude each other");
    if (run->operand_count && find_case(run->operands[0], &first, err))
        return -1;
    if (!run->operand_count && !options->all)
        return list(run, err);
    if (run->operand_count)
        last = first + 1;
    int status = -1;
    int failed = machine_open(&r.machine, run->globals, err);
    if (run->doc && r.machine.simulated)
        json_put_text(run->doc, "basis", "simulated");
    if (failed)
        goto done;
    make_plan(&r);
    if (run->doc) {
        repro_json_machine(run->doc, &r.machine);
    } else {
        print_machine(&r);
    }
    status = play(&r, first, last, err);
done:
    machine_close(&r.machine);
    return status;
}

static const struct opt options[] = {
    { 0, "all", OPTS_FLAG, NULL, NULL, "opt.repro_all", offsetof(struct repro_options, all) },
    { 0, "allow-timeout", OPTS_FLAG, NULL, NULL, "opt.repro_timeout",
      offsetof(struct repro_options, allow_timeout) },
    OPTS_END,
};

const struct cmd cmd_repro = {
    .name = "repro",
    .operands = "[CASE]",
    .summary_id = "cmd.repro",
    .about_id = "about.repro",
    .options = options,
    .options_size = sizeof(struct repro_options),
    .uses = CMD_USES_DEVICE,
    .operands_most = 1,
    .basis = "measured",
    .examples = { { "repro", "example.repro" },
                  { "--virtual 920m repro no-image", "example.repro_virtual" } },
    .statuses = {
        { CMD_DONE, "exit.repro_seen" },
        { CMD_FAILED, "exit.repro_wrong" },
        { CMD_NOT_FIT, "exit.repro_unable" },
    },
    .run = run,
};
