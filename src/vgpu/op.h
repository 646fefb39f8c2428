/* Arithmetic on the 32 lanes of a warp: one function an operation and type.
 *
 * A register is an array of 32 lanes, 4 bytes each for types up to 32 bits (narrower values are
 * zero-extended) and 8 bytes for 64-bit types; a predicate is one bit a lane. Functions compute all
 * lanes, also inactive ones, and know nothing of masks. `d` may be the same array as a source,
 * never overlap one in part.
 *
 * The same source is compiled three times (plain, AVX2, AVX-512), see op_isa.h; results do not
 * depend on which one runs. */
#ifndef VGPU_OP_H
#define VGPU_OP_H

#include <stdbool.h>
#include <stdint.h>

struct inst;

enum { OP_LANES = 32 };

typedef void op_lane_fn(void *d, const void *a, const void *b, const void *c, const void *e,
                        const struct inst *in);
/* One bit a lane. */
typedef uint32_t op_cmp_fn(const void *a, const void *b, const struct inst *in);

enum op_id {
    OP_NONE,
#define OP_LANE(name) OP_##name,
#define OP_CMP(name)
#include "vgpu/op.def"
#undef OP_LANE
#undef OP_CMP
    OP_COUNT
};

enum op_cmp_id {
    OP_CMP_NONE,
#define OP_LANE(name)
#define OP_CMP(name) OP_CMP_##name,
#include "vgpu/op.def"
#undef OP_LANE
#undef OP_CMP
    OP_CMP_COUNT
};

struct op_table {
    const char *isa; /* "avx512", "avx2", "plain" */
    op_lane_fn *lane[OP_COUNT];
    op_cmp_fn *cmp[OP_CMP_COUNT];
    /* d[lane] = s[lane] where the mask has a one */
    void (*blend32)(void *d, const void *s, uint32_t mask);
    void (*blend64)(void *d, const void *s, uint32_t mask);
    /* addr[lane] - base as 32 bits, 0 in inactive lanes; false when one does not fit. `addr` has
     * 64-bit lanes if `wide`. Also tells whether the result equals `before`. */
    bool (*deltas)(int32_t *delta, const void *addr, bool wide, uint64_t base, uint32_t mask,
                   const int32_t *before, bool *same);
    /* d[lane] = 4 bytes at base + delta[lane] */
    void (*gather32)(void *d, const void *base, const int32_t *delta);
};

/* The best table that this processor can run; `isa` ("plain", "avx2") asks for one, NULL for the
 * best. Unknown or impossible: the plain one. */
const struct op_table *op_table(const char *isa);

#endif
