/* `smfit bench --json`. */
#include <math.h>
#include <string.h>

#include "bench/gemm.h"
#include "cli/bench_run.h"
#include "core/json.h"
#include "core/str.h"
#include "fatbin/images.h"

static void put_told(json_t *j, const char *key, const char *text)
{
    if (*text)
        json_put_text(j, key, text);
    else
        json_put_unknown(j, key, "this machine does not tell");
}

static void put_clock(json_t *j, const char *key, int khz)
{
    if (khz > 0)
        json_put(j, key, json_real(khz / 1e3));
    else
        json_put_unknown(j, key, "the driver does not tell");
}

static json_t *device_json(const struct bench_run *r)
{
    const struct device *d = r->device;
    json_t *j = machine_device_json(d);
    json_put(j, "l2_bytes", d->l2_bytes ? json_integer(d->l2_bytes) : json_null());
    if (!d->l2_bytes)
        json_put_text(j, "l2_bytes_reason", "the driver does not tell");
    put_clock(j, "clock_mhz", d->clock_khz);
    put_clock(j, "memory_clock_mhz", d->memory_clock_khz);
    json_put_bool(j, "display_watchdog", d->display_watchdog);
    json_put_text(j, "card_hash", r->card_hash);
    if (r->options.uuid)
        json_put_filled(j, "uuid", d->uuid);
    return j;
}

/* Whose compilers our kernels are from. */
static json_t *toolkits_json(void)
{
    json_t *list = json_array();
    for (const char *p = embedded_toolkits, *end; (end = strchr(p, '\n')); p = end + 1)
        json_array_append_new(list, json_stringn(p, (size_t)(end - p)));
    return list;
}

json_t *bench_json_environment(const struct bench_run *r)
{
    json_t *j = json_object();
    if (r->device) {
        json_put(j, "device", device_json(r));
        put_told(j, "driver", r->driver);
        json_put_number(j, "cuda_version", (uint64_t)r->machine.driver.version);
    } else {
        json_put_unknown(j, "device", "it was measured on the CPU alone");
        json_put_unknown(j, "driver", "it was measured on the CPU alone");
        json_put_unknown(j, "cuda_version", "it was measured on the CPU alone");
    }
    put_told(j, "cpu", r->host.cpu);
    if (r->host.cores)
        json_put_number(j, "cpu_cores", (uint64_t)r->host.cores);
    else
        json_put_unknown(j, "cpu_cores", "this machine does not tell");
    put_told(j, "cpu_governor", r->host.governor);
    put_told(j, "power_source", r->host.power);
    json_put(j, "toolkits", toolkits_json());
    if (r->survey.readings)
        json_put(j, "readings", json_incref(r->survey.readings));
    else
        json_put_unknown(j, "readings", r->device ? "a virtual card has none" : "there is no card");
    return j;
}

static json_t *libraries_json(const struct survey *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const struct survey_library *l = &s->libraries[i];
        json_t *j = json_object();
        json_put_text(j, "name", l->name);
        json_put_text(j, "implementation", case_engine_name(l->engine));
        json_put_filled(j, "version", l->version);
        json_put_filled(j, "path", l->path);
        json_put_bool(j, "used", !*l->reason);
        json_put_filled(j, "reason", l->reason);
        json_array_append_new(list, j);
    }
    return list;
}

void bench_json_fill(struct bench_run *r)
{
    json_t *doc = r->run->doc, *rows = json_array();
    json_put(doc, "environment", bench_json_environment(r));
    json_put(doc, "libraries", libraries_json(&r->survey));
    json_put(doc, "planned_seconds", json_real(r->plan.seconds));
    for (size_t i = 0; i < r->rows.count; i++)
        json_array_append_new(rows, row_json(&r->rows.list[i]));
    json_put(doc, "rows", rows);
}

void bench_json_list(struct bench_run *r)
{
    json_t *doc = r->run->doc, *cases = json_array();
    for (size_t i = 0; i < r->plan.count; i++) {
        const struct bench_case *c = &r->plan.cases[i];
        struct row row;
        json_t *j = json_object();
        case_row(c, r->plan.settings.simulated, &row);
        json_put_text(j, "case", row.name);
        json_put_text(j, "shape", row.shape);
        json_put_text(j, "precision", row.precision);
        json_put_text(j, "implementation", row.implementation);
        json_put_text(j, "status", row_status_name(c->planned));
        json_put_filled(j, "reason", c->why);
        if (c->expected_ms > 0)
            json_put(j, "expected_ms", json_real(c->expected_ms));
        else
            json_put_unknown(j, "expected_ms", "the card's figures say nothing of it");
        json_put(j, "expected_seconds", json_real(plan_case_seconds(&r->plan.settings, c)));
        json_array_append_new(cases, j);
    }
    json_put_text(doc, "card", r->name);
    json_put(doc, "planned_seconds", json_real(r->plan.seconds));
    json_put(doc, "cases", cases);
}
