/* Runs the kernels of the differential test on the virtual GPU and on the host, and compares.
 *
 *     compare FOLDER ARCH...     FOLDER holds <group>.compute_<ARCH>.ptx for the groups linked in
 *
 * Each mismatch is a line; the last line counts kernels times targets. ISA=plain|avx2|avx512 in the
 * environment chooses the engine's code. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec.h"

#include "host.h"
#include "input.h"

enum { THREADS = 8 * 256, TEXT_CAP = 64 << 20, SHOWN = 3 };

static unsigned input[INPUT_COUNT];
static unsigned passed, failed, skipped;

/* ---- input
 * ---------------------------------------------------------------------------------------
 */

static uint64_t state = 88172645463325252u;

static uint32_t random_word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint32_t whole_number(void)
{
    static const uint32_t edges[] = { 0,          1,         2,          0x7f,       0x80,
                                      0xff,       0x7fff,    0x8000,     0xffff,     0x10000,
                                      31,         32,        0x7fffffff, 0x80000000, 0xffffffff,
                                      0xfffffffe, 0xffff8000 };
    switch (random_word() % 4) {
    case 0:
        return edges[random_word() % (sizeof edges / sizeof edges[0])];
    case 1:
        return random_word() % 200;
    default:
        return random_word();
    }
}

/* A number with `precision` bits (hidden one counted) in `size` bits: one of four is special, one
 * arbitrary, the others have exponents near zero. */
static uint64_t floating(unsigned size, unsigned precision, unsigned range, bool everyday)
{
    uint64_t bits = (uint64_t)random_word() << 32 | random_word();
    unsigned places = precision - 1, kind = random_word() % 4;
    uint64_t fraction = bits & ((UINT64_C(1) << places) - 1), sign = bits >> 63 << (size - 1);
    uint64_t most = (UINT64_C(1) << (size - precision)) - 1, bias = most / 2;
    uint64_t special[] = { 0,
                           1,
                           fraction,
                           most << places,
                           most << places | UINT64_C(1) << (places - 1),
                           (most << places) - 1,
                           bias << places,
                           (bias + 1) << places,
                           (bias - 1) << places,
                           (bias + places) << places | fraction };
    if (!everyday && kind == 0)
        return sign | special[random_word() % 10];
    if (!everyday && kind == 1)
        return bits >> (64 - size);
    if (random_word() % 3 == 0) /* few bits, so that sums are exact and halves are ties */
        fraction &= ~((UINT64_C(1) << (places - 4)) - 1);
    return sign | (bias - range / 2 + random_word() % range) << places | fraction;
}

static void put_double(unsigned at, uint64_t bits)
{
    input[at] = (uint32_t)bits;
    input[at + 1] = (uint32_t)(bits >> 32);
}

static void fill_input(void)
{
    for (unsigned i = 0; i < 1024; i++) {
        input[INPUT_WORDS + i] = whole_number();
        input[INPUT_SINGLES + i] = (uint32_t)floating(32, 24, 24, false);
        put_double(INPUT_DOUBLES + i * 2, floating(64, 53, 60, false));
        input[INPUT_HALVES + i] =
            (uint32_t)(floating(16, 11, 12, false) << 16 | floating(16, 11, 12, false));
        input[INPUT_BFLOATS + i] =
            (uint32_t)(floating(16, 8, 12, false) << 16 | floating(16, 8, 12, false));
        input[INPUT_EVERYDAY_SINGLES + i] = (uint32_t)floating(32, 24, 12, true);
        if (i < 512)
            put_double(INPUT_EVERYDAY_DOUBLES + i * 2, floating(64, 53, 12, true));
    }
}

/* ---- comparison
 * ----------------------------------------------------------------------------------
 */

static bool is_nan(char kind, uint64_t bits)
{
    switch (kind) {
    case 'f':
        return (bits & 0x7fffffff) > 0x7f800000;
    case 'd':
        return (bits & (UINT64_MAX >> 1)) > UINT64_C(0x7ff0000000000000);
    case 'h':
        return (bits & 0x7fff) > 0x7c00;
    default:
        return (bits & 0x7fff) > 0x7f80;
    }
}

static double number(char kind, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    double d;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return kind == 'f' ? (double)f : d;
}

/* One unit in the last place of `x`. */
static double unit(char kind, double x)
{
    int precision = kind == 'f' ? 24 : 53, least = kind == 'f' ? -149 : -1074;
    int place = x == 0 || isinf(x) ? least : ilogb(x) - precision + 1;
    return ldexp(1, place > least ? place : least);
}

static bool near(const struct kernel *k, uint64_t got, uint64_t wanted)
{
    double g = number(k->kind, got), w = number(k->kind, wanted);
    if (isinf(g) && !isinf(w))
        return fabs(w) > (k->kind == 'f' ? 3.4e38 : 1.7e308);
    return k->ulps < 0 ? fabs(g - w) <= -k->ulps : fabs(g - w) <= k->ulps * unit(k->kind, w);
}

static bool same(const struct kernel *k, uint64_t got, uint64_t wanted)
{
    if (got == wanted)
        return true;
    if (k->kind == 'u')
        return false;
    if (k->kind == 'p') {
        struct kernel half = { .kind = 'h' };
        return same(&half, got & 0xffff, wanted & 0xffff) && same(&half, got >> 16, wanted >> 16);
    }
    if (is_nan(k->kind, got) || is_nan(k->kind, wanted))
        return is_nan(k->kind, got) && is_nan(k->kind, wanted);
    return k->ulps != 0 && near(k, got, wanted);
}

/* ---- a kernel on both sides
 * ------------------------------------------------------------------------
 */

