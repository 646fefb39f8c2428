/* cvt: the common forms by fast loops, all others by op_convert(). */
#include "vgpu/decode_impl.h"
#include "vgpu/op_convert.h"

/* Rounding words of cvt. rni rzi rmi rpi round to an integral value. */
static bool take_cvt_round(struct decoder *d, struct inst *in)
{
    static const enum ptx_word integral[] = { PTX_W_rni, PTX_W_rzi, PTX_W_rmi, PTX_W_rpi };
    if (decode_take_round(d, &in->round))
        return true;
    for (unsigned i = 0; i < 4; i++) {
        if (decode_take(d, integral[i])) {
            in->round = (uint8_t)i;
            in->mods |= MOD_ROUND_INT;
            return true;
        }
    }
    if (decode_take(d, PTX_W_rna)) {
        in->round = ROUND_RNA;
        return true;
    }
    return false;
}

struct fast {
    uint8_t to, from, to_size, from_size; /* sizes of the registers */
    uint8_t round;                        /* a given one; NONE: no rounding may be given */
    uint16_t op;
};

enum { NO_ROUND = 0xff };

static const struct fast fast[] = {
    { PTX_U32, PTX_U64, 4, 8, NO_ROUND, OP_cvt_u32_u64 },
    { PTX_U32, PTX_S64, 4, 8, NO_ROUND, OP_cvt_u32_u64 },
    { PTX_S32, PTX_U64, 4, 8, NO_ROUND, OP_cvt_u32_u64 },
    { PTX_S32, PTX_S64, 4, 8, NO_ROUND, OP_cvt_u32_u64 },
    { PTX_U64, PTX_U32, 8, 4, NO_ROUND, OP_cvt_u64_u32 },
    { PTX_S64, PTX_U32, 8, 4, NO_ROUND, OP_cvt_u64_u32 },
    { PTX_S64, PTX_S32, 8, 4, NO_ROUND, OP_cvt_s64_s32 },
    { PTX_U64, PTX_S32, 8, 4, NO_ROUND, OP_cvt_s64_s32 },
    { PTX_U32, PTX_U16, 4, 2, NO_ROUND, OP_cvt_u32_u16 },
    { PTX_S32, PTX_U16, 4, 2, NO_ROUND, OP_cvt_u32_u16 },
    { PTX_S32, PTX_S16, 4, 2, NO_ROUND, OP_cvt_s32_s16 },
    { PTX_U32, PTX_S16, 4, 2, NO_ROUND, OP_cvt_s32_s16 },
    { PTX_U16, PTX_U32, 2, 4, NO_ROUND, OP_cvt_u16_u32 },
    { PTX_U64, PTX_U16, 8, 2, NO_ROUND, OP_cvt_u64_u16 },
    { PTX_F32, PTX_S32, 4, 4, ROUND_RN, OP_cvt_f32_s32 },
    { PTX_F32, PTX_U32, 4, 4, ROUND_RN, OP_cvt_f32_u32 },
    { PTX_F64, PTX_S32, 8, 4, ROUND_RN, OP_cvt_f64_s32 },
    { PTX_F64, PTX_F32, 8, 4, NO_ROUND, OP_cvt_f64_f32 },
    { PTX_F32, PTX_F64, 4, 8, ROUND_RN, OP_cvt_f32_f64 },
    { PTX_F32, PTX_F16, 4, 2, NO_ROUND, OP_cvt_f32_f16 },
    { PTX_F16, PTX_F32, 2, 4, ROUND_RN, OP_cvt_f16_f32 },
    { PTX_F32, PTX_BF16, 4, 2, NO_ROUND, OP_cvt_f32_bf16 },
    { PTX_BF16, PTX_F32, 2, 4, ROUND_RN, OP_cvt_bf16_f32 },
};

static enum op_id fast_op(const struct inst *in, unsigned to_size, unsigned from_size, bool rounded)
{
    if (in->type == PTX_S32 && in->type2 == PTX_F32 && to_size == 4 && from_size == 4 && rounded &&
        in->round == ROUND_RZ && !(in->mods & (MOD_FTZ | MOD_SAT)))
        return OP_cvt_rzi_s32_f32;
    if (in->mods & (MOD_FTZ | MOD_SAT | MOD_RELU | MOD_ROUND_INT | MOD_SATFINITE))
        return OP_NONE;
    uint8_t round = rounded ? in->round : NO_ROUND;
    for (unsigned i = 0; i < sizeof fast / sizeof fast[0]; i++) {
        const struct fast *f = &fast[i];
        if (f->to == in->type && f->from == in->type2 && f->to_size == to_size &&
            f->from_size == from_size && f->round == round)
            return (enum op_id)f->op;
    }
    return OP_NONE;
}

/* Which conversions need a rounding and which must not have one, as far as it changes the result.
 */
