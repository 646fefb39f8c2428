#include "bench/ceiling.h"

#include <string.h>

#include "bench/ceiling_parts.h"
#include "kernels/ceil.h"

/* Steps that two neighbouring constants of the kernels make of one round. */
#define CHAIN_STEPS (CEIL_STEPS * CEIL_CHAINS)
/* Multiply-adds of a lane in one round: four tiles of 16 x 16 x K by 32 lanes. */
#define TENSOR_STEPS(k) (CEIL_TC_STEPS * 4 * 16 * 16 * (k) / 32)

/* fp32 and fp64: r shrinks by 1 - 2^-14 a step, to a fiftieth in 2^16 steps, so that all bits stay
 * in play. Halves: by 1 - 2^-10, from 0.5 to above the denormals in 2^13. Tensor: sums stay below
 * 2^24 of their unit, 2^31 for integers (operand() in ceiling_job.c). */
static const struct ceiling table[] = {
    { "fp32", CEILING_ARITHMETIC, BENCH_FP32, "ceil_alu", "fma_f32", 35, 2 * CHAIN_STEPS, 2048, 0,
      0, 1 },
    { "fp64", CEILING_ARITHMETIC, BENCH_FP64, "ceil_alu", "fma_f64", 35, 2 * CHAIN_STEPS, 2048, 0,
      0, 1 },
    /* Maxwell and Pascal multiply 16 by 16 bits; a 32-bit multiply-add is three of those. */
    { "int32", CEILING_ARITHMETIC, BENCH_INT32, "ceil_alu", "mad_i32", 35, 2 * CHAIN_STEPS, 2048,
      50, 62, 3 },
    { "fp16", CEILING_ARITHMETIC, BENCH_HALF2, "ceil_half2", "fma_half2", 53, 4 * CHAIN_STEPS, 256,
      0, 0, 1 },
    /* The compiler takes the instruction apart for the 6.2: four bytes out of a word, four
       products. */
    { "int8", CEILING_ARITHMETIC, BENCH_DP4A, "ceil_dp4a", "dot_s8", 61, 8 * CHAIN_STEPS, 2048, 62,
      62, 8 },
    { "tc-fp16", CEILING_TENSOR, BENCH_TC_FP16, "ceil_tc_f16", "tensor_f16", 70,
      2 * TENSOR_STEPS(16), 512, 0, 0, 1 },
    { "tc-bf16", CEILING_TENSOR, BENCH_TC_BF16, "ceil_tc_wide", "tensor_bf16", 80,
      2 * TENSOR_STEPS(16), 512, 0, 0, 1 },
    { "tc-tf32", CEILING_TENSOR, BENCH_TC_TF32, "ceil_tc_wide", "tensor_tf32", 80,
      2 * TENSOR_STEPS(8), 512, 0, 0, 1 },
    { "tc-int8", CEILING_TENSOR, BENCH_TC_INT8, "ceil_tc_s8", "tensor_s8", 72, 2 * TENSOR_STEPS(32),
      512, 0, 0, 1 },
    { "copy", CEILING_MEMORY, BENCH_PRECISION_COUNT, "ceil_memory", "copy", 35, 2, 1, 0, 0, 1 },
    { "triad", CEILING_MEMORY, BENCH_PRECISION_COUNT, "ceil_memory", "triad", 35, 3, 1, 0, 0, 1 },
    /* The driver's own copy from device to device, which the first of these is held against. */
    { "driver-copy", CEILING_MEMORY, BENCH_PRECISION_COUNT, NULL, NULL, 0, 2, 1, 0, 0, 1 },
    { "shared-4", CEILING_SHARED, BENCH_PRECISION_COUNT, "ceil_memory", "shared_4", 35,
      4 * CEIL_SHARED_LOADS, 16384, 0, 0, 1 },
    { "shared-8", CEILING_SHARED, BENCH_PRECISION_COUNT, "ceil_memory", "shared_8", 35,
      8 * CEIL_SHARED_LOADS, 16384, 0, 0, 1 },
    { "shared-16", CEILING_SHARED, BENCH_PRECISION_COUNT, "ceil_memory", "shared_16", 35,
      16 * CEIL_SHARED_LOADS, 16384, 0, 0, 1 },
    { "launch", CEILING_LAUNCH, BENCH_PRECISION_COUNT, "ceil_memory", "tick", 35, 1, 1, 0, 0, 1 },
    { "h2d-pinned", CEILING_TRANSFER, BENCH_PRECISION_COUNT, NULL, NULL, 0, 1, 1, 0, 0, 1 },
    { "d2h-pinned", CEILING_TRANSFER, BENCH_PRECISION_COUNT, NULL, NULL, 0, 1, 1, 0, 0, 1 },
    { "h2d-pageable", CEILING_TRANSFER, BENCH_PRECISION_COUNT, NULL, NULL, 0, 1, 1, 0, 0, 1 },
    { "d2h-pageable", CEILING_TRANSFER, BENCH_PRECISION_COUNT, NULL, NULL, 0, 1, 1, 0, 0, 1 },
};

