/* The functions of cuDNN have the types that we call them by, as test_cuda_cublas_types.c has it. Its header
 * is in no package that tests install: scripts/check-vendor compiles this file with those of 8 and 9. */
#include <criterion/criterion.h>

#include "cuda/cudnn.h"

#if __has_include(<cudnn.h>) && __has_include(<cuda_runtime_api.h>)
#define cudnnContext           cudnn_context
#define cudnnTensorStruct      cudnn_tensor
#define cudnnFilterStruct      cudnn_filter
#define cudnnConvolutionStruct cudnn_operation
#define cudnnActivationStruct  cudnn_activation
#include <cudnn.h>

/* The three passes have a struct each for what was found, with an enum of its own: the same memory. */
#define SAME_PLACE(theirs, member, ours)                                                           \
    _Static_assert(offsetof(theirs, member) == offsetof(struct cudnn_found, ours), #theirs " " #member)
#define SAME_STRUCT(theirs)                                                                        \
    _Static_assert(sizeof(theirs) == sizeof(struct cudnn_found), #theirs);                         \
    SAME_PLACE(theirs, algo, algorithm);                                                           \
    SAME_PLACE(theirs, status, status);                                                            \
    SAME_PLACE(theirs, time, time_ms);                                                             \
    SAME_PLACE(theirs, memory, workspace_bytes);                                                   \
    SAME_PLACE(theirs, determinism, determinism);                                                  \
    SAME_PLACE(theirs, mathType, math)
SAME_STRUCT(cudnnConvolutionFwdAlgoPerf_t);
SAME_STRUCT(cudnnConvolutionBwdDataAlgoPerf_t);
SAME_STRUCT(cudnnConvolutionBwdFilterAlgoPerf_t);

/* Our calls once more, with each of these structs in the place of ours. */
#define X(need, member, result, name, arguments) result(*member) arguments;
struct plain {
#include "cuda/cudnn.def"
};
#define cudnn_found cudnnConvolutionFwdAlgoPerfStruct
struct forward {
#include "cuda/cudnn.def"
};
#undef cudnn_found
#define cudnn_found cudnnConvolutionBwdDataAlgoPerfStruct
struct data {
#include "cuda/cudnn.def"
};
#undef cudnn_found
#define cudnn_found cudnnConvolutionBwdFilterAlgoPerfStruct
struct weights {
#include "cuda/cudnn.def"
};
#undef cudnn_found
#undef X

extern struct plain *plain;
extern struct forward *forward;
extern struct data *data;
extern struct weights *weights;
#define SAME(function, member)                                                                     \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&function), __typeof__(member)), #function)

SAME(cudnnCreate, plain->create);
SAME(cudnnDestroy, plain->destroy);
SAME(cudnnGetVersion, plain->version);
SAME(cudnnGetErrorString, plain->text);
SAME(cudnnCreateTensorDescriptor, plain->tensor_create);
SAME(cudnnSetTensor4dDescriptor, plain->tensor_set);
SAME(cudnnDestroyTensorDescriptor, plain->tensor_destroy);
SAME(cudnnCreateFilterDescriptor, plain->filter_create);
SAME(cudnnSetFilter4dDescriptor, plain->filter_set);
SAME(cudnnDestroyFilterDescriptor, plain->filter_destroy);
SAME(cudnnCreateConvolutionDescriptor, plain->conv_create);
SAME(cudnnSetConvolution2dDescriptor, plain->conv_set);
SAME(cudnnSetConvolutionGroupCount, plain->conv_groups);
SAME(cudnnSetConvolutionMathType, plain->conv_math);
SAME(cudnnDestroyConvolutionDescriptor, plain->conv_destroy);
SAME(cudnnCreateActivationDescriptor, plain->activation_create);
SAME(cudnnSetActivationDescriptor, plain->activation_set);
SAME(cudnnDestroyActivationDescriptor, plain->activation_destroy);
SAME(cudnnFindConvolutionForwardAlgorithmEx, forward->find_forward);
SAME(cudnnFindConvolutionBackwardDataAlgorithmEx, data->find_backward_data);
SAME(cudnnFindConvolutionBackwardFilterAlgorithmEx, weights->find_backward_weights);
SAME(cudnnGetConvolutionForwardAlgorithm_v7, forward->guess_forward);
SAME(cudnnGetConvolutionBackwardDataAlgorithm_v7, data->guess_backward_data);
SAME(cudnnGetConvolutionBackwardFilterAlgorithm_v7, weights->guess_backward_weights);
SAME(cudnnConvolutionForward, plain->forward);
SAME(cudnnConvolutionBackwardData, plain->backward_data);
SAME(cudnnConvolutionBackwardFilter, plain->backward_weights);
SAME(cudnnConvolutionBiasActivationForward, plain->forward_fused);

#define NUMBER(name, number) _Static_assert((name) == (number), #name)
NUMBER(CUDNN_TENSOR_NCHW, 0);
NUMBER(CUDNN_DATA_FLOAT, 0);
NUMBER(CUDNN_DATA_HALF, 2);
NUMBER(CUDNN_DATA_BFLOAT16, 9);
NUMBER(CUDNN_CROSS_CORRELATION, 1);
NUMBER(CUDNN_DEFAULT_MATH, 0);
NUMBER(CUDNN_TENSOR_OP_MATH, 1);
NUMBER(CUDNN_FMA_MATH, 3);
NUMBER(CUDNN_ACTIVATION_RELU, 1);
NUMBER(CUDNN_ACTIVATION_IDENTITY, 5);
NUMBER(CUDNN_NOT_PROPAGATE_NAN, 0);
NUMBER(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, 1);
NUMBER(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, 7);
NUMBER(CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED, 5);
NUMBER(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING, 6);
#if CUDNN_MAJOR >= 9
NUMBER(CUDNN_STATUS_NOT_SUPPORTED, 3000);
NUMBER(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, 3007);
#else
NUMBER(CUDNN_STATUS_NOT_SUPPORTED, 9);
NUMBER(CUDNN_STATUS_ARCH_MISMATCH, 6);
#endif

/* The list has names as strings, so they are written again above; none is left out. */
Test(cuda_cudnn_types, every_call_is_compared)
{
    cr_assert_eq(sizeof(struct cudnn_calls) / sizeof(void (*)(void)), 28);
}
#else
Test(cuda_cudnn_types, every_call_is_compared)
{
    cr_skip("no header of cuDNN");
}
#endif
