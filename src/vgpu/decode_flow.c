/* Branches, calls, barriers, and where diverged lanes meet again. */
#include <stdlib.h>
#include <string.h>

#include "vgpu/decode_graph.h"
#include "vgpu/decode_impl.h"
#include "vgpu/exec_warp.h"

void decode_bra(struct decoder *d)
{
    struct inst in = decode_new(d, INST_BRA, CLASS_BRANCH);
    decode_take(d, PTX_W_uni);
    if (!decode_expect_operands(d, 1, 1))
        return;
    const struct ptx_operand *o = decode_operand(d, 0);
    if (o->kind != PTX_OPERAND_LABEL) {
        decode_fail(d, "a label is expected");
        return;
    }
    in.target = (uint32_t)o->imm;
    decode_emit(d, &in);
}

void decode_brx(struct decoder *d)
{
    struct inst in = decode_new(d, INST_BRX, CLASS_BRANCH);
    uint32_t targets[PTX_LIST_CAP];
    decode_take(d, PTX_W_uni);
    if (!decode_take(d, PTX_W_idx) || !decode_expect_operands(d, 2, 2)) {
        decode_fail(d, "only 'brx.idx' is known");
        return;
    }
    const struct ptx_operand *o = decode_operand(d, 1);
    if (o->kind != PTX_OPERAND_TARGETS) {
        decode_fail(d, "a list of branch targets is expected");
        return;
    }
    in.a = decode_use(d, decode_operand(d, 0), PTX_U32);
    for (unsigned i = 0; i < o->elem_count; i++)
        targets[i] = (uint32_t)o->elems[i].imm;
    in.list = decode_list(d, targets, o->elem_count);
    in.imm = o->elem_count;
    decode_emit(d, &in);
}

static uint32_t add_arg(struct decoder *d, struct code_param arg)
{
    if (d->out->arg_count == d->arg_cap) {
        size_t cap = d->arg_cap ? d->arg_cap * 2 : 16;
        struct code_param *args = realloc(d->out->args, cap * sizeof *args);
        if (!args) {
            decode_fail_memory(d);
            return 0;
        }
        d->out->args = args;
        d->arg_cap = cap;
    }
    d->out->args[d->out->arg_count] = arg;
    return d->out->arg_count++;
}

/* One actual parameter: a variable of this frame, or a register or constant. */
static void call_arg(struct decoder *d, const struct ptx_operand *o, const struct ptx_param *formal,
                     bool result)
{
    struct code_param arg = { .reg = INST_NONE };
    enum ptx_type type = formal->symbol ? formal->symbol->type : PTX_B32;
    if (o->kind == PTX_OPERAND_SYMBOL && o->symbol->space == PTX_PARAM && o->symbol->placed &&
        !o->symbol->is_kernel_param) {
        arg.offset = (uint32_t)o->symbol->address;
        arg.size = (uint32_t)o->symbol->size;
        if (!formal->symbol || formal->symbol->size != o->symbol->size)
            decode_fail(d, "a parameter's size differs from the function's");
    } else if (o->kind == PTX_OPERAND_REG && d->types[o->reg] == PTX_PRED) {
        decode_fail(d, "predicates cannot be parameters");
    } else {
        unsigned size;
        arg.reg = result ? decode_def_any(d, o, type, &size) : decode_use_any(d, o, type, &size);
        arg.size = size;
        if (formal->symbol && formal->symbol->size != size)
            decode_fail(d, "a parameter's size differs from the function's");
    }
    add_arg(d, arg);
}

static void call_args(struct decoder *d, const struct ptx_operand *list,
                      const struct ptx_param *formals, uint32_t count, bool result)
{
    if ((list ? list->elem_count : 0) != count) {
        decode_fail(d, "the call has %u parameters and the function %u",
                    list ? list->elem_count : 0, count);
        return;
    }
    for (uint32_t i = 0; i < count && !d->failed; i++)
        call_arg(d, &list->elems[i], &formals[i], result);
}

