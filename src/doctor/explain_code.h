/* Result codes in a text: numbers that stand where a program prints one. */
#ifndef DOCTOR_EXPLAIN_CODE_H
#define DOCTOR_EXPLAIN_CODE_H

#include <stdbool.h>

#include "doctor/explain_text.h"

/* Calls `found` for each number that is said to be a CUDA result, "CUDA error 209", "error
 * code=48",
 * "(8 vs. 0)", or the text itself if that is all. */
void explain_codes_scan(const struct explain_text *text,
                        void (*found)(void *self, unsigned code, size_t start, size_t end),
                        void *self);

/* The row in codes.tsv, -1: no such code. `*before_10_1`: it is the runtime's old number of that
 * code. Numbers that mean something in both count as old where only the old meaning is an error
 * that people meet. */
int explain_code_row(unsigned code, bool *before_10_1);

#endif
