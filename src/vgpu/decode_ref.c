#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"

enum { CODE_INVALID = 218, CONST_CAP = 64 << 20 };

void decode_fail(struct decoder *d, const char *fmt, ...)
{
    if (!d->failed) {
        char text[256];
        va_list args;
        va_start(args, fmt);
        vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        err_set(d->err, ERR_FORMAT, "line %u: '%s': %s", d->src ? d->src->line : d->fn->line,
                d->src ? ptx_word_text((enum ptx_word)d->src->op) : d->fn->name, text);
        if (d->err)
            d->err->native = CODE_INVALID;
    }
    d->failed = true;
}

void decode_fail_memory(struct decoder *d)
{
    decode_fail(d, "the module needs more memory than there is");
}

bool decode_has(const struct decoder *d, enum ptx_word word)
{
    for (unsigned i = 0; i < d->src->mod_count; i++)
        if (d->src->mods[i] == word)
            return true;
    return false;
}

bool decode_take(struct decoder *d, enum ptx_word word)
{
    for (unsigned i = 0; i < d->src->mod_count; i++) {
        if (d->src->mods[i] == word && !(d->mods_taken >> i & 1)) {
            d->mods_taken |= UINT32_C(1) << i;
            return true;
        }
    }
    return false;
}

void decode_ignore(struct decoder *d, const enum ptx_word *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        decode_take(d, words[i]);
}

enum ptx_type decode_take_type(struct decoder *d)
{
    for (unsigned i = 0; i < d->src->mod_count; i++) {
        enum ptx_type type = ptx_type_of((enum ptx_word)d->src->mods[i]);
        if (type != PTX_VOID && !(d->mods_taken >> i & 1)) {
            d->mods_taken |= UINT32_C(1) << i;
            return type;
        }
    }
    decode_fail(d, "a type is missing");
    return PTX_B32;
}

bool decode_take_round(struct decoder *d, uint8_t *round)
{
    static const enum ptx_word words[] = { PTX_W_rn, PTX_W_rz, PTX_W_rm, PTX_W_rp };
    *round = ROUND_RN;
    for (unsigned i = 0; i < 4; i++) {
        if (decode_take(d, words[i])) {
            *round = (uint8_t)i;
            return true;
        }
    }
    return false;
}

uint16_t decode_take_mods(struct decoder *d, unsigned allowed)
{
    static const struct {
        uint16_t word, bit;
    } table[] = {
        { PTX_W_ftz, MOD_FTZ },
        { PTX_W_sat, MOD_SAT },
        { PTX_W_NaN, MOD_NAN },
        { PTX_W_relu, MOD_RELU },
        { PTX_W_approx, MOD_APPROX },
        { PTX_W_xorsign, MOD_XORSIGN },
        { PTX_W_satfinite, MOD_SATFINITE },
    };
    unsigned mods = 0;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if ((allowed & table[i].bit) && decode_take(d, (enum ptx_word)table[i].word))
            mods |= table[i].bit;
    if (mods & MOD_XORSIGN && !decode_take(d, PTX_W_abs))
        decode_fail(d, "'.xorsign' needs '.abs'");
    return (uint16_t)mods;
}

bool decode_expect_operands(struct decoder *d, unsigned least, unsigned most)
{
    unsigned n = d->src->operand_count;
    if (n >= least && n <= most)
        return true;
    decode_fail(d, "%u operands where %u are expected", n, n < least ? least : most);
    return false;
}

const struct ptx_operand *decode_operand(struct decoder *d, unsigned index)
{
    static const struct ptx_operand none = { .kind = PTX_OPERAND_NONE };
    if (index < d->src->operand_count)
        return &d->src->operands[index];
    decode_fail(d, "an operand is missing");
    return &none;
}

static unsigned lane_bytes(enum ptx_type type)
{
    return type == PTX_PRED ? 0 : ptx_type_size(type) == 8 ? 8 : 4;
}

