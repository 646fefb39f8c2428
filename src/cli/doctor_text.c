#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor_view.h"
#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/utf8.h"
#include "doctor/link.h"

#define LABEL          16
#define PACKAGES_SHOWN 7

/* "label           text", folded behind the label. */
static void print_line(enum out_style style, const char *label_id, const char *text)
{
    struct str safe = STR_INIT;
    const char *label = label_id ? text_get(label_id) : "";
    size_t width = utf8_width(label);
    utf8_add_printable(&safe, text);
    out_text(OUT_PLAIN, label);
    out_pad(width < LABEL ? LABEL - width : 1);
    out_hanging(style, LABEL, LABEL, safe.p);
    str_free(&safe);
}

/* ---- machine ---- */

static void print_gpus(const struct doctor_view *v)
{
    if (!v->targets.count)
        out_line(OUT_BOLD, text_get("doctor.gpus_none"));
    for (size_t i = 0; i < v->targets.count; i++) {
        struct str text = STR_INIT, safe = STR_INIT;
        target_add_label(&text, &v->targets.list[i]);
        utf8_add_printable(&safe, text.p);
        out_line(OUT_BOLD, safe.p);
        str_free(&text);
        str_free(&safe);
    }
}

static void count_packages(const struct doctor *d, size_t env, size_t *all, size_t *gpu)
{
    *all = *gpu = 0;
    for (size_t i = 0; i < d->package_count; i++)
        if (d->packages[i].env == (int)env) {
            ++*all;
            *gpu += d->packages[i].file_count > 0;
        }
}

static void print_envs(const struct doctor *d)
{
    for (size_t i = 0; i < d->env_count; i++) {
        struct str text = STR_INIT;
        char all[24], gpu[24];
        size_t count, with;
        count_packages(d, i, &count, &with);
        snprintf(all, sizeof all, "%zu", count);
        snprintf(gpu, sizeof gpu, "%zu", with);
        text_add(&text, "doctor.env",
                 TEXT_ARGS({ "path", d->envs[i].path },
                           { "python", *d->envs[i].python ? d->envs[i].python : "?" },
                           { "count", all }, { "gpu", gpu }));
        print_line(OUT_PLAIN, "doctor.label_python", text.p);
        str_free(&text);
    }
}

static void fact(const char *name, const char *value)
{
    struct str text = STR_INIT;
    if (!value || !*value)
        return;
    str_addf(&text, "%s %s", name, value);
    print_line(OUT_PLAIN, NULL, text.p);
    str_free(&text);
}

/* What the package manager would install, in one line. */
static void print_offers(const struct host *h)
{
    struct str text = STR_INIT;
    for (size_t i = 0; i < h->offer_count; i++)
        str_addf(&text, "%s%s%s%s", text.len ? ", " : "", h->offers[i].package,
                 *h->offers[i].version ? " " : "", h->offers[i].version);
    fact("offers:", text.p);
    str_free(&text);
}

/* The copies that the packages' files get. */
static void print_lookups(const struct doctor *d)
{
    for (size_t i = 0; i < d->lookup_count; i++) {
        const struct doctor_lookup *l = &d->lookups[i];
        struct str text = STR_INIT, name = STR_INIT;
        str_addf(&name, "%s:", d->packages[l->package].name);
        str_addf(&text, "%s => %s (%s)", l->soname, *l->path ? l->path : "-",
                 loader_how_name(l->how));
        fact(name.p, text.p);
        str_free(&text);
        str_free(&name);
    }
}

static void print_machine(const struct doctor *d)
{
    const struct host *h = &d->host;
    print_line(OUT_PLAIN, "doctor.machine", *h->distro ? h->distro : "Linux");
    fact("kernel module:", h->module);
    fact("libcuda:", h->library);
    fact("ptxjitcompiler:", h->jit_library);
    fact("no access:", h->no_access);
    fact("container:", h->container);
    fact("Jetson:", h->jetson);
    fact("WSL:", h->wsl ? "yes" : "");
    for (size_t i = 0; i < h->toolkit_count; i++)
        fact(h->toolkits[i].is_default ? "toolkit (default):" : "toolkit:", h->toolkits[i].path);
    fact("ptxas:", h->ptxas);
    for (size_t i = 0; i < h->variable_count; i++)
        if (h->variables[i].value && strcmp(h->variables[i].name, "PATH") != 0 &&
            strcmp(h->variables[i].name, "HOME") != 0)
            fact(h->variables[i].name, h->variables[i].value);
    print_offers(h);
    char version[LINK_VERSION_TEXT];
    fact("GLIBC:", link_version_text(d->glibc, version));
    fact("GLIBCXX:", link_version_text(d->glibcxx, version));
    print_lookups(d);
}

