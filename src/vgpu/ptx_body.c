#include <string.h>

#include "vgpu/ptx_parser.h"

/* An opcode with its modifiers. Unknown words are named in the message, as the driver does. */
static bool parse_opcode(struct ptx_parser *p, struct ptx_instr *in, struct ptx_token name)
{
    in->op = (uint16_t)ptx_word_find(name.text, name.size);
    if (!in->op) {
        ptx_fail(p, name.line, "unknown instruction '%.*s'", (int)name.size, name.text);
        return false;
    }
    for (; p->tok.kind == PTX_TOK_DOT; ptx_advance(p)) {
        enum ptx_word word = ptx_dot_word(p);
        if (!word) {
            ptx_fail(p, p->tok.line, "unknown modifier '.%.*s' of '%.*s'", (int)p->tok.size,
                     p->tok.text, (int)name.size, name.text);
            return false;
        }
        if (in->mod_count == PTX_MOD_CAP) {
            ptx_fail(p, p->tok.line, "'%.*s' has too many modifiers", (int)name.size, name.text);
            return false;
        }
        in->mods[in->mod_count++] = (uint16_t)word;
    }
    return !p->failed;
}

static void parse_operands(struct ptx_parser *p, struct ptx_instr *in)
{
    struct ptx_operand operands[PTX_OPERAND_CAP];
    unsigned count = 0;
    if (!ptx_is_punct(p, ';')) {
        do {
            if (count == PTX_OPERAND_CAP) {
                ptx_fail(p, p->tok.line, "'%s' has too many operands",
                         ptx_word_text((enum ptx_word)in->op));
                return;
            }
            ptx_operand(p, &operands[count++], in->op == PTX_W_call);
        } while (ptx_take(p, ','));
    }
    ptx_expect(p, ';');
    in->operand_count = (uint8_t)count;
    if (!count || p->failed)
        return;
    in->operands = ptx_pool_take(&p->module->pool, count, sizeof *operands);
    if (in->operands)
        memcpy(in->operands, operands, count * sizeof *operands);
    else
        ptx_fail_memory(p);
}

static void add_instr(struct ptx_parser *p, const struct ptx_instr *in)
{
    struct ptx_function *fn = p->fn;
    if (p->failed)
        return;
    if (fn->instr_count >= PTX_INSTR_CAP) {
        ptx_fail(p, in->line, "'%s' has more than %d instructions", fn->name, PTX_INSTR_CAP);
        return;
    }
    struct ptx_instr *instrs =
        ptx_pool_grow(&p->module->pool, fn->instrs, fn->instr_count, &p->instr_cap, sizeof *in);
    if (!instrs) {
        ptx_fail_memory(p);
        return;
    }
    fn->instrs = instrs;
    instrs[fn->instr_count++] = *in;
}

static void parse_guard(struct ptx_parser *p, struct ptx_instr *in)
{
    in->guard_negated = ptx_take(p, '!');
    struct ptx_operand o;
    uint32_t line = p->tok.line;
    ptx_operand(p, &o, false);
    if (p->failed)
        return;
    if (o.kind != PTX_OPERAND_REG || p->fn->reg_types[o.reg] != PTX_PRED)
        ptx_fail(p, line, "expected a predicate behind '@'");
    else
        in->guard = o.reg;
}

static void parse_instr(struct ptx_parser *p, struct ptx_instr *in, struct ptx_token name)
{
    in->line = name.line;
    in->scope = p->scope;
    if (parse_opcode(p, in, name))
        parse_operands(p, in);
    add_instr(p, in);
}

/* `.branchtargets a, b;` behind its label. */
static void parse_targets(struct ptx_parser *p, const char *label, uint32_t line)
{
    struct ptx_operand *o = ptx_pool_take(&p->module->pool, 1, sizeof *o);
    struct ptx_operand elems[PTX_LIST_CAP];
    unsigned count = 0;
    do {
        if (count == PTX_LIST_CAP) {
            ptx_fail(p, line, "more than %d branch targets", PTX_LIST_CAP);
            return;
        }
        ptx_operand(p, &elems[count++], false);
    } while (ptx_take(p, ','));
    ptx_expect(p, ';');
    if (!o || !(o->elems = ptx_pool_take(&p->module->pool, count, sizeof *elems))) {
        ptx_fail_memory(p);
        return;
    }
    memcpy(o->elems, elems, count * sizeof *elems);
    o->kind = PTX_OPERAND_TARGETS;
    o->elem_count = (uint16_t)count;
    struct ptx_entry *e = ptx_declare(p, label, PTX_ENTRY_TARGETS, line);
    if (e)
        e->object = o;
}

static void parse_label(struct ptx_parser *p, struct ptx_token name)
{
    char *text = ptx_pool_text(&p->module->pool, name.text, name.size);
    if (!text) {
        ptx_fail_memory(p);
        return;
    }
    ptx_advance(p); /* the colon */
    enum ptx_word word = ptx_dot_word(p);
    if (word == PTX_W_branchtargets) {
        ptx_advance(p);
        parse_targets(p, text, name.line);
    } else if (word == PTX_W_callprototype || word == PTX_W_calltargets) {
        ptx_skip_statement(p);
    } else {
        struct ptx_entry *e = ptx_declare(p, text, PTX_ENTRY_LABEL, name.line);
        if (e)
            e->value = p->fn->instr_count;
    }
}

