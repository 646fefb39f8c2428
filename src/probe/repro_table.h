/* repro.tsv: the cases of `smfit repro`, and which codes are expected on which path. */
#ifndef PROBE_REPRO_TABLE_H
#define PROBE_REPRO_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define REPRO_CODES_MAX 4

/* What the table says of one case on one path; strings point into it. */
struct repro_expected {
    const char *path;
    int codes[REPRO_CODES_MAX];
    size_t code_count;
    const char *confidence, *source;
};

/* The names of the cases, in the order of the table. */
size_t repro_count(void);
const char *repro_name(size_t index);

/* The case's number, or repro_count(). */
size_t repro_find(const char *name);

/* The row for a driver of that CUDA version (cuDriverGetVersion: 11040); false: none. */
bool repro_expect(const char *name, const char *path, int cuda, struct repro_expected *expected);

/* The calls of the runtime that the case has rows for, "cudaLaunchKernel", at most `max`; rows of
 * other CUDA versions are left out. Returns how many. */
size_t repro_runtime_rows(const char *name, int cuda, struct repro_expected *rows, size_t max);

/* Every code that provoking the case may give with any driver, without those of the calls around
 * it; for a list of the cases. */
size_t repro_all_codes(const char *name, int *codes, size_t max);

bool repro_expects(const struct repro_expected *expected, int code);

#endif
