#include <stdlib.h>
#include <string.h>

#include "cuda/cudnn.h"

/* Numbers of cudnn.h, the same in versions 7 to 9. */
enum {
    LAYOUT_NCHW = 0,
    TYPE_FLOAT = 0,
    TYPE_HALF = 2,
    TYPE_BFLOAT16 = 9,
    CROSS_CORRELATION = 1,
    MATH_DEFAULT = 0, /* from 8 on: TF32 where the card has it */
    MATH_TENSOR = 1,
    MATH_FMA = 3, /* from 8 on */
    ACTIVATION_RELU = 1,
    ACTIVATION_IDENTITY = 5,
    NAN_NOT_PROPAGATED = 0,
    FORWARD_PRECOMPUTED = 1, /* the one algorithm that takes an identity for its activation */
    FOUND_MAX = 16,
};

static const struct {
    unsigned type, compute;
    int least_cc;
    size_t least_version;
    bool tensor;
} classes[CUDNN_CLASS_COUNT] = {
    [CUDNN_CLASS_FP32] = { TYPE_FLOAT, TYPE_FLOAT, 30, 7000, false },
    [CUDNN_CLASS_TF32] = { TYPE_FLOAT, TYPE_FLOAT, 80, 8000, true },
    [CUDNN_CLASS_FP16S] = { TYPE_HALF, TYPE_FLOAT, 30, 7000, false },
    [CUDNN_CLASS_HALF] = { TYPE_HALF, TYPE_HALF, 53, 7000, false },
    [CUDNN_CLASS_TC_FP16] = { TYPE_HALF, TYPE_FLOAT, 70, 7000, true },
    [CUDNN_CLASS_TC_BF16] = { TYPE_BFLOAT16, TYPE_FLOAT, 80, 8000, true },
};

static const char *const algorithms[][8] = {
    [CUDNN_PASS_FORWARD] = { "implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft",
                             "fft_tiling", "winograd", "winograd_nonfused" },
    [CUDNN_PASS_DATA] = { "algo_0", "algo_1", "fft", "fft_tiling", "winograd", "winograd_nonfused" },
    [CUDNN_PASS_WEIGHTS] = { "algo_0", "algo_1", "fft", "algo_3", "winograd", "winograd_nonfused",
                             "fft_tiling" },
};

struct cudnn_conv {
    struct cudnn *cudnn;
    struct cudnn_shape shape;
    struct cudnn_tensor *x, *y, *bias;
    struct cudnn_filter *w;
    struct cudnn_operation *operation;
    struct cudnn_activation *relu, *identity;
    unsigned algorithm;
    uint64_t workspace;
    size_t workspace_bytes;
};

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static int check_class(const struct cudnn *cudnn, enum cudnn_class class, struct err *err)
{
    int cc = classes[class].least_cc;
    if (cudnn->cc < cc)
        return err_set(err, ERR_MISSING, "cuDNN does this from capability %d.%d on", cc / 10, cc % 10);
    if (cudnn->version < classes[class].least_version)
        return err_set(err, ERR_MISSING, "cuDNN does this from version 8 on");
    return 0;
}

/* What to ask for: fp32 must not become TF32, nor fp16 with plain sums tensor instructions. */
static unsigned wanted_math(const struct cudnn_conv *conv)
{
    enum cudnn_class class = conv->shape.class;
    if (class == CUDNN_CLASS_TF32)
        return MATH_DEFAULT;
    if (classes[class].tensor)
        return MATH_TENSOR;
    return conv->cudnn->version >= 8000 ? MATH_FMA : MATH_DEFAULT;
}

/* cuDNN also lists what was not asked for. `exact`: as asked; else what becomes that when it is set: for plain
 * sums an algorithm that is listed with "default", which by itself may mean TF32. Below 7.0 there is only one
 * kind of arithmetic. */
static bool right_math(const struct cudnn_conv *conv, unsigned math, bool exact)
{
    if (conv->cudnn->cc < 70 || math == wanted_math(conv))
        return true;
    if (conv->shape.class == CUDNN_CLASS_TF32)
        return !exact && math == MATH_TENSOR;
    return !exact && !classes[conv->shape.class].tensor && math == MATH_DEFAULT;
}

