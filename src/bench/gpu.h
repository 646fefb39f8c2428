/* One device with the kernels of this program on it: what every GPU measurement is made with. */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include "cuda/device.h"
#include "cuda/module.h"

#define GPU_FAMILIES_MAX 64

struct gpu_family {
    char name[32];
    struct module_load load;
    bool bare_ptx; /* no container loaded, its PTX by itself did */
};

struct gpu {
    struct driver driver;
    struct device device;
    bool entered;
    const char *image_dir; /* tests: images are files of this folder ... */
    char image_arch[16];   /* ... <family>.<arch>.cubin or .ptx, as "sm_35" or "compute_35"; "": embedded */
    struct gpu_family families[GPU_FAMILIES_MAX];
    size_t family_count;
};

/* Opens the driver (`library` as driver_open takes it), finds the device (NULL: the first) and enters
 * its context. `gpu` is closed on failure. */
int gpu_open(struct gpu *gpu, const char *library, const char *device, struct err *err);
void gpu_close(struct gpu *gpu);

/* From here on images come from files of the build, one arch only: for tests of every image. */
void gpu_use_files(struct gpu *gpu, const char *dir, const char *arch);

/* The kernel `name` of a family, whose container is loaded when first asked for; where the driver refuses
 * the container, its PTX by itself (a cubin of a newer toolkit makes old drivers refuse the whole).
 * ERR_MISSING when this build has no image of the family; ERR_DRIVER with the driver's code when it
 * refuses all of them. */
int gpu_kernel(struct gpu *gpu, const char *family, const char *name,
               struct gpu_function **function, struct err *err);

/* Loads a family, `ms` being the driver's time for it; as gpu_kernel without a kernel. */
int gpu_load(struct gpu *gpu, const char *family, double *ms, struct err *err);

/* Which image of its family a kernel runs from: "sm_35", "compute_35 for sm_37" when the driver compiled
 * it; "" when the driver does not tell. */
void gpu_image(const struct gpu *gpu, const char *family, struct gpu_function *function, char *text,
               size_t size);

/* Device memory; every failure has the driver's code in err->native (2: out of memory). */
int gpu_alloc(const struct gpu *gpu, size_t bytes, uint64_t *address, struct err *err);
void gpu_free(const struct gpu *gpu, uint64_t address);
int gpu_upload(const struct gpu *gpu, uint64_t to, const void *from, size_t bytes, struct err *err);
int gpu_download(const struct gpu *gpu, void *to, uint64_t from, size_t bytes, struct err *err);

struct gpu_launch {
    struct gpu_function *function;
    unsigned grid[3], block[3];
    unsigned shared_bytes; /* dynamic */
    void **arguments;      /* addresses of the kernel's parameters */
};

/* Queued: the bytes of `count`, or 32-bit words, all set to a value; a copy inside the device. */
int gpu_set_bytes(const struct gpu *gpu, uint64_t to, unsigned char value, size_t count,
                  struct err *err);
int gpu_set_words(const struct gpu *gpu, uint64_t to, unsigned value, size_t count, struct err *err);
int gpu_copy(const struct gpu *gpu, uint64_t to, uint64_t from, size_t bytes, struct err *err);

/* Host memory that the device reaches by itself (pinned). */
int gpu_alloc_host(const struct gpu *gpu, size_t bytes, void **host, struct err *err);
void gpu_free_host(const struct gpu *gpu, void *host);
/* Queued; the host memory must be pinned and stay until gpu_wait. */
int gpu_upload_queued(const struct gpu *gpu, uint64_t to, const void *from, size_t bytes,
                      struct err *err);
int gpu_download_queued(const struct gpu *gpu, void *to, uint64_t from, size_t bytes,
                        struct err *err);

/* Queues one launch on the default stream. */
int gpu_launch(const struct gpu *gpu, const struct gpu_launch *launch, struct err *err);
/* Waits for all that was queued; faults of kernels are reported here. */
int gpu_wait(const struct gpu *gpu, struct err *err);

/* Time on the device between two marks of the default stream. Resolution about 0.5 us. */
struct gpu_timer {
    struct gpu_event *marks[2];
};

int gpu_timer_open(const struct gpu *gpu, struct gpu_timer *timer, struct err *err);
void gpu_timer_close(const struct gpu *gpu, struct gpu_timer *timer);
/* Queues a mark: 0 the start, 1 the end. */
int gpu_timer_mark(const struct gpu *gpu, const struct gpu_timer *timer, int which,
                   struct err *err);
/* Waits for the second mark; faults of kernels before it are reported here. */
int gpu_timer_read(const struct gpu *gpu, const struct gpu_timer *timer, double *ms,
                   struct err *err);

#endif
