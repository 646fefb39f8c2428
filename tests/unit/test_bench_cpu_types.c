/* The functions of oneDNN and OpenBLAS have the types that we call them by. Their headers are read with
 * their names for handles turned into ours, which differ in nothing else; the compiler compares. Without
 * the headers there is nothing to compare. */
#include <criterion/criterion.h>

#include "bench/cpu_onednn.h"

#if __has_include(<oneapi/dnnl/dnnl.h>) && __has_include(<cblas.h>)
#define dnnl_engine         onednn_engine
#define dnnl_stream         onednn_stream
#define dnnl_memory         onednn_memory
#define dnnl_primitive_desc onednn_plan
#define dnnl_primitive      onednn_primitive
#define dnnl_primitive_attr onednn_options
#define dnnl_post_ops       onednn_after
#include <oneapi/dnnl/dnnl_types.h>
#include <oneapi/dnnl/dnnl_version.h>

#if DNNL_VERSION_MAJOR == 2
_Static_assert(sizeof(dnnl_memory_desc_t) <= ONEDNN_V2_DESC_BYTES, "room for a description");
_Static_assert(sizeof(dnnl_convolution_desc_t) <= ONEDNN_V2_CONVOLUTION_BYTES, "room for one");
#define dnnl_memory_desc_t      void
#define dnnl_convolution_desc_t void
#define RELU                    ONEDNN_RELU_V2
#else
#define dnnl_memory_desc_t       void *
#define const_dnnl_memory_desc_t const void *
#define RELU                     ONEDNN_RELU_V3
#endif
_Static_assert(sizeof(dnnl_version_t) == sizeof(struct onednn_version), "version");
_Static_assert(sizeof(dnnl_exec_arg_t) == sizeof(struct onednn_argument), "argument");
_Static_assert(offsetof(dnnl_exec_arg_t, memory) == offsetof(struct onednn_argument, memory),
               "argument");
#define dnnl_version_t  struct onednn_version
#define dnnl_exec_arg_t struct onednn_argument
#include <oneapi/dnnl/dnnl.h>

#include <cblas.h>

#define SAME(function, type)                                                                       \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&function), __typeof__(type)), #function)

extern struct cpu_onednn *o; /* for the types of its calls alone */

/* The list has names as strings, so they are written again; a test counts them. */
SAME(dnnl_version, o->call.version);
SAME(dnnl_engine_create, o->call.engine_create);
SAME(dnnl_engine_destroy, o->call.engine_destroy);
SAME(dnnl_stream_create, o->call.stream_create);
SAME(dnnl_stream_destroy, o->call.stream_destroy);
SAME(dnnl_stream_wait, o->call.stream_wait);
SAME(dnnl_memory_create, o->call.memory_create);
SAME(dnnl_memory_destroy, o->call.memory_destroy);
SAME(dnnl_primitive_desc_query_md, o->call.query_md);
SAME(dnnl_primitive_desc_query, o->call.query);
SAME(dnnl_primitive_desc_destroy, o->call.plan_destroy);
SAME(dnnl_primitive_create, o->call.primitive_create);
SAME(dnnl_primitive_destroy, o->call.primitive_destroy);
SAME(dnnl_primitive_execute, o->call.execute);
SAME(dnnl_reorder_primitive_desc_create, o->call.reorder);
SAME(dnnl_primitive_attr_create, o->call.options_create);
SAME(dnnl_primitive_attr_destroy, o->call.options_destroy);
SAME(dnnl_primitive_attr_set_post_ops, o->call.options_set_after);
SAME(dnnl_post_ops_create, o->call.after_create);
SAME(dnnl_post_ops_destroy, o->call.after_destroy);
SAME(dnnl_sgemm, o->call.sgemm);
SAME(dnnl_gemm_s8s8s32, o->call.gemm_s8);
#if DNNL_VERSION_MAJOR == 2
SAME(dnnl_memory_desc_init_by_strides, o->call.v2_strides);
SAME(dnnl_memory_desc_init_by_tag, o->call.v2_tag);
SAME(dnnl_dilated_convolution_forward_desc_init, o->call.v2_forward);
SAME(dnnl_dilated_convolution_backward_data_desc_init, o->call.v2_backward_data);
SAME(dnnl_dilated_convolution_backward_weights_desc_init, o->call.v2_backward_weights);
SAME(dnnl_primitive_desc_create, o->call.v2_plan);
SAME(dnnl_post_ops_append_eltwise, o->call.v2_eltwise);
#else
SAME(dnnl_memory_desc_create_with_strides, o->call.v3_strides);
SAME(dnnl_memory_desc_create_with_tag, o->call.v3_tag);
SAME(dnnl_memory_desc_destroy, o->call.v3_desc_destroy);
SAME(dnnl_convolution_forward_primitive_desc_create, o->call.v3_forward);
SAME(dnnl_convolution_backward_data_primitive_desc_create, o->call.v3_backward_data);
SAME(dnnl_convolution_backward_weights_primitive_desc_create, o->call.v3_backward_weights);
SAME(dnnl_post_ops_append_eltwise, o->call.v3_eltwise);
#endif

