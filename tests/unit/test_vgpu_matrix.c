/* Matrix instructions of the virtual GPU. wmma is checked from memory to memory, its registers
 * being opaque; mma by the layouts that the manual gives for each shape; ldmatrix by feeding mma.
 */
#include "vgpu_quad.h"
#include "vgpu_run.h"

TestSuite(vgpu_matrix, .timeout = 60);

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* Small values that every type holds exactly, so that every sum is exact whatever its order. */
static int entry(unsigned seed, unsigned i, unsigned j)
{
    return (int)((i * 7 + j * 13 + seed * 5 + i * j) % 9) - 4;
}

static uint64_t encode(const struct quad_format *f, int v)
{
    return quad_round(f, (quad)v, QUAD_RN);
}

/* ---- wmma -------------------------------------------------------------------------------------
 */

struct wmma_case {
    char shape[12];
    unsigned m, n, k;
    char factor[6], sum[6]; /* types */
    unsigned a_regs, b_regs, c_regs;
    char types[28]; /* of wmma.mma */
};

static const struct wmma_case wmma_cases[] = {
    { "m16n16k16", 16, 16, 16, "f16", "f32", 8, 8, 8, "f32.f32" },
    { "m16n16k16", 16, 16, 16, "f16", "f16", 8, 8, 4, "f16.f16" },
    { "m32n8k16", 32, 8, 16, "f16", "f32", 8, 8, 8, "f32.f32" },
    { "m8n32k16", 8, 32, 16, "f16", "f16", 8, 8, 4, "f16.f16" },
    { "m16n16k16", 16, 16, 16, "bf16", "f32", 4, 4, 8, "f32.bf16.bf16.f32" },
    { "m32n8k16", 32, 8, 16, "bf16", "f32", 8, 2, 8, "f32.bf16.bf16.f32" },
    { "m16n16k8", 16, 16, 8, "tf32", "f32", 4, 4, 8, "f32.tf32.tf32.f32" },
    { "m16n16k16", 16, 16, 16, "s8", "s32", 2, 2, 8, "s32.s8.s8.s32" },
    { "m16n16k16", 16, 16, 16, "u8", "s32", 2, 2, 8, "s32.u8.u8.s32" },
    { "m8n32k16", 8, 32, 16, "s8", "s32", 1, 4, 8, "s32.s8.s8.s32" },
};

static const struct quad_format *format_of(const char *type)
{
    return strcmp(type, "f16") == 0           ? &quad_f16
           : strcmp(type, "bf16") == 0        ? &quad_bf16
           : type[0] == 's' || type[0] == 'u' ? NULL
                                              : &quad_f32;
}

