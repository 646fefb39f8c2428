/* wmma, mma, ldmatrix, movmatrix. */
#include "vgpu/decode_impl.h"
#include "vgpu/exec_matrix.h"
#include "vgpu/exec_warp.h"

struct shape {
    uint16_t word;
    uint8_t m, n;
    uint16_t k;
};

static const struct shape shapes[] = {
    { PTX_W_m8n8k4, 8, 8, 4 },       { PTX_W_m8n8k16, 8, 8, 16 },
    { PTX_W_m8n8k32, 8, 8, 32 },     { PTX_W_m8n8k128, 8, 8, 128 },
    { PTX_W_m16n8k4, 16, 8, 4 },     { PTX_W_m16n8k8, 16, 8, 8 },
    { PTX_W_m16n8k16, 16, 8, 16 },   { PTX_W_m16n8k32, 16, 8, 32 },
    { PTX_W_m16n8k64, 16, 8, 64 },   { PTX_W_m16n8k128, 16, 8, 128 },
    { PTX_W_m16n8k256, 16, 8, 256 }, { PTX_W_m16n16k16, 16, 16, 16 },
    { PTX_W_m16n16k8, 16, 16, 8 },   { PTX_W_m32n8k16, 32, 8, 16 },
    { PTX_W_m8n32k16, 8, 32, 16 },
};

static void take_shape(struct decoder *d, struct exec_matrix *x)
{
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (decode_take(d, (enum ptx_word)shapes[i].word)) {
            x->m = shapes[i].m;
            x->n = shapes[i].n;
            x->k = shapes[i].k;
            return;
        }
    }
    decode_fail(d, "this shape is not supported");
}

static void take_sync(struct decoder *d)
{
    if (!decode_take(d, PTX_W_sync))
        decode_fail(d, "'.sync' is expected");
    decode_take(d, PTX_W_aligned);
}

/* row is 0, col is 1 */
static uint8_t take_layout(struct decoder *d)
{
    if (decode_take(d, PTX_W_row))
        return 0;
    if (!decode_take(d, PTX_W_col))
        decode_fail(d, "'.row' or '.col' is expected");
    return 1;
}

/* Modifiers of layout are taken in order, so "row.row" needs a search from the front. */
static void take_layouts(struct decoder *d, struct exec_matrix *x)
{
    uint8_t found[2];
    unsigned count = 0;
    for (unsigned i = 0; i < d->src->mod_count && count < 2; i++) {
        if (d->src->mods[i] != PTX_W_row && d->src->mods[i] != PTX_W_col)
            continue;
        d->mods_taken |= UINT32_C(1) << i;
        found[count++] = d->src->mods[i] == PTX_W_col;
    }
    if (count != 2) {
        decode_fail(d, "the layouts of both factors are expected");
        return;
    }
    x->a_col = found[0];
    x->b_col = found[1];
}

unsigned exec_matrix_bits(enum ptx_type type)
{
    switch (type) {
    case PTX_B1:
        return 1;
    case PTX_U4:
    case PTX_S4:
        return 4;
    default:
        return 8 * ptx_type_size(type);
    }
}

/* The fragment registers of an operand, appended to lists[] by the caller. */
static unsigned fragment(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                         bool result, uint32_t *refs)
{
    bool vector = o->kind == PTX_OPERAND_VECTOR;
    unsigned n = vector ? o->elem_count : 1;
    enum ptx_type reg = type == PTX_F64 ? PTX_F64 : PTX_B32;
    if (n > EXEC_FRAGMENT_CAP || n == 0) {
        decode_fail(d, "a fragment has at most %d registers", EXEC_FRAGMENT_CAP);
        return 0;
    }
    for (unsigned i = 0; i < n; i++) {
        const struct ptx_operand *e = vector ? &o->elems[i] : o;
        refs[i] = result ? decode_def(d, e, reg) : decode_use(d, e, reg);
    }
    return n;
}

static uint32_t add_matrix(struct decoder *d, const struct exec_matrix *x)
{
    uint32_t words[sizeof *x / 4];
    _Static_assert(sizeof *x % 4 == 0, "a description is a whole number of words");
    __builtin_memcpy(words, x, sizeof *x);
    return decode_list(d, words, sizeof *x / 4);
}

/* Whether `regs` registers of each lane can hold rows * cols elements: exactly once, or for f16
 * factors of wmma several times over. */
static void check_fragment(struct decoder *d, unsigned regs, enum ptx_type type, unsigned rows,
                           unsigned cols, bool repeated)
{
    unsigned bits = exec_matrix_bits(type);
    unsigned held = regs * (type == PTX_F64 ? 64 : 32) / (bits ? bits : 1) * OP_LANES;
    unsigned needed = rows * cols;
    if (held != needed && !(repeated && needed && held % needed == 0))
        decode_fail(d, "a fragment has the wrong number of registers");
}

