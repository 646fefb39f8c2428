#include "bench/cpu_conv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How an array lies in memory: in version 2 `bytes`, in version 3 an object; `at` is what calls take. */
struct desc {
    void *at;
    bool object;
    _Alignas(16) char bytes[ONEDNN_V2_DESC_BYTES];
};

struct array {
    struct desc plain; /* as the caller has it */
    struct onednn_memory *memory; /* as the kernel wants it */
    const void *blocked;          /* its description, of the plan */
};

struct cpu_conv {
    struct cpu_onednn *onednn;
    struct array arrays[CPU_CONV_ARRAYS];
    enum cpu_conv_array result;
    struct onednn_options *options;
    struct onednn_plan *forward, *plan; /* equal in the forward pass */
    struct onednn_primitive *primitive;
    struct onednn_argument arguments[4];
    int count;
    const char *kernel;
};

/* Row-major without gaps, or any layout (then the kernel chooses). */
static int describe(struct cpu_onednn *o, struct desc *to, int dimensions, const int64_t *extents,
                    bool any, struct err *err)
{
    int64_t strides[5] = { 0 };
    unsigned status;
    for (int i = dimensions - 1; i >= 0; i--)
        strides[i] = i == dimensions - 1 ? 1 : strides[i + 1] * extents[i + 1];
    if (o->major == 2) {
        to->at = to->bytes;
        status = any ? o->call.v2_tag(to->at, dimensions, extents, ONEDNN_F32, ONEDNN_ANY_LAYOUT)
                     : o->call.v2_strides(to->at, dimensions, extents, ONEDNN_F32, strides);
    } else {
        status = any ? o->call.v3_tag(&to->at, dimensions, extents, ONEDNN_F32, ONEDNN_ANY_LAYOUT)
                     : o->call.v3_strides(&to->at, dimensions, extents, ONEDNN_F32, strides);
        to->object = status == ONEDNN_OK;
    }
    return cpu_onednn_check(err, status, "describing an array to oneDNN");
}

static void forget(struct cpu_onednn *o, struct desc *desc)
{
    if (desc->object)
        o->call.v3_desc_destroy(desc->at);
    desc->object = false;
}

/* Extents of each array; weights have a dimension more when there are groups. Returns how many. */
static int extents_of(const struct conv_shape *s, enum cpu_conv_array array, int64_t *to)
{
    if (array == CPU_CONV_BIAS) {
        to[0] = s->k;
        return 1;
    }
    if (array == CPU_CONV_W && s->groups > 1) {
        int64_t w[] = { s->groups, s->k / s->groups, s->c / s->groups, s->r, s->s };
        memcpy(to, w, sizeof w);
        return 5;
    }
    int64_t x[] = { s->n, s->c, s->h, s->w }, w[] = { s->k, s->c, s->r, s->s },
            y[] = { s->n, s->k, conv_out_h(s), conv_out_w(s) };
    memcpy(to, array == CPU_CONV_X ? x : array == CPU_CONV_W ? w : y, sizeof x);
    return 4;
}

static int describe_plain(struct cpu_conv *conv, const struct conv_shape *shape, struct err *err)
{
    for (int i = 0; i < CPU_CONV_ARRAYS; i++) {
        int64_t extents[5];
        int dimensions = extents_of(shape, (enum cpu_conv_array)i, extents);
        if (describe(conv->onednn, &conv->arrays[i].plain, dimensions, extents, false, err))
            return -1;
    }
    return 0;
}

/* What both versions are told about a convolution. */
struct geometry {
    struct desc any[3];
    const void *x, *w, *y, *bias;
    int64_t strides[2], dilations[2], pad[2], behind[2];
};

/* Zeros that the filter meets behind the last row or column: what is left over by the stride is not read,
 * but oneDNN wants the numbers to add up to the size of the output. */
static int behind(int out, int in, int pad, int stride, int dilation, int filter)
{
    return (out - 1) * stride + dilation * (filter - 1) + 1 - in - pad;
}

