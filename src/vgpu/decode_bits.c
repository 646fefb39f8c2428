/* Integer instructions that need more than a row: shifts of pairs, permutations, look-up tables,
 * dot products, arithmetic with carry. */
#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"

static void take_sources(struct decoder *d, struct inst *in, enum ptx_type type, unsigned count)
{
    uint32_t *const sources[] = { &in->a, &in->b, &in->c };
    for (unsigned i = 0; i < count; i++)
        *sources[i] = decode_use(d, decode_operand(d, i + 1), type);
    in->d = decode_def(d, decode_operand(d, 0), type);
    in->size = (uint8_t)(ptx_type_size(type) == 8 ? 8 : 4);
    in->type = (uint8_t)type;
}

void decode_shf(struct decoder *d)
{
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    bool left = decode_take(d, PTX_W_l);
    bool wrap = decode_take(d, PTX_W_wrap);
    if ((!left && !decode_take(d, PTX_W_r)) || (!wrap && !decode_take(d, PTX_W_clamp)))
        decode_fail(d, "'.l' or '.r' and '.clamp' or '.wrap' are expected");
    if (decode_take_type(d) != PTX_B32 || !decode_expect_operands(d, 4, 4))
        decode_fail(d, "only '.b32' is known");
    take_sources(d, &in, PTX_B32, d->failed ? 0 : 3);
    decode_emit_lane(d, &in,
                     left ? (wrap ? OP_shf_l_wrap : OP_shf_l_clamp)
                          : (wrap ? OP_shf_r_wrap : OP_shf_r_clamp));
}

void decode_prmt(struct decoder *d)
{
    static const enum ptx_word modes[] = { PTX_W_f4e, PTX_W_b4e, PTX_W_rc8,
                                           PTX_W_ecl, PTX_W_ecr, PTX_W_rc16 };
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    enum op_id op = OP_prmt_b32;
    for (unsigned i = 0; i < 6; i++) {
        if (decode_take(d, modes[i])) {
            op = OP_prmt_mode;
            in.imm = i;
        }
    }
    if (decode_take_type(d) != PTX_B32 || !decode_expect_operands(d, 4, 4))
        decode_fail(d, "only '.b32' is known");
    take_sources(d, &in, PTX_B32, d->failed ? 0 : 3);
    decode_emit_lane(d, &in, op);
}

void decode_lop3(struct decoder *d)
{
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    if (decode_take_type(d) != PTX_B32 || !decode_expect_operands(d, 5, 5)) {
        decode_fail(d, "five operands of '.b32' are expected");
        return;
    }
    take_sources(d, &in, PTX_B32, 3);
    const struct ptx_operand *table = decode_operand(d, 4);
    if (table->kind != PTX_OPERAND_IMM || table->imm_type != PTX_IMM_INT || table->imm > 255)
        decode_fail(d, "the look-up table must be a constant of 8 bits");
    in.imm = (int64_t)table->imm;
    decode_emit_lane(d, &in, OP_lop3_b32);
}

/* dp4a and dp2a: two types, either may be signed. */
void decode_dot(struct decoder *d)
{
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    bool two = d->src->op == PTX_W_dp2a;
    bool high = two && decode_take(d, PTX_W_hi);
    if (two && !high && !decode_take(d, PTX_W_lo))
        decode_fail(d, "'.lo' or '.hi' is expected");
    enum ptx_type a = decode_take_type(d), b = decode_take_type(d);
    bool known = (a == PTX_U32 || a == PTX_S32) && (b == PTX_U32 || b == PTX_S32);
    if (!known || !decode_expect_operands(d, 4, 4)) {
        decode_fail(d, "the types must be '.u32' or '.s32'");
        return;
    }
    take_sources(d, &in, PTX_B32, 3);
    in.imm = (a == PTX_S32 ? 1 : 0) | (b == PTX_S32 ? 2 : 0) | (high ? 4 : 0);
    decode_emit_lane(d, &in, two ? OP_dp2a : OP_dp4a);
}

void decode_bfind(struct decoder *d)
{
    struct inst in = decode_new(d, INST_LANE, CLASS_INT);
    in.imm = decode_take(d, PTX_W_shiftamt);
    enum ptx_type type = decode_take_type(d);
    enum op_id op = type == PTX_U32   ? OP_bfind_u32
                    : type == PTX_S32 ? OP_bfind_s32
                    : type == PTX_U64 ? OP_bfind_u64
                    : type == PTX_S64 ? OP_bfind_s64
                                      : OP_NONE;
    if (op == OP_NONE || !decode_expect_operands(d, 2, 2)) {
        decode_fail(d, "an integer type of 32 or 64 bits is expected");
        return;
    }
    in.a = decode_use(d, decode_operand(d, 1), type);
    in.d = decode_def(d, decode_operand(d, 0), PTX_U32);
    in.size = 4;
    in.type = (uint8_t)type;
    decode_emit_lane(d, &in, op);
}

/* add.cc addc sub.cc subc mad.cc madc: the carry flag is a register like any other, so that it
 * lives through whatever stands between the instructions. */
void decode_carry(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_INT);
    enum ptx_word word = (enum ptx_word)d->src->op;
    bool reads = word == PTX_W_addc || word == PTX_W_subc || word == PTX_W_madc;
    bool writes = decode_take(d, PTX_W_cc);
    bool product = word == PTX_W_mad || word == PTX_W_madc;
    bool high = product && decode_take(d, PTX_W_hi);
    if (product && !high && !decode_take(d, PTX_W_lo))
        decode_fail(d, "'.lo' or '.hi' is expected");
    enum ptx_type type = decode_take_type(d);
    unsigned size = ptx_type_size(type);
    if (ptx_type_float(type) || size < 4 ||
        !decode_expect_operands(d, product ? 4 : 3, product ? 4 : 3)) {
        decode_fail(d, "an integer type of 32 or 64 bits is expected");
        return;
    }
    take_sources(d, &in, type, product ? 3 : 2);
    if (d->carry == PTX_NO_REG)
        d->carry = decode_temp(d, PTX_B32);
    if (reads) {
        in.list = decode_list(d, &d->carry, 1);
        in.list_uses = 1;
    }
    if (writes) {
        in.e = d->carry;
        in.e_is_def = 1;
    }
    in.cls = product ? CLASS_INT_MUL : CLASS_INT;
    in.op = (uint8_t)((product ? (high ? EXEC_CARRY_MAD_HI : EXEC_CARRY_MAD_LO)
                       : word == PTX_W_sub || word == PTX_W_subc ? EXEC_CARRY_SUB
                                                                 : EXEC_CARRY_ADD));
    in.fn.warp = exec_carry;
    decode_emit(d, &in);
}
