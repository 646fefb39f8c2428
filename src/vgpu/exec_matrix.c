/* Products of small matrices. Sums are formed exactly enough: integers in 64 bits, floats in double
 * and rounded once. PTX leaves order and precision of the sum open; hardware rounds more often. */
#include "vgpu/exec_matrix.h"

#include <string.h>

#include "vgpu/exec_warp.h"
#include "vgpu/op_convert.h"
#include "vgpu/op_scalar.h"

enum { CELLS = 16 * 256 }; /* of the largest factor */

static struct exec_matrix description(const struct warp *w, const struct inst *in)
{
    struct exec_matrix x;
    memcpy(&x, w->frame->fn->lists + in->rejoin, sizeof x);
    return x;
}

/* ---- which element a lane's i-th value is ------------------------------------------------------
 */

enum role { ROLE_A, ROLE_B, ROLE_C };

struct fragment {
    const struct exec_matrix *x;
    enum role role;
    enum ptx_type type;
    unsigned regs, rows, cols;
    unsigned bits;     /* of an element */
    unsigned per_lane; /* elements */
};

static struct fragment fragment_of(const struct exec_matrix *x, enum role role, enum ptx_type type,
                                   unsigned regs)
{
    struct fragment f = { .x = x, .role = role, .type = type, .regs = regs };
    f.rows = role == ROLE_B ? x->k : x->m;
    f.cols = role == ROLE_A ? x->k : x->n;
    f.bits = exec_matrix_bits(type);
    f.per_lane = regs * (type == PTX_F64 ? 64 : 32) / f.bits;
    return f;
}

struct cell {
    unsigned row, col;
};

/* The documented layouts of mma: `group` is the quad of lanes, `in_group` the place in it; a
 * register holds `e` neighbours. */
static struct cell mma_cell(const struct fragment *f, unsigned lane, unsigned i)
{
    unsigned group = lane / 4, in_group = lane % 4;
    unsigned e = f->type == PTX_F64 ? 1 : 32 / f->bits, reg = i / e;
    unsigned along = in_group * e + i % e;
    if (f->role == ROLE_A)
        return (struct cell){ group + 8 * (f->x->m == 16 ? reg % 2 : 0),
                              along + 4 * e * (f->x->m == 16 ? reg / 2 : reg) };
    if (f->role == ROLE_B)
        return (struct cell){ along + 4 * e * reg, group };
    return (struct cell){ group + 8 * (i / 2), in_group * 2 + i % 2 };
}

/* m8n8k4: the lanes of one pair of quads hold one product; the second quad its lower half. */
static struct cell quad_cell(const struct fragment *f, unsigned lane, unsigned i)
{
    unsigned half = lane >= 16 ? 4 : 0, at = lane % 4;
    if (f->role == ROLE_A)
        return f->x->a_col ? (struct cell){ i + half, at } : (struct cell){ at + half, i };
    if (f->role == ROLE_B)
        return f->x->b_col ? (struct cell){ i, at + half } : (struct cell){ at, i + half };
    if (f->type == PTX_F16)
        return (struct cell){ at + half, i };
    return (struct cell){ (lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1) };
}

static struct cell wmma_cell(const struct fragment *f, unsigned lane, unsigned i)
{
    unsigned number = (lane * f->per_lane + i) % (f->rows * f->cols);
    return (struct cell){ number / f->cols, number % f->cols };
}

static struct cell cell_of(const struct fragment *f, unsigned lane, unsigned i)
{
    switch (f->x->how) {
    case EXEC_MATRIX_MMA:
        return mma_cell(f, lane, i);
    case EXEC_MATRIX_QUAD:
        return quad_cell(f, lane, i);
    default:
        return wmma_cell(f, lane, i);
    }
}

/* ---- elements in registers ---------------------------------------------------------------------
 */

static uint64_t get_bits(const struct warp *w, const struct fragment *f, const uint32_t *refs,
                         unsigned lane, unsigned i)
{
    if (f->type == PTX_F64)
        return warp_lane(warp_in(w, refs[i]), 8, lane);
    unsigned e = 32 / f->bits;
    uint64_t reg = warp_lane(warp_in(w, refs[i / e]), 4, lane);
    return reg >> i % e * f->bits & ((UINT64_C(1) << f->bits) - 1);
}

