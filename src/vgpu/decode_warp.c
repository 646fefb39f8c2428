/* shfl, vote, match, activemask, redux, elect. */
#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"

/* `d` or `d|p`: the predicate becomes the only list entry. */
static void result_and_pred(struct decoder *d, struct inst *in, bool must)
{
    const struct ptx_operand *o = decode_operand(d, 0);
    if (o->kind == PTX_OPERAND_PAIR) {
        uint32_t p = decode_def_pred(d, &o->elems[1]);
        in->list = decode_list(d, &p, 1);
        in->list_defs = 1;
        o = &o->elems[0];
    } else if (must) {
        decode_fail(d, "a predicate is expected as second result");
    }
    in->d = decode_def(d, o, PTX_B32);
    in->size = 4;
}

/* The mask of members that a .sync instruction names last. */
static bool take_members(struct decoder *d, struct inst *in, unsigned operands)
{
    bool sync = decode_take(d, PTX_W_sync);
    if (!decode_expect_operands(d, operands + sync, operands + sync))
        return false;
    if (sync) {
        in->e = decode_use(d, decode_operand(d, operands), PTX_B32);
        in->mods |= MOD_SYNC;
    }
    return true;
}

void decode_shfl(struct decoder *d)
{
    static const enum ptx_word modes[] = { PTX_W_up, PTX_W_down, PTX_W_bfly, PTX_W_idx };
    struct inst in = decode_new(d, INST_WARP, CLASS_SHUFFLE);
    unsigned mode = 0;
    while (mode < 4 && !decode_take(d, modes[mode]))
        mode++;
    if (mode == 4 || decode_take_type(d) != PTX_B32) {
        decode_fail(d, "'.up', '.down', '.bfly' or '.idx' and '.b32' are expected");
        return;
    }
    if (!take_members(d, &in, 4))
        return;
    in.op = (uint8_t)mode;
    in.a = decode_use(d, decode_operand(d, 1), PTX_B32);
    in.b = decode_use(d, decode_operand(d, 2), PTX_B32);
    in.c = decode_use(d, decode_operand(d, 3), PTX_B32);
    result_and_pred(d, &in, false);
    in.fn.warp = exec_shfl;
    decode_emit(d, &in);
}

void decode_vote(struct decoder *d)
{
    static const enum ptx_word modes[] = { PTX_W_all, PTX_W_any, PTX_W_uni, PTX_W_ballot };
    struct inst in = decode_new(d, INST_WARP, CLASS_SHUFFLE);
    unsigned mode = 0;
    bool negated;
    while (mode < 4 && !decode_take(d, modes[mode]))
        mode++;
    enum ptx_type type = decode_take_type(d);
    if (mode == 4 || type != (mode == EXEC_VOTE_BALLOT ? PTX_B32 : PTX_PRED)) {
        decode_fail(d, "'.all.pred', '.any.pred', '.uni.pred' or '.ballot.b32' is expected");
        return;
    }
    if (!take_members(d, &in, 2))
        return;
    in.op = (uint8_t)mode;
    in.a = decode_use_pred(d, decode_operand(d, 1), &negated);
    in.mods |= negated ? MOD_A_NOT : 0;
    in.d = type == PTX_PRED ? decode_def_pred(d, decode_operand(d, 0))
                            : decode_def(d, decode_operand(d, 0), PTX_B32);
    in.fn.warp = exec_vote;
    decode_emit(d, &in);
}

void decode_match(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_SHUFFLE);
    in.imm = decode_take(d, PTX_W_all);
    if (!in.imm && !decode_take(d, PTX_W_any))
        decode_fail(d, "'.any' or '.all' is expected");
    enum ptx_type type = decode_take_type(d);
    if (!decode_has(d, PTX_W_sync) || (type != PTX_B32 && type != PTX_B64) ||
        !take_members(d, &in, 2)) {
        decode_fail(d, "'.sync' and '.b32' or '.b64' are expected");
        return;
    }
    in.a = decode_use(d, decode_operand(d, 1), type);
    result_and_pred(d, &in, false);
    in.size = (uint8_t)ptx_type_size(type);
    in.fn.warp = exec_match;
    decode_emit(d, &in);
}

void decode_activemask(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_OTHER);
    if (decode_take_type(d) != PTX_B32 || !decode_expect_operands(d, 1, 1))
        decode_fail(d, "'.b32' is expected");
    in.d = decode_def(d, decode_operand(d, 0), PTX_B32);
    in.fn.warp = exec_activemask;
    decode_emit(d, &in);
}

void decode_redux(struct decoder *d)
{
    static const struct {
        uint16_t word, op;
    } ops[] = { { PTX_W_add, MEM_ATOM_ADD }, { PTX_W_min, MEM_ATOM_MIN },
                { PTX_W_max, MEM_ATOM_MAX }, { PTX_W_and, MEM_ATOM_AND },
                { PTX_W_or, MEM_ATOM_OR },   { PTX_W_xor, MEM_ATOM_XOR } };
    struct inst in = decode_new(d, INST_WARP, CLASS_SHUFFLE);
    unsigned k = 0;
    while (k < 6 && !decode_take(d, (enum ptx_word)ops[k].word))
        k++;
    enum ptx_type type = decode_take_type(d);
    bool bits = k >= 3;
    if (k == 6 || (bits ? type != PTX_B32 : type != PTX_U32 && type != PTX_S32) ||
        !decode_has(d, PTX_W_sync) || !take_members(d, &in, 2)) {
        decode_fail(d, "this form is not supported");
        return;
    }
    in.op = (uint8_t)ops[k].op;
    in.type = (uint8_t)type;
    in.a = decode_use(d, decode_operand(d, 1), type);
    in.d = decode_def(d, decode_operand(d, 0), type);
    in.fn.warp = exec_redux;
    decode_emit(d, &in);
}

void decode_elect(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_SHUFFLE);
    if (!decode_has(d, PTX_W_sync) || !take_members(d, &in, 1)) {
        decode_fail(d, "'.sync' is expected");
        return;
    }
    result_and_pred(d, &in, true);
    in.fn.warp = exec_elect;
    decode_emit(d, &in);
}
