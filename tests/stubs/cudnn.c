/* A cuDNN that convolves fp32 on the CPU, on ordinary memory, and offers a list of algorithms that a test
 * sets by the environment:
 *
 *   STUB_CUDNN_CREATE=N    cudnnCreate fails with this status
 *   STUB_CUDNN_VERSION=N   as cudnnGetVersion says (7605)
 *   STUB_CUDNN_FIND=LIST   "algorithm,status,workspace,math;..." in the order of speed; "" none
 *   STUB_CUDNN_BUSY=N      the search by running fails with this status (the guess does not)
 *
 * A run fails with status 3 (bad parameter) when its algorithm or workspace is not what the list says, and
 * keeps what it was given in stub_cudnn_last. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tensor {
    unsigned layout, type;
    int n, c, h, w;
};

struct operation {
    int pad[2], stride[2], dilation[2], groups;
    unsigned mode, compute, math;
};

struct found {
    unsigned algorithm, status;
    float time;
    size_t memory;
    unsigned determinism, math;
    int reserved[3];
};

struct stub_cudnn_call {
    char name[40];
    unsigned type, compute, math, algorithm, activation;
    int groups;
    size_t workspace_bytes;
    void *workspace;
    int objects; /* made and not destroyed */
};
extern struct stub_cudnn_call stub_cudnn_last;
struct stub_cudnn_call stub_cudnn_last;

static int number(const char *name, int other)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : other;
}

static unsigned make(void **object, size_t size)
{
    *object = calloc(1, size);
    stub_cudnn_last.objects++;
    return 0;
}

static unsigned destroy(void *object)
{
    free(object);
    stub_cudnn_last.objects--;
    return 0;
}

/* One definition a function, with the declaration that the compiler wants before it. */
#define FUNCTION(result, name, arguments)                                                          \
    result name arguments;                                                                         \
    result name arguments

FUNCTION(unsigned, cudnnCreate, (void **handle))
{
    unsigned status = (unsigned)number("STUB_CUDNN_CREATE", 0);
    return status ? status : make(handle, 1);
}
FUNCTION(unsigned, cudnnDestroy, (void *handle))
{
    return destroy(handle);
}
FUNCTION(size_t, cudnnGetVersion, (void))
{
    return (size_t)number("STUB_CUDNN_VERSION", 7605);
}
FUNCTION(const char *, cudnnGetErrorString, (unsigned status))
{
    return status == 1 ? "CUDNN_STATUS_NOT_INITIALIZED" : "CUDNN_STATUS_OTHER";
}
FUNCTION(unsigned, cudnnCreateTensorDescriptor, (void **tensor))
{
    return make(tensor, sizeof(struct tensor));
}
FUNCTION(unsigned, cudnnDestroyTensorDescriptor, (void *tensor))
{
    return destroy(tensor);
}
FUNCTION(unsigned, cudnnSetTensor4dDescriptor,
         (struct tensor * t, unsigned layout, unsigned type, int n, int c, int h, int w))
{
    *t = (struct tensor){ layout, type, n, c, h, w };
    return 0;
}
FUNCTION(unsigned, cudnnCreateFilterDescriptor, (void **filter))
{
    return make(filter, sizeof(struct tensor));
}
FUNCTION(unsigned, cudnnDestroyFilterDescriptor, (void *filter))
{
    return destroy(filter);
}
FUNCTION(unsigned, cudnnSetFilter4dDescriptor,
         (struct tensor * t, unsigned type, unsigned layout, int k, int c, int h, int w))
{
    *t = (struct tensor){ layout, type, k, c, h, w };
    return 0;
}
FUNCTION(unsigned, cudnnCreateConvolutionDescriptor, (void **conv))
{
    return make(conv, sizeof(struct operation));
}
FUNCTION(unsigned, cudnnDestroyConvolutionDescriptor, (void *conv))
{
    return destroy(conv);
}
FUNCTION(unsigned, cudnnSetConvolution2dDescriptor,
         (struct operation * o, int ph, int pw, int u, int v, int dh, int dw, unsigned mode,
          unsigned compute))
{
    *o = (struct operation){ { ph, pw }, { u, v }, { dh, dw }, 1, mode, compute, 0 };
    return mode == 1 ? 0 : 3;
}
FUNCTION(unsigned, cudnnSetConvolutionGroupCount, (struct operation * o, int groups))
{
    o->groups = groups;
    return 0;
}
FUNCTION(unsigned, cudnnSetConvolutionMathType, (struct operation * o, unsigned math))
{
    o->math = math;
    return 0;
}
FUNCTION(unsigned, cudnnCreateActivationDescriptor, (void **activation))
{
    return make(activation, sizeof(unsigned));
}
FUNCTION(unsigned, cudnnDestroyActivationDescriptor, (void *activation))
{
    return destroy(activation);
}
FUNCTION(unsigned, cudnnSetActivationDescriptor,
         (unsigned *activation, unsigned mode, unsigned nan, double ceiling))
{
    (void)nan, (void)ceiling;
    *activation = mode;
    return 0;
}

