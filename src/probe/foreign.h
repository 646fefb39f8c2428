/* Loading the containers of a user's own file, in workers; nothing is launched. */
#ifndef PROBE_FOREIGN_H
#define PROBE_FOREIGN_H

#include <stdbool.h>

#include "arch/rules.h"
#include "cuda/worker.h"
#include "image/image.h"

#define FOREIGN_NAME_MAX    64
#define FOREIGN_KERNELS_MAX 256

/* A container of the file, what the rules say of it, and what the driver did with it. */
struct foreign_container {
    enum image_container_kind kind;
    uint64_t offset, size;
    struct arch_verdict predicted;
    size_t image_count;
    char choice[FOREIGN_NAME_MAX]; /* "sm_35": the image that the rules expect; "" none */
    char **kernels;                /* names in that image, up to FOREIGN_KERNELS_MAX of them */
    size_t kernel_count;
    bool started, crashed;
    int code; /* of cuModuleLoadDataEx */
    double time_ms;
    size_t kernels_found; /* of those, that the loaded module gives */
    char log[1024], note[128];
};

struct foreign_file {
    struct foreign_container *list;
    size_t count;
    size_t problems; /* damaged places that were passed over */
};

#define FOREIGN_CONTAINERS_MAX 100000

/* Finds the containers of a plain file (archives are not opened) and judges each for `target`. */
int foreign_find(struct foreign_file *file, const char *path, const struct arch_target *target,
                 struct err *err);

/* Loads each on a device. `library` NULL: the system's driver. */
int foreign_load(struct foreign_file *file, const char *path, const char *library, int ordinal,
                 uint64_t timeout_ms, struct err *err);

void foreign_free(struct foreign_file *file);

extern const struct worker_task foreign_task;

#endif
