#include <stdio.h>
#include <string.h>

#include "cli/field.h"
#include "cli/stack_view.h"
#include "core/json.h"
#include "data/data.h"

#define OTHERS_MAX 16

static const struct field build_fields[] = {
    { "package", NULL, FIELD_TEXT }, { "version", NULL, FIELD_TEXT },
    { "cuda", NULL, FIELD_TEXT },    { "cudnn", NULL, FIELD_TEXT },
    { "os", NULL, FIELD_TEXT },      { "channel", NULL, FIELD_TEXT },
    { "python", NULL, FIELD_TEXT },  { "archs", "kernels", FIELD_LIST },
    { "source", NULL, FIELD_TEXT },  { "confidence", NULL, FIELD_TEXT },
    { "note", NULL, FIELD_TEXT },    { .column = NULL },
};

static const struct field step_fields[] = {
    { "system", NULL, FIELD_TEXT },     { "step", NULL, FIELD_TEXT },
    { "command", NULL, FIELD_TEXT },    { "source", NULL, FIELD_TEXT },
    { "confidence", NULL, FIELD_TEXT }, { .column = NULL },
};

static void put_version(json_t *o, const char *key, struct driver_version version,
                        const char *reason)
{
    char text[VERSION_TEXT_MAX];
    if (version_known(version))
        json_put_text(o, key, version_text(version, text));
    else
        json_put_unknown(o, key, reason);
}

static json_t *lines(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        size_t n = strcspn(text, "\n");
        json_array_append_new(list, json_stringn(text, n));
        text += n + (text[n] == '\n');
    }
    return list;
}

static json_t *commands(size_t build)
{
    static const char *const ways[] = { "package", "conda", "image" };
    json_t *list = json_array();
    for (size_t which = 0; which < sizeof ways / sizeof ways[0]; which++) {
        struct str text = STR_INIT;
        if (stack_command(build, which, &text)) {
            json_t *o = json_object();
            json_put_text(o, "way", ways[which]);
            json_put(o, "commands", lines(text.p));
            json_array_append_new(list, o);
        }
        str_free(&text);
    }
    return list;
}

static json_t *answer(const struct stack_answer *a)
{
    json_t *o = json_object();
    field_put_row(o, data_table(DATA_BUILDS), a->build, build_fields);
    json_put_text(o, "status", stack_status_name(a->status));
    json_put_filled(o, "runs_by", a->chosen);
    put_version(o, "least_driver", stack_least_driver(a->build), "not in the tables");
    json_put(o, "install", commands(a->build));
    return o;
}

static json_t *steps(const struct target *target)
{
    const struct table *t = data_table(DATA_INSTALL);
    json_t *list = json_array();
    char branch[16];
    stack_view_branch(target, branch);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *wanted = table_field(t, row, "branch");
        bool windows = strcmp(table_field(t, row, "system"), "windows") == 0;
        if (windows != (target->rule.os == ARCH_WINDOWS) ||
            (strcmp(wanted, branch) != 0 && strcmp(wanted, "any") != 0))
            continue;
        json_t *o = json_object();
        field_put_row(o, t, row, step_fields);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *driver(const struct target *target)
{
    json_t *o = json_object();
    struct driver_span span = target_span(target);
    put_version(o, "first", span.first, "not in the tables");
    put_version(o, "last", span.last, "current drivers support the card");
    json_put(o, "steps", steps(target));
    return o;
}

static json_t *card(const struct stack_card *c)
{
    json_t *o = json_object(), *builds = json_array(), *others = json_array();
    const char *ids[8], *toolkit = stack_view_toolkit(c->target);
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", c->target->rule.cc / 10, c->target->rule.cc % 10);
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(builds, answer(&c->builds[i]));
    stack_view_alternatives(c, ids);
    for (size_t i = 0; ids[i]; i++)
        json_array_append_new(others, json_text(ids[i]));
    json_put_text(o, "card", c->target->name);
    json_put_text(o, "cc", cc);
    json_put(o, "combinations", builds);
    json_put_number(o, "not_working_count", c->others);
    json_put(o, "driver", driver(c->target));
    if (*toolkit)
        json_put_text(o, "last_toolkit", toolkit);
    else
        json_put_unknown(o, "last_toolkit", "current toolkits know the card");
    json_put(o, "alternatives", others);
    return o;
}

/* ---- check ---- */

static json_t *spec_value(const struct stack_view *v)
{
    const struct stack_spec *s = &v->spec;
    json_t *o = json_object();
    json_put_text(o, "text", v->spec_text);
    json_put_filled(o, "package", s->package);
    json_put_filled(o, "version", s->version);
    json_put_filled(o, "cuda", s->cuda);
    json_put_filled(o, "cudnn", s->cudnn);
    json_put_filled(o, "python", s->python);
    put_version(o, "driver", s->driver, "not named");
    return o;
}

static json_t *check_value(const struct stack_view *v, size_t i)
{
    const struct stack_check *c = &v->checks[i];
    json_t *o = json_object(), *list = json_array();
    for (size_t j = 0; j < c->answer_count; j++)
        json_array_append_new(list, answer(&c->answers[j]));
    json_put_text(o, "card", v->cards[i].target->name);
    json_put_text(o, "status", stack_status_name(c->status));
    if (stack_is_unknown(c->status))
        json_put_unknown(o, "works", "not in the tables");
    else
        json_put_bool(o, "works", stack_works(c->status));
    json_put(o, "builds", list);
    return o;
}

static json_t *claims(const struct stack_spec *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->card_count; i++) {
        json_t *o = json_object();
        char cc[16];
        snprintf(cc, sizeof cc, "%u.%u", s->cards[i].card.cc / 10, s->cards[i].card.cc % 10);
        json_put_text(o, "card", s->cards[i].card.name);
        json_put_text(o, "cc", cc);
        json_put_text(o, "claimed", s->cards[i].claimed);
        json_put_bool(o, "right", s->cards[i].right);
        json_array_append_new(list, o);
    }
    return list;
}

static void put_belief(json_t *doc, int row)
{
    const struct table *t = data_table(DATA_BELIEFS);
    char id[64];
    if (row < 0) {
        json_put(doc, "belief", json_null());
        return;
    }
    json_t *o = json_object();
    snprintf(id, sizeof id, "belief.%s", table_field(t, (size_t)row, "id"));
    json_put_text(o, "text_id", id);
    json_put_text(o, "verdict", table_field(t, (size_t)row, "verdict"));
    json_put_text(o, "source", table_field(t, (size_t)row, "source"));
    json_put_text(o, "confidence", table_field(t, (size_t)row, "confidence"));
    json_put(doc, "belief", o);
}

void stack_json_fill(json_t *doc, const struct stack_view *v)
{
    json_t *list = json_array();
    target_put_json(doc, v->targets);
    for (size_t i = 0; i < v->card_count; i++)
        json_array_append_new(list, v->spec_text ? check_value(v, i) : card(&v->cards[i]));
    if (!v->spec_text) {
        json_put_text(doc, "framework", v->framework);
        json_put(doc, "cards", list);
        return;
    }
    json_put(doc, "spec", spec_value(v));
    json_put(doc, "checks", list);
    json_put(doc, "claims", claims(&v->spec));
    put_belief(doc, v->spec.belief);
}