size_t ceiling_count(void)
{
    return sizeof table / sizeof table[0];
}

const struct ceiling *ceiling_at(size_t index)
{
    return index < ceiling_count() ? &table[index] : NULL;
}

const struct ceiling *ceiling_find(const char *name)
{
    for (size_t i = 0; i < ceiling_count(); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const struct ceiling *ceiling_of(enum bench_precision precision)
{
    /* halves in memory alone are single precision to the arithmetic */
    enum bench_precision wanted = precision == BENCH_FP16S ? BENCH_FP32 : precision;
    for (size_t i = 0; i < ceiling_count(); i++)
        if (table[i].precision == wanted && wanted != BENCH_PRECISION_COUNT)
            return &table[i];
    return NULL;
}

unsigned ceiling_instructions(const struct ceiling *c, unsigned cc)
{
    return c->emulated_first && cc >= c->emulated_first && cc <= c->emulated_last ? c->emulated_by
                                                                                  : 1;
}

bool ceiling_is_host_to_device(const struct ceiling *c)
{
    return strncmp(c->name, "h2d", 3) == 0;
}

bool ceiling_is_pinned(const struct ceiling *c)
{
    return strstr(c->name, "pinned") != NULL;
}

/* ---- sizes --------------------------------------------------------------------------------------
 * Blocks come in multiples of 24 a multiprocessor: 1, 2, 3, 4, 6 or 8 of them at once, as registers
 * and the 1024, 1536 or 2048 threads of the architectures allow, fill whole waves then. */

enum { THREADS = CEIL_THREADS, WAVE = 24 };

static struct ceiling_size loop_size(const struct ceiling *c, double multiprocessors, double work)
{
    double round = c->per_round * THREADS, wave = multiprocessors * WAVE;
    struct ceiling_size size = { .blocks = 1, .threads = THREADS, .rounds = 1 };
    if (work < round * wave) {
        if (work > round)
            size.blocks = (unsigned)(work / round);
        return size;
    }
    double waves = work / (round * wave * c->rounds);
    size.blocks = (unsigned)(wave * (waves < 1 ? 1 : (unsigned)waves));
    double rounds = work / (round * size.blocks);
    size.rounds = rounds > c->rounds ? c->rounds : (unsigned)rounds;
    return size;
}

struct ceiling_size ceiling_size(const struct ceiling *c, int multiprocessors, double work)
{
    struct ceiling_size size = { .blocks = 1, .threads = THREADS, .rounds = 1 };
    switch (c->kind) {
    case CEILING_ARITHMETIC:
    case CEILING_TENSOR:
    case CEILING_SHARED:
        return loop_size(c, multiprocessors > 0 ? multiprocessors : 1, work);
    case CEILING_MEMORY:
    case CEILING_TRANSFER:
        size.bytes = work < 16 * c->per_round ? 16 : (size_t)(work / c->per_round) / 16 * 16;
        return size;
    case CEILING_LAUNCH:
        break;
    }
    return size;
}

double ceiling_work(const struct ceiling *c, const struct ceiling_size *size)
{
    switch (c->kind) {
    case CEILING_ARITHMETIC:
    case CEILING_TENSOR:
    case CEILING_SHARED:
        return c->per_round * size->rounds * size->threads * size->blocks;
    case CEILING_MEMORY:
    case CEILING_TRANSFER:
        return c->per_round * (double)size->bytes;
    case CEILING_LAUNCH:
        break;
    }
    return 1;
}
