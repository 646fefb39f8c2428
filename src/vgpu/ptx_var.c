#include <string.h>

#include "vgpu/ptx_parser.h"

enum {
    VAR_BYTES_CAP = 1 << 30,
    INIT_BYTES_CAP = 64 << 20,
    INIT_DEPTH_CAP = 8,
};

uint32_t ptx_new_reg(struct ptx_parser *p, enum ptx_type type)
{
    struct ptx_function *fn = p->fn;
    if (fn->reg_count >= PTX_REG_CAP) {
        ptx_fail(p, p->tok.line, "'%s' uses more than %d registers", fn->name, PTX_REG_CAP);
        return 0;
    }
    uint8_t *types = ptx_pool_grow(&p->module->pool, fn->reg_types, fn->reg_count, &p->reg_cap, 1);
    if (!types) {
        ptx_fail_memory(p);
        return 0;
    }
    fn->reg_types = types;
    types[fn->reg_count] = (uint8_t)type;
    return fn->reg_count++;
}

static enum ptx_type take_type(struct ptx_parser *p)
{
    enum ptx_type type = ptx_type_of(ptx_dot_word(p));
    if (type == PTX_VOID || type >= PTX_B1)
        ptx_fail(p, p->tok.line, "expected a type before '%.*s'", (int)p->tok.size, p->tok.text);
    ptx_advance(p);
    return type;
}

static void declare_reg(struct ptx_parser *p, enum ptx_type type)
{
    uint32_t line = p->tok.line;
    char *name = ptx_take_name(p, "a register's name");
    if (ptx_take(p, '<')) {
        uint64_t count = 0;
        ptx_constant_int(p, UINT32_MAX, &count);
        ptx_expect(p, '>');
        struct ptx_entry *e = ptx_declare(p, name, PTX_ENTRY_RANGE, line);
        if (e) {
            e->value = (uint32_t)count;
            e->type = (uint8_t)type;
        }
        return;
    }
    uint32_t reg = name ? ptx_new_reg(p, type) : 0;
    struct ptx_entry *e = ptx_declare(p, name, PTX_ENTRY_REG, line);
    if (e) {
        e->value = reg;
        e->type = (uint8_t)type;
    }
}

void ptx_declare_regs(struct ptx_parser *p)
{
    enum ptx_type type = take_type(p);
    if (!p->failed && type == PTX_B128)
        ptx_fail(p, p->tok.line, "128-bit registers are not supported");
    do
        declare_reg(p, type);
    while (ptx_take(p, ','));
    ptx_expect(p, ';');
}

/* What stands before a variable's name. */
struct heading {
    enum ptx_type type;
    uint32_t align;
    uint32_t lanes; /* of a .v2 or .v4 element */
};

static void take_align(struct ptx_parser *p, uint32_t *align)
{
    uint64_t n = 0;
    ptx_constant_int(p, 1 << 16, &n);
    if (!p->failed && (n == 0 || (n & (n - 1))))
        ptx_fail(p, p->tok.line, "an alignment is not a power of two");
    *align = n ? (uint32_t)n : 1;
}

/* ".ptr .global .align 4" says what a pointer parameter points to; nothing depends on it. */
static void skip_pointee(struct ptx_parser *p)
{
    for (;;) {
        enum ptx_word word = ptx_dot_word(p);
        if (word == PTX_W_align) {
            ptx_advance(p);
            ptx_constant_int(p, UINT32_MAX, &(uint64_t){ 0 });
        } else if (word == PTX_W_global || word == PTX_W_const || word == PTX_W_shared ||
                   word == PTX_W_local || word == PTX_W_param) {
            ptx_advance(p);
        } else {
            return;
        }
    }
}

static void parse_heading(struct ptx_parser *p, struct heading *h)
{
    *h = (struct heading){ .lanes = 1 };
    while (p->tok.kind == PTX_TOK_DOT) {
        enum ptx_word word = ptx_dot_word(p);
        if (word == PTX_W_align) {
            ptx_advance(p);
            take_align(p, &h->align);
        } else if (word == PTX_W_v2 || word == PTX_W_v4) {
            h->lanes = word == PTX_W_v2 ? 2 : 4;
            ptx_advance(p);
        } else if (word == PTX_W_ptr) {
            ptx_advance(p);
            skip_pointee(p);
        } else if (word == PTX_W_attribute) {
            while (p->tok.kind != PTX_TOK_END && !ptx_take(p, ')'))
                ptx_advance(p);
        } else {
            h->type = take_type(p);
        }
    }
    if (!p->failed && h->type == PTX_VOID)
        ptx_fail(p, p->tok.line, "a variable without a type");
    if (!h->align)
        h->align = ptx_type_size(h->type) * h->lanes;
    if (!h->align)
        h->align = 1;
}

