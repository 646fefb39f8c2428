#include "bench/vendor.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "cuda/cublas.h"
#include "cuda/cudnn.h"

struct vendor {
    struct cublas cublas;
    struct cudnn cudnn;
    struct vendor_state states[VENDOR_COUNT];
    size_t workspace_max;
};

struct vendor_conv {
    struct cudnn_conv *conv;
};

/* Ours on the left. int8 convolution is cuDNN's in other layouts only. */
static const struct {
    int cublas, cudnn; /* -1: none */
    enum number output;
} classes[BENCH_PRECISION_COUNT] = {
    [BENCH_FP32] = { CUBLAS_CLASS_FP32, CUDNN_CLASS_FP32, NUMBER_F32 },
    [BENCH_FP16S] = { CUBLAS_CLASS_FP16S, CUDNN_CLASS_FP16S, NUMBER_F16 },
    [BENCH_HALF2] = { CUBLAS_CLASS_HALF, CUDNN_CLASS_HALF, NUMBER_F16 },
    [BENCH_TC_FP16] = { CUBLAS_CLASS_TC_FP16, CUDNN_CLASS_TC_FP16, NUMBER_F16 },
    [BENCH_TC_BF16] = { CUBLAS_CLASS_TC_BF16, CUDNN_CLASS_TC_BF16, NUMBER_BF16 },
    [BENCH_TC_TF32] = { CUBLAS_CLASS_TF32, CUDNN_CLASS_TF32, NUMBER_F32 },
    [BENCH_DP4A] = { CUBLAS_CLASS_INT8, -1, NUMBER_S32 },
    [BENCH_TC_INT8] = { CUBLAS_CLASS_TC_INT8, -1, NUMBER_S32 },
    [BENCH_FP64] = { -1, -1, NUMBER_F32 },
    [BENCH_INT32] = { -1, -1, NUMBER_S32 },
};

enum number vendor_output(enum bench_precision precision)
{
    return classes[precision].output;
}

static size_t total_memory(const struct driver *driver)
{
    size_t free_bytes, total_bytes;
    return driver->call.mem_info(&free_bytes, &total_bytes) ? 0 : total_bytes;
}

static void note(struct vendor_state *state, const char *path, const struct err *err)
{
    str_copy(state->path, sizeof state->path, path);
    str_copy(state->reason, sizeof state->reason, err->code == ERR_NONE ? "" : err->msg);
}

static void open_cublas(struct vendor *v, const struct driver *driver,
                        const struct vendor_options *options)
{
    struct err err;
    struct vendor_state *state = &v->states[VENDOR_CUBLAS];
    /* What cuBLAS would take by itself, on Hopper 32 MiB and before that some 8. */
    size_t usual = options->cc_major >= 9 ? 32u << 20 : 8u << 20;
    err_clear(&err);
    if (!cublas_open(&v->cublas, driver, options->where, options->cc_major * 10 + options->cc_minor,
                     usual < v->workspace_max ? usual : v->workspace_max, &err))
        cublas_version_text(v->cublas.version, state->version);
    note(state, v->cublas.found.path, &err);
}

static void open_cudnn(struct vendor *v, const struct driver *driver,
                       const struct vendor_options *options)
{
    struct err err;
    struct vendor_state *state = &v->states[VENDOR_CUDNN];
    err_clear(&err);
    if (!cudnn_open(&v->cudnn, driver, options->where, options->cc_major * 10 + options->cc_minor,
                    &err))
        cudnn_version_text(v->cudnn.version, state->version);
    note(state, v->cudnn.found.path, &err);
}

struct vendor *vendor_open(const struct driver *driver, const struct vendor_options *options,
                           struct err *err)
{
    struct vendor *v = calloc(1, sizeof *v);
    if (!v) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    v->states[VENDOR_CUBLAS].name = "cuBLAS";
    v->states[VENDOR_CUDNN].name = "cuDNN";
    if (driver->is_virtual) { /* it would find no real device, or another than is meant */
        for (int i = 0; i < VENDOR_COUNT; i++)
            str_copy(v->states[i].reason, sizeof v->states[i].reason, "not on a virtual GPU");
        return v;
    }
    v->workspace_max = options->workspace_max;
    if (!v->workspace_max)
        v->workspace_max = total_memory(driver) <= (size_t)2 << 30 ? (size_t)32 << 20 : (size_t)256 << 20;
    for (int i = 0; i < VENDOR_COUNT; i++)
        if (options->leave[i])
            str_copy(v->states[i].reason, sizeof v->states[i].reason, "not asked for");
    if (!options->leave[VENDOR_CUBLAS])
        open_cublas(v, driver, options);
    if (!options->leave[VENDOR_CUDNN]) /* after cuBLAS, which it uses and finds loaded */
        open_cudnn(v, driver, options);
    return v;
}

