/* Loads, stores, atomics, prefetches and asynchronous copies. */
#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"

/* Words that say how, not what: ordering is kept by executing in order, caches do not exist. */
static void take_hints(struct decoder *d, struct inst *in)
{
    static const enum ptx_word strong[] = { PTX_W_relaxed, PTX_W_acquire,  PTX_W_release,
                                            PTX_W_acq_rel, PTX_W_volatile, PTX_W_mmio };
    static const enum ptx_word hints[] = {
        PTX_W_weak,
        PTX_W_sys,
        PTX_W_gpu,
        PTX_W_gl,
        PTX_W_cta,
        PTX_W_cluster,
        PTX_W_ca,
        PTX_W_cg,
        PTX_W_cs,
        PTX_W_lu,
        PTX_W_cv,
        PTX_W_wb,
        PTX_W_wt,
        PTX_W_nc,
        PTX_W_L1_evict_normal,
        PTX_W_L1_evict_unchanged,
        PTX_W_L1_evict_first,
        PTX_W_L1_evict_last,
        PTX_W_L1_no_allocate,
        PTX_W_L2_evict_first,
        PTX_W_L2_evict_last,
        PTX_W_L2_evict_normal,
        PTX_W_L2_cache_hint,
        PTX_W_L2_64B,
        PTX_W_L2_128B,
        PTX_W_L2_256B,
    };
    for (unsigned i = 0; i < sizeof strong / sizeof strong[0]; i++)
        if (decode_take(d, strong[i]))
            in->mods |= MOD_VOLATILE;
    decode_ignore(d, hints, sizeof hints / sizeof hints[0]);
}

static void take_space(struct decoder *d, struct inst *in)
{
    static const struct {
        uint16_t word, space;
    } spaces[] = {
        { PTX_W_global, PTX_GLOBAL },     { PTX_W_shared, PTX_SHARED },
        { PTX_W_shared_cta, PTX_SHARED }, { PTX_W_local, PTX_LOCAL },
        { PTX_W_const, PTX_CONST },       { PTX_W_param, PTX_PARAM },
        { PTX_W_param_entry, PTX_PARAM }, { PTX_W_param_func, PTX_PARAM },
    };
    in->space = PTX_GENERIC;
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (decode_take(d, (enum ptx_word)spaces[i].word))
            in->space = (uint8_t)spaces[i].space;
}

void decode_symbol(struct decoder *d, const struct ptx_symbol *s, struct inst *in)
{
    in->space = (uint8_t)s->space;
    in->imm = (int64_t)s->address;
    if (s->space == PTX_SHARED && s->is_extern) {
        in->target = 1;
        in->imm = 0;
    } else if (!s->placed) {
        decode_fail(d, "'%s' is not defined", s->name);
    } else if (s->space == PTX_LOCAL || (s->space == PTX_PARAM && !s->is_kernel_param)) {
        in->space = PTX_LOCAL;
        in->mods |= MOD_FRAME;
    }
}

static bool space_fits(enum ptx_space wanted, const struct ptx_symbol *s)
{
    return wanted == PTX_GENERIC || wanted == s->space ||
           (wanted == PTX_GLOBAL && s->space == PTX_CONST);
}

void decode_address(struct decoder *d, const struct ptx_operand *o, struct inst *in)
{
    if (o->kind != PTX_OPERAND_ADDRESS) {
        decode_fail(d, "an address in brackets is expected");
        return;
    }
    if (o->symbol) {
        if (!space_fits((enum ptx_space)in->space, o->symbol))
            decode_fail(d, "'%s' is not in this space", o->symbol->name);
        decode_symbol(d, o->symbol, in);
        in->imm += (int64_t)o->imm;
    } else {
        in->imm = (int64_t)o->imm;
        if (in->space == PTX_PARAM && !d->fn->is_entry)
            in->space = PTX_LOCAL;
    }
    in->a = INST_NONE;
    if (o->reg == PTX_NO_REG)
        return;
    unsigned size = ptx_type_size((enum ptx_type)d->types[o->reg]);
    if (size != 4 && size != 8)
        decode_fail(d, "an address needs a register of 32 or 64 bits");
    if (size == 4 && (in->space == PTX_GENERIC || in->space == PTX_GLOBAL))
        decode_fail(d, "this address needs a register of 64 bits");
    in->a = o->reg;
    in->mods |= size == 8 ? MOD_WIDE : 0;
}

static enum inst_class load_class(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return CLASS_LOAD_SHARED;
    case PTX_LOCAL:
        return CLASS_LOAD_LOCAL;
    case PTX_CONST:
    case PTX_PARAM:
        return CLASS_LOAD_CONST;
    default:
        return CLASS_LOAD_GLOBAL;
    }
}

