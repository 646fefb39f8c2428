#include <stdio.h>
#include <string.h>

#include "doctor/host_parts.h"

#define SMALL_FILE 65536u

static void read_wsl(struct host *h)
{
    struct str text = STR_INIT;
    const char *library = "/usr/lib/wsl/lib/libcuda.so.1";
    h->wsl = root_read(h->sysroot, "/proc/version", SMALL_FILE, &text) &&
             (strcasestr(text.p, "microsoft") || strcasestr(text.p, "wsl"));
    if (h->wsl && root_kind(h->sysroot, library) == OS_FILE_REGULAR)
        str_copy(h->wsl_library, sizeof h->wsl_library, library);
    str_free(&text);
}

static void read_container(struct host *h)
{
    static const struct {
        const char *mark, *name;
    } groups[] = { { "docker", "docker" },
                   { "kubepods", "kubernetes" },
                   { "libpod", "podman" },
                   { "containerd", "containerd" },
                   { "/lxc/", "lxc" } };
    struct str text = STR_INIT;
    if (root_kind(h->sysroot, "/.dockerenv") == OS_FILE_REGULAR)
        str_copy(h->container, sizeof h->container, "docker");
    else if (root_kind(h->sysroot, "/run/.containerenv") == OS_FILE_REGULAR)
        str_copy(h->container, sizeof h->container, "podman");
    else if (root_kind(h->sysroot, "/.singularity.d") == OS_FILE_FOLDER)
        str_copy(h->container, sizeof h->container, "singularity");
    else if (root_read(h->sysroot, "/proc/1/cgroup", SMALL_FILE, &text))
        for (size_t i = 0; i < sizeof groups / sizeof groups[0] && !*h->container; i++)
            if (strstr(text.p, groups[i].mark))
                str_copy(h->container, sizeof h->container, groups[i].name);
    str_free(&text);
}

/* Compute instances are what a process sees. */
static void read_mig(struct host *h)
{
    struct root_names gpus, parts, inner;
    char path[512];
    root_list(h->sysroot, "/proc/driver/nvidia/capabilities", &gpus);
    for (size_t i = 0; i < gpus.count; i++) {
        snprintf(path, sizeof path, "/proc/driver/nvidia/capabilities/%.64s/mig", gpus.list[i]);
        root_list(h->sysroot, path, &parts);
        for (size_t j = 0; j < parts.count; j++) {
            if (!str_starts(parts.list[j], "gi"))
                continue;
            snprintf(path, sizeof path, "/proc/driver/nvidia/capabilities/%.64s/mig/%.64s",
                     gpus.list[i], parts.list[j]);
            root_list(h->sysroot, path, &inner);
            for (size_t k = 0; k < inner.count; k++)
                h->mig_instances += str_starts(inner.list[k], "ci");
            root_names_free(&inner);
        }
        root_names_free(&parts);
    }
    root_names_free(&gpus);
}

static void read_jetson(struct host *h)
{
    struct str text = STR_INIT;
    bool tegra = root_kind(h->sysroot, "/etc/nv_tegra_release") == OS_FILE_REGULAR;
    if (root_read(h->sysroot, "/proc/device-tree/model", SMALL_FILE, &text) &&
        (tegra || strstr(text.p, "Jetson")))
        snprintf(h->jetson, sizeof h->jetson, "%s", text.p);
    else if (tegra)
        str_copy(h->jetson, sizeof h->jetson, "Jetson");
    str_free(&text);
}

/* "ID=ubuntu" of os-release, quotes off. */
static void release_value(const char *text, const char *name, char *to, size_t size)
{
    size_t length = strlen(name);
    for (const char *line = text; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
        if (strncmp(line, name, length) == 0 && line[length] == '=') {
            const char *value = line + length + 1;
            value += strspn(value, "\"'");
            snprintf(to, size, "%.*s", (int)strcspn(value, "\"'\r\n"), value);
            return;
        }
}

static void read_distro(struct host *h)
{
    struct str text = STR_INIT;
    if (root_read(h->sysroot, "/etc/os-release", SMALL_FILE, &text)) {
        release_value(text.p, "ID", h->distro, sizeof h->distro);
        release_value(text.p, "VERSION_ID", h->distro_version, sizeof h->distro_version);
    }
    str_free(&text);
    static const char *const machines[] = { "x86_64", "aarch64" };
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "/usr/lib/%s-linux-gnu", machines[i]);
        if (!*h->machine && root_kind(h->sysroot, path) == OS_FILE_FOLDER)
            str_copy(h->machine, sizeof h->machine, machines[i]);
    }
}

void host_read_kind(struct host *host)
{
    read_wsl(host);
    read_container(host);
    read_mig(host);
    read_jetson(host);
    read_distro(host);
}
