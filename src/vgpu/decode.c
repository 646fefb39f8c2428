#include "vgpu/decode.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/decode_impl.h"

enum { FRAME_CAP = 512 * 1024, SHARED_CAP = 16 << 20 };

static decode_fn *const decoders[PTX_W_COUNT] = {
    [PTX_W_mov] = decode_mov,
    [PTX_W_cvt] = decode_cvt,
    [PTX_W_cvta] = decode_cvta,
    [PTX_W_setp] = decode_setp,
    [PTX_W_set] = decode_set,
    [PTX_W_selp] = decode_selp,
    [PTX_W_slct] = decode_slct,
    [PTX_W_testp] = decode_testp,
    [PTX_W_addc] = decode_carry,
    [PTX_W_subc] = decode_carry,
    [PTX_W_madc] = decode_carry,
    [PTX_W_lop3] = decode_lop3,
    [PTX_W_prmt] = decode_prmt,
    [PTX_W_shf] = decode_shf,
    [PTX_W_dp4a] = decode_dot,
    [PTX_W_dp2a] = decode_dot,
    [PTX_W_bfind] = decode_bfind,
    [PTX_W_isspacep] = decode_isspacep,
    [PTX_W_ld] = decode_ld,
    [PTX_W_ldu] = decode_ld,
    [PTX_W_st] = decode_st,
    [PTX_W_atom] = decode_atom,
    [PTX_W_red] = decode_atom,
    [PTX_W_prefetch] = decode_prefetch,
    [PTX_W_prefetchu] = decode_prefetch,
    [PTX_W_applypriority] = decode_prefetch,
    [PTX_W_cp] = decode_cp,
    [PTX_W_bra] = decode_bra,
    [PTX_W_brx] = decode_brx,
    [PTX_W_call] = decode_call,
    [PTX_W_ret] = decode_ret,
    [PTX_W_exit] = decode_exit,
    [PTX_W_trap] = decode_trap,
    [PTX_W_brkpt] = decode_trap,
    [PTX_W_bar] = decode_bar,
    [PTX_W_barrier] = decode_bar,
    [PTX_W_membar] = decode_fence,
    [PTX_W_fence] = decode_fence,
    [PTX_W_nanosleep] = decode_nanosleep,
    [PTX_W_shfl] = decode_shfl,
    [PTX_W_vote] = decode_vote,
    [PTX_W_match] = decode_match,
    [PTX_W_activemask] = decode_activemask,
    [PTX_W_redux] = decode_redux,
    [PTX_W_elect] = decode_elect,
    [PTX_W_wmma] = decode_wmma,
    [PTX_W_mma] = decode_mma,
    [PTX_W_ldmatrix] = decode_ldmatrix,
    [PTX_W_movmatrix] = decode_movmatrix,
};

/* and or xor not of predicates, and arithmetic that sets the carry, have their own decoders. */
static decode_fn *special_form(const struct decoder *d)
{
    switch (d->src->op) {
    case PTX_W_and:
    case PTX_W_or:
    case PTX_W_xor:
    case PTX_W_not:
        return decode_has(d, PTX_W_pred) ? decode_logic_pred : NULL;
    case PTX_W_add:
    case PTX_W_sub:
    case PTX_W_mad:
        return decode_has(d, PTX_W_cc) ? decode_carry : NULL;
    default:
        return decoders[d->src->op];
    }
}

static void check_modifiers(struct decoder *d)
{
    for (unsigned i = 0; i < d->src->mod_count && !d->failed; i++)
        if (!(d->mods_taken >> i & 1))
            decode_fail(d, "the modifier '.%s' is not supported here",
                        ptx_word_text((enum ptx_word)d->src->mods[i]));
}

static void decode_instr(struct decoder *d, const struct ptx_instr *src)
{
    d->src = src;
    d->mods_taken = 0;
    decode_fn *special = special_form(d);
    if (special)
        special(d);
    else if (!decode_simple(d))
        decode_fail(d, "this form of the instruction is not supported");
    check_modifiers(d);
}

