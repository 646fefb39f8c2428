#include "doctor/host.h"

#include <ctype.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/host_parts.h"

#define SMALL_FILE 65536u

/* What changes which GPU, which library or which code a program gets. */
static const char *const wanted[] = {
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_MODULE_LOADING",
    "CUDA_CACHE_DISABLE",
    "CUDA_CACHE_MAXSIZE",
    "CUDA_CACHE_PATH",
    "CUDA_FORCE_PTX_JIT",
    "CUDA_DISABLE_PTX_JIT",
    "CUDA_MPS_PIPE_DIRECTORY",
    "TORCH_CUDA_ARCH_LIST",
    "TORCH_EXTENSIONS_DIR",
    "TRITON_PTXAS_PATH",
    "TRITON_CACHE_DIR",
    "XLA_FLAGS",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "PATH",
    "PYTHONPATH",
    "HOME",
    "XDG_CACHE_HOME",
    "THEANO_FLAGS",
    "OS",
    "HIP_VISIBLE_DEVICES",
    "JAX_PLATFORMS",
    "BNB_CUDA_VERSION",
    "NVIDIA_DISABLE_REQUIRE",
    "NVIDIA_DRIVER_CAPABILITIES",
};

const char *host_variable(const struct host *host, const char *name)
{
    for (size_t i = 0; i < host->variable_count; i++)
        if (strcmp(host->variables[i].name, name) == 0)
            return host->variables[i].value;
    return NULL;
}

/* The value in "NAME=value" lines; the caller frees. */
static char *in_lines(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
        if (strncmp(line, name, length) == 0 && line[length] == '=')
            return strndup(line + length + 1, strcspn(line + length + 1, "\r\n"));
    return NULL;
}

static void read_variables(struct host *h)
{
    struct str text = STR_INIT;
    bool saved = *h->sysroot != 0;
    if (saved)
        root_read(h->sysroot, "/env.txt", SMALL_FILE * 16, &text);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && i < HOST_VARIABLES_MAX; i++) {
        const char *value = saved ? NULL : getenv(wanted[i]);
        h->variables[h->variable_count++] =
            (struct host_variable){ wanted[i], saved   ? in_lines(text.p, wanted[i])
                                               : value ? strdup(value)
                                                       : NULL };
    }
    str_free(&text);
}

/* ---- kernel driver and nodes ---- */

static void first_word(const char *text, char *to, size_t size)
{
    text += strspn(text, " \t\r\n");
    snprintf(to, size, "%.*s", (int)strcspn(text, " \t\r\n"), text);
}

static void read_module(struct host *h)
{
    struct str text = STR_INIT;
    if (root_read(h->sysroot, "/sys/module/nvidia/version", SMALL_FILE, &text))
        first_word(text.p, h->module, sizeof h->module);
    str_clear(&text);
    if (root_read(h->sysroot, "/proc/driver/nvidia/version", SMALL_FILE, &text)) {
        const char *p = strstr(text.p, "Module");
        h->open_module = strstr(text.p, "Open Kernel Module") != NULL;
        while (p && *p && !isdigit((unsigned char)*p))
            p = strstr(p, "  ") ? strstr(p, "  ") + 2 : NULL;
        if (p && !*h->module)
            first_word(p, h->module, sizeof h->module);
    }
    h->nouveau = root_kind(h->sysroot, "/sys/module/nouveau") == OS_FILE_FOLDER;
    str_free(&text);
}

static void read_nodes(struct host *h)
{
    struct root_names names;
    root_list(h->sysroot, "/dev", &names);
    h->nodes_known = names.count > 0;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.list[i];
        h->has_control_node |= strcmp(name, "nvidiactl") == 0;
        h->has_uvm_node |= strcmp(name, "nvidia-uvm") == 0;
        h->device_nodes += str_starts(name, "nvidia") && name[6] && isdigit((unsigned char)name[6]);
    }
    root_names_free(&names);
}

/* "nvidiactl 660 video no": a snapshot's note of a node, its mode, its group and whether the user
 * could open it. */