static unsigned bytes_of(const char *type)
{
    return strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

static void put(uint8_t *at, const char *type, int v)
{
    const struct quad_format *f = format_of(type);
    uint64_t bits = f ? encode(f, v) : (uint64_t)(int64_t)(type[0] == 'u' && v < 0 ? -v : v);
    memcpy(at, &bits, bytes_of(type));
}

/* What put() stored, as a number. */
static int held(const char *type, int v)
{
    return type[0] == 'u' && v < 0 ? -v : v;
}

static void add_registers(struct str *s, char letter, unsigned count)
{
    str_add(s, "{");
    for (unsigned i = 0; i < count; i++)
        str_addf(s, "%s%%%c%u", i ? "," : "", letter, i);
    str_add(s, "}");
}

/* One warp copies `words` words; the registers are its own. */
static void add_copy(struct str *s, const char *to_space, const char *to, const char *from_space,
                     const char *from, unsigned words)
{
    static unsigned number;
    number++;
    str_addf(s,
             "{\n.reg .b32 %%i,%%x;\n.reg .b64 %%o,%%f,%%t;\n.reg .pred %%q;\nmov.u32 %%i, "
             "%%tid.x;\nL%u:\nsetp.ge.u32 %%q, %%i, %u;\n@%%q bra E%u;\nmul.wide.u32 %%o, %%i, "
             "4;\nadd.s64 %%f, %s, %%o;\nadd.s64 %%t, %s, %%o;\nld.%s.u32 %%x, [%%f];\n"
             "st.%s.u32 [%%t], %%x;\nadd.u32 %%i, %%i, 32;\nbra L%u;\nE%u:\n}\nbar.sync 0;\n",
             number, words, number, from, to, from_space, to_space, number, number);
}

/* `space` of all matrices but c: "", ".global", or ".shared", where they are copied to and from. */
static struct str wmma_text(const struct wmma_case *x, bool a_col, bool b_col, bool d_col,
                            const char *space)
{
    struct str s = STR_INIT;
    const char *a = a_col ? "col" : "row", *b = b_col ? "col" : "row", *d = d_col ? "col" : "row";
    bool shared = strcmp(space, ".shared") == 0;
    unsigned la = (a_col ? x->m : x->k) + 8, ld = (d_col ? x->m : x->n) + 4;
    unsigned d_words = (d_col ? x->n : x->m) * ld * bytes_of(x->sum) / 4;
    str_add(
        &s, HEAD
        ".shared .align 128 .b8 sa[2048];\n.shared .align 128 .b8 sb[2048];\n"
        ".shared .align 128 .b8 sd[8192];\n"
        ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 "
        "la, "
        ".param .u32 lb, .param .u32 ld)\n{\n.reg .b32 %a<8>,%b<8>,%c<8>,%d<8>;\n.reg .b64 "
        "%p<5>,%s<3>;\n"
        ".reg .b32 %l<3>;\nld.param.u64 %p0, [d];\nld.param.u64 %p1, [a];\nld.param.u64 %p2, [b];\n"
        "ld.param.u64 %p3, [c];\nld.param.u32 %l0, [la];\nld.param.u32 %l1, [lb];\nld.param.u32 "
        "%l2, [ld];\nmov.u64 %p4, %p0;\n");
    if (shared) {
        str_add(&s, "mov.u64 %s0, sa;\nmov.u64 %s1, sb;\nmov.u64 %s2, sd;\n");
        add_copy(&s, "shared", "%s0", "global", "%p1",
                 (a_col ? x->k : x->m) * la * bytes_of(x->factor) / 4);
        add_copy(&s, "shared", "%s1", "global", "%p2", x->n * x->k * bytes_of(x->factor) / 4);
        add_copy(&s, "shared", "%s2", "global", "%p0", d_words);
        str_add(&s, "mov.u64 %p1, %s0;\nmov.u64 %p2, %s1;\nmov.u64 %p4, %s2;\n");
    }
    str_addf(&s, "wmma.load.a.sync.aligned.%s.%s%s.%s ", a, x->shape, space, x->factor);
    add_registers(&s, 'a', x->a_regs);
    str_addf(&s, ", [%%p1], %%l0;\nwmma.load.b.sync.aligned.%s.%s%s.%s ", b, x->shape, space,
             x->factor);
    add_registers(&s, 'b', x->b_regs);
    str_addf(&s, ", [%%p2], %%l1;\nwmma.load.c.sync.aligned.%s.%s.%s ", d, x->shape, x->sum);
    add_registers(&s, 'c', x->c_regs);
    str_addf(&s, ", [%%p3], %%l2;\nwmma.mma.sync.aligned.%s.%s.%s.%s ", a, b, x->shape, x->types);
    add_registers(&s, 'd', x->c_regs);
    for (unsigned i = 0; i < 3; i++) {
        str_add(&s, ", ");
        add_registers(&s, "abc"[i], i == 0 ? x->a_regs : i == 1 ? x->b_regs : x->c_regs);
    }
    str_addf(&s, ";\nwmma.store.d.sync.aligned.%s.%s%s.%s [%%p4], ", d, x->shape, space, x->sum);
    add_registers(&s, 'd', x->c_regs);
    str_add(&s, ", %l2;\n");
    if (shared)
        add_copy(&s, "global", "%p0", "shared", "%s2", d_words);
    str_add(&s, "ret;\n}\n");
    return s;
}

static uint64_t matrix(struct vgpu_run *r, const char *type, unsigned rows, unsigned cols,
                       unsigned stride, bool col, unsigned seed)
{
    static uint8_t bytes[64 * 64 * 4];
    memset(bytes, 0, sizeof bytes);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < cols; j++)
            put(bytes + (col ? j * stride + i : i * stride + j) * bytes_of(type), type,
                entry(seed, i, j));
    return vgpu_buffer(r, bytes, (col ? cols : rows) * stride * bytes_of(type));
}

