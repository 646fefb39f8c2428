/* setp, set and testp. */
#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"

static const enum ptx_word comparisons[] = {
    PTX_W_eq,  PTX_W_ne,  PTX_W_lt,  PTX_W_le,  PTX_W_gt,  PTX_W_ge,  PTX_W_equ,
    PTX_W_neu, PTX_W_ltu, PTX_W_leu, PTX_W_gtu, PTX_W_geu, PTX_W_num, PTX_W_nan,
};

enum { ORDERED = 6, COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

/* lo ls hi hs are the unsigned comparisons by other names. */
static int take_comparison(struct decoder *d)
{
    static const struct {
        uint16_t word, index;
    } unsigned_names[] = { { PTX_W_lo, 2 }, { PTX_W_ls, 3 }, { PTX_W_hi, 4 }, { PTX_W_hs, 5 } };
    for (int i = 0; i < COMPARISONS; i++)
        if (decode_take(d, comparisons[i]))
            return i;
    for (unsigned i = 0; i < 4; i++)
        if (decode_take(d, (enum ptx_word)unsigned_names[i].word))
            return unsigned_names[i].index;
    decode_fail(d, "a comparison is expected");
    return 0;
}

/* The ids of one type lie in the order of `comparisons`, see op.def. */
static enum op_cmp_id comparison_id(struct decoder *d, enum ptx_type type, int comparison)
{
    unsigned first;
    bool is_float = ptx_type_float(type);
    switch (type) {
    case PTX_B16:
    case PTX_U16:
        first = OP_CMP_eq_u16;
        break;
    case PTX_S16:
        first = OP_CMP_eq_s16;
        break;
    case PTX_B32:
    case PTX_U32:
        first = OP_CMP_eq_u32;
        break;
    case PTX_S32:
        first = OP_CMP_eq_s32;
        break;
    case PTX_B64:
    case PTX_U64:
        first = OP_CMP_eq_u64;
        break;
    case PTX_S64:
        first = OP_CMP_eq_s64;
        break;
    case PTX_F32:
        first = OP_CMP_eq_f32;
        break;
    case PTX_F64:
        first = OP_CMP_eq_f64;
        break;
    case PTX_F16:
    case PTX_F16X2:
        first = OP_CMP_eq_f16;
        break;
    case PTX_BF16:
    case PTX_BF16X2:
        first = OP_CMP_eq_bf16;
        break;
    default:
        decode_fail(d, "this type cannot be compared");
        return OP_CMP_NONE;
    }
    if (!is_float && comparison >= ORDERED)
        decode_fail(d, "this comparison is for floating-point types");
    return (enum op_cmp_id)(first + (unsigned)comparison);
}

static uint8_t take_combination(struct decoder *d)
{
    return decode_take(d, PTX_W_and)   ? EXEC_PRED_AND
           : decode_take(d, PTX_W_or)  ? EXEC_PRED_OR
           : decode_take(d, PTX_W_xor) ? EXEC_PRED_XOR
                                       : EXEC_PRED_NONE;
}

/* a, b, an optional predicate c, and the combination. */
static void compare_sources(struct decoder *d, struct inst *in, enum ptx_type type)
{
    bool negated = false;
    unsigned n = in->op == EXEC_PRED_NONE ? 3 : 4;
    if (!decode_expect_operands(d, n, n))
        return;
    in->a = decode_use(d, decode_operand(d, 1), type);
    in->b = decode_use(d, decode_operand(d, 2), type);
    if (n == 4)
        in->c = decode_use_pred(d, decode_operand(d, 3), &negated);
    in->mods |= negated ? MOD_C_NOT : 0;
}

static enum inst_class class_of(enum ptx_type type)
{
    return type == PTX_F32        ? CLASS_FP32
           : type == PTX_F64      ? CLASS_FP64
           : ptx_type_float(type) ? CLASS_HALF
                                  : CLASS_INT;
}

/* f16x2: p is the lower halves' result, q the upper halves'. */
static void setp_pair(struct decoder *d, struct inst *in, enum op_cmp_id id, enum ptx_type type)
{
    const struct ptx_operand *o = decode_operand(d, 0);
    if (o->kind != PTX_OPERAND_PAIR) {
        decode_fail(d, "two predicates are expected");
        return;
    }
    in->d = decode_def_pred(d, &o->elems[0]);
    in->fn.cmp = d->code->ops->cmp[id];
    struct inst high = *in;
    unsigned step =
        type == PTX_F16X2 ? OP_CMP_eq_f16hi - OP_CMP_eq_f16 : OP_CMP_eq_bf16hi - OP_CMP_eq_bf16;
    high.d = decode_def_pred(d, &o->elems[1]);
    high.fn.cmp = d->code->ops->cmp[id + step];
    high.cls = CLASS_HIDDEN;
    if (in->d == in->c || in->d == in->guard)
        decode_fail(d, "the first result is also a source");
    decode_emit(d, in);
    decode_emit(d, &high);
}

void decode_setp(struct decoder *d)
{
    struct inst in = decode_new(d, INST_CMP, CLASS_INT);
    int comparison = take_comparison(d);
    in.op = take_combination(d);
    in.mods |= decode_take_mods(d, MOD_FTZ);
    enum ptx_type type = decode_take_type(d);
    enum op_cmp_id id = comparison_id(d, type, comparison);
    in.cls = (uint8_t)class_of(type);
    compare_sources(d, &in, type);
    if (d->failed)
        return;
    if (type == PTX_F16X2 || type == PTX_BF16X2) {
        setp_pair(d, &in, id, type);
        return;
    }
    const struct ptx_operand *o = decode_operand(d, 0);
    bool pair = o->kind == PTX_OPERAND_PAIR;
    in.d = decode_def_pred(d, pair ? &o->elems[0] : o);
    if (pair) {
        in.e = decode_def_pred(d, &o->elems[1]);
        in.e_is_def = 1;
    }
    in.fn.cmp = d->code->ops->cmp[id];
    decode_emit(d, &in);
}

/* The number that stands for true. */
static uint64_t true_value(struct decoder *d, enum ptx_type type)
{
    switch (type) {
    case PTX_U32:
    case PTX_S32:
        return UINT32_MAX;
    case PTX_U16:
    case PTX_S16:
        return UINT16_MAX;
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
        return 0x3c00;
    case PTX_BF16:
        return 0x3f80;
    default:
        decode_fail(d, "this result type is not supported");
        return 0;
    }
}

void decode_set(struct decoder *d)
{
    struct inst in = decode_new(d, INST_SET, CLASS_INT);
    int comparison = take_comparison(d);
    in.op = take_combination(d);
    in.mods |= decode_take_mods(d, MOD_FTZ);
    enum ptx_type to = decode_take_type(d), type = decode_take_type(d);
    bool pair = type == PTX_F16X2 || type == PTX_BF16X2;
    if (pair) {
        /* each half by itself: a result type of the same shape, or all ones for u32 */
        in.imm = to == type ? (type == PTX_F16X2 ? 0x3c00 : 0x3f80) : 0xffff;
        if (to != type && to != PTX_U32 && to != PTX_S32)
            decode_fail(d, "this result type is not supported");
    } else {
        in.imm = (int64_t)true_value(d, to);
    }
    enum op_cmp_id id = comparison_id(d, type, comparison);
    in.cls = (uint8_t)class_of(type);
    compare_sources(d, &in, type);
    in.d = decode_def(d, decode_operand(d, 0), to);
    in.size = 4;
    in.fn.cmp = d->code->ops->cmp[id];
    if (!pair) {
        decode_emit(d, &in);
        return;
    }
    struct inst high = in;
    unsigned step =
        type == PTX_F16X2 ? OP_CMP_eq_f16hi - OP_CMP_eq_f16 : OP_CMP_eq_bf16hi - OP_CMP_eq_bf16;
    uint32_t into = in.d;
    in.cls = CLASS_HIDDEN;
    in.d = decode_temp(d, PTX_B32);
    decode_emit(d, &in);
    high.fn.cmp = d->code->ops->cmp[id + step];
    high.d = decode_temp(d, PTX_B32);
    decode_emit(d, &high);
    struct inst join = decode_new(d, INST_LANE, CLASS_HIDDEN);
    join.a = in.d;
    join.b = high.d;
    join.d = into;
    join.size = 4;
    decode_emit_lane(d, &join, OP_pack_b32_b16);
}

void decode_testp(struct decoder *d)
{
    static const enum ptx_word tests[] = { PTX_W_finite,     PTX_W_infinite, PTX_W_number,
                                           PTX_W_notanumber, PTX_W_normal,   PTX_W_subnormal };
    struct inst in = decode_new(d, INST_CMP, CLASS_FP32);
    unsigned test = 0;
    while (test < 6 && !decode_take(d, tests[test]))
        test++;
    enum ptx_type type = decode_take_type(d);
    if (test == 6 || (type != PTX_F32 && type != PTX_F64) || !decode_expect_operands(d, 2, 2)) {
        decode_fail(d, "a test and '.f32' or '.f64' are expected");
        return;
    }
    in.op = EXEC_PRED_NONE;
    in.a = decode_use(d, decode_operand(d, 1), type);
    in.b = in.a;
    in.d = decode_def_pred(d, decode_operand(d, 0));
    in.fn.cmp =
        d->code->ops
            ->cmp[(type == PTX_F32 ? OP_CMP_test_finite_f32 : OP_CMP_test_finite_f64) + test];
    decode_emit(d, &in);
}
