/* The functions of cuBLAS have the types that we call them by: its header is read with its name for the
 * handle turned into ours, which differs in nothing else, and the compiler compares. Built with the header
 * of the unpacked toolkit where that is at hand; scripts/check-vendor does it with those of CUDA 11 to 13. */
#include <criterion/criterion.h>

#include "cuda/cublas.h"

#if __has_include(<cublas_v2.h>) && __has_include(<cuda_runtime_api.h>)
#define cublasContext cublas_context
#include <cublas_v2.h>

extern struct cublas_calls *calls; /* for the types of its members alone */
#define SAME(function, member)                                                                     \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&function), __typeof__(calls->member)),   \
                   #function)

SAME(cublasCreate_v2, create);
SAME(cublasDestroy_v2, destroy);
SAME(cublasGetVersion_v2, version);
SAME(cublasSetMathMode, math_mode);
SAME(cublasSetWorkspace_v2, workspace);
SAME(cublasGetStatusString, text);
SAME(cublasSgemm_v2, sgemm);
SAME(cublasSgemmStridedBatched, sgemm_batch);
SAME(cublasGemmEx, gemm);
SAME(cublasGemmStridedBatchedEx, gemm_batch);

/* The list has names as strings, so they are written again above; none is left out. */
Test(cuda_cublas_types, every_call_is_compared)
{
    cr_assert_eq(sizeof(struct cublas_calls) / sizeof(void (*)(void)), 10);
}

/* What cublas.c has as numbers of its own. */
Test(cuda_cublas_types, numbers_are_those_of_the_header)
{
    cr_assert(CUBLAS_OP_N == 0 && CUBLAS_OP_T == 1);
    cr_assert(CUDA_R_32F == 0 && CUDA_R_16F == 2 && CUDA_R_8I == 3 && CUDA_R_32I == 10 && CUDA_R_16BF == 14);
    cr_assert(CUBLAS_COMPUTE_16F == 64 && CUBLAS_COMPUTE_16F_PEDANTIC == 65);
    cr_assert(CUBLAS_COMPUTE_32F == 68 && CUBLAS_COMPUTE_32F_PEDANTIC == 69);
    cr_assert(CUBLAS_COMPUTE_32I == 72 && CUBLAS_COMPUTE_32I_PEDANTIC == 73);
    cr_assert(CUBLAS_COMPUTE_32F_FAST_TF32 == 77);
    cr_assert(CUBLAS_DEFAULT_MATH == 0 && CUBLAS_TENSOR_OP_MATH == 1);
    cr_assert(CUBLAS_GEMM_DEFAULT == -1 && CUBLAS_GEMM_DEFAULT_TENSOR_OP == 99);
    cr_assert(CUBLAS_STATUS_ARCH_MISMATCH == 8 && CUBLAS_STATUS_NOT_SUPPORTED == 15);
}

#define NAMED(status) cr_assert_str_eq(cublas_status_name(status), #status)
Test(cuda_cublas_types, statuses_are_named_as_in_the_header)
{
    NAMED(CUBLAS_STATUS_SUCCESS);
    NAMED(CUBLAS_STATUS_NOT_INITIALIZED);
    NAMED(CUBLAS_STATUS_ALLOC_FAILED);
    NAMED(CUBLAS_STATUS_INVALID_VALUE);
    NAMED(CUBLAS_STATUS_ARCH_MISMATCH);
    NAMED(CUBLAS_STATUS_MAPPING_ERROR);
    NAMED(CUBLAS_STATUS_EXECUTION_FAILED);
    NAMED(CUBLAS_STATUS_INTERNAL_ERROR);
    NAMED(CUBLAS_STATUS_NOT_SUPPORTED);
    NAMED(CUBLAS_STATUS_LICENSE_ERROR);
    cr_assert_str_eq(cublas_status_name(2), "unknown status");
}
#else
Test(cuda_cublas_types, numbers_are_those_of_the_header)
{
    cr_skip("no header of cuBLAS");
}
#endif
