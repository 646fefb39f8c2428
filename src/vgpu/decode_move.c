/* mov with its packing forms, address conversions, selections and tests. */
#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"

static uint8_t lane_size(enum ptx_type type)
{
    return ptx_type_size(type) == 8 ? 8 : 4;
}

static void mov_pred(struct decoder *d)
{
    struct inst in = decode_new(d, INST_PRED, CLASS_OTHER);
    bool negated;
    in.a = decode_use_pred(d, decode_operand(d, 1), &negated);
    in.b = in.a;
    in.mods |= negated ? MOD_A_NOT | MOD_B_NOT : 0;
    in.op = EXEC_PRED_AND;
    in.d = decode_def_pred(d, decode_operand(d, 0));
    decode_emit(d, &in);
}

/* {a, b} = wide: parts from the low end. */
static void mov_unpack(struct decoder *d, enum ptx_type type)
{
    const struct ptx_operand *parts = decode_operand(d, 0);
    unsigned n = parts->elem_count, size = ptx_type_size(type);
    uint32_t source = decode_use(d, decode_operand(d, 1), type);
    unsigned part = n ? size / n : 0;
    if ((n != 2 && n != 4) || part * n != size || part == 0 || size < 4) {
        if (size != 2 || n != 2)
            decode_fail(d, "a vector does not fit the type");
    }
    for (unsigned i = 0; i < n && !d->failed; i++) {
        const struct ptx_operand *o = &parts->elems[i];
        struct inst in = decode_new(d, INST_LANE, i ? CLASS_HIDDEN : CLASS_OTHER);
        enum ptx_type to = part == 4 ? PTX_B32 : part == 2 ? PTX_B16 : PTX_B8;
        if (o->kind == PTX_OPERAND_SINK)
            continue;
        in.d = decode_def(d, o, to);
        in.a = source;
        in.size = 4;
        in.imm = (int64_t)(8 * part * i);
        decode_emit_lane(d, &in,
                         part == 4   ? OP_unpack_b32_b64
                         : part == 1 ? OP_unpack_b8
                         : size == 8 ? OP_unpack_b16_b64
                                     : OP_unpack_b16_b32);
    }
}

static uint32_t pack_two(struct decoder *d, uint32_t low, uint32_t high, enum ptx_type to,
                         uint32_t into, enum inst_class cls)
{
    struct inst in = decode_new(d, INST_LANE, cls);
    in.a = low;
    in.b = high;
    in.d = into;
    in.size = lane_size(to);
    decode_emit_lane(d, &in, to == PTX_B64 ? OP_pack_b64_b32 : OP_pack_b32_b16);
    return into;
}

static void mov_pack(struct decoder *d, enum ptx_type type)
{
    const struct ptx_operand *parts = decode_operand(d, 1);
    unsigned n = parts->elem_count, size = ptx_type_size(type);
    uint32_t into = decode_def(d, decode_operand(d, 0), type);
    enum ptx_type part = size == 8 && n == 2 ? PTX_B32 : PTX_B16;
    uint32_t refs[4];
    if (!(size == 8 && (n == 2 || n == 4)) && !(size == 4 && n == 2)) {
        decode_fail(d, "a vector does not fit the type");
        return;
    }
    for (unsigned i = 0; i < n; i++)
        refs[i] = decode_use(d, &parts->elems[i], part);
    if (n == 4) {
        refs[0] = pack_two(d, refs[0], refs[1], PTX_B32, decode_temp(d, PTX_B32), CLASS_HIDDEN);
        refs[1] = pack_two(d, refs[2], refs[3], PTX_B32, decode_temp(d, PTX_B32), CLASS_HIDDEN);
    }
    pack_two(d, refs[0], refs[1], size == 8 ? PTX_B64 : PTX_B32, into, CLASS_OTHER);
}

void decode_mov(struct decoder *d)
{
    enum ptx_type type = decode_take_type(d);
    if (!decode_expect_operands(d, 2, 2))
        return;
    if (type == PTX_PRED) {
        mov_pred(d);
        return;
    }
    if (decode_operand(d, 0)->kind == PTX_OPERAND_VECTOR) {
        mov_unpack(d, type);
        return;
    }
    if (decode_operand(d, 1)->kind == PTX_OPERAND_VECTOR) {
        mov_pack(d, type);
        return;
    }
    struct inst in = decode_new(d, INST_LANE, CLASS_OTHER);
    in.a = decode_use(d, decode_operand(d, 1), type);
    in.d = decode_def(d, decode_operand(d, 0), type);
    in.size = lane_size(type);
    decode_emit_lane(d, &in, in.size == 8 ? OP_mov_b64 : OP_mov_b32);
}

