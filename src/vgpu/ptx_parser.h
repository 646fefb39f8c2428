/* Inside of the parser, shared by ptx_parse, ptx_var, ptx_body and ptx_operand only.
 *
 * Errors are sticky: ptx_fail() keeps the first message and turns the current token into the end of
 * the text, so every loop that asks for more tokens stops by itself. */
#ifndef VGPU_PTX_PARSER_H
#define VGPU_PTX_PARSER_H

#include "vgpu/ptx_ast.h"
#include "vgpu/ptx_lex.h"
#include "vgpu/ptx_table.h"

enum { PTX_CODE_INVALID = 218 };

struct ptx_parser {
    struct ptx_lex lex;
    struct ptx_token tok; /* current */
    struct ptx_module *module;
    struct ptx_table table;
    struct err *err;
    bool failed;
    uint32_t scope;          /* current; 0 is the module */
    uint32_t *scope_parents; /* by scope */
    size_t scope_count, scope_cap;
    struct ptx_function *fn; /* being parsed, or NULL */
    size_t instr_cap, reg_cap;
    struct ptx_symbol **last_symbol; /* tails of the lists */
    struct ptx_symbol **last_local;
    struct ptx_function **last_function;
    unsigned depth; /* of nested expressions and initialisers */
};

/* Records "line N: ..." and native code 218. */
void ptx_fail(struct ptx_parser *p, uint32_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ptx_fail_memory(struct ptx_parser *p);

void ptx_advance(struct ptx_parser *p);
bool ptx_is_punct(const struct ptx_parser *p, char c);
/* Takes the character if it is the current token. */
bool ptx_take(struct ptx_parser *p, char c);
/* The same, and its absence is an error. */
bool ptx_expect(struct ptx_parser *p, char c);
/* The word of the current token when it is `.word`, else PTX_W_NONE. */
enum ptx_word ptx_dot_word(const struct ptx_parser *p);
/* A pool copy of the current name, which is taken; NULL and an error when it is none. */
char *ptx_take_name(struct ptx_parser *p, const char *what);
/* Skips to just behind the next ';' or a balanced { }. */
void ptx_skip_statement(struct ptx_parser *p);
void ptx_skip_braces(struct ptx_parser *p);
/* Skips what stands on the current line (.loc and .file have no end mark). */
void ptx_skip_line(struct ptx_parser *p);

uint32_t ptx_new_scope(struct ptx_parser *p);
/* Looks in the current scope and those around it. */
struct ptx_entry *ptx_lookup(struct ptx_parser *p, const char *name, size_t size, uint32_t scope);
/* Adds a name to the current scope; a second one of the same name there is an error. */
struct ptx_entry *ptx_declare(struct ptx_parser *p, const char *name, enum ptx_entry_kind kind,
                              uint32_t line);

/* A whole constant expression: integers, bits of floats, + - * / % & | ^ ~ ! << >> ( ). */
bool ptx_constant(struct ptx_parser *p, uint64_t *value, uint8_t *imm_type);
bool ptx_constant_int(struct ptx_parser *p, uint64_t max, uint64_t *value);

/* One operand of an instruction; in calls '(' begins a list, elsewhere an expression. */
void ptx_operand(struct ptx_parser *p, struct ptx_operand *o, bool in_call);

/* `.reg` declarations; the current token follows `.reg`. `;` is taken. */
void ptx_declare_regs(struct ptx_parser *p);
uint32_t ptx_new_reg(struct ptx_parser *p, enum ptx_type type);
/* One or more variables after their space word; linkage was read before. `;` is taken. */
void ptx_declare_vars(struct ptx_parser *p, enum ptx_space space, bool is_extern);
/* A parameter list in parentheses. */
void ptx_params(struct ptx_parser *p, struct ptx_param **params, uint32_t *count);

/* The body after '{' of p->fn, up to and with its '}'. */
void ptx_body(struct ptx_parser *p);

#endif
