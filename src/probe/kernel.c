#include "probe/kernel.h"

#include <string.h>

#include "probe/expect.h"

enum {
    THREADS = 64, /* one block: far below any time limit */
    RESULTS = 50, /* fewer than threads: the bounds check of the kernel is part of the test */
    POISON = 0xff,
};

/* Notes the first failure; returns true while all went well. */
static bool ok(struct kernel_outcome *o, int result, const char *call)
{
    if (result && !o->code) {
        o->code = result;
        o->call = call;
    }
    return !result;
}

static bool is_poison(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        if (p[i] != POISON)
            return false;
    return true;
}

static bool right(const struct probe_result *results, unsigned seed)
{
    for (unsigned i = 0; i < RESULTS; i++) {
        struct probe_result expected = expect_result(seed, i);
        expected.image_id = results[0].image_id;
        expected.cuda_arch = results[0].cuda_arch;
        if (memcmp(&expected, &results[i], sizeof expected) != 0)
            return false;
    }
    return is_poison(&results[RESULTS], (THREADS - RESULTS) * sizeof *results);
}

static void launch(const struct driver_calls *call, struct gpu_function *function, uint64_t out,
                   struct kernel_outcome *o)
{
    unsigned count = RESULTS, seed = 12345;
    void *params[] = { &out, &count, &seed };
    struct probe_result results[THREADS];
    if (!ok(o, call->set_bytes(out, POISON, sizeof results), "cuMemsetD8") ||
        !ok(o, call->launch(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL),
            "cuLaunchKernel") ||
        !ok(o, call->context_synchronize(), "cuCtxSynchronize") ||
        !ok(o, call->copy_to_host(results, out, sizeof results), "cuMemcpyDtoH"))
        return;
    o->ran = true;
    o->first = results[0];
    o->right = right(results, seed);
    o->untouched = is_poison(results, sizeof results);
}

void kernel_run(const struct driver *d, const struct module_load *load, struct kernel_outcome *o)
{
    const struct driver_calls *call = &d->call;
    struct gpu_function *function = NULL;
    uint64_t out = 0;
    *o = (struct kernel_outcome){ .call = "" };
    if (!ok(o, call->module_function(&function, load->module, "probe"), "cuModuleGetFunction"))
        return;
    ok(o, call->function_attribute(&o->binary_version, GPU_FUNC_BINARY_VERSION, function),
       "cuFuncGetAttribute");
    ok(o, call->function_attribute(&o->ptx_version, GPU_FUNC_PTX_VERSION, function),
       "cuFuncGetAttribute");
    if (!ok(o, call->mem_alloc(&out, THREADS * sizeof(struct probe_result)), "cuMemAlloc"))
        return;
    launch(call, function, out, o);
    ok(o, call->mem_free(out), "cuMemFree");
}
