#include "vgpu/op_convert.h"

#include <math.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) lane32;
typedef uint64_t __attribute__((may_alias)) lane64;

static const struct op_format f16 = { 11, -14, 15, 0, 16, 0x7fff, true };
static const struct op_format bf16 = { 8, -126, 127, 0, 16, 0x7fff, true };
static const struct op_format tf32 = { 11, -126, 127, 13, 19, 0x7fffffff, true };
static const struct op_format f32 = { 24, -126, 127, 0, 32, 0x7fffffff, true };
static const struct op_format f64 = { 53, -1022, 1023, 0, 64, 0x7fffffffffffffff, true };
static const struct op_format e4m3 = { 4, -6, 8, 0, 8, 0x7f, false };
static const struct op_format e5m2 = { 3, -14, 15, 0, 8, 0x7f, true };

const struct op_format *op_format_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
        return &f16;
    case PTX_BF16:
    case PTX_BF16X2:
        return &bf16;
    case PTX_TF32:
        return &tf32;
    case PTX_F32:
        return &f32;
    case PTX_F64:
        return &f64;
    case PTX_E4M3X2:
        return &e4m3;
    case PTX_E5M2X2:
        return &e5m2;
    default:
        return NULL;
    }
}

static bool rounds_up(enum inst_round round, bool sign, bool odd, bool half, bool below)
{
    switch (round) {
    case ROUND_RN:
        return half && (below || odd);
    case ROUND_RNA:
        return half;
    case ROUND_RM:
        return sign && (half || below);
    case ROUND_RP:
        return !sign && (half || below);
    default:
        return false;
    }
}

/* Largest finite magnitude. e4m3 has no infinity and gives its all-ones pattern to NaN. */
static uint64_t largest(const struct op_format *f)
{
    uint64_t infinity = ((UINT64_C(1) << (f->bits - f->precision)) - 1) << (f->precision - 1);
    return f->has_infinity ? infinity - 1 : f->nan - 1;
}

static uint64_t overflowed(const struct op_format *f, bool sign, enum inst_round round, bool finite)
{
    bool stays = round == ROUND_RZ || (round == ROUND_RM && !sign) || (round == ROUND_RP && sign);
    if (finite || stays)
        return largest(f);
    return f->has_infinity ? largest(f) + 1 : f->nan;
}

uint64_t op_pack(const struct op_format *f, bool sign, uint64_t magnitude, int exponent,
                 enum inst_round round, bool finite)
{
    uint64_t sign_bit = (uint64_t)sign << (f->bits - 1);
    if (!magnitude)
        return sign_bit << f->shift;
    int lead = 63 - __builtin_clzll(magnitude) + exponent;
    int last = (lead > f->min_exponent ? lead : f->min_exponent) - (f->precision - 1);
    int drop = last - exponent; /* bits of the magnitude below the last place */
    uint64_t m;
    if (drop <= 0) {
        m = magnitude << -drop;
    } else {
        uint64_t rest = drop > 64    ? 1
                        : drop == 64 ? magnitude
                                     : magnitude & ((UINT64_C(1) << drop) - 1);
        uint64_t tie = drop > 64 ? 0 : UINT64_C(1) << (drop - 1);
        bool half = tie && (rest & tie);
        m = drop > 63 ? 0 : magnitude >> drop;
        m += rounds_up(round, sign, m & 1, half, drop > 64 || (rest & ~tie) != 0);
    }
    /* m counts last places: its hidden bit, or a carry beyond it, moves the exponent by itself */
    uint64_t encoded = m;
    if (m >> (f->precision - 1))
        encoded = m + ((uint64_t)(last + f->precision - 1 - f->min_exponent) << (f->precision - 1));
    if (encoded > largest(f))
        encoded = overflowed(f, sign, round, finite);
    return (sign_bit | encoded) << f->shift;
}

