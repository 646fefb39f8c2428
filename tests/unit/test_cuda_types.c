/* The numbers of cuda/types.h are NVIDIA's, and every code of the table is named as in the header.
 * Reads cuda.h of the unpacked toolkit; skipped where there is none. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/types.h"
#include "data/data.h"

static char *header;

static bool read_header(void)
{
    const char *toolkit = getenv("TOOLKIT");
    char path[4096];
    snprintf(path, sizeof path, "%s/include/cuda.h",
             toolkit && *toolkit ? toolkit : "build/toolkit");
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    header = calloc(1, (size_t)4 << 20);
    cr_assert_not_null(header);
    size_t n = fread(header, 1, ((size_t)4 << 20) - 1, f);
    fclose(f);
    return n > 0;
}

/* The number behind "NAME =" in the header; -1: it has no such name. */
static long value_of(const char *name)
{
    size_t n = strlen(name);
    for (const char *p = header; (p = strstr(p, name)); p += n) {
        const char *q = p + n;
        if (p > header && (isalnum((unsigned char)p[-1]) || p[-1] == '_'))
            continue;
        q += strspn(q, " \t");
        if (*q == '=')
            return strtol(q + 1, NULL, 0);
    }
    return -1;
}

static const struct {
    const char *name;
    long value;
} numbers[] = {
    { "CUDA_SUCCESS", GPU_OK },
    { "CUDA_ERROR_INVALID_VALUE", GPU_INVALID_VALUE },
    { "CUDA_ERROR_OUT_OF_MEMORY", GPU_OUT_OF_MEMORY },
    { "CUDA_ERROR_NOT_INITIALIZED", GPU_NOT_INITIALIZED },
    { "CUDA_ERROR_NO_DEVICE", GPU_NO_DEVICE },
    { "CUDA_ERROR_INVALID_IMAGE", GPU_INVALID_IMAGE },
    { "CUDA_ERROR_NO_BINARY_FOR_GPU", GPU_NO_BINARY },
    { "CUDA_ERROR_INVALID_PTX", GPU_INVALID_PTX },
    { "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", GPU_NO_JIT_COMPILER },
    { "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", GPU_UNSUPPORTED_PTX },
    { "CUDA_ERROR_NOT_FOUND", GPU_NOT_FOUND },
    { "CUDA_ERROR_NOT_READY", GPU_NOT_READY },
    { "CUDA_ERROR_ILLEGAL_ADDRESS", GPU_ILLEGAL_ADDRESS },
    { "CUDA_ERROR_LAUNCH_TIMEOUT", GPU_LAUNCH_TIMEOUT },
    { "CUDA_ERROR_NOT_SUPPORTED", GPU_NOT_SUPPORTED },
    { "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK", GPU_ATTR_MAX_THREADS_PER_BLOCK },
    { "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK", GPU_ATTR_MAX_SHARED_PER_BLOCK },
    { "CU_DEVICE_ATTRIBUTE_WARP_SIZE", GPU_ATTR_WARP_SIZE },
    { "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK", GPU_ATTR_MAX_REGISTERS_PER_BLOCK },
    { "CU_DEVICE_ATTRIBUTE_CLOCK_RATE", GPU_ATTR_CLOCK_KHZ },
    { "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT", GPU_ATTR_MULTIPROCESSORS },
    { "CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT", GPU_ATTR_KERNEL_EXEC_TIMEOUT },
    { "CU_DEVICE_ATTRIBUTE_INTEGRATED", GPU_ATTR_INTEGRATED },
    { "CU_DEVICE_ATTRIBUTE_COMPUTE_MODE", GPU_ATTR_COMPUTE_MODE },
    { "CU_DEVICE_ATTRIBUTE_PCI_BUS_ID", GPU_ATTR_PCI_BUS },
    { "CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID", GPU_ATTR_PCI_DEVICE },
    { "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE", GPU_ATTR_MEMORY_CLOCK_KHZ },
    { "CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH", GPU_ATTR_MEMORY_BUS_BITS },
    { "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE", GPU_ATTR_L2_BYTES },
    { "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR", GPU_ATTR_MAX_THREADS_PER_SM },
    { "CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID", GPU_ATTR_PCI_DOMAIN },
    { "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", GPU_ATTR_CC_MAJOR },
    { "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR", GPU_ATTR_CC_MINOR },
    { "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", GPU_ATTR_MAX_SHARED_PER_SM },
    { "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR", GPU_ATTR_MAX_REGISTERS_PER_SM },
    { "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", GPU_ATTR_MAX_SHARED_OPTIN },
    { "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK", GPU_FUNC_MAX_THREADS },
    { "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES", GPU_FUNC_SHARED_BYTES },
    { "CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES", GPU_FUNC_CONST_BYTES },
    { "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES", GPU_FUNC_LOCAL_BYTES },
    { "CU_FUNC_ATTRIBUTE_NUM_REGS", GPU_FUNC_REGISTERS },
    { "CU_FUNC_ATTRIBUTE_PTX_VERSION", GPU_FUNC_PTX_VERSION },
    { "CU_FUNC_ATTRIBUTE_BINARY_VERSION", GPU_FUNC_BINARY_VERSION },
    { "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", GPU_FUNC_MAX_DYNAMIC_SHARED },
};

Test(types, every_number_is_that_of_cuda_h)
{
    if (!read_header())
        cr_skip("no toolkit with cuda.h");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cr_assert_eq(value_of(numbers[i].name), numbers[i].value,
                     "%s is %ld in the header, %ld here", numbers[i].name,
                     value_of(numbers[i].name), numbers[i].value);
    free(header);
}

/* The JIT's options are an enumeration whose first value alone is written: counted, not read. */
static long position(const char *from, const char *name)
{
    const char *p = strstr(header, from);
    long n = 0;
    for (; p && strncmp(p, name, strlen(name)) != 0; p = strstr(p + 1, "CU_JIT_")) {
        const char *end = p + strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        n += *end == ',' || *end == ' ' || *end == '=';
    }
    return p ? n : -1;
}

Test(types, the_jit_options_stand_in_the_order_of_cuda_h)
{
    static const struct {
        const char *name;
        long value;
    } options[] = { { "CU_JIT_INFO_LOG_BUFFER,", GPU_JIT_INFO_LOG },
                    { "CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,", GPU_JIT_INFO_LOG_BYTES },
                    { "CU_JIT_ERROR_LOG_BUFFER,", GPU_JIT_ERROR_LOG },
                    { "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,", GPU_JIT_ERROR_LOG_BYTES } };
    if (!read_header())
        cr_skip("no toolkit with cuda.h");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        cr_assert_eq(position("CU_JIT_MAX_REGISTERS", options[i].name), options[i].value,
                     "%s is number %ld", options[i].name,
                     position("CU_JIT_MAX_REGISTERS", options[i].name));
    free(header);
}

Test(types, the_table_names_every_code_as_cuda_h_does)
{
    const struct table *t = data_table(DATA_CODES);
    size_t seen = 0;
    if (!read_header())
        cr_skip("no toolkit with cuda.h");
    for (size_t row = 0; row < t->row_count; row++) {
        long value = value_of(table_field(t, row, "name"));
        if (value < 0)
            continue; /* newer than this header, or the runtime's own */
        cr_assert_eq(value, atoi(table_field(t, row, "code")), "%s", table_field(t, row, "name"));
        seen++;
    }
    cr_assert_gt(seen, 80);
    free(header);
}