static void set_bits(struct warp *w, const struct fragment *f, const uint32_t *refs, unsigned lane,
                     unsigned i, uint64_t bits)
{
    if (f->type == PTX_F64) {
        warp_set_lane(w->regs + refs[i], 8, lane, bits);
        return;
    }
    unsigned e = 32 / f->bits, shift = i % e * f->bits;
    uint8_t *reg = w->regs + refs[i / e];
    uint64_t mask = ((UINT64_C(1) << f->bits) - 1) << shift;
    warp_set_lane(reg, 4, lane, (warp_lane(reg, 4, lane) & ~mask) | bits << shift);
}

static double float_value(enum ptx_type type, uint64_t bits)
{
    switch (type) {
    case PTX_F16:
        return float_of_half((uint32_t)bits);
    case PTX_BF16:
        return float_of_bf16((uint32_t)bits);
    case PTX_TF32: /* the lower 13 bits do not count */
        return f32_of_bits((uint32_t)bits & 0xffffe000);
    case PTX_F32:
        return f32_of_bits((uint32_t)bits);
    default:
        return f64_of_bits(bits);
    }
}

static int64_t int_value(enum ptx_type type, unsigned width, uint64_t bits)
{
    bool sign = type == PTX_S8 || type == PTX_S4 || type == PTX_S32;
    return sign ? (int64_t)(bits << (64 - width)) >> (64 - width) : (int64_t)bits;
}

static uint64_t rounded(enum ptx_type type, double v)
{
    if (type == PTX_F64)
        return bits_of_f64(v);
    if (type == PTX_F16)
        return half_of_float(odd_float(v));
    float f = (float)v;
    return f != f ? 0x7fffffff : bits_of_f32(f);
}

static uint32_t rounded_sum(const struct exec_matrix *x, int64_t v)
{
    if (x->finite)
        v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    return (uint32_t)v;
}

/* ---- products ----------------------------------------------------------------------------------
 */

struct operands {
    const uint32_t *d, *a, *b, *c;
    uint32_t lanes; /* those that hold this product */
};

static void read_floats(const struct warp *w, const struct fragment *f, const uint32_t *refs,
                        uint32_t lanes, double *out)
{
    FOR_LANES(lane, lanes)
    {
        for (unsigned i = 0; i < f->per_lane; i++) {
            struct cell at = cell_of(f, lane, i);
            out[at.row * f->cols + at.col] = float_value(f->type, get_bits(w, f, refs, lane, i));
        }
    }
}

static void multiply_floats(struct warp *w, const struct exec_matrix *x, const struct operands *o)
{
    double a[CELLS], b[CELLS], c[32 * 32];
    struct fragment fa = fragment_of(x, ROLE_A, x->a_type, x->a_regs);
    struct fragment fb = fragment_of(x, ROLE_B, x->b_type, x->b_regs);
    struct fragment fc = fragment_of(x, ROLE_C, x->c_type, x->c_regs);
    struct fragment fd = fragment_of(x, ROLE_C, x->d_type, x->d_regs);
    read_floats(w, &fa, o->a, o->lanes, a);
    read_floats(w, &fb, o->b, o->lanes, b);
    read_floats(w, &fc, o->c, o->lanes, c);
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned k = 0; k < x->k; k++)
            for (unsigned j = 0; j < x->n; j++)
                c[i * x->n + j] += a[i * x->k + k] * b[k * x->n + j];
    uint32_t lanes = o->lanes;
    FOR_LANES(lane, lanes)
    {
        for (unsigned i = 0; i < fd.per_lane; i++) {
            struct cell at = cell_of(&fd, lane, i);
            set_bits(w, &fd, o->d, lane, i, rounded(x->d_type, c[at.row * x->n + at.col]));
        }
    }
}

static void read_ints(const struct warp *w, const struct fragment *f, const uint32_t *refs,
                      uint32_t lanes, int64_t *out)
{
    FOR_LANES(lane, lanes)
    {
        for (unsigned i = 0; i < f->per_lane; i++) {
            struct cell at = cell_of(f, lane, i);
            out[at.row * f->cols + at.col] =
                int_value(f->type, f->bits, get_bits(w, f, refs, lane, i));
        }
    }
}

