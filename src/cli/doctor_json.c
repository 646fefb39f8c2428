#include <stdio.h>
#include <string.h>

#include "cli/doctor_view.h"
#include "cli/text.h"
#include "core/json.h"
#include "doctor/link.h"

static void put_verdict(json_t *o, const struct judge *j)
{
    json_t *codes = json_array();
    json_put_text(o, "verdict", verdict_name(j->verdict));
    json_put_filled(o, "rule", j->why.rule);
    for (size_t i = 0; i < j->why.code_count; i++)
        json_array_append_new(codes, json_integer(j->why.codes[i]));
    json_put(o, "codes", codes);
    json_put_number(o, "usable_count", j->usable);
    json_put_number(o, "without_count", j->without);
}

static json_t *words(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        size_t n = strcspn(text, " ");
        json_array_append_new(list, json_stringn(text, n));
        text += n + strspn(text + n, " ");
    }
    return list;
}

static json_t *archs_of(const struct holds *holds)
{
    struct str archs = STR_INIT;
    holds_add_archs(&archs, holds);
    json_t *list = words(archs.p);
    str_free(&archs);
    return list;
}

static json_t *file_value(const struct doctor *d, const struct doctor_file *f)
{
    json_t *o = json_object(), *verdicts = json_array();
    json_put_text(o, "path", f->path);
    json_put_number(o, "size_bytes", f->bytes);
    json_put_number(o, "container_count", f->holds.containers);
    json_put_bool(o, "nvidia", f->nvidia);
    json_put_bool(o, "passed_over", f->passed_over);
    json_put(o, "archs", archs_of(&f->holds));
    if (!d) {
        json_decref(verdicts);
        return o;
    }
    for (size_t g = 0; g < d->gpu_count; g++)
        json_array_append_new(verdicts, json_string(verdict_name(f->judge[g].verdict)));
    json_put(o, "verdicts", verdicts);
    return o;
}

static json_t *package_verdicts(const struct doctor *d, const struct doctor_package *p)
{
    json_t *gpus = json_array();
    for (size_t g = 0; g < d->gpu_count; g++) {
        json_t *verdict = json_object();
        json_put_text(verdict, "card", d->gpus[g].name);
        put_verdict(verdict, &p->judge[g]);
        json_put_text(verdict, "path", p->fault[g] >= 0 ? p->files[p->fault[g]].path : NULL);
        json_array_append_new(gpus, verdict);
    }
    return gpus;
}

json_t *doctor_json_package(const struct doctor *d, const struct doctor_package *p)
{
    static const char *const origins[] = { "pip", "conda", "app", "system" };
    json_t *o = json_object(), *files = json_array();
    json_put_text(o, "name", p->name);
    json_put_filled(o, "version", p->version);
    json_put_filled(o, "cuda", p->cuda);
    json_put_bool(o, "cpu_build", p->cpu_build);
    char version[LINK_VERSION_TEXT];
    json_put_filled(o, "needs_glibc", link_version_text(p->glibc, version));
    json_put_filled(o, "needs_glibcxx", link_version_text(p->glibcxx, version));
    json_put_filled(o, "channel", p->channel);
    json_put_filled(o, "build", p->build);
    json_put_text(o, "origin", origins[p->origin]);
    if (d)
        json_put_text(o, "folder", p->base);
    for (size_t i = 0; i < p->file_count; i++)
        json_array_append_new(files, file_value(d, &p->files[i]));
    json_put(o, "files", files);
    if (d)
        json_put(o, "verdicts", package_verdicts(d, p));
    return o;
}

static json_t *driver_value(const struct host *h)
{
    json_t *o = json_object(), *offers = json_array();
    json_put_filled(o, "module", h->module);
    json_put_bool(o, "open_module", h->open_module);
    json_put_bool(o, "nouveau", h->nouveau);
    json_put_filled(o, "library", h->library);
    json_put_filled(o, "library_version", h->library_version);
    json_put_text(o, "library_found_by", loader_how_name(h->library_how));
    json_put_bool(o, "library_is_compat", h->library_is_compat);
    json_put_filled(o, "jit_library", h->jit_library);
    json_put_bool(o, "control_node", h->has_control_node);
    json_put_number(o, "device_node_count", h->device_nodes);
    json_put_filled(o, "node_without_access", h->no_access);
    for (size_t i = 0; i < h->offer_count; i++) {
        json_t *offer = json_object();
        json_put_text(offer, "package", h->offers[i].package);
        json_put_filled(offer, "version", h->offers[i].version);
        json_put_number(offer, "branch", h->offers[i].branch);
        json_array_append_new(offers, offer);
    }
    json_put(o, "offers", offers);
    json_put_bool(o, "offers_partial", h->offers_cut);
    return o;
}

static json_t *system_value(const struct host *h)
{
    json_t *o = json_object(), *toolkits = json_array(), *variables = json_object();
    json_put_filled(o, "distribution", h->distro);
    json_put_filled(o, "distribution_version", h->distro_version);
    json_put_bool(o, "wsl", h->wsl);
    json_put_filled(o, "container", h->container);
    json_put_filled(o, "jetson", h->jetson);
    json_put_number(o, "mig_instance_count", h->mig_instances);
    for (size_t i = 0; i < h->toolkit_count; i++) {
        json_t *t = json_object();
        json_put_text(t, "version", h->toolkits[i].version);
        json_put_text(t, "path", h->toolkits[i].path);
        json_put_bool(t, "default", h->toolkits[i].is_default);
        json_array_append_new(toolkits, t);
    }
    json_put(o, "toolkits", toolkits);
    json_put_filled(o, "ptxas", h->ptxas);
    for (size_t i = 0; i < h->variable_count; i++)
        if (h->variables[i].value && strcmp(h->variables[i].name, "PATH") != 0 &&
            strcmp(h->variables[i].name, "HOME") != 0)
            json_put_text(variables, h->variables[i].name, h->variables[i].value);
    json_put(o, "variables", variables);
    return o;
}