static void check_wmma(const struct wmma_case *x, bool a_col, bool b_col, bool d_col,
                       const char *space)
{
    struct {
        uint64_t d, a, b, c;
        uint32_t la, lb, ld;
    } p = { .la = (a_col ? x->m : x->k) + 8,
            .lb = b_col ? x->k : x->n,
            .ld = (d_col ? x->m : x->n) + 4 };
    struct vgpu_run r;
    struct str text = wmma_text(x, a_col, b_col, d_col, space);
    cr_assert_eq(vgpu_load(&r, text.p, 90, NULL, false), 0, "%s %s: %s", x->shape, x->types,
                 r.err.msg);
    p.a = matrix(&r, x->factor, x->m, x->k, p.la, a_col, 1);
    p.b = matrix(&r, x->factor, x->k, x->n, p.lb, b_col, 2);
    p.c = matrix(&r, x->sum, x->m, x->n, p.ld, d_col, 3);
    p.d = matrix(&r, x->sum, x->m, x->n, p.ld, d_col, 4);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, 32, &p, 44), EXEC_OK, "%s", r.result.fault.text);
    vgpu_tested_all(text.p, "wmma");
    const uint8_t *d = vgpu_host(&r, p.d, 1);
    for (unsigned i = 0; i < x->m; i++) {
        for (unsigned j = 0; j < x->n; j++) {
            uint8_t wanted[4];
            int sum = entry(3, i, j);
            for (unsigned k = 0; k < x->k; k++)
                sum += held(x->factor, entry(1, i, k)) * held(x->factor, entry(2, k, j));
            put(wanted, x->sum, sum);
            cr_assert_arr_eq(d + (d_col ? j * p.ld + i : i * p.ld + j) * bytes_of(x->sum), wanted,
                             bytes_of(x->sum), "%s %s at %u,%u", x->shape, x->types, i, j);
        }
    }
    vgpu_free(&r);
    str_free(&text);
}

Test(vgpu_matrix, wmma_multiplies_from_memory_to_memory_in_every_layout)
{
    static const char spaces[][8] = { "", ".global", ".shared" };
    for (size_t i = 0; i < sizeof wmma_cases / sizeof wmma_cases[0]; i++)
        for (unsigned how = 0; how < 24; how++)
            check_wmma(&wmma_cases[i], how & 1, how & 2, how & 4, spaces[how / 8]);
}

/* ---- mma --------------------------------------------------------------------------------------
 */

struct place {
    unsigned row, col;
};

/* The manual's figures, shape by shape: lane l, element i. g and t are its groupID and
 * threadID_in_group. */
static struct place place_a(const char *shape, const char *type, unsigned l, unsigned i)
{
    unsigned g = l >> 2, t = l & 3;
    if (strcmp(shape, "m16n8k16") == 0 && bytes_of(type) == 2)
        return (struct place){ i < 2 || (i >= 4 && i < 6) ? g : g + 8,
                               t * 2 + (i & 1) + (i >= 4 ? 8 : 0) };
    if (strcmp(shape, "m16n8k8") == 0 && bytes_of(type) == 2)
        return (struct place){ i < 2 ? g : g + 8, t * 2 + (i & 1) };
    if (strcmp(shape, "m16n8k8") == 0) /* tf32 */
        return (struct place){ i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4 };
    if (strcmp(shape, "m16n8k4") == 0)
        return (struct place){ i == 0 ? g : g + 8, t };
    if (strcmp(shape, "m8n8k16") == 0)
        return (struct place){ g, t * 4 + i };
    if (strcmp(shape, "m16n8k16") == 0) /* 8 bits */
        return (struct place){ i < 4 ? g : g + 8, t * 4 + (i & 3) };
    return (struct place){ i < 4 || (i >= 8 && i < 12) ? g : g + 8,
                           t * 4 + (i & 3) + (i >= 8 ? 16 : 0) };
}

