#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/doctor_view.h"
#include "core/os.h"
#include "doctor/saved_image.h"

#define FOLDERS_MAX 64
/* An image takes two steps, which together stay below a minute. */
#define UNPACK_MS 35000u
#define IMAGE_MS  20000u

struct doctor_options {
    struct opts_list pythons;
    const char *error, *snapshot, *image;
};

#define OPTION(field) offsetof(struct doctor_options, field)

static const struct opt options[] = {
    { 0, "python", OPTS_LIST, "DIR", NULL, "opt.python", OPTION(pythons) },
    { 0, "image", OPTS_TEXT, "FILE", NULL, "opt.image", OPTION(image) },
    { 0, "error", OPTS_TEXT, "TEXT|@FILE|-", NULL, "opt.error", OPTION(error) },
    { 0, "snapshot", OPTS_TEXT, "DIR", NULL, "opt.snapshot", OPTION(snapshot) },
    OPTS_END,
};

/* Folders as the machine names them: absolute, without "." and links. In a saved tree they are that
 * machine's, which a relative one is below the root of. The caller frees. */
static char *absolute(bool elsewhere, const char *folder)
{
    struct str path = STR_INIT;
    if (elsewhere) {
        str_addf(&path, "%s%s", *folder == '/' ? "" : "/", folder);
        char *copy = path.failed ? NULL : strdup(path.p);
        str_free(&path);
        return copy;
    }
    char *real = realpath(folder, NULL);
    return real ? real : strdup(folder);
}

static void free_all(char **folders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(folders[i]);
}

/* A folder that is not there is told and left out: the rest is still worth an answer. */
static bool is_there(struct cmd_run *run, const char *sysroot, const char *folder)
{
    struct err problem;
    if (root_kind(sysroot, folder) == OS_FILE_FOLDER)
        return true;
    err_clear(&problem);
    err_set(&problem, ERR_IO, "no folder '%s'", folder);
    cmd_problem(run, NULL, &problem);
    return false;
}

/* The empty word is what a variable that is not set leaves behind: it would be the whole disk. */
static int refuse_empty(const struct cmd_run *run, struct err *err)
{
    for (size_t i = 0; i < run->operand_count; i++)
        if (!*run->operands[i])
            return err_set(err, ERR_USAGE, "FOLDER is empty");
    return 0;
}

/* --image FILE, or an image where --python wants a folder. */
static const char *image_of(const struct doctor_options *o)
{
    if (o->image || o->pythons.count != 1)
        return o->image;
    return os_file_kind(o->pythons.items[0]) == OS_FILE_REGULAR ? o->pythons.items[0] : NULL;
}

static int look(struct cmd_run *run, struct doctor_view *v, char **pythons, char **apps,
                struct err *err)
{
    const struct doctor_options *o = run->options;
    const char *saved = run->globals->sysroot ? run->globals->sysroot : "";
    const char *sysroot = v->image_root ? v->image_root : saved;
    bool is_image = !o->image && image_of(o); /* the folder that was given is one */
    struct doctor_request request = {
        .pythons = (const char *const *)pythons,
        .python_count = is_image ? 0 : o->pythons.count,
        .apps = (const char *const *)apps,
        .time_ms = v->image_root ? IMAGE_MS : 0,
    };
    for (size_t i = 0; i < request.python_count; i++)
        pythons[i] = absolute(*sysroot, o->pythons.items[i]);
    for (size_t i = 0; i < run->operand_count; i++) {
        char *folder = absolute(*sysroot, run->operands[i]);
        if (!folder)
            return err_set(err, ERR_MEMORY, "out of memory");
        if (is_there(run, sysroot, folder))
            apps[request.app_count++] = folder;
        else
            free(folder);
    }
    for (size_t i = 0; i < request.python_count; i++)
        if (!pythons[i])
            return err_set(err, ERR_MEMORY, "out of memory");
    return doctor_view_open(v, run->globals, &request, o->error, err);
}

static int open_image(struct cmd_run *run, struct saved_image *image, struct doctor_view *v,
                      char root[ROOT_PATH_MAX], struct err *err)
{
    const char *file = image_of(run->options);
    if (!file)
        return 0;
    if (saved_image_open(file, os_now_ns() + UNPACK_MS * 1000000ull, image, err))
        return -1;
    snprintf(root, ROOT_PATH_MAX, "%s/root", image->folder);
    v->image_root = root;
    v->doctor.partial = image->partial;
    v->doctor.unread_count = image->damage_count;
    v->doctor.unread_why = image->damage;
    str_copy(v->doctor.unread, sizeof v->doctor.unread, image->damaged);
    return 0;
}

/* Each run says on stderr and in errors[] what it could not look at, and fails: "nothing wrong"
 * would be said of what nobody has seen. */
static void tell_unread(struct cmd_run *run, const struct doctor *d)
{
    struct err problem;
    char more[64] = "";
    if (!d->unread_count)
        return;
    if (d->unread_count > 1)
        snprintf(more, sizeof more, " (and %zu more)", d->unread_count - 1);
    err_clear(&problem);
    err_set(&problem, d->unread_why.code, "cannot read '%.150s': %.120s%s", d->unread,
            d->unread_why.msg, more);
    cmd_problem(run, d->unread, &problem);
}

static int run(struct cmd_run *run, struct err *err)
{
    char *pythons[OPTS_LIST_MAX] = { NULL }, *apps[FOLDERS_MAX] = { NULL }, root[ROOT_PATH_MAX];
    struct doctor_view v = { .error_text = STR_INIT };
    struct saved_image image = { .folder = "" };
    int status = CMD_DONE;
    if (refuse_empty(run, err) || open_image(run, &image, &v, root, err)) {
        saved_image_close(&image);
        return -1;
    }
    if (look(run, &v, pythons, apps, err)) {
        status = -1;
    } else {
        const struct doctor_options *o = run->options;
        struct err problem;
        err_clear(&problem);
        if (o->snapshot && doctor_snapshot_write(&v, o->snapshot, &problem))
            cmd_problem(run, NULL, &problem);
        tell_unread(run, &v.doctor);
        if (v.error_cut)
            doctor_view_note_cut();
        target_note(&v.targets);
        if (run->doc)
            doctor_json_fill(run->doc, &v);
        else
            doctor_text_print(&v);
        status = doctor_view_unfit(&v) ? CMD_NOT_FIT : CMD_DONE;
    }
    doctor_view_free(&v);
    saved_image_close(&image);
    free_all(pythons, OPTS_LIST_MAX);
    free_all(apps, FOLDERS_MAX);
    return status;
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .operands = "[FOLDER...]",
    .summary_id = "cmd.doctor",
    .about_id = "about.doctor",
    .options = options,
    .options_size = sizeof(struct doctor_options),
    .uses = CMD_USES_CARD | CMD_USES_SYSROOT,
    .operands_most = FOLDERS_MAX,
    .basis = "documented",
    .examples = { { "doctor", "example.doctor" },
                  { "doctor --python ~/env --assume 920m", "example.doctor_python" },
                  { "doctor --error 'no kernel image is available'", "example.doctor_error" } },
    .statuses = { { CMD_DONE, "exit.doctor_fine" },
                  { CMD_FAILED, "exit.doctor_failed" },
                  { CMD_NOT_FIT, "exit.doctor_unfit" } },
    .run = run,
};
