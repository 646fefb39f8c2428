#define OP_TABLE    op_table_avx512
#define OP_ISA_NAME "avx512"

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "vgpu/op_tables.h"

#ifdef __clang__
#pragma clang attribute push(                                                                      \
    __attribute__((                                                                                \
        target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt"))),        \
    apply_to = function)
#else
#pragma GCC target(                                                                                \
    "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt,prefer-vector-width=512")
#endif

#include "vgpu/op_isa.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