/* cblas_sgemm as cpu_gemm.c has it; its enums are named types there. */
SAME(cblas_sgemm, ((void (*)(unsigned, unsigned, unsigned, int, int, int, float, const float *, int,
                             const float *, int, float, float *, int))0));

static const struct {
    long ours, theirs;
} numbers[] = {
    { ONEDNN_OK, dnnl_success },
    { ONEDNN_UNIMPLEMENTED, dnnl_unimplemented },
    { ONEDNN_CPU, dnnl_cpu },
    { ONEDNN_STREAM_DEFAULT, dnnl_stream_default_flags },
    { ONEDNN_F32, dnnl_f32 },
    { ONEDNN_ANY_LAYOUT, dnnl_format_tag_any },
    { ONEDNN_FORWARD_TRAINING, dnnl_forward_training },
    { ONEDNN_ALGORITHM_AUTO, dnnl_convolution_auto },
    { RELU, dnnl_eltwise_relu },
    { ONEDNN_QUERY_NAME, dnnl_query_impl_info_str },
    { ONEDNN_QUERY_SRC, dnnl_query_src_md },
    { ONEDNN_QUERY_DIFF_SRC, dnnl_query_diff_src_md },
    { ONEDNN_QUERY_WEIGHTS, dnnl_query_weights_md },
    { ONEDNN_QUERY_DIFF_WEIGHTS, dnnl_query_diff_weights_md },
    { ONEDNN_QUERY_DST, dnnl_query_dst_md },
    { ONEDNN_QUERY_DIFF_DST, dnnl_query_diff_dst_md },
    { ONEDNN_ARG_FROM, DNNL_ARG_FROM },
    { ONEDNN_ARG_TO, DNNL_ARG_TO },
    { ONEDNN_ARG_SRC, DNNL_ARG_SRC },
    { ONEDNN_ARG_DST, DNNL_ARG_DST },
    { ONEDNN_ARG_WEIGHTS, DNNL_ARG_WEIGHTS },
    { ONEDNN_ARG_BIAS, DNNL_ARG_BIAS },
    { ONEDNN_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC },
    { ONEDNN_ARG_DIFF_DST, DNNL_ARG_DIFF_DST },
    { ONEDNN_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS },
    { (long)UINTPTR_MAX, (long)(uintptr_t)DNNL_MEMORY_ALLOCATE },
};

Test(bench_cpu_types, numbers_are_those_of_the_header)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cr_assert_eq(numbers[i].ours, numbers[i].theirs, "number %zu", i);
}

/* No call of the list is left out above: as many as this version has. */
Test(bench_cpu_types, every_call_is_compared)
{
    size_t count = 0;
#define X(version, member, name, result, arguments)                                                \
    count += version == 0 || version == DNNL_VERSION_MAJOR;
#include "bench/cpu_onednn.def"
#undef X
    cr_assert_eq(count, 29);
}
#else
Test(bench_cpu_types, numbers_are_those_of_the_header)
{
    cr_skip("no headers of oneDNN and OpenBLAS");
}
#endif
