/* How the images of a family come onto the device: gpu.c's own half. */
#ifndef BENCH_GPU_LOAD_H
#define BENCH_GPU_LOAD_H

#include "bench/gpu.h"

/* Both fill family->load (its code when the driver refuses); -1 when there is nothing to load. */
int gpu_load_embedded(const struct gpu *gpu, struct gpu_family *family, struct err *err);
/* <image_dir>/<family>.<image_arch>.cubin or .ptx */
int gpu_load_file(const struct gpu *gpu, struct gpu_family *family, struct err *err);

/* The PTX that an uncompressed container holds, NUL-terminated; NULL: none. */
const char *gpu_load_ptx_of(const void *container, size_t size);

#endif