/* ---- packages ---- */

static void add_verdict(struct str *to, const struct judge *j, const struct doctor_gpu *g)
{
    char id[48], cc[16];
    bool few = j->verdict == VERDICT_NO_IMAGE && j->usable;
    snprintf(id, sizeof id, "doctor.v_%s", few ? "few_images" : verdict_name(j->verdict));
    snprintf(cc, sizeof cc, "%u.%u", g->rule.cc / 10, g->rule.cc % 10);
    text_add(to, id, TEXT_ARGS({ "cc", cc }));
}

/* GPUs of one kind are asked once. */
static bool is_repeated(const struct doctor *d, size_t gpu)
{
    for (size_t i = 0; i < gpu; i++)
        if (strcmp(d->gpus[i].name, d->gpus[gpu].name) == 0)
            return true;
    return false;
}

static bool fails_somewhere(const struct doctor *d, const struct doctor_package *p)
{
    for (size_t g = 0; g < d->gpu_count; g++)
        if (judge_fails(&p->judge[g]))
            return true;
    return false;
}

static void add_archs(struct str *to, const struct doctor_package *p, size_t gpu)
{
    if (p->fault[gpu] >= 0)
        holds_add_archs(to, &p->files[p->fault[gpu]].holds);
}

static void add_row(struct grid *g, const struct doctor *d, const struct doctor_package *p,
                    size_t gpu, bool several, bool verbose)
{
    struct str name = STR_INIT, verdict = STR_INIT, archs = STR_INIT;
    str_addf(&name, "%s%s%s", p->name, *p->version ? " " : "", p->version);
    struct str safe = STR_INIT;
    utf8_add_printable(&safe, name.p);
    grid_cell(g, safe.p);
    grid_cell(g, p->cuda);
    grid_cell(g, several ? d->gpus[gpu].name : "");
    add_verdict(&verdict, &p->judge[gpu], &d->gpus[gpu]);
    grid_cell(g, verdict.p);
    if (verbose)
        add_archs(&archs, p, gpu);
    grid_cell(g, archs.p);
    str_free(&name);
    str_free(&safe);
    str_free(&verdict);
    str_free(&archs);
}

static void print_packages(const struct doctor_view *v)
{
    static const struct grid_column columns[] = { { "doctor.title_package", false },
                                                  { "doctor.title_cuda", false },
                                                  { "doctor.title_on", false },
                                                  { "doctor.title_verdict", false },
                                                  { "doctor.title_holds", false } };
    const struct doctor *d = &v->doctor;
    struct grid *grid = grid_new(columns, 5);
    size_t left_out = 0;
    bool several = d->gpu_count > 1;
    /* Those that fail come first, since the first screen is short. */
    for (int pass = 0; pass < 2 && grid; pass++)
        for (size_t i = 0; i < d->package_count; i++) {
            const struct doctor_package *p = &d->packages[i];
            if (!doctor_view_shows(p) || fails_somewhere(d, p) != (pass == 0))
                continue;
            if (!v->verbose && grid_rows(grid) >= PACKAGES_SHOWN) {
                left_out++;
                continue;
            }
            for (size_t g = 0; g < d->gpu_count; g++)
                if (!is_repeated(d, g))
                    add_row(grid, d, p, g, several, v->verbose);
        }
    if (grid && grid_rows(grid))
        grid_print(grid, 0);
    grid_free(grid);
    if (left_out) {
        struct str text = STR_INIT;
        char count[24];
        snprintf(count, sizeof count, "%zu", left_out);
        text_add(&text, "doctor.more_packages", TEXT_ARGS({ "count", count }));
        out_line(OUT_DIM, text.p);
        str_free(&text);
    }
}

/* ---- diagnosis ---- */

static void print_remark(enum out_style style, const char *label_id, const struct remark *remark)
{
    struct str text = STR_INIT;
    doctor_view_add(&text, remark);
    print_line(style, label_id, text.p);
    str_free(&text);
}