uint32_t decode_temp(struct decoder *d, enum ptx_type type)
{
    if (d->reg_count == d->type_cap) {
        size_t cap = d->type_cap ? d->type_cap * 2 : 64;
        uint8_t *types = realloc(d->types, cap);
        if (!types) {
            decode_fail_memory(d);
            return 0;
        }
        d->types = types;
        d->type_cap = cap;
    }
    d->types[d->reg_count] = (uint8_t)type;
    return d->reg_count++;
}

/* ---- constants: one copy of each value and width, as 32 lanes (a predicate: as a mask) ---------
 */

static bool grow_const_slots(struct decoder *d)
{
    uint32_t count = d->const_slot_count ? d->const_slot_count * 2 : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < d->const_slot_count; i++) {
        uint32_t v = d->const_slots[i];
        if (!v)
            continue;
        uint64_t bits;
        memcpy(&bits, d->out->consts + (v >> 4 << 6), 8);
        uint32_t at = (uint32_t)((bits * 0x9e3779b97f4a7c15u) >> 40) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = v;
    }
    free(d->const_slots);
    d->const_slots = slots;
    d->const_slot_count = count;
    return true;
}

static bool reserve_consts(struct decoder *d, size_t bytes)
{
    if (d->out->const_bytes + bytes <= d->const_cap)
        return true;
    size_t cap = d->const_cap ? d->const_cap * 2 : 4096;
    if (cap > CONST_CAP)
        return false;
    uint8_t *consts = aligned_alloc(64, cap);
    if (!consts)
        return false;
    if (d->out->const_bytes)
        memcpy(consts, d->out->consts, d->out->const_bytes);
    free(d->out->consts);
    d->out->consts = consts;
    d->const_cap = cap;
    return true;
}

/* Slot entries: offset / 64 << 4 | size, plus one; a constant is at least 64 bytes long. */
static uint32_t add_const(struct decoder *d, uint64_t bits, unsigned size)
{
    unsigned bytes = size == 0 ? 64 : size * OP_LANES;
    if (!reserve_consts(d, bytes))
        return INST_NONE;
    uint32_t at = d->out->const_bytes;
    uint8_t *p = d->out->consts + at;
    unsigned step = size == 8 ? 8 : 4;
    for (unsigned i = 0; i < bytes; i += step)
        memcpy(p + i, &bits, step);
    d->out->const_bytes += bytes;
    return at;
}

uint32_t decode_const(struct decoder *d, uint64_t bits, unsigned size)
{
    if (size != 8)
        bits = (uint32_t)bits | bits << 32; /* what the first 8 bytes of the lanes hold */
    uint32_t tag = size + 1;
    if (d->out->const_bytes / 64 >= d->const_slot_count && !grow_const_slots(d)) {
        decode_fail_memory(d);
        return INST_CONST;
    }
    uint32_t mask = d->const_slot_count - 1;
    uint32_t at = (uint32_t)((bits * 0x9e3779b97f4a7c15u) >> 40) & mask;
    for (; d->const_slots[at]; at = (at + 1) & mask) {
        uint32_t v = d->const_slots[at];
        uint32_t offset = v >> 4 << 6;
        if ((v & 15) == tag && memcmp(d->out->consts + offset, &bits, 8) == 0)
            return offset | INST_CONST;
    }
    uint32_t offset = add_const(d, bits, size);
    if (offset == INST_NONE) {
        decode_fail_memory(d);
        return INST_CONST;
    }
    d->const_slots[at] = offset >> 6 << 4 | tag;
    return offset | INST_CONST;
}

