#include "cli/repro_json.h"

#include <stdio.h>

#include "core/json.h"
#include "cuda/driver.h"

static json_t *codes_json(const int *codes, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer(codes[i]));
    return list;
}

static void put_text_ids(json_t *to, const char *name)
{
    static const char *const what[] = { "what", "cause", "recognise", "cure" };
    for (size_t i = 0; i < sizeof what / sizeof what[0]; i++) {
        char key[32], id[96];
        snprintf(key, sizeof key, "%s_id", what[i]);
        snprintf(id, sizeof id, "repro.%s.%s", name, what[i]);
        json_put_text(to, key, id);
    }
}

static json_t *expected_json(const struct repro_expected *expected)
{
    json_t *j = json_object();
    json_put(j, "codes", codes_json(expected->codes, expected->code_count));
    json_put_text(j, "confidence", expected->confidence);
    json_put_text(j, "source", expected->source);
    return j;
}

void repro_json_list(json_t *doc)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < repro_count(); i++) {
        int codes[REPRO_CODES_MAX * 4];
        size_t n = repro_all_codes(repro_name(i), codes, sizeof codes / sizeof codes[0]);
        json_t *j = json_object();
        json_put_text(j, "name", repro_name(i));
        json_put_text(j, "status", "listed");
        json_put(j, "codes", codes_json(codes, n));
        put_text_ids(j, repro_name(i));
        json_array_append_new(cases, j);
    }
    json_put(doc, "cases", cases);
}

void repro_json_machine(json_t *doc, const struct machine *m)
{
    char text[VERSION_TEXT_MAX];
    json_put_filled(doc, "driver", version_known(m->version) ? version_text(m->version, text) : "");
    if (m->count)
        json_put(doc, "device", machine_device_json(&m->devices[0]));
    else
        json_put_unknown(doc, "device", m->why.msg);
}

static json_t *step_json(const struct repro_step *step)
{
    json_t *j = json_object();
    json_put_text(j, "role", repro_role_name(step->role));
    json_put_text(j, "path", step->path);
    json_put_filled(j, "image", step->image);
    json_put_text(j, "call", step->call);
    json_put(j, "code", json_integer(step->code));
    json_put_text(j, "error_name", driver_code_name(step->code));
    json_put_text(j, "error_text", driver_code_text(step->code));
    json_put_filled(j, "log", step->log);
    json_put_bool(j, "kernel_ran", step->ran);
    json_put_bool(j, "results_right", step->right);
    if (step->has_expected)
        json_put(j, "expected", expected_json(&step->expected));
    json_put_bool(j, "as_expected", step->as_expected);
    return j;
}

static json_t *runtime_json(const struct repro_runtime *runtime)
{
    static const char *const how[] = {
        [REPRO_RUNTIME_NONE] = "no_part",          [REPRO_RUNTIME_NOT_BUILT] = "not_built",
        [REPRO_RUNTIME_DOCUMENTED] = "documented", [REPRO_RUNTIME_RUN] = "run",
        [REPRO_RUNTIME_FAILED] = "failed",
    };
    json_t *j = json_object(), *calls = json_array();
    bool run = runtime->how == REPRO_RUNTIME_RUN || runtime->how == REPRO_RUNTIME_FAILED;
    json_put_text(j, "how", how[runtime->how]);
    json_put_filled(j, "program", runtime->program);
    json_put_filled(j, "note", runtime->note);
    json_put_bool(j, "driver_below_floor", runtime->below_floor);
    for (size_t i = 0; i < runtime->count; i++) {
        const struct repro_call *call = &runtime->calls[i];
        if (run && !call->has_expected)
            continue;
        json_t *c = json_object();
        json_put_text(c, "call", call->call);
        json_put(c, "code", json_integer(call->code));
        json_put_filled(c, "text", call->text);
        json_put_bool(c, "alternative", call->alternative);
        if (run)
            json_put_bool(c, "as_expected", call->as_expected);
        json_array_append_new(calls, c);
    }
    json_put(j, "calls", calls);
    return j;
}

json_t *repro_json_result(const struct repro_result *result)
{
    json_t *j = json_object(), *steps = json_array();
    json_put_text(j, "name", result->name);
    json_put_text(j, "status", repro_status_name(result->status));
    if (result->status == REPRO_UNABLE) {
        char id[64];
        snprintf(id, sizeof id, "repro.unable.%s", result->unable);
        json_put_text(j, "reason_id", id);
        json_put_filled(j, "virtual", result->virtual_card);
    }
    if (result->status == REPRO_FAILED)
        json_put_text(j, "failure", result->failure.msg);
    for (size_t i = 0; i < result->step_count; i++)
        json_array_append_new(steps, step_json(&result->steps[i]));
    json_put(j, "steps", steps);
    json_put(j, "cudart", runtime_json(&result->runtime));
    put_text_ids(j, result->name);
    return j;
}