/* The registers among the arguments, for the register allocation. */
static void list_call_registers(struct decoder *d, struct inst *in, uint32_t first,
                                uint32_t results)
{
    uint32_t refs[2 * PTX_LIST_CAP];
    uint32_t n = d->out->arg_count - first;
    if (n > 2 * PTX_LIST_CAP || d->failed)
        return;
    for (uint32_t i = 0; i < n; i++)
        refs[i] = d->out->args[first + i].reg;
    in->list = decode_list(d, refs, n);
    in->list_defs = (uint16_t)results;
    in->list_uses = (uint16_t)(n - results);
    in->imm = first;
}

/* What a driver provides to kernels under fixed names and prototypes. */
static inst_warp_fn *system_call(const struct ptx_function *fn)
{
    if (fn->has_body || fn->is_entry)
        return NULL;
    if (strcmp(fn->name, "vprintf") == 0 && fn->param_count == 2 && fn->return_count == 1)
        return exec_print;
    if (strcmp(fn->name, "__assertfail") == 0 && fn->param_count == 5 && fn->return_count == 0)
        return exec_assert;
    return NULL;
}

void decode_call(struct decoder *d)
{
    struct inst in = decode_new(d, INST_CALL, CLASS_BRANCH);
    const struct ptx_operand *results = NULL, *list = NULL;
    unsigned at = 0;
    decode_take(d, PTX_W_uni);
    if (!decode_expect_operands(d, 1, 3))
        return;
    if (d->src->operands[0].kind == PTX_OPERAND_LIST)
        results = &d->src->operands[at++];
    const struct ptx_operand *name = decode_operand(d, at++);
    if (at < d->src->operand_count)
        list = &d->src->operands[at];
    if (name->kind != PTX_OPERAND_FUNCTION) {
        decode_fail(d, name->kind == PTX_OPERAND_REG ? "indirect calls are not supported"
                                                     : "an unknown function is called");
        return;
    }
    const struct ptx_function *callee = name->function;
    inst_warp_fn *system = system_call(callee);
    if (system) {
        uint32_t args = d->out->arg_count;
        call_args(d, results, callee->returns, callee->return_count, true);
        call_args(d, list, callee->params, callee->param_count, false);
        in.kind = INST_WARP;
        in.fn.warp = system;
        list_call_registers(d, &in, args, callee->return_count);
        decode_emit(d, &in);
        return;
    }
    if (!callee->has_body || callee->is_entry) {
        decode_fail(d, "'%s' cannot be called: it has no body here", callee->name);
        return;
    }
    uint32_t first = d->out->arg_count;
    call_args(d, results, callee->returns, callee->return_count, true);
    call_args(d, list, callee->params, callee->param_count, false);
    list_call_registers(d, &in, first, callee->return_count);
    in.target = callee->index;
    decode_emit(d, &in);
}

void decode_ret(struct decoder *d)
{
    struct inst in = decode_new(d, d->fn->is_entry ? INST_EXIT : INST_RET, CLASS_BRANCH);
    decode_take(d, PTX_W_uni);
    decode_emit(d, &in);
}

void decode_exit(struct decoder *d)
{
    struct inst in = decode_new(d, INST_EXIT, CLASS_BRANCH);
    decode_emit(d, &in);
}

void decode_trap(struct decoder *d)
{
    struct inst in = decode_new(d, INST_TRAP, CLASS_OTHER);
    decode_emit(d, &in);
}

void decode_nanosleep(struct decoder *d)
{
    struct inst in = decode_new(d, INST_YIELD, CLASS_OTHER);
    decode_take_type(d);
    decode_emit(d, &in);
}

/* Memory is consistent at all times: blocks run in order, atomics are atomic. */
void decode_fence(struct decoder *d)
{
    struct inst in = decode_new(d, INST_NOP, CLASS_BARRIER);
    d->mods_taken = UINT32_MAX;
    decode_emit(d, &in);
}

