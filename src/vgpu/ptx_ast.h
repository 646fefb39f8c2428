/* What a parse of PTX text gives: functions with their instructions as written, every name resolved
 * to a register, a symbol, a special register or left as a label. Meaning is the decoder's. */
#ifndef VGPU_PTX_AST_H
#define VGPU_PTX_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "vgpu/ptx_pool.h"
#include "vgpu/ptx_word.h"

#define PTX_NO_REG UINT32_MAX

/* Bounds on one module; text above them is refused with ERR_LIMIT. */
enum {
    PTX_TEXT_CAP = 32 << 20,
    PTX_POOL_CAP = 1 << 30,
    PTX_INSTR_CAP = 1 << 20, /* in one function */
    PTX_REG_CAP = 1 << 18,   /* used ones, in one function */
    PTX_LIST_CAP = 256,      /* operands in one list */
    PTX_SCOPE_CAP = 64,      /* nested { } */
    PTX_MOD_CAP = 16,
    PTX_OPERAND_CAP = 12,
    PTX_PARAM_CAP = 4352, /* bytes of kernel parameters: 4 KiB, 32764 from sm_70 and ISA 8.1 on */
};

enum ptx_type {
    PTX_VOID,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_TF32,
    PTX_F32,
    PTX_F64,
    PTX_U16X2,
    PTX_S16X2,
    PTX_E4M3X2,
    PTX_E5M2X2,
    PTX_B1, /* sub-byte types exist only inside matrix instructions */
    PTX_U4,
    PTX_S4,
};

/* The type that a modifier names, PTX_VOID when it names none. */
enum ptx_type ptx_type_of(enum ptx_word word);
/* Bytes in memory; 0 for PTX_PRED, PTX_VOID and sub-byte types. */
unsigned ptx_type_size(enum ptx_type type);
bool ptx_type_signed(enum ptx_type type);
bool ptx_type_float(enum ptx_type type);

enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_CONST,
    PTX_LOCAL,
    PTX_PARAM,
};

struct ptx_reloc {
    uint64_t at; /* byte in the initialiser where a 64-bit address goes */
    const struct ptx_symbol *symbol;
    int64_t addend;
    struct ptx_reloc *next;
};

/* A variable, in module scope when `function` is NULL. */
struct ptx_symbol {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align;
    uint64_t size; /* bytes; 0 for an unsized extern array */
    bool is_extern;
    bool is_kernel_param;
    bool placed; /* `address` is valid */
    uint64_t
        address; /* set by whoever lays out memory: an offset in its space or a device address */
    const uint8_t *init; /* `size` bytes, or NULL for zeros */
    struct ptx_reloc *relocs;
    struct ptx_function *function;
    struct ptx_symbol *next; /* in the owner's list, in order of declaration */
    uint32_t line;
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REG,     /* reg, negated for !p */
    PTX_OPERAND_IMM,     /* imm, imm_type */
    PTX_OPERAND_SREG,    /* sreg and component 0..3 for x y z w */
    PTX_OPERAND_SYMBOL,  /* symbol + imm: its address */
    PTX_OPERAND_ADDRESS, /* [reg + imm], [symbol + imm] or [imm] */
    PTX_OPERAND_VECTOR,  /* {elems} */
    PTX_OPERAND_LIST,    /* (elems), in calls */
    PTX_OPERAND_PAIR,    /* a|b */
    PTX_OPERAND_LABEL,   /* imm: index of the instruction */
    PTX_OPERAND_TARGETS, /* the table of a brx: elems are labels */
    PTX_OPERAND_FUNCTION,
    PTX_OPERAND_NAME, /* nothing known: an error wherever it is used */
    PTX_OPERAND_SINK, /* _ */
};

enum ptx_imm_type { PTX_IMM_INT, PTX_IMM_F32, PTX_IMM_F64 };

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;
    uint8_t imm_type;
    uint8_t component;
    uint16_t elem_count;
    uint16_t sreg; /* enum ptx_word */
    uint32_t reg;  /* PTX_NO_REG in an address without one */
    uint64_t imm;
    struct ptx_symbol *symbol;
    struct ptx_function *function;
    struct ptx_operand *elems;
    const char *name;
};

struct ptx_instr {
    uint16_t op; /* enum ptx_word */
    uint16_t mods[PTX_MOD_CAP];
    uint8_t mod_count;
    uint8_t operand_count;
    bool guard_negated;
    uint32_t guard; /* predicate register or PTX_NO_REG */
    uint32_t line;
    uint32_t scope;
    struct ptx_operand *operands;
};

/* A parameter is a variable in .param space, or in old code a register. */
struct ptx_param {
    struct ptx_symbol *symbol;
    uint32_t reg;
    uint32_t line;
};

struct ptx_function {
    const char *name;
    bool is_entry;
    bool has_body;
    struct ptx_param *params;
    struct ptx_param *returns;
    uint32_t param_count;
    uint32_t return_count;
    uint32_t param_bytes; /* of an entry: size of the buffer */
    uint32_t max_threads; /* .maxntid or .reqntid: product, 0 when not given */
    uint32_t required[3]; /* .reqntid, zeros when not given */
    struct ptx_instr *instrs;
    uint32_t instr_count;
    uint8_t *reg_types; /* enum ptx_type by register */
    uint32_t reg_count;
    struct ptx_symbol *symbols;
    struct ptx_function *next;
    uint32_t index;
    uint32_t line;
    void *decoded; /* the decoder's */
};

struct ptx_module {
    struct ptx_pool pool;
    unsigned version_major, version_minor;
    unsigned target;    /* 80 for sm_80 and sm_80a */
    char target_suffix; /* 'a', 'f' or 0 */
    unsigned address_bits;
    struct ptx_symbol *symbols; /* module scope */
    struct ptx_function *functions;
    uint32_t function_count;
};

/* Parses `size` bytes of text (it ends earlier at a NUL). On failure `err` has the line, and
 * err->native is the driver's code (218 invalid PTX). Free in both cases. */
int ptx_parse(struct ptx_module *module, const char *text, size_t size, struct err *err);
void ptx_free(struct ptx_module *module);

/* .version and .target alone, for the rules that decide before anything is compiled: 0 or -1. */
int ptx_peek_header(const char *text, size_t size, struct ptx_module *header, struct err *err);

#endif
