#include <stdio.h>
#include <string.h>

#include "doctor/finding_parts.h"
#include "doctor/link.h"
#include "doctor/role.h"

/* Which copies of libraries are taken, by whom, and which are missing. */
enum {
    W_COPY = 25,
    W_MIX = 22,
    W_TAKEN_OVER = 27,
    W_NAMED_COPY = 28,
    W_NO_COPY = 24,
    W_OLD_SYSTEM = 83,
    W_OLD_CXX = 44 /* many bring a libstdc++ of their own */
};

static void copies(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->copy_count; i++) {
        const struct doctor_copy *c = &d->copies[i];
        bool named = d->error && role_is_file_spoken_of(d->error, c->wins);
        struct finding *one = finding_add(f, CAUSE_A18, named ? W_NAMED_COPY : W_COPY);
        if (!one)
            return;
        one->confidence = FINDING_LIKELY;
        if (!root_real(d->sysroot, c->wins, one->path))
            str_copy(one->path, sizeof one->path, c->wins);
        struct remark *r = finding_say(one, "doctor.copy");
        remark_put(r, "soname", c->soname);
        remark_put(r, "path", c->wins);
        remark_put(r, "other", c->other);
    }
}

/* Two installers have written over each other: which libraries are loaded depends on who came last.
 */
static void mixes(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->mix_count; i++) {
        const struct doctor_mix *m = &d->mixes[i];
        const struct doctor_package *p = &d->packages[m->package];
        struct finding *one = finding_add(f, CAUSE_A18, W_MIX);
        if (!one)
            return;
        one->package = m->package;
        one->confidence = FINDING_LIKELY;
        struct remark *r = finding_say(one, "doctor.mix");
        remark_putf(r, "package", "%s %s", p->name, p->version);
        remark_putf(r, "conda", "%s %s", m->conda_name, m->conda_version);
    }
}

/* LD_LIBRARY_PATH decides what a package's own file gets, though it names a folder of its own. */
static void taken_over(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->lookup_count; i++) {
        const struct doctor_lookup *l = &d->lookups[i];
        if (l->how != LOADER_ENVIRONMENT || str_starts(l->soname, "libcuda.so"))
            continue;
        const struct doctor_copy *own = NULL;
        for (size_t k = 0; k < d->copy_count; k++)
            if (strcmp(d->copies[k].soname, l->soname) == 0)
                own = &d->copies[k];
        struct finding *one = own ? finding_add(f, CAUSE_A18, W_TAKEN_OVER) : NULL;
        if (!one)
            continue;
        one->package = l->package;
        one->confidence = FINDING_LIKELY;
        str_copy(one->path, sizeof one->path, own->wins);
        struct remark *r = finding_say(one, "doctor.taken_over");
        remark_put(r, "package", d->packages[l->package].name);
        remark_put(r, "soname", l->soname);
        remark_put(r, "path", l->path);
        remark_put(r, "other", own->other);
    }
}

/* A program that the system's C or C++ library is too old for does not even load. */
static void too_old_system(const struct doctor *d, struct findings *f)
{
    char needed[LINK_VERSION_TEXT], had[LINK_VERSION_TEXT];
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        bool c = d->glibc && p->glibc > d->glibc, cxx = d->glibcxx && p->glibcxx > d->glibcxx;
        struct finding *one =
            c || cxx ? finding_add(f, CAUSE_A19, c ? W_OLD_SYSTEM : W_OLD_CXX) : NULL;
        if (!one)
            continue;
        one->package = (int)i;
        struct remark *r = finding_say(one, "doctor.old_system");
        remark_put(r, "package", p->name);
        remark_put(r, "library", c ? "GLIBC" : "GLIBCXX");
        remark_put(r, "needs", link_version_text(c ? p->glibc : p->glibcxx, needed));
        remark_put(r, "has", link_version_text(c ? d->glibc : d->glibcxx, had));
    }
}

/* Where packages keep libraries that they load by themselves. */
static bool is_somewhere(const struct doctor *d, const struct doctor_package *p, const char *soname)
{
    char path[ROOT_PATH_MAX], folder[2100];
    struct root_names names;
    bool found = false;
    snprintf(folder, sizeof folder, "%.2000s/nvidia", p->base);
    root_list(d->sysroot, folder, &names);
    for (size_t i = 0; i < names.count && !found; i++) {
        snprintf(path, sizeof path, "%s/%.64s/lib/%s", folder, names.list[i], soname);
        found = root_kind(d->sysroot, path) == OS_FILE_REGULAR;
    }
    root_names_free(&names);
    snprintf(path, sizeof path, "%.2000s/torch/lib/%s", p->base, soname);
    found |= root_kind(d->sysroot, path) == OS_FILE_REGULAR;
    if (p->env >= 0) {
        snprintf(path, sizeof path, "%s/lib/%s", d->envs[p->env].path, soname);
        found |= root_kind(d->sysroot, path) == OS_FILE_REGULAR;
    }
    snprintf(path, sizeof path, "%.2000s/%s.libs/%s", p->base, p->name, soname);
    return found || root_kind(d->sysroot, path) == OS_FILE_REGULAR;
}

/* A CUDA library that nothing here has: for another CUDA version than the others. */
static void no_copy(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->lookup_count; i++) {
        const struct doctor_lookup *l = &d->lookups[i];
        const struct doctor_package *p = &d->packages[l->package];
        if (l->how != LOADER_NOWHERE || str_starts(l->soname, "libcuda.so") ||
            is_somewhere(d, p, l->soname))
            continue;
        struct finding *one = finding_add(f, CAUSE_A18, W_NO_COPY);
        if (!one)
            return;
        one->package = l->package;
        one->confidence = FINDING_LIKELY;
        struct remark *r = finding_say(one, "doctor.no_copy");
        remark_putf(r, "package", "%s %s", p->name, p->version);
        remark_put(r, "soname", l->soname);
    }
}

void finding_copies(const struct doctor *d, struct findings *f)
{
    copies(d, f);
    mixes(d, f);
    taken_over(d, f);
    no_copy(d, f);
    too_old_system(d, f);
}
