#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor_view.h"
#include "core/json.h"
#include "core/os.h"
#include "doctor/link.h"
#include "doctor/pci.h"

#define SMALL_FILE 65536u

/* Creates the folders above a file of the snapshot. */
static int make_folders(char *path, struct err *err)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        int rc = mkdir(path, 0755);
        *p = '/';
        if (rc && errno != EEXIST)
            return err_errno(err, "cannot make the folder '%s'", path);
    }
    return 0;
}

static int write_text(const char *folder, const char *name, const char *text, struct err *err)
{
    char path[ROOT_PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s", folder, name) >= (int)sizeof path)
        return err_set(err, ERR_LIMIT, "the path of '%s' is too long", name);
    if (make_folders(path, err))
        return -1;
    FILE *f = fopen(path, "w");
    if (!f)
        return err_errno(err, "cannot write '%s'", path);
    bool written = fputs(text, f) >= 0;
    if (fclose(f) || !written)
        return err_errno(err, "cannot write '%s'", path);
    return 0;
}

/* A small file as it is; one that is not there is left out. */
static int copy(const struct doctor *d, const char *folder, const char *name, struct err *err)
{
    struct str text = STR_INIT;
    int rc = 0;
    if (root_read(d->sysroot, name, SMALL_FILE, &text))
        rc = write_text(folder, name, text.p, err);
    str_free(&text);
    return rc;
}

/* The link by which sysfs names the kernel driver that holds a card. */
static int link_driver(const struct doctor_gpu *g, const char *folder, struct err *err)
{
    char path[ROOT_PATH_MAX], target[128];
    if (!*g->kernel_driver)
        return 0;
    snprintf(target, sizeof target, "../../../../bus/pci/drivers/%s", g->kernel_driver);
    if (snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/driver", folder, g->slot) >=
            (int)sizeof path ||
        (symlink(target, path) && errno != EEXIST))
        return err_errno(err, "cannot write '%s'", path);
    return 0;
}

/* Device nodes and marks of containers, as empty files: that they are there is all that counts. */
static int write_marks(const struct doctor *d, const char *folder, struct err *err)
{
    char name[32];
    if (d->host.has_control_node && write_text(folder, "/dev/nvidiactl", "", err))
        return -1;
    if (d->host.has_uvm_node && write_text(folder, "/dev/nvidia-uvm", "", err))
        return -1;
    for (size_t i = 0; i < d->host.device_nodes && i < 64; i++) {
        snprintf(name, sizeof name, "/dev/nvidia%zu", i);
        if (write_text(folder, name, "", err))
            return -1;
    }
    if (d->host.nodes_known && write_text(folder, "/dev/null", "", err))
        return -1;
    return strcmp(d->host.container, "docker") == 0 ? write_text(folder, "/.dockerenv", "", err)
                                                    : 0;
}

static int copy_gpus(const struct doctor *d, const char *folder, struct err *err)
{
    static const char *const files[] = { "vendor", "device", "class", "subsystem_vendor",
                                         "subsystem_device" };
    char name[256];
    for (size_t g = 0; g < d->gpu_count; g++) {
        if (!*d->gpus[g].slot)
            continue;
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            snprintf(name, sizeof name, "/sys/bus/pci/devices/%s/%s", d->gpus[g].slot, files[i]);
            if (copy(d, folder, name, err))
                return -1;
        }
        if (link_driver(&d->gpus[g], folder, err))
            return -1;
    }
    return 0;
}

/* "/home/anna/env" without the name: /home/user/env. */
static void add_anonymous(struct str *to, const char *value, const char *home)
{
    size_t length = home ? strlen(home) : 0;
    while (*value) {
        if (length > 1 && strncmp(value, home, length) == 0) {
            str_add(to, "/home/user");
            value += length;
        } else {
            str_add_bytes(to, value++, 1);
        }
    }
}

static int write_variables(const struct doctor *d, const char *folder, struct err *err)
{
    const char *home = host_variable(&d->host, "HOME");
    struct str text = STR_INIT;
    for (size_t i = 0; i < d->host.variable_count; i++) {
        const struct host_variable *v = &d->host.variables[i];
        if (!v->value || strcmp(v->name, "HOME") == 0 || strchr(v->value, '\n'))
            continue;
        str_addf(&text, "%s=", v->name);
        add_anonymous(&text, v->value, home);
        str_add(&text, "\n");
    }
    int rc = write_text(folder, "/env.txt", text.p, err);
    str_free(&text);
    return rc;
}

