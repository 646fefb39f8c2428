#include <stdlib.h>
#include <string.h>

#include "bench/ceiling_parts.h"
#include "bench/number.h"
#include "kernels/ceil.h"

/* ---- what is computed with ----------------------------------------------------------------------
 */

/* A generator of 32 bits (a multiplication and two shifts of a counter), for inputs equal
 * everywhere. */
static uint32_t scramble(uint32_t n)
{
    n = (n ^ n >> 16) * 0x85ebca6bu;
    n = (n ^ n >> 13) * 0xc2b2ae35u;
    return n ^ n >> 16;
}

float ceiling_word(int array, size_t index)
{
    uint32_t n = scramble((uint32_t)(index % CEILING_PERIOD) * 2 + (uint32_t)array);
    return (float)((int)(n >> 8) - (1 << 23)) * 0x1p-23f;
}

/* From 0.5 to 1, either sign. */
static double start_value(int chain)
{
    uint32_t n = scramble(1000u + (uint32_t)chain);
    double magnitude = 0.5 + (double)(n >> 9) * 0x1p-24;
    return n & 1 ? -magnitude : magnitude;
}

static uint32_t half_bits(double value)
{
    uint16_t bits;
    number_write(NUMBER_F16, &bits, 0, (float)value);
    return bits;
}

union ceiling_value ceiling_start(enum bench_precision precision, int chain)
{
    double v = start_value(chain);
    switch (precision) {
    case BENCH_FP32:
        return (union ceiling_value){ .f32 = (float)v };
    case BENCH_FP64:
        return (union ceiling_value){ .f64 = v * (1 + 0x1p-40) };
    case BENCH_HALF2:
        return (union ceiling_value){ .bits = half_bits(v) | half_bits(start_value(chain + 8))
                                                                 << 16 };
    default:
        return (union ceiling_value){ .bits = scramble(2000u + (uint32_t)chain) };
    }
}

/* r = fma(r, factor, r) is r * (1 + factor): a little less than -1. */
union ceiling_value ceiling_factor(enum bench_precision precision)
{
    switch (precision) {
    case BENCH_FP32:
        return (union ceiling_value){ .f32 = -2 + 0x1p-14f };
    case BENCH_FP64:
        return (union ceiling_value){ .f64 = -2 + 0x1p-14 };
    case BENCH_HALF2:
        return (union ceiling_value){ .bits = half_bits(-2 + 0x1p-10) * 0x10001u };
    case BENCH_DP4A:
        return (union ceiling_value){ .bits = 0x7f83a75du };
    default:
        return (union ceiling_value){ .bits = 1664525 };
    }
}

size_t ceiling_element(enum bench_precision precision)
{
    return precision == BENCH_FP64 ? 8 : 4;
}

int ceiling_depth(enum bench_precision precision)
{
    return precision == BENCH_TC_TF32 ? 8 : precision == BENCH_TC_INT8 ? 32 : 16;
}

/* Eighths below 1: 4096 steps x 4 products x 16 terms of less than 49 / 64 stay below 2^24 / 64, so
 * that fp32 sums are exact. Bytes up to 63: 4096 x 4 x 32 x 63^2 is below 2^31. */
int ceiling_operand(enum bench_precision precision, bool is_b, int row, int k)
{
    uint32_t n = scramble((uint32_t)(row * 64 + k) * 2 + is_b + 3000u);
    int steps = precision == BENCH_TC_INT8 ? 64 : 8;
    return (int)(n % (uint32_t)steps) * 2 - steps + 1;
}

/* ---- preparing ----------------------------------------------------------------------------------
 */

static bool is_loop(const struct ceiling *c)
{
    return c->kind == CEILING_ARITHMETIC || c->kind == CEILING_TENSOR || c->kind == CEILING_SHARED;
}

static void array_sizes(const struct ceiling *c, const struct ceiling_size *size,
                        size_t bytes[CEILING_ARRAYS])
{
    size_t threads = (size_t)size->blocks * size->threads;
    size_t element = ceiling_element(c->precision);
    memset(bytes, 0, CEILING_ARRAYS * sizeof *bytes);
    switch (c->kind) {
    case CEILING_ARITHMETIC:
        bytes[0] = threads * element;
        bytes[1] = CEIL_CHAINS * element;
        break;
    case CEILING_TENSOR:
        bytes[0] = threads / 32 * 256 * 4;
        bytes[1] = bytes[2] =
            (size_t)ceiling_depth(c->precision) * 32 * (size_t)bench_precision_bytes(c->precision);
        break;
    case CEILING_MEMORY:
        bytes[0] = bytes[1] = size->bytes;
        bytes[2] = c->per_round > 2 ? size->bytes : 0;
        break;
    case CEILING_SHARED:
        bytes[0] = threads * 4;
        break;
    case CEILING_LAUNCH:
        bytes[0] = (size_t)size->blocks * 4;
        break;
    case CEILING_TRANSFER:
        bytes[0] = size->bytes;
        break;
    }
}

