/* Floating-point arithmetic of the virtual GPU against 113-bit arithmetic rounded by hand. */
#include "vgpu_quad.h"
#include "vgpu_run.h"

TestSuite(vgpu_float, .timeout = 120);

static const uint64_t singles[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40000000,
    0x40400000, 0x41200000, 0x3eaaaaab, 0xbeaaaaab, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0x7f800001, 0xffffffff, 0x4b800000, 0x4f000000, 0xcf000000, 0x33800000, 0x0d800000,
    0x72345678, 0x8c000001, 0x3e4ccccd, 0xc2c80000, 0x477fe000, 0x5f000000, 0x00400000, 0x7e800000,
};
static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000001, 0x3ff0000000000000, 0xbff0000000000000,
    0x3ff0000000000001, 0x3fefffffffffffff, 0x3fe0000000000000, 0x4008000000000000,
    0x3fd5555555555555, 0xbfd5555555555555, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x4340000000000000,
    0x3ca0000000000000, 0x1ff0000000000000, 0x6000000000000001, 0x3810000000000000,
    0x47efffffffffffff, 0xc1e0000000200000, 0x0008000000000000, 0x4059000000000000,
};
static const uint64_t halves[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x3c00, 0xbc00, 0x3c01,
    0x3bff, 0x3800, 0x3e00, 0x4000, 0x4200, 0x4900, 0x3555, 0xb555, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
    0x7e00, 0x7c01, 0xffff, 0x6800, 0x1400, 0x0c00, 0x5678, 0x9abc, 0x77ff, 0x0bff, 0x6400, 0x2e66,
};
static const uint64_t bfloats[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8081, 0x3f80, 0xbf80, 0x3f81, 0x3f7f,
    0x3f00, 0x3fc0, 0x4000, 0x4040, 0x4120, 0x3eab, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0,
    0xffff, 0x4b80, 0x3380, 0x0d80, 0x7234, 0x8c01, 0x1f80, 0x2080, 0x0040, 0x5f80,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static enum quad_round direction; /* of the references below */
static bool flushing, saturating, relu;
static const struct quad_format *format;

static uint64_t flush(uint64_t bits)
{
    uint64_t field = ((UINT64_C(1) << (format->bits - format->precision)) - 1)
                     << (format->precision - 1);
    return flushing && !(bits & field) ? bits & UINT64_C(1) << (format->bits - 1) : bits;
}

static quad in(uint64_t bits)
{
    return quad_of(format, flush(bits));
}

static uint64_t out(quad x)
{
    if (saturating)
        x = !(x > 0) ? 0 : x > 1 ? 1 : x;
    if (relu && x == x)
        x = x > 0 ? x : 0;
    return flush(quad_round(format, x, direction));
}

/* The sign of a zero sum depends on the direction. */
static quad sum(quad a, quad b)
{
    quad s = quad_add(a, b);
    if (s == 0 && a == -b && a != 0)
        return direction == QUAD_RM ? -(quad)0 : (quad)0;
    if (s == 0 && a == 0 && b == 0 && quad_to_bits(a) != quad_to_bits(b))
        return direction == QUAD_RM ? -(quad)0 : (quad)0;
    return s;
}

static uint64_t ref_add(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(sum(in(a), in(b)));
}

static uint64_t ref_sub(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(sum(in(a), -in(b)));
}

static uint64_t ref_mul(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(in(a)*in(b));
}

static uint64_t ref_fma(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return out(sum(in(a)*in(b), in(c)));
}

static uint64_t ref_div(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(in(a) / in(b));
}

static uint64_t ref_rcp(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    return out(1 / in(a));
}

static uint64_t ref_sqrt(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)b, (void)c, (void)e;
    return out(quad_sqrt(in(a)));
}

static quad pick(quad x, quad y, bool max)
{
    if (x != x || y != y)
        return x == x ? x : y;
    if (x == 0 && y == 0)
        return (quad_to_bits(x) >> 127 != 0) == max ? y : x;
    return (x < y) == max ? y : x;
}

static uint64_t ref_min(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(pick(in(a), in(b), false));
}

static uint64_t ref_max(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return out(pick(in(a), in(b), true));
}

static uint64_t ref_max_nan(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    quad x = in(a), y = in(b);
    return x != x || y != y ? format->nan : ref_max(a, b, c, e);
}