/* Running off the end is leaving. */
static void emit_end(struct decoder *d)
{
    struct ptx_instr end = { .op = PTX_W_ret, .guard = PTX_NO_REG, .line = d->fn->line };
    d->src = &end;
    struct inst in = decode_new(d, d->fn->is_entry ? INST_EXIT : INST_RET, CLASS_HIDDEN);
    decode_emit(d, &in);
    d->src = NULL;
}

static void decode_body(struct decoder *d)
{
    uint32_t *first = malloc((d->fn->instr_count + 1) * sizeof *first);
    if (!first) {
        decode_fail_memory(d);
        return;
    }
    for (uint32_t i = 0; i < d->fn->instr_count && !d->failed; i++) {
        first[i] = d->out->count;
        decode_instr(d, &d->fn->instrs[i]);
    }
    first[d->fn->instr_count] = d->out->count;
    if (!d->failed)
        emit_end(d);
    if (!d->failed)
        decode_link_branches(d, first);
    if (!d->failed)
        decode_place_registers(d);
    free(first);
}

/* ---- memory of a function ---------------------------------------------------------------------
 */

static uint64_t align_to(uint64_t at, uint32_t align)
{
    return (at + align - 1) / align * align;
}

static void place_frame(struct decoder *d)
{
    static const enum ptx_space spaces[] = { PTX_LOCAL, PTX_PARAM };
    uint64_t at = 0;
    for (unsigned k = 0; k < 2; k++) {
        for (struct ptx_symbol *s = d->fn->symbols; s; s = s->next) {
            if (s->space != spaces[k] || s->is_kernel_param)
                continue;
            at = align_to(at, s->align);
            s->address = at;
            s->placed = true;
            at += s->size;
            if (at > FRAME_CAP) {
                decode_fail(d, "more than 512 KiB of local memory a thread");
                return;
            }
        }
        if (k == 0)
            d->out->local_bytes = (uint32_t)at;
    }
    d->out->frame_bytes = (uint32_t)align_to(at, 16);
}

static uint64_t place_shared(struct decoder *d, struct ptx_symbol *list, uint64_t at)
{
    for (struct ptx_symbol *s = list; s; s = s->next) {
        if (s->space != PTX_SHARED || s->is_extern)
            continue;
        at = align_to(at, s->align);
        s->address = at;
        s->placed = true;
        at += s->size;
        if (at > SHARED_CAP) {
            decode_fail(d, "more than 16 MiB of shared memory");
            return 0;
        }
    }
    return at;
}

static bool mentions_shared(const struct ptx_function *fn)
{
    for (uint32_t i = 0; i < fn->instr_count; i++) {
        const struct ptx_instr *in = &fn->instrs[i];
        for (unsigned k = 0; k < in->operand_count; k++) {
            const struct ptx_symbol *s = in->operands[k].symbol;
            if (s && s->space == PTX_SHARED && !s->function && !s->is_extern)
                return true;
            if (in->op == PTX_W_call && in->operands[k].kind == PTX_OPERAND_FUNCTION)
                return true;
        }
    }
    return false;
}

/* Variables of the module and of functions come first and count for the kernels that may reach
 * them; each kernel's own follow. */
static void place_all_shared(struct decoder *d)
{
    uint64_t common = place_shared(d, d->module->symbols, 0);
    for (struct ptx_function *fn = d->module->functions; fn; fn = fn->next)
        if (!fn->is_entry)
            common = place_shared(d, fn->symbols, common);
    for (struct ptx_function *fn = d->module->functions; fn; fn = fn->next) {
        if (!fn->is_entry)
            continue;
        uint64_t end = place_shared(d, fn->symbols, mentions_shared(fn) ? common : 0);
        d->code->functions[fn->index].shared_bytes = (uint32_t)end;
    }
}

/* ---- variables --------------------------------------------------------------------------------
 */

