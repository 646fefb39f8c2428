/* Decoded code: what the interpreter walks over. One struct inst an instruction (a few PTX
 * instructions become two); operands are offsets into the warp's register file or, with
 * INST_CONST set, into the function's constants, which are stored as 32 equal lanes. */
#ifndef VGPU_DECODE_H
#define VGPU_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/mem.h"
#include "vgpu/op.h"
#include "vgpu/ptx_ast.h"

#define INST_CONST UINT32_C(0x80000000)
#define INST_NONE  UINT32_C(0xffffffff)

enum inst_kind {
    INST_LANE, /* fn.lane: d from a, b, c, e */
    INST_CMP,  /* fn.cmp of a and b, combined with predicate c, to predicates d and e */
    INST_SET,  /* the same as a number in d */
    INST_PRED, /* logic on predicates: d from a and b */
    INST_WARP, /* fn.warp: memory, shuffles, special registers, ... */
    INST_BRA,
    INST_BRX,
    INST_CALL,
    INST_RET,
    INST_EXIT,
    INST_BAR,
    INST_WARPBAR, /* bar.warp.sync */
    INST_TRAP,
    INST_YIELD, /* nanosleep */
    INST_NOP,
};

/* What is counted: the classes of a timing model. */
enum inst_class {
    CLASS_OTHER, /* moves, predicates, special registers */
    CLASS_INT,
    CLASS_INT_MUL,
    CLASS_FP32,
    CLASS_FP64,
    CLASS_HALF,
    CLASS_SFU,
    CLASS_CONVERT,
    CLASS_TENSOR,
    CLASS_SHUFFLE,
    CLASS_LOAD_GLOBAL,
    CLASS_STORE_GLOBAL,
    CLASS_LOAD_SHARED,
    CLASS_STORE_SHARED,
    CLASS_LOAD_LOCAL,
    CLASS_STORE_LOCAL,
    CLASS_LOAD_CONST, /* constants and parameters */
    CLASS_ATOMIC,
    CLASS_BRANCH,
    CLASS_BARRIER,
    CLASS_HIDDEN, /* made by the decoder; no such PTX instruction, not counted */
    CLASS_COUNT
};

enum inst_round { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };

enum inst_mods {
    MOD_FTZ = 1 << 0,
    MOD_SAT = 1 << 1,
    MOD_NAN = 1 << 2,
    MOD_RELU = 1 << 3,
    MOD_XORSIGN = 1 << 4,
    MOD_ROUND_INT = 1 << 5, /* cvt to an integral value */
    MOD_GUARD_NOT = 1 << 6,
    MOD_C_NOT = 1 << 7,     /* !c where c is a predicate */
    MOD_B_NOT = 1 << 8,     /* the same for b */
    MOD_A_NOT = 1 << 9,     /* and a */
    MOD_WIDE = 1 << 10,     /* the address register has 64 bits */
    MOD_FRAME = 1 << 11,    /* the address is relative to the function's frame of local memory */
    MOD_VOLATILE = 1 << 12, /* others may look: atomic access */
    MOD_APPROX = 1 << 13,
    MOD_SYNC = 1 << 14,
    MOD_SATFINITE = 1 << 15,
};

struct warp;
struct inst;
/* 0, or the driver's code of a fault that has been recorded in the warp. */
typedef int inst_warp_fn(struct warp *w, const struct inst *in, uint32_t mask);

struct inst {
    union {
        op_lane_fn *lane;
        op_cmp_fn *cmp;
        inst_warp_fn *warp;
    } fn;
    int64_t imm; /* address offset, look-up table, selector ... */
    uint32_t d, a, b, c, e;
    uint32_t guard; /* predicate, INST_NONE when always */
    uint32_t list;  /* first of `list_defs + list_uses` references in lists[]; of brx: of targets */
    uint32_t target; /* of branches: instruction; of calls: function; of addresses: 1 when they are
                        relative to dynamic shared memory */
    uint32_t rejoin; /* of branches: where diverged lanes meet again, INST_NONE for never; of matrix
                        instructions: where their description stands in lists[] */
    uint32_t line;
    uint32_t slot; /* number among the function's memory instructions */
    uint16_t list_defs, list_uses;
    uint16_t mods;
    uint16_t word; /* opcode, for messages */
    uint8_t kind, cls;
    uint8_t type, type2; /* enum ptx_type: result and source */
    uint8_t size;        /* bytes of d's lanes, 0 for a predicate; of memory: bytes of an element */
    uint8_t count;       /* vector elements */
    uint8_t space;       /* enum ptx_space */
    uint8_t round;
    uint8_t op; /* a small number whose meaning depends on the kind and function */
    uint8_t e_is_def;
};

/* A kernel's parameter lies at `offset` of the buffer; a function's in a register, or when that is
 * INST_NONE at `offset` of its frame. */
struct code_param {
    uint32_t offset, size, align;
    uint32_t reg;
};

struct code_function {
    char *name;
    bool is_entry, has_body;
    struct inst *code;
    uint32_t count;
    uint32_t *lists;
    uint32_t list_count;
    struct code_param *args; /* of calls: what is passed, from where */
    uint32_t arg_count;
    uint8_t *consts;
    uint32_t const_bytes;
    uint32_t reg_bytes;   /* of a warp's register file for one frame */
    uint32_t frame_bytes; /* of local memory a thread, parameters of calls included */
    uint32_t local_bytes; /* the part that is .local */
    uint32_t slot_count;
    struct code_param *params, *returns;
    uint32_t param_count, return_count;
    uint32_t param_bytes;
    uint32_t shared_bytes; /* static; entries only */
    uint32_t regs_used;    /* 32-bit registers a thread that are alive at once, an estimate */
    uint32_t ptx_regs;     /* virtual registers as written */
    uint32_t max_threads;
    uint32_t required[3];
    uint32_t stack_bytes; /* of local memory with everything that is called; recursion excluded */
    bool recursive;
    uint32_t calls_depth;
};

struct code_var {
    char *name;
    uint64_t address, size;
    bool is_const;
};

struct code_options {
    unsigned capability; /* of the device: 35, 80 */
    bool keep_registers; /* a register each, as written: for tests of the register allocation */
    const char *isa;     /* see op_table(); NULL for the best */
};

struct code {
    struct mem_arena *arena;
    struct code_function *functions;
    uint32_t function_count;
    struct code_var *vars;
    uint32_t var_count;
    uint64_t *allocations; /* of the variables */
    uint32_t allocation_count;
    unsigned version_major, version_minor, target;
    char target_suffix;
    struct code_options options;
    const struct op_table *ops;
};

/* Compiles a parsed module for one device and places its variables in `arena`. On failure err has
 * the line and err->native the driver's code. `code` may be freed in both cases. */
int decode_module(struct code *code, struct ptx_module *module, struct mem_arena *arena,
                  const struct code_options *options, struct err *err);
void decode_free(struct code *code);

#endif
