#include <string.h>

#include "vgpu/ptx_parser.h"

enum { EXPR_DEPTH_CAP = 32 };

struct expr {
    uint64_t value;
    uint8_t type; /* enum ptx_imm_type; floats stand alone */
};

static struct expr parse_binary(struct ptx_parser *p, unsigned level);

static struct expr negate_float(struct expr e)
{
    e.value ^= e.type == PTX_IMM_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    return e;
}

static struct expr parse_unary(struct ptx_parser *p)
{
    struct expr e = { 0 };
    if (++p->depth > EXPR_DEPTH_CAP) {
        ptx_fail(p, p->tok.line, "an expression is nested too deeply");
        return e;
    }
    struct ptx_token t = p->tok;
    char c = t.kind == PTX_TOK_PUNCT ? (char)t.value : 0;
    if (c == '-' || c == '+' || c == '~' || c == '!') {
        ptx_advance(p);
        e = parse_unary(p);
        if (e.type != PTX_IMM_INT)
            e = c == '-' ? negate_float(e) : e;
        else
            e.value = c == '-' ? 0 - e.value : c == '~' ? ~e.value : c == '!' ? !e.value : e.value;
    } else if (c == '(') {
        ptx_advance(p);
        if (ptx_dot_word(p) == PTX_W_s64 || ptx_dot_word(p) == PTX_W_u64) {
            ptx_advance(p);
            ptx_expect(p, ')');
            e = parse_unary(p);
        } else {
            e = parse_binary(p, 0);
            ptx_expect(p, ')');
        }
    } else if (t.kind == PTX_TOK_INT || t.kind == PTX_TOK_F32 || t.kind == PTX_TOK_F64) {
        e.value = t.value;
        e.type = t.kind == PTX_TOK_INT   ? PTX_IMM_INT
                 : t.kind == PTX_TOK_F32 ? PTX_IMM_F32
                                         : PTX_IMM_F64;
        ptx_advance(p);
    } else if (t.kind == PTX_TOK_NAME && ptx_word_find(t.text, t.size) == PTX_W_WARP_SZ) {
        e.value = 32;
        ptx_advance(p);
    } else {
        ptx_fail(p, t.line, "expected a number before '%.*s'", (int)t.size, t.text);
    }
    p->depth--;
    return e;
}

/* Levels from loose to tight: | ^ & << >> + - * / %. */
static bool take_operator(struct ptx_parser *p, unsigned level, char *op)
{
    static const char *const ops[] = { "|", "^", "&", "<>", "+-", "*/%" };
    char c = p->tok.kind == PTX_TOK_PUNCT ? (char)p->tok.value : 0;
    if (!c || !strchr(ops[level], c))
        return false;
    /* "a|b" joins two registers as well, but never two numbers: the caller has seen a number */
    *op = c;
    ptx_advance(p);
    if (c == '<' || c == '>')
        ptx_expect(p, c);
    return true;
}

