#include "bench/gemm.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "kernels/gemm.h"

enum {
    SPLIT_UNIT = 32, /* every tile's extent along k divides it or is a multiple of it */
    GRID_Z_MAX = 65535,
    REDUCE_THREADS = 256,
    REDUCE_BLOCKS_MAX = 4096,
    EIGHT_BYTE_BANKS = 2,
};

_Static_assert(sizeof(struct gemm_args) == 120, "the kernels' compiler lays it out so");

enum number gemm_result(enum bench_precision precision)
{
    switch (precision) {
    case BENCH_FP16S:
    case BENCH_HALF2:
    case BENCH_TC_FP16:
        return NUMBER_F16;
    case BENCH_TC_BF16:
        return NUMBER_BF16;
    case BENCH_DP4A:
    case BENCH_TC_INT8:
        return NUMBER_S32;
    default:
        return NUMBER_F32;
    }
}

static bool is_integer(enum bench_precision precision)
{
    return gemm_result(precision) == NUMBER_S32;
}

static int stored_a(const struct gemm_shape *s)
{
    return s->trans_a ? s->k : s->m;
}

static int stored_b(const struct gemm_shape *s)
{
    return s->trans_b ? s->n : s->k;
}

static unsigned layout_of(const struct gemm_shape *s)
{
    return 1u << ((s->trans_a ? 1 : 0) + (s->trans_b ? 2 : 0));
}

bool gemm_fits(const struct gemm_variant *variant, const struct gemm_shape *shape,
               const struct gemm_buffers *buffers)
{
    uint64_t bytes = (uint64_t)(variant->align * bench_precision_bytes(variant->precision));
    if (!(variant->layouts & layout_of(shape)))
        return false;
    if (buffers && ((buffers->a | buffers->b) & (bytes - 1)))
        return false;
    return stored_a(shape) % variant->align == 0 && stored_b(shape) % variant->align == 0;
}

/* What one split sums; the number of splits may come out smaller than asked for. */
static int split_length(const struct gemm_choice *choice, const struct gemm_shape *shape)
{
    int unit = choice->variant->tile_k > SPLIT_UNIT ? choice->variant->tile_k : SPLIT_UNIT;
    int units = (shape->k - 1) / unit + 1;
    int each = (units - 1) / choice->splits + 1;
    return each > INT_MAX / unit ? INT_MAX - INT_MAX % unit : each * unit;
}

static int split_count(const struct gemm_choice *choice, const struct gemm_shape *shape)
{
    return (shape->k - 1) / split_length(choice, shape) + 1;
}

size_t gemm_workspace(const struct gemm_choice *choice, const struct gemm_shape *shape)
{
    int splits = split_count(choice, shape);
    return splits == 1 ? 0
                       : (size_t)4 * (size_t)splits * (size_t)shape->m * (size_t)shape->n *
                             (size_t)shape->batch;
}

static void fill(struct gemm_args *args, const struct gemm_choice *choice,
                 const struct gemm_shape *s, float alpha, float beta, const struct gemm_buffers *b)
{
    int tile_m = choice->variant->tile_m;
    size_t c_bytes = number_bytes(gemm_result(choice->variant->precision));
    *args = (struct gemm_args){
        .stride_a = b->share_a ? 0 : (long long)s->m * s->k,
        .stride_b = b->share_b ? 0 : (long long)s->n * s->k,
        .stride_c = (long long)s->m * s->n,
        .m = s->m,
        .n = s->n,
        .k = s->k,
        .lda = stored_a(s),
        .ldb = stored_b(s),
        .ldc = s->m,
        .trans = (s->trans_a ? GEMM_TRANS_A : 0) | (s->trans_b ? GEMM_TRANS_B : 0),
        .wide_c = s->m % 4 == 0 && b->c % (4 * c_bytes) == 0,
        .splits = split_count(choice, s),
        .k_split = split_length(choice, s),
        .tiles_m = (s->m - 1) / tile_m + 1,
        .alpha = alpha,
        .beta = beta,
        .alpha_int = is_integer(choice->variant->precision) ? (int)lrintf(alpha) : 0,
        .beta_int = is_integer(choice->variant->precision) ? (int)lrintf(beta) : 0,
    };
}

