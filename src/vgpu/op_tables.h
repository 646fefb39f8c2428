/* The compiled tables; op_table() chooses. */
#ifndef VGPU_OP_TABLES_H
#define VGPU_OP_TABLES_H

#include "vgpu/op.h"

extern const struct op_table op_table_plain, op_table_avx2, op_table_avx512;

#endif
