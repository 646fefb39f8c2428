/* cuBLAS 10 to 13 as installed on this machine, loaded at run time.
 *
 * Works in the primary context, which must be current. A call queues work on the default stream. */
#ifndef CUDA_CUBLAS_H
#define CUDA_CUBLAS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/search.h"
#include "cuda/driver.h"

struct cublas_context; /* NVIDIA's handle */

struct cublas_calls {
#define X(need, member, result, name, arguments) result(*member) arguments;
#include "cuda/cublas.def"
#undef X
};

struct cublas {
    struct search_found found; /* path: of the library in use, or of the last that did not do */
    struct cublas_calls call;
    struct cublas_context *handle;
    int version;   /* as cublasGetVersion says: 11.11.3 is 111103, 10.2.3 is 10203 */
    int cc;        /* of the card, 35 */
    unsigned mode; /* math mode that is set */
    const struct driver *driver;
    uint64_t workspace; /* device memory given to it; 0: its own */
};

/* Only the loading: the first library among those that can serve a card of this capability with a
 * driver of this CUDA version (11040; 0: any), that loads and has the calls. `found` is theirs. */
int cublas_load(struct cublas *cublas, const struct search *where, int cc, int driver_version,
                struct err *err);

/* Loads and creates a handle; a library whose creation fails is passed over for an older one.
 * `workspace_bytes` of device memory become its workspace where it takes one (11.2 and later) and the
 * memory is there; 0: its own. -1: ERR_MISSING and why there is none; err->native is cublasCreate's
 * status, where that failed. Close after both. */
int cublas_open(struct cublas *cublas, const struct driver *driver, const struct search *where, int cc,
                size_t workspace_bytes, struct err *err);
void cublas_close(struct cublas *cublas);

/* "11.11.3" */
void cublas_version_text(int version, char text[32]);

/* What is multiplied, and how. Storage of A and B, then of C, then arithmetic: */
enum cublas_class {
    CUBLAS_CLASS_FP32,    /* fp32, fp32; without TF32 */
    CUBLAS_CLASS_TF32,    /* fp32, fp32; tensor instructions, 8.0 and up, CUDA 11 */
    CUBLAS_CLASS_FP16S,   /* fp16, fp16; fp32 without tensor instructions, 5.0 and up */
    CUBLAS_CLASS_HALF,    /* fp16, fp16; fp16 without tensor instructions, 5.3 and up */
    CUBLAS_CLASS_TC_FP16, /* fp16, fp16; tensor instructions with fp32 sums, 7.0 and up */
    CUBLAS_CLASS_TC_BF16, /* bf16, bf16; the same, 8.0 and up, CUDA 11 */
    CUBLAS_CLASS_INT8,    /* int8, int32; without tensor instructions, 6.1 and up */
    CUBLAS_CLASS_TC_INT8, /* int8, int32; tensor instructions, 7.2 and up */
    CUBLAS_CLASS_COUNT
};

/* Column-major and without gaps: leading dimensions are the rows as stored, and the matrices of a batch
 * lie behind each other. Device addresses. */
struct cublas_gemm {
    enum cublas_class class;
    bool trans_a, trans_b;
    int m, n, k, batch;
    double alpha, beta; /* integers for int8 */
    uint64_t a, b, c;
};

/* Queues one. ERR_MISSING: the card, this version or cuBLAS at all does not do that; ERR_DRIVER: it
 * failed, with its status in err->native. */
int cublas_gemm(struct cublas *cublas, const struct cublas_gemm *gemm, struct err *err);

/* "CUBLAS_STATUS_NOT_INITIALIZED"; "unknown status" for one that no version has. */
const char *cublas_status_name(unsigned status);

#endif
