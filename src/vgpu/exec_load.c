#include <stdlib.h>
#include <string.h>

#include "vgpu/exec_block.h"

struct exec_kernel {
    const struct exec_module *module;
    uint32_t function;
    uint32_t instructions; /* as written */
};

struct exec_module {
    struct code code;
    unsigned binary;
    struct exec_kernel *kernels;
    uint32_t kernel_count;
    uint32_t const_bytes;
};

static int list_kernels(struct exec_module *m, struct err *err)
{
    m->kernels = calloc(m->code.function_count + 1, sizeof *m->kernels);
    if (!m->kernels)
        return err_set(err, ERR_MEMORY, "cannot allocate a list of kernels");
    for (uint32_t f = 0; f < m->code.function_count; f++) {
        const struct code_function *fn = &m->code.functions[f];
        struct exec_kernel *k = &m->kernels[m->kernel_count];
        if (!fn->is_entry || !fn->has_body)
            continue;
        *k = (struct exec_kernel){ .module = m, .function = f };
        for (uint32_t i = 0; i < fn->count; i++)
            k->instructions += fn->code[i].cls != CLASS_HIDDEN;
        m->kernel_count++;
    }
    for (uint32_t v = 0; v < m->code.var_count; v++)
        m->const_bytes += m->code.vars[v].is_const ? (uint32_t)m->code.vars[v].size : 0;
    return 0;
}

int exec_load(struct exec_module **module, const char *text, size_t size, struct mem_arena *arena,
              const struct exec_target *target, struct err *err)
{
    struct ptx_module parsed;
    struct code_options options = { .capability = target->capability,
                                    .isa = target->isa,
                                    .keep_registers = target->keep_registers };
    *module = NULL;
    struct exec_module *m = calloc(1, sizeof *m);
    if (!m)
        return err_set(err, ERR_MEMORY, "cannot allocate a module");
    m->binary = target->binary;
    int status = ptx_parse(&parsed, text, size, err);
    if (status == 0)
        status = decode_module(&m->code, &parsed, arena, &options, err);
    if (status == 0)
        status = list_kernels(m, err);
    ptx_free(&parsed);
    if (status < 0) {
        exec_unload(m);
        return -1;
    }
    *module = m;
    return 0;
}

void exec_unload(struct exec_module *module)
{
    if (!module)
        return;
    decode_free(&module->code);
    free(module->kernels);
    free(module);
}

int exec_read_header(const char *text, size_t size, struct exec_header *header, struct err *err)
{
    struct ptx_module m;
    int status = ptx_peek_header(text, size, &m, err);
    *header = (struct exec_header){ .version_major = m.version_major,
                                    .version_minor = m.version_minor,
                                    .target = m.target,
                                    .suffix = m.target_suffix };
    return status;
}

void exec_module_info(const struct exec_module *m, struct exec_module_info *info)
{
    *info = (struct exec_module_info){
        .header = { m->code.version_major, m->code.version_minor, m->code.target,
                    m->code.target_suffix },
        .binary = m->binary,
        .kernel_count = m->kernel_count,
        .var_count = m->code.var_count,
    };
}

const struct exec_kernel *exec_kernel_at(const struct exec_module *module, uint32_t index)
{
    return index < module->kernel_count ? &module->kernels[index] : NULL;
}

const struct exec_kernel *exec_find(const struct exec_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->kernel_count; i++)
        if (strcmp(module->code.functions[module->kernels[i].function].name, name) == 0)
            return &module->kernels[i];
    return NULL;
}

void exec_kernel_info(const struct exec_kernel *k, struct exec_kernel_info *info)
{
    const struct code_function *fn = &k->module->code.functions[k->function];
    *info = (struct exec_kernel_info){
        .name = fn->name,
        .param_count = fn->param_count,
        .param_bytes = fn->param_bytes,
        .shared_bytes = fn->shared_bytes,
        .const_bytes = k->module->const_bytes,
        .local_bytes = fn->local_bytes,
        .registers = fn->regs_used,
        .ptx_registers = fn->ptx_regs,
        .max_threads = fn->max_threads && fn->max_threads < 1024 ? fn->max_threads : 1024,
        .instructions = k->instructions,
    };
    memcpy(info->required, fn->required, sizeof info->required);
}

bool exec_kernel_param(const struct exec_kernel *k, uint32_t index, struct exec_param *param)
{
    const struct code_function *fn = &k->module->code.functions[k->function];
    if (index >= fn->param_count)
        return false;
    *param = (struct exec_param){ fn->params[index].offset, fn->params[index].size,
                                  fn->params[index].align };
    return true;
}

bool exec_var_at(const struct exec_module *m, uint32_t index, struct exec_var *var)
{
    if (index >= m->code.var_count)
        return false;
    const struct code_var *v = &m->code.vars[index];
    *var = (struct exec_var){ v->name, v->address, v->size, v->is_const };
    return true;
}

bool exec_var_find(const struct exec_module *m, const char *name, struct exec_var *var)
{
    for (uint32_t i = 0; exec_var_at(m, i, var); i++)
        if (strcmp(var->name, name) == 0)
            return true;
    return false;
}

int exec_launch(const struct exec_module *module, const struct exec_kernel *kernel,
                const struct exec_launch *launch, struct exec_result *result, struct err *err)
{
    return exec_run_function(&module->code, kernel->function, launch, result, err);
}

const char *exec_class_name(unsigned index)
{
    static const char *const names[] = {
        [CLASS_OTHER] = "other",
        [CLASS_INT] = "int",
        [CLASS_INT_MUL] = "int_mul",
        [CLASS_FP32] = "fp32",
        [CLASS_FP64] = "fp64",
        [CLASS_HALF] = "half",
        [CLASS_SFU] = "sfu",
        [CLASS_CONVERT] = "convert",
        [CLASS_TENSOR] = "tensor",
        [CLASS_SHUFFLE] = "shuffle",
        [CLASS_LOAD_GLOBAL] = "load_global",
        [CLASS_STORE_GLOBAL] = "store_global",
        [CLASS_LOAD_SHARED] = "load_shared",
        [CLASS_STORE_SHARED] = "store_shared",
        [CLASS_LOAD_LOCAL] = "load_local",
        [CLASS_STORE_LOCAL] = "store_local",
        [CLASS_LOAD_CONST] = "load_const",
        [CLASS_ATOMIC] = "atomic",
        [CLASS_BRANCH] = "branch",
        [CLASS_BARRIER] = "barrier",
    };
    _Static_assert((int)CLASS_HIDDEN == (int)EXEC_CLASSES, "every counted class has a name");
    return index < EXEC_CLASSES ? names[index] : NULL;
}