/* "[4][3]", "[]": returns the number of elements; `unsized` when one bracket is empty. */
static uint64_t parse_dimensions(struct ptx_parser *p, bool *unsized)
{
    uint64_t count = 1;
    *unsized = false;
    while (ptx_take(p, '[')) {
        uint64_t n = 0;
        if (ptx_is_punct(p, ']'))
            *unsized = true;
        else if (ptx_constant_int(p, VAR_BYTES_CAP, &n))
            count = count > VAR_BYTES_CAP ? count : count * n;
        ptx_expect(p, ']');
    }
    return count;
}

struct init {
    struct ptx_symbol *symbol;
    uint8_t *bytes;
    uint64_t at, cap;
    unsigned elem;
    enum ptx_type type;
    unsigned depth;
};

static void init_reserve(struct ptx_parser *p, struct init *in)
{
    if (in->at + in->elem <= in->cap)
        return;
    uint64_t cap = in->symbol->size ? in->symbol->size : in->cap ? in->cap * 2 : 256;
    uint8_t *bytes = NULL;
    if (in->at + in->elem > cap)
        ptx_fail(p, p->tok.line, "'%s' has more initial values than elements", in->symbol->name);
    else if (cap > INIT_BYTES_CAP)
        ptx_fail(p, p->tok.line, "'%s' has more than %d MiB of initial values", in->symbol->name,
                 INIT_BYTES_CAP >> 20);
    else if (!(bytes = ptx_pool_take(&p->module->pool, cap, 1)))
        ptx_fail_memory(p);
    if (bytes && in->at)
        memcpy(bytes, in->bytes, in->at);
    if (bytes) {
        in->bytes = bytes;
        in->cap = cap;
    }
}

/* "sym", "sym+8", "generic(sym)", "generic(sym)+8" */
static void init_address(struct ptx_parser *p, struct init *in)
{
    bool generic = p->tok.size == 7 && memcmp(p->tok.text, "generic", 7) == 0;
    if (generic) {
        ptx_advance(p);
        ptx_expect(p, '(');
    }
    struct ptx_entry *e =
        p->tok.kind == PTX_TOK_NAME ? ptx_lookup(p, p->tok.text, p->tok.size, p->scope) : NULL;
    struct ptx_reloc *r = ptx_pool_take(&p->module->pool, 1, sizeof *r);
    if (!e || e->kind != PTX_ENTRY_SYMBOL || in->elem != 8) {
        ptx_fail(p, p->tok.line, "unsupported initial value '%.*s'", (int)p->tok.size, p->tok.text);
        return;
    }
    if (!r) {
        ptx_fail_memory(p);
        return;
    }
    *r = (struct ptx_reloc){ .at = in->at, .symbol = e->object, .next = in->symbol->relocs };
    in->symbol->relocs = r;
    ptx_advance(p);
    if (generic)
        ptx_expect(p, ')');
    if (ptx_take(p, '+')) {
        uint64_t addend = 0;
        ptx_constant(p, &addend, &(uint8_t){ 0 });
        r->addend = (int64_t)addend;
    }
}

static void init_value(struct ptx_parser *p, struct init *in)
{
    init_reserve(p, in);
    if (p->failed)
        return;
    if (p->tok.kind == PTX_TOK_NAME) {
        init_address(p, in);
    } else {
        uint64_t value = 0;
        uint8_t kind = PTX_IMM_INT;
        ptx_constant(p, &value, &kind);
        if (in->type == PTX_F32 && kind == PTX_IMM_F64) {
            double wide;
            memcpy(&wide, &value, 8);
            float narrow = (float)wide;
            memcpy(&value, &narrow, 4);
        }
        if (!p->failed)
            memcpy(in->bytes + in->at, &value, in->elem);
    }
    in->at += in->elem;
}

static void init_list(struct ptx_parser *p, struct init *in)
{
    if (++in->depth > INIT_DEPTH_CAP) {
        ptx_fail(p, p->tok.line, "initial values are nested too deeply");
        return;
    }
    if (!ptx_is_punct(p, '}')) {
        do {
            if (ptx_take(p, '{'))
                init_list(p, in);
            else
                init_value(p, in);
        } while (ptx_take(p, ','));
    }
    ptx_expect(p, '}');
    in->depth--;
}

