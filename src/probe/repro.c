#include "probe/repro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/cards.h"
#include "core/str.h"
#include "cuda/worker.h"
#include "data/data.h"
#include "fatbin/images.h"
#include "probe/provoke.h"
#include "probe/repro_play.h"

#define TIMEOUT_MS   120000 /* a cold driver takes seconds to start */
#define NEUTRAL_CUDA 12000  /* documented codes where there is no driver: what most have today */

const char *repro_status_name(enum repro_status status)
{
    static const char *const names[] = {
        [REPRO_SEEN] = "as_expected",
        [REPRO_WRONG] = "unexpected",
        [REPRO_UNABLE] = "not_provokable",
        [REPRO_FAILED] = "failed",
    };
    return names[status];
}

const char *repro_role_name(enum repro_role role)
{
    static const char *const names[] = {
        [REPRO_FAULT] = "fault", [REPRO_CHECK] = "check", [REPRO_CURE] = "cure"
    };
    return names[role];
}

void repro_unable(struct repro_result *result, const char *reason, const char *virtual_card)
{
    result->status = REPRO_UNABLE;
    str_copy(result->unable, sizeof result->unable, reason);
    str_copy(result->virtual_card, sizeof result->virtual_card, virtual_card);
}

struct repro_step *repro_add_step(struct repro_result *result, enum repro_role role,
                                  const char *path, const char *call, int code)
{
    if (result->step_count == REPRO_STEPS_MAX)
        return NULL;
    struct repro_step *step = &result->steps[result->step_count++];
    *step = (struct repro_step){ .role = role, .code = code };
    str_copy(step->path, sizeof step->path, path);
    str_copy(step->call, sizeof step->call, call);
    return step;
}

/* ---- the worker's report --------------------------------------------------------------------- */

static const char *text_of(const json_t *line, const char *key)
{
    const char *text = json_string_value(json_object_get(line, key));
    return text ? text : "";
}

static bool read_role(const char *name, enum repro_role *role)
{
    for (*role = REPRO_FAULT; *role <= REPRO_CURE; ++*role)
        if (strcmp(name, repro_role_name(*role)) == 0)
            return true;
    return false;
}

static void read_step(struct repro_result *result, const json_t *line)
{
    enum repro_role role;
    if (!read_role(text_of(line, "role"), &role))
        return;
    struct repro_step *step =
        repro_add_step(result, role, text_of(line, "path"), text_of(line, "call"),
                       (int)json_integer_value(json_object_get(line, "code")));
    if (!step)
        return;
    str_copy(step->image, sizeof step->image, text_of(line, "image"));
    str_copy(step->log, sizeof step->log, text_of(line, "log"));
    step->ran = json_is_true(json_object_get(line, "ran"));
    step->right = json_is_true(json_object_get(line, "right"));
}

static void read_line(struct repro_result *result, const json_t *line)
{
    const json_t *error = json_object_get(line, "error");
    if (error) {
        result->status = REPRO_FAILED;
        err_set(&result->failure, ERR_DRIVER, "%s", text_of(error, "message"));
        result->failure.native = (int)json_integer_value(json_object_get(error, "native"));
    } else if (json_object_get(line, "unable")) {
        repro_unable(result, text_of(line, "unable"), text_of(line, "virtual"));
    } else {
        read_step(result, line);
    }
}

static json_t *worker_input(const struct repro_plan *plan, const char *name, const char *phase,
                            const char *save)
{
    const struct arch_target *t = &plan->target;
    return json_pack("{s:s, s:s, s:s*, s:i, s:i, s:b, s:i, s:i, s:i, s:i, s:b, s:s*}", "case", name,
                     "phase", phase, "library", plan->library, "ordinal",
                     plan->device ? plan->device->ordinal : 0, "cc", (int)t->cc, "windows",
                     t->os == ARCH_WINDOWS, "notebook", (int)t->notebook, "major",
                     (int)t->driver.major, "minor", (int)t->driver.minor, "patch",
                     (int)t->driver.patch, "allow_timeout", plan->allow_timeout, "save", save);
}

/* A worker that dies says so; one that said what failed is believed. */
static void note_end(struct repro_result *result, const struct worker_result *ran)
{
    char how[128];
    worker_describe(ran, how, sizeof how);
    if (!*how || result->status == REPRO_FAILED)
        return;
    result->status = REPRO_FAILED;
    err_set(&result->failure, ERR_DRIVER, "worker %s%s%s", how, *ran->message ? ": " : "",
            ran->message);
}

int repro_phase(const struct repro_plan *plan, const char *phase, const char *const *environment,
                const char *save, struct repro_result *result, struct err *err)
{
    struct worker_result ran;
    json_t *input = worker_input(plan, result->name, phase, save), *line;
    size_t i;
    int failed = worker_call(provoke_task.name, input, environment, TIMEOUT_MS, &ran, err);
    json_decref(input);
    if (!failed) {
        json_array_foreach(ran.lines, i, line)
        {
            read_line(result, line);
        }
        note_end(result, &ran);
    }
    worker_result_free(&ran);
    return failed;
}

/* ---- judging --------------------------------------------------------------------------------- */

static void judge_step(struct repro_step *step, const char *name, int cuda)
{
    step->has_expected = repro_expect(name, step->path, cuda, &step->expected);
    if (step->role == REPRO_CURE && !step->has_expected)
        step->as_expected = step->ran && step->right && !step->code;
    else
        step->as_expected = step->has_expected && repro_expects(&step->expected, step->code);
}

