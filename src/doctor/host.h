/* The machine below and around the GPUs, read from small files: kernel driver, the driver's
 * libraries, device nodes, WSL, container, MIG, toolkits, environment. Needs no driver and no root;
 * everything is below `sysroot`, so that a saved tree can be asked. Paths are that machine's. */
#ifndef DOCTOR_HOST_H
#define DOCTOR_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/loader.h"
#include "doctor/root.h"

#define HOST_TOOLKITS_MAX  32
#define HOST_VARIABLES_MAX 48
#define HOST_OFFERS_MAX    32

struct host_toolkit {
    char version[16]; /* "11.8" */
    char path[256];   /* "/usr/local/cuda-11.8" */
    bool is_default;  /* what /usr/local/cuda or CUDA_HOME names */
};

/* A driver that the package manager's lists offer. */
struct host_offer {
    char package[64]; /* "nvidia-driver-470" */
    char version[48]; /* "470.256.02-0ubuntu0.22.04.1"; "" the list does not say */
    unsigned branch;  /* 470; 0 not told */
};

struct host_variable {
    const char *name;
    char *value; /* NULL: not set */
};

struct host {
    const char *sysroot;
    struct host_variable variables[HOST_VARIABLES_MAX];
    size_t variable_count;

    char module[48];  /* version of NVIDIA's kernel module; "" not loaded */
    bool open_module; /* its open form */
    bool nouveau;     /* loaded */
    bool has_control_node, has_uvm_node;
    size_t device_nodes; /* /dev/nvidia0 ... */
    bool nodes_known;    /* /dev was there to be looked at */
    char no_access[32];  /* a node that this user may not open, "nvidiactl"; "" none */
    char node_group[48]; /* whose members may */

    char library[ROOT_PATH_MAX]; /* the libcuda.so.1 that a program gets; "" none */
    enum loader_how library_how;
    char library_version[48];        /* "535.183.01", from its file name; "" not told */
    bool library_is_compat;          /* of a cuda-compat package */
    char compat_library[ROOT_PATH_MAX]; /* the libcuda of such a package, taken or not; "" none */
    char jit_library[ROOT_PATH_MAX]; /* libnvidia-ptxjitcompiler.so.1; "" none */
    char jit_version[48];            /* as library_version */

    bool wsl;
    char wsl_library[ROOT_PATH_MAX]; /* the one that Windows' driver brings; "" none */
    char container[24];              /* "docker", "podman", "lxc", ...; "" none */
    size_t mig_instances;
    char jetson[96]; /* model; "" no Jetson */
    char distro[32], distro_version[24];
    char machine[16]; /* "x86_64", "aarch64" by the loader's folders; "" not told */

    struct host_toolkit toolkits[HOST_TOOLKITS_MAX];
    size_t toolkit_count;
    struct host_offer offers[HOST_OFFERS_MAX];
    size_t offer_count;
    bool offers_cut; /* some lists are damaged or too large, so that there may be more */

    char ptxas[ROOT_PATH_MAX]; /* the first on PATH; "" none */

    struct loader loader;
};

/* Fills all of it. host_free after. */
void host_read(const char *sysroot, struct host *host);
void host_free(struct host *host);

/* NULL when it is not set (or not one of those that matter). */
const char *host_variable(const struct host *host, const char *name);

#endif
