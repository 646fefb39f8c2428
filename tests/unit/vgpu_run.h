/* Runs one PTX instruction on many operands, or a whole text, on the virtual GPU's engine. */
#ifndef TEST_VGPU_RUN_H
#define TEST_VGPU_RUN_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "vgpu/exec.h"

static const char *const vgpu_isas[] = { "plain", "avx2", "avx512" };
enum { VGPU_ISAS = 3 };

struct vgpu_run {
    struct mem_arena *arena;
    struct exec_module *module;
    struct exec_result result;
    struct err err;
};

static inline int vgpu_load(struct vgpu_run *r, const char *text, unsigned capability,
                            const char *isa, bool keep_registers)
{
    struct exec_target target = { .capability = capability,
                                  .isa = isa,
                                  .keep_registers = keep_registers };
    *r = (struct vgpu_run){ 0 };
    err_clear(&r->err);
    r->arena = mem_new(UINT64_C(1) << 30, &r->err);
    cr_assert_not_null(r->arena);
    return exec_load(&r->module, text, strlen(text), r->arena, &target, &r->err);
}

static inline void vgpu_free(struct vgpu_run *r)
{
    exec_unload(r->module);
    mem_delete(r->arena);
}

/* A device buffer and its host side. */
static inline uint64_t vgpu_buffer(struct vgpu_run *r, const void *data, size_t bytes)
{
    uint64_t address = 0;
    cr_assert_eq(mem_alloc(r->arena, bytes, 0, 0, &address, &r->err), 0, "%s", r->err.msg);
    if (data)
        memcpy(mem_host(r->arena, address, bytes), data, bytes);
    return address;
}

static inline const void *vgpu_host(struct vgpu_run *r, uint64_t address, size_t bytes)
{
    return mem_host(r->arena, address, bytes);
}

/* Launches `name` (NULL: the first kernel) and asserts that it could start. */
static inline enum exec_code vgpu_launch(struct vgpu_run *r, const char *name, uint32_t grid,
                                         uint32_t block, const void *params, uint32_t bytes)
{
    const struct exec_kernel *k = name ? exec_find(r->module, name) : exec_kernel_at(r->module, 0);
    struct exec_launch launch = { .grid = { grid, 1, 1 },
                                  .block = { block, 1, 1 },
                                  .params = params,
                                  .params_bytes = bytes,
                                  .dynamic_shared_bytes = 1024,
                                  .instruction_budget = 50000000,
                                  .threads = 2 };
    cr_assert_not_null(k);
    cr_assert_eq(exec_launch(r->module, k, &launch, &r->result, &r->err), 0, "%s", r->err.msg);
    return r->result.code;
}

/* Notes that a test compares what this opcode form computes with a reference, for scripts/opcodes. */
static inline void vgpu_tested(const char *form)
{
    const char *path = getenv("SMFIT_FORMS");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%s\n", form);
    fclose(f);
}

/* The same for instructions of a whole text: `forms` with a space between, each in the text. */
static inline void vgpu_tested_in(const char *text, const char *forms)
{
    char form[64], statement[66];
    for (int n = 0; sscanf(forms, "%63s%n", form, &n) == 1; forms += n) {
        snprintf(statement, sizeof statement, "%s ", form);
        cr_expect_not_null(strstr(text, statement), "'%s' is not in the text", form);
        vgpu_tested(form);
    }
}

/* The same for all forms of `opcode` in a text. */
static inline void vgpu_tested_all(const char *text, const char *opcode)
{
    size_t n = strlen(opcode);
    for (const char *p = strstr(text, opcode); p; p = strstr(p + n, opcode)) {
        char form[96];
        size_t length = strcspn(p, " ;");
        bool begins = p == text || strchr("\n ;{", p[-1]);
        if (!begins || !strchr(". ;", p[n]) || length >= sizeof form)
            continue;
        memcpy(form, p, length);
        form[length] = 0;
        vgpu_tested(form);
    }
}

/* ---- one instruction --------------------------------------------------------------------------
 * `form`: the width of each operand, result first: h 16 bits, w 32, q 64, p a predicate (as 0 or
 * 1). A capital letter stands for a second result that is not looked at. `tail` follows the
 * operands. */

static inline void vgpu_declare(struct str *s)
{
    str_add(
        s, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pd, "
           ".param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pe)\n{\n.reg .b16 h<8>;\n"
           ".reg .b32 w<8>;\n.reg .b64 q<8>;\n.reg .pred p<8>;\n.reg .b64 %rd<16>;\n"
           ".reg .b32 %r<8>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
           "mad.lo.s32 %r0, %r1, %r2, %r0;\nmul.wide.u32 %rd0, %r0, 8;\n");
}

static inline void vgpu_load_operand(struct str *s, char width, unsigned i)
{
    str_addf(s, "ld.param.u64 %%rd1, [p%c];\nadd.s64 %%rd1, %%rd1, %%rd0;\n", "dabce"[i]);
    switch (width) {
    case 'h':
        str_addf(s, "ld.global.u16 h%u, [%%rd1];\n", i);
        break;
    case 'w':
        str_addf(s, "ld.global.u32 w%u, [%%rd1];\n", i);
        break;
    case 'q':
        str_addf(s, "ld.global.u64 q%u, [%%rd1];\n", i);
        break;
    default:
        str_addf(s, "ld.global.u64 %%rd3, [%%rd1];\nsetp.ne.s64 p%u, %%rd3, 0;\n", i);
    }
}