/* Addresses of the matrices from number `first` of the batch on. The kernel wants pointers of its
 * own machine, which are as wide as ours. */
static void move_to(struct gemm_args *args, const struct gemm_variant *v,
                    const struct gemm_buffers *b, int first)
{
    uint64_t bytes = (uint64_t)bench_precision_bytes(v->precision);
    uint64_t c_bytes = (uint64_t)number_bytes(gemm_result(v->precision));
    args->a = (const void *)(uintptr_t)(b->a + (uint64_t)(first * args->stride_a) * bytes);
    args->b = (const void *)(uintptr_t)(b->b + (uint64_t)(first * args->stride_b) * bytes);
    args->c = (void *)(uintptr_t)(b->c + (uint64_t)(first * args->stride_c) * c_bytes);
    args->partial = (void *)(uintptr_t)(b->workspace + (uint64_t)(first * args->stride_c) * 4 *
                                                           (uint64_t)args->splits);
}

/* 8-byte banks double what reads of 16 bytes get from shared memory on Kepler; elsewhere there are
 * none. */
static int prepare(struct gpu *gpu, const char *family, const char *kernel,
                   struct gpu_function **function, struct err *err)
{
    if (gpu_kernel(gpu, family, kernel, function, err))
        return -1;
    if (gpu->device.cc / 10 == 3 && gpu->driver.call.function_banks)
        return driver_check(err, gpu->driver.call.function_banks(*function, EIGHT_BYTE_BANKS),
                            "cuFuncSetSharedMemConfig");
    return 0;
}

static int queue(struct gpu *gpu, struct gpu_function *function, struct gemm_args *args,
                 unsigned blocks, unsigned depth, unsigned threads, struct err *err)
{
    void *arguments[] = { args };
    struct gpu_launch launch = { .function = function,
                                 .grid = { blocks, 1, depth },
                                 .block = { threads, 1, 1 },
                                 .arguments = arguments };
    return gpu_launch(gpu, &launch, err);
}

static unsigned reduce_blocks(const struct gemm_shape *s)
{
    long long blocks = ((long long)s->m * s->n - 1) / REDUCE_THREADS + 1;
    return blocks > REDUCE_BLOCKS_MAX ? REDUCE_BLOCKS_MAX : (unsigned)blocks;
}

int gemm_run(struct gpu *gpu, const struct gemm_choice *choice, const struct gemm_shape *shape,
             float alpha, float beta, const struct gemm_buffers *buffers, struct err *err)
{
    const struct gemm_variant *v = choice->variant;
    struct gemm_args args;
    struct gpu_function *product, *reduce = NULL;
    char name[64];

    fill(&args, choice, shape, alpha, beta, buffers);
    long long tiles = (long long)args.tiles_m * ((shape->n - 1) / v->tile_n + 1);
    if (tiles > INT_MAX)
        return err_set(err, ERR_LIMIT, "a product of %d x %d is too large", shape->m, shape->n);
    snprintf(name, sizeof name, "%s_reduce", v->family);
    if (prepare(gpu, v->family, v->kernel, &product, err) ||
        (args.splits > 1 && prepare(gpu, v->family, name, &reduce, err)))
        return -1;

    int most = GRID_Z_MAX / args.splits;
    for (int first = 0; first < shape->batch; first += most) {
        int some = shape->batch - first < most ? shape->batch - first : most;
        move_to(&args, v, buffers, first);
        if (queue(gpu, product, &args, (unsigned)tiles, (unsigned)(some * args.splits),
                  (unsigned)v->threads, err) ||
            (reduce &&
             queue(gpu, reduce, &args, reduce_blocks(shape), (unsigned)some, REDUCE_THREADS, err)))
            return -1;
    }
    return 0;
}
