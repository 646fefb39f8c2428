/* Results of operations beside fp64: which elements, and what to say. */
#ifndef BENCH_OP_CHECK_H
#define BENCH_OP_CHECK_H

#include "bench/op.h"

/* The elements to look at, to be freed: all where `terms` products for each of `total` elements are
 * few, else corners, edges and others spread over the result. `inner`: length of its rows. NULL
 * when out of memory. */
size_t *op_check_elements(size_t total, size_t inner, size_t terms, size_t *count);

/* By an algorithm's name, ours or somebody else's: whether it transforms its data so as to do with
 * fewer multiplications than the definition (Winograd, FFT). */
bool op_check_transforms(const char *algorithm);

/* By the name of somebody else's algorithm: those that transform their data first add and subtract
 * more than the definition does. */
void op_check_widen(struct reference_bound *bound, const char *algorithm);

void op_check_say(const struct reference_error *error, const struct reference_bound *bound,
                  bool intact, struct op_verdict *verdict);

#endif