void decode_logic_pred(struct decoder *d)
{
    struct inst in = decode_new(d, INST_PRED, CLASS_OTHER);
    bool one = d->src->op == PTX_W_not, negated;
    decode_take_type(d);
    if (!decode_expect_operands(d, one ? 2 : 3, one ? 2 : 3))
        return;
    in.a = decode_use_pred(d, decode_operand(d, 1), &negated);
    in.mods |= negated ? MOD_A_NOT : 0;
    in.op = d->src->op == PTX_W_or    ? EXEC_PRED_OR
            : d->src->op == PTX_W_xor ? EXEC_PRED_XOR
                                      : EXEC_PRED_AND;
    if (one) {
        in.b = in.a;
        in.mods ^= MOD_A_NOT;
        in.mods |= in.mods & MOD_A_NOT ? MOD_B_NOT : 0;
    } else {
        in.b = decode_use_pred(d, decode_operand(d, 2), &negated);
        in.mods |= negated ? MOD_B_NOT : 0;
    }
    in.d = decode_def_pred(d, decode_operand(d, 0));
    decode_emit(d, &in);
}

static enum ptx_space take_space(struct decoder *d)
{
    static const struct {
        uint16_t word, space;
    } spaces[] = {
        { PTX_W_global, PTX_GLOBAL },     { PTX_W_shared, PTX_SHARED },
        { PTX_W_shared_cta, PTX_SHARED }, { PTX_W_local, PTX_LOCAL },
        { PTX_W_const, PTX_CONST },       { PTX_W_param, PTX_PARAM },
        { PTX_W_param_entry, PTX_PARAM },
    };
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (decode_take(d, (enum ptx_word)spaces[i].word))
            return (enum ptx_space)spaces[i].space;
    return PTX_GENERIC;
}

void decode_cvta(struct decoder *d)
{
    bool to = decode_take(d, PTX_W_to);
    enum ptx_space space = take_space(d);
    enum ptx_type type = decode_take_type(d);
    if (space == PTX_GENERIC || ptx_type_size(type) != 8 || !decode_expect_operands(d, 2, 2)) {
        decode_fail(d, "a space and a 64-bit type are expected");
        return;
    }
    uint64_t window = space == PTX_SHARED  ? MEM_SHARED_WINDOW
                      : space == PTX_LOCAL ? MEM_LOCAL_WINDOW
                      : space == PTX_PARAM ? MEM_PARAM_WINDOW
                                           : 0;
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    in.a = decode_use(d, decode_operand(d, 1), PTX_U64);
    in.d = decode_def(d, decode_operand(d, 0), PTX_U64);
    in.b = decode_const(d, window, 8);
    in.size = 8;
    decode_emit_lane(d, &in, to ? OP_sub_u64 : OP_add_u64);
}

void decode_isspacep(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_INT);
    in.space = (uint8_t)take_space(d);
    if (in.space == PTX_GENERIC || !decode_expect_operands(d, 2, 2)) {
        decode_fail(d, "a space is expected");
        return;
    }
    in.fn.warp = exec_is_space;
    in.a = decode_use(d, decode_operand(d, 1), PTX_U64);
    in.d = decode_def_pred(d, decode_operand(d, 0));
    decode_emit(d, &in);
}

void decode_selp(struct decoder *d)
{
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    bool negated;
    enum ptx_type type = decode_take_type(d);
    if (!decode_expect_operands(d, 4, 4))
        return;
    in.a = decode_use(d, decode_operand(d, 1), type);
    in.b = decode_use(d, decode_operand(d, 2), type);
    in.c = decode_use_pred(d, decode_operand(d, 3), &negated);
    in.mods |= negated ? MOD_C_NOT : 0;
    in.d = decode_def(d, decode_operand(d, 0), type);
    in.size = lane_size(type);
    decode_emit_lane(d, &in, in.size == 8 ? OP_selp_b64 : OP_selp_b32);
}

void decode_slct(struct decoder *d)
{
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    in.mods |= decode_take_mods(d, MOD_FTZ);
    enum ptx_type type = decode_take_type(d), by = decode_take_type(d);
    if ((by != PTX_S32 && by != PTX_F32) || !decode_expect_operands(d, 4, 4)) {
        decode_fail(d, "the selector's type must be '.s32' or '.f32'");
        return;
    }
    in.a = decode_use(d, decode_operand(d, 1), type);
    in.b = decode_use(d, decode_operand(d, 2), type);
    in.c = decode_use(d, decode_operand(d, 3), by);
    in.d = decode_def(d, decode_operand(d, 0), type);
    in.size = lane_size(type);
    if (by == PTX_S32)
        decode_emit_lane(d, &in, in.size == 8 ? OP_slct_b64_s32 : OP_slct_b32_s32);
    else
        decode_emit_lane(d, &in, in.size == 8 ? OP_slct_b64_f32 : OP_slct_b32_f32);
}
