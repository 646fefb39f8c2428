#define OP_TABLE    op_table_plain
#define OP_ISA_NAME "plain"

#include "vgpu/op_tables.h"

#include "vgpu/op_isa.h"
