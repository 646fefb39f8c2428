#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/ptx_parser.h"

void ptx_fail(struct ptx_parser *p, uint32_t line, const char *fmt, ...)
{
    if (!p->failed) {
        char text[256];
        va_list args;
        va_start(args, fmt);
        vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        err_set(p->err, ERR_FORMAT, "line %u: %s", line, text);
        if (p->err)
            p->err->native = PTX_CODE_INVALID;
    }
    p->failed = true;
    p->tok = (struct ptx_token){ .kind = PTX_TOK_END, .text = "", .line = line };
}

void ptx_fail_memory(struct ptx_parser *p)
{
    if (!p->failed)
        err_set(p->err, ERR_LIMIT, "line %u: the module needs more memory than is allowed",
                p->tok.line);
    ptx_fail(p, p->tok.line, "out of memory");
}

void ptx_advance(struct ptx_parser *p)
{
    if (p->failed)
        return;
    p->tok = ptx_lex_next(&p->lex);
    if (p->tok.kind == PTX_TOK_BAD)
        ptx_fail(p, p->tok.line, "%.*s", (int)p->tok.size, p->tok.text);
}

bool ptx_is_punct(const struct ptx_parser *p, char c)
{
    return p->tok.kind == PTX_TOK_PUNCT && p->tok.value == (uint8_t)c;
}

bool ptx_take(struct ptx_parser *p, char c)
{
    if (!ptx_is_punct(p, c))
        return false;
    ptx_advance(p);
    return true;
}

bool ptx_expect(struct ptx_parser *p, char c)
{
    if (ptx_take(p, c))
        return true;
    if (p->tok.kind == PTX_TOK_END)
        ptx_fail(p, p->tok.line, "expected '%c' before the end of the text", c);
    else
        ptx_fail(p, p->tok.line, "expected '%c' before '%.*s'", c, (int)p->tok.size, p->tok.text);
    return false;
}

enum ptx_word ptx_dot_word(const struct ptx_parser *p)
{
    return p->tok.kind == PTX_TOK_DOT ? ptx_word_find(p->tok.text, p->tok.size) : PTX_W_NONE;
}

char *ptx_take_name(struct ptx_parser *p, const char *what)
{
    if (p->tok.kind != PTX_TOK_NAME) {
        ptx_fail(p, p->tok.line, "expected %s", what);
        return NULL;
    }
    char *name = ptx_pool_text(&p->module->pool, p->tok.text, p->tok.size);
    if (!name)
        ptx_fail_memory(p);
    ptx_advance(p);
    return name;
}

void ptx_skip_braces(struct ptx_parser *p)
{
    unsigned depth = 0;
    for (; p->tok.kind != PTX_TOK_END; ptx_advance(p)) {
        if (ptx_is_punct(p, '{'))
            depth++;
        if (ptx_is_punct(p, '}') && --depth == 0) {
            ptx_advance(p);
            return;
        }
    }
}

void ptx_skip_statement(struct ptx_parser *p)
{
    while (p->tok.kind != PTX_TOK_END && !ptx_is_punct(p, ';'))
        ptx_advance(p);
    ptx_expect(p, ';');
}

void ptx_skip_line(struct ptx_parser *p)
{
    uint32_t line = p->tok.line;
    while (p->tok.kind != PTX_TOK_END && p->tok.line == line)
        ptx_advance(p);
}

uint32_t ptx_new_scope(struct ptx_parser *p)
{
    uint32_t *parents = ptx_pool_grow(&p->module->pool, p->scope_parents, p->scope_count,
                                      &p->scope_cap, sizeof *parents);
    if (!parents) {
        ptx_fail_memory(p);
        return 0;
    }
    p->scope_parents = parents;
    parents[p->scope_count] = p->scope;
    return (uint32_t)p->scope_count++;
}

struct ptx_entry *ptx_lookup(struct ptx_parser *p, const char *name, size_t size, uint32_t scope)
{
    for (;; scope = p->scope_parents[scope]) {
        struct ptx_entry *e = ptx_table_find(&p->table, name, size, scope, false);
        if (e || scope == 0)
            return e;
    }
}

struct ptx_entry *ptx_declare(struct ptx_parser *p, const char *name, enum ptx_entry_kind kind,
                              uint32_t line)
{
    if (!name)
        return NULL;
    size_t size = strlen(name);
    if (ptx_table_find(&p->table, name, size, p->scope, kind == PTX_ENTRY_RANGE)) {
        ptx_fail(p, line, "'%s' is declared twice", name);
        return NULL;
    }
    struct ptx_entry *e = ptx_table_add(&p->table, name, size, p->scope, kind);
    if (!e)
        ptx_fail_memory(p);
    return e;
}