static void check_round(struct decoder *d, const struct inst *in, bool rounded)
{
    bool from = ptx_type_float((enum ptx_type)in->type2),
         to = ptx_type_float((enum ptx_type)in->type);
    if (from && !to && !(rounded && (in->mods & MOD_ROUND_INT)))
        decode_fail(d, "an integer rounding is missing");
    if (!from && to && !(rounded && !(in->mods & MOD_ROUND_INT)))
        decode_fail(d, "a rounding is missing");
    if (!from && !to && rounded)
        decode_fail(d, "a rounding where none is possible");
    if (from && to && !rounded) {
        const struct op_format *f = op_format_of((enum ptx_type)in->type2);
        const struct op_format *t = op_format_of((enum ptx_type)in->type);
        if (t->precision < f->precision || t->max_exponent < f->max_exponent)
            decode_fail(d, "a rounding is missing");
    }
}

static void cvt_one(struct decoder *d, struct inst *in, bool rounded)
{
    unsigned to_size, from_size;
    in->a = decode_use_any(d, decode_operand(d, 1), (enum ptx_type)in->type2, &from_size);
    in->d = decode_def_any(d, decode_operand(d, 0), (enum ptx_type)in->type, &to_size);
    check_round(d, in, rounded);
    if (from_size < ptx_type_size((enum ptx_type)in->type2) ||
        to_size < ptx_type_size((enum ptx_type)in->type))
        decode_fail(d, "a register is narrower than the type");
    if (d->failed)
        return;
    in->size = (uint8_t)to_size;
    in->count = (uint8_t)from_size;
    enum op_id op = fast_op(in, to_size, from_size, rounded);
    in->fn.lane = op == OP_NONE ? op_convert : d->code->ops->lane[op];
    in->size = (uint8_t)(to_size == 8 ? 8 : to_size);
    decode_emit(d, in);
}

/* f16x2.f32 and its like: two sources, the first to the upper half. */
static void cvt_pair(struct decoder *d, struct inst *in, bool rounded)
{
    if (!decode_expect_operands(d, 3, 3))
        return;
    in->a = decode_use(d, decode_operand(d, 1), PTX_F32);
    in->b = decode_use(d, decode_operand(d, 2), PTX_F32);
    in->d = decode_def(d, decode_operand(d, 0), (enum ptx_type)in->type);
    in->size = (uint8_t)ptx_type_size((enum ptx_type)in->type);
    bool plain = rounded && in->round == ROUND_RN && !(in->mods & (MOD_RELU | MOD_SATFINITE));
    in->fn.lane = op_convert_pair;
    if (plain && in->type == PTX_F16X2)
        in->fn.lane = d->code->ops->lane[OP_cvt_f16x2_f32];
    if (plain && in->type == PTX_BF16X2)
        in->fn.lane = d->code->ops->lane[OP_cvt_bf16x2_f32];
    if (!rounded)
        decode_fail(d, "a rounding is missing");
    decode_emit(d, in);
}

static void cvt_packed(struct decoder *d, struct inst *in)
{
    if (!decode_expect_operands(d, 2, 2))
        return;
    in->a = decode_use(d, decode_operand(d, 1), (enum ptx_type)in->type2);
    in->d = decode_def(d, decode_operand(d, 0), (enum ptx_type)in->type);
    in->size = (uint8_t)ptx_type_size((enum ptx_type)in->type);
    in->fn.lane = op_convert_packed;
    decode_emit(d, in);
}

static bool is_packed(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_E4M3X2 || type == PTX_E5M2X2;
}

void decode_cvt(struct decoder *d)
{
    struct inst in = decode_new(d, INST_LANE, CLASS_CONVERT);
    bool rounded = take_cvt_round(d, &in);
    in.mods |= decode_take_mods(d, MOD_FTZ | MOD_SAT | MOD_RELU | MOD_SATFINITE);
    in.type = (uint8_t)decode_take_type(d);
    in.type2 = (uint8_t)decode_take_type(d);
    enum ptx_type to = (enum ptx_type)in.type, from = (enum ptx_type)in.type2;
    bool odd = ptx_type_size(to) == 0 || ptx_type_size(from) == 0 || to == PTX_B128 ||
               from == PTX_B128 || (to >= PTX_B8 && to <= PTX_B64) ||
               (from >= PTX_B8 && from <= PTX_B64) || to == PTX_U16X2 || to == PTX_S16X2 ||
               from == PTX_U16X2 || from == PTX_S16X2;
    if (d->failed || odd) {
        decode_fail(d, "these types cannot be converted");
    } else if (is_packed(to) && from == PTX_F32) {
        cvt_pair(d, &in, rounded);
    } else if (is_packed(to) && is_packed(from)) {
        cvt_packed(d, &in);
    } else if (is_packed(to) || is_packed(from)) {
        decode_fail(d, "these types cannot be converted");
    } else if (decode_expect_operands(d, 2, 2)) {
        cvt_one(d, &in, rounded);
    }
}
