#include "cli/home_torch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sentence.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/utf8.h"

#define TIME_MS 5000u

int home_torch_open(struct doctor_view *v, const struct cmd_globals *globals, struct err *err)
{
    const struct doctor_request request = { .only_pytorch = true, .time_ms = TIME_MS };
    return doctor_view_open(v, globals, &request, NULL, err);
}

const struct doctor_package *home_torch_package(const struct doctor_view *v)
{
    for (size_t i = 0; i < v->doctor.package_count; i++) {
        const struct doctor_package *p = &v->doctor.packages[i];
        if ((strcmp(p->name, "torch") == 0 || strcmp(p->name, "pytorch") == 0) &&
            (p->file_count || p->cpu_build))
            return p;
    }
    return NULL;
}

bool home_torch_unfit(const struct doctor_view *v)
{
    const struct doctor_package *p = home_torch_package(v);
    for (size_t g = 0; p && g < v->doctor.gpu_count; g++)
        if (judge_fails(&p->judge[g]))
            return true;
    return false;
}

/* "~/env" for what is below the user's home. */
static void add_folder(struct str *to, const struct doctor_view *v, const struct doctor_package *p)
{
    const char *path = p->env >= 0 ? v->doctor.envs[p->env].path : p->base;
    const char *home = *v->doctor.sysroot ? NULL : getenv("HOME");
    size_t length = home ? strlen(home) : 0;
    if (length > 1 && strncmp(path, home, length) == 0 && path[length] == '/')
        str_addf(to, "~%s", path + length);
    else
        str_add(to, path);
}

static void cell(struct grid *g, const char *text)
{
    struct str safe = STR_INIT;
    utf8_add_printable(&safe, text);
    grid_cell(g, safe.p);
    str_free(&safe);
}

static void add_first(struct grid *g, const struct doctor_view *v, const struct doctor_package *p,
                      size_t gpu)
{
    const struct judge *j = &p->judge[gpu];
    struct str text = STR_INIT, folder = STR_INIT, name = STR_INIT, error = STR_INIT;
    char id[48], cc[16];
    unsigned number = v->doctor.gpus[gpu].rule.cc;
    add_folder(&folder, v, p);
    str_addf(&name, "%s%s%s", p->name, *p->version ? " " : "", p->version);
    snprintf(cc, sizeof cc, "%u.%u", number / 10, number % 10);
    snprintf(id, sizeof id, "home.torch_%s", p->cpu_build ? "cpu" : verdict_name(j->verdict));
    if (judge_fails(j))
        sentence_error(&error, &j->why);
    text_add(&text, id,
             TEXT_ARGS({ "package", name.p }, { "folder", folder.p }, { "cc", cc },
                       { "error", error.p }));
    cell(g, text.p);
    str_free(&text);
    str_free(&folder);
    str_free(&name);
    str_free(&error);
}

void home_torch_add(struct grid *g, const struct doctor_view *v, size_t gpu,
                    void (*label)(struct grid *g, const char *title_id))
{
    const struct doctor_package *p = home_torch_package(v);
    if (!p || gpu >= v->doctor.gpu_count)
        return;
    label(g, "home.torch");
    add_first(g, v, p, gpu);
    if (p->fault[gpu] < 0)
        return;
    struct str text = STR_INIT, archs = STR_INIT;
    const struct doctor_file *file = &p->files[p->fault[gpu]];
    holds_add_archs(&archs, &file->holds);
    text_add(&text, "home.torch_has", TEXT_ARGS({ "path", file->path }, { "archs", archs.p }));
    label(g, NULL);
    cell(g, text.p);
    str_free(&text);
    str_free(&archs);
}

json_t *home_torch_json(const struct doctor_view *v, size_t gpu)
{
    const struct doctor_package *p = home_torch_package(v);
    if (!p || gpu >= v->doctor.gpu_count)
        return json_null();
    json_t *o = json_object();
    struct str archs = STR_INIT;
    const struct doctor_file *file = p->fault[gpu] >= 0 ? &p->files[p->fault[gpu]] : NULL;
    if (file)
        holds_add_archs(&archs, &file->holds);
    json_put_text(o, "name", p->name);
    json_put_filled(o, "version", p->version);
    json_put_text(o, "folder", p->base);
    json_put_text(o, "path", file ? file->path : NULL);
    json_put_filled(o, "archs", archs.p);
    json_put_text(o, "verdict", verdict_name(p->judge[gpu].verdict));
    str_free(&archs);
    return o;
}