double op_unpack(const struct op_format *f, uint64_t bits)
{
    bits >>= f->shift;
    bool sign = bits >> (f->bits - 1) & 1;
    uint64_t magnitude = bits & ((UINT64_C(1) << (f->bits - 1)) - 1);
    uint64_t fraction = magnitude & ((UINT64_C(1) << (f->precision - 1)) - 1);
    int field = (int)(magnitude >> (f->precision - 1));
    double value;
    if (magnitude > largest(f))
        value = f->has_infinity && fraction == 0 ? INFINITY : NAN;
    else if (field == 0)
        value = ldexp((double)fraction, f->min_exponent - (f->precision - 1));
    else
        value = ldexp((double)(fraction | UINT64_C(1) << (f->precision - 1)),
                      f->min_exponent + field - 1 - (f->precision - 1));
    return sign ? -value : value;
}

uint64_t op_pack_double(const struct op_format *f, double x, enum inst_round round, bool finite)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bool sign = bits >> 63;
    int field = bits >> 52 & 0x7ff;
    uint64_t fraction = bits & 0xfffffffffffff;
    if (field == 0x7ff) {
        if (fraction)
            return f->nan;
        uint64_t magnitude = finite ? largest(f) : f->has_infinity ? largest(f) + 1 : f->nan;
        return (magnitude | (uint64_t)sign << (f->bits - 1)) << f->shift;
    }
    if (field)
        return op_pack(f, sign, fraction | UINT64_C(1) << 52, field - 1075, round, finite);
    return op_pack(f, sign, fraction, -1074, round, finite);
}

static double round_integral(double x, enum inst_round round)
{
    switch (round) {
    case ROUND_RZ:
        return trunc(x);
    case ROUND_RM:
        return floor(x);
    case ROUND_RP:
        return ceil(x);
    default:
        return rint(x);
    }
}

static int64_t sign_extend(uint64_t bits, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(bits << shift) >> shift;
}

static uint64_t narrow(uint64_t bits, unsigned size)
{
    return size == 8 ? bits : bits & ((UINT64_C(1) << 8 * size) - 1);
}

static uint64_t int_from_float(double x, const struct inst *in)
{
    enum ptx_type to = (enum ptx_type)in->type;
    unsigned size = ptx_type_size(to);
    if (x != x) {
        bool top = in->type2 == PTX_F64 || size == 8;
        return top ? UINT64_C(1) << (8 * size - 1) : 0;
    }
    x = round_integral(x, (enum inst_round)in->round);
    if (ptx_type_signed(to)) {
        double limit = ldexp(1.0, (int)(8 * size) - 1);
        int64_t most = (int64_t)(UINT64_MAX >> (65 - 8 * size));
        int64_t v = x >= limit ? most : x < -limit ? -most - 1 : (int64_t)x;
        return narrow((uint64_t)v, size);
    }
    double limit = ldexp(1.0, (int)(8 * size));
    return x >= limit ? UINT64_MAX >> (64 - 8 * size) : x <= 0.0 ? 0 : (uint64_t)x;
}

static uint64_t int_from_int(uint64_t bits, const struct inst *in)
{
    enum ptx_type to = (enum ptx_type)in->type, from = (enum ptx_type)in->type2;
    unsigned to_size = ptx_type_size(to), from_size = ptx_type_size(from);
    bool negative = ptx_type_signed(from) && sign_extend(bits, from_size) < 0;
    uint64_t v =
        ptx_type_signed(from) ? (uint64_t)sign_extend(bits, from_size) : narrow(bits, from_size);
    if (in->mods & MOD_SAT) {
        if (ptx_type_signed(to)) {
            int64_t most = (int64_t)(UINT64_MAX >> (65 - 8 * to_size));
            if (negative && (int64_t)v < -most - 1)
                v = (uint64_t)(-most - 1);
            else if (!negative && v > (uint64_t)most)
                v = (uint64_t)most;
        } else {
            uint64_t most = UINT64_MAX >> (64 - 8 * to_size);
            v = negative ? 0 : v > most ? most : v;
        }
    }
    return narrow(v, to_size);
}

static uint64_t float_from_int(uint64_t bits, const struct inst *in)
{
    const struct op_format *f = op_format_of((enum ptx_type)in->type);
    unsigned size = ptx_type_size((enum ptx_type)in->type2);
    int64_t v = sign_extend(bits, size);
    bool negative = ptx_type_signed((enum ptx_type)in->type2) && v < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)v : narrow(bits, size);
    if (in->mods & MOD_SAT)
        return negative || !magnitude ? 0 : op_pack(f, false, 1, 0, ROUND_RN, false);
    return op_pack(f, negative, magnitude, 0, (enum inst_round)in->round, false);
}

