#define OP_TABLE    op_table_avx2
#define OP_ISA_NAME "avx2"

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "vgpu/op_tables.h"

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt"))),       \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt")
#endif

#include "vgpu/op_isa.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
