/* Number formats as cards store them, on the host: rounding to nearest even and back, exactly. */
#ifndef BENCH_NUMBER_H
#define BENCH_NUMBER_H

#include <stddef.h>

#include "bench/shape.h"

enum number {
    NUMBER_F32,
    NUMBER_F16,
    NUMBER_BF16,
    NUMBER_TF32, /* an fp32 whose lowest 13 bits are zero */
    NUMBER_S8,   /* integers from -128 to 127, saturated */
    NUMBER_S32,  /* as fp32 holds them: exact up to 2^24 only, so results are read by number_read */
    NUMBER_COUNT
};

/* The format of the operands of a class as they lie in memory. TF32's are plain fp32. */
enum number number_of(enum bench_precision precision);

size_t number_bytes(enum number number);

/* Half the distance from 1 to the next number: the largest relative error of rounding. 0 for integers. */
double number_unit(enum number number);

/* The nearest number of the format, ties to even; overflow gives infinity (integers saturate). */
float number_round(enum number number, float value);

/* Element `index` of an array of the format. */
double number_read(enum number number, const void *array, size_t index);
/* Stores number_round(value) there. */
void number_write(enum number number, void *array, size_t index, float value);

/* `count` values as number_write stores them, one behind the other; and back. */
void number_pack(enum number number, const float *values, size_t count, void *array);
void number_unpack(enum number number, const void *array, size_t count, float *values);

#endif