static unsigned offer(int wanted, int *count, struct found *found)
{
    const char *text = getenv("STUB_CUDNN_FIND");
    if (!text)
        text = "1,0,0,0";
    for (*count = 0; *text && *count < wanted; ++*count) {
        struct found *f = &found[*count];
        memset(f, 0, sizeof *f);
        f->time = (float)(*count + 1);
        if (sscanf(text, "%u,%u,%zu,%u", &f->algorithm, &f->status, &f->memory, &f->math) != 4)
            return 3;
        text += strcspn(text, ";");
        text += *text == ';';
    }
    return 0;
}

static unsigned search(int wanted, int *count, struct found *found)
{
    unsigned status = (unsigned)number("STUB_CUDNN_BUSY", 0);
    return status ? status : offer(wanted, count, found);
}

FUNCTION(unsigned, cudnnFindConvolutionForwardAlgorithmEx,
         (void *h, void *xd, const void *x, void *wd, const void *w, void *o, void *yd, void *y,
          int wanted, int *count, struct found *found, void *space, size_t bytes))
{
    (void)h, (void)xd, (void)x, (void)wd, (void)w, (void)o, (void)yd, (void)y, (void)space, (void)bytes;
    return search(wanted, count, found);
}
FUNCTION(unsigned, cudnnFindConvolutionBackwardDataAlgorithmEx,
         (void *h, void *wd, const void *w, void *yd, const void *y, void *o, void *xd, void *x,
          int wanted, int *count, struct found *found, void *space, size_t bytes))
{
    (void)h, (void)xd, (void)x, (void)wd, (void)w, (void)o, (void)yd, (void)y, (void)space, (void)bytes;
    return search(wanted, count, found);
}
FUNCTION(unsigned, cudnnFindConvolutionBackwardFilterAlgorithmEx,
         (void *h, void *xd, const void *x, void *yd, const void *y, void *o, void *wd, void *w,
          int wanted, int *count, struct found *found, void *space, size_t bytes))
{
    (void)h, (void)xd, (void)x, (void)wd, (void)w, (void)o, (void)yd, (void)y, (void)space, (void)bytes;
    return search(wanted, count, found);
}
FUNCTION(unsigned, cudnnGetConvolutionForwardAlgorithm_v7,
         (void *h, void *xd, void *wd, void *o, void *yd, int wanted, int *count, struct found *found))
{
    (void)h, (void)xd, (void)wd, (void)o, (void)yd;
    return offer(wanted, count, found);
}
FUNCTION(unsigned, cudnnGetConvolutionBackwardDataAlgorithm_v7,
         (void *h, void *wd, void *yd, void *o, void *xd, int wanted, int *count, struct found *found))
{
    (void)h, (void)xd, (void)wd, (void)o, (void)yd;
    return offer(wanted, count, found);
}
FUNCTION(unsigned, cudnnGetConvolutionBackwardFilterAlgorithm_v7,
         (void *h, void *xd, void *yd, void *o, void *wd, int wanted, int *count, struct found *found))
{
    (void)h, (void)xd, (void)wd, (void)o, (void)yd;
    return offer(wanted, count, found);
}

/* Whether the run may use this algorithm with this workspace and kind of arithmetic: what is listed with
 * default (0) may also be run with plain sums (3). */
static int allowed(unsigned algorithm, unsigned math, const void *space, size_t bytes)
{
    struct found found[16];
    int count;
    offer(16, &count, found);
    for (int i = 0; i < count; i++)
        if (found[i].algorithm == algorithm && (found[i].math == math || (found[i].math == 0 && math == 3)))
            return found[i].status == 0 && bytes >= found[i].memory && (!found[i].memory || space);
    return 0;
}

static unsigned keep(const char *name, const struct tensor *x, const struct operation *o,
                     unsigned algorithm, void *space, size_t bytes)
{
    struct stub_cudnn_call *s = &stub_cudnn_last;
    strncpy(s->name, name, sizeof s->name - 1);
    s->type = x->type, s->compute = o->compute, s->math = o->math;
    s->algorithm = algorithm;
    s->groups = o->groups;
    s->workspace = space, s->workspace_bytes = bytes;
    s->activation = 99;
    if (space)
        memset(space, 1, bytes);
    return allowed(algorithm, o->math, space, bytes) ? 0 : 3;
}