static struct place place_b(const char *shape, const char *type, unsigned l, unsigned i)
{
    unsigned g = l >> 2, t = l & 3;
    if (bytes_of(type) == 2)
        return (struct place){ t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g };
    if (bytes_of(type) == 4)
        return (struct place){ i == 0 ? t : t + 4, g };
    (void)shape;
    return (struct place){ t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g };
}

static struct place place_c(unsigned l, unsigned i)
{
    return (struct place){ (l >> 2) + (i >= 2 ? 8 : 0), (l & 3) * 2 + (i & 1) };
}

static const struct wmma_case mma_cases[] = {
    { "m16n8k16", 16, 8, 16, "f16", "f32", 4, 2, 4, "f32.f16.f16.f32" },
    { "m16n8k16", 16, 8, 16, "f16", "f16", 4, 2, 2, "f16.f16.f16.f16" },
    { "m16n8k16", 16, 8, 16, "bf16", "f32", 4, 2, 4, "f32.bf16.bf16.f32" },
    { "m16n8k8", 16, 8, 8, "f16", "f32", 2, 1, 4, "f32.f16.f16.f32" },
    { "m16n8k8", 16, 8, 8, "tf32", "f32", 4, 2, 4, "f32.tf32.tf32.f32" },
    { "m16n8k4", 16, 8, 4, "tf32", "f32", 2, 1, 4, "f32.tf32.tf32.f32" },
    { "m8n8k16", 8, 8, 16, "s8", "s32", 1, 1, 2, "s32.s8.s8.s32" },
    { "m16n8k16", 16, 8, 16, "s8", "s32", 2, 1, 4, "s32.s8.s8.s32" },
    { "m16n8k32", 16, 8, 32, "s8", "s32", 4, 2, 4, "s32.s8.s8.s32" },
    { "m16n8k32", 16, 8, 32, "u8", "s32", 4, 2, 4, "s32.u8.u8.s32" },
};

/* Each lane loads its registers as words, lane by lane, from one buffer: a, b, c; d goes behind. */
static struct str mma_text(const struct wmma_case *x)
{
    struct str s = STR_INIT;
    unsigned counts[] = { x->a_regs, x->b_regs, x->c_regs }, at = 0;
    str_add(&s, HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 "
                     "%a<8>,%b<8>,%c<8>,%d<8>,%t;\n.reg .b64 %p<4>;\n"
                     "ld.param.u64 %p0, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %p1, %t, "
                     "64;\nadd.s64 %p0, %p0, %p1;\n");
    for (unsigned m = 0; m < 3; m++)
        for (unsigned i = 0; i < counts[m]; i++, at += 4)
            str_addf(&s, "ld.global.b32 %%%c%u, [%%p0+%u];\n", "abc"[m], i, at);
    str_addf(&s, "mma.sync.aligned.%s.row.col.%s ", x->shape, x->types);
    for (unsigned m = 0; m < 4; m++) {
        str_add(&s, m ? ", " : "");
        add_registers(&s, "dabc"[m], m == 0 ? x->c_regs : counts[m - 1]);
    }
    str_add(&s, ";\n");
    for (unsigned i = 0; i < x->c_regs; i++)
        str_addf(&s, "st.global.b32 [%%p0+%u], %%d%u;\n", 48 + 4 * i, i);
    str_add(&s, "ret;\n}\n");
    return s;
}

static int product(const struct wmma_case *x, struct place at)
{
    int sum = entry(3, at.row, at.col);
    for (unsigned k = 0; k < x->k; k++)
        sum += held(x->factor, entry(1, at.row, k)) * held(x->factor, entry(2, k, at.col));
    return sum;
}