static int make(struct cudnn_conv *conv, struct err *err)
{
    struct cudnn *d = conv->cudnn;
    if (cudnn_check(d, d->call.tensor_create(&conv->x), "cudnnCreateTensorDescriptor", err) ||
        cudnn_check(d, d->call.tensor_create(&conv->y), "cudnnCreateTensorDescriptor", err) ||
        cudnn_check(d, d->call.tensor_create(&conv->bias), "cudnnCreateTensorDescriptor", err) ||
        cudnn_check(d, d->call.filter_create(&conv->w), "cudnnCreateFilterDescriptor", err) ||
        cudnn_check(d, d->call.conv_create(&conv->operation), "cudnnCreateConvolutionDescriptor",
                    err) ||
        cudnn_check(d, d->call.activation_create(&conv->relu), "cudnnCreateActivationDescriptor",
                    err) ||
        cudnn_check(d, d->call.activation_create(&conv->identity), "cudnnCreateActivationDescriptor",
                    err))
        return -1;
    return 0;
}

static int describe(struct cudnn_conv *conv, struct err *err)
{
    struct cudnn *d = conv->cudnn;
    const struct cudnn_shape *s = &conv->shape;
    unsigned type = classes[s->class].type;
    if (cudnn_check(d, d->call.tensor_set(conv->x, LAYOUT_NCHW, type, s->n, s->c, s->h, s->w),
                    "cudnnSetTensor4dDescriptor", err) ||
        cudnn_check(d, d->call.tensor_set(conv->y, LAYOUT_NCHW, type, s->n, s->k, s->p, s->q),
                    "cudnnSetTensor4dDescriptor", err) ||
        cudnn_check(d, d->call.tensor_set(conv->bias, LAYOUT_NCHW, type, 1, s->k, 1, 1),
                    "cudnnSetTensor4dDescriptor", err) ||
        cudnn_check(d,
                    d->call.filter_set(conv->w, type, LAYOUT_NCHW, s->k, s->c / s->groups, s->r, s->s),
                    "cudnnSetFilter4dDescriptor", err))
        return -1;
    if (cudnn_check(d,
                    d->call.conv_set(conv->operation, s->pad_h, s->pad_w, s->stride_h, s->stride_w,
                                     s->dilation_h, s->dilation_w, CROSS_CORRELATION,
                                     classes[s->class].compute),
                    "cudnnSetConvolution2dDescriptor", err) ||
        cudnn_check(d, d->call.conv_groups(conv->operation, s->groups),
                    "cudnnSetConvolutionGroupCount", err) ||
        cudnn_check(d, d->call.conv_math(conv->operation, wanted_math(conv)),
                    "cudnnSetConvolutionMathType", err) ||
        cudnn_check(d, d->call.activation_set(conv->relu, ACTIVATION_RELU, NAN_NOT_PROPAGATED, 0),
                    "cudnnSetActivationDescriptor", err) ||
        cudnn_check(d,
                    d->call.activation_set(conv->identity, ACTIVATION_IDENTITY, NAN_NOT_PROPAGATED, 0),
                    "cudnnSetActivationDescriptor", err))
        return -1;
    return 0;
}

/* Runs all that cuDNN has, within this workspace. */
static unsigned find(struct cudnn_conv *conv, const struct cudnn_buffers *b, size_t bytes,
                     struct cudnn_found *found, int *count)
{
    const struct cudnn_calls *call = &conv->cudnn->call;
    struct cudnn_context *handle = conv->cudnn->handle;
    void *workspace = at(conv->workspace);
    if (conv->shape.pass == CUDNN_PASS_FORWARD)
        return call->find_forward(handle, conv->x, at(b->x), conv->w, at(b->w), conv->operation,
                                  conv->y, at(b->y), FOUND_MAX, count, found, workspace, bytes);
    if (conv->shape.pass == CUDNN_PASS_DATA)
        return call->find_backward_data(handle, conv->w, at(b->w), conv->y, at(b->y), conv->operation,
                                        conv->x, at(b->x), FOUND_MAX, count, found, workspace, bytes);
    return call->find_backward_weights(handle, conv->x, at(b->x), conv->y, at(b->y), conv->operation,
                                       conv->w, at(b->w), FOUND_MAX, count, found, workspace, bytes);
}

