/* Instructions that are one row of a table: opcode, variant and type give the operation. */
#include <stddef.h>

#include "vgpu/decode_impl.h"

/* Which operands have another type than the instruction. */
enum shape {
    ALL,   /* d, a, b, c alike */
    WIDE,  /* d and c are twice as wide */
    SHIFT, /* b is u32 */
    COUNT, /* d is u32 */
    FIELD, /* bfe: b, c are u32 */
    FILL,  /* bfi: c, e are u32 */
};

struct row {
    uint16_t word, variant; /* opcode; a modifier that must be there, or 0 */
    uint16_t op;
    uint8_t type, sources, shape, cls;
    uint16_t mods;  /* optional ones */
    uint8_t rounds; /* 1: a rounding may be given */
};

#define ROW(w, v, t, o, n, s, k, m, r)                                                             \
    { PTX_W_##w, PTX_W_##v, OP_##o, PTX_##t, n, s, CLASS_##k, m, r },

static const struct row rows[] = {
#include "vgpu/decode_rows.def"
};

static const struct row *find_row(const struct decoder *d, enum ptx_type type)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if (r->word == d->src->op && r->type == type &&
            (!r->variant || decode_has(d, (enum ptx_word)r->variant)))
            return r;
    }
    return NULL;
}

static enum ptx_type twice(enum ptx_type type)
{
    switch (type) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    default:
        return PTX_S64;
    }
}

static enum ptx_type operand_type(const struct row *r, unsigned index)
{
    enum ptx_type type = (enum ptx_type)r->type;
    switch (r->shape) {
    case WIDE:
        return index == 0 || index == 3 ? twice(type) : type;
    case SHIFT:
        return index == 2 ? PTX_U32 : type;
    case COUNT:
        return index == 0 ? PTX_U32 : type;
    case FIELD:
        return index >= 2 ? PTX_U32 : type;
    case FILL:
        return index >= 3 ? PTX_U32 : type;
    default:
        return type;
    }
}

static void simple_operands(struct decoder *d, const struct row *r, struct inst *in)
{
    uint32_t *const sources[] = { &in->a, &in->b, &in->c, &in->e };
    if (!decode_expect_operands(d, r->sources + 1u, r->sources + 1u))
        return;
    for (unsigned i = 0; i < r->sources; i++)
        *sources[i] = decode_use(d, decode_operand(d, i + 1), operand_type(r, i + 1));
    enum ptx_type to = operand_type(r, 0);
    in->d = decode_def(d, decode_operand(d, 0), to);
    in->size = (uint8_t)(ptx_type_size(to) == 8 ? 8 : 4);
}

bool decode_simple(struct decoder *d)
{
    uint32_t taken = d->mods_taken;
    enum ptx_type type = PTX_VOID;
    for (unsigned i = 0; i < d->src->mod_count && type == PTX_VOID; i++)
        type = ptx_type_of((enum ptx_word)d->src->mods[i]);
    const struct row *r = type == PTX_VOID ? NULL : find_row(d, type);
    if (!r) {
        d->mods_taken = taken;
        return false;
    }
    struct inst in = decode_new(d, INST_LANE, (enum inst_class)r->cls);
    if (r->variant)
        decode_take(d, (enum ptx_word)r->variant);
    if (r->variant == PTX_W_sat && (d->src->op == PTX_W_mad || d->src->op == PTX_W_mad24))
        decode_take(d, PTX_W_hi);
    decode_take_type(d);
    if (r->rounds)
        decode_take_round(d, &in.round);
    in.mods |= decode_take_mods(d, r->mods);
    if (in.round != ROUND_RN && in.cls == CLASS_HALF)
        decode_fail(d, "this type is rounded to nearest only");
    in.type = (uint8_t)type;
    simple_operands(d, r, &in);
    decode_emit_lane(d, &in, (enum op_id)r->op);
    return true;
}