/* Floating-point constants may be written in either width; bit types take the bits. */
static bool constant_bits(const struct ptx_operand *o, enum ptx_type type, uint64_t *bits)
{
    unsigned size = ptx_type_size(type);
    bool is_float = type == PTX_F32 || type == PTX_F64;
    *bits = o->imm;
    if (o->imm_type == PTX_IMM_INT)
        return !is_float && size > 0;
    if (!is_float)
        return (type == PTX_B32 && o->imm_type == PTX_IMM_F32) ||
               (type == PTX_B64 && o->imm_type == PTX_IMM_F64);
    float narrow;
    double wide;
    memcpy(&narrow, bits, 4);
    memcpy(&wide, bits, 8);
    if (o->imm_type == PTX_IMM_F64 && size == 4) {
        narrow = (float)wide;
        *bits = 0;
        memcpy(bits, &narrow, 4);
    } else if (o->imm_type == PTX_IMM_F32 && size == 8) {
        wide = narrow;
        memcpy(bits, &wide, 8);
    }
    return true;
}

static uint32_t immediate(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    uint64_t bits;
    unsigned size = ptx_type_size(type);
    if (!constant_bits(o, type, &bits))
        decode_fail(d, "a constant of the wrong kind");
    if (size < 8)
        bits &= (UINT64_C(1) << 8 * size) - 1;
    return decode_const(d, bits, lane_bytes(type));
}

/* Special registers and addresses that are known only at run time go through a temporary. */
static uint32_t special(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    unsigned size = ptx_type_size(type);
    struct inst in = decode_new(d, INST_WARP, CLASS_HIDDEN);
    in.guard = INST_NONE;
    in.mods &= (uint16_t)~MOD_GUARD_NOT;
    in.fn.warp = exec_read_special;
    in.imm = o->sreg;
    in.op = o->component;
    in.size = (uint8_t)lane_bytes(type);
    in.d = decode_temp(d, size == 8 ? PTX_B64 : PTX_B32);
    if (!exec_special_known((enum ptx_word)o->sreg))
        decode_fail(d, "unknown register '%%%s'", ptx_word_text((enum ptx_word)o->sreg));
    decode_emit(d, &in);
    return in.d;
}

static uint32_t symbol_address(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_HIDDEN);
    in.guard = INST_NONE;
    in.mods &= (uint16_t)~MOD_GUARD_NOT;
    decode_symbol(d, o->symbol, &in);
    in.imm += (int64_t)o->imm;
    if (ptx_type_size(type) < 4) {
        decode_fail(d, "an address does not fit in the type");
        return INST_CONST;
    }
    if (!(in.mods & MOD_FRAME) && !in.target)
        return decode_const(d, (uint64_t)in.imm, lane_bytes(type));
    in.fn.warp = exec_read_address;
    in.size = (uint8_t)lane_bytes(type);
    in.d = decode_temp(d, in.size == 8 ? PTX_B64 : PTX_B32);
    decode_emit(d, &in);
    return in.d;
}

static bool width_fits(enum ptx_type reg, enum ptx_type type)
{
    return (reg == PTX_PRED) == (type == PTX_PRED) && ptx_type_size(reg) == ptx_type_size(type);
}

uint32_t decode_use_any(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                        unsigned *size)
{
    *size = ptx_type_size(type);
    if (o->kind == PTX_OPERAND_REG && !o->negated) {
        if (d->types[o->reg] == PTX_PRED)
            decode_fail(d, "a predicate where a value is expected");
        *size = ptx_type_size((enum ptx_type)d->types[o->reg]);
        return o->reg;
    }
    return decode_use(d, o, type);
}

uint32_t decode_use(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    switch (o->kind) {
    case PTX_OPERAND_REG:
        if (o->negated || !width_fits((enum ptx_type)d->types[o->reg], type))
            decode_fail(d, "a register does not have the width of the type");
        return o->reg;
    case PTX_OPERAND_IMM:
        return immediate(d, o, type);
    case PTX_OPERAND_SREG:
        return special(d, o, type);
    case PTX_OPERAND_SYMBOL:
        return symbol_address(d, o, type);
    default:
        decode_fail(d, "an operand of the wrong kind");
        return INST_CONST;
    }
}