static unsigned guess(struct cudnn_conv *conv, struct cudnn_found *found, int *count)
{
    const struct cudnn_calls *call = &conv->cudnn->call;
    struct cudnn_context *handle = conv->cudnn->handle;
    if (conv->shape.pass == CUDNN_PASS_FORWARD)
        return call->guess_forward(handle, conv->x, conv->w, conv->operation, conv->y, FOUND_MAX, count,
                                   found);
    if (conv->shape.pass == CUDNN_PASS_DATA)
        return call->guess_backward_data(handle, conv->w, conv->y, conv->operation, conv->x, FOUND_MAX,
                                         count, found);
    return call->guess_backward_weights(handle, conv->x, conv->y, conv->operation, conv->w, FOUND_MAX,
                                        count, found);
}

static const struct cudnn_found *fastest(const struct cudnn_conv *conv, const struct cudnn_found *found,
                                         int count, bool bias_alone)
{
    for (int exact = 1; exact >= 0; exact--)
        for (int i = 0; i < count; i++)
            if (found[i].status == 0 && found[i].workspace_bytes <= conv->workspace_bytes &&
                right_math(conv, found[i].math, exact) &&
                (!bias_alone || found[i].algorithm == FORWARD_PRECOMPUTED))
                return &found[i];
    return NULL;
}

static void release_workspace(struct cudnn_conv *conv)
{
    if (conv->workspace)
        conv->cudnn->driver->call.mem_free(conv->workspace);
    conv->workspace = 0;
    conv->workspace_bytes = 0;
}

/* As much as can be had, by halves: a card may have less left than the cap. */
static void take_workspace(struct cudnn_conv *conv, size_t bytes)
{
    for (; bytes >= 65536 && !conv->workspace; bytes /= 2)
        if (conv->cudnn->driver->call.mem_alloc(&conv->workspace, bytes))
            conv->workspace = 0;
        else
            conv->workspace_bytes = bytes;
}

/* Takes what was chosen: its workspace alone, and its arithmetic. */
static int settle(struct cudnn_conv *conv, const struct cudnn_found *best, struct err *err)
{
    struct cudnn *d = conv->cudnn;
    bool tensor = classes[conv->shape.class].tensor;
    conv->algorithm = best->algorithm;
    release_workspace(conv);
    if (best->workspace_bytes) {
        int code = d->driver->call.mem_alloc(&conv->workspace, best->workspace_bytes);
        if (code) {
            conv->workspace = 0;
            return driver_check(err, code, "cuMemAlloc");
        }
        conv->workspace_bytes = best->workspace_bytes;
    }
    return cudnn_check(d, d->call.conv_math(conv->operation, tensor ? best->math : wanted_math(conv)),
                       "cudnnSetConvolutionMathType", err);
}

static int choose(struct cudnn_conv *conv, const struct cudnn_buffers *b, size_t workspace_max,
                  struct err *err)
{
    struct cudnn_found found[FOUND_MAX];
    bool bias_alone = b->bias && !b->relu;
    int count = 0;
    memset(found, 0, sizeof found);
    take_workspace(conv, workspace_max);
    unsigned status = find(conv, b, conv->workspace_bytes, found, &count);
    const struct cudnn_found *best = status ? NULL : fastest(conv, found, count, bias_alone);
    if (!best) {
        count = 0;
        status = guess(conv, found, &count);
        if (cudnn_check(conv->cudnn, status, "cudnnGetConvolution...Algorithm_v7", err))
            return -1;
        best = fastest(conv, found, count, bias_alone);
    }
    if (best)
        return settle(conv, best, err);
    return err_set(err, ERR_MISSING,
                   "cuDNN has no algorithm for this arithmetic within %zu bytes of workspace",
                   conv->workspace_bytes);
}

