#include "doctor/finding.h"

#include <stdlib.h>
#include <string.h>

#include "doctor/finding_parts.h"
#include "doctor/packages_scan.h"
#include "doctor/role.h"

#define MATCHES  1000 /* the error text may have this cause */
#define PLACE    3    /* less for each cause that the text points to before */
#define MENTIONS 100  /* the error text names the package */
#define USES     20   /* it names the package that uses the compiler */
#define BASE     20   /* less for what is built on something that cannot run */
#define UNUSED   10   /* less for a compiler that nothing here is known to use */
#define FLOOR    900  /* of those that the text points to */

const char *finding_confidence_name(enum finding_confidence confidence)
{
    static const char *const names[] = { "certain", "likely", "possible" };
    return names[confidence];
}

struct finding *finding_add(struct findings *f, enum doctor_cause cause, int weight)
{
    if (f->count == FINDINGS_MAX)
        return NULL;
    struct finding *finding = &f->list[f->count++];
    *finding = (struct finding){ .cause = cause, .gpu = -1, .package = -1, .weight = weight,
                                 .shown = weight };
    return finding;
}

struct finding *finding_add_of(const struct doctor *d, struct findings *f, enum doctor_cause cause,
                               int weight, size_t package, const char *file, size_t gpu)
{
    struct finding *one = finding_add(f, cause, weight);
    if (!one)
        return NULL;
    one->gpu = (int)gpu;
    one->package = (int)package;
    if (*file)
        packages_path(&d->packages[package], file, one->path);
    return one;
}

struct remark *finding_say(struct finding *finding, const char *id)
{
    static struct remark nowhere;
    if (finding->evidence_count == FINDING_EVIDENCE_MAX) {
        nowhere = remark_new(id);
        return &nowhere;
    }
    struct remark *r = &finding->evidence[finding->evidence_count++];
    *r = remark_new(id);
    return r;
}

/* No kernel of an extension is ever reached where the main libraries of its environment cannot run:
 * its name in a text is where the fault showed, not where it is. */
static bool has_base_that_fails(const struct doctor *d, const struct finding *one)
{
    const struct doctor_package *p = &d->packages[one->package];
    bool fails = false;
    for (size_t i = 0; i < d->package_count && p->role == DOCTOR_EXTENSION && one->gpu >= 0; i++) {
        const struct doctor_package *base = &d->packages[i];
        if (base->env != p->env || strcmp(base->base, p->base) != 0 ||
            base->role != DOCTOR_FRAMEWORK || !base->file_count)
            continue;
        if (!judge_fails(&base->judge[one->gpu]))
            return false;
        fails = true;
    }
    return fails;
}

/* A compiler of another kind than `tool`. */
static bool is_other_compiler(const struct finding *one, enum finding_tool tool)
{
    const char *slash = strrchr(one->path, '/');
    enum finding_tool its = finding_tool_of(slash ? slash + 1 : one->path);
    return tool != FINDING_NO_TOOL && its != FINDING_NO_TOOL && its != tool;
}

/* The text is first about something that no file shows, and names an extension with GPU code: then
 * it means no other. */
static bool means_an_extension(const struct doctor *d, const struct findings *f)
{
    if (!f->error.count || f->error.causes[0] <= CAUSE_A7)
        return false;
    for (size_t i = 0; i < d->package_count; i++)
        if (d->packages[i].file_count && d->packages[i].role == DOCTOR_EXTENSION &&
            role_is_spoken_of(d->error, d->packages[i].name))
            return true;
    return false;
}

/* Of a package that is none of a main library's, and that the text leaves out. */
static bool is_of_another(const struct doctor *d, const struct finding *one)
{
    const struct doctor_package *p = one->package >= 0 ? &d->packages[one->package] : NULL;
    return p && p->role != DOCTOR_FRAMEWORK && !role_is_spoken_of(d->error, p->name);
}

static bool is_compiler(const struct finding *one)
{
    const char *slash = strrchr(one->path, '/');
    return finding_tool_of(slash ? slash + 1 : one->path) != FINDING_NO_TOOL;
}

/* A program that names its floor itself was meant for no older card, whatever images it has; a main
 * library that it brings along names that of its build. */
static bool is_by_floor(const struct doctor *d, const struct findings *f, const struct finding *one)
{
    if (!f->error.count || f->error.causes[0] != CAUSE_A11 || one->cause != CAUSE_A1 ||
        one->package < 0 || d->packages[one->package].role != DOCTOR_PROGRAM)
        return false;
    const struct doctor_package *p = &d->packages[one->package];
    const char *path = p->fault[one->gpu] >= 0 ? p->files[p->fault[one->gpu]].path : "";
    char part[96];
    packages_part_name(path, part, sizeof part);
    return !role_main_library(path) && !role_is_framework_name(part);
}

/* What the text points to first comes first, where files and driver allow several causes. */
static void weigh(const struct doctor *d, struct findings *f)
{
    int unused;
    bool extension = means_an_extension(d, f);
    enum finding_tool named = finding_tool_named(d->error), used = finding_tool_in_use(d, &unused);
    for (size_t i = 0; i < f->count; i++) {
        struct finding *one = &f->list[i];
        int place = doctor_error_place(&f->error, one->cause);
        if (one->cause == CAUSE_A9 && is_other_compiler(one, used))
            one->weight -= UNUSED;
        if ((extension && place > 0 && is_of_another(d, one)) || is_by_floor(d, f, one))
            place = -1;
        if (place >= 0 && !(one->cause == CAUSE_A10 && is_other_compiler(one, named)))
            one->weight += MATCHES - PLACE * place;
        if (one->package >= 0 && has_base_that_fails(d, one))
            one->weight -= BASE;
        else if (d->error && one->package >= 0 &&
                 role_is_spoken_of(d->error, d->packages[one->package].name))
            one->weight += is_compiler(one) ? USES : MENTIONS;
        bool against = d->error && place < 0;
        if ((against || d->partial) && one->confidence == FINDING_CERTAIN)
            one->confidence = FINDING_LIKELY;
    }
}

/* Heavier first; among equals the one found first, which `package` and `gpu` tell. */
static int by_weight(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    return x->gpu - y->gpu;
}

/* What would make it certain: the message, the folder that was not looked at, a try on the machine. */
static void put_sure(const struct doctor *d, struct finding *one)
{
    bool unfound = one->cause <= CAUSE_A8 && !*one->path;
    if (one->confidence != FINDING_CERTAIN)
        one->sure = remark_new(!d->error ? "sure.error" : unfound ? "sure.folder" : "sure.probe");
}

int findings_find(const struct doctor *d, struct findings *f, struct err *err)
{
    *f = (struct findings){ .list = calloc(FINDINGS_MAX, sizeof *f->list) };
    if (!f->list)
        return err_set(err, ERR_MEMORY, "out of memory");
    doctor_error_read(d->error, &f->error);
    finding_driver(d, f);
    finding_packages(d, f);
    finding_libraries(d, f);
    finding_copies(d, f);
    weigh(d, f);
    if (f->count)
        qsort(f->list, f->count, sizeof *f->list, by_weight);
    if (f->error.count && (!f->count || f->list[0].weight < FLOOR)) {
        finding_error(d, f);
        qsort(f->list, f->count, sizeof *f->list, by_weight);
    }
    for (size_t i = 0; i < f->count && i < 8; i++) {
        put_sure(d, &f->list[i]);
        finding_cure(d, &f->list[i]);
    }
    return 0;
}

void findings_free(struct findings *f)
{
    free(f->list);
    *f = (struct findings){ 0 };
}