static void multiply(struct decoder *d, struct exec_matrix *x, inst_warp_fn *fn)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_TENSOR);
    uint32_t refs[4 * EXEC_FRAGMENT_CAP];
    bool pairs = x->how == EXEC_MATRIX_QUAD; /* four products of 8x8x4 side by side */
    if (!decode_expect_operands(d, 4, 4) || d->failed)
        return;
    bool wmma = x->how == EXEC_MATRIX_WMMA;
    x->d_regs = (uint8_t)fragment(d, decode_operand(d, 0), x->d_type, true, refs);
    unsigned n = x->d_regs;
    x->a_regs = (uint8_t)fragment(d, decode_operand(d, 1), x->a_type, false, refs + n);
    n += x->a_regs;
    x->b_regs = (uint8_t)fragment(d, decode_operand(d, 2), x->b_type, false, refs + n);
    n += x->b_regs;
    x->c_regs = (uint8_t)fragment(d, decode_operand(d, 3), x->c_type, false, refs + n);
    n += x->c_regs;
    unsigned times = pairs ? 4 : 1;
    check_fragment(d, x->a_regs, x->a_type, x->m * times, x->k, wmma);
    check_fragment(d, x->b_regs, x->b_type, x->k, x->n * times, wmma);
    check_fragment(d, x->c_regs, x->c_type, x->m * times, x->n, false);
    check_fragment(d, x->d_regs, x->d_type, x->m * times, x->n, false);
    if (d->failed)
        return;
    in.rejoin = add_matrix(d, x);
    in.list = decode_list(d, refs, n);
    in.list_defs = x->d_regs;
    in.list_uses = (uint16_t)(n - x->d_regs);
    in.fn.warp = fn;
    decode_emit(d, &in);
}

static bool is_factor(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_TF32:
    case PTX_F64:
    case PTX_S8:
    case PTX_U8:
    case PTX_S4:
    case PTX_U4:
    case PTX_B1:
        return true;
    default:
        return false;
    }
}

/* .dtype.atype.btype.ctype, or for wmma with f16 factors .dtype.ctype. */
static void take_types(struct decoder *d, struct exec_matrix *x)
{
    enum ptx_type types[4];
    unsigned count = 0;
    for (unsigned i = 0; i < d->src->mod_count && count < 4; i++) {
        enum ptx_type type = ptx_type_of((enum ptx_word)d->src->mods[i]);
        if (type == PTX_VOID)
            continue;
        d->mods_taken |= UINT32_C(1) << i;
        types[count++] = type;
    }
    if (count != 4 && !(count == 2 && x->how == EXEC_MATRIX_WMMA)) {
        decode_fail(d, "the types of all four matrices are expected");
        return;
    }
    x->d_type = types[0];
    x->c_type = types[count - 1];
    x->a_type = count == 4 ? types[1] : PTX_F16;
    x->b_type = count == 4 ? types[2] : PTX_F16;
    bool ints = !ptx_type_float(x->a_type);
    bool sums = ints                   ? x->d_type == PTX_S32 && x->c_type == PTX_S32
                : x->a_type == PTX_F64 ? x->d_type == PTX_F64 && x->c_type == PTX_F64
                                       : (x->d_type == PTX_F32 || x->d_type == PTX_F16) &&
                                             (x->c_type == PTX_F32 || x->c_type == PTX_F16);
    if (!is_factor(x->a_type) || !is_factor(x->b_type) || !sums ||
        ptx_type_float(x->b_type) != !ints)
        decode_fail(d, "this combination of types is not supported");
}

static void take_bit_op(struct decoder *d, struct exec_matrix *x)
{
    if (x->a_type != PTX_B1)
        return;
    x->bit_and = decode_take(d, PTX_W_and);
    if ((!x->bit_and && !decode_take(d, PTX_W_xor)) || !decode_take(d, PTX_W_popc))
        decode_fail(d, "'.xor.popc' or '.and.popc' is expected");
}

void decode_mma(struct decoder *d)
{
    struct exec_matrix x = { .how = EXEC_MATRIX_MMA };
    uint8_t round;
    take_sync(d);
    take_shape(d, &x);
    take_layouts(d, &x);
    decode_take_round(d, &round);
    x.finite = decode_take(d, PTX_W_satfinite);
    if (decode_has(d, PTX_W_m8n8k4) && decode_has(d, PTX_W_f16))
        x.how = EXEC_MATRIX_QUAD;
    take_types(d, &x);
    take_bit_op(d, &x);
    if (x.how == EXEC_MATRIX_MMA && (x.a_col || !x.b_col))
        decode_fail(d, "this shape needs '.row.col'");
    if (x.how == EXEC_MATRIX_QUAD && x.a_type != PTX_F16)
        decode_fail(d, "this combination of types is not supported");
    multiply(d, &x, exec_mma);
}