/* y += x * w over every product there is, or the one of the two others that `result` says. */
static void convolve(const struct tensor *xd, float *x, const struct tensor *wd, float *w,
                     const struct operation *o, const struct tensor *yd, float *y, char result)
{
    int kg = wd->n / o->groups;
    for (int n = 0; n < yd->n; n++)
        for (int k = 0; k < yd->c; k++)
            for (int p = 0; p < yd->h; p++)
                for (int q = 0; q < yd->w; q++)
                    for (int c = 0; c < wd->c; c++)
                        for (int r = 0; r < wd->h; r++)
                            for (int t = 0; t < wd->w; t++) {
                                int h = p * o->stride[0] - o->pad[0] + r * o->dilation[0];
                                int i = q * o->stride[1] - o->pad[1] + t * o->dilation[1];
                                if (h < 0 || i < 0 || h >= xd->h || i >= xd->w)
                                    continue;
                                int in = k / kg * wd->c + c;
                                float *px = &x[((n * xd->c + in) * xd->h + h) * xd->w + i];
                                float *pw = &w[((k * wd->c + c) * wd->h + r) * wd->w + t];
                                float *py = &y[((n * yd->c + k) * yd->h + p) * yd->w + q];
                                if (result == 'y')
                                    *py += *px * *pw;
                                else if (result == 'x')
                                    *px += *py * *pw;
                                else
                                    *pw += *px * *py;
                            }
}

static void clear(const struct tensor *t, float *values)
{
    memset(values, 0, (size_t)(t->n * t->c * t->h * t->w) * sizeof *values);
}

FUNCTION(unsigned, cudnnConvolutionForward,
         (void *h, const float *alpha, struct tensor *xd, float *x, struct tensor *wd, float *w,
          struct operation *o, unsigned algorithm, void *space, size_t bytes, const float *beta,
          struct tensor *yd, float *y))
{
    (void)h;
    unsigned status = keep("forward", xd, o, algorithm, space, bytes);
    if (status || *alpha != 1 || *beta != 0 || xd->type != 0)
        return status;
    clear(yd, y);
    convolve(xd, x, wd, w, o, yd, y, 'y');
    return 0;
}
FUNCTION(unsigned, cudnnConvolutionBackwardData,
         (void *h, const float *alpha, struct tensor *wd, float *w, struct tensor *yd, float *y,
          struct operation *o, unsigned algorithm, void *space, size_t bytes, const float *beta,
          struct tensor *xd, float *x))
{
    (void)h;
    unsigned status = keep("backward data", xd, o, algorithm, space, bytes);
    if (status || *alpha != 1 || *beta != 0 || xd->type != 0)
        return status;
    clear(xd, x);
    convolve(xd, x, wd, w, o, yd, y, 'x');
    return 0;
}
FUNCTION(unsigned, cudnnConvolutionBackwardFilter,
         (void *h, const float *alpha, struct tensor *xd, float *x, struct tensor *yd, float *y,
          struct operation *o, unsigned algorithm, void *space, size_t bytes, const float *beta,
          struct tensor *wd, float *w))
{
    (void)h;
    unsigned status = keep("backward filter", xd, o, algorithm, space, bytes);
    if (status || *alpha != 1 || *beta != 0 || xd->type != 0)
        return status;
    clear(wd, w);
    convolve(xd, x, wd, w, o, yd, y, 'w');
    return 0;
}
FUNCTION(unsigned, cudnnConvolutionBiasActivationForward,
         (void *h, const float *alpha, struct tensor *xd, float *x, struct tensor *wd, float *w,
          struct operation *o, unsigned algorithm, void *space, size_t bytes, const float *alpha2,
          struct tensor *zd, const float *z, struct tensor *bd, const float *bias,
          const unsigned *activation, struct tensor *yd, float *y))
{
    (void)z;
    float none = 0;
    if (*alpha2 != 0 || bd->n != 1 || bd->c != yd->c || bd->h != 1 || bd->w != 1 || zd->c != yd->c)
        return 3;
    unsigned status = cudnnConvolutionForward(h, alpha, xd, x, wd, w, o, algorithm, space, bytes, &none,
                                              yd, y);
    stub_cudnn_last.activation = *activation;
    if (*activation == 5 && algorithm != 1)
        return 9; /* not supported */
    int plane = yd->h * yd->w;
    for (int i = 0; !status && i < yd->n * yd->c * plane; i++) {
        y[i] += bias[i / plane % yd->c];
        if (*activation == 1 && y[i] < 0)
            y[i] = 0;
    }
    return status;
}
