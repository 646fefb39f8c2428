#include "doctor/doctor.h"

#include <stdio.h>
#include <string.h>

#include "core/os.h"
#include "doctor/compilers.h"
#include "doctor/copies.h"
#include "doctor/envs.h"
#include "doctor/lookups.h"
#include "doctor/packages.h"
#include "doctor/role.h"

static bool is_given(const struct doctor_request *request, const char *folder)
{
    for (size_t i = 0; i < request->app_count; i++)
        if (strcmp(request->apps[i], folder) == 0)
            return true;
    return false;
}

static int find_environments(struct doctor *d, const struct doctor_request *request,
                             struct err *err)
{
    if (!request->python_count)
        envs_find(d);
    for (size_t i = 0; i < request->python_count; i++) {
        const char *folder = request->pythons[i];
        if (root_kind(d->sysroot, folder) != OS_FILE_FOLDER)
            return err_set(err, ERR_IO, "no folder '%s'", folder);
        if (!envs_add_given(d, folder))
            return err_set(err, ERR_MISSING, "no Python packages (site-packages) in '%s'", folder);
    }
    return 0;
}

static int find_apps(struct doctor *d, const struct doctor_request *request, struct err *err)
{
    for (size_t i = 0; i < request->app_count; i++) {
        enum os_file_kind kind = root_kind(d->sysroot, request->apps[i]);
        if (kind != OS_FILE_FOLDER)
            return err_set(err, ERR_IO, "no folder '%s'", request->apps[i]);
        if (packages_of_app(d, request->apps[i], err))
            return -1;
    }
    d->unasked = true;
    return 0;
}

static int find_packages(struct doctor *d, const struct doctor_request *request, struct err *err)
{
    d->deadline_ns =
        os_now_ns() + (request->time_ms ? request->time_ms : DOCTOR_TIME_MS) * 1000000u;
    d->only_pytorch = request->only_pytorch;
    if (find_environments(d, request, err))
        return -1;
    for (size_t i = 0; i < d->env_count; i++)
        if (packages_of_env(d, i, err) || (!d->only_pytorch && packages_of_links(d, i, err)))
            return -1;
    if (d->only_pytorch)
        return 0;
    if (find_apps(d, request, err) ||
        packages_of_torch_extensions(d, request->apps, request->app_count, err))
        return -1;
    d->local_is_app = is_given(request, "/usr/local");
    if (request->python_count ? packages_of_nvidia(d, err)
                              : packages_of_system(d, !request->app_count, err))
        return -1;
    copies_find(d);
    return 0;
}

int doctor_run(struct doctor *d, const struct doctor_request *request, struct err *err)
{
    if (find_packages(d, request, err))
        return -1;
    compilers_conclude(d);
    role_assign(d);
    if (!d->only_pytorch)
        lookups_find(d);
    return 0;
}

void doctor_free(struct doctor *d)
{
    packages_free(d);
    host_free(&d->host);
}
