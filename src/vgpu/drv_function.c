/* Functions: attributes and occupancy, from the compiled code and the card's limits. */
#include "vgpu/drv_module.h"

enum {
    WARP = 32,
    BLOCK_MAX = 1024,
    REGISTER_UNIT = 256, /* registers are given to warps in such pieces, from Kepler on */
    WARP_UNIT = 4,       /* and warps are counted in such groups for it */
};

enum {
    ATTR_MAX_THREADS,
    ATTR_SHARED,
    ATTR_CONST,
    ATTR_LOCAL,
    ATTR_REGISTERS,
    ATTR_PTX_VERSION,
    ATTR_BINARY_VERSION,
    ATTR_CACHE_CA,
    ATTR_MAX_DYNAMIC_SHARED,
    ATTR_CARVEOUT,
};

struct drv_function *drv_function_of(const void *handle)
{
    struct drv_function *f = drv_handle_object(DRV_HANDLE_FUNCTION, handle);
    return f && f->module->context == drv_current() ? f : NULL;
}

static const struct drv_limits *limits_of(const struct drv_function *f)
{
    return drv_card_limits(f->module->context->device->card);
}

static unsigned registers(const struct drv_function *f)
{
    unsigned most = limits_of(f)->regs_thread;
    if (f->kernel && f->info.max_threads < BLOCK_MAX) {
        /* compilers keep to what a block of .maxntid threads can have */
        unsigned warps = (f->info.max_threads + WARP - 1) / WARP;
        warps = (warps + WARP_UNIT - 1) / WARP_UNIT * WARP_UNIT;
        unsigned each = limits_of(f)->regs_block / warps / REGISTER_UNIT * REGISTER_UNIT / WARP;
        most = each < most ? each : most;
    }
    return f->info.registers > most ? most : f->info.registers;
}

/* Warps whose registers fit into `total`. */
static unsigned warps_by_registers(const struct drv_function *f, unsigned total)
{
    unsigned warp = (registers(f) * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    return warp ? total / warp / WARP_UNIT * WARP_UNIT : total;
}

unsigned drv_function_max_threads(const struct drv_function *f)
{
    unsigned threads = BLOCK_MAX, fit = warps_by_registers(f, limits_of(f)->regs_block) * WARP;
    if (fit < threads)
        threads = fit;
    if (f->kernel && f->info.max_threads < threads)
        threads = f->info.max_threads;
    return threads;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned drv_function_blocks_sm(const struct drv_function *f, unsigned threads,
                                uint64_t dynamic_shared)
{
    const struct drv_limits *limits = limits_of(f);
    if (threads == 0 || threads > drv_function_max_threads(f))
        return 0;
    unsigned warps = (threads + WARP - 1) / WARP;
    unsigned blocks = least(limits->blocks_sm, limits->threads_sm / (warps * WARP));
    blocks = least(blocks, warps_by_registers(f, limits->regs_sm) / warps);
    uint64_t shared = f->info.shared_bytes + dynamic_shared;
    if (shared > limits->shared_block_optin)
        return 0;
    shared = (shared + limits->shared_reserved + limits->shared_unit - 1) / limits->shared_unit *
             limits->shared_unit;
    return shared ? least(blocks, (unsigned)(limits->shared_sm / shared)) : blocks;
}

/* ---- attributes
 * --------------------------------------------------------------------------------------- */

static int attribute_of(const struct drv_function *f, int attribute, int *value)
{
    const struct exec_kernel_info *info = &f->info;
    switch (attribute) {
    case ATTR_PTX_VERSION:
        *value = (int)f->module->virtual_version;
        return DRV_OK;
    case ATTR_BINARY_VERSION:
        *value = (int)f->module->binary_version;
        return DRV_OK;
    default:
        break;
    }
    if (!f->kernel) /* a cubin that nobody can look into */
        return DRV_NOT_SUPPORTED;
    switch (attribute) {
    case ATTR_MAX_THREADS:
        *value = (int)drv_function_max_threads(f);
        return DRV_OK;
    case ATTR_SHARED:
        *value = (int)info->shared_bytes;
        return DRV_OK;
    case ATTR_CONST:
        *value = (int)info->const_bytes;
        return DRV_OK;
    case ATTR_LOCAL:
        *value = (int)info->local_bytes;
        return DRV_OK;
    case ATTR_REGISTERS:
        *value = (int)registers(f);
        return DRV_OK;
    case ATTR_CACHE_CA:
        *value = 0;
        return DRV_OK;
    case ATTR_MAX_DYNAMIC_SHARED:
        *value = (int)f->dynamic_shared_max;
        return DRV_OK;
    case ATTR_CARVEOUT:
        *value = -1;
        return DRV_OK;
    default:
        return DRV_INVALID_VALUE;
    }
}

static int enter_function(const char *call, const void *handle, struct drv_function **f)
{
    int code = drv_enter(call, DRV_CONTEXT);
    *f = code == DRV_OK ? drv_function_of(handle) : NULL;
    return code == DRV_OK && !*f ? DRV_INVALID_HANDLE : code;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    struct drv_function *f;
    int code = enter_function("cuFuncGetAttribute", function, &f);
    if (code == DRV_OK && !value)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        code = attribute_of(f, attribute, value);
    return drv_leave(code);
}

/* More than 48 KiB of shared memory a block has to be asked for, on cards that have it. */
int cuFuncSetAttribute(void *function, int attribute, int value)
{
    struct drv_function *f;
    int code = enter_function("cuFuncSetAttribute", function, &f);
    if (code)
        return drv_leave(code);
    unsigned fixed = f->info.shared_bytes, most = limits_of(f)->shared_block_optin;
    if (attribute == ATTR_CARVEOUT)
        return drv_leave(value >= -1 && value <= 100 ? DRV_OK : DRV_INVALID_VALUE);
    if (attribute != ATTR_MAX_DYNAMIC_SHARED || value < 0 || (unsigned)value + fixed > most)
        return drv_leave(DRV_INVALID_VALUE);
    f->dynamic_shared_max = (unsigned)value;
    return drv_leave(DRV_OK);
}

int cuFuncSetCacheConfig(void *function, int config)
{
    struct drv_function *f;
    int code = enter_function("cuFuncSetCacheConfig", function, &f);
    if (code == DRV_OK && (config < 0 || config > 3))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        f->cache_config = config;
    return drv_leave(code);
}

int cuFuncSetSharedMemConfig(void *function, int config)
{
    struct drv_function *f;
    int code = enter_function("cuFuncSetSharedMemConfig", function, &f);
    if (code == DRV_OK && (config < 0 || config > 2))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        f->bank_config = config;
    return drv_leave(code);
}

int cuFuncGetModule(void **module, void *function)
{
    struct drv_function *f;
    int code = enter_function("cuFuncGetModule", function, &f);
    if (code == DRV_OK && !module)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *module = f->module->handle;
    return drv_leave(code);
}

int cuFuncGetName(const char **name, void *function)
{
    struct drv_function *f;
    int code = enter_function("cuFuncGetName", function, &f);
    if (code == DRV_OK && !name)
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK)
        *name = f->name;
    return drv_leave(code);
}

int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size)
{
    struct drv_function *f;
    int code = enter_function("cuFuncGetParamInfo", function, &f);
    if (code == DRV_OK && !f->kernel)
        code = DRV_NOT_SUPPORTED;
    struct exec_param param;
    if (code == DRV_OK &&
        (!offset || index > UINT32_MAX || !exec_kernel_param(f->kernel, (uint32_t)index, &param)))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK) {
        *offset = param.offset;
        if (size)
            *size = param.size;
    }
    return drv_leave(code);
}