static void bar_reduction(struct decoder *d, struct inst *in, unsigned *at)
{
    bool negated;
    in->op = decode_take(d, PTX_W_popc)  ? EXEC_BAR_POPC
             : decode_take(d, PTX_W_and) ? EXEC_BAR_AND
             : decode_take(d, PTX_W_or)  ? EXEC_BAR_OR
                                         : EXEC_BAR_SYNC;
    enum ptx_type type = decode_take_type(d);
    const struct ptx_operand *o = decode_operand(d, 0);
    in->d = type == PTX_PRED ? decode_def_pred(d, o) : decode_def(d, o, PTX_U32);
    in->c = decode_use_pred(d, decode_operand(d, d->src->operand_count - 1u), &negated);
    in->mods |= negated ? MOD_C_NOT : 0;
    in->size = type == PTX_PRED ? 0 : 4;
    if ((in->op == EXEC_BAR_POPC) != (type == PTX_U32) || in->op == EXEC_BAR_SYNC)
        decode_fail(d, "'.popc.u32', '.and.pred' or '.or.pred' is expected");
    *at = 1;
}

static void warp_barrier(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARPBAR, CLASS_BARRIER);
    if (!decode_take(d, PTX_W_sync) || !decode_expect_operands(d, 1, 1)) {
        decode_fail(d, "'.sync' and a mask are expected");
        return;
    }
    in.a = decode_use(d, decode_operand(d, 0), PTX_B32);
    decode_emit(d, &in);
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.op.type d, a{, b}, {!}c; and the same as barrier.cta.
 */
void decode_bar(struct decoder *d)
{
    struct inst in = decode_new(d, INST_BAR, CLASS_BARRIER);
    unsigned at = 0, end = d->src->operand_count;
    if (decode_take(d, PTX_W_warp)) {
        warp_barrier(d);
        return;
    }
    decode_take(d, PTX_W_cta);
    decode_take(d, PTX_W_aligned);
    if (decode_has(d, PTX_W_cluster)) {
        decode_fail(d, "clusters are not supported");
        return;
    }
    if (decode_take(d, PTX_W_arrive)) {
        in.op = EXEC_BAR_ARRIVE;
    } else if (decode_take(d, PTX_W_red)) {
        if (!decode_expect_operands(d, 3, 4))
            return;
        bar_reduction(d, &in, &at);
        end--;
    } else if (decode_take(d, PTX_W_sync)) {
        in.op = EXEC_BAR_SYNC;
    }
    if (at >= end || end - at > 2) {
        decode_fail(d, "a barrier's number is expected");
        return;
    }
    in.a = decode_use(d, decode_operand(d, at), PTX_U32);
    if (end - at == 2)
        in.b = decode_use(d, decode_operand(d, at + 1), PTX_U32);
    else if (in.op == EXEC_BAR_ARRIVE)
        decode_fail(d, "'.arrive' needs a number of threads");
    decode_emit(d, &in);
}

static void link_targets(struct code_function *fn, const uint32_t *first_inst)
{
    for (uint32_t i = 0; i < fn->count; i++) {
        struct inst *in = &fn->code[i];
        if (in->kind == INST_BRA)
            in->target = first_inst[in->target];
        for (int64_t k = 0; in->kind == INST_BRX && k < in->imm; k++)
            fn->lists[in->list + k] = first_inst[fn->lists[in->list + k]];
    }
}

void decode_link_branches(struct decoder *d, const uint32_t *first_inst)
{
    struct code_function *fn = d->out;
    struct graph g;
    link_targets(fn, first_inst);
    bool ok = graph_build(&g, fn, true);
    uint32_t *ipdom = ok ? malloc((g.block_count + 1) * sizeof *ipdom) : NULL;
    if (!ipdom || !graph_post_dominators(&g, ipdom)) {
        decode_fail_memory(d);
    } else {
        for (uint32_t b = 0; b < g.block_count; b++) {
            struct inst *last = &fn->code[g.start[b + 1] - 1];
            uint32_t meet = ipdom[b];
            if (last->kind != INST_BRA && last->kind != INST_BRX)
                continue;
            last->rejoin = meet == INST_NONE || meet == g.block_count ? INST_NONE : g.start[meet];
        }
    }
    free(ipdom);
    graph_free(&g);
}
