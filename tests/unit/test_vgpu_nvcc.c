/* Kernels as nvcc writes them, against the same source compiled for the host: see
 * tests/vgpu/bodies.cu for how the PTX was made. Results must agree bit for bit. */
#include <math.h>

#include "vgpu_run.h"

#define BODY static
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "../vgpu/bodies.h"
#pragma GCC diagnostic pop

TestSuite(vgpu_nvcc, .timeout = 120);

static const unsigned archs[] = { 35, 61, 80, 120 };
enum { ARCHS = sizeof archs / sizeof archs[0], THREADS = 1000 };

static char *read_ptx(const char *name, unsigned arch)
{
    char path[64];
    snprintf(path, sizeof path, "tests/vgpu/ptx/%s.compute_%u.ptx", name, arch);
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "cannot open '%s'", path);
    char *text = calloc(1 << 20, 1);
    cr_assert_gt(fread(text, 1, (1 << 20) - 1, f), 0);
    fclose(f);
    return text;
}

static uint32_t words[4096];

static void fill(void)
{
    uint32_t x = 2463534242u;
    for (unsigned i = 0; i < 4096; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        words[i] = i % 8 == 3 ? x % 100 : x;
    }
}

struct params {
    uint64_t out, in;
    uint32_t n;
};

/* Loads the PTX of one arch and gives it the words and a zeroed result. */
static void start(struct vgpu_run *r, unsigned arch, bool keep, struct params *p)
{
    char *text = read_ptx("bodies", arch);
    uint32_t zeros[4096] = { 0 };
    fill();
    cr_assert_eq(vgpu_load(r, text, arch, NULL, keep), 0, "%s", r->err.msg);
    free(text);
    p->in = vgpu_buffer(r, words, sizeof words);
    p->out = vgpu_buffer(r, zeros, sizeof zeros);
}

typedef unsigned body(unsigned i, const unsigned *in);

static const struct {
    char name[24];
    body *run;
} bodies[] = {
#define ROW(name) { "kernel_" #name, body_##name },
    BODIES(ROW)
#undef ROW
};

static void check_bodies(unsigned arch, bool keep)
{
    struct vgpu_run r;
    struct params p;
    start(&r, arch, keep, &p);
    p.n = THREADS;
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; k++) {
        cr_assert_eq(vgpu_launch(&r, bodies[k].name, 8, 128, &p, 20), EXEC_OK, "%s for %u: %s",
                     bodies[k].name, arch, r.result.fault.text);
        const uint32_t *out = vgpu_host(&r, p.out, sizeof words);
        for (unsigned i = 0; i < THREADS; i++) {
            uint32_t wanted = bodies[k].run(i, words);
            if (out[i] != wanted) {
                cr_expect(false, "%s for %u, thread %u: %08x, not %08x", bodies[k].name, arch, i,
                          out[i], wanted);
                break;
            }
        }
    }
    vgpu_free(&r);
}

Test(vgpu_nvcc, compiled_kernels_do_what_the_host_does)
{
    for (unsigned a = 0; a < ARCHS; a++)
        check_bodies(archs[a], false);
}

Test(vgpu_nvcc, sharing_places_of_registers_changes_nothing)
{
    check_bodies(35, true);
    check_bodies(120, true);
}

Test(vgpu_nvcc, blocks_reduce_by_shuffles_and_shared_memory)
{
    for (unsigned a = 0; a < ARCHS; a++) {
        struct vgpu_run r;
        struct params p;
        start(&r, archs[a], false, &p);
        p.n = 4000;
        cr_assert_eq(vgpu_launch(&r, "reduce", 16, 256, &p, 20), EXEC_OK, "%s",
                     r.result.fault.text);
        const uint32_t *out = vgpu_host(&r, p.out, sizeof words);
        for (unsigned b = 0; b < 16; b++) {
            uint32_t sum = 0;
            for (unsigned i = b * 256; i < (b + 1) * 256 && i < 4000; i++)
                sum += words[i];
            cr_expect_eq(out[b], sum, "block %u for %u", b, archs[a]);
        }
        vgpu_free(&r);
    }
}

Test(vgpu_nvcc, blocks_count_in_dynamic_shared_memory)
{
    for (unsigned a = 0; a < ARCHS; a++) {
        struct vgpu_run r;
        struct params p;
        uint32_t counts[64] = { 0 };
        start(&r, archs[a], false, &p);
        p.n = 3999;
        for (unsigned i = 0; i < 3999; i++)
            counts[words[i] % 64]++;
        cr_assert_eq(vgpu_launch(&r, "histogram", 32, 128, &p, 20), EXEC_OK, "%s",
                     r.result.fault.text);
        cr_expect_arr_eq(vgpu_host(&r, p.out, sizeof counts), counts, sizeof counts);
        vgpu_free(&r);
    }
}

Test(vgpu_nvcc, tiles_are_transposed_without_bank_conflicts)
{
    for (unsigned a = 0; a < ARCHS; a++) {
        struct vgpu_run r;
        struct params p;
        start(&r, archs[a], false, &p);
        p.n = 64;
        cr_assert_eq(vgpu_launch(&r, "transpose", 16, 256, &p, 20), EXEC_OK, "%s",
                     r.result.fault.text);
        const uint32_t *out = vgpu_host(&r, p.out, sizeof words);
        for (unsigned i = 0; i < 4096; i++)
            cr_assert_eq(out[i], words[i % 64 * 64 + i / 64]);
        cr_expect_eq(r.result.counters.shared_requests, 16 * 8 * 2);
        cr_expect_leq(r.result.counters.shared_cycles, 16 * 8 * 2 * 2);
        vgpu_free(&r);
    }
}

static void keep_text(void *context, const char *text)
{
    str_add(context, text);
}

Test(vgpu_nvcc, kernels_print_and_assert)
{
    struct vgpu_run r;
    struct str printed = STR_INIT;
    char *text = read_ptx("print", 35);
    struct exec_launch launch = {
        .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .print = keep_text, .print_context = &printed
    };
    cr_assert_eq(vgpu_load(&r, text, 35, NULL, false), 0, "%s", r.err.msg);
    cr_assert_eq(exec_launch(r.module, exec_find(r.module, "hello"), &launch, &r.result, &r.err), 0);
    cr_expect_eq(r.result.code, EXEC_OK, "%s", r.result.fault.text);
    cr_expect_str_eq(printed.p, "thread 0 of 32:  0.00 text 0 x%\nthread 1 of 32:  1.50 text -5 x%\n");
    cr_assert_eq(exec_launch(r.module, exec_find(r.module, "check"), &launch, &r.result, &r.err), 0);
    cr_expect_eq(r.result.code, EXEC_ASSERT);
    cr_expect_eq(r.result.fault.thread[0], 5);
    cr_expect_not_null(strstr(r.result.fault.text, "'threadIdx.x < 5' failed at print.cu:"), "%s",
                       r.result.fault.text);
    str_free(&printed);
    free(text);
    vgpu_free(&r);
}