static int geometry_of(struct cpu_conv *conv, const struct conv_shape *s, bool bias,
                       struct geometry *g, struct err *err)
{
    memset(g, 0, sizeof *g);
    for (int i = 0; i < 3; i++) {
        int64_t extents[5];
        int dimensions = extents_of(s, (enum cpu_conv_array)i, extents);
        if (describe(conv->onednn, &g->any[i], dimensions, extents, true, err))
            return -1;
    }
    g->x = g->any[CPU_CONV_X].at;
    g->w = g->any[CPU_CONV_W].at;
    g->y = g->any[CPU_CONV_Y].at;
    g->bias = bias ? conv->arrays[CPU_CONV_BIAS].plain.at : NULL;
    g->strides[0] = s->stride_h, g->strides[1] = s->stride_w;
    g->dilations[0] = s->dilation_h - 1, g->dilations[1] = s->dilation_w - 1;
    g->pad[0] = s->pad_h, g->pad[1] = s->pad_w;
    g->behind[0] = behind(conv_out_h(s), s->h, s->pad_h, s->stride_h, s->dilation_h, s->r);
    g->behind[1] = behind(conv_out_w(s), s->w, s->pad_w, s->stride_w, s->dilation_w, s->s);
    return 0;
}

static int plan_v2(struct cpu_conv *conv, const struct geometry *g, enum conv_pass pass,
                   struct onednn_plan **plan, struct err *err)
{
    struct cpu_onednn *o = conv->onednn;
    _Alignas(16) char operation[ONEDNN_V2_CONVOLUTION_BYTES];
    unsigned status;
    if (pass == CONV_FORWARD)
        status = o->call.v2_forward(operation, ONEDNN_FORWARD_TRAINING, ONEDNN_ALGORITHM_AUTO,
                                    g->x, g->w, g->bias, g->y, g->strides, g->dilations, g->pad,
                                    g->behind);
    else if (pass == CONV_BACKWARD_DATA)
        status = o->call.v2_backward_data(operation, ONEDNN_ALGORITHM_AUTO, g->x, g->w, g->y,
                                          g->strides, g->dilations, g->pad, g->behind);
    else
        status = o->call.v2_backward_weights(operation, ONEDNN_ALGORITHM_AUTO, g->x, g->w, NULL,
                                             g->y, g->strides, g->dilations, g->pad, g->behind);
    if (status == ONEDNN_OK)
        status = o->call.v2_plan(plan, operation, pass == CONV_FORWARD ? conv->options : NULL,
                                 o->engine, conv->forward);
    return cpu_onednn_check(err, status, "planning a convolution with oneDNN");
}

static int plan_v3(struct cpu_conv *conv, const struct geometry *g, enum conv_pass pass,
                   struct onednn_plan **plan, struct err *err)
{
    struct cpu_onednn *o = conv->onednn;
    unsigned status;
    if (pass == CONV_FORWARD)
        status = o->call.v3_forward(plan, o->engine, ONEDNN_FORWARD_TRAINING,
                                    ONEDNN_ALGORITHM_AUTO, g->x, g->w, g->bias, g->y, g->strides,
                                    g->dilations, g->pad, g->behind, conv->options);
    else if (pass == CONV_BACKWARD_DATA)
        status = o->call.v3_backward_data(plan, o->engine, ONEDNN_ALGORITHM_AUTO, g->x, g->w, g->y,
                                          g->strides, g->dilations, g->pad, g->behind,
                                          conv->forward, NULL);
    else
        status = o->call.v3_backward_weights(plan, o->engine, ONEDNN_ALGORITHM_AUTO, g->x, g->w,
                                             NULL, g->y, g->strides, g->dilations, g->pad,
                                             g->behind, conv->forward, NULL);
    return cpu_onednn_check(err, status, "planning a convolution with oneDNN");
}

