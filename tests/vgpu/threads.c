/* Four threads at work on two devices at once, each loading, launching, copying and freeing; for a
 * build with the thread sanitizer. Prints "ok". */
#include <cuda.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 60, COUNT = 256 };

/* p[i] = v + i */
static const char text[] =
    ".version 3.1\n.target sm_35\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p, .param .u32 v)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [v];\n"
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, 64, %r2;\n"
    "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "add.u32 %r5, %r1, %r4;\nst.global.u32 [%rd4], %r5;\nret;\n}\n";

static CUcontext contexts[2];

static void check(CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s: %d\n", call, (int)result);
    exit(1);
}
#define CHECK(call) check(call, #call)

static void round_of(unsigned value, unsigned *out)
{
    CUmodule module;
    CUfunction fill;
    CUstream stream;
    CUdeviceptr p;
    void *params[] = { &p, &value };
    CHECK(cuModuleLoadData(&module, text));
    CHECK(cuModuleGetFunction(&fill, module, "fill"));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuMemAlloc(&p, COUNT * sizeof *out));
    CHECK(cuLaunchKernel(fill, COUNT / 64, 1, 1, 64, 1, 1, 0, stream, params, NULL));
    CHECK(cuMemcpyDtoHAsync(out, p, COUNT * sizeof *out, stream));
    CHECK(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < COUNT; i++)
        if (out[i] != value + i) {
            printf("a thread got another's result\n");
            exit(1);
        }
    CHECK(cuMemFree(p));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuModuleUnload(module));
}

static void *work(void *number)
{
    uintptr_t me = (uintptr_t)number;
    unsigned out[COUNT];
    CHECK(cuCtxSetCurrent(contexts[me % 2]));
    for (unsigned i = 0; i < ROUNDS; i++)
        round_of(i, out);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    CHECK(cuInit(0));
    CHECK(cuDevicePrimaryCtxRetain(&contexts[0], 0));
    CHECK(cuDevicePrimaryCtxRetain(&contexts[1], 1));
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("ok\n");
    return 0;
}