void vendor_close(struct vendor *vendor)
{
    if (!vendor)
        return;
    cudnn_close(&vendor->cudnn);
    cublas_close(&vendor->cublas);
    free(vendor);
}

const struct vendor_state *vendor_state(const struct vendor *vendor, enum vendor_library library)
{
    return &vendor->states[library];
}

/* The reason of a library that is not there is the reason of each call. */
static int check_there(const struct vendor *vendor, enum vendor_library library, int class,
                       const char *no_class, struct err *err)
{
    const struct vendor_state *state = &vendor->states[library];
    if (*state->reason)
        return err_set(err, ERR_MISSING, "%s: %s", state->name, state->reason);
    return class < 0 ? err_set(err, ERR_MISSING, "%s", no_class) : 0;
}

int vendor_gemm(struct vendor *vendor, enum bench_precision precision,
                const struct gemm_shape *shape, double alpha, double beta, uint64_t a, uint64_t b,
                uint64_t c, struct err *err)
{
    int class = classes[precision].cublas;
    if (check_there(vendor, VENDOR_CUBLAS, class, "cuBLAS has no such class of arithmetic", err))
        return -1;
    struct cublas_gemm gemm = { (enum cublas_class)class,
                                shape->trans_a,
                                shape->trans_b,
                                shape->m,
                                shape->n,
                                shape->k,
                                shape->batch,
                                alpha,
                                beta,
                                a,
                                b,
                                c };
    return cublas_gemm(&vendor->cublas, &gemm, err);
}

static struct cudnn_buffers buffers_of(const struct vendor_conv_buffers *b)
{
    return (struct cudnn_buffers){ b->x, b->w, b->y, b->bias, b->relu };
}

struct vendor_conv *vendor_conv_new(struct vendor *vendor, enum bench_precision precision,
                                    const struct conv_shape *shape, enum conv_pass pass,
                                    const struct vendor_conv_buffers *buffers, struct err *err)
{
    static const enum cudnn_pass passes[] = { [CONV_FORWARD] = CUDNN_PASS_FORWARD,
                                              [CONV_BACKWARD_DATA] = CUDNN_PASS_DATA,
                                              [CONV_BACKWARD_WEIGHTS] = CUDNN_PASS_WEIGHTS };
    int class = classes[precision].cudnn;
    if (check_there(vendor, VENDOR_CUDNN, class, "cuDNN has no such class of arithmetic for NCHW", err))
        return NULL;
    struct cudnn_shape s = {
        (enum cudnn_class)class, passes[pass],      shape->n,        shape->c,
        shape->h,                shape->w,          shape->k,        shape->r,
        shape->s,                conv_out_h(shape), conv_out_w(shape), shape->pad_h,
        shape->pad_w,            shape->stride_h,   shape->stride_w, shape->dilation_h,
        shape->dilation_w,       shape->groups
    };
    struct cudnn_buffers b = buffers_of(buffers);
    struct vendor_conv *conv = calloc(1, sizeof *conv);
    if (!conv) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    conv->conv = cudnn_conv_new(&vendor->cudnn, &s, &b, vendor->workspace_max, err);
    if (conv->conv)
        return conv;
    free(conv);
    return NULL;
}

int vendor_conv_run(struct vendor_conv *conv, const struct vendor_conv_buffers *buffers,
                    struct err *err)
{
    struct cudnn_buffers b = buffers_of(buffers);
    return cudnn_conv_run(conv->conv, &b, err);
}

const char *vendor_conv_algorithm(const struct vendor_conv *conv)
{
    return cudnn_conv_algorithm(conv->conv);
}

size_t vendor_conv_workspace(const struct vendor_conv *conv)
{
    return cudnn_conv_workspace(conv->conv);
}

void vendor_conv_free(struct vendor_conv *conv)
{
    if (!conv)
        return;
    cudnn_conv_free(conv->conv);
    free(conv);
}
