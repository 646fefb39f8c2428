/* Approximations of the virtual GPU against the bounds of the PTX manual (maximal relative or absolute errors). */
#include <math.h>

#include "vgpu_run.h"

TestSuite(vgpu_approx, .timeout = 120);

static double of_bits(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float x;
    memcpy(&x, &u, 4);
    return x;
}

typedef double exact_function(double x);

/* The largest error over many arguments between low and high, relative or absolute. */
static double worst(const char *instr, double low, double high, exact_function *exact,
                    bool relative)
{
    enum { N = 4096 };
    static uint64_t values[N], results[N];
    uint64_t *const operands[] = { values };
    double most = 0;
    for (unsigned i = 0; i < N; i++) {
        float x = (float)(low + (high - low) * i / (N - 1));
        uint32_t bits;
        memcpy(&bits, &x, 4);
        values[i] = bits;
    }
    for (unsigned isa = 0; isa < VGPU_ISAS; isa++) {
        vgpu_apply(instr, "ww", "", vgpu_isas[isa], operands, results, N);
        for (unsigned i = 0; i < N; i++) {
            double wanted = exact(of_bits(values[i]));
            double error = fabs(of_bits(results[i]) - wanted);
            error = relative && wanted != 0 ? error / fabs(wanted) : error;
            most = error > most ? error : most;
        }
    }
    return most;
}

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static double reciprocal(double x)
{
    return 1 / x;
}

Test(vgpu_approx, approximations_stay_inside_their_bounds)
{
    cr_expect_lt(worst("ex2.approx.f32", -120, 120, exp2, true), 0x1p-22);
    cr_expect_lt(worst("lg2.approx.f32", 0.5, 2, log2, false), 0x1p-22);
    cr_expect_lt(worst("lg2.approx.f32", 2, 1e30, log2, true), 0x1p-22);
    cr_expect_lt(worst("sin.approx.f32", -3.14159265, 3.14159265, sin, false), 0x1p-20);
    cr_expect_lt(worst("cos.approx.f32", -3.14159265, 3.14159265, cos, false), 0x1p-20);
    cr_expect_lt(worst("sin.approx.f32", -1000, 1000, sin, false), 0x1p-20);
    cr_expect_lt(worst("tanh.approx.f32", -8, 8, tanh, true), 0x1p-11);
    cr_expect_lt(worst("rsqrt.approx.f32", 1e-6, 1e6, rsqrt, true), 0x1p-22);
    cr_expect_lt(worst("rcp.approx.f32", 1e-6, 1e6, reciprocal, true), 0x1p-22);
    cr_expect_lt(worst("sqrt.approx.f32", 0, 1e6, sqrt, true), 0x1p-22);
}

static const char *function; /* of the reference */

static uint64_t ref_edges(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    double x = of_bits(a);
    float r = (float)(strcmp(function, "ex2") == 0     ? exp2(x)
                      : strcmp(function, "lg2") == 0   ? log2(x)
                      : strcmp(function, "rsqrt") == 0 ? 1 / sqrt(x)
                      : strcmp(function, "sin") == 0   ? sin(x)
                                                         : cos(x));
    uint32_t bits;
    (void)b, (void)c, (void)e;
    memcpy(&bits, &r, 4);
    return r != r ? 0x7fffffff : bits;
}

Test(vgpu_approx, approximations_of_special_values_are_exact)
{
    static const char *const names[] = { "ex2", "lg2", "rsqrt", "sin", "cos" };
    static const uint64_t v[] = { 0,          0x80000000, 0x7f800000, 0xff800000,
                                  0x7fc00000, 0xffc00001, 0xbf800000, 0x3f800000 };
    const uint64_t *const lists[] = { v };
    const unsigned all = 8, some = 6;
    for (unsigned i = 0; i < 5; i++) {
        char instr[24];
        function = names[i];
        snprintf(instr, sizeof instr, "%s.approx.f32", function);
        vgpu_check(instr, "ww", "", lists, i < 3 ? &all : &some, ref_edges, vgpu_equal);
    }
}
