/* The user-space driver, loaded at run time: the program links no NVIDIA library.
 *
 * Works with every driver from CUDA 9.0 (R384) on. Names, alternatives and signatures stand in
 * syms.def. A call that the driver lacks is NULL when optional and fails the opening, by name, when
 * required. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include <stdbool.h>

#include "core/err.h"
#include "cuda/types.h"

struct driver_calls {
#define X(need, member, names, arguments) int(*member) arguments;
#include "cuda/syms.def"
#undef X
};

struct driver {
    void *library;
    struct driver_calls call;
    int version;     /* as cuDriverGetVersion: 11040 */
    bool is_virtual; /* the library says that it is smfit's virtual GPU: results are simulated */
    char path[256];  /* name that opened */
};

/* Why there is no usable driver; the sentence with its evidence is the caller's. */
enum driver_state {
    DRIVER_READY,       /* loaded and initialised; there may still be no device */
    DRIVER_NO_LIBRARY,  /* no libcuda.so.1 on the loader's path */
    DRIVER_BROKEN,      /* found, but does not load or lacks a required call */
    DRIVER_NO_DEVICE,   /* cuInit says 100 */
    DRIVER_INIT_FAILED, /* cuInit says anything else: err->native */
};

/* Opens `path`, or libcuda.so.1 (then WSL's copy) when NULL, and initialises it. On any state but
 * READY and NO_DEVICE, `d` is closed (is_virtual stands, as what failed is simulated too) and `err`
 * set. */
enum driver_state driver_open(struct driver *d, const char *path, struct err *err);

/* Only the loading half: no cuInit. 0 or -1; `*state` says which failure. */
int driver_load(struct driver *d, const char *path, enum driver_state *state, struct err *err);

void driver_close(struct driver *d);

/* Sets `err` from a failed call: "cuModuleLoadData failed with error 209
 * (CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the device)".
 * Returns -1; 0 when `result` is 0. */
int driver_check(struct err *err, int result, const char *call);

/* "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available ..."; "unknown" for a code that no
 * table has. */
const char *driver_code_name(int code);
const char *driver_code_text(int code);

#endif
