/* Conversion between any two types of PTX, with every rounding mode, exactly. The scalar functions
 * are used by matrix instructions and atomics as well. */
#ifndef VGPU_OP_CONVERT_H
#define VGPU_OP_CONVERT_H

#include "vgpu/decode.h"

/* A binary floating-point format of at most 64 bits. */
struct op_format {
    uint8_t precision;    /* with the hidden bit */
    int16_t min_exponent; /* of normal numbers */
    int16_t max_exponent;
    uint8_t shift; /* of the encoding in its register: tf32 keeps 13 zero bits below */
    uint8_t bits;  /* of the encoding, before the shift */
    uint64_t nan;  /* canonical */
    bool has_infinity;
};

/* The format of a type, NULL for others. */
const struct op_format *op_format_of(enum ptx_type type);

/* (-1)^sign * magnitude * 2^exponent in a format; `finite` makes overflow the largest number. */
uint64_t op_pack(const struct op_format *f, bool sign, uint64_t magnitude, int exponent,
                 enum inst_round round, bool finite);

/* The number that bits encode: every format here fits a double. */
double op_unpack(const struct op_format *f, uint64_t bits);

/* A double in a format, NaN canonical. */
uint64_t op_pack_double(const struct op_format *f, double x, enum inst_round round, bool finite);

/* cvt of one lane: in->type from in->type2 by in->round and in->mods. The result has the width of
 * in->type, without extension. */
uint64_t op_convert_lane(uint64_t bits, const struct inst *in);

/* The same for a warp: d has in->size bytes a lane (integers are extended to it), a has in->count
 * bytes a lane. */
op_lane_fn op_convert;
/* d = two packed results of type, from a (upper) and b (lower) of type2. */
op_lane_fn op_convert_pair;
/* d = two packed results from the two packed values in a. */
op_lane_fn op_convert_packed;

#endif