static uint64_t apply(struct ptx_parser *p, char op, uint64_t a, uint64_t b)
{
    switch (op) {
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '<':
        return b < 64 ? a << b : 0;
    case '>':
        return b < 64 ? (uint64_t)((int64_t)a >> b) : 0;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        if (!b || ((int64_t)a == INT64_MIN && (int64_t)b == -1)) {
            ptx_fail(p, p->tok.line, "a constant division overflows");
            return 0;
        }
        return (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    }
}

static struct expr parse_binary(struct ptx_parser *p, unsigned level)
{
    if (level == 6)
        return parse_unary(p);
    struct expr e = parse_binary(p, level + 1);
    for (char op; !p->failed && take_operator(p, level, &op);) {
        struct expr right = parse_binary(p, level + 1);
        if (e.type != PTX_IMM_INT || right.type != PTX_IMM_INT)
            ptx_fail(p, p->tok.line, "arithmetic on a floating-point constant");
        e.value = apply(p, op, e.value, right.value);
    }
    return e;
}

bool ptx_constant(struct ptx_parser *p, uint64_t *value, uint8_t *imm_type)
{
    struct expr e = parse_binary(p, 0);
    *value = e.value;
    *imm_type = e.type;
    return !p->failed;
}

bool ptx_constant_int(struct ptx_parser *p, uint64_t max, uint64_t *value)
{
    uint8_t type = PTX_IMM_INT;
    uint32_t line = p->tok.line;
    /* no operators: "%r<39>" would read on into '>' */
    struct expr e = parse_unary(p);
    *value = e.value;
    type = e.type;
    if (!p->failed && (type != PTX_IMM_INT || *value > max)) {
        ptx_fail(p, line, "a number is out of range");
        *value = 0;
    }
    return !p->failed;
}

/* %r38 of `%r<39>`: registers come into being where they are first used, so that a declaration of
 * a billion of them costs nothing. */
static struct ptx_entry *range_register(struct ptx_parser *p, const char *name, size_t size,
                                        uint32_t scope)
{
    size_t digits = 0;
    while (digits < size && name[size - digits - 1] >= '0' && name[size - digits - 1] <= '9')
        digits++;
    uint64_t number = 0;
    for (size_t i = size - digits; i < size && number <= UINT32_MAX; i++)
        number = number * 10 + (uint64_t)(name[i] - '0');
    if (!digits || (digits > 1 && name[size - digits] == '0'))
        return NULL;
    struct ptx_entry *range = ptx_table_find(&p->table, name, size - digits, scope, true);
    if (!range || number >= range->value || !p->fn)
        return NULL;
    uint8_t type = range->type;
    uint32_t reg = ptx_new_reg(p, (enum ptx_type)type);
    struct ptx_entry *e = ptx_table_add(&p->table, name, size, scope, PTX_ENTRY_REG);
    if (!e) {
        ptx_fail_memory(p);
        return NULL;
    }
    e->value = reg;
    e->type = type;
    return e;
}

static struct ptx_entry *find_name(struct ptx_parser *p, const char *name, size_t size)
{
    for (uint32_t scope = p->scope;; scope = p->scope_parents[scope]) {
        struct ptx_entry *e = ptx_table_find(&p->table, name, size, scope, false);
        if (!e)
            e = range_register(p, name, size, scope);
        if (e || scope == 0 || p->failed)
            return e;
    }
}

static void parse_special(struct ptx_parser *p, struct ptx_operand *o, struct ptx_token t)
{
    enum ptx_word word = ptx_word_find(t.text + 1, t.size - 1);
    if (word == PTX_W_NONE) {
        ptx_fail(p, t.line, "unknown register '%.*s'", (int)t.size, t.text);
        return;
    }
    o->kind = PTX_OPERAND_SREG;
    o->sreg = (uint16_t)word;
    if (p->tok.kind != PTX_TOK_DOT)
        return;
    enum ptx_word part = ptx_dot_word(p);
    if (part < PTX_W_x || part > PTX_W_w)
        ptx_fail(p, t.line, "unknown component '.%.*s'", (int)p->tok.size, p->tok.text);
    o->component = (uint8_t)(part - PTX_W_x);
    ptx_advance(p);
}

static void parse_offset(struct ptx_parser *p, struct ptx_operand *o)
{
    uint8_t type = PTX_IMM_INT;
    uint64_t value = 0;
    if (!ptx_is_punct(p, '+') && !ptx_is_punct(p, '-'))
        return;
    ptx_take(p, '+');
    ptx_constant(p, &value, &type);
    o->imm = value;
}

/* A name: register, special register, variable, function, or a label to be found later. */
static void parse_name(struct ptx_parser *p, struct ptx_operand *o)
{
    struct ptx_token t = p->tok;
    struct ptx_entry *e = find_name(p, t.text, t.size);
    uint32_t value = e ? e->value : 0;
    void *object = e ? e->object : NULL;
    enum ptx_entry_kind kind = e ? (enum ptx_entry_kind)e->kind : PTX_ENTRY_FREE;
    ptx_advance(p);
    if (kind == PTX_ENTRY_REG) {
        o->kind = PTX_OPERAND_REG;
        o->reg = value;
    } else if (kind == PTX_ENTRY_SYMBOL) {
        o->kind = PTX_OPERAND_SYMBOL;
        o->symbol = object;
        parse_offset(p, o);
    } else if (kind == PTX_ENTRY_FUNCTION) {
        o->kind = PTX_OPERAND_FUNCTION;
        o->function = object;
    } else if (t.text[0] == '%') {
        parse_special(p, o, t);
    } else if (t.size == 1 && t.text[0] == '_') {
        o->kind = PTX_OPERAND_SINK;
    } else {
        o->kind = PTX_OPERAND_NAME;
        o->name = ptx_pool_text(&p->module->pool, t.text, t.size);
        if (!o->name)
            ptx_fail_memory(p);
    }
}

static void parse_address(struct ptx_parser *p, struct ptx_operand *o)
{
    ptx_expect(p, '[');
    if (p->tok.kind == PTX_TOK_NAME) {
        parse_name(p, o);
        if (o->kind == PTX_OPERAND_REG)
            parse_offset(p, o);
        else if (o->kind != PTX_OPERAND_SYMBOL && !p->failed)
            ptx_fail(p, p->tok.line, "unknown symbol in an address");
    } else {
        o->reg = PTX_NO_REG;
        ptx_constant(p, &o->imm, &(uint8_t){ 0 });
    }
    if (o->kind == PTX_OPERAND_SYMBOL)
        o->reg = PTX_NO_REG;
    o->kind = PTX_OPERAND_ADDRESS;
    ptx_expect(p, ']');
}

static void parse_list(struct ptx_parser *p, struct ptx_operand *o, char close)
{
    struct ptx_operand elems[PTX_LIST_CAP];
    unsigned count = 0;
    ptx_advance(p);
    if (!ptx_is_punct(p, close)) {
        do {
            if (count == PTX_LIST_CAP) {
                ptx_fail(p, p->tok.line, "a list has more than %d operands", PTX_LIST_CAP);
                return;
            }
            if (ptx_is_punct(p, '{') || ptx_is_punct(p, '[')) {
                ptx_fail(p, p->tok.line, "lists cannot be nested");
                return;
            }
            ptx_operand(p, &elems[count++], false);
        } while (ptx_take(p, ','));
    }
    ptx_expect(p, close);
    if (p->failed || !count)
        return;
    o->elems = ptx_pool_take(&p->module->pool, count, sizeof *elems);
    if (!o->elems) {
        ptx_fail_memory(p);
        return;
    }
    memcpy(o->elems, elems, count * sizeof *elems);
    o->elem_count = (uint16_t)count;
}

/* "%r6|%p1": the second half of a pair. */
static void parse_pair(struct ptx_parser *p, struct ptx_operand *o)
{
    struct ptx_operand *both = ptx_pool_take(&p->module->pool, 2, sizeof *both);
    if (!both) {
        ptx_fail_memory(p);
        return;
    }
    both[0] = *o;
    if (p->tok.kind == PTX_TOK_NAME)
        parse_name(p, &both[1]);
    else
        ptx_fail(p, p->tok.line, "expected a register behind '|'");
    *o = (struct ptx_operand){ .kind = PTX_OPERAND_PAIR, .elems = both, .elem_count = 2 };
}

void ptx_operand(struct ptx_parser *p, struct ptx_operand *o, bool in_call)
{
    *o = (struct ptx_operand){ .kind = PTX_OPERAND_NONE, .reg = PTX_NO_REG };
    if (ptx_is_punct(p, '[')) {
        parse_address(p, o);
    } else if (ptx_is_punct(p, '{')) {
        o->kind = PTX_OPERAND_VECTOR;
        parse_list(p, o, '}');
    } else if (in_call && ptx_is_punct(p, '(')) {
        o->kind = PTX_OPERAND_LIST;
        parse_list(p, o, ')');
    } else if (p->tok.kind == PTX_TOK_NAME &&
               ptx_word_find(p->tok.text, p->tok.size) != PTX_W_WARP_SZ) {
        parse_name(p, o);
        if (ptx_take(p, '|'))
            parse_pair(p, o);
    } else {
        struct ptx_parser before = *p;
        bool inverted = ptx_take(p, '!');
        if (inverted && p->tok.kind == PTX_TOK_NAME) {
            parse_name(p, o);
            o->negated = true;
            return;
        }
        *p = before;
        o->kind = PTX_OPERAND_IMM;
        ptx_constant(p, &o->imm, &o->imm_type);
    }
}
