/* What doctor finds: the GPUs, the machine, the packages with GPU code, and one diagnosis.
 *
 * Nothing is imported, run or changed; files are read below a root (root.h) within a time limit. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/rules.h"
#include "doctor/holds.h"
#include "doctor/host.h"
#include "doctor/judge.h"

#define DOCTOR_GPUS_MAX     16
#define DOCTOR_ENVS_MAX     16
#define DOCTOR_PACKAGES_MAX 4096
#define DOCTOR_FILES_MAX    20000 /* with GPU code, in all packages */
#define DOCTOR_TIME_MS      40000u

struct doctor_gpu {
    char name[96], pci_id[16], slot[16];
    char kernel_driver[32];  /* bound to it; "" none */
    struct arch_target rule; /* with the driver that the machine has */
    bool present;            /* on this machine's bus, not assumed */
    bool server; /* a data-centre or workstation board, which may use a compat libcuda */
};

enum doctor_env_kind { DOCTOR_ENV_GIVEN, DOCTOR_ENV_VENV, DOCTOR_ENV_CONDA, DOCTOR_ENV_SYSTEM };

struct doctor_env {
    enum doctor_env_kind kind;
    char path[512];  /* the prefix */
    char site[600];  /* its site-packages */
    char python[16]; /* "3.7"; "" not told */
};

enum doctor_origin { DOCTOR_PIP, DOCTOR_CONDA, DOCTOR_APP, DOCTOR_SYSTEM };

/* What a package is to others (role.h): a program or a system's library, a main library that others
 * are built on, or something built on one. */
enum doctor_role { DOCTOR_PROGRAM, DOCTOR_FRAMEWORK, DOCTOR_EXTENSION };

struct doctor_file {
    char *path; /* below the package's base: "torch/lib/libtorch.so" */
    uint64_t bytes;
    struct holds holds;
    bool nvidia;                         /* NVIDIA makes it */
    bool passed_over;                    /* a sibling for another CUDA version is taken instead */
    struct judge judge[DOCTOR_GPUS_MAX]; /* by GPU */
};

struct doctor_package {
    char name[96], version[64]; /* version "" when nothing tells */
    char cuda[16];              /* that it was built for, "10.1"; "" not told */
    unsigned glibc, glibcxx;     /* that its files ask for, as link.h numbers them; 0 none */
    char channel[32], build[64]; /* conda's; "" not of conda */
    bool cpu_build;             /* says of itself that it is without GPU code */
    bool cuda_build;            /* has a file that only builds for CUDA have */
    bool bundled;               /* a Python package that a program brings along */
    bool on_framework;          /* requires a main library */
    bool from_source;           /* pip compiled it from a checkout or a folder */
    enum doctor_origin origin;
    enum doctor_role role;
    int env;    /* in envs, or -1 */
    char *base; /* that machine's folder which the files are below */
    struct doctor_file
        *files; /* those with GPU code, and the largest library of a package without */
    size_t file_count;
    char *largest; /* the largest library without GPU code, below base; NULL none */
    uint64_t largest_bytes;
    struct judge judge[DOCTOR_GPUS_MAX]; /* by GPU, over its own files */
    int fault[DOCTOR_GPUS_MAX];          /* the file that decided; -1 none */
};

/* Copies of a library that several places offer. */
struct doctor_copy {
    char soname[64];
    char wins[ROOT_PATH_MAX];  /* that the loader takes for a program without paths of its own */
    char other[ROOT_PATH_MAX]; /* in the environment */
    enum loader_how how;
};

/* The copy of a library that the loader gives to a package's file. */
struct doctor_lookup {
    int package;
    char soname[64];
    char path[ROOT_PATH_MAX]; /* "" none is found; the package may load it by itself */
    enum loader_how how;
};

/* A package that pip has put over conda's own. */
struct doctor_mix {
    int package;
    char conda_name[64], conda_version[48];
};

/* A compiler that programs use at run time: NVRTC, ptxas, libNVVM of a package. */
struct doctor_compiler {
    char path[ROOT_PATH_MAX];
    char toolkit[16]; /* that it is of, "11.8"; "" not told */
    int package;
};

#define DOCTOR_COMPILERS_MAX 64
#define DOCTOR_COPIES_MAX    16
#define DOCTOR_MIXES_MAX     16
#define DOCTOR_LOOKUPS_MAX   64

struct doctor {
    const char *sysroot; /* "" this machine */
    const char *error;   /* what the user saw; NULL */
    uint64_t deadline_ns;
    struct doctor_gpu gpus[DOCTOR_GPUS_MAX];
    size_t gpu_count;
    struct host host;
    struct doctor_env envs[DOCTOR_ENVS_MAX];
    size_t env_count;
    struct doctor_package *packages;
    size_t package_count;
    struct doctor_copy copies[DOCTOR_COPIES_MAX];
    size_t copy_count;
    struct doctor_mix mixes[DOCTOR_MIXES_MAX];
    size_t mix_count;
    struct doctor_lookup lookups[DOCTOR_LOOKUPS_MAX];
    size_t lookup_count;
    unsigned glibc, glibcxx; /* that the system has; 0 not told */
    struct doctor_compiler compilers[DOCTOR_COMPILERS_MAX];
    size_t compiler_count;
    uint64_t files_seen, files_read, bytes_read, files_kept, problems;
    char unread[ROOT_PATH_MAX]; /* the first that could not be read; its path in the tree */
    struct err unread_why;
    size_t unread_count; /* files and folders of what was to be looked at */
    bool unasked;        /* what is read now, doctor looks into by itself */
    bool only_pytorch;
    bool local_is_app; /* /usr/local was named as a program's folder */
    bool partial;      /* time or a bound ended the search */
    bool image;        /* the tree is a container image: the driver is the machine's that runs it */
};

struct doctor_request {
    const char *const *pythons; /* environment folders; none: those of the machine */
    size_t python_count;
    const char *const *apps; /* folders of programs */
    size_t app_count;
    uint64_t time_ms;  /* for reading files; 0: DOCTOR_TIME_MS */
    bool only_pytorch; /* read no other package's files, and no programs */
};

/* Finds the environments, reads every package with GPU code and judges it for each of the GPUs. The
 * caller has zeroed `d`, filled in sysroot, error and GPUs, and read the host. doctor_free after.
 */
int doctor_run(struct doctor *d, const struct doctor_request *request, struct err *err);
void doctor_free(struct doctor *d);

#endif