size_t ceiling_bytes(const struct ceiling *c, const struct ceiling_size *size)
{
    size_t bytes[CEILING_ARRAYS];
    array_sizes(c, size, bytes);
    return bytes[0] + 2 * CEILING_GUARD + bytes[1] + bytes[2];
}

static int check_size(const struct ceiling *c, const struct ceiling_size *s, struct err *err)
{
    bool moves = c->kind == CEILING_MEMORY || c->kind == CEILING_TRANSFER;
    if (moves ? !s->bytes || s->bytes % 16 : !s->blocks || !s->threads || s->threads > CEIL_THREADS)
        return err_set(err, ERR_LIMIT, "ceiling '%s': no such size", c->name);
    if (is_loop(c) && (s->rounds > c->rounds || s->threads % 32))
        return err_set(err, ERR_LIMIT, "ceiling '%s': more than %u rounds, or no whole warps",
                       c->name, c->rounds);
    return 0;
}

/* Fills one period from the host, and the rest from what is there already. */
static int fill_periods(const struct gpu *gpu, uint64_t to, size_t bytes, int array,
                        struct err *err)
{
    size_t period = CEILING_PERIOD * sizeof(float), done = bytes < period ? bytes : period;
    float *words = malloc(period);
    if (!words)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < CEILING_PERIOD; i++)
        words[i] = ceiling_word(array, i);
    int failed = gpu_upload(gpu, to, words, done, err);
    for (; !failed && done < bytes; done *= 2)
        failed = gpu_copy(gpu, to + done, to, bytes - done < done ? bytes - done : done, err);
    free(words);
    return failed;
}

static int fill_chains(const struct ceiling_job *job, struct err *err)
{
    enum bench_precision p = job->ceiling->precision;
    size_t element = ceiling_element(p);
    unsigned char start[CEIL_CHAINS * sizeof(double)];
    for (int c = 0; c < CEIL_CHAINS; c++) {
        union ceiling_value v = ceiling_start(p, c);
        memcpy(start + (size_t)c * element, &v, element);
    }
    return gpu_upload(job->gpu, job->arrays[1], start, job->array_bytes[1], err);
}

/* A0, A1 row by row and B0, B1 column by column: both are 32 lines of one depth. */
static int fill_operands(const struct ceiling_job *job, struct err *err)
{
    enum bench_precision p = job->ceiling->precision;
    int depth = ceiling_depth(p);
    unsigned char lines[32 * 16 * 4];
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < 32 * depth; i++) {
            float v = (float)ceiling_operand(p, which, i / depth, i % depth);
            number_write(number_of(p), lines, (size_t)i, p == BENCH_TC_INT8 ? v : v / 8);
        }
        if (gpu_upload(job->gpu, job->arrays[which + 1], lines, job->array_bytes[which + 1], err))
            return -1;
    }
    return 0;
}

static int fill_host(struct ceiling_job *job, struct err *err)
{
    const struct ceiling *c = job->ceiling;
    if (ceiling_is_pinned(c)) {
        if (gpu_alloc_host(job->gpu, job->size.bytes, &job->host, err))
            return -1;
    } else if (!(job->host = malloc(job->size.bytes))) {
        return err_set(err, ERR_MEMORY, "out of memory");
    }
    if (!ceiling_is_host_to_device(c)) {
        memset(job->host, CEILING_POISON, job->size.bytes);
        return fill_periods(job->gpu, job->arrays[0], job->size.bytes, 1, err);
    }
    for (size_t i = 0; i < job->size.bytes / sizeof(float); i++)
        ((float *)job->host)[i] = ceiling_word(1, i);
    return 0;
}

static int fill(struct ceiling_job *job, struct err *err)
{
    switch (job->ceiling->kind) {
    case CEILING_ARITHMETIC:
        return fill_chains(job, err);
    case CEILING_TENSOR:
        return fill_operands(job, err);
    case CEILING_MEMORY:
        for (int i = 1; i < CEILING_ARRAYS; i++)
            if (job->array_bytes[i] &&
                fill_periods(job->gpu, job->arrays[i], job->array_bytes[i], i, err))
                return -1;
        return 0;
    case CEILING_TRANSFER:
        return fill_host(job, err);
    case CEILING_SHARED:
    case CEILING_LAUNCH:
        break;
    }
    return 0;
}

/* Only the first array is written, so that it alone has guards. */
static int allocate(struct ceiling_job *job, struct err *err)
{
    array_sizes(job->ceiling, &job->size, job->array_bytes);
    if (gpu_alloc(job->gpu, job->array_bytes[0] + 2 * CEILING_GUARD, &job->arrays[0], err) ||
        gpu_set_bytes(job->gpu, job->arrays[0], CEILING_POISON,
                      job->array_bytes[0] + 2 * CEILING_GUARD, err))
        return -1;
    job->arrays[0] += CEILING_GUARD;
    for (int i = 1; i < CEILING_ARRAYS; i++)
        if (job->array_bytes[i] && gpu_alloc(job->gpu, job->array_bytes[i], &job->arrays[i], err))
            return -1;
    return 0;
}

