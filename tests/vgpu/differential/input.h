/* The words that kernels get: where each kind lies, in words. */
#ifndef DIFFERENTIAL_INPUT_H
#define DIFFERENTIAL_INPUT_H

enum {
    INPUT_WORDS = 0,               /* 1024: integers of all sizes */
    INPUT_SINGLES = 1024,          /* 1024: with NaN, infinities, denormals */
    INPUT_DOUBLES = 2048,          /* 1024 of two words */
    INPUT_HALVES = 4096,           /* 2048 of half a word */
    INPUT_BFLOATS = 5120,          /* 2048 of half a word */
    INPUT_EVERYDAY_SINGLES = 6144, /* 1024, from 1/64 to 64 */
    INPUT_EVERYDAY_DOUBLES = 7168, /* 512 */
    INPUT_COUNT = 8192,
    WORK_COUNT = 1024,
};

#endif