/* The driver's libraries are stood in for by empty files; what they are called is what counts. */
static int write_libraries(const struct doctor *d, const char *folder, struct err *err)
{
    struct str text = STR_INIT;
    const char *const paths[] = { d->host.library, d->host.jit_library };
    int rc = 0;
    str_addf(&text, "%d libs found in cache `/etc/ld.so.cache'\n", 2);
    for (size_t i = 0; i < 2 && !rc; i++) {
        char real[ROOT_PATH_MAX];
        const char *slash = strrchr(paths[i], '/');
        if (!slash || !root_real(d->sysroot, paths[i], real))
            continue;
        str_addf(&text, "\t%s (libc6) => %s\n", slash + 1, real);
        rc = write_text(folder, real, "", err);
    }
    if (!rc)
        rc = write_text(folder, "/ldconfig.txt", text.p, err);
    str_free(&text);
    return rc;
}

/* The package manager's offers as a list of apt's, or a file like dnf's. */
static int write_offers(const struct doctor *d, const char *folder, struct err *err)
{
    struct str apt = STR_INIT, dnf = STR_INIT;
    int rc = 0;
    for (size_t i = 0; i < d->host.offer_count; i++) {
        const struct host_offer *o = &d->host.offers[i];
        if (*o->version)
            str_addf(&apt, "Package: %s\nVersion: %s\n\n", o->package, o->version);
        else
            str_addf(&dnf, "%s\n", o->package);
    }
    if (apt.len)
        rc = write_text(folder, "/var/lib/apt/lists/snapshot_non-free_Packages", apt.p, err);
    if (!rc && dnf.len)
        rc = write_text(folder, "/var/cache/dnf/rpmfusion-snapshot.solv", dnf.p, err);
    str_free(&apt);
    str_free(&dnf);
    return rc;
}

static int write_notes(const struct doctor *d, const char *folder, struct err *err)
{
    struct str text = STR_INIT;
    char version[LINK_VERSION_TEXT];
    int rc = 0;
    if (*d->host.no_access) {
        str_addf(&text, "%s 0 %s no\n", d->host.no_access, d->host.node_group);
        rc = write_text(folder, "/devices.txt", text.p, err);
        str_clear(&text);
    }
    if (d->glibc)
        str_addf(&text, "GLIBC %s\n", link_version_text(d->glibc, version));
    if (d->glibcxx)
        str_addf(&text, "GLIBCXX %s\n", link_version_text(d->glibcxx, version));
    if (!rc && text.len)
        rc = write_text(folder, "/glibc.txt", text.p, err);
    str_free(&text);
    return rc;
}

/* Which copy of a library a package gets. */
static json_t *lookup_value(const struct doctor *d, const struct doctor_lookup *l)
{
    struct str path = STR_INIT;
    json_t *o = json_object();
    add_anonymous(&path, l->path, host_variable(&d->host, "HOME"));
    json_put_text(o, "package", d->packages[l->package].name);
    json_put_text(o, "soname", l->soname);
    json_put_text(o, "path", path.len ? path.p : NULL);
    json_put_text(o, "found_by", loader_how_name(l->how));
    str_free(&path);
    return o;
}

/* For who reads the report: the packages' files themselves are far too large to send. */
static int write_packages(const struct doctor *d, const char *folder, struct err *err)
{
    json_t *doc = json_object(), *packages = json_array(), *lookups = json_array();
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *p = &d->packages[i];
        if (!doctor_view_shows(p))
            continue; /* what else somebody has installed is nobody's business */
        json_t *o = doctor_json_package(NULL, p);
        json_put_text(o, "python", p->env >= 0 && *d->envs[p->env].python ? d->envs[p->env].python
                                                                          : NULL);
        json_array_append_new(packages, o);
    }
    for (size_t i = 0; i < d->lookup_count; i++)
        json_array_append_new(lookups, lookup_value(d, &d->lookups[i]));
    json_put(doc, "packages", packages);
    json_put(doc, "lookups", lookups);
    char *text = json_dumps(doc, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(doc);
    if (!text)
        return err_set(err, ERR_MEMORY, "out of memory");
    int rc = write_text(folder, "/packages.json", text, err);
    free(text);
    return rc;
}

int doctor_snapshot_write(const struct doctor_view *v, const char *folder, struct err *err)
{
    static const char *const files[] = { "/sys/module/nvidia/version",
                                         "/proc/driver/nvidia/version", "/proc/version",
                                         "/etc/os-release", "/etc/nv_tegra_release" };
    const struct doctor *d = &v->doctor;
    if (mkdir(folder, 0755) && errno != EEXIST)
        return err_errno(err, "cannot make the folder '%s'", folder);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (copy(d, folder, files[i], err))
            return -1;
    return copy_gpus(d, folder, err) || write_variables(d, folder, err) ||
                   write_libraries(d, folder, err) || write_marks(d, folder, err) ||
                   write_offers(d, folder, err) || write_notes(d, folder, err) ||
                   write_packages(d, folder, err)
               ? -1
               : 0;
}