/* A backward pass is planned with the forward one as a hint. */
static int make_plans(struct cpu_conv *conv, const struct conv_shape *shape, bool bias,
                      enum conv_pass pass, struct err *err)
{
    struct geometry g;
    int (*plan)(struct cpu_conv *, const struct geometry *, enum conv_pass, struct onednn_plan **,
                struct err *) = conv->onednn->major == 2 ? plan_v2 : plan_v3;
    int result = geometry_of(conv, shape, bias, &g, err);
    if (!result)
        result = plan(conv, &g, CONV_FORWARD, &conv->forward, err);
    if (!result && pass == CONV_FORWARD)
        conv->plan = conv->forward;
    else if (!result)
        result = plan(conv, &g, pass, &conv->plan, err);
    for (int i = 0; i < 3; i++)
        forget(conv->onednn, &g.any[i]);
    return result;
}

static int add_relu(struct cpu_conv *conv, struct err *err)
{
    struct cpu_onednn *o = conv->onednn;
    struct onednn_after *after = NULL;
    unsigned status = o->call.options_create(&conv->options);
    if (status == ONEDNN_OK)
        status = o->call.after_create(&after);
    if (status == ONEDNN_OK)
        status = o->major == 2 ? o->call.v2_eltwise(after, 1, ONEDNN_RELU_V2, 0, 0)
                               : o->call.v3_eltwise(after, ONEDNN_RELU_V3, 0, 0);
    if (status == ONEDNN_OK)
        status = o->call.options_set_after(conv->options, after);
    if (after)
        o->call.after_destroy(after);
    return cpu_onednn_check(err, status, "adding ReLU to a convolution");
}

/* The names by which each pass asks for and is given its arrays. */
static const struct {
    unsigned query;
    int argument;
} roles[][3] = {
    [CONV_FORWARD] = { { ONEDNN_QUERY_SRC, ONEDNN_ARG_SRC },
                       { ONEDNN_QUERY_WEIGHTS, ONEDNN_ARG_WEIGHTS },
                       { ONEDNN_QUERY_DST, ONEDNN_ARG_DST } },
    [CONV_BACKWARD_DATA] = { { ONEDNN_QUERY_DIFF_SRC, ONEDNN_ARG_DIFF_SRC },
                             { ONEDNN_QUERY_WEIGHTS, ONEDNN_ARG_WEIGHTS },
                             { ONEDNN_QUERY_DIFF_DST, ONEDNN_ARG_DIFF_DST } },
    [CONV_BACKWARD_WEIGHTS] = { { ONEDNN_QUERY_SRC, ONEDNN_ARG_SRC },
                                { ONEDNN_QUERY_DIFF_WEIGHTS, ONEDNN_ARG_DIFF_WEIGHTS },
                                { ONEDNN_QUERY_DIFF_DST, ONEDNN_ARG_DIFF_DST } },
};

static const enum cpu_conv_array results[] = { [CONV_FORWARD] = CPU_CONV_Y,
                                               [CONV_BACKWARD_DATA] = CPU_CONV_X,
                                               [CONV_BACKWARD_WEIGHTS] = CPU_CONV_W };

static int make_memory(struct cpu_conv *conv, enum cpu_conv_array which, const void *blocked,
                       int argument, struct err *err)
{
    struct cpu_onednn *o = conv->onednn;
    struct array *array = &conv->arrays[which];
    void *allocate = (void *)UINTPTR_MAX; /* DNNL_MEMORY_ALLOCATE */
    array->blocked = blocked;
    unsigned status = o->call.memory_create(&array->memory, blocked, o->engine, allocate);
    conv->arguments[conv->count++] = (struct onednn_argument){ argument, array->memory };
    return cpu_onednn_check(err, status, "dnnl_memory_create");
}

static int make_primitive(struct cpu_conv *conv, const struct cpu_conv_options *options,
                          struct err *err)
{
    struct cpu_onednn *o = conv->onednn;
    for (int i = 0; i < 3; i++)
        if (make_memory(conv, (enum cpu_conv_array)i,
                        o->call.query_md(conv->plan, roles[options->pass][i].query, 0),
                        roles[options->pass][i].argument, err))
            return -1;
    if (options->bias &&
        make_memory(conv, CPU_CONV_BIAS, conv->arrays[CPU_CONV_BIAS].plain.at, ONEDNN_ARG_BIAS,
                    err))
        return -1;
    conv->result = results[options->pass];
    if (o->call.query(conv->plan, ONEDNN_QUERY_NAME, 0, &conv->kernel))
        conv->kernel = "";
    return cpu_onednn_check(err, o->call.primitive_create(&conv->primitive, conv->plan),
                            "dnnl_primitive_create");
}

