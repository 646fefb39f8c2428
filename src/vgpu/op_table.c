#include <string.h>

#include "vgpu/op_tables.h"

static bool have_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool have_avx512(void)
{
    return have_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

const struct op_table *op_table(const char *isa)
{
    __builtin_cpu_init();
    if ((!isa || strcmp(isa, "avx512") == 0) && have_avx512())
        return &op_table_avx512;
    if ((!isa || strcmp(isa, "avx2") == 0) && have_avx2())
        return &op_table_avx2;
    return &op_table_plain;
}
