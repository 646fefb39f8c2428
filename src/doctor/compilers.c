#include "doctor/compilers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os.h"
#include "doctor/packages_scan.h"
#include "doctor/patient.h"

#define TEXT     "Cuda compilation tools, release "
#define LOOK_MAX (192u << 20) /* of a compiler, for the text with its version */
#define BLOCK    (1u << 20)

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool compilers_is_one(const char *path)
{
    const char *base = base_of(path);
    bool builtins = strstr(base, "builtins") != NULL || strstr(base, ".alt.") != NULL;
    return !builtins && (strcmp(base, "ptxas") == 0 || strcmp(base, "ptxas.exe") == 0 ||
                         str_starts(base, "ptxas-") || str_starts(base, "libnvrtc.so") ||
                         str_starts(base, "libnvrtc-") || str_starts(base, "nvrtc64_") ||
                         str_starts(base, "libnvvm.so"));
}

bool compilers_version(const char *full, uint64_t deadline_ns, char *toolkit, size_t size)
{
    struct err unused;
    err_clear(&unused);
    struct input *in = patient_open(full, deadline_ns, &unused);
    char *block = in ? malloc(BLOCK + sizeof TEXT + 8) : NULL;
    bool found = false;
    for (uint64_t at = 0; block && !found && at < LOOK_MAX; at += BLOCK) {
        long long n = input_read_at(in, at, block, BLOCK + sizeof TEXT + 7, &unused);
        const char *hit = n > 0 ? memmem(block, (size_t)n, TEXT, sizeof TEXT - 1) : NULL;
        unsigned major, minor;
        if (n <= 0)
            break;
        block[n] = 0;
        found = hit && sscanf(hit + sizeof TEXT - 1, "%2u.%2u", &major, &minor) == 2;
        if (found)
            snprintf(toolkit, size, "%u.%u", major, minor);
    }
    free(block);
    input_close(in);
    return found;
}

static bool is_nvidia_package(const char *name)
{
    static const char *const starts[] = { "nvidia-", "cuda-", "cudatoolkit" };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (str_starts(name, starts[i]))
            return true;
    return false;
}

/* "libnvrtc.so.10.1", "nvrtc64_101_0.dll": 10.1. From 11.2 on the name stays while the toolkit moves
 * on; what the package was built for then says more. */
static void by_name(const struct doctor_package *p, const char *path, char *toolkit, size_t size)
{
    unsigned major = 0, minor = 0, built_major, built_minor, number;
    const char *base = base_of(path), *so = strstr(base, ".so.");
    bool full = so && strstr(base, "nvrtc") && sscanf(so + 4, "%2u.%2u", &major, &minor) == 2;
    if (!full && sscanf(base, "nvrtc64_%3u_", &number) == 1) {
        full = true;
        major = number / 10;
        minor = number % 10;
    }
    bool built = sscanf(p->cuda, "%2u.%2u", &built_major, &built_minor) == 2;
    if (built && (!major || (built_major == major && built_minor >= minor)))
        str_copy(toolkit, size, p->cuda);
    else if (full)
        snprintf(toolkit, size, "%u.%u", major, minor);
}

/* "nvidia-cuda-nvrtc-cu12" 12.1.105 is of 12.1. */
static void by_package(const struct doctor_package *p, const char *path, char *toolkit, size_t size)
{
    unsigned major, minor;
    if (is_nvidia_package(p->name) && sscanf(p->version, "%2u.%2u", &major, &minor) == 2)
        snprintf(toolkit, size, "%u.%u", major, minor);
    else
        by_name(p, path, toolkit, size);
}

void compilers_note(struct doctor *d, size_t package, const char *full, const char *path)
{
    const struct doctor_package *p = &d->packages[package];
    if (d->compiler_count == DOCTOR_COMPILERS_MAX)
        return;
    struct doctor_compiler *c = &d->compilers[d->compiler_count++];
    *c = (struct doctor_compiler){ .package = (int)package };
    packages_path(p, path, c->path);
    compilers_version(full, d->deadline_ns, c->toolkit, sizeof c->toolkit);
}

void compilers_conclude(struct doctor *d)
{
    for (size_t i = 0; i < d->compiler_count; i++) {
        struct doctor_compiler *c = &d->compilers[i];
        if (!*c->toolkit)
            by_package(&d->packages[c->package], c->path, c->toolkit, sizeof c->toolkit);
    }
}
