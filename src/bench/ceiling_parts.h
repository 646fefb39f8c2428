/* What the files of the ceilings share: what a job's arrays hold. */
#ifndef BENCH_CEILING_PARTS_H
#define BENCH_CEILING_PARTS_H

#include "bench/ceiling.h"

bool ceiling_is_host_to_device(const struct ceiling *ceiling);
bool ceiling_is_pinned(const struct ceiling *ceiling);

/* Poison on both sides of each array that is written. */
enum { CEILING_GUARD = 256, CEILING_POISON = 0xff };

/* Large arrays hold one period of numbers over and over; the period divides no power of two, so
 * that a block that is shifted is seen. */
enum { CEILING_PERIOD = 65521 };

/* Word `index` of array `array` (1 and 2: what is read), as a number in [-1, 1]. */
float ceiling_word(int array, size_t index);

/* Arithmetic: what chain `chain` begins with, in the format of the kernel; factor and addend. */
union ceiling_value {
    float f32;
    double f64;
    uint32_t bits; /* integers; two halves */
};
union ceiling_value ceiling_start(enum bench_precision precision, int chain);
union ceiling_value ceiling_factor(enum bench_precision precision);
#define CEILING_ADDEND 0x9e3779b9u
size_t ceiling_element(enum bench_precision precision);

/* Tensor: element (row, k) of the stacked A0, A1, or (k, column) of B0, B1: an odd number, of fp
 * types eighths; and how many k there are. */
int ceiling_operand(enum bench_precision precision, bool is_b, int row, int k);
int ceiling_depth(enum bench_precision precision);

/* Seed of shared memory's numbers and of what launches write. */
#define CEILING_SEED 12345u

#endif
