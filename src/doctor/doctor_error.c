#include "doctor/doctor_error.h"

#include <ctype.h>
#include <string.h>

#define BIT(code) (1ul << CAUSE_##code)

/* The list of architectures of some file. */
#define ARCH_LIST (BIT(A1) | BIT(A2) | BIT(A3) | BIT(A4) | BIT(A5) | BIT(A6) | BIT(A7))

static const struct {
    const char *part; /* of the text, without case */
    unsigned long causes;
    enum doctor_cause first; /* what it is when nothing else tells */
} texts[] = {
    { "FlashAttention only supports", BIT(A11), CAUSE_A11 },
    { "triton GPU compiler", BIT(A10), CAUSE_A10 },
    { "ARCH_MISMATCH", BIT(A17), CAUSE_A17 },
    { "Unsupported .version", BIT(A9), CAUSE_A9 },
    { "unsupported toolchain", BIT(A9), CAUSE_A9 },
    { "UnsupportedPtxVersion", BIT(A9), CAUSE_A9 },
    { "UNSUPPORTED_PTX_VERSION", BIT(A9), CAUSE_A9 },
    { "Failed to compile PTX", BIT(A10) | BIT(A9), CAUSE_A10 },
    { "invalid value for --gpu-architecture", BIT(A10), CAUSE_A10 },
    { "NVRTC_ERROR_INVALID_OPTION", BIT(A10), CAUSE_A10 },
    { "Unsupported gpu architecture", BIT(A10), CAUSE_A10 },
    { "is not defined for option 'gpu-name'", BIT(A10), CAUSE_A10 },
    { "forward compatibility was attempted", BIT(A14), CAUSE_A14 },
    { "unsupported display driver", BIT(A14), CAUSE_A14 },
    { "Driver/library version mismatch", BIT(A14), CAUSE_A14 },
    { "JIT_COMPILER_NOT_FOUND", BIT(A14), CAUSE_A14 },
    { "JitCompilerNotFound", BIT(A14), CAUSE_A14 },
    { "PTX JIT compiler library", BIT(A14), CAUSE_A14 },
    { "undefined symbol: cu", BIT(A13), CAUSE_A13 },
    { "driver version is insufficient", BIT(A13) | BIT(N2) | BIT(A15) | BIT(A14), CAUSE_A13 },
    { "driver on your system is too old", BIT(A13), CAUSE_A13 },
    { "kernel image is invalid", BIT(A13) | BIT(A7) | BIT(A10), CAUSE_A13 },
    { "INVALID_IMAGE", BIT(A13) | BIT(A7) | BIT(A10), CAUSE_A13 },
    { "no CUDA-capable device", BIT(A12) | BIT(N2) | BIT(A15) | BIT(A14), CAUSE_A12 },
    { "ERROR_NO_DEVICE", BIT(A12) | BIT(N2) | BIT(A15) | BIT(A14), CAUSE_A12 },
    { "No devices were found", BIT(A15) | BIT(N2) | BIT(A12), CAUSE_A15 },
    { "No NVIDIA GPU", BIT(A15) | BIT(N2) | BIT(A12), CAUSE_A15 },
    { "invalid device ordinal", BIT(A12), CAUSE_A12 },
    { "wrong GPU", BIT(A12), CAUSE_A12 },
    { "nvidia-smi calls", BIT(A12), CAUSE_A12 },
    { "not compiled with CUDA", BIT(N1), CAUSE_N1 },
    { "is_available() is False", BIT(N1) | BIT(N2) | BIT(A12) | BIT(A13) | BIT(A15), CAUSE_N1 },
    { "is_available() returns False", BIT(N1) | BIT(N2) | BIT(A12) | BIT(A13), CAUSE_N1 },
    { "Could not find a version that satisfies the requirement torch", BIT(N3), CAUSE_N3 },
    { "No matching distribution found for torch", BIT(N3), CAUSE_N3 },
    { "different compute capability", BIT(A16), CAUSE_A16 },
    { "engine plan file", BIT(A16), CAUSE_A16 },
    { "incompatible device", BIT(A16), CAUSE_A16 },
    { "invalid resource handle", BIT(A19), CAUSE_A19 },
    { "instead of the environment", BIT(A18), CAUSE_A18 },
    { "loads system lib", BIT(A18), CAUSE_A18 },
    { "no longer supports this GPU", BIT(A1) | BIT(A6) | BIT(A12), CAUSE_A1 },
    { "is not compatible with the current PyTorch", BIT(A2) | BIT(A1) | BIT(A5), CAUSE_A2 },
    { "minimum required Cuda capability", BIT(A1), CAUSE_A1 },
    { "no kernel image", ARCH_LIST | BIT(A11) | BIT(A18), CAUSE_A1 },
    { "NoKernelImage", ARCH_LIST | BIT(A11) | BIT(A18), CAUSE_A1 },
    { "NO_BINARY_FOR_GPU", ARCH_LIST | BIT(A11) | BIT(A18), CAUSE_A1 },
    { "invalid device function", ARCH_LIST | BIT(A18), CAUSE_A1 },
    { "InvalidDeviceFunction", ARCH_LIST | BIT(A18), CAUSE_A1 },
    { "error 209", ARCH_LIST, CAUSE_A1 },
    { "error 222", BIT(A9), CAUSE_A9 },
    { "error 221", BIT(A14), CAUSE_A14 },
    { "error 803", BIT(A14), CAUSE_A14 },
    { "error 804", BIT(A14), CAUSE_A14 },
    { "(222)", BIT(A9), CAUSE_A9 },
    { "error 100", BIT(A12) | BIT(N2) | BIT(A15), CAUSE_A12 },
    { "error 35", BIT(A13) | BIT(N2) | BIT(A15), CAUSE_A13 },
    { "error 200", BIT(A13) | BIT(A7) | BIT(A10), CAUSE_A13 },
    { "Xid", BIT(A6) | BIT(A19), CAUSE_A6 },
    { "too slow", BIT(A8), CAUSE_A8 },
    { "minutes", BIT(A8), CAUSE_A8 },
    { "LD_LIBRARY_PATH", BIT(A18), CAUSE_A18 },
};

const char *doctor_cause_code(enum doctor_cause cause)
{
    static const char *const codes[] = {
#define X(code) #code,
        DOCTOR_CAUSES(X)
#undef X
    };
    return cause < CAUSE_COUNT ? codes[cause] : "";
}

unsigned long doctor_error_causes(const char *text, enum doctor_cause *first)
{
    enum doctor_cause unused;
    first = first ? first : &unused;
    *first = CAUSE_COUNT;
    for (size_t i = 0; text && i < sizeof texts / sizeof texts[0]; i++)
        if (strcasestr(text, texts[i].part)) {
            *first = texts[i].first;
            return texts[i].causes;
        }
    return 0;
}
