/* Number formats: every half and bfloat against its definition, rounding against a search for the
 * nearest, and against the compiler's own _Float16 where it has one. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/number.h"

#if defined(__FLT16_MANT_DIG__) && !defined(__clang__)
#define HAS_FLOAT16 1
__extension__ typedef _Float16 half;
#else
#define HAS_FLOAT16 0
#endif

/* A floating-point format by its definition: sign, exponent of `exponent` bits, `fraction` bits. */
static double defined(unsigned bits, int exponent, int fraction)
{
    int bias = (1 << (exponent - 1)) - 1, e = (int)(bits >> fraction) & ((1 << exponent) - 1);
    double f = (double)(bits & ((1u << fraction) - 1));
    double sign = bits >> (exponent + fraction) & 1 ? -1.0 : 1.0;
    if (e == (1 << exponent) - 1)
        return f > 0 ? (double)NAN : sign * (double)INFINITY;
    if (e == 0)
        return sign * ldexp(f, 1 - bias - fraction);
    return sign * ldexp(1 + ldexp(f, -fraction), e - bias);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void check_all_patterns(enum number number, int exponent, int fraction)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        uint16_t stored = (uint16_t)bits, again;
        double value = number_read(number, &stored, 0), want = defined(bits, exponent, fraction);
        cr_assert(same(value, want), "%04x is %a, not %a", bits, want, value);
        number_write(number, &again, 0, (float)value);
        cr_assert(again == stored || isnan(value), "%04x comes back as %04x", bits, again);
    }
}

Test(bench_number, every_half_is_what_its_bits_say_and_comes_back)
{
    check_all_patterns(NUMBER_F16, 5, 10);
}

Test(bench_number, every_bfloat_is_what_its_bits_say_and_comes_back)
{
    check_all_patterns(NUMBER_BF16, 8, 7);
}

/* The nearest number with `fraction` bits and least exponent `least`, by arithmetic on doubles: exact,
 * since an fp32 times a power of two is a double, and rint rounds ties to even. */
static double nearest(double value, int fraction, int least, double most)
{
    int exponent;
    frexp(value, &exponent); /* value = f * 2^exponent, f from 0.5 */
    int step = (exponent - 1 < least ? least : exponent - 1) - fraction;
    double rounded = ldexp(rint(ldexp(value, -step)), step);
    return fabs(rounded) > most ? copysign((double)INFINITY, value) : rounded;
}

static void check_rounding(enum number number, int fraction, int least, double most)
{
    uint64_t state = 1;
    for (int i = 0; i < 2000000; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        uint32_t bits = (uint32_t)(state >> 32);
        if (i % 4 == 0) /* near a tie */
            bits = (bits & 0xffff0000u) | (bits & 4 ? 0x1000u : 0x8000u) | (bits & 1);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value))
            continue;
        double want = isinf(value) ? (double)value
                                   : nearest((double)value, fraction, least, most);
        float got = number_round(number, value);
        cr_assert(same((double)got, want), "%a rounds to %a, not %a", (double)value, want,
                  (double)got);
    }
}

Test(bench_number, halves_are_the_nearest_ones)
{
    check_rounding(NUMBER_F16, 10, -14, 65504);
}

Test(bench_number, bfloats_are_the_nearest_ones)
{
    check_rounding(NUMBER_BF16, 7, -126, 0x1.fep127);
}

Test(bench_number, tf32_are_the_nearest_ones)
{
    check_rounding(NUMBER_TF32, 10, -126, 0x1.ffcp127);
}

#if HAS_FLOAT16
Test(bench_number, halves_are_those_of_the_compiler)
{
    for (uint32_t high = 0; high < 0x10000; high++)
        for (unsigned low = 0; low < 4; low++) {
            uint32_t bits = high << 16 | (uint32_t[]){ 0, 1, 0x1000, 0x9001 }[low];
            float value;
            memcpy(&value, &bits, sizeof value);
            if (isnan(value))
                continue;
            half want = (half)value;
            uint16_t got;
            number_write(NUMBER_F16, &got, 0, value);
            cr_assert(memcmp(&got, &want, sizeof got) == 0, "%a gives %04x", (double)value, got);
        }
}
#endif

Test(bench_number, integers_round_to_even_and_saturate)
{
    static const float in[] = { 0.5f, 1.5f, -2.5f, 126.6f, 127.5f, 300.0f, -128.4f, -1000.0f };
    static const int out[] = { 0, 2, -2, 127, 127, 127, -128, -128 };
    signed char stored[8];
    number_pack(NUMBER_S8, in, 8, stored);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(stored[i], out[i], "%g gives %d", (double)in[i], stored[i]);
    int32_t wide = 123456789;
    cr_assert(number_read(NUMBER_S32, &wide, 0) == 123456789.0);
}

Test(bench_number, packing_and_unpacking_are_inverse)
{
    float values[64], back[64];
    for (int number = 0; number < NUMBER_COUNT; number++) {
        char stored[64 * 4];
        for (int i = 0; i < 64; i++)
            values[i] = number_round((enum number)number, (float)(i - 30) * 1.37f);
        number_pack((enum number)number, values, 64, stored);
        number_unpack((enum number)number, stored, 64, back);
        cr_assert_arr_eq(values, back, sizeof values);
        cr_assert_leq(number_bytes((enum number)number), 4);
    }
}
