/* The stubs of cuBLAS and cuDNN (tests/stubs) opened as smfit does, on memory that a stand-in for the driver
 * hands out. */
#ifndef TESTS_VENDOR_STUBS_H
#define TESTS_VENDOR_STUBS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/vendor.h"
#include "beside.h"
#include "core/os_library.h"

/* ---- a driver of ordinary memory ------------------------------------------------------------------ */

static int allocated;     /* and not freed */
static size_t most = SIZE_MAX; /* that one allocation may have */
static size_t card_bytes; /* that the card says it has */

static inline int alloc(uint64_t *address, size_t bytes)
{
    void *memory = bytes > most ? NULL : malloc(bytes);
    *address = (uint64_t)(uintptr_t)memory;
    allocated += memory != NULL;
    return memory ? 0 : GPU_OUT_OF_MEMORY;
}

static inline int release(uint64_t address)
{
    free((void *)(uintptr_t)address);
    allocated--;
    return 0;
}

static inline int info(size_t *free_bytes, size_t *total_bytes)
{
    *free_bytes = *total_bytes = card_bytes;
    return 0;
}

static inline struct driver driver_of(int version)
{
    struct driver d = { .version = version };
    d.call.mem_alloc = alloc;
    d.call.mem_free = release;
    d.call.mem_info = info;
    return d;
}

static inline uint64_t address(const void *values)
{
    return (uint64_t)(uintptr_t)values;
}

/* ---- what the stubs keep -------------------------------------------------------------------------- */

struct blas_call {
    char name[40];
    unsigned trans_a, trans_b, a_type, b_type, c_type, compute;
    int m, n, k, lda, ldb, ldc, algorithm, batch;
    long long stride_a, stride_b, stride_c;
    unsigned mode;
    size_t workspace_bytes;
    int handles;
};

struct dnn_call {
    char name[40];
    unsigned type, compute, math, algorithm, activation;
    int groups;
    size_t workspace_bytes;
    void *workspace;
    int objects;
};

static inline void *kept(const char *library, const char *name)
{
    bool found;
    void *handle = os_library_open(beside(library), &found, NULL);
    cr_assert_not_null(handle);
    return os_library_symbol(handle, name);
}

static inline struct blas_call *last_blas(void)
{
    return kept("stubs/cublas-11/libcublas.so.11", "stub_cublas_last");
}

static inline struct dnn_call *last_dnn(void)
{
    return kept("stubs/cudnn-7/libcudnn.so.7", "stub_cudnn_last");
}

static struct driver driver;

/* Opens with the stubs in two folders and nothing else. */
static inline struct vendor *open_with(const char *blas, const char *dnn, int cc)
{
    static char folders[2][4200];
    static const char *paths[] = { folders[0], folders[1] };
    struct err err;
    snprintf(folders[0], sizeof folders[0], "%s", beside(blas));
    snprintf(folders[1], sizeof folders[1], "%s", beside(dnn));
    struct search where = { paths, 2, NULL, 0, true };
    struct vendor_options options = { .where = &where, .cc_major = cc / 10, .cc_minor = cc % 10 };
    err_clear(&err);
    if (!driver.version)
        driver = driver_of(11040);
    struct vendor *v = vendor_open(&driver, &options, &err);
    cr_assert_not_null(v, "%s", err.msg);
    return v;
}

static inline struct vendor *open_stubs(int cc)
{
    struct vendor *v = open_with("stubs/cublas-11", "stubs/cudnn-7", cc);
    cr_assert_str_eq(vendor_state(v, VENDOR_CUBLAS)->reason, "");
    cr_assert_str_eq(vendor_state(v, VENDOR_CUDNN)->reason, "");
    return v;
}

static inline const char *reason(struct vendor *v, enum vendor_library library)
{
    return vendor_state(v, library)->reason;
}

#endif
