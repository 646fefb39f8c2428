#include "bench/number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct {
    size_t bytes;
    double unit;
} formats[NUMBER_COUNT] = {
    [NUMBER_F32] = { 4, 0x1p-24 },  [NUMBER_F16] = { 2, 0x1p-11 }, [NUMBER_BF16] = { 2, 0x1p-8 },
    [NUMBER_TF32] = { 4, 0x1p-11 }, [NUMBER_S8] = { 1, 0 },        [NUMBER_S32] = { 4, 0 },
};

enum number number_of(enum bench_precision precision)
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
        return NUMBER_S8;
    case BENCH_INT32:
        return NUMBER_S32;
    default:
        return NUMBER_F32;
    }
}

size_t number_bytes(enum number number)
{
    return formats[number].bytes;
}

double number_unit(enum number number)
{
    return formats[number].unit;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Drops the lowest `drop` bits of the significand. A carry runs into the exponent, as it should. */
static float shorten(float value, unsigned drop)
{
    uint32_t bits = bits_of(value);
    if (!isfinite(value))
        return value;
    uint32_t odd = bits >> drop & 1;
    bits += (UINT32_C(1) << (drop - 1)) - 1 + odd;
    return float_of(bits & ~((UINT32_C(1) << drop) - 1));
}

/* Below 2^-14 halves are multiples of 2^-24. So are the fp32 numbers from 0.5 to 1: adding and taking away
 * 0.75 rounds to them, ties to even. */
static float round_half(float value)
{
    if (fabsf(value) < 0x1p-14f) {
        volatile float shifted = fabsf(value) + 0.75f;
        return copysignf(shifted - 0.75f, value);
    }
    float rounded = shorten(value, 13);
    return fabsf(rounded) > 65504.0f ? copysignf(INFINITY, value) : rounded;
}

static float round_integer(float value, float least, float most)
{
    return fminf(fmaxf(rintf(value), least), most);
}

float number_round(enum number number, float value)
{
    switch (number) {
    case NUMBER_F16:
        return round_half(value);
    case NUMBER_BF16:
        return shorten(value, 16);
    case NUMBER_TF32:
        return shorten(value, 13);
    case NUMBER_S8:
        return round_integer(value, -128, 127);
    case NUMBER_S32:
        return round_integer(value, -0x1p31f, 0x1.fffffep30f);
    default:
        return value;
    }
}

/* `value` is a half already. */
static uint16_t encode_half(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000;
    if (isnan(value))
        return 0x7fff;
    if (isinf(value))
        return (uint16_t)(sign | 0x7c00);
    if (fabsf(value) < 0x1p-14f)
        return (uint16_t)(sign | (uint32_t)(fabsf(value) * 0x1p24f));
    return (uint16_t)(sign | ((bits & 0x7fffffff) - (UINT32_C(112) << 23)) >> 13);
}

static float decode_half(uint16_t half)
{
    uint32_t sign = (half & UINT32_C(0x8000)) << 16, rest = half & UINT32_C(0x7fff);
    if (rest >= 0x7c00)
        return rest > 0x7c00 ? NAN : float_of(sign | UINT32_C(0x7f800000));
    if (rest < 0x400)
        return copysignf((float)rest * 0x1p-24f, sign ? -1.0f : 1.0f);
    return float_of(sign | ((rest << 13) + (UINT32_C(112) << 23)));
}

double number_read(enum number number, const void *array, size_t index)
{
    const char *at = (const char *)array + index * formats[number].bytes;
    uint16_t narrow;
    int32_t whole;
    float value;
    switch (number) {
    case NUMBER_F16:
        memcpy(&narrow, at, sizeof narrow);
        return (double)decode_half(narrow);
    case NUMBER_BF16:
        memcpy(&narrow, at, sizeof narrow);
        return (double)float_of((uint32_t)narrow << 16);
    case NUMBER_S8:
        return *(const signed char *)at;
    case NUMBER_S32:
        memcpy(&whole, at, sizeof whole);
        return whole;
    default:
        memcpy(&value, at, sizeof value);
        return (double)value;
    }
}

void number_write(enum number number, void *array, size_t index, float value)
{
    char *at = (char *)array + index * formats[number].bytes;
    float rounded = number_round(number, value);
    uint16_t narrow;
    int32_t whole;
    switch (number) {
    case NUMBER_F16:
        narrow = encode_half(rounded);
        memcpy(at, &narrow, sizeof narrow);
        break;
    case NUMBER_BF16:
        narrow = (uint16_t)(isnan(rounded) ? 0x7fff : bits_of(rounded) >> 16);
        memcpy(at, &narrow, sizeof narrow);
        break;
    case NUMBER_S8:
        *(signed char *)at = (signed char)rounded;
        break;
    case NUMBER_S32:
        whole = (int32_t)rounded;
        memcpy(at, &whole, sizeof whole);
        break;
    default:
        memcpy(at, &rounded, sizeof rounded);
    }
}

void number_pack(enum number number, const float *values, size_t count, void *array)
{
    for (size_t i = 0; i < count; i++)
        number_write(number, array, i, values[i]);
}

void number_unpack(enum number number, const void *array, size_t count, float *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)number_read(number, array, i);
}