static int64_t int_product(const struct exec_matrix *x, int64_t a, int64_t b)
{
    if (x->a_type != PTX_B1)
        return a * b;
    return x->bit_and ? a & b : a ^ b;
}

static void multiply_ints(struct warp *w, const struct exec_matrix *x, const struct operands *o)
{
    int64_t a[CELLS], b[CELLS], c[32 * 32];
    struct fragment fa = fragment_of(x, ROLE_A, x->a_type, x->a_regs);
    struct fragment fb = fragment_of(x, ROLE_B, x->b_type, x->b_regs);
    struct fragment fc = fragment_of(x, ROLE_C, x->c_type, x->c_regs);
    read_ints(w, &fa, o->a, o->lanes, a);
    read_ints(w, &fb, o->b, o->lanes, b);
    read_ints(w, &fc, o->c, o->lanes, c);
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned k = 0; k < x->k; k++)
            for (unsigned j = 0; j < x->n; j++)
                c[i * x->n + j] += int_product(x, a[i * x->k + k], b[k * x->n + j]);
    uint32_t lanes = o->lanes;
    FOR_LANES(lane, lanes)
    {
        for (unsigned i = 0; i < fc.per_lane; i++) {
            struct cell at = cell_of(&fc, lane, i);
            set_bits(w, &fc, o->d, lane, i, rounded_sum(x, c[at.row * x->n + at.col]));
        }
    }
}

/* Every lane takes part, or the instruction is undefined. */
static int check_whole(struct warp *w, const struct inst *in, uint32_t mask)
{
    if (mask == EXEC_ALL_LANES)
        return 0;
    return exec_fail(w, in, (unsigned)__builtin_ctz(mask), EXEC_LAUNCH_FAILED,
                     "only lanes 0x%x reach an instruction that needs the whole warp", mask);
}