static json_t *remark_value(const struct remark *r)
{
    json_t *o = json_object(), *args = json_object();
    struct str text = STR_INIT;
    json_put_text(o, "id", r->id);
    for (size_t i = 0; i < r->arg_count; i++)
        json_put_text(args, r->args[i].name, r->args[i].value);
    json_put(o, "values", args);
    doctor_view_add(&text, r);
    json_put_text(o, "text", text.p);
    str_free(&text);
    return o;
}

static json_t *cure_value(const struct finding_cure *c)
{
    json_t *o = remark_value(&c->what), *commands = json_array();
    for (size_t i = 0; i < c->command_count; i++)
        json_array_append_new(commands, json_text(c->commands[i]));
    json_put(o, "commands", commands);
    return o;
}

static json_t *finding_value(const struct doctor *d, const struct finding *f)
{
    json_t *o = json_object(), *cause = json_object(), *evidence = json_array(),
           *cures = json_array();
    json_put_text(cause, "code", doctor_cause_code(f->cause));
    json_put_text(cause, "name", doctor_view_cause_name(f->cause));
    json_put_text(cause, "text", text_get(doctor_view_cause_text_id(f->cause)));
    json_put(o, "cause", cause);
    json_put_filled(o, "path", f->path);
    json_put_text(o, "confidence", finding_confidence_name(f->confidence));
    json_put_text(o, "card", f->gpu >= 0 ? d->gpus[f->gpu].name : NULL);
    json_put_text(o, "package", f->package >= 0 ? d->packages[f->package].name : NULL);
    for (size_t i = 0; i < f->evidence_count; i++)
        json_array_append_new(evidence, remark_value(&f->evidence[i]));
    json_put(o, "evidence", evidence);
    json_put(o, "sure", f->sure.id ? remark_value(&f->sure) : json_null());
    for (size_t i = 0; i < f->cure_count; i++)
        json_array_append_new(cures, cure_value(&f->cures[i]));
    json_put(o, "cures", cures);
    return o;
}

static json_t *env_value(const struct doctor_env *e)
{
    static const char *const kinds[] = { "given", "venv", "conda", "system" };
    json_t *o = json_object();
    json_put_text(o, "kind", kinds[e->kind]);
    json_put_text(o, "path", e->path);
    json_put_text(o, "site_packages", e->site);
    json_put_filled(o, "python", e->python);
    return o;
}

static json_t *copy_value(const struct doctor_copy *c)
{
    json_t *o = json_object();
    json_put_text(o, "soname", c->soname);
    json_put_text(o, "wins", c->wins);
    json_put_text(o, "found_by", loader_how_name(c->how));
    json_put_text(o, "other", c->other);
    return o;
}

static json_t *lookups_value(const struct doctor *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->lookup_count; i++) {
        const struct doctor_lookup *l = &d->lookups[i];
        json_t *o = json_object();
        json_put_text(o, "package", d->packages[l->package].name);
        json_put_text(o, "soname", l->soname);
        json_put_filled(o, "path", l->path);
        json_put_text(o, "found_by", loader_how_name(l->how));
        json_array_append_new(list, o);
    }
    return list;
}

void doctor_json_fill(json_t *doc, const struct doctor_view *v)
{
    const struct doctor *d = &v->doctor;
    const struct finding *diagnosis = doctor_view_diagnosis(v);
    json_t *gpus = json_array(), *envs = json_array(), *packages = json_array(),
           *findings = json_array(), *copies = json_array();
    target_put_json(doc, &v->targets);
    for (size_t i = 0; i < v->targets.count; i++)
        json_array_append_new(gpus, target_json(&v->targets.list[i]));
    json_put(doc, "gpus", gpus);
    json_put(doc, "driver", driver_value(&d->host));
    json_t *system = system_value(&d->host);
    char libc[LINK_VERSION_TEXT];
    json_put_filled(system, "glibc", link_version_text(d->glibc, libc));
    json_put_filled(system, "glibcxx", link_version_text(d->glibcxx, libc));
    json_put(doc, "system", system);
    for (size_t i = 0; i < d->env_count; i++)
        json_array_append_new(envs, env_value(&d->envs[i]));
    json_put(doc, "environments", envs);
    for (size_t i = 0; i < d->package_count; i++)
        if (d->packages[i].file_count || d->packages[i].cpu_build)
            json_array_append_new(packages, doctor_json_package(d, &d->packages[i]));
    json_put(doc, "packages", packages);
    for (size_t i = 0; i < d->copy_count; i++)
        json_array_append_new(copies, copy_value(&d->copies[i]));
    json_put(doc, "copies", copies);
    json_put(doc, "lookups", lookups_value(d));
    json_put(doc, "diagnosis", diagnosis ? finding_value(d, diagnosis) : json_null());
    for (size_t i = 0; i < v->findings.count; i++)
        if (&v->findings.list[i] != diagnosis)
            json_array_append_new(findings, finding_value(d, &v->findings.list[i]));
    json_put(doc, "other_findings", findings);
    json_put_bool(doc, "error_known", v->findings.error.count > 0);
    json_put_bool(doc, "error_cut", v->error_cut);
    json_put_bool(doc, "partial", d->partial || d->unread_count);
    json_put_number(doc, "file_count", d->files_seen);
    json_put_number(doc, "read_bytes", d->bytes_read);
    json_put_number(doc, "problem_count", d->problems);
}