static void wmma_mma(struct decoder *d)
{
    struct exec_matrix x = { .how = EXEC_MATRIX_WMMA };
    uint8_t round;
    take_sync(d);
    take_shape(d, &x);
    take_layouts(d, &x);
    decode_take_round(d, &round);
    x.finite = decode_take(d, PTX_W_satfinite);
    take_types(d, &x);
    take_bit_op(d, &x);
    multiply(d, &x, exec_mma);
}

static void take_memory(struct decoder *d, struct inst *in)
{
    decode_take(d, PTX_W_cta);
    in->space = decode_take(d, PTX_W_global)       ? PTX_GLOBAL
                : decode_take(d, PTX_W_shared)     ? PTX_SHARED
                : decode_take(d, PTX_W_shared_cta) ? PTX_SHARED
                                                   : PTX_GENERIC;
}

/* wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {...}, [p], stride; */
static void wmma_move(struct decoder *d, bool load)
{
    struct exec_matrix x = { .how = EXEC_MATRIX_WMMA };
    struct inst in = decode_new(d, INST_WARP, load ? CLASS_LOAD_GLOBAL : CLASS_STORE_GLOBAL);
    uint32_t refs[EXEC_FRAGMENT_CAP];
    bool a = load && decode_take(d, PTX_W_a), b = load && !a && decode_take(d, PTX_W_b);
    if (!a && !b && !decode_take(d, load ? PTX_W_c : PTX_W_d))
        decode_fail(d, "which matrix is meant?");
    take_sync(d);
    x.a_col = take_layout(d);
    take_shape(d, &x);
    take_memory(d, &in);
    x.a_type = decode_take_type(d);
    unsigned rows = b ? x.k : x.m, cols = a ? x.k : x.n;
    if (d->failed || !decode_expect_operands(d, 2, 3))
        return;
    const struct ptx_operand *registers = decode_operand(d, load ? 0 : 1);
    x.a_regs = (uint8_t)fragment(d, registers, x.a_type, load, refs);
    check_fragment(d, x.a_regs, x.a_type, rows, cols, a || b);
    x.m = (uint8_t)rows;
    x.k = (uint16_t)cols;
    decode_address(d, decode_operand(d, load ? 1 : 0), &in);
    if (d->src->operand_count == 3)
        in.b = decode_use(d, decode_operand(d, 2), PTX_U32);
    if (d->failed)
        return;
    in.rejoin = add_matrix(d, &x);
    in.list = decode_list(d, refs, x.a_regs);
    *(load ? &in.list_defs : &in.list_uses) = x.a_regs;
    in.cls = in.space == PTX_SHARED ? (load ? CLASS_LOAD_SHARED : CLASS_STORE_SHARED) : in.cls;
    in.fn.warp = load ? exec_wmma_load : exec_wmma_store;
    decode_emit(d, &in);
}

void decode_wmma(struct decoder *d)
{
    if (decode_take(d, PTX_W_mma))
        wmma_mma(d);
    else if (decode_take(d, PTX_W_load))
        wmma_move(d, true);
    else if (decode_take(d, PTX_W_store))
        wmma_move(d, false);
    else
        decode_fail(d, "'.load', '.store' or '.mma' is expected");
}

void decode_ldmatrix(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_LOAD_SHARED);
    uint32_t refs[EXEC_FRAGMENT_CAP];
    take_sync(d);
    if (!decode_take(d, PTX_W_m8n8))
        decode_fail(d, "only '.m8n8' is supported");
    in.count = decode_take(d, PTX_W_x1) ? 1 : decode_take(d, PTX_W_x2) ? 2 : 4;
    if (in.count == 4 && !decode_take(d, PTX_W_x4))
        decode_fail(d, "'.x1', '.x2' or '.x4' is expected");
    in.op = decode_take(d, PTX_W_trans);
    take_memory(d, &in);
    if (decode_take_type(d) != PTX_B16 || !decode_expect_operands(d, 2, 2)) {
        decode_fail(d, "only '.b16' is supported");
        return;
    }
    if (fragment(d, decode_operand(d, 0), PTX_B32, true, refs) != in.count)
        decode_fail(d, "the wrong number of registers");
    decode_address(d, decode_operand(d, 1), &in);
    if (d->failed)
        return;
    in.list = decode_list(d, refs, in.count);
    in.list_defs = in.count;
    in.fn.warp = exec_ldmatrix;
    decode_emit(d, &in);
}

void decode_movmatrix(struct decoder *d)
{
    struct inst in = decode_new(d, INST_WARP, CLASS_SHUFFLE);
    take_sync(d);
    if (!decode_take(d, PTX_W_m8n8) || !decode_take(d, PTX_W_trans) ||
        decode_take_type(d) != PTX_B16 || !decode_expect_operands(d, 2, 2)) {
        decode_fail(d, "only '.m8n8.trans.b16' is known");
        return;
    }
    in.a = decode_use(d, decode_operand(d, 1), PTX_B32);
    in.d = decode_def(d, decode_operand(d, 0), PTX_B32);
    in.fn.warp = exec_movmatrix;
    decode_emit(d, &in);
}