static void parse_directive(struct ptx_parser *p)
{
    enum ptx_word word = ptx_dot_word(p);
    struct ptx_token t = p->tok;
    switch (word) {
    case PTX_W_reg:
        ptx_advance(p);
        ptx_declare_regs(p);
        break;
    case PTX_W_local:
        ptx_advance(p);
        ptx_declare_vars(p, PTX_LOCAL, false);
        break;
    case PTX_W_shared:
        ptx_advance(p);
        ptx_declare_vars(p, PTX_SHARED, false);
        break;
    case PTX_W_extern:
        ptx_advance(p);
        if (ptx_dot_word(p) != PTX_W_shared) {
            ptx_fail(p, t.line, "only shared memory may be '.extern' inside a function");
            break;
        }
        ptx_advance(p);
        ptx_declare_vars(p, PTX_SHARED, true);
        break;
    case PTX_W_param:
        ptx_advance(p);
        ptx_declare_vars(p, PTX_PARAM, false);
        break;
    case PTX_W_global:
        ptx_advance(p);
        ptx_declare_vars(p, PTX_GLOBAL, false);
        break;
    case PTX_W_const:
        ptx_advance(p);
        ptx_declare_vars(p, PTX_CONST, false);
        break;
    case PTX_W_pragma:
        ptx_skip_statement(p);
        break;
    case PTX_W_loc:
    case PTX_W_file:
        ptx_skip_line(p);
        break;
    default:
        ptx_fail(p, t.line, "unsupported directive '.%.*s' in a body", (int)t.size, t.text);
    }
}

static void parse_statement(struct ptx_parser *p)
{
    struct ptx_instr in = { .guard = PTX_NO_REG };
    struct ptx_token t = p->tok;
    if (t.kind == PTX_TOK_DOT) {
        parse_directive(p);
        return;
    }
    bool guarded = ptx_take(p, '@');
    if (guarded) {
        parse_guard(p, &in);
        t = p->tok;
    }
    if (t.kind != PTX_TOK_NAME) {
        ptx_fail(p, t.line, "expected an instruction before '%.*s'", (int)t.size, t.text);
        return;
    }
    ptx_advance(p);
    if (!guarded && ptx_is_punct(p, ':'))
        parse_label(p, t);
    else
        parse_instr(p, &in, t);
}

static void resolve_target(struct ptx_parser *p, struct ptx_operand *o, const struct ptx_instr *in)
{
    if (o->kind == PTX_OPERAND_LABEL)
        return;
    struct ptx_entry *e =
        o->kind == PTX_OPERAND_NAME ? ptx_lookup(p, o->name, strlen(o->name), in->scope) : NULL;
    if (!e || e->kind != PTX_ENTRY_LABEL) {
        ptx_fail(p, in->line, "a branch target is not a label");
        return;
    }
    o->kind = PTX_OPERAND_LABEL;
    o->imm = e->value;
}

static void resolve_label(struct ptx_parser *p, struct ptx_operand *o, const struct ptx_instr *in)
{
    if (o->kind != PTX_OPERAND_NAME)
        return;
    struct ptx_entry *e = ptx_lookup(p, o->name, strlen(o->name), in->scope);
    if (e && e->kind == PTX_ENTRY_LABEL) {
        o->kind = PTX_OPERAND_LABEL;
        o->imm = e->value;
    } else if (e && e->kind == PTX_ENTRY_TARGETS) {
        *o = *(struct ptx_operand *)e->object;
        for (unsigned i = 0; i < o->elem_count; i++)
            resolve_target(p, &o->elems[i], in);
    } else if (in->op != PTX_W_call) {
        ptx_fail(p, in->line, "unknown symbol '%s'", o->name);
    }
}

static void resolve_labels(struct ptx_parser *p)
{
    for (uint32_t i = 0; i < p->fn->instr_count && !p->failed; i++) {
        const struct ptx_instr *in = &p->fn->instrs[i];
        for (unsigned k = 0; k < in->operand_count && !p->failed; k++)
            resolve_label(p, &in->operands[k], in);
    }
}

void ptx_body(struct ptx_parser *p)
{
    unsigned depth = 1;
    while (depth && p->tok.kind != PTX_TOK_END) {
        if (ptx_take(p, '{')) {
            if (++depth > PTX_SCOPE_CAP) {
                ptx_fail(p, p->tok.line, "more than %d nested blocks", PTX_SCOPE_CAP);
                return;
            }
            p->scope = ptx_new_scope(p);
        } else if (ptx_take(p, '}')) {
            depth--;
            p->scope = p->scope_parents[p->scope];
        } else if (!ptx_take(p, ';')) {
            parse_statement(p);
        }
    }
    if (depth && !p->failed)
        ptx_fail(p, p->tok.line, "'%s' has no '}'", p->fn->name);
    resolve_labels(p);
}