/* ".version 7.8": the lexer reads a float; its spelling is what counts. */
static void parse_version(struct ptx_parser *p)
{
    struct ptx_token t = p->tok;
    char text[16];
    size_t n = t.size < sizeof text - 1 ? t.size : sizeof text - 1;
    memcpy(text, t.text, n);
    text[n] = 0;
    if (t.kind != PTX_TOK_F64 ||
        sscanf(text, "%3u.%3u", &p->module->version_major, &p->module->version_minor) != 2)
        ptx_fail(p, t.line, "expected a version like 7.8");
    ptx_advance(p);
}

static void parse_target(struct ptx_parser *p)
{
    uint32_t line = p->tok.line;
    do {
        char *name = ptx_take_name(p, "a target like sm_80");
        unsigned number;
        if (name && sscanf(name, "sm_%3u", &number) == 1) {
            size_t size = strlen(name);
            char last = name[size - 1];
            p->module->target = number;
            p->module->target_suffix = last == 'a' || last == 'f' ? last : 0;
        }
    } while (ptx_take(p, ','));
    if (!p->module->target)
        ptx_fail(p, line, "no sm_ target is named");
}

static void parse_address_size(struct ptx_parser *p)
{
    uint64_t bits = 0;
    ptx_constant_int(p, 64, &bits);
    p->module->address_bits = (unsigned)bits;
    if (!p->failed && bits != 64)
        ptx_fail(p, p->tok.line, "only 64-bit addresses are supported");
}

/* A declaration may come before the definition: both are one function. */
static struct ptx_function *function_named(struct ptx_parser *p, const char *name, bool is_entry,
                                           uint32_t line)
{
    struct ptx_entry *e = name ? ptx_table_find(&p->table, name, strlen(name), 0, false) : NULL;
    if (e && e->kind == PTX_ENTRY_FUNCTION)
        return e->object;
    e = ptx_declare(p, name, PTX_ENTRY_FUNCTION, line);
    struct ptx_function *fn = e ? ptx_pool_take(&p->module->pool, 1, sizeof *fn) : NULL;
    if (!fn) {
        ptx_fail_memory(p);
        return NULL;
    }
    e->object = fn;
    fn->name = name;
    fn->is_entry = is_entry;
    fn->line = line;
    fn->index = p->module->function_count++;
    *p->last_function = fn;
    p->last_function = &fn->next;
    return fn;
}

