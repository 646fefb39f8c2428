/* Matrix instructions: what the decoder tells the engine about one. Kept in the function's lists.
 */
#ifndef VGPU_EXEC_MATRIX_H
#define VGPU_EXEC_MATRIX_H

#include "vgpu/decode.h"

enum { EXEC_FRAGMENT_CAP = 16 };

/* How elements lie in registers. */
enum exec_matrix_how {
    EXEC_MATRIX_WMMA, /* opaque in PTX: element number lane * n + i, in rows */
    EXEC_MATRIX_MMA,  /* as documented: quads of lanes hold rows */
    EXEC_MATRIX_QUAD, /* m8n8k4 of f16: four products, one by two quads each */
};

struct exec_matrix {
    uint8_t how, m, n;
    uint8_t a_col, b_col; /* of loads and stores: a_col alone */
    uint8_t finite;       /* integer sums saturate */
    uint8_t bit_and;      /* of b1: and instead of xor */
    uint8_t a_regs, b_regs, c_regs, d_regs;
    uint8_t unused;
    uint16_t k;
    uint16_t unused2;
    enum ptx_type a_type, b_type, c_type, d_type; /* of loads and stores: a_type alone */
};

/* Bits of one element, also of the types below a byte. */
unsigned exec_matrix_bits(enum ptx_type type);

struct warp;
/* Counts a dense tile of `bytes` read or written by a whole warp. */
void exec_count_tile(struct warp *w, const struct inst *in, uint32_t bytes, bool is_write);

#endif