struct device {
    struct mem_arena *arena;
    struct exec_module *module;
    uint64_t out, in, work; /* the kernel's parameters */
};

struct results {
    uint64_t out[THREADS];
    unsigned work[WORK_COUNT * 4];
};

static unsigned thread_count(const struct kernel *k)
{
    return k->block[0] * k->block[1] * k->block[2] * k->grid;
}

static const char *device_run(struct device *d, const struct kernel *k, struct results *r,
                              struct exec_result *result)
{
    static struct err err;
    uint64_t params[] = { d->out, d->in, d->work };
    struct exec_launch launch = { .grid = { k->grid, 1, 1 },
                                  .block = { k->block[0], k->block[1], k->block[2] },
                                  .dynamic_shared_bytes = 4096,
                                  .params = params,
                                  .params_bytes = sizeof params,
                                  .instruction_budget = 50000000 };
    const struct exec_kernel *kernel = exec_find(d->module, k->name);
    if (!kernel)
        return "is not in the PTX";
    memset(mem_host(d->arena, d->out, sizeof r->out), 0xee, sizeof r->out);
    memset(mem_host(d->arena, d->work, sizeof r->work), 0, sizeof r->work);
    if (exec_launch(d->module, kernel, &launch, result, &err))
        return err.msg;
    if (result->code != EXEC_OK)
        return result->fault.text;
    memcpy(r->out, mem_host(d->arena, d->out, sizeof r->out), sizeof r->out);
    memcpy(r->work, mem_host(d->arena, d->work, sizeof r->work), sizeof r->work);
    return NULL;
}

static void compare(struct device *d, const struct kernel *k, const struct results *wanted,
                    unsigned arch)
{
    static struct results got;
    static struct exec_result result;
    unsigned wrong = 0;
    const char *fault = device_run(d, k, &got, &result);
    if (fault) {
        printf("%s on sm_%u: %s\n", k->name, arch, fault);
        failed++;
        return;
    }
    for (unsigned i = 0; i < thread_count(k); i++)
        if (!same(k, got.out[i], wanted->out[i]) && wrong++ < SHOWN)
            printf("%s on sm_%u, thread %u: got %llx, expected %llx\n", k->name, arch, i,
                   (unsigned long long)got.out[i], (unsigned long long)wanted->out[i]);
    for (unsigned i = 0; i < WORK_COUNT * 4; i++)
        if (got.work[i] != wanted->work[i] && wrong++ < SHOWN)
            printf("%s on sm_%u, word %u of memory: got %x, expected %x\n", k->name, arch, i,
                   got.work[i], wanted->work[i]);
    if (wrong > SHOWN)
        printf("%s on sm_%u: %u wrong in all\n", k->name, arch, wrong);
    if (wrong)
        failed++;
    else
        passed++;
}

static bool open_device(struct device *d, const char *folder, const char *group, unsigned arch)
{
    static char text[TEXT_CAP];
    static struct err err;
    char path[4096];
    const char *isa = getenv("ISA");
    struct exec_target target = { .capability = arch, .isa = isa && *isa ? isa : NULL };
    snprintf(path, sizeof path, "%s/%s.compute_%u.ptx", folder, group, arch);
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    d->arena = mem_new(UINT64_C(1) << 28, &err);
    if (!d->arena || !size || exec_load(&d->module, text, size, d->arena, &target, &err)) {
        printf("%s: %s\n", path, size ? err.msg : "cannot be read");
        mem_delete(d->arena);
        return false;
    }
    if (mem_alloc(d->arena, sizeof(uint64_t) * THREADS, 0, 0, &d->out, &err) ||
        mem_alloc(d->arena, sizeof input, 0, 0, &d->in, &err) ||
        mem_alloc(d->arena, sizeof(unsigned) * WORK_COUNT * 4, 0, 0, &d->work, &err))
        abort();
    memcpy(mem_host(d->arena, d->in, sizeof input), input, sizeof input);
    return true;
}

static void run_group(const struct group *g, const char *folder, const unsigned *archs,
                      unsigned arch_count)
{
    struct device d[16] = { 0 };
    bool open[16] = { false };
    for (unsigned a = 0; a < arch_count; a++)
        open[a] = open_device(&d[a], folder, g->name, archs[a]);
    for (unsigned i = 0; i < g->count; i++) {
        static struct results wanted;
        const struct kernel *k = &g->kernels[i];
        memset(&wanted, 0, sizeof wanted);
        host_run(k, (unsigned long long *)wanted.out, input, wanted.work);
        for (unsigned a = 0; a < arch_count; a++) {
            if (archs[a] < k->least || archs[a] > k->most)
                skipped++;
            else if (open[a])
                compare(&d[a], k, &wanted, archs[a]);
            else
                failed++;
        }
    }
    for (unsigned a = 0; a < arch_count; a++) {
        if (open[a]) {
            exec_unload(d[a].module);
            mem_delete(d[a].arena);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned archs[16] = { 0 }, arch_count = 0, kernels = 0;
    for (int i = 2; i < argc && arch_count < 16; i++)
        archs[arch_count++] = (unsigned)atoi(argv[i]);
    if (arch_count == 0) {
        fprintf(stderr, "usage: compare FOLDER ARCH...\n");
        return 2;
    }
    fill_input();
    for (unsigned i = 0; groups[i]; i++) {
        run_group(groups[i], argv[1], archs, arch_count);
        kernels += groups[i]->count;
    }
    printf("%u kernels on %u targets: %u agree, %u differ, %u have no such instructions\n", kernels,
           arch_count, passed, failed, skipped);
    return failed != 0 || passed == 0;
}
