/* Operands of integer instructions, and the widths and signs that references of them go by, for tests. */
#ifndef TESTS_VGPU_INT_VALUES_H
#define TESTS_VGPU_INT_VALUES_H

#include "vgpu_run.h"

static const uint64_t numbers[] = {
    0,
    1,
    2,
    3,
    7,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    100,
    127,
    128,
    255,
    256,
    0x1234,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x10000,
    0x12345678,
    0x55555555,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xdeadbeef,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x123456789abcdef0,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xaaaaaaaaaaaaaaaa,
    0xfffffffffffffff0,
    0xffffffffffffffff,
};
static const uint64_t few[] = {
    0,
    1,
    2,
    5,
    8,
    16,
    31,
    32,
    33,
    40,
    64,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0xcafebabe,
    0xffffffff,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xfedcba9876543210,
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0], FEW = sizeof few / sizeof few[0] };

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static unsigned width; /* of the references, in bits */
static bool is_signed;

static inline uint64_t cut(u128 x)
{
    return (uint64_t)x & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

/* An operand as the number that the type says, in 128 bits. */
static inline s128 number(uint64_t x)
{
    x = cut(x);
    if (is_signed && x >> (width - 1) & 1)
        return (s128)x - ((s128)1 << width);
    return (s128)x;
}

static inline s128 least(void)
{
    return is_signed ? -((s128)1 << (width - 1)) : 0;
}

static inline void check(const char *op, const char *type, const char *form, vgpu_reference *reference)
{
    char instr[48];
    bool many = strlen(form) <= 3;
    const uint64_t *v = many ? numbers : few;
    const uint64_t *const lists[] = { v, v, v, v };
    unsigned n = many ? NUMBERS : FEW;
    unsigned counts[] = { n, n, n, n };
    snprintf(instr, sizeof instr, "%s.%s", op, type);
    is_signed = type[0] == 's';
    width = (unsigned)atoi(type + 1);
    vgpu_check(instr, form, "", lists, counts, reference, vgpu_equal);
}

/* All six integer types with one width letter for each operand. */
static inline void check_all(const char *op, unsigned operands, vgpu_reference *reference)
{
    static const char *const types[] = { "u16", "s16", "u32", "s32", "u64", "s64" };
    for (unsigned i = 0; i < 6; i++) {
        char form[6] = { 0 };
        memset(form, "hhwwqq"[i], operands + 1);
        check(op, types[i], form, reference);
    }
}

static inline void check_bits(const char *op, unsigned operands, vgpu_reference *reference)
{
    static const char *const types[] = { "b16", "b32", "b64" };
    for (unsigned i = 0; i < 3; i++) {
        char form[6] = { 0 };
        memset(form, "hwq"[i], operands + 1);
        check(op, types[i], form, reference);
    }
}

#endif