static void print_cure(const struct finding_cure *c, const char *label_id)
{
    print_remark(OUT_PLAIN, label_id, &c->what);
    for (size_t i = 0; i < c->command_count; i++) {
        struct str line = STR_INIT;
        utf8_add_printable(&line, c->commands[i]);
        out_pad(LABEL + 2);
        out_line(OUT_BOLD, line.p);
        str_free(&line);
    }
}

static void print_finding(const struct doctor_view *v, const struct finding *f)
{
    struct str text = STR_INIT;
    char id[40];
    snprintf(id, sizeof id, "doctor.conf_%s", finding_confidence_name(f->confidence));
    text_add(&text, "doctor.cause",
             TEXT_ARGS({ "code", doctor_cause_code(f->cause) },
                       { "cause", text_get(doctor_view_cause_text_id(f->cause)) },
                       { "confidence", text_get(id) }));
    print_line(OUT_BAD, "doctor.diagnosis", text.p);
    str_free(&text);
    if (*f->path)
        print_line(OUT_PLAIN, "doctor.fault", f->path);
    for (size_t i = 0; i < f->evidence_count; i++)
        print_remark(OUT_PLAIN, i ? NULL : "doctor.evidence", &f->evidence[i]);
    size_t shown = v->verbose ? f->cure_count : f->cure_count ? 1 : 0;
    for (size_t i = 0; i < shown; i++)
        print_cure(&f->cures[i], i ? "doctor.or" : "doctor.do");
    if (f->sure.id)
        print_remark(OUT_DIM, "doctor.sure", &f->sure);
}

static void print_others(const struct doctor_view *v, const struct finding *diagnosis)
{
    for (size_t i = 0; i < v->findings.count && v->verbose; i++) {
        const struct finding *f = &v->findings.list[i];
        if (f != diagnosis && f->evidence_count)
            print_remark(OUT_DIM, "doctor.others", &f->evidence[0]);
    }
}

static void print_fine(const struct doctor_view *v)
{
    bool any = false;
    for (size_t i = 0; i < v->doctor.package_count; i++)
        any |= doctor_view_shows(&v->doctor.packages[i]);
    bool whole = !v->doctor.unread_count && !v->doctor.partial, card = v->doctor.gpu_count > 0;
    print_line(whole && card ? OUT_GOOD : OUT_DOUBTFUL, "doctor.diagnosis",
               text_get(v->doctor.error && whole ? "doctor.fine_error"
                        : v->doctor.error        ? "doctor.fine_error_part"
                        : !whole                 ? "doctor.fine_part"
                        : any && !card           ? "doctor.fine_no_card"
                        : any                    ? "doctor.fine"
                                                 : "doctor.fine_nothing"));
}

/* What could not be read, by the first of it. */
static void print_unread(const struct doctor *d)
{
    struct str text = STR_INIT, path = STR_INIT;
    char count[24];
    if (!d->unread_count)
        return;
    snprintf(count, sizeof count, "%zu", d->unread_count);
    utf8_add_printable(&path, d->unread);
    text_add(&text, d->unread_count == 1 ? "doctor.unread_one" : "doctor.unread",
             TEXT_ARGS({ "count", count }, { "path", path.p }));
    out_wrapped(OUT_DOUBTFUL, 0, text.p);
    str_free(&text);
    str_free(&path);
}

void doctor_text_print(const struct doctor_view *v)
{
    const struct finding *diagnosis = doctor_view_diagnosis(v);
    print_gpus(v);
    print_envs(&v->doctor);
    if (v->verbose)
        print_machine(&v->doctor);
    print_packages(v);
    out_line(OUT_PLAIN, "");
    if (diagnosis)
        print_finding(v, diagnosis);
    else
        print_fine(v);
    print_others(v, diagnosis);
    print_unread(&v->doctor);
    if (v->doctor.partial) {
        struct str text = STR_INIT;
        char seconds[24];
        snprintf(seconds, sizeof seconds, "%u", DOCTOR_TIME_MS / 1000);
        text_add(&text, "doctor.partial", TEXT_ARGS({ "seconds", seconds }));
        out_wrapped(OUT_DOUBTFUL, 0, text.p);
        str_free(&text);
    }
}
