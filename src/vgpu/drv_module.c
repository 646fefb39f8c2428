/* Loading modules: the loader chooses, the PTX is compiled; a cubin runs as the PTX it was built
 * from, a foreign one loads and cannot run. */
#include "vgpu/drv_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/cubin.h"
#include "image/ptx.h"
#include "vgpu/drv_jit.h"
#include "vgpu/drv_loader.h"
#include "vgpu/drv_log.h"
#include "vgpu/drv_manifest.h"

/* ---- compiling
 * ------------------------------------------------------------------------------------ */

/* The parser's "line 4: unknown opcode 'x'" in the form of NVIDIA's compiler. */
static void add_compiler_message(struct str *log, const char *message)
{
    unsigned line = 0;
    int at = 0;
    if (sscanf(message, "line %u: %n", &line, &at) < 1)
        at = 0;
    str_addf(log,
             "ptxas application ptx input, line %u; error   : %s\n"
             "ptxas fatal   : Ptx assembly aborted due to errors",
             line, message + at);
}

static int compile(struct drv_module *module, const char *text, size_t size, unsigned binary,
                   struct str *log)
{
    struct drv_device *device = module->context->device;
    struct exec_target target = { .capability = device->card->cc, .binary = binary };
    struct err err;
    err_clear(&err);
    if (exec_load(&module->code, text, size, device->arena, &target, &err) == 0)
        return DRV_OK;
    module->code = NULL;
    add_compiler_message(log, err.msg);
    drv_log("PTX is not compiled: %s", err.msg);
    return err.native ? err.native : DRV_INVALID_PTX;
}

/* ---- what the loader took
 * -------------------------------------------------------------------------- */

static int use_ptx(struct drv_module *module, const struct drv_loaded *loaded, struct str *log)
{
    module->binary_version = module->context->device->card->cc;
    module->virtual_version = loaded->arch;
    return compile(module, (const char *)loaded->payload, loaded->size, 0, log);
}

static void keep_foreign(struct drv_module *module, struct drv_loaded *loaded)
{
    drv_log("cubin sm_%u is none of this build's: it loads, but cannot be executed", loaded->arch);
    module->cubin = loaded->payload;
    module->cubin_size = loaded->size;
    loaded->payload = NULL;
}

/* The PTX that a cubin was built from is older than the driver's rules about PTX: only run it. */
static int use_cubin(struct drv_module *module, struct drv_loaded *loaded, struct str *log)
{
    struct str text = STR_INIT;
    struct err err;
    err_clear(&err);
    module->binary_version = module->virtual_version = loaded->arch;
    int found =
        drv_manifest_ptx(drv_state.config.manifest, loaded->payload, loaded->size, &text, &err);
    int code = DRV_OK;
    struct ptx header;
    if (found < 0)
        drv_log("no PTX for a cubin: %s", err.msg);
    if (found == 1) {
        if (ptx_parse_header((const uint8_t *)text.p, text.len, &header))
            module->virtual_version = header.arch;
        code = compile(module, text.p, text.len, loaded->arch, log);
    } else {
        keep_foreign(module, loaded);
    }
    str_free(&text);
    return code;
}

/* ---- life
 * ---------------------------------------------------------------------------------------- */

static void free_function(struct drv_function *function)
{
    drv_handle_free(function->handle);
    free(function->name);
    free(function);
}

static void free_module(struct drv_module *module)
{
    while (module->functions) {
        struct drv_function *function = module->functions;
        module->functions = function->next;
        free_function(function);
    }
    if (module->code)
        exec_unload(module->code);
    free(module->cubin);
    drv_handle_free(module->handle);
    free(module);
}

void drv_module_free_all(struct drv_context *context)
{
    while (context->modules) {
        struct drv_module *module = context->modules;
        context->modules = module->next;
        free_module(module);
    }
}

static int load(void **handle, const void *image, struct str *log)
{
    struct drv_context *context = drv_current();
    struct drv_loaded loaded;
    drv_loader_load(&loaded, &drv_state.config, context->device->card->cc, image);
    int code = loaded.code;
    str_add(log, loaded.error.p);
    struct drv_module *module = code ? NULL : calloc(1, sizeof *module);
    if (!code && !module)
        code = DRV_OUT_OF_MEMORY;
    if (module) {
        module->context = context;
        code = loaded.is_ptx ? use_ptx(module, &loaded, log) : use_cubin(module, &loaded, log);
    }
    if (!code && !(module->handle = drv_handle_new(DRV_HANDLE_MODULE, module)))
        code = DRV_OUT_OF_MEMORY;
    drv_loader_free(&loaded);
    if (code) {
        if (module)
            free_module(module);
        return code;
    }
    module->next = context->modules;
    context->modules = module;
    *handle = module->handle;
    return DRV_OK;
}

/* ---- the calls
 * ------------------------------------------------------------------------------------- */

static int load_data(const char *call, void **module, const void *image,
                     const struct drv_jit *options)
{
    int code = drv_enter(call, DRV_CONTEXT);
    if (code == DRV_OK && (!module || !image))
        code = DRV_INVALID_VALUE;
    if (code)
        return drv_leave(code);
    struct str log = STR_INIT;
    code = drv_jit_check(options, drv_current()->device->card->cc);
    if (code == DRV_OK)
        code = load(module, image, &log);
    drv_jit_give_log(options, log.p);
    str_free(&log);
    return drv_leave(code);
}