uint32_t decode_def_any(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                        unsigned *size)
{
    *size = ptx_type_size(type);
    if (o->kind == PTX_OPERAND_SINK)
        return decode_temp(d, type);
    if (o->kind != PTX_OPERAND_REG || o->negated || d->types[o->reg] == PTX_PRED) {
        decode_fail(d, "the result must be a register");
        return decode_temp(d, type);
    }
    *size = ptx_type_size((enum ptx_type)d->types[o->reg]);
    return o->reg;
}

uint32_t decode_def(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    unsigned size;
    uint32_t ref = decode_def_any(d, o, type, &size);
    if (size != ptx_type_size(type))
        decode_fail(d, "the result's register does not have the width of the type");
    return ref;
}

uint32_t decode_use_pred(struct decoder *d, const struct ptx_operand *o, bool *negated)
{
    *negated = o->kind == PTX_OPERAND_REG && o->negated;
    if (o->kind == PTX_OPERAND_IMM && o->imm_type == PTX_IMM_INT)
        return decode_const(d, o->imm ? UINT32_MAX : 0, 0);
    if (o->kind != PTX_OPERAND_REG || d->types[o->reg] != PTX_PRED) {
        decode_fail(d, "a predicate is expected");
        return decode_temp(d, PTX_PRED);
    }
    return o->reg;
}

uint32_t decode_def_pred(struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_SINK)
        return decode_temp(d, PTX_PRED);
    if (o->kind != PTX_OPERAND_REG || o->negated || d->types[o->reg] != PTX_PRED) {
        decode_fail(d, "the result must be a predicate");
        return decode_temp(d, PTX_PRED);
    }
    return o->reg;
}

/* ---- emission ---------------------------------------------------------------------------------
 */

struct inst decode_new(struct decoder *d, enum inst_kind kind, enum inst_class cls)
{
    struct inst in = { .kind = (uint8_t)kind,
                       .cls = (uint8_t)cls,
                       .d = INST_NONE,
                       .a = INST_NONE,
                       .b = INST_NONE,
                       .c = INST_NONE,
                       .e = INST_NONE,
                       .guard = INST_NONE,
                       .rejoin = INST_NONE,
                       .line = d->src->line,
                       .word = d->src->op };
    if (d->src->guard != PTX_NO_REG) {
        in.guard = d->src->guard;
        if (d->src->guard_negated)
            in.mods |= MOD_GUARD_NOT;
    }
    return in;
}

static void *grow(void *array, size_t count, size_t more, size_t *cap, size_t size)
{
    if (count + more <= *cap)
        return array;
    size_t wanted = *cap ? *cap * 2 : 8; /* a module may have a million small functions */
    while (wanted < count + more)
        wanted *= 2;
    void *p = realloc(array, wanted * size);
    if (p)
        *cap = wanted;
    return p;
}

void decode_emit(struct decoder *d, const struct inst *in)
{
    struct inst *code = grow(d->out->code, d->out->count, 1, &d->code_cap, sizeof *code);
    if (!code) {
        decode_fail_memory(d);
        return;
    }
    d->out->code = code;
    code[d->out->count++] = *in;
}

void decode_emit_lane(struct decoder *d, struct inst *in, enum op_id op)
{
    in->fn.lane = d->code->ops->lane[op];
    decode_emit(d, in);
}

uint32_t decode_list(struct decoder *d, const uint32_t *refs, unsigned count)
{
    if (!count)
        return 0;
    uint32_t *lists = grow(d->out->lists, d->out->list_count, count, &d->list_cap, sizeof *lists);
    if (!lists) {
        decode_fail_memory(d);
        return 0;
    }
    d->out->lists = lists;
    memcpy(lists + d->out->list_count, refs, count * sizeof *refs);
    d->out->list_count += count;
    return d->out->list_count - count;
}