void repro_judge(struct repro_result *result, int cuda)
{
    size_t faults = 0, cures = 0, wrong = 0;
    for (size_t i = 0; i < result->step_count; i++) {
        struct repro_step *step = &result->steps[i];
        judge_step(step, result->name, cuda);
        faults += step->role == REPRO_FAULT;
        cures += step->role == REPRO_CURE;
        wrong += !step->as_expected;
    }
    for (size_t i = 0; i < result->runtime.count; i++)
        if (result->runtime.how == REPRO_RUNTIME_RUN && result->runtime.calls[i].has_expected)
            wrong += !result->runtime.calls[i].as_expected;
    if (result->status == REPRO_SEEN && (!faults || !cures || wrong))
        result->status = REPRO_WRONG;
}

/* ---- one case -------------------------------------------------------------------------------- */

/* The card of the machine, or the first that is played, also when the driver does not see it. */
static bool find_capability(const struct repro_plan *plan, struct arch_target *target)
{
    struct card_match match;
    struct err unused;
    char first[96];
    const char *cards = getenv("SMFIT_VGPU");
    *target = plan->target;
    if (plan->device)
        return true;
    if (!plan->is_virtual || !cards)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(cards, ";"), cards);
    err_clear(&unused);
    if (cards_find(first, &match, &unused))
        return false;
    target->cc = match.card.cc;
    target->notebook = match.card.notebook;
    return true;
}

/* The last branch that knows the card, and the first that does not; false: it is not dropped yet.
 */
static bool find_branches(const struct arch_target *target, unsigned *last, unsigned *after)
{
    const struct arch_facts *facts = facts_arch(target->cc);
    const struct table *t = data_table(DATA_DRIVERS);
    struct driver_span span = { 0 };
    if (facts)
        span = facts_span(facts, target->os, target->notebook);
    *last = span.last.major;
    *after = 0;
    for (size_t row = 0; row < t->row_count; row++) {
        unsigned branch = (unsigned)atoi(table_field(t, row, "branch"));
        if (branch > *last && (!*after || branch < *after))
            *after = branch;
    }
    return *last && *after;
}

/* The virtual GPU can play any driver; a real machine has the one it has. */
static int play_too_new(const struct repro_plan *plan, struct repro_result *result, struct err *err)
{
    struct repro_plan cured = *plan;
    unsigned last, after;
    if (!plan->is_virtual) {
        repro_unable(result, "real_driver", "920m");
        return 0;
    }
    if (!find_capability(plan, &cured.target) || !find_branches(&cured.target, &last, &after)) {
        repro_unable(result, "not_dropped", "920m");
        return 0;
    }
    char too_new[48], right[48];
    snprintf(too_new, sizeof too_new, "SMFIT_VGPU_DRIVER=%u", after);
    snprintf(right, sizeof right, "SMFIT_VGPU_DRIVER=%u", last);
    const char *const fault[] = { too_new, NULL }, *const cure[] = { right, NULL };
    if (repro_phase(&cured, "fault", fault, NULL, result, err))
        return -1;
    if (result->step_count)
        snprintf(result->steps[0].image, sizeof result->steps[0].image, "driver %u", after);
    cured.target.driver = (struct driver_version){ .major = last };
    return result->status == REPRO_SEEN ? repro_phase(&cured, "cure", cure, NULL, result, err) : 0;
}

int repro_fault_environment(const char *name, char *variable, size_t size, struct err *err)
{
    char folder[4096];
    const char *old = getenv("LD_LIBRARY_PATH");
    variable[0] = 0;
    if (strcmp(name, "no-jit-library") != 0)
        return 0;
    if (repro_folder(folder, sizeof folder, err))
        return -1;
    snprintf(variable, size, "LD_LIBRARY_PATH=%s/no-jit%s%s", folder, old && *old ? ":" : "",
             old ? old : "");
    return 0;
}

static int play_phases(const struct repro_plan *plan, struct repro_result *result, const char *save,
                       struct err *err)
{
    char variable[8192];
    if (repro_fault_environment(result->name, variable, sizeof variable, err))
        return -1;
    const char *const environment[] = { *variable ? variable : NULL, NULL };
    if (repro_phase(plan, "fault", environment, save, result, err))
        return -1;
    if (result->status != REPRO_SEEN)
        return 0;
    return repro_phase(plan, "cure", NULL, NULL, result, err);
}

static int play_on_device(const struct repro_plan *plan, struct repro_result *result,
                          struct err *err)
{
    struct repro_files files;
    if (!plan->device) {
        repro_unable(result, plan->has_driver ? "no_device" : "no_driver", "920m");
        return 0;
    }
    if (repro_files_make(&files, plan->is_virtual, err))
        return -1;
    int failed = play_phases(plan, result, plan->is_virtual ? NULL : files.wrong, err);
    if (!failed && !plan->is_virtual && result->status == REPRO_SEEN)
        repro_runtime_play(plan, result, &files);
    repro_files_remove(&files);
    return failed;
}

int repro_play(const struct repro_plan *plan, size_t index, struct repro_result *result,
               struct err *err)
{
    int failed;
    *result = (struct repro_result){ .name = repro_name(index) };
    err_clear(&result->failure);
    if (!embedded_image_count && strcmp(result->name, "driver-too-old") != 0) {
        repro_unable(result, "build", "");
        failed = 0;
    } else if (strcmp(result->name, "driver-too-old") == 0)
        failed = repro_play_old_driver(plan, result, err);
    else if (strcmp(result->name, "driver-too-new") == 0)
        failed = play_too_new(plan, result, err);
    else
        failed = play_on_device(plan, result, err);
    if (failed)
        return -1;
    if (!result->runtime.count && result->runtime.how != REPRO_RUNTIME_FAILED)
        repro_runtime_document(&result->runtime, result->name,
                               plan->cuda ? plan->cuda : NEUTRAL_CUDA);
    repro_judge(result, plan->cuda);
    return 0;
}