int exec_mma(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct exec_matrix x = description(w, in);
    const uint32_t *refs = w->frame->fn->lists + in->list;
    struct operands o = { .d = refs, .lanes = EXEC_ALL_LANES };
    o.a = o.d + x.d_regs;
    o.b = o.a + x.a_regs;
    o.c = o.b + x.b_regs;
    if (check_whole(w, in, mask))
        return EXEC_LAUNCH_FAILED;
    if (!ptx_type_float(x.a_type)) {
        multiply_ints(w, &x, &o);
    } else if (x.how != EXEC_MATRIX_QUAD) {
        multiply_floats(w, &x, &o);
    } else {
        for (unsigned pair = 0; pair < 4; pair++) {
            o.lanes = UINT32_C(0x000f000f) << 4 * pair;
            multiply_floats(w, &x, &o);
        }
    }
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------
 */

/* Loads and stores go element by element: `row` and `col` of x are m and k. */
static int wmma_move(struct warp *w, const struct inst *in, uint32_t mask, bool is_write)
{
    struct exec_matrix x = description(w, in);
    struct fragment f = { .x = &x,
                          .type = x.a_type,
                          .regs = x.a_regs,
                          .rows = x.m,
                          .cols = x.k,
                          .bits = exec_matrix_bits(x.a_type) };
    const uint32_t *refs = w->frame->fn->lists + in->list;
    uint64_t base = mem_lane_address(w, in, 0);
    uint64_t stride = x.a_col ? x.m : x.k;
    uint32_t bytes = f.bits / 8;
    f.per_lane = f.regs * (f.type == PTX_F64 ? 64 : 32) / f.bits;
    if (check_whole(w, in, mask))
        return EXEC_LAUNCH_FAILED;
    if (bytes == 0)
        return exec_fail(w, in, 0, EXEC_ILLEGAL_INSTRUCTION, "elements below a byte in memory");
    if (in->b != INST_NONE)
        stride = warp_lane(warp_in(w, in->b), 4, 0);
    for (unsigned lane = 0; lane < OP_LANES; lane++) {
        for (unsigned i = 0; i < f.per_lane; i++) {
            struct cell at = wmma_cell(&f, lane, i);
            uint64_t offset = x.a_col ? at.col * stride + at.row : at.row * stride + at.col;
            uint8_t *p = mem_lane_host(w, in, lane, (enum ptx_space)in->space,
                                       base + offset * bytes, bytes, bytes, is_write);
            uint64_t bits = is_write ? get_bits(w, &f, refs, lane, i) : 0;
            if (!p)
                return EXEC_ILLEGAL_ADDRESS;
            if (is_write)
                memcpy(p, &bits, bytes);
            else
                memcpy(&bits, p, bytes);
            if (!is_write)
                set_bits(w, &f, refs, lane, i, bits);
        }
    }
    exec_count_tile(w, in, (uint32_t)x.m * x.k * bytes, is_write);
    return 0;
}

int exec_wmma_load(struct warp *w, const struct inst *in, uint32_t mask)
{
    return wmma_move(w, in, mask, false);
}

int exec_wmma_store(struct warp *w, const struct inst *in, uint32_t mask)
{
    return wmma_move(w, in, mask, true);
}

/* A tile counts as dense: as many sectors as its bytes fill. */
void exec_count_tile(struct warp *w, const struct inst *in, uint32_t bytes, bool is_write)
{
    struct exec_counters *c = &w->worker->counters;
    uint64_t address = mem_lane_address(w, in, 0);
    if (in->space == PTX_SHARED ||
        (in->space == PTX_GENERIC && address - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES)) {
        c->shared_requests++;
        c->shared_cycles += (bytes + 127) / 128;
        return;
    }
    *(is_write ? &c->global_store_requests : &c->global_load_requests) += 1;
    *(is_write ? &c->global_store_sectors : &c->global_load_sectors) += (bytes + 31) / 32;
    *(is_write ? &c->global_store_lines : &c->global_load_lines) += (bytes + 127) / 128;
    *(is_write ? &c->global_store_bytes : &c->global_load_bytes) += bytes;
}

/* Lanes 8j to 8j + 7 give the addresses of matrix j's rows of eight halves; every lane receives two
 * neighbours of a row, or of a column with .trans. */
int exec_ldmatrix(struct warp *w, const struct inst *in, uint32_t mask)
{
    const uint32_t *refs = w->frame->fn->lists + in->list;
    uint16_t tile[8][8];
    if (check_whole(w, in, mask))
        return EXEC_LAUNCH_FAILED;
    uint64_t addresses[OP_LANES];
    for (unsigned lane = 0; lane < OP_LANES; lane++)
        addresses[lane] = mem_lane_address(w, in, lane);
    for (unsigned j = 0; j < in->count; j++) {
        for (unsigned row = 0; row < 8; row++) {
            unsigned lane = 8 * j + row;
            const uint8_t *p =
                mem_lane_host(w, in, lane, in->space == PTX_GENERIC ? PTX_GENERIC : PTX_SHARED,
                              addresses[lane], 16, 16, false);
            if (!p)
                return EXEC_ILLEGAL_ADDRESS;
            memcpy(tile[row], p, 16);
        }
        for (unsigned lane = 0; lane < OP_LANES; lane++) {
            unsigned row = lane / 4, col = lane % 4 * 2;
            uint32_t low = in->op ? tile[col][row] : tile[row][col];
            uint32_t high = in->op ? tile[col + 1][row] : tile[row][col + 1];
            warp_set_lane(w->regs + refs[j], 4, lane, low | high << 16);
        }
    }
    exec_count_tile(w, in, 128u * in->count, false);
    return 0;
}

int exec_movmatrix(struct warp *w, const struct inst *in, uint32_t mask)
{
    const void *a = warp_in(w, in->a);
    uint16_t tile[8][8];
    if (check_whole(w, in, mask))
        return EXEC_LAUNCH_FAILED;
    for (unsigned lane = 0; lane < OP_LANES; lane++) {
        uint32_t v = (uint32_t)warp_lane(a, 4, lane);
        tile[lane / 4][lane % 4 * 2] = (uint16_t)v;
        tile[lane / 4][lane % 4 * 2 + 1] = (uint16_t)(v >> 16);
    }
    for (unsigned lane = 0; lane < OP_LANES; lane++) {
        unsigned row = lane / 4, col = lane % 4 * 2;
        uint32_t low = tile[col][row], high = tile[col + 1][row];
        warp_set_lane(w->regs + in->d, 4, lane, low | high << 16);
    }
    return 0;
}