static uint8_t take_count(struct decoder *d)
{
    return decode_take(d, PTX_W_v2)   ? 2
           : decode_take(d, PTX_W_v4) ? 4
           : decode_take(d, PTX_W_v8) ? 8
                                      : 1;
}

static void take_memory_type(struct decoder *d, struct inst *in)
{
    in->count = take_count(d);
    in->type = (uint8_t)decode_take_type(d);
    in->size = (uint8_t)ptx_type_size((enum ptx_type)in->type);
    if (in->size == 0 || in->size > 8 || in->size * in->count > 32)
        decode_fail(d, "this type cannot be in memory");
}

/* The element registers of a vector operand, or the one register. Their common size goes to type2.
 */
static void memory_registers(struct decoder *d, struct inst *in, const struct ptx_operand *o,
                             bool load)
{
    uint32_t refs[8] = { 0 };
    bool vector = o->kind == PTX_OPERAND_VECTOR;
    if ((vector ? o->elem_count : 1) != in->count) {
        decode_fail(d, "the vector has the wrong number of elements");
        return;
    }
    for (unsigned i = 0; i < in->count; i++) {
        const struct ptx_operand *e = vector ? &o->elems[i] : o;
        unsigned size;
        refs[i] = load ? decode_def_any(d, e, (enum ptx_type)in->type, &size)
                       : decode_use_any(d, e, (enum ptx_type)in->type, &size);
        if (size < in->size)
            decode_fail(d, "a register is narrower than the type");
        if (i && in->type2 != size && e->kind == PTX_OPERAND_REG)
            decode_fail(d, "the vector's registers differ in width");
        if (i == 0 || e->kind == PTX_OPERAND_REG)
            in->type2 = (uint8_t)size;
    }
    if (d->failed)
        return;
    in->list = decode_list(d, refs, in->count);
    *(load ? &in->list_defs : &in->list_uses) = in->count;
}

static void emit_memory(struct decoder *d, struct inst *in)
{
    in->slot = d->out->slot_count++;
    decode_emit(d, in);
}

void decode_ld(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_LOAD_GLOBAL);
    take_space(d, &in);
    take_hints(d, &in);
    take_memory_type(d, &in);
    if (!decode_expect_operands(d, 2, 3))
        return;
    decode_address(d, decode_operand(d, 1), &in);
    memory_registers(d, &in, decode_operand(d, 0), true);
    in.cls = (uint8_t)load_class((enum ptx_space)in.space);
    in.fn.warp = mem_load;
    if (in.space == PTX_PARAM && in.a == INST_NONE) {
        uint64_t bytes = (uint64_t)in.size * in.count;
        if ((uint64_t)in.imm + bytes > d->out->param_bytes || in.imm < 0)
            decode_fail(d, "an address behind the last parameter");
        in.fn.warp = mem_load_param;
    }
    emit_memory(d, &in);
}

void decode_st(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_STORE_GLOBAL);
    take_space(d, &in);
    take_hints(d, &in);
    take_memory_type(d, &in);
    if (!decode_expect_operands(d, 2, 3))
        return;
    decode_address(d, decode_operand(d, 0), &in);
    memory_registers(d, &in, decode_operand(d, 1), false);
    if (in.space == PTX_CONST || in.space == PTX_PARAM)
        decode_fail(d, "this space cannot be written");
    in.cls = in.space == PTX_SHARED  ? CLASS_STORE_SHARED
             : in.space == PTX_LOCAL ? CLASS_STORE_LOCAL
                                     : CLASS_STORE_GLOBAL;
    in.fn.warp = mem_store;
    emit_memory(d, &in);
}

