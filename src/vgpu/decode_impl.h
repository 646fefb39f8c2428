/* Inside of the decoder, shared by decode_*.c only. Errors are sticky as in the parser. */
#ifndef VGPU_DECODE_IMPL_H
#define VGPU_DECODE_IMPL_H

#include "vgpu/decode.h"

struct decoder {
    struct code *code;
    struct ptx_module *module;
    struct ptx_function *fn;     /* source */
    struct code_function *out;   /* result */
    const struct ptx_instr *src; /* being decoded */
    uint32_t mods_taken;         /* one bit a modifier of src */
    struct err *err;
    bool failed;
    size_t code_cap, list_cap, type_cap, const_cap, arg_cap;
    uint8_t *types; /* enum ptx_type by register, the source's first, then temporaries */
    uint32_t reg_count;
    uint32_t *const_slots; /* hash of constants: offset + 1 */
    uint32_t const_slot_count;
    uint32_t carry; /* the carry flag's register, PTX_NO_REG before it is used */
};

typedef void decode_fn(struct decoder *d);

void decode_fail(struct decoder *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void decode_fail_memory(struct decoder *d);

/* Modifiers: each must be taken by someone, else the instruction is refused. */
bool decode_has(const struct decoder *d, enum ptx_word word);
bool decode_take(struct decoder *d, enum ptx_word word);
/* Takes any number of the given words, which change nothing here. */
void decode_ignore(struct decoder *d, const enum ptx_word *words, unsigned count);
/* The first untaken type; an error when there is none. */
enum ptx_type decode_take_type(struct decoder *d);
bool decode_take_round(struct decoder *d, uint8_t *round);
/* .ftz .sat .NaN .relu ... as inst mods, from those in `allowed` (bits of enum inst_mods). */
uint16_t decode_take_mods(struct decoder *d, unsigned allowed);

/* The operand, or NULL and an error when the instruction has fewer. */
const struct ptx_operand *decode_operand(struct decoder *d, unsigned index);
bool decode_expect_operands(struct decoder *d, unsigned least, unsigned most);

/* References. A use may be a register, constant, special register or an address of a symbol; a
 * register must be as wide as the type (`any_width` lifts that: ld, st, cvt). */
uint32_t decode_use(struct decoder *d, const struct ptx_operand *o, enum ptx_type type);
uint32_t decode_use_any(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                        unsigned *size);
uint32_t decode_def(struct decoder *d, const struct ptx_operand *o, enum ptx_type type);
uint32_t decode_def_any(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                        unsigned *size);
/* A predicate or the constants 0 and 1; `negated` for !p. */
uint32_t decode_use_pred(struct decoder *d, const struct ptx_operand *o, bool *negated);
uint32_t decode_def_pred(struct decoder *d, const struct ptx_operand *o);
uint32_t decode_temp(struct decoder *d, enum ptx_type type);
uint32_t decode_const(struct decoder *d, uint64_t bits, unsigned size);

/* An instruction of `kind` with guard, line and opcode of the source and no operands. */
struct inst decode_new(struct decoder *d, enum inst_kind kind, enum inst_class cls);
void decode_emit(struct decoder *d, const struct inst *in);
void decode_emit_lane(struct decoder *d, struct inst *in, enum op_id op);
/* Appends to lists[] and returns the first index. */
uint32_t decode_list(struct decoder *d, const uint32_t *refs, unsigned count);

/* Where an address operand points: space (refined by a symbol), register and offset into `in`. */
void decode_address(struct decoder *d, const struct ptx_operand *o, struct inst *in);
/* A symbol's place as space, offset and, when that depends on the frame or the launch, MOD_FRAME or
 * `target`. */
void decode_symbol(struct decoder *d, const struct ptx_symbol *s, struct inst *in);

/* decode_simple.c: everything that a row of a table describes. False when no row fits. */
bool decode_simple(struct decoder *d);

decode_fn decode_mov, decode_cvt, decode_cvta, decode_setp, decode_set, decode_selp, decode_slct,
    decode_testp, decode_carry, decode_lop3, decode_prmt, decode_shf, decode_dot, decode_bfind,
    decode_isspacep;
decode_fn decode_logic_pred;
decode_fn decode_ld, decode_st, decode_atom, decode_prefetch, decode_cp;
decode_fn decode_bra, decode_brx, decode_call, decode_ret, decode_exit, decode_trap, decode_bar,
    decode_fence, decode_nanosleep, decode_nop;
decode_fn decode_shfl, decode_vote, decode_match, decode_activemask, decode_redux, decode_elect;
decode_fn decode_wmma, decode_mma, decode_ldmatrix, decode_movmatrix;

/* decode_flow.c: branch targets to instruction numbers, and where branches rejoin. */
void decode_link_branches(struct decoder *d, const uint32_t *first_inst);
/* decode_regs.c: registers to offsets in the warp's file. */
void decode_place_registers(struct decoder *d);

#endif
