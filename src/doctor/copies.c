#include "doctor/copies.h"

#include <stdio.h>
#include <string.h>

#include "doctor/holds.h"

static void compare(struct doctor *d, const char *folder, const char *name)
{
    char own[ROOT_PATH_MAX], real[ROOT_PATH_MAX], other[ROOT_PATH_MAX];
    struct loader_hit hit;
    if (d->copy_count == DOCTOR_COPIES_MAX || strlen(name) >= sizeof d->copies[0].soname)
        return;
    snprintf(own, sizeof own, "%.3000s/%.255s", folder, name);
    loader_find(&d->host.loader, name, NULL, &hit);
    if (hit.how != LOADER_ENVIRONMENT || !root_real(d->sysroot, own, real) ||
        !root_real(d->sysroot, hit.path, other) || strcmp(real, other) == 0)
        return;
    struct doctor_copy *copy = &d->copies[d->copy_count++];
    str_copy(copy->soname, sizeof copy->soname, name);
    str_copy(copy->wins, sizeof copy->wins, hit.path);
    str_copy(copy->other, sizeof copy->other, own);
    copy->how = hit.how;
}

static void in_folder(struct doctor *d, const char *folder)
{
    struct root_names names;
    root_list(d->sysroot, folder, &names);
    for (size_t i = 0; i < names.count; i++)
        if (holds_is_nvidia_file(names.list[i]) && strstr(names.list[i], ".so."))
            compare(d, folder, names.list[i]);
    root_names_free(&names);
}

/* conda's lib, torch/lib, nvidia/<library>/lib of PyPI. */
static void in_env(struct doctor *d, const struct doctor_env *e)
{
    struct root_names names;
    char folder[1200];
    snprintf(folder, sizeof folder, "%s/lib", e->path);
    in_folder(d, folder);
    snprintf(folder, sizeof folder, "%s/torch/lib", e->site);
    in_folder(d, folder);
    snprintf(folder, sizeof folder, "%s/nvidia", e->site);
    root_list(d->sysroot, folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        snprintf(folder, sizeof folder, "%s/nvidia/%.64s/lib", e->site, names.list[i]);
        in_folder(d, folder);
    }
    root_names_free(&names);
}

void copies_find(struct doctor *d)
{
    if (!*d->host.loader.library_path)
        return;
    for (size_t i = 0; i < d->env_count; i++)
        in_env(d, &d->envs[i]);
}