/* ---- occupancy
 * ------------------------------------------------------------------------------------------ */

static int active_blocks(const char *call, int *blocks, void *function, int block_size,
                         size_t shared_bytes, unsigned flags)
{
    struct drv_function *f;
    int code = enter_function(call, function, &f);
    if (code == DRV_OK && (!blocks || block_size <= 0 || flags > 1))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !f->kernel)
        code = DRV_NOT_SUPPORTED;
    if (code == DRV_OK)
        *blocks = (int)drv_function_blocks_sm(f, (unsigned)block_size, shared_bytes);
    return drv_leave(code);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int block_size,
                                                size_t shared_bytes)
{
    return active_blocks("cuOccupancyMaxActiveBlocksPerMultiprocessor", blocks, function,
                         block_size, shared_bytes, 0);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *function,
                                                         int block_size, size_t shared_bytes,
                                                         unsigned flags)
{
    return active_blocks("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", blocks, function,
                         block_size, shared_bytes, flags);
}

/* The block size that keeps most threads on a multiprocessor; the larger one of equals. */
int cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, void *function,
                                     size_t (*shared_of)(int block_size), size_t shared_bytes,
                                     int limit)
{
    struct drv_function *f;
    int code = enter_function("cuOccupancyMaxPotentialBlockSize", function, &f);
    if (code == DRV_OK && (!min_grid || !block_size || limit < 0))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !f->kernel)
        code = DRV_NOT_SUPPORTED;
    if (code)
        return drv_leave(code);
    unsigned most = drv_function_max_threads(f), best = 0;
    if (limit && (unsigned)limit < most)
        most = (unsigned)limit;
    for (unsigned size = most / WARP * WARP; size >= WARP; size -= WARP) {
        size_t shared = shared_of ? shared_of((int)size) : shared_bytes;
        unsigned blocks = drv_function_blocks_sm(f, size, shared);
        if (blocks * size <= best)
            continue;
        best = blocks * size;
        *block_size = (int)size;
        *min_grid = (int)(blocks * f->module->context->device->card->sms);
    }
    return drv_leave(best ? DRV_OK : DRV_INVALID_VALUE);
}

int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *function, int blocks,
                                            int block_size)
{
    struct drv_function *f;
    int code = enter_function("cuOccupancyAvailableDynamicSMemPerBlock", function, &f);
    if (code == DRV_OK && (!bytes || blocks <= 0 || block_size <= 0))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !f->kernel)
        code = DRV_NOT_SUPPORTED;
    if (code == DRV_OK) {
        const struct drv_limits *limits = limits_of(f);
        uint64_t each =
            limits->shared_sm / (unsigned)blocks / limits->shared_unit * limits->shared_unit;
        uint64_t taken = f->info.shared_bytes + limits->shared_reserved;
        uint64_t left = each > taken ? each - taken : 0;
        *bytes = (size_t)(left < f->dynamic_shared_max ? left : f->dynamic_shared_max);
    }
    return drv_leave(code);
}