struct cudnn_conv *cudnn_conv_new(struct cudnn *cudnn, const struct cudnn_shape *shape,
                                  const struct cudnn_buffers *buffers, size_t workspace_max,
                                  struct err *err)
{
    if (check_class(cudnn, shape->class, err))
        return NULL;
    if (buffers->relu && !buffers->bias) {
        err_set(err, ERR_MISSING, "cuDNN fuses ReLU only together with a bias");
        return NULL;
    }
    struct cudnn_conv *conv = calloc(1, sizeof *conv);
    if (!conv) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    conv->cudnn = cudnn;
    conv->shape = *shape;
    if (!make(conv, err) && !describe(conv, err) && !choose(conv, buffers, workspace_max, err))
        return conv;
    cudnn_conv_free(conv);
    return NULL;
}

void cudnn_conv_free(struct cudnn_conv *conv)
{
    if (!conv)
        return;
    const struct cudnn_calls *call = &conv->cudnn->call;
    release_workspace(conv);
    if (conv->x)
        call->tensor_destroy(conv->x);
    if (conv->y)
        call->tensor_destroy(conv->y);
    if (conv->bias)
        call->tensor_destroy(conv->bias);
    if (conv->w)
        call->filter_destroy(conv->w);
    if (conv->operation)
        call->conv_destroy(conv->operation);
    if (conv->relu)
        call->activation_destroy(conv->relu);
    if (conv->identity)
        call->activation_destroy(conv->identity);
    free(conv);
}

static int run_forward(struct cudnn_conv *conv, const struct cudnn_buffers *b, struct err *err)
{
    static const float one = 1, zero = 0;
    struct cudnn *d = conv->cudnn;
    if (!b->bias)
        return cudnn_check(d,
                           d->call.forward(d->handle, &one, conv->x, at(b->x), conv->w, at(b->w),
                                           conv->operation, conv->algorithm, at(conv->workspace),
                                           conv->workspace_bytes, &zero, conv->y, at(b->y)),
                           "cudnnConvolutionForward", err);
    return cudnn_check(d,
                       d->call.forward_fused(d->handle, &one, conv->x, at(b->x), conv->w, at(b->w),
                                             conv->operation, conv->algorithm, at(conv->workspace),
                                             conv->workspace_bytes, &zero, conv->y, at(b->y),
                                             conv->bias, at(b->bias),
                                             b->relu ? conv->relu : conv->identity, conv->y, at(b->y)),
                       "cudnnConvolutionBiasActivationForward", err);
}

int cudnn_conv_run(struct cudnn_conv *conv, const struct cudnn_buffers *b, struct err *err)
{
    static const float one = 1, zero = 0;
    struct cudnn *d = conv->cudnn;
    if (conv->shape.pass == CUDNN_PASS_FORWARD)
        return run_forward(conv, b, err);
    if (conv->shape.pass == CUDNN_PASS_DATA)
        return cudnn_check(d,
                           d->call.backward_data(d->handle, &one, conv->w, at(b->w), conv->y, at(b->y),
                                                 conv->operation, conv->algorithm, at(conv->workspace),
                                                 conv->workspace_bytes, &zero, conv->x, at(b->x)),
                           "cudnnConvolutionBackwardData", err);
    return cudnn_check(d,
                       d->call.backward_weights(d->handle, &one, conv->x, at(b->x), conv->y, at(b->y),
                                                conv->operation, conv->algorithm, at(conv->workspace),
                                                conv->workspace_bytes, &zero, conv->w, at(b->w)),
                       "cudnnConvolutionBackwardFilter", err);
}

const char *cudnn_conv_algorithm(const struct cudnn_conv *conv)
{
    const char *name = conv->algorithm < 8 ? algorithms[conv->shape.pass][conv->algorithm] : NULL;
    return name ? name : "unknown";
}

size_t cudnn_conv_workspace(const struct cudnn_conv *conv)
{
    return conv->workspace_bytes;
}