/* Doubles keep NaN payloads: any NaN will do. */
static bool same(uint64_t got, uint64_t wanted)
{
    if (got == wanted)
        return true;
    quad g = quad_of(format, got), w = quad_of(format, wanted);
    return format == &quad_f64 && g != g && w != w;
}

static void check(const char *op, const char *mods, const struct quad_format *f, const char *type,
                  unsigned operands, vgpu_reference *reference)
{
    const uint64_t *values = f == &quad_f32   ? singles
                             : f == &quad_f64 ? doubles
                             : f == &quad_f16 ? halves
                                              : bfloats;
    unsigned count = (unsigned)(f == &quad_f32   ? COUNT(singles)
                                : f == &quad_f64 ? COUNT(doubles)
                                : f == &quad_f16 ? COUNT(halves)
                                                 : COUNT(bfloats));
    const uint64_t *const lists[] = { values, values, values };
    unsigned counts[] = { count, count, count };
    char width = f->bits == 64 ? 'q' : f->bits == 32 ? 'w' : 'h';
    char instr[64], form[8] = { width, width, width, width };
    form[operands + 1] = 0;
    snprintf(instr, sizeof instr, "%s%s.%s", op, mods, type);
    format = f;
    direction = strstr(mods, ".rz")   ? QUAD_RZ
                : strstr(mods, ".rm") ? QUAD_RM
                : strstr(mods, ".rp") ? QUAD_RP
                                      : QUAD_RN;
    flushing = strstr(mods, ".ftz") != NULL;
    saturating = strstr(mods, ".sat") != NULL;
    relu = strstr(mods, ".relu") != NULL;
    vgpu_check(instr, form, "", lists, counts, reference, same);
}

static const char *const rounds[] = { ".rn", ".rz", ".rm", ".rp" };

Test(vgpu_float, sums_and_products_of_single_precision_round_in_every_direction)
{
    for (unsigned i = 0; i < 4; i++) {
        check("add", rounds[i], &quad_f32, "f32", 2, ref_add);
        check("sub", rounds[i], &quad_f32, "f32", 2, ref_sub);
        check("mul", rounds[i], &quad_f32, "f32", 2, ref_mul);
        check("fma", rounds[i], &quad_f32, "f32", 3, ref_fma);
    }
    check("add", "", &quad_f32, "f32", 2, ref_add);
    check("sub", "", &quad_f32, "f32", 2, ref_sub);
    check("mul", "", &quad_f32, "f32", 2, ref_mul);
}

Test(vgpu_float, ftz_flushes_operands_and_results_and_sat_clamps)
{
    check("add", ".ftz", &quad_f32, "f32", 2, ref_add);
    check("sub", ".rz.ftz", &quad_f32, "f32", 2, ref_sub);
    check("mul", ".ftz", &quad_f32, "f32", 2, ref_mul);
    check("fma", ".rn.ftz", &quad_f32, "f32", 3, ref_fma);
    check("add", ".sat", &quad_f32, "f32", 2, ref_add);
    check("mul", ".rn.ftz.sat", &quad_f32, "f32", 2, ref_mul);
    check("fma", ".rm.sat", &quad_f32, "f32", 3, ref_fma);
    check("div", ".rn.ftz", &quad_f32, "f32", 2, ref_div);
    check("sqrt", ".rn.ftz", &quad_f32, "f32", 1, ref_sqrt);
}

Test(vgpu_float, quotients_and_roots_round_in_every_direction)
{
    for (unsigned i = 0; i < 4; i++) {
        check("div", rounds[i], &quad_f32, "f32", 2, ref_div);
        check("rcp", rounds[i], &quad_f32, "f32", 1, ref_rcp);
        check("sqrt", rounds[i], &quad_f32, "f32", 1, ref_sqrt);
        check("div", rounds[i], &quad_f64, "f64", 2, ref_div);
        check("rcp", rounds[i], &quad_f64, "f64", 1, ref_rcp);
        check("sqrt", rounds[i], &quad_f64, "f64", 1, ref_sqrt);
    }
}

