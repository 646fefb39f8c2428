/* NVIDIA's own libraries beside our kernels: cuBLAS and cuDNN as found on this machine, in the terms of
 * shape.h. Neither is linked; what is missing has a reason. Everything runs on the default stream of the
 * primary context, which must be current on the calling thread from vendor_open to vendor_close (see
 * device_enter), so that events of that stream time it. */
#ifndef BENCH_VENDOR_H
#define BENCH_VENDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/number.h"
#include "bench/shape.h"
#include "core/search.h"
#include "cuda/driver.h"

struct vendor;
struct vendor_conv;

enum vendor_library { VENDOR_CUBLAS, VENDOR_CUDNN, VENDOR_COUNT };

struct vendor_options {
    const struct search *where; /* NULL: the loader's path alone */
    int cc_major, cc_minor;
    size_t workspace_max; /* bytes; 0: 32 MiB on cards of 2 GiB or less, else 256 MiB */
    bool leave[VENDOR_COUNT]; /* not to be opened */
};

struct vendor_state {
    const char *name;  /* "cuBLAS", "cuDNN" */
    char version[32];  /* "11.11.3"; "" when there is none */
    char path[1024];   /* of the library that is in use, or of the last one that was tried */
    char reason[320];  /* why there is none; "" when it is usable */
};

/* NULL only when out of memory; a library that is not there, does not load, lacks symbols or whose
 * creation fails is a state with a reason. `driver` must stay open. */
struct vendor *vendor_open(const struct driver *driver, const struct vendor_options *options,
                           struct err *err);
/* NULL is allowed. */
void vendor_close(struct vendor *vendor);
const struct vendor_state *vendor_state(const struct vendor *vendor, enum vendor_library library);

/* How C of a GEMM is stored: fp32 for fp32 and tc-tf32, fp16 for the fp16 classes, bf16 for tc-bf16, int32
 * for int8. Convolutions store all as number_of() says; there is none in int8. */
enum number vendor_output(enum bench_precision precision);

/* Queues C = alpha * op(A) * op(B) + beta * C on device memory. Returns -1 with
 *   ERR_MISSING  this library, card or shape has no such operation: a row "unsupported"
 *   ERR_DRIVER   the library refused: its status is err->native. */
int vendor_gemm(struct vendor *vendor, enum bench_precision precision,
                const struct gemm_shape *shape, double alpha, double beta, uint64_t a, uint64_t b,
                uint64_t c, struct err *err);

/* The three arrays of a convolution as in shape.h, stored alike; the pass writes one of them. `bias` (0:
 * none; k values of the same storage) and `relu` for the forward pass in one call, as cuDNN fuses them. */
struct vendor_conv_buffers {
    uint64_t x, w, y;
    uint64_t bias;
    bool relu;
};

/* Chooses an algorithm by running what cuDNN offers within the workspace cap (slow, and it writes to
 * the result), and allocates its workspace. NULL on failure, as vendor_gemm. */
struct vendor_conv *vendor_conv_new(struct vendor *vendor, enum bench_precision precision,
                                    const struct conv_shape *shape, enum conv_pass pass,
                                    const struct vendor_conv_buffers *buffers, struct err *err);
/* Queues one run. The buffers may differ from those of vendor_conv_new (they rotate). */
int vendor_conv_run(struct vendor_conv *conv, const struct vendor_conv_buffers *buffers,
                    struct err *err);
/* "implicit_precomp_gemm" ...: cuDNN's name of what was chosen. */
const char *vendor_conv_algorithm(const struct vendor_conv *conv);
size_t vendor_conv_workspace(const struct vendor_conv *conv);
/* NULL is allowed. */
void vendor_conv_free(struct vendor_conv *conv);

#endif