int cuModuleLoadData(void **module, const void *image)
{
    return load_data("cuModuleLoadData", module, image, NULL);
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values)
{
    struct drv_jit jit = { count, options, values };
    return load_data("cuModuleLoadDataEx", module, image, count ? &jit : NULL);
}

int cuModuleLoadFatBinary(void **module, const void *image)
{
    return load_data("cuModuleLoadFatBinary", module, image, NULL);
}

static int read_file(const char *path, struct str *to)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return DRV_FILE_NOT_FOUND;
    char block[16384];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        str_add_bytes(to, block, n);
    int failed = ferror(f);
    fclose(f);
    return failed ? DRV_FILE_NOT_FOUND : to->failed ? DRV_OUT_OF_MEMORY : DRV_OK;
}

int cuModuleLoad(void **module, const char *path)
{
    int code = drv_enter("cuModuleLoad", DRV_CONTEXT);
    if (code == DRV_OK && (!module || !path))
        code = DRV_INVALID_VALUE;
    if (code)
        return drv_leave(code);
    struct str file = STR_INIT, log = STR_INIT;
    code = read_file(path, &file);
    if (code == DRV_OK && !drv_loader_fits((const uint8_t *)file.p, file.len))
        code = DRV_INVALID_IMAGE;
    if (code == DRV_OK)
        code = load(module, file.p, &log);
    str_free(&log);
    str_free(&file);
    return drv_leave(code);
}

/* Enters a call about a module of the current context. */
static int enter_module(const char *call, const void *handle, struct drv_module **module)
{
    int code = drv_enter(call, DRV_CONTEXT);
    *module = drv_handle_object(DRV_HANDLE_MODULE, handle);
    if (code == DRV_OK && (!*module || (*module)->context != drv_current()))
        code = DRV_INVALID_HANDLE;
    return code;
}

int cuModuleUnload(void *handle)
{
    struct drv_module *module;
    int code = enter_module("cuModuleUnload", handle, &module);
    if (code == DRV_OK) {
        struct drv_module **at = &module->context->modules;
        while (*at != module)
            at = &(*at)->next;
        *at = module->next;
        free_module(module);
    }
    return drv_leave(code);
}

int cuModuleGetLoadingMode(int *mode)
{
    int code = drv_enter("cuModuleGetLoadingMode", DRV_INIT);
    if (code == DRV_OK && !mode)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *mode = 1; /* eager, whatever CUDA_MODULE_LOADING says */
    return drv_leave(code);
}

/* ---- functions and variables
 * -------------------------------------------------------------------------- */

struct wanted {
    const char *name;
    bool found;
};

static int is_wanted(void *self, const char *name, size_t length, struct err *err)
{
    (void)err;
    struct wanted *wanted = self;
    wanted->found |= strlen(wanted->name) == length && memcmp(wanted->name, name, length) == 0;
    return 0;
}

/* Whether the module has a kernel of that name; `*kernel` where it can run. */
static bool has_kernel(const struct drv_module *module, const char *name,
                       const struct exec_kernel **kernel)
{
    *kernel = module->code ? exec_find(module->code, name) : NULL;
    if (module->code)
        return *kernel != NULL;
    struct wanted wanted = { .name = name };
    cubin_kernels(module->cubin, module->cubin_size, is_wanted, &wanted, NULL);
    return wanted.found;
}

static struct drv_function *new_function(struct drv_module *module, const char *name,
                                         const struct exec_kernel *kernel)
{
    struct drv_function *function = calloc(1, sizeof *function);
    if (!function)
        return NULL;
    function->name = strdup(name);
    function->handle = drv_handle_new(DRV_HANDLE_FUNCTION, function);
    if (!function->name || !function->handle) {
        free_function(function);
        return NULL;
    }
    function->module = module;
    function->kernel = kernel;
    if (kernel)
        exec_kernel_info(kernel, &function->info);
    function->dynamic_shared_max = DRV_CARD_SHARED_BLOCK;
    if (function->info.shared_bytes <= DRV_CARD_SHARED_BLOCK)
        function->dynamic_shared_max -= function->info.shared_bytes;
    function->next = module->functions;
    module->functions = function;
    return function;
}

static int get_function(struct drv_module *module, const char *name, void **handle)
{
    for (struct drv_function *f = module->functions; f; f = f->next)
        if (strcmp(f->name, name) == 0) {
            *handle = f->handle;
            return DRV_OK;
        }
    const struct exec_kernel *kernel;
    if (!has_kernel(module, name, &kernel))
        return DRV_NOT_FOUND;
    struct drv_function *function = new_function(module, name, kernel);
    if (!function)
        return DRV_OUT_OF_MEMORY;
    *handle = function->handle;
    return DRV_OK;
}

int cuModuleGetFunction(void **function, void *handle, const char *name)
{
    struct drv_module *module;
    int code = enter_module("cuModuleGetFunction", handle, &module);
    if (code == DRV_OK && (!function || !name))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        code = get_function(module, name, function);
    return drv_leave(code);
}

int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *handle, const char *name)
{
    struct drv_module *module;
    int code = enter_module("cuModuleGetGlobal", handle, &module);
    if (code == DRV_OK && !name)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !module->code)
        code = DRV_NOT_SUPPORTED;
    if (code == DRV_OK) {
        struct exec_var var;
        code = exec_var_find(module->code, name, &var) ? DRV_OK : DRV_NOT_FOUND;
        if (code == DRV_OK && address)
            *address = var.address;
        if (code == DRV_OK && bytes)
            *bytes = (size_t)var.size;
    }
    return drv_leave(code);
}