static void place_variable(struct decoder *d, struct ptx_symbol *s)
{
    struct code *code = d->code;
    if ((s->space != PTX_GLOBAL && s->space != PTX_CONST) || s->is_extern || !s->size)
        return;
    uint64_t address;
    unsigned flags = s->space == PTX_CONST ? MEM_CONST : 0;
    if (mem_alloc(code->arena, s->size, s->align, flags, &address, d->err) < 0) {
        d->failed = true;
        return;
    }
    uint64_t *allocations =
        realloc(code->allocations, (code->allocation_count + 1) * sizeof *allocations);
    struct code_var *vars = realloc(code->vars, (code->var_count + 1) * sizeof *vars);
    code->allocations = allocations ? allocations : code->allocations;
    code->vars = vars ? vars : code->vars;
    if (!allocations || !vars) {
        mem_release(code->arena, address, NULL);
        decode_fail_memory(d);
        return;
    }
    allocations[code->allocation_count++] = address;
    vars[code->var_count] = (struct code_var){
        .name = strdup(s->name), .address = address, .size = s->size, .is_const = flags != 0
    };
    if (!vars[code->var_count++].name)
        decode_fail_memory(d);
    s->address = address;
    s->placed = true;
    uint8_t *host = mem_host(code->arena, address, s->size);
    if (s->init)
        memcpy(host, s->init, s->size);
    else
        memset(host, 0, s->size);
}

static void relocate(struct decoder *d, const struct ptx_symbol *s)
{
    if (!s->placed)
        return;
    uint8_t *host = s->relocs ? mem_host(d->code->arena, s->address, s->size) : NULL;
    for (const struct ptx_reloc *r = s->relocs; r && host; r = r->next) {
        uint64_t value = r->symbol->address + (uint64_t)r->addend;
        if (!r->symbol->placed || r->at + 8 > s->size) {
            decode_fail(d, "'%s' has an initial value that is not defined", s->name);
            return;
        }
        memcpy(host + r->at, &value, 8);
    }
}

static void for_all_variables(struct decoder *d,
                              void (*visit)(struct decoder *, struct ptx_symbol *))
{
    for (struct ptx_symbol *s = d->module->symbols; s && !d->failed; s = s->next)
        visit(d, s);
    for (struct ptx_function *fn = d->module->functions; fn; fn = fn->next)
        for (struct ptx_symbol *s = fn->symbols; s && !d->failed; s = s->next)
            visit(d, s);
}

static void relocate_one(struct decoder *d, struct ptx_symbol *s)
{
    if (s->space == PTX_GLOBAL || s->space == PTX_CONST)
        relocate(d, s);
}

/* ---- functions --------------------------------------------------------------------------------
 */

static struct code_param *copy_params(struct decoder *d, const struct ptx_param *params,
                                      uint32_t count)
{
    struct code_param *copy = calloc(count + 1, sizeof *copy);
    if (!copy) {
        decode_fail_memory(d);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_symbol *s = params[i].symbol;
        copy[i].reg = s ? INST_NONE : params[i].reg;
        copy[i].size =
            s ? (uint32_t)s->size : ptx_type_size((enum ptx_type)d->types[params[i].reg]);
        copy[i].align = s ? s->align : copy[i].size;
        copy[i].offset = s ? (uint32_t)s->address : 0;
    }
    return copy;
}

static void decode_function(struct decoder *d, struct ptx_function *fn)
{
    d->fn = fn;
    d->out = &d->code->functions[fn->index];
    d->src = NULL;
    d->code_cap = d->list_cap = d->const_cap = d->arg_cap = 0;
    d->reg_count = 0;
    d->carry = PTX_NO_REG;
    free(d->const_slots);
    d->const_slots = NULL;
    d->const_slot_count = 0;
    for (uint32_t r = 0; r < fn->reg_count; r++)
        decode_temp(d, (enum ptx_type)fn->reg_types[r]);
    struct code_function *out = d->out;
    out->name = strdup(fn->name);
    out->is_entry = fn->is_entry;
    out->has_body = fn->has_body;
    out->param_bytes = fn->param_bytes;
    out->param_count = fn->param_count;
    out->return_count = fn->return_count;
    out->max_threads = fn->max_threads;
    out->ptx_regs = fn->reg_count;
    memcpy(out->required, fn->required, sizeof out->required);
    place_frame(d);
    if (!out->name)
        decode_fail_memory(d);
    if (!d->failed)
        out->params = copy_params(d, fn->params, fn->param_count);
    if (!d->failed)
        out->returns = copy_params(d, fn->returns, fn->return_count);
    if (fn->has_body && !d->failed)
        decode_body(d);
}

