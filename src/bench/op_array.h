/* Arrays on the device as operations use them: several sets of the same data, so that a cache holds
 * none of it when its turn comes again, and bytes around each that nobody may touch. */
#ifndef BENCH_OP_ARRAY_H
#define BENCH_OP_ARRAY_H

#include "bench/gpu.h"
#include "bench/number.h"

#define OP_ARRAY_GUARD 256 /* bytes; keeps what follows as aligned as the allocation */

struct op_array {
    const struct gpu *gpu;
    uint64_t base;
    enum number number;
    size_t count, bytes, stride; /* of one set: elements, bytes, bytes to the next */
    unsigned turns;
};

/* All bytes are poison: not a number in floating-point formats, and 0xff around the sets. */
int op_array_new(struct op_array *array, const struct gpu *gpu, enum number number, size_t count,
                 unsigned turns, struct err *err);
void op_array_free(struct op_array *array);

uint64_t op_array_at(const struct op_array *array, unsigned turn);

/* The values of reference_fill in every set; `values` (count of them, may be NULL) gets them. */
int op_array_fill(struct op_array *array, uint64_t seed, struct err *err);
/* Those values alone; NULL when out of memory. */
float *op_array_values(const struct op_array *array, uint64_t seed);

/* Poisons set 0 and what is around it. */
int op_array_poison(struct op_array *array, struct err *err);
/* Set 0 as it lies in memory, to be freed; `intact`: nothing around it was written to. NULL on
 * failure. */
void *op_array_read(const struct op_array *array, bool *intact, struct err *err);

#endif
