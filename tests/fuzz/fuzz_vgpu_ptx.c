/* Any text as PTX: it is compiled or refused with a line, and what compiles may run for a while
 * with one buffer for every parameter; it ends, and reads and writes nothing but its memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER = 4096, KERNELS = 4, LOCAL = 4096 };

static void launch(const struct exec_module *module, const struct exec_kernel *k, uint64_t buffer)
{
    struct exec_kernel_info info;
    struct exec_result result;
    struct err err;
    uint64_t params[4096];
    exec_kernel_info(k, &info);
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++)
        params[i] = buffer + i % 7 * 128;
    struct exec_launch l = { .grid = { 2, 1, 1 },
                             .block = { 40, 1, 1 },
                             .dynamic_shared_bytes = 256,
                             .params = params,
                             .params_bytes = sizeof params,
                             .threads = 1,
                             .instruction_budget = 20000 };
    err_clear(&err);
    if (info.local_bytes > LOCAL)
        return;
    if (exec_launch(module, k, &l, &result, &err) == 0 && result.code != EXEC_OK &&
        (result.fault.line == 0 || !result.fault.text[0]))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exec_module *module;
    struct err err;
    uint64_t buffer;
    struct mem_arena *arena = mem_new(64 << 20, NULL);
    struct exec_target target = { .capability = size & 1 ? 35 : 80, .keep_registers = size & 2 };
    err_clear(&err);
    if (!arena || mem_alloc(arena, BUFFER, 0, 0, &buffer, &err) < 0)
        abort();
    if (exec_load(&module, (const char *)data, size, arena, &target, &err) == 0) {
        for (uint32_t i = 0; i < KERNELS && exec_kernel_at(module, i); i++)
            launch(module, exec_kernel_at(module, i), buffer);
        exec_unload(module);
    } else if (err.native != EXEC_INVALID_PTX && err.native != EXEC_OUT_OF_MEMORY &&
               err.code != ERR_LIMIT) {
        abort();
    }
    if (mem_used(arena) != BUFFER)
        abort();
    mem_delete(arena);
    return 0;
}