struct cpu_conv *cpu_conv_new(struct cpu_onednn *onednn, const struct conv_shape *shape,
                              const struct cpu_conv_options *options, struct err *err)
{
    struct cpu_conv *conv = calloc(1, sizeof *conv);
    bool forward = options->pass == CONV_FORWARD;
    if (!conv) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    conv->onednn = onednn;
    if (describe_plain(conv, shape, err) || (forward && options->relu && add_relu(conv, err)) ||
        make_plans(conv, shape, forward && options->bias, options->pass, err) ||
        make_primitive(conv, options, err)) {
        cpu_conv_free(conv);
        return NULL;
    }
    return conv;
}

void cpu_conv_free(struct cpu_conv *conv)
{
    if (!conv)
        return;
    struct cpu_onednn *o = conv->onednn;
    if (conv->primitive)
        o->call.primitive_destroy(conv->primitive);
    for (int i = 0; i < CPU_CONV_ARRAYS; i++) {
        if (conv->arrays[i].memory)
            o->call.memory_destroy(conv->arrays[i].memory);
        forget(o, &conv->arrays[i].plain);
    }
    if (conv->plan && conv->plan != conv->forward)
        o->call.plan_destroy(conv->plan);
    if (conv->forward)
        o->call.plan_destroy(conv->forward);
    if (conv->options)
        o->call.options_destroy(conv->options);
    free(conv);
}

static unsigned execute(struct cpu_onednn *o, const struct onednn_primitive *primitive, int count,
                   const struct onednn_argument *arguments)
{
    unsigned status = o->call.execute(primitive, o->stream, count, arguments);
    return status == ONEDNN_OK ? o->call.stream_wait(o->stream) : status;
}

/* Copies between the caller's layout and the kernel's. */
static int reorder(struct cpu_conv *conv, struct array *array, float *values, bool in,
                   struct err *err)
{
    struct cpu_onednn *o = conv->onednn;
    struct onednn_memory *plain = NULL;
    struct onednn_plan *plan = NULL;
    struct onednn_primitive *primitive = NULL;
    const void *from = in ? array->plain.at : array->blocked;
    const void *to = in ? array->blocked : array->plain.at;
    unsigned status = o->call.memory_create(&plain, array->plain.at, o->engine, values);
    if (status == ONEDNN_OK)
        status = o->call.reorder(&plan, from, o->engine, to, o->engine, NULL);
    if (status == ONEDNN_OK)
        status = o->call.primitive_create(&primitive, plan);
    if (status == ONEDNN_OK) {
        struct onednn_argument arguments[] = {
            { ONEDNN_ARG_FROM, in ? plain : array->memory },
            { ONEDNN_ARG_TO, in ? array->memory : plain },
        };
        status = execute(o, primitive, 2, arguments);
    }
    if (primitive)
        o->call.primitive_destroy(primitive);
    if (plan)
        o->call.plan_destroy(plan);
    if (plain)
        o->call.memory_destroy(plain);
    return cpu_onednn_check(err, status, "reordering an array with oneDNN");
}

int cpu_conv_put(struct cpu_conv *conv, enum cpu_conv_array which, const float *values,
                 struct err *err)
{
    struct array *array = &conv->arrays[which];
    if (!array->memory)
        return err_set(err, ERR_USAGE, "this convolution has no such array");
    return reorder(conv, array, (float *)(uintptr_t)values, true, err); /* only read */
}

int cpu_conv_get(struct cpu_conv *conv, float *result, struct err *err)
{
    return reorder(conv, &conv->arrays[conv->result], result, false, err);
}

int cpu_conv_run(struct cpu_conv *conv, struct err *err)
{
    return cpu_onednn_check(
        err, execute(conv->onednn, conv->primitive, conv->count, conv->arguments),
        "dnnl_primitive_execute");
}

const char *cpu_conv_kernel(const struct cpu_conv *conv)
{
    return conv->kernel;
}