static void check_mma(const struct wmma_case *x)
{
    static uint8_t image[32][64];
    struct vgpu_run r;
    struct str text = mma_text(x);
    unsigned factor = bytes_of(x->factor), sum = bytes_of(x->sum);
    memset(image, 0, sizeof image);
    for (unsigned l = 0; l < 32; l++) {
        for (unsigned i = 0; i < x->a_regs * 4 / factor; i++) {
            struct place at = place_a(x->shape, x->factor, l, i);
            put(image[l] + i * factor, x->factor, entry(1, at.row, at.col));
        }
        for (unsigned i = 0; i < x->b_regs * 4 / factor; i++) {
            struct place at = place_b(x->shape, x->factor, l, i);
            put(image[l] + x->a_regs * 4 + i * factor, x->factor, entry(2, at.row, at.col));
        }
        for (unsigned i = 0; i < x->c_regs * 4 / sum; i++) {
            struct place at = place_c(l, i);
            put(image[l] + (x->a_regs + x->b_regs) * 4 + i * sum, x->sum, entry(3, at.row, at.col));
        }
    }
    cr_assert_eq(vgpu_load(&r, text.p, 90, NULL, false), 0, "%s", r.err.msg);
    uint64_t p = vgpu_buffer(&r, image, sizeof image);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, 32, &p, 8), EXEC_OK, "%s", r.result.fault.text);
    vgpu_tested_all(text.p, "mma");
    memcpy(image, vgpu_host(&r, p, sizeof image), sizeof image);
    for (unsigned l = 0; l < 32; l++) {
        for (unsigned i = 0; i < x->c_regs * 4 / sum; i++) {
            uint8_t wanted[4];
            put(wanted, x->sum, product(x, place_c(l, i)));
            cr_expect_arr_eq(image[l] + 48 + i * sum, wanted, sum, "%s.%s lane %u element %u",
                             x->shape, x->types, l, i);
        }
    }
    vgpu_free(&r);
    str_free(&text);
}

Test(vgpu_matrix, mma_has_the_documented_layouts)
{
    for (size_t i = 0; i < sizeof mma_cases / sizeof mma_cases[0]; i++)
        check_mma(&mma_cases[i]);
}

/* m8n8k4 of f16: four products by four lanes of each half warp; figures 46 to 52 of the manual. */
static struct place quad_place(char matrix, bool col, bool wide, unsigned l, unsigned i)
{
    unsigned at = l % 4, high = l < 16 ? 0 : 4;
    if (matrix == 'a')
        return col ? (struct place){ i % 4 + high, at } : (struct place){ at + high, i };
    if (matrix == 'b')
        return col ? (struct place){ i, at + high } : (struct place){ at, i % 4 + high };
    if (!wide)
        return (struct place){ at + high, i };
    return (struct place){ (l & 1) + (i & 2) + high, (i & 4) + (l & 2) + (i & 1) };
}