static void parse_dimensions(struct ptx_parser *p, bool exact)
{
    uint64_t product = 1;
    unsigned axis = 0;
    do {
        uint64_t n = 0;
        ptx_constant_int(p, 1 << 20, &n);
        product *= n;
        if (exact && axis < 3)
            p->fn->required[axis] = (uint32_t)n;
        axis++;
    } while (axis < 3 && ptx_take(p, ','));
    for (; exact && axis < 3; axis++)
        p->fn->required[axis] = 1;
    p->fn->max_threads = product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

/* What may stand between the parameters and the body. */
static void parse_tuning(struct ptx_parser *p)
{
    while (p->tok.kind == PTX_TOK_DOT) {
        enum ptx_word word = ptx_dot_word(p);
        uint32_t line = p->tok.line;
        ptx_advance(p);
        switch (word) {
        case PTX_W_maxntid:
        case PTX_W_reqntid:
            parse_dimensions(p, word == PTX_W_reqntid);
            break;
        case PTX_W_maxnreg:
        case PTX_W_minnctapersm:
        case PTX_W_maxnctapersm:
            ptx_constant_int(p, UINT32_MAX, &(uint64_t){ 0 });
            break;
        case PTX_W_noreturn:
            break;
        case PTX_W_pragma:
            ptx_skip_statement(p);
            break;
        default:
            ptx_fail(p, line, "unsupported directive '.%s' before a body", ptx_word_text(word));
        }
    }
}

static void finish_params(struct ptx_parser *p)
{
    struct ptx_function *fn = p->fn;
    uint64_t at = 0;
    for (uint32_t i = 0; i < fn->param_count && !p->failed; i++) {
        struct ptx_symbol *s = fn->params[i].symbol;
        if (!fn->is_entry || !s)
            continue;
        at = (at + s->align - 1) / s->align * s->align;
        s->address = at;
        s->placed = s->is_kernel_param = true;
        at += s->size;
        if (at > 32764)
            ptx_fail(p, s->line, "the parameters of '%s' are larger than 32764 bytes", fn->name);
    }
    fn->param_bytes = (uint32_t)at;
}

static void parse_function(struct ptx_parser *p, bool is_entry)
{
    uint32_t line = p->tok.line;
    struct ptx_function heading = { 0 };
    uint32_t scope = ptx_new_scope(p);
    p->scope = scope;
    p->fn = &heading;
    p->reg_cap = p->instr_cap = 0;
    p->last_local = &heading.symbols;
    if (ptx_is_punct(p, '('))
        ptx_params(p, &heading.returns, &heading.return_count);
    p->scope = 0;
    struct ptx_function *fn =
        function_named(p, ptx_take_name(p, "a function's name"), is_entry, line);
    p->scope = scope;
    if (ptx_is_punct(p, '('))
        ptx_params(p, &heading.params, &heading.param_count);
    if (fn && fn->has_body)
        ptx_fail(p, line, "'%s' is defined twice", fn->name);
    if (!fn || p->failed)
        return;
    heading.name = fn->name, heading.is_entry = fn->is_entry, heading.line = line;
    heading.next = fn->next, heading.index = fn->index;
    *fn = heading;
    if (!heading.symbols)
        p->last_local = &fn->symbols;
    for (struct ptx_symbol *s = fn->symbols; s; s = s->next)
        s->function = fn;
    p->fn = fn;
    finish_params(p);
    parse_tuning(p);
    if (ptx_take(p, '{')) {
        fn->has_body = true;
        ptx_body(p);
    } else {
        ptx_expect(p, ';');
    }
    p->fn = NULL;
    p->scope = 0;
}

static void parse_declaration(struct ptx_parser *p)
{
    bool is_extern = false;
    for (;;) {
        enum ptx_word word = ptx_dot_word(p);
        uint32_t line = p->tok.line;
        struct ptx_token t = p->tok;
        ptx_advance(p);
        switch (word) {
        case PTX_W_visible:
        case PTX_W_weak:
        case PTX_W_common:
            continue;
        case PTX_W_extern:
            is_extern = true;
            continue;
        case PTX_W_entry:
        case PTX_W_func:
            parse_function(p, word == PTX_W_entry);
            return;
        case PTX_W_global:
            ptx_declare_vars(p, PTX_GLOBAL, is_extern);
            return;
        case PTX_W_const:
            ptx_declare_vars(p, PTX_CONST, is_extern);
            return;
        case PTX_W_shared:
            ptx_declare_vars(p, PTX_SHARED, is_extern);
            return;
        default:
            ptx_fail(p, line, "unsupported directive '.%.*s'", (int)t.size, t.text);
            return;
        }
    }
}

static void parse_statement(struct ptx_parser *p)
{
    enum ptx_word word = ptx_dot_word(p);
    switch (word) {
    case PTX_W_version:
        ptx_advance(p);
        parse_version(p);
        break;
    case PTX_W_target:
        ptx_advance(p);
        parse_target(p);
        break;
    case PTX_W_address_size:
        ptx_advance(p);
        parse_address_size(p);
        break;
    case PTX_W_file:
    case PTX_W_loc:
        ptx_skip_line(p);
        break;
    case PTX_W_section:
        while (p->tok.kind != PTX_TOK_END && !ptx_is_punct(p, '{'))
            ptx_advance(p);
        ptx_skip_braces(p);
        break;
    case PTX_W_pragma:
        ptx_skip_statement(p);
        break;
    default:
        if (p->tok.kind == PTX_TOK_DOT)
            parse_declaration(p);
        else
            ptx_fail(p, p->tok.line, "expected a directive before '%.*s'", (int)p->tok.size,
                     p->tok.text);
    }
}

static bool start(struct ptx_parser *p, struct ptx_module *module, const char *text, size_t size,
                  struct err *err)
{
    *module = (struct ptx_module){ .address_bits = 64 };
    ptx_pool_init(&module->pool, PTX_POOL_CAP);
    *p = (struct ptx_parser){ .module = module, .err = err };
    p->last_symbol = &module->symbols;
    p->last_function = &module->functions;
    if (size > PTX_TEXT_CAP) {
        err_set(err, ERR_LIMIT, "the module's text is larger than %d MiB", PTX_TEXT_CAP >> 20);
        p->failed = true;
        return false;
    }
    ptx_lex_init(&p->lex, text, size);
    ptx_new_scope(p);
    ptx_advance(p);
    if (!p->failed && ptx_dot_word(p) != PTX_W_version)
        ptx_fail(p, p->tok.line, "expected '.version' first");
    return !p->failed;
}

int ptx_parse(struct ptx_module *module, const char *text, size_t size, struct err *err)
{
    struct ptx_parser p;
    start(&p, module, text, size, err);
    while (!p.failed && p.tok.kind != PTX_TOK_END)
        parse_statement(&p);
    if (!p.failed && !module->target)
        ptx_fail(&p, p.tok.line, "no '.target' is given");
    ptx_table_free(&p.table);
    return p.failed ? -1 : 0;
}

int ptx_peek_header(const char *text, size_t size, struct ptx_module *header, struct err *err)
{
    struct ptx_parser p;
    start(&p, header, text, size, err);
    while (!p.failed && p.tok.kind != PTX_TOK_END && !header->target)
        parse_statement(&p);
    if (!p.failed && !header->target)
        ptx_fail(&p, p.tok.line, "no '.target' is given");
    ptx_table_free(&p.table);
    ptx_free(header);
    return p.failed ? -1 : 0;
}

void ptx_free(struct ptx_module *module)
{
    ptx_pool_free(&module->pool);
}