static enum mem_atom_op take_atom_op(struct decoder *d)
{
    static const struct {
        uint16_t word, op;
    } table[] = {
        { PTX_W_add, MEM_ATOM_ADD },   { PTX_W_min, MEM_ATOM_MIN }, { PTX_W_max, MEM_ATOM_MAX },
        { PTX_W_and, MEM_ATOM_AND },   { PTX_W_or, MEM_ATOM_OR },   { PTX_W_xor, MEM_ATOM_XOR },
        { PTX_W_exch, MEM_ATOM_EXCH }, { PTX_W_cas, MEM_ATOM_CAS }, { PTX_W_inc, MEM_ATOM_INC },
        { PTX_W_dec, MEM_ATOM_DEC },
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (decode_take(d, (enum ptx_word)table[i].word))
            return (enum mem_atom_op)table[i].op;
    decode_fail(d, "an operation is expected");
    return MEM_ATOM_ADD;
}

static void check_atom(struct decoder *d, const struct inst *in)
{
    enum ptx_type type = (enum ptx_type)in->type;
    bool is_float = ptx_type_float(type);
    bool fits;
    switch (in->op) {
    case MEM_ATOM_ADD:
        fits = type != PTX_B32 && type != PTX_B64 && in->size >= 4;
        fits = fits || type == PTX_F16 || type == PTX_BF16;
        break;
    case MEM_ATOM_MIN:
    case MEM_ATOM_MAX:
        fits = type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64 ||
               type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
        break;
    case MEM_ATOM_INC:
    case MEM_ATOM_DEC:
        fits = type == PTX_U32;
        break;
    case MEM_ATOM_CAS:
    case MEM_ATOM_EXCH:
        fits = !is_float && in->size >= 2;
        break;
    default:
        fits = !is_float && in->size >= 4;
    }
    if (!fits)
        decode_fail(d, "this operation does not exist for this type");
}

void decode_atom(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_ATOMIC);
    bool red = d->src->op == PTX_W_red;
    take_space(d, &in);
    take_hints(d, &in);
    in.op = (uint8_t)take_atom_op(d);
    decode_take(d, PTX_W_noftz);
    take_memory_type(d, &in);
    check_atom(d, &in);
    unsigned first = red ? 0 : 1, n = first + 2 + (in.op == MEM_ATOM_CAS);
    if (in.count != 1 || !decode_expect_operands(d, n, n + 1)) {
        decode_fail(d, "vectors are not supported");
        return;
    }
    enum ptx_type type = (enum ptx_type)in.type;
    decode_address(d, decode_operand(d, first), &in);
    in.b = decode_use(d, decode_operand(d, first + 1), type);
    if (in.op == MEM_ATOM_CAS)
        in.c = decode_use(d, decode_operand(d, first + 2), type);
    if (!red)
        in.d = decode_def(d, decode_operand(d, 0), type);
    if (in.space == PTX_CONST || in.space == PTX_PARAM || in.space == PTX_LOCAL)
        decode_fail(d, "atomics need global or shared memory");
    in.fn.warp = mem_atom;
    emit_memory(d, &in);
}

/* Prefetches and cache policies change no result. Addresses out of bounds are no fault either. */
void decode_prefetch(struct decoder *d)
{
    struct inst in = decode_new(d, INST_NOP, CLASS_OTHER);
    d->mods_taken = UINT32_MAX;
    decode_emit(d, &in);
}

/* cp.async copies at once; waiting for it has nothing left to do. */
static void copy_wait(struct decoder *d)
{
    struct inst in = decode_new(d, INST_NOP, CLASS_OTHER);
    bool known = decode_take(d, PTX_W_commit_group) || decode_take(d, PTX_W_wait_all) ||
                 decode_take(d, PTX_W_wait_group);
    if (!known)
        decode_fail(d, "this form is not supported");
    decode_emit(d, &in);
}

void decode_cp(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_LOAD_GLOBAL);
    if (!decode_take(d, PTX_W_async) || decode_has(d, PTX_W_bulk)) {
        decode_fail(d, "only 'cp.async' is supported");
        return;
    }
    if (!decode_has(d, PTX_W_shared) && !decode_has(d, PTX_W_shared_cta)) {
        copy_wait(d);
        return;
    }
    take_hints(d, &in);
    if (!decode_take(d, PTX_W_shared))
        decode_take(d, PTX_W_shared_cta);
    decode_take(d, PTX_W_global);
    if (!decode_expect_operands(d, 3, 5))
        return;
    struct inst to = in;
    in.space = PTX_GLOBAL;
    to.space = PTX_SHARED;
    decode_address(d, decode_operand(d, 0), &to);
    decode_address(d, decode_operand(d, 1), &in);
    const struct ptx_operand *size = decode_operand(d, 2);
    if (size->kind != PTX_OPERAND_IMM || (size->imm != 4 && size->imm != 8 && size->imm != 16)) {
        decode_fail(d, "4, 8 or 16 bytes are expected");
        return;
    }
    in.size = (uint8_t)size->imm;
    in.count = 1;
    in.b = to.a;
    in.c = decode_const(d, (uint64_t)to.imm, 8);
    in.op =
        (uint8_t)((to.mods & MOD_WIDE ? MEM_COPY_WIDE : 0) | (to.target ? MEM_COPY_DYNAMIC : 0));
    if (d->src->operand_count >= 4) { /* bytes beyond src-size are zeros */
        unsigned bytes;
        in.e = decode_use_any(d, decode_operand(d, 3), PTX_B32, &bytes);
        if (bytes != 4)
            decode_fail(d, "the source size has 32 bits");
    }
    in.fn.warp = mem_copy_async;
    emit_memory(d, &in);
}