Test(vgpu_float, double_precision_rounds_in_every_direction)
{
    for (unsigned i = 0; i < 4; i++) {
        check("add", rounds[i], &quad_f64, "f64", 2, ref_add);
        check("sub", rounds[i], &quad_f64, "f64", 2, ref_sub);
        check("mul", rounds[i], &quad_f64, "f64", 2, ref_mul);
        check("fma", rounds[i], &quad_f64, "f64", 3, ref_fma);
    }
}

Test(vgpu_float, half_precision_rounds_once)
{
    check("add", "", &quad_f16, "f16", 2, ref_add);
    check("sub", ".rn", &quad_f16, "f16", 2, ref_sub);
    check("mul", "", &quad_f16, "f16", 2, ref_mul);
    check("fma", ".rn", &quad_f16, "f16", 3, ref_fma);
    check("fma", ".rn.sat", &quad_f16, "f16", 3, ref_fma);
    check("fma", ".rn.relu", &quad_f16, "f16", 3, ref_fma);
    check("fma", ".rn.ftz", &quad_f16, "f16", 3, ref_fma);
    check("add", ".ftz", &quad_f16, "f16", 2, ref_add);
    check("mul", ".ftz.sat", &quad_f16, "f16", 2, ref_mul);
}

Test(vgpu_float, bfloat16_rounds_once)
{
    check("add", ".rn", &quad_bf16, "bf16", 2, ref_add);
    check("sub", ".rn", &quad_bf16, "bf16", 2, ref_sub);
    check("mul", ".rn", &quad_bf16, "bf16", 2, ref_mul);
    check("fma", ".rn", &quad_bf16, "bf16", 3, ref_fma);
    check("fma", ".rn.relu", &quad_bf16, "bf16", 3, ref_fma);
}

Test(vgpu_float, minimum_and_maximum_prefer_numbers_and_order_zeros)
{
    check("min", "", &quad_f32, "f32", 2, ref_min);
    check("max", "", &quad_f32, "f32", 2, ref_max);
    check("max", ".ftz", &quad_f32, "f32", 2, ref_max);
    check("max", ".NaN", &quad_f32, "f32", 2, ref_max_nan);
    check("min", "", &quad_f64, "f64", 2, ref_min);
    check("max", "", &quad_f64, "f64", 2, ref_max);
    check("min", "", &quad_f16, "f16", 2, ref_min);
    check("max", "", &quad_bf16, "bf16", 2, ref_max);
    check("max", ".NaN", &quad_f16, "f16", 2, ref_max_nan);
}

/* Pairs work on each half by itself. */
static vgpu_reference *half_reference;

static uint64_t ref_pair(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t low = half_reference(a & 0xffff, b & 0xffff, c & 0xffff, e & 0xffff);
    uint64_t high = half_reference(a >> 16, b >> 16, c >> 16, e >> 16);
    return high << 16 | low;
}

static void check_pair(const char *instr, const struct quad_format *f, unsigned operands,
                       vgpu_reference *reference)
{
    uint64_t values[COUNT(halves)];
    unsigned count = COUNT(bfloats);
    const uint64_t *source = f == &quad_f16 ? halves : bfloats;
    const uint64_t *const lists[] = { values, values, values };
    unsigned counts[] = { count, count, count };
    for (unsigned i = 0; i < count; i++)
        values[i] = source[i] | source[(i * 7 + 3) % count] << 16;
    format = f;
    direction = QUAD_RN;
    flushing = saturating = relu = false;
    half_reference = reference;
    vgpu_check(instr, operands == 3 ? "wwww" : "www", "", lists, counts, ref_pair, vgpu_equal);
}

Test(vgpu_float, pairs_of_halves_are_two_halves)
{
    check_pair("add.f16x2", &quad_f16, 2, ref_add);
    check_pair("sub.f16x2", &quad_f16, 2, ref_sub);
    check_pair("mul.f16x2", &quad_f16, 2, ref_mul);
    check_pair("fma.rn.f16x2", &quad_f16, 3, ref_fma);
    check_pair("min.f16x2", &quad_f16, 2, ref_min);
    check_pair("max.f16x2", &quad_f16, 2, ref_max);
    check_pair("fma.rn.bf16x2", &quad_bf16, 3, ref_fma);
    check_pair("add.bf16x2", &quad_bf16, 2, ref_add);
    check_pair("mul.bf16x2", &quad_bf16, 2, ref_mul);
    check_pair("max.bf16x2", &quad_bf16, 2, ref_max);
}