static void check_quads(bool a_col, bool b_col, bool wide)
{
    static uint8_t image[33][64]; /* the last lane's results reach behind its 64 bytes */
    struct wmma_case x = { "m8n8k4", 8, 8, 4, "f16", "", 2, 2, wide ? 8 : 4, "" };
    struct vgpu_run r;
    unsigned c_bytes = wide ? 4 : 2;
    str_copy(x.sum, sizeof x.sum, wide ? "f32" : "f16");
    str_copy(x.types, sizeof x.types, wide ? "f32.f16.f16.f32" : "f16.f16.f16.f16");
    struct str text = mma_text(&x), fixed = STR_INIT;
    char *at = strstr(text.p, ".row.col");
    str_add_bytes(&fixed, text.p, (size_t)(at - text.p));
    str_addf(&fixed, ".%s.%s%s", a_col ? "col" : "row", b_col ? "col" : "row", at + 8);
    memset(image, 0, sizeof image);
    for (unsigned l = 0; l < 32; l++) {
        unsigned pair = l % 16 / 4;
        for (unsigned i = 0; i < 4; i++) {
            struct place a = quad_place('a', a_col, wide, l, i),
                         b = quad_place('b', b_col, wide, l, i);
            put(image[l] + i * 2, "f16", entry(pair, a.row, a.col));
            put(image[l] + 8 + i * 2, "f16", entry(pair + 4, b.row, b.col));
        }
        for (unsigned i = 0; i < 8; i++) {
            struct place c = quad_place('c', false, wide, l, i);
            put(image[l] + 16 + i * c_bytes, x.sum, entry(pair + 8, c.row, c.col));
        }
    }
    cr_assert_eq(vgpu_load(&r, fixed.p, 70, NULL, false), 0, "%s", r.err.msg);
    uint64_t p = vgpu_buffer(&r, image, sizeof image);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, 32, &p, 8), EXEC_OK, "%s", r.result.fault.text);
    vgpu_tested_all(fixed.p, "mma");
    const uint8_t *out = vgpu_host(&r, p, sizeof image);
    for (unsigned l = 0; l < 32; l++) {
        unsigned pair = l % 16 / 4;
        for (unsigned i = 0; i < 8; i++) {
            struct place c = quad_place('c', false, wide, l, i);
            uint8_t wanted[4];
            int sum = entry(pair + 8, c.row, c.col);
            for (unsigned k = 0; k < 4; k++)
                sum += entry(pair, c.row, k) * entry(pair + 4, k, c.col);
            put(wanted, x.sum, sum);
            cr_expect_arr_eq(out + l * 64 + 48 + i * c_bytes, wanted, c_bytes, "lane %u element %u",
                             l, i);
        }
    }
    vgpu_free(&r);
    str_free(&text);
    str_free(&fixed);
}

Test(vgpu_matrix, quads_of_lanes_multiply_side_by_side)
{
    for (unsigned how = 0; how < 8; how++)
        check_quads(how & 1, how & 2, how & 4);
}

/* A in rows, B in columns, both in shared memory, as matrix libraries keep them. */
Test(vgpu_matrix, ldmatrix_feeds_mma)
{
    static const char text[] = HEAD
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n.reg .f32 "
        "%f<8>;\n"
        ".shared .align 16 .b8 a[512];\n.shared .align 16 .b8 b[256];\nld.param.u64 %rd1, "
        "[p];\nmov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, %rd1, %rd2;\nshl.b32 %r2, %r1, 4;\n"
        "mov.u32 %r3, a;\nadd.u32 %r4, %r3, %r2;\ncp.async.cg.shared.global [%r4], [%rd3], 16;\n"
        "and.b32 %r5, %r1, 15;\nmul.wide.u32 %rd4, %r5, 16;\nadd.s64 %rd5, %rd1, %rd4;\nshl.b32 "
        "%r6, %r5, 4;\n"
        "mov.u32 %r7, b;\nadd.u32 %r8, %r7, %r6;\ncp.async.ca.shared.global [%r8], [%rd5+512], "
        "16;\n"
        "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
        /* lanes 0-15: rows of the left half, 16-31: of the right half */
        "shr.u32 %r9, %r1, 4;\nshl.b32 %r10, %r5, 5;\nshl.b32 %r11, %r9, 4;\nadd.u32 %r12, %r10, "
        "%r11;\n"
        "add.u32 %r12, %r12, %r3;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r13,%r14,%r15,%r16}, "
        "[%r12];\n"
        "and.b32 %r17, %r1, 7;\nshl.b32 %r18, %r17, 5;\nshr.u32 %r19, %r1, 3;\nand.b32 %r19, %r19, "
        "1;\n"
        "shl.b32 %r20, %r19, 4;\nadd.u32 %r21, %r18, %r20;\nadd.u32 %r21, %r21, %r7;\n"
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r22,%r23}, [%r21];\nmov.f32 %f1, 0f00000000;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, "
        "{%r13,%r14,%r15,%r16}, {%r22,%r23}, "
        "{%f1,%f1,%f1,%f1};\n"
        /* the documented place of c: two rows of pairs */
        "shr.u32 %r24, %r1, 2;\nand.b32 %r25, %r1, 3;\nshl.b32 %r26, %r24, 5;\nshl.b32 %r27, %r25, "
        "3;\n"
        "add.u32 %r28, %r26, %r27;\ncvt.u64.u32 %rd6, %r28;\nadd.s64 %rd7, %rd1, %rd6;\n"
        "st.global.v2.f32 [%rd7+768], {%f2,%f3};\nst.global.v2.f32 [%rd7+1024], "
        "{%f4,%f5};\nret;\n}\n";
    struct {
        uint16_t a[16][16], b[8][16]; /* b by columns */
        float c[16][8];
    } image = { 0 };
    struct vgpu_run r;
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < 16; k++)
            image.a[i][k] = (uint16_t)encode(&quad_f16, entry(1, i, k));
    for (unsigned j = 0; j < 8; j++)
        for (unsigned k = 0; k < 16; k++)
            image.b[j][k] = (uint16_t)encode(&quad_f16, entry(2, k, j));
    cr_assert_eq(vgpu_load(&r, text, 90, NULL, false), 0, "%s", r.err.msg);
    uint64_t p = vgpu_buffer(&r, &image, sizeof image);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, 32, &p, 8), EXEC_OK, "%s", r.result.fault.text);
    vgpu_tested_all(text, "mma");
    vgpu_tested_all(text, "ldmatrix");
    memcpy(&image, vgpu_host(&r, p, sizeof image), sizeof image);
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned j = 0; j < 8; j++) {
            int sum = 0;
            for (unsigned k = 0; k < 16; k++)
                sum += entry(1, i, k) * entry(2, k, j);
            cr_expect_eq(image.c[i][j], (float)sum, "%u,%u: %g, not %d", i, j,
                         (double)image.c[i][j], sum);
        }
    }
    vgpu_free(&r);
}