static void parse_init(struct ptx_parser *p, struct ptx_symbol *s, enum ptx_type type)
{
    struct init in = { .symbol = s, .elem = ptx_type_size(type), .type = type };
    if (ptx_take(p, '{'))
        init_list(p, &in);
    else
        init_value(p, &in);
    if (!s->size)
        s->size = in.at;
    if (in.cap < s->size && !p->failed) {
        in.symbol->size = s->size;
        uint8_t *bytes = ptx_pool_take(&p->module->pool, s->size, 1);
        if (!bytes) {
            ptx_fail_memory(p);
            return;
        }
        if (in.at)
            memcpy(bytes, in.bytes, in.at);
        in.bytes = bytes;
    }
    s->init = in.bytes;
}

static struct ptx_symbol *new_symbol(struct ptx_parser *p, enum ptx_space space,
                                     const struct heading *h)
{
    uint32_t line = p->tok.line;
    char *name = ptx_take_name(p, "a variable's name");
    struct ptx_symbol *s = ptx_pool_take(&p->module->pool, 1, sizeof *s);
    if (!name || !s) {
        ptx_fail(p, line, "expected a variable's name");
        return NULL;
    }
    bool unsized;
    uint64_t range = 1;
    if (ptx_take(p, '<')) { /* `.param .b32 p<4>` exists in the grammar, not in compilers' output */
        ptx_constant_int(p, 1, &range);
        ptx_expect(p, '>');
    }
    uint64_t count = parse_dimensions(p, &unsized);
    *s = (struct ptx_symbol){ .name = name,
                              .space = space,
                              .type = h->type,
                              .align = h->align,
                              .line = line,
                              .function = p->fn };
    s->size = unsized ? 0 : count * ptx_type_size(h->type) * h->lanes;
    if (s->size > VAR_BYTES_CAP)
        ptx_fail(p, line, "'%s' is larger than 1 GiB", name);
    return s;
}

/* A variable that was declared `.extern` before takes the place of that declaration. */
static void link_symbol(struct ptx_parser *p, struct ptx_symbol *s, struct ptx_symbol ***tail)
{
    struct ptx_entry *old = ptx_table_find(&p->table, s->name, strlen(s->name), p->scope, false);
    if (old && old->kind == PTX_ENTRY_SYMBOL && ((struct ptx_symbol *)old->object)->is_extern) {
        struct ptx_symbol *before = old->object;
        struct ptx_symbol *next = before->next;
        *before = *s;
        before->next = next;
        return;
    }
    struct ptx_entry *e = ptx_declare(p, s->name, PTX_ENTRY_SYMBOL, s->line);
    if (!e)
        return;
    e->object = s;
    **tail = s;
    *tail = &s->next;
}

void ptx_declare_vars(struct ptx_parser *p, enum ptx_space space, bool is_extern)
{
    struct heading h;
    parse_heading(p, &h);
    do {
        struct ptx_symbol *s = new_symbol(p, space, &h);
        if (!s || p->failed)
            return;
        s->is_extern = is_extern;
        if (ptx_take(p, '='))
            parse_init(p, s, h.type);
        link_symbol(p, s, p->fn ? &p->last_local : &p->last_symbol);
    } while (ptx_take(p, ','));
    ptx_expect(p, ';');
}

static void parse_param(struct ptx_parser *p, struct ptx_param *param)
{
    enum ptx_word word = ptx_dot_word(p);
    param->line = p->tok.line;
    param->reg = PTX_NO_REG;
    ptx_advance(p);
    if (word == PTX_W_reg) {
        enum ptx_type type = take_type(p);
        char *name = ptx_take_name(p, "a register's name");
        param->reg = name ? ptx_new_reg(p, type) : 0;
        struct ptx_entry *e = ptx_declare(p, name, PTX_ENTRY_REG, param->line);
        if (e) {
            e->value = param->reg;
            e->type = (uint8_t)type;
        }
        return;
    }
    if (word != PTX_W_param) {
        ptx_fail(p, param->line, "expected '.param' or '.reg'");
        return;
    }
    struct heading h;
    parse_heading(p, &h);
    param->symbol = new_symbol(p, PTX_PARAM, &h);
    if (param->symbol)
        link_symbol(p, param->symbol, &p->last_local);
}

void ptx_params(struct ptx_parser *p, struct ptx_param **params, uint32_t *count)
{
    size_t cap = 0;
    ptx_expect(p, '(');
    if (ptx_take(p, ')'))
        return;
    do {
        struct ptx_param *grown =
            ptx_pool_grow(&p->module->pool, *params, *count, &cap, sizeof **params);
        if (!grown || *count >= PTX_LIST_CAP * 16) {
            ptx_fail(p, p->tok.line, "too many parameters");
            return;
        }
        *params = grown;
        parse_param(p, &grown[(*count)++]);
    } while (ptx_take(p, ','));
    ptx_expect(p, ')');
}
