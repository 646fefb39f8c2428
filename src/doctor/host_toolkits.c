#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "doctor/compilers.h"
#include "doctor/host_parts.h"

#define SMALL_FILE 65536u

/* "11.8.0" or "V11.8.89" to "11.8". */
static bool major_minor(const char *text, char *version, size_t size)
{
    unsigned major, minor;
    while (*text && !isdigit((unsigned char)*text))
        text++;
    if (sscanf(text, "%4u.%4u", &major, &minor) != 2)
        return false;
    snprintf(version, size, "%u.%u", major, minor);
    return true;
}

/* The programs of a toolkit; NULL: it has none of them. */
static const char *compiler_in(const struct host *h, const char path[256], char full[ROOT_PATH_MAX])
{
    static const char *const programs[] = { "bin/ptxas", "bin/nvcc" };
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        char name[300];
        snprintf(name, sizeof name, "%.255s/%s", path, programs[i]);
        if (root_kind(h->sysroot, name) == OS_FILE_REGULAR && root_resolve(h->sysroot, name, full))
            return programs[i];
    }
    return NULL;
}

/* By what a compiler in it says, or ".../cuda-13.0" with one. */
static bool by_compiler(const struct host *h, const char path[256], char *version, size_t size)
{
    char full[ROOT_PATH_MAX];
    const char *dash = strrchr(path, '-');
    return compiler_in(h, path, full) &&
           (compilers_version(full, 0, version, size) ||
            (dash && !strchr(dash, '/') && major_minor(dash, version, size)));
}

/* By version.json (11.1 and newer), version.txt (older), the file name of the runtime library. */
static bool version_of(const struct host *h, const char path[256], char *version, size_t size)
{
    char name[ROOT_PATH_MAX];
    struct str text = STR_INIT;
    bool found = false;
    snprintf(name, sizeof name, "%.255s/version.json", path);
    if (root_read(h->sysroot, name, SMALL_FILE, &text)) {
        json_t *doc = json_loads(text.p, 0, NULL);
        const char *value =
            json_string_value(json_object_get(json_object_get(doc, "cuda"), "version"));
        found = value && major_minor(value, version, size);
        json_decref(doc);
    }
    str_clear(&text);
    snprintf(name, sizeof name, "%.255s/version.txt", path);
    if (!found && root_read(h->sysroot, name, SMALL_FILE, &text))
        found = major_minor(text.p, version, size);
    str_free(&text);
    struct root_names names;
    snprintf(name, sizeof name, "%.255s/lib64", path);
    root_list(h->sysroot, name, &names);
    for (size_t i = 0; i < names.count && !found; i++)
        if (str_starts(names.list[i], "libcudart.so.") && strchr(names.list[i] + 13, '.'))
            found = major_minor(names.list[i] + 13, version, size);
    root_names_free(&names);
    return found || by_compiler(h, path, version, size);
}

static void add(struct host *h, const char *path)
{
    struct host_toolkit t = { .path = "" };
    char real[ROOT_PATH_MAX];
    if (h->toolkit_count == HOST_TOOLKITS_MAX || !root_real(h->sysroot, path, real) ||
        !str_copy(t.path, sizeof t.path, real) ||
        !version_of(h, t.path, t.version, sizeof t.version))
        return;
    for (size_t i = 0; i < h->toolkit_count; i++)
        if (strcmp(h->toolkits[i].path, t.path) == 0)
            return;
    h->toolkits[h->toolkit_count++] = t;
}

static void mark_default(struct host *h)
{
    const char *home = host_variable(h, "CUDA_HOME");
    char real[ROOT_PATH_MAX];
    if (!home || !*home)
        home = host_variable(h, "CUDA_PATH");
    if (!home || !*home)
        home = "/usr/local/cuda";
    if (!root_real(h->sysroot, home, real))
        return;
    for (size_t i = 0; i < h->toolkit_count; i++)
        h->toolkits[i].is_default = strcmp(h->toolkits[i].path, real) == 0;
}

static void find_ptxas(struct host *h)
{
    const char *folders = host_variable(h, "PATH");
    char path[ROOT_PATH_MAX];
    while (folders && *folders) {
        size_t n = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/ptxas", (int)(n < 3000 ? n : 3000), folders);
        if (*path == '/' && root_kind(h->sysroot, path) == OS_FILE_REGULAR) {
            str_copy(h->ptxas, sizeof h->ptxas, path);
            return;
        }
        folders += n + (folders[n] != 0);
    }
}

