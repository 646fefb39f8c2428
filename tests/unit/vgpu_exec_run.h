/* Runs a hand-written text on one block, for tests. */
#ifndef TESTS_VGPU_EXEC_RUN_H
#define TESTS_VGPU_EXEC_RUN_H

#include "vgpu_run.h"

#define HEAD "\n.version 7.0\n.target sm_70\n.address_size 64\n"
#define BEGIN                                                                                      \
    HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<64>;\n.reg .b64 "    \
         "%rd<32>;\n"                                                                              \
         ".reg .pred %p<16>;\n.reg .f32 %f<16>;\n.reg .b16 %rs<16>;\n"                             \
         "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nmov.u32 %r1, %tid.x;\n"             \
         "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
#define END "st.global.u32 [%rd4], %r2;\nret;\n}\n"

enum { THREADS = 256 };

static uint32_t output[THREADS], input[THREADS];

/* Runs `text` on one block and fetches output[]; input[] is what [in] points to. */
static inline enum exec_code run_on(const char *text, uint32_t threads, unsigned capability, bool keep,
                             struct vgpu_run *r)
{
    uint64_t params[2];
    cr_assert_eq(vgpu_load(r, text, capability, NULL, keep), 0, "%s", r->err.msg);
    params[0] = vgpu_buffer(r, NULL, sizeof output);
    params[1] = vgpu_buffer(r, input, sizeof input);
    enum exec_code code = vgpu_launch(r, NULL, 1, threads, params, sizeof params);
    memcpy(output, vgpu_host(r, params[0], sizeof output), sizeof output);
    return code;
}

static inline enum exec_code run(const char *text, uint32_t threads, unsigned capability)
{
    struct vgpu_run r;
    enum exec_code code = run_on(text, threads, capability, false, &r);
    if (code != EXEC_OK)
        cr_log_info("%s", r.result.fault.text);
    vgpu_free(&r);
    return code;
}

static inline struct exec_fault fault_of(const char *text, uint32_t threads, unsigned capability)
{
    struct vgpu_run r;
    run_on(text, threads, capability, false, &r);
    struct exec_fault fault = r.result.fault;
    vgpu_free(&r);
    return fault;
}

#endif
