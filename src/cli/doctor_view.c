#include "cli/doctor_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/text.h"
#include "data/data.h"
#include "doctor/explain.h"
#include "doctor/explain_text.h"

static bool is_server(const struct target *t)
{
    const struct table *pci = data_table(DATA_PCI);
    if (!t->is_card || t->card.pci_row < 0)
        return false;
    const char *system = table_field(pci, (size_t)t->card.pci_row, "system");
    return strcmp(system, "server") == 0 || strcmp(system, "workstation") == 0;
}

static void set_gpus(struct doctor_view *v)
{
    struct doctor *d = &v->doctor;
    for (size_t i = 0; i < v->targets.count && i < DOCTOR_GPUS_MAX; i++) {
        const struct target *t = &v->targets.list[i];
        struct doctor_gpu *g = &d->gpus[d->gpu_count++];
        *g = (struct doctor_gpu){ .rule = t->rule, .present = t->how == TARGET_PCI };
        str_copy(g->name, sizeof g->name, t->name);
        str_copy(g->pci_id, sizeof g->pci_id, t->pci_id);
        str_copy(g->slot, sizeof g->slot, t->slot);
        str_copy(g->kernel_driver, sizeof g->kernel_driver, t->kernel_driver);
        g->server = is_server(t);
    }
}

/* TEXT, @FILE, or - for standard input. */
static int read_error(struct doctor_view *v, const char *error, struct err *err)
{
    bool input = strcmp(error, "-") == 0;
    struct str bytes = STR_INIT;
    if (!input && *error != '@') {
        str_add(&v->error_text, error);
        return v->error_text.failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
    }
    int rc = explain_read(input ? error : error + 1, &bytes, &v->error_cut, err);
    if (!rc)
        rc = explain_text_decode(bytes.p, bytes.len, &v->error_text, err);
    str_free(&bytes);
    if (rc)
        return err_wrap(err, "--error");
    for (size_t i = 0; i < v->error_text.len; i++)
        if (!v->error_text.p[i])
            v->error_text.p[i] = ' ';
    return 0;
}

int doctor_view_open(struct doctor_view *v, const struct cmd_globals *globals,
                     const struct doctor_request *request, const char *error, struct err *err)
{
    const char *sysroot = v->image_root ? v->image_root : globals->sysroot ? globals->sysroot : "";
    v->error_text = (struct str)STR_INIT;
    v->verbose = globals->verbose;
    v->doctor.image = v->image_root != NULL;
    if (target_find(globals, &v->targets, err) || (error && read_error(v, error, err)))
        return -1;
    v->doctor.sysroot = sysroot;
    v->doctor.error = error ? v->error_text.p : NULL;
    set_gpus(v);
    host_read(sysroot, &v->doctor.host);
    if (doctor_run(&v->doctor, request, err))
        return -1;
    return findings_find(&v->doctor, &v->findings, err);
}

void doctor_view_note_cut(void)
{
    struct str note = STR_INIT, size = STR_INIT;
    out_add_size(&size, EXPLAIN_BYTES_MAX);
    text_add(&note, "explain.cut", TEXT_ARGS({ "size", size.p }));
    out_note("%s", note.p);
    str_free(&note);
    str_free(&size);
}

void doctor_view_free(struct doctor_view *v)
{
    findings_free(&v->findings);
    doctor_free(&v->doctor);
    target_free(&v->targets);
    str_free(&v->error_text);
}

/* What keeps nobody from running: slow starts, toolkits that nothing uses, the order of devices.
 * Where there is an error that no table knows, the first three are better than nothing. */
static bool is_advice(const struct doctor_view *v, const struct finding *f)
{
    bool unknown = v->doctor.error && !v->findings.error.count;
    return f->weight < (unknown ? 20 : 48);
}

const struct finding *doctor_view_diagnosis(const struct doctor_view *v)
{
    const struct finding *first = v->findings.count ? &v->findings.list[0] : NULL;
    return first && !is_advice(v, first) ? first : NULL;
}

bool doctor_view_shows(const struct doctor_package *p)
{
    if (p->cpu_build)
        return true;
    for (size_t i = 0; i < p->file_count; i++)
        if (!p->files[i].nvidia)
            return true;
    return false;
}

bool doctor_view_unfit(const struct doctor_view *v)
{
    return doctor_view_diagnosis(v) != NULL;
}

void doctor_view_add(struct str *to, const struct remark *remark)
{
    struct text_arg args[REMARK_ARGS_MAX + 1] = { { NULL, NULL } };
    for (size_t i = 0; i < remark->arg_count; i++)
        args[i] =
            (struct text_arg){ remark->args[i].name, strcmp(remark->args[i].name, "confidence") == 0
                                                         ? text_word(remark->args[i].value)
                                                         : remark->args[i].value };
    if (remark->id)
        text_add(to, remark->id, args);
}

static const char *cause_field(enum doctor_cause cause, const char *column)
{
    const struct table *t = data_table(DATA_CAUSES);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_field(t, row, "id"), doctor_cause_code(cause)) == 0)
            return table_field(t, row, column);
    return "?";
}

const char *doctor_view_cause_name(enum doctor_cause cause)
{
    return cause_field(cause, "name");
}

const char *doctor_view_cause_text_id(enum doctor_cause cause)
{
    return cause_field(cause, "text");
}
