/* Times the kernels of model.cu on the first device, as any benchmark would.
 *
 *   model FILE     prints "peak GFLOP/s", "copy GB/s" and the microseconds of four matrix products */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(CUresult result, const char *call)
{
    const char *name = "?";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    printf("%s: %d %s\n", call, (int)result, name ? name : "?");
    exit(1);
}
#define CHECK(call) check(call, #call)

static CUmodule module;

/* Milliseconds of one launch, the start of it excluded: two launches less one. */
static double time_of(const char *name, unsigned gx, unsigned gy, unsigned bx, unsigned by,
                      void **params)
{
    CUfunction f;
    CUevent start, middle, end;
    float one = 0, both = 0;
    CHECK(cuModuleGetFunction(&f, module, name));
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&middle, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK(cuEventRecord(start, NULL));
    CHECK(cuLaunchKernel(f, gx, gy, 1, bx, by, 1, 0, NULL, params, NULL));
    CHECK(cuEventRecord(middle, NULL));
    CHECK(cuLaunchKernel(f, gx, gy, 1, bx, by, 1, 0, NULL, params, NULL));
    CHECK(cuEventRecord(end, NULL));
    CHECK(cuEventSynchronize(end));
    CHECK(cuEventElapsedTime(&one, start, middle));
    CHECK(cuEventElapsedTime(&both, start, end));
    return (double)both - (double)one;
}

static void peak(int sms)
{
    CUdeviceptr out;
    unsigned blocks = (unsigned)sms * 16;
    int rounds = 32;
    void *params[] = { &out, &rounds };
    CHECK(cuMemAlloc(&out, (size_t)blocks * 256 * 4));
    double ms = time_of("peak", blocks, 1, 256, 1, params);
    printf("peak %.1f\n", 2.0 * 8 * 16 * rounds * blocks * 256 / (ms * 1e6));
    CHECK(cuMemFree(out));
}

static void copy(void)
{
    CUdeviceptr to, from;
    size_t bytes = (size_t)128 << 20;
    void *params[] = { &to, &from };
    CHECK(cuMemAlloc(&to, bytes));
    CHECK(cuMemAlloc(&from, bytes));
    double ms = time_of("copy", (unsigned)(bytes / 16 / 256), 1, 256, 1, params);
    printf("copy %.2f\n", 2.0 * (double)bytes / (ms * 1e6));
    CHECK(cuMemFree(to));
    CHECK(cuMemFree(from));
}

static void products(void)
{
    static const char *const names[] = { "naive", "uncoalesced", "tiled", "conflicts" };
    CUdeviceptr m[3];
    int n = 128;
    void *params[] = { &m[0], &m[1], &m[2], &n };
    for (int i = 0; i < 3; i++)
        CHECK(cuMemAlloc(&m[i], (size_t)n * n * 4));
    for (int i = 0; i < 4; i++)
        printf("%s %.2f\n", names[i], 1e3 * time_of(names[i], 8, 8, 16, 16, params));
    for (int i = 0; i < 3; i++)
        CHECK(cuMemFree(m[i]));
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    int sms;
    if (argc != 2)
        return 2;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoad(&module, argv[1]));
    peak(sms);
    copy();
    products();
    CHECK(cuCtxDestroy(context));
    return 0;
}