/* Julia keeps the toolkit of its packages in ~/.julia/artifacts. */
static void add_artifacts(struct host *h)
{
    struct root_names users, names;
    char folder[600], path[1000];
    root_list(h->sysroot, "/home", &users);
    for (size_t u = 0; u < users.count && u < 64; u++) {
        snprintf(folder, sizeof folder, "/home/%.200s/.julia/artifacts", users.list[u]);
        root_list(h->sysroot, folder, &names);
        for (size_t i = 0; i < names.count && i < 256; i++) {
            snprintf(path, sizeof path, "%s/%.255s/bin/ptxas", folder, names.list[i]);
            if (root_kind(h->sysroot, path) != OS_FILE_REGULAR)
                continue;
            snprintf(path, sizeof path, "%s/%.255s", folder, names.list[i]);
            add(h, path);
        }
        root_names_free(&names);
    }
    root_names_free(&users);
}

/* Every name in `folder` that begins so; `under` is appended. */
static void add_names(struct host *h, const char *folder, const char *start, const char *under)
{
    struct root_names names;
    char path[1000];
    root_list(h->sysroot, folder, &names);
    for (size_t i = 0; i < names.count && i < 256; i++)
        if (str_starts(names.list[i], start)) {
            snprintf(path, sizeof path, "%.500s/%.255s%s", folder, names.list[i], under);
            add(h, path);
        }
    root_names_free(&names);
}

/* Unpacked by a user, or of NVIDIA's HPC SDK: /opt/nvidia/hpc_sdk/Linux_x86_64/24.5/cuda/12.4. */
static void add_unpacked(struct host *h)
{
    struct root_names names, versions;
    char path[600];
    root_list(h->sysroot, "/home", &names);
    for (size_t i = 0; i < names.count && i < 64; i++) {
        snprintf(path, sizeof path, "/home/%.200s", names.list[i]);
        add_names(h, path, "cuda", "");
    }
    root_names_free(&names);
    root_list(h->sysroot, "/opt/nvidia/hpc_sdk/Linux_x86_64", &versions);
    for (size_t i = 0; i < versions.count && i < 16; i++) {
        snprintf(path, sizeof path, "/opt/nvidia/hpc_sdk/Linux_x86_64/%.200s/cuda",
                 versions.list[i]);
        add_names(h, path, "", "");
    }
    root_names_free(&versions);
}

/* The toolkits whose bin is on PATH, and conda's, which is the environment itself. */
static void add_on_path(struct host *h)
{
    const char *folders = host_variable(h, "PATH"), *conda = host_variable(h, "CONDA_PREFIX");
    char path[256], full[ROOT_PATH_MAX];
    if (conda && *conda == '/' && str_copy(path, sizeof path, conda) &&
        compiler_in(h, path, full))
        add(h, path);
    while (folders && *folders) {
        size_t n = strcspn(folders, ":"), keep = n >= 4 ? n - 4 : 0;
        if (keep && keep < sizeof path && strncmp(folders + keep, "/bin", 4) == 0) {
            snprintf(path, sizeof path, "%.*s", (int)keep, folders);
            if (compiler_in(h, path, full))
                add(h, path);
        }
        folders += n + (folders[n] != 0);
    }
}

/* Debian's package has a folder of its own, with links to it in /usr/bin; others only /usr/bin. */
static void add_of_distribution(struct host *h)
{
    static const char prefix[256] = "/usr";
    char full[ROOT_PATH_MAX];
    size_t before = h->toolkit_count;
    add(h, "/usr/lib/nvidia-cuda-toolkit");
    if (h->toolkit_count == before && compiler_in(h, prefix, full))
        add(h, prefix);
}

void host_read_toolkits(struct host *host)
{
    static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT" };
    for (size_t i = 0; i < 3; i++) {
        const char *home = host_variable(host, variables[i]);
        if (home && *home == '/')
            add(host, home);
    }
    add_names(host, "/usr/local", "cuda", "");
    add_names(host, "/opt", "cuda", "");
    add_of_distribution(host);
    add_on_path(host);
    add_unpacked(host);
    add_artifacts(host);
    mark_default(host);
    find_ptxas(host);
}