/* Kepler's shared memory gives 8 bytes a bank where it is asked to. */
static void wide_banks(const struct ceiling_job *job)
{
    enum { EIGHT_BYTES = 2 };
    const struct gpu *gpu = job->gpu;
    if (job->ceiling->kind == CEILING_SHARED && gpu->device.cc / 10 == 3 &&
        job->ceiling->per_round > 4 * CEIL_SHARED_LOADS && gpu->driver.call.function_banks)
        gpu->driver.call.function_banks(job->function, EIGHT_BYTES);
}

int ceiling_prepare(struct ceiling_job *job, struct gpu *gpu, const struct ceiling *ceiling,
                    const struct ceiling_size *size, struct err *err)
{
    *job = (struct ceiling_job){ .gpu = gpu, .ceiling = ceiling, .size = *size };
    if (check_size(ceiling, size, err))
        return -1;
    if (ceiling->kernel && gpu_kernel(gpu, ceiling->family, ceiling->kernel, &job->function, err))
        return -1;
    if (allocate(job, err) || fill(job, err)) {
        ceiling_free(job);
        return -1;
    }
    wide_banks(job);
    return 0;
}

void ceiling_free(struct ceiling_job *job)
{
    if (job->arrays[0])
        gpu_free(job->gpu, job->arrays[0] - CEILING_GUARD);
    gpu_free(job->gpu, job->arrays[1]);
    gpu_free(job->gpu, job->arrays[2]);
    if (job->host && ceiling_is_pinned(job->ceiling))
        gpu_free_host(job->gpu, job->host);
    else
        free(job->host);
    memset(job->arrays, 0, sizeof job->arrays);
    job->host = NULL;
}

/* ---- running ------------------------------------------------------------------------------------
 */

static int launch(const struct ceiling_job *job, unsigned blocks, unsigned threads,
                  void **arguments, struct err *err)
{
    struct gpu_launch l = { .function = job->function,
                            .grid = { blocks, 1, 1 },
                            .block = { threads, 1, 1 },
                            .arguments = arguments };
    return gpu_launch(job->gpu, &l, err);
}

static int run_memory(const struct ceiling_job *job, struct err *err)
{
    enum { THREADS = CEIL_THREADS };
    uint64_t to = job->arrays[0], from = job->arrays[1], addend = job->arrays[2];
    float factor = 0.75f;
    uint32_t count = (uint32_t)(job->size.bytes / 16);
    unsigned blocks = (count + CEIL_VECTORS * THREADS - 1) / (CEIL_VECTORS * THREADS);
    void *copy[] = { &to, &from, &count };
    void *triad[] = { &to, &from, &addend, &factor, &count };
    if (!job->ceiling->kernel)
        return gpu_copy(job->gpu, to, from, job->size.bytes, err);
    return launch(job, blocks, THREADS, addend ? triad : copy, err);
}

static int run_transfer(const struct ceiling_job *job, struct err *err)
{
    const struct gpu *gpu = job->gpu;
    size_t bytes = job->size.bytes;
    if (ceiling_is_pinned(job->ceiling))
        return ceiling_is_host_to_device(job->ceiling)
                   ? gpu_upload_queued(gpu, job->arrays[0], job->host, bytes, err)
                   : gpu_download_queued(gpu, job->host, job->arrays[0], bytes, err);
    return ceiling_is_host_to_device(job->ceiling)
               ? gpu_upload(gpu, job->arrays[0], job->host, bytes, err)
               : gpu_download(gpu, job->host, job->arrays[0], bytes, err);
}

int ceiling_run(const struct ceiling_job *job, struct err *err)
{
    const struct ceiling_size *s = &job->size;
    uint64_t out = job->arrays[0], a = job->arrays[1], b = job->arrays[2];
    int rounds = (int)s->rounds;
    union ceiling_value factor = ceiling_factor(job->ceiling->precision);
    uint32_t seed = CEILING_SEED, addend = CEILING_ADDEND;
    void *chains[] = { &out, &a, &rounds, &factor, &addend }; /* only mad_i32 has the last */
    void *tensor[] = { &out, &a, &b, &rounds };
    void *shared[] = { &out, &rounds, &seed };
    void *tick[] = { &out, &seed };
    switch (job->ceiling->kind) {
    case CEILING_ARITHMETIC:
        return launch(job, s->blocks, s->threads, chains, err);
    case CEILING_TENSOR:
        return launch(job, s->blocks, s->threads, tensor, err);
    case CEILING_SHARED:
        return launch(job, s->blocks, s->threads, shared, err);
    case CEILING_LAUNCH:
        return launch(job, s->blocks, s->threads, tick, err);
    case CEILING_MEMORY:
        return run_memory(job, err);
    case CEILING_TRANSFER:
        break;
    }
    return run_transfer(job, err);
}
