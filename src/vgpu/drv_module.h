/* Modules and functions as the driver holds them. */
#ifndef VGPU_DRV_MODULE_H
#define VGPU_DRV_MODULE_H

#include "vgpu/drv_state.h"
#include "vgpu/exec.h"

struct drv_function {
    void *handle;
    struct drv_module *module;
    char *name;
    const struct exec_kernel *kernel; /* NULL: of a cubin whose PTX nobody knows */
    struct exec_kernel_info info;     /* zeros then */
    unsigned dynamic_shared_max;      /* 48 KiB less static, or what the program opted in to */
    int bank_config, cache_config;
    struct drv_function *next;
};

struct drv_module {
    void *handle;
    struct drv_context *context;
    unsigned binary_version;        /* of what runs: 35 */
    unsigned virtual_version;       /* of what it was compiled from */
    struct exec_module *code;       /* NULL: a foreign cubin */
    struct drv_function *functions; /* those that the program asked for */
    uint8_t *cubin;                 /* a foreign one, for its kernels' names */
    size_t cubin_size;
    struct drv_module *next;
};

/* The function of the current context that a handle means, or NULL. */
struct drv_function *drv_function_of(const void *handle);

/* Threads a block that the function can have on its device, by its registers and .maxntid. */
unsigned drv_function_max_threads(const struct drv_function *function);

/* Blocks of that many threads that fit on a multiprocessor at once; 0 when not even one does. */
unsigned drv_function_blocks_sm(const struct drv_function *function, unsigned threads,
                                uint64_t dynamic_shared);

#endif