/* A subnormal f32 becomes a zero; other formats have no .ftz in cvt. */
static double flush(double x, const struct op_format *f, const struct inst *in)
{
    return in->mods & MOD_FTZ && f == &f32 && fabs(x) < 0x1p-126 ? copysign(0.0, x) : x;
}

static uint64_t float_from_float(uint64_t bits, const struct inst *in)
{
    const struct op_format *from = op_format_of((enum ptx_type)in->type2);
    const struct op_format *to = op_format_of((enum ptx_type)in->type);
    double x = flush(op_unpack(from, bits), from, in);
    if (from == &f64 && to == &f64 && x != x)
        return bits | UINT64_C(1) << 51; /* payloads of doubles are kept */
    if (in->mods & MOD_ROUND_INT && x == x)
        x = copysign(round_integral(x, (enum inst_round)in->round), x);
    if (in->mods & MOD_SAT)
        x = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
    if (in->mods & MOD_RELU && x == x)
        x = x > 0.0 ? x : 0.0;
    bool finite = in->mods & MOD_SATFINITE;
    uint64_t r = op_pack_double(to, x, (enum inst_round)in->round, finite);
    if (in->mods & MOD_FTZ && to == &f32 && (r & 0x7f800000) == 0)
        r &= 0x80000000;
    return r;
}

uint64_t op_convert_lane(uint64_t bits, const struct inst *in)
{
    bool from_float = ptx_type_float((enum ptx_type)in->type2);
    bool to_float = ptx_type_float((enum ptx_type)in->type);
    if (to_float)
        return from_float ? float_from_float(bits, in) : float_from_int(bits, in);
    if (!from_float)
        return int_from_int(bits, in);
    const struct op_format *f = op_format_of((enum ptx_type)in->type2);
    return int_from_float(flush(op_unpack(f, bits), f, in), in);
}

static uint64_t read_lane(const void *p, unsigned size, int lane)
{
    return size == 8 ? ((const lane64 *)p)[lane] : ((const lane32 *)p)[lane];
}

static void write_lane(void *p, unsigned size, int lane, uint64_t bits)
{
    if (size == 8)
        ((lane64 *)p)[lane] = bits;
    else
        ((lane32 *)p)[lane] = (uint32_t)narrow(bits, size);
}

void op_convert(void *d, const void *a, const void *b, const void *c, const void *e,
                const struct inst *in)
{
    unsigned size = ptx_type_size((enum ptx_type)in->type);
    bool extend =
        ptx_type_signed((enum ptx_type)in->type) && !ptx_type_float((enum ptx_type)in->type);
    (void)b, (void)c, (void)e;
    for (int i = 0; i < OP_LANES; i++) {
        uint64_t r = op_convert_lane(read_lane(a, in->count, i), in);
        write_lane(d, in->size, i, extend ? (uint64_t)sign_extend(r, size) : r);
    }
}

static unsigned packed_bits(const struct inst *in)
{
    return op_format_of((enum ptx_type)in->type)->bits;
}

void op_convert_pair(void *d, const void *a, const void *b, const void *c, const void *e,
                     const struct inst *in)
{
    (void)c, (void)e;
    for (int i = 0; i < OP_LANES; i++) {
        uint64_t high = op_convert_lane(read_lane(a, 4, i), in);
        uint64_t low = op_convert_lane(read_lane(b, 4, i), in);
        write_lane(d, in->size, i, high << packed_bits(in) | low);
    }
}

void op_convert_packed(void *d, const void *a, const void *b, const void *c, const void *e,
                       const struct inst *in)
{
    unsigned bits = op_format_of((enum ptx_type)in->type2)->bits;
    (void)b, (void)c, (void)e;
    for (int i = 0; i < OP_LANES; i++) {
        uint64_t both = read_lane(a, 4, i);
        uint64_t high = op_convert_lane(both >> bits & ((1u << bits) - 1), in);
        uint64_t low = op_convert_lane(both & ((1u << bits) - 1), in);
        write_lane(d, in->size, i, high << packed_bits(in) | low);
    }
}