Test(vgpu_matrix, integer_sums_wrap_or_saturate)
{
    static const char text[] =
        HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<16>;\n.reg .b64 "
             "%rd<4>;\nld.param.u64 %rd1, [p];\n"
             "mov.u32 %r1, 0x7f7f7f7f;\nmov.u32 %r2, 0x7fffffff;\n"
             "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%r3,%r4}, {%r1}, {%r1}, "
             "{%r2,%r2};\n"
             "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r5,%r6}, {%r1}, {%r1}, {%r2,%r2};\n"
             "st.global.v2.u32 [%rd1], {%r3,%r5};\nret;\n}\n";
    struct vgpu_run r;
    uint32_t out[2];
    cr_assert_eq(vgpu_load(&r, text, 90, NULL, false), 0, "%s", r.err.msg);
    uint64_t p = vgpu_buffer(&r, NULL, sizeof out);
    cr_assert_eq(vgpu_launch(&r, NULL, 1, 32, &p, 8), EXEC_OK, "%s", r.result.fault.text);
    vgpu_tested_all(text, "mma");
    memcpy(out, vgpu_host(&r, p, sizeof out), sizeof out);
    cr_expect_eq(out[0], 0x7fffffff);
    cr_expect_eq(out[1], 0x7fffffffu + 16u * 127 * 127);
    vgpu_free(&r);
}

Test(vgpu_matrix, a_part_of_a_warp_cannot_multiply)
{
    static const char text[] =
        HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .pred %q;\nmov.u32 %r1, "
             "%tid.x;\n"
             "setp.lt.u32 %q, %r1, 16;\n@%q mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
             "{%r3,%r4}, {%r1}, {%r1}, {%r1,%r1};\nret;\n}\n";
    struct vgpu_run r;
    uint64_t p = 0;
    cr_assert_eq(vgpu_load(&r, text, 90, NULL, false), 0, "%s", r.err.msg);
    cr_expect_eq(vgpu_launch(&r, NULL, 1, 32, &p, 8), EXEC_LAUNCH_FAILED);
    vgpu_free(&r);
}