static inline void vgpu_store_result(struct str *s, char width)
{
    str_add(s, "ld.param.u64 %rd1, [pd];\nadd.s64 %rd1, %rd1, %rd0;\n");
    switch (width) {
    case 'h':
        str_add(s, "cvt.u64.u16 %rd2, h0;\n");
        break;
    case 'w':
        str_add(s, "cvt.u64.u32 %rd2, w0;\n");
        break;
    case 'q':
        str_add(s, "mov.b64 %rd2, q0;\n");
        break;
    default:
        str_add(s, "selp.b64 %rd2, 1, 0, p0;\n");
    }
    str_add(s, "st.global.u64 [%rd1], %rd2;\nret;\n}\n");
}

static inline struct str vgpu_text(const char *instr, const char *form, const char *tail)
{
    struct str s = STR_INIT;
    unsigned n = (unsigned)strlen(form);
    vgpu_declare(&s);
    for (unsigned i = 1; i < n; i++)
        vgpu_load_operand(&s, form[i], i);
    str_addf(&s, "%s ", instr);
    for (unsigned i = 0; i < n; i++)
        str_addf(&s, "%s%c%u", i ? ", " : "", form[i], i);
    str_addf(&s, "%s;\n", tail);
    vgpu_store_result(&s, form[0]);
    return s;
}

/* results[i] from operands[k][i], k below strlen(form) - 1. */
static inline void vgpu_apply(const char *instr, const char *form, const char *tail,
                              const char *isa, uint64_t *const *operands, uint64_t *results,
                              uint32_t count)
{
    struct vgpu_run r;
    struct str text = vgpu_text(instr, form, tail);
    uint64_t params[5] = { 0 };
    size_t bytes = (count + 255u) / 256 * 256 * sizeof(uint64_t);
    cr_assert_eq(vgpu_load(&r, text.p, 90, isa, false), 0, "%s: %s", instr, r.err.msg);
    params[0] = vgpu_buffer(&r, NULL, bytes);
    for (unsigned k = 0; k + 1 < strlen(form); k++) {
        params[k + 1] = vgpu_buffer(&r, NULL, bytes);
        memset(mem_host(r.arena, params[k + 1], bytes), 0, bytes);
        memcpy(mem_host(r.arena, params[k + 1], bytes), operands[k], count * sizeof(uint64_t));
    }
    cr_assert_eq(vgpu_launch(&r, NULL, (count + 255) / 256, 256, params, sizeof params), EXEC_OK,
                 "%s: %s", instr, r.result.fault.text);
    memcpy(results, vgpu_host(&r, params[0], bytes), count * sizeof(uint64_t));
    vgpu_tested(instr);
    vgpu_free(&r);
    str_free(&text);
}

/* Every combination of values[k][0..counts[k]). */
typedef uint64_t vgpu_reference(uint64_t a, uint64_t b, uint64_t c, uint64_t e);
typedef bool vgpu_same(uint64_t got, uint64_t wanted);

static inline bool vgpu_equal(uint64_t got, uint64_t wanted)
{
    return got == wanted;
}

static inline void vgpu_check(const char *instr, const char *form, const char *tail,
                              const uint64_t *const *values, const unsigned *counts,
                              vgpu_reference *reference, vgpu_same *same)
{
    unsigned n = (unsigned)strlen(form) - 1;
    uint32_t total = 1;
    uint64_t *operands[4] = { 0 };
    for (unsigned k = 0; k < n; k++)
        total *= counts[k];
    for (unsigned k = 0, step = 1; k < n; step *= counts[k++]) {
        operands[k] = malloc(total * sizeof(uint64_t));
        for (uint32_t i = 0; i < total; i++)
            operands[k][i] = values[k][i / step % counts[k]];
    }
    uint64_t *results = malloc(total * sizeof *results);
    for (unsigned isa = 0; isa < VGPU_ISAS; isa++) {
        vgpu_apply(instr, form, tail, vgpu_isas[isa], operands, results, total);
        for (uint32_t i = 0; i < total; i++) {
            uint64_t v[4] = { 0 };
            for (unsigned k = 0; k < n; k++)
                v[k] = operands[k][i];
            uint64_t wanted = reference(v[0], v[1], v[2], v[3]);
            if (!same(results[i], wanted)) {
                cr_expect(false, "%s (%s) of %llx %llx %llx %llx: got %llx, wanted %llx", instr,
                          vgpu_isas[isa], (unsigned long long)v[0], (unsigned long long)v[1],
                          (unsigned long long)v[2], (unsigned long long)v[3],
                          (unsigned long long)results[i], (unsigned long long)wanted);
                break;
            }
        }
    }
    for (unsigned k = 0; k < n; k++)
        free(operands[k]);
    free(results);
}

#endif