static void read_access_note(struct host *h)
{
    struct str text = STR_INIT;
    char node[32], group[48], access[8];
    unsigned mode;
    if (root_read(h->sysroot, "/devices.txt", SMALL_FILE, &text))
        for (const char *line = text.p; *line && !*h->no_access;
             line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
            if (sscanf(line, "%31s %o %47s %7s", node, &mode, group, access) == 4 &&
                strcmp(access, "no") == 0) {
                str_copy(h->no_access, sizeof h->no_access, node);
                str_copy(h->node_group, sizeof h->node_group, group);
            }
    str_free(&text);
}

/* Whether this user may open the nodes; mostly a matter of the group video or render. */
static void read_access(struct host *h)
{
    static const char *const nodes[] = { "nvidiactl", "nvidia0", "nvidia-uvm" };
    struct stat st;
    char path[64];
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0] && !*h->no_access; i++) {
        snprintf(path, sizeof path, "/dev/%s", nodes[i]);
        if (stat(path, &st) || access(path, R_OK | W_OK) == 0)
            continue;
        const struct group *group = getgrgid(st.st_gid);
        str_copy(h->no_access, sizeof h->no_access, nodes[i]);
        str_copy(h->node_group, sizeof h->node_group, group ? group->gr_name : "video");
    }
}

/* ---- the driver's libraries ---- */

/* "libcuda.so.535.183.01" names its version; "libcuda.so.1" and "libcuda.so.1.1" do not. */
static void version_of_library(const char *sysroot, const char *path, char *version, size_t size)
{
    char real[ROOT_PATH_MAX];
    *version = 0;
    if (!root_real(sysroot, path, real))
        return;
    const char *so = strstr(strrchr(real, '/') ? strrchr(real, '/') : real, ".so.");
    if (so && strlen(so) > 7)
        str_copy(version, size, so + 4);
}

static void find_library(struct host *h)
{
    struct loader_hit hit;
    loader_find(&h->loader, "libcuda.so.1", NULL, &hit);
    if (hit.how == LOADER_NOWHERE && h->wsl && *h->wsl_library) {
        hit.how = LOADER_FOLDER;
        str_copy(hit.path, sizeof hit.path, h->wsl_library);
    }
    str_copy(h->library, sizeof h->library, hit.path);
    h->library_how = hit.how;
    h->library_is_compat = strstr(hit.path, "compat") != NULL;
    if (hit.how != LOADER_NOWHERE)
        version_of_library(h->sysroot, hit.path, h->library_version, sizeof h->library_version);
    char folder[ROOT_PATH_MAX];
    str_copy(folder, sizeof folder, hit.path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    const struct loader_path beside = { .rpath = "", .runpath = folder, .origin = "" };
    loader_find(&h->loader, "libnvidia-ptxjitcompiler.so.1", &beside, &hit);
    str_copy(h->jit_library, sizeof h->jit_library, hit.path);
    if (hit.how != LOADER_NOWHERE)
        version_of_library(h->sysroot, hit.path, h->jit_version, sizeof h->jit_version);
}

/* In the compat folder of a toolkit, or of a container image that has nothing else of one. */
static void find_compat(struct host *h)
{
    struct root_names folders, names;
    char path[ROOT_PATH_MAX];
    root_list(h->sysroot, "/usr/local", &folders);
    for (size_t i = 0; i < folders.count && !*h->compat_library; i++) {
        if (!str_starts(folders.list[i], "cuda"))
            continue;
        snprintf(path, sizeof path, "/usr/local/%.200s/compat", folders.list[i]);
        root_list(h->sysroot, path, &names);
        for (size_t k = 0; k < names.count && !*h->compat_library; k++) {
            snprintf(path, sizeof path, "/usr/local/%.200s/compat/%.255s", folders.list[i],
                     names.list[k]);
            if (str_starts(names.list[k], "libcuda.so.") &&
                !root_real(h->sysroot, path, h->compat_library))
                *h->compat_library = 0;
        }
        root_names_free(&names);
    }
    root_names_free(&folders);
}

void host_read(const char *sysroot, struct host *host)
{
    *host = (struct host){ .sysroot = sysroot };
    read_variables(host);
    loader_open(&host->loader, sysroot, host_variable(host, "LD_LIBRARY_PATH"));
    read_module(host);
    read_nodes(host);
    if (*sysroot)
        read_access_note(host);
    else
        read_access(host);
    host_read_kind(host);
    find_library(host);
    find_compat(host);
    host_read_toolkits(host);
    host_read_offers(host);
}

void host_free(struct host *host)
{
    for (size_t i = 0; i < host->variable_count; i++)
        free(host->variables[i].value);
    loader_close(&host->loader);
    *host = (struct host){ 0 };
}