/* Local memory with all that is called. Depth-first over the calls by an explicit stack; a function
 * that can reach itself is marked, and calls deeper than the frames allow fail when they happen. */
enum { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

static void sum_stack(struct code *code, uint32_t root, uint8_t *state, uint32_t *stack,
                      uint32_t *next)
{
    uint32_t depth = 0;
    stack[depth] = root;
    next[depth++] = 0;
    state[root] = VISIT_OPEN;
    while (depth) {
        struct code_function *fn = &code->functions[stack[depth - 1]];
        uint32_t i = next[depth - 1];
        while (i < fn->count && fn->code[i].kind != INST_CALL)
            i++;
        next[depth - 1] = i + 1;
        if (i >= fn->count) {
            fn->stack_bytes += fn->frame_bytes;
            state[stack[--depth]] = VISIT_DONE;
            struct code_function *caller = depth ? &code->functions[stack[depth - 1]] : NULL;
            if (caller && fn->stack_bytes > caller->stack_bytes)
                caller->stack_bytes = fn->stack_bytes;
            if (caller)
                caller->recursive |= fn->recursive;
            continue;
        }
        uint32_t callee = fn->code[i].target;
        struct code_function *to = &code->functions[callee];
        if (state[callee] == VISIT_OPEN) {
            fn->recursive = true;
        } else if (state[callee] == VISIT_DONE) {
            if (to->stack_bytes > fn->stack_bytes)
                fn->stack_bytes = to->stack_bytes;
            fn->recursive |= to->recursive;
        } else {
            state[callee] = VISIT_OPEN;
            stack[depth] = callee;
            next[depth++] = 0;
        }
    }
}

static void sum_stacks(struct decoder *d)
{
    uint32_t n = d->code->function_count + 1;
    uint8_t *state = calloc(n, 1);
    uint32_t *stack = malloc(n * sizeof *stack), *next = malloc(n * sizeof *next);
    for (uint32_t i = 0; state && stack && next && i < d->code->function_count; i++)
        if (state[i] == VISIT_NEW)
            sum_stack(d->code, i, state, stack, next);
    if (!state || !stack || !next)
        decode_fail_memory(d);
    free(state);
    free(stack);
    free(next);
}

int decode_module(struct code *code, struct ptx_module *module, struct mem_arena *arena,
                  const struct code_options *options, struct err *err)
{
    *code = (struct code){ .arena = arena, .options = *options };
    code->ops = op_table(options->isa);
    code->version_major = module->version_major;
    code->version_minor = module->version_minor;
    code->target = module->target;
    code->target_suffix = module->target_suffix;
    code->functions = calloc(module->function_count + 1, sizeof *code->functions);
    struct ptx_function nowhere = { .name = "module" };
    struct decoder d = { .code = code, .module = module, .err = err, .fn = &nowhere };
    code->function_count = module->function_count;
    if (!code->functions)
        decode_fail_memory(&d);
    if (!d.failed)
        place_all_shared(&d);
    for_all_variables(&d, place_variable);
    for_all_variables(&d, relocate_one);
    for (struct ptx_function *fn = module->functions; fn && !d.failed; fn = fn->next)
        decode_function(&d, fn);
    if (!d.failed)
        sum_stacks(&d);
    free(d.types);
    free(d.const_slots);
    return d.failed ? -1 : 0;
}

static void free_function(struct code_function *fn)
{
    free(fn->name);
    free(fn->code);
    free(fn->lists);
    free(fn->args);
    free(fn->consts);
    free(fn->params);
    free(fn->returns);
}

void decode_free(struct code *code)
{
    for (uint32_t i = 0; code->functions && i < code->function_count; i++)
        free_function(&code->functions[i]);
    free(code->functions);
    for (uint32_t i = 0; i < code->var_count; i++)
        free(code->vars[i].name);
    free(code->vars);
    /* The highest address first, which leaves the arena nothing to move. */
    for (uint32_t i = code->allocation_count; i > 0; i--)
        mem_release(code->arena, code->allocations[i - 1], NULL);
    free(code->allocations);
    *code = (struct code){ 0 };
}
