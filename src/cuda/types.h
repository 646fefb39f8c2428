/* Handles and constants of the driver API, declared here so that the program builds without any
 * CUDA header. Numbers are those of cuda.h 11.8 (ABI, the same in every release since 9.0); a test
 * compares them with the real header where it is at hand. */
#ifndef CUDA_TYPES_H
#define CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct gpu_context;
struct gpu_module;
struct gpu_function;
struct gpu_stream;
struct gpu_event;

/* Results that the code tests for; all others are only named (data/codes.tsv). */
enum gpu_result {
    GPU_OK = 0,
    GPU_INVALID_VALUE = 1,
    GPU_OUT_OF_MEMORY = 2,
    GPU_NOT_INITIALIZED = 3,
    GPU_NO_DEVICE = 100,
    GPU_INVALID_IMAGE = 200,
    GPU_NO_BINARY = 209,
    GPU_INVALID_PTX = 218,
    GPU_NO_JIT_COMPILER = 221,
    GPU_UNSUPPORTED_PTX = 222,
    GPU_NOT_FOUND = 500,
    GPU_NOT_READY = 600,
    GPU_ILLEGAL_ADDRESS = 700,
    GPU_LAUNCH_TIMEOUT = 702,
    GPU_NOT_SUPPORTED = 801,
};

enum gpu_attribute {
    GPU_ATTR_MAX_THREADS_PER_BLOCK = 1,
    GPU_ATTR_MAX_SHARED_PER_BLOCK = 8,
    GPU_ATTR_WARP_SIZE = 10,
    GPU_ATTR_MAX_REGISTERS_PER_BLOCK = 12,
    GPU_ATTR_CLOCK_KHZ = 13,
    GPU_ATTR_MULTIPROCESSORS = 16,
    GPU_ATTR_KERNEL_EXEC_TIMEOUT = 17,
    GPU_ATTR_INTEGRATED = 18,
    GPU_ATTR_COMPUTE_MODE = 20,
    GPU_ATTR_PCI_BUS = 33,
    GPU_ATTR_PCI_DEVICE = 34,
    GPU_ATTR_MEMORY_CLOCK_KHZ = 36,
    GPU_ATTR_MEMORY_BUS_BITS = 37,
    GPU_ATTR_L2_BYTES = 38,
    GPU_ATTR_MAX_THREADS_PER_SM = 39,
    GPU_ATTR_PCI_DOMAIN = 50,
    GPU_ATTR_CC_MAJOR = 75,
    GPU_ATTR_CC_MINOR = 76,
    GPU_ATTR_MAX_SHARED_PER_SM = 81,
    GPU_ATTR_MAX_REGISTERS_PER_SM = 82,
    GPU_ATTR_MAX_SHARED_OPTIN = 97,
};

enum gpu_function_attribute {
    GPU_FUNC_MAX_THREADS = 0,
    GPU_FUNC_SHARED_BYTES = 1,
    GPU_FUNC_CONST_BYTES = 2,
    GPU_FUNC_LOCAL_BYTES = 3,
    GPU_FUNC_REGISTERS = 4,
    GPU_FUNC_PTX_VERSION = 5, /* of the PTX's .target: 35 */
    GPU_FUNC_BINARY_VERSION =
        6, /* of the code that runs: 37 when PTX was compiled for a 3.7 card */
    GPU_FUNC_MAX_DYNAMIC_SHARED = 8,
};

enum gpu_jit_option {
    GPU_JIT_INFO_LOG = 3,
    GPU_JIT_INFO_LOG_BYTES = 4,
    GPU_JIT_ERROR_LOG = 5,
    GPU_JIT_ERROR_LOG_BYTES = 6,
};

#endif
