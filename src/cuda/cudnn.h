/* cuDNN 7, 8 or 9 as installed on this machine, loaded at run time.
 *
 * Works in the primary context, which must be current. A run queues work on the default stream. */
#ifndef CUDA_CUDNN_H
#define CUDA_CUDNN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/search.h"
#include "cuda/driver.h"

/* NVIDIA's handles. */
struct cudnn_context;
struct cudnn_tensor;
struct cudnn_filter;
struct cudnn_operation;
struct cudnn_activation;

/* One algorithm as cuDNN lists it, fastest first. The same for the three passes in all versions. */
struct cudnn_found {
    unsigned algorithm, status;
    float time_ms;
    size_t workspace_bytes;
    unsigned determinism, math;
    int reserved[3];
};

struct cudnn_calls {
#define X(need, member, result, name, arguments) result(*member) arguments;
#include "cuda/cudnn.def"
#undef X
};

struct cudnn {
    struct search_found found; /* path: of the library in use, or of the last that did not do */
    struct cudnn_calls call;
    struct cudnn_context *handle;
    size_t version; /* as cudnnGetVersion says: 7.6.5 is 7605, 9.10.2 is 91002 */
    int cc;         /* of the card, 35 */
    const struct driver *driver;
};

/* Only the loading: the first library that has the calls and code for this capability (data/floors.tsv). */
int cudnn_load(struct cudnn *cudnn, const struct search *where, int cc, struct err *err);

/* Loads and creates a handle; a library whose creation fails is passed over for an older one. -1:
 * ERR_MISSING and why there is none; err->native is cudnnCreate's status, where that failed. */
int cudnn_open(struct cudnn *cudnn, const struct driver *driver, const struct search *where, int cc,
               struct err *err);
void cudnn_close(struct cudnn *cudnn);

/* "9.10.2" */
void cudnn_version_text(size_t version, char text[32]);

/* Storage of all three arrays, and arithmetic. */
enum cudnn_class {
    CUDNN_CLASS_FP32,    /* fp32; without TF32 */
    CUDNN_CLASS_TF32,    /* fp32; tensor instructions, 8.0 and up, cuDNN 8 */
    CUDNN_CLASS_FP16S,   /* fp16; fp32 without tensor instructions */
    CUDNN_CLASS_HALF,    /* fp16; fp16 without tensor instructions, 5.3 and up */
    CUDNN_CLASS_TC_FP16, /* fp16; tensor instructions with fp32 sums, 7.0 and up */
    CUDNN_CLASS_TC_BF16, /* bf16; the same, 8.0 and up, cuDNN 8 */
    CUDNN_CLASS_COUNT
};

enum cudnn_pass { CUDNN_PASS_FORWARD, CUDNN_PASS_DATA, CUDNN_PASS_WEIGHTS };

/* NCHW, cross-correlation: x is n x c x h x w, w is k x (c / groups) x r x s, y is n x k x p x q. */
struct cudnn_shape {
    enum cudnn_class class;
    enum cudnn_pass pass;
    int n, c, h, w;
    int k, r, s;
    int p, q;
    int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, groups;
};

/* Device addresses. A forward pass with `bias` (k values of the storage's type) adds it, and with `relu`
 * then applies ReLU, in the same call. */
struct cudnn_buffers {
    uint64_t x, w, y, bias;
    bool relu;
};

struct cudnn_conv; /* one convolution with its algorithm chosen */

/* Chooses the fastest algorithm that needs no more than `workspace_max` bytes, by running what cuDNN offers
 * (slow; writes to the result), and allocates its workspace; where cuDNN cannot run them it is asked for
 * its guess. NULL: ERR_MISSING when this card or version has no such convolution, else ERR_DRIVER. */
struct cudnn_conv *cudnn_conv_new(struct cudnn *cudnn, const struct cudnn_shape *shape,
                                  const struct cudnn_buffers *buffers, size_t workspace_max,
                                  struct err *err);
int cudnn_conv_run(struct cudnn_conv *conv, const struct cudnn_buffers *buffers, struct err *err);
/* "implicit_precomp_gemm" */
const char *cudnn_conv_algorithm(const struct cudnn_conv *conv);
size_t cudnn_conv_workspace(const struct cudnn_conv *conv);
/* NULL is allowed. */
void cudnn_conv_free(struct cudnn_conv *conv);

/* Sets `err` from a failed call, with the library's own name of the status: ERR_MISSING when it means that
 * card or version do not do that, else ERR_DRIVER. Returns -1; 0 for success. */
int cudnn_check(const struct cudnn *cudnn, unsigned status, const char *call, struct err *err);

#endif
